//! Sharding signatures in factor form: each axis of the inputs and results carries the letter of
//! the index that runs along it. An index may be cut if all axes that carry it are cut alike.

use smallvec::SmallVec;

use crate::op::Call;
use crate::placement::Combine;

/// An index of an operation. `None` stands on axes that cannot be cut.
pub type Letter = Option<u8>;

/// Which index runs along which axis, and what becomes of a result when an index is cut that the
/// result does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Factors {
    /// For each input, the letter of each axis.
    pub inputs: Vec<SmallVec<[Letter; 4]>>,
    /// For each result, the letter of each axis.
    pub outputs: Vec<SmallVec<[Letter; 4]>>,
    /// The letters whose parts are combined into the result, and how.
    pub combined: Vec<(u8, Combine)>,
}

impl Factors {
    /// Every index that may be cut.
    pub fn letters(&self) -> Vec<u8> {
        let axes = self.inputs.iter().chain(&self.outputs).flatten();
        let mut letters: Vec<u8> = axes.copied().flatten().collect();
        letters.sort_unstable();
        letters.dedup();
        letters.retain(|&letter| {
            let everywhere = self.outputs.iter().all(|axes| axes.contains(&Some(letter)));
            everywhere || self.combined.iter().any(|&(combined, _)| combined == letter)
        });
        letters
    }

    /// How the parts of a result are combined when `letter` is cut; `None` if the result is cut.
    pub fn combine(&self, letter: u8) -> Option<Combine> {
        self.combined.iter().find(|&&(combined, _)| combined == letter).map(|&(_, how)| how)
    }

    /// The axis of input `index` that carries `letter`.
    pub fn input_axis(&self, index: usize, letter: u8) -> Option<usize> {
        self.inputs[index].iter().position(|&axis| axis == Some(letter))
    }

    /// The axis of result `index` that carries `letter`.
    pub fn output_axis(&self, index: usize, letter: u8) -> Option<usize> {
        self.outputs[index].iter().position(|&axis| axis == Some(letter))
    }
}

/// Nothing may be cut: what cannot be proved is gathered first.
pub fn gather_first(call: &Call) -> Factors {
    let uncut = |index: usize| SmallVec::from_elem(None, call.shape(index).rank());
    let outputs = call.op.outputs.iter().map(|_| SmallVec::new()).collect();
    Factors { inputs: (0..call.inputs.len()).map(uncut).collect(), outputs, combined: Vec::new() }
}

/// The axes of the result carry a letter each; an input carries it where it has that size.
pub fn pointwise(call: &Call) -> Factors {
    let inferred = (call.op.shape)(call).unwrap_or_default();
    let Some(output) = inferred.first() else { return gather_first(call) };
    let rank = output.rank();
    let aligned = |index: usize| {
        let shape = call.shape(index);
        let added = rank - shape.rank();
        let letter = |(axis, &size): (usize, &usize)| {
            (size == output[axis + added]).then_some((axis + added) as u8)
        };
        shape.iter().enumerate().map(letter).collect()
    };
    Factors {
        inputs: (0..call.inputs.len()).map(aligned).collect(),
        outputs: vec![(0..rank as u8).map(Some).collect(); call.op.outputs.len()],
        combined: Vec::new(),
    }
}

/// One input; the axes named by `dim` are combined, the others stay.
pub fn reduce(call: &Call, how: Combine) -> Factors {
    let Ok(axes) = call.axes("dim", 0) else { return gather_first(call) };
    let rank = call.shape(0).rank();
    let keep = call.flag("keepdim");
    let output = (0..rank).filter_map(|axis| match (axes.contains(&axis), keep) {
        (true, true) => Some(None),
        (true, false) => None,
        (false, _) => Some(Some(axis as u8)),
    });
    Factors {
        inputs: vec![(0..rank as u8).map(Some).collect()],
        outputs: vec![output.collect()],
        combined: axes.iter().map(|&axis| (axis as u8, how)).collect(),
    }
}

/// All axes but `axis` pass through every input and result alike.
pub fn all_but(call: &Call, axis: usize) -> Factors {
    let rank = call.shape(0).rank();
    let axes: SmallVec<[Letter; 4]> =
        (0..rank).map(|other| (other != axis).then_some(other as u8)).collect();
    Factors {
        inputs: vec![axes.clone(); call.inputs.len()],
        outputs: vec![axes; call.op.outputs.len()],
        combined: Vec::new(),
    }
}

/// No inputs: every axis of what is created may be cut.
pub fn created(call: &Call) -> Factors {
    let rank = call.ints("shape").len() as u8;
    Factors {
        inputs: Vec::new(),
        outputs: vec![(0..rank).map(Some).collect()],
        combined: Vec::new(),
    }
}

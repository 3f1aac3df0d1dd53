//! The signatures that many rows share.

use smallvec::SmallVec;

use super::factors::{Factors, Letters, alone};
use crate::op::Call;
use crate::ops::keys;
use crate::placement::Combine;
use crate::rules::shape;

/// Nothing may be cut: what cannot be proved is gathered first.
pub fn gather_first(call: &Call) -> Factors {
    let uncut = |index: usize| call.shape(index).iter().map(|&size| alone(None, size)).collect();
    let outputs = call.op.outputs.iter().map(|_| SmallVec::new()).collect();
    let inputs = (0..call.inputs.len()).map(uncut).collect();
    Factors { inputs, outputs, ..Factors::default() }
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
    let inputs = (0..call.inputs.len()).map(aligned).collect();
    Factors::of(call, inputs, vec![numbered(rank); call.op.outputs.len()])
}

/// One input; the axes named by `dim` are combined, the others stay.
pub fn reduce(call: &Call, how: Combine) -> Factors {
    let Ok(axes) = shape::reduced_axes(call) else { return gather_first(call) };
    let input = numbered(call.shape(0).rank());
    let outputs = vec![without(&input, &axes, call); call.op.outputs.len()];
    Factors::of(call, vec![input], outputs).combining(axes.iter().map(|&axis| (axis as u8, how)))
}

/// One input; only the axes that are not named by `dim` may be cut.
pub fn reduce_whole(call: &Call) -> Factors {
    let Ok(axes) = shape::reduced_axes(call) else { return gather_first(call) };
    let kept = |axis: usize| (!axes.contains(&axis)).then_some(axis as u8);
    let input: Letters = (0..call.shape(0).rank()).map(kept).collect();
    let outputs = vec![without(&input, &axes, call); call.op.outputs.len()];
    Factors::of(call, vec![input], outputs)
}

/// The letters of a result that lost these axes, or has ones there.
fn without(letters: &Letters, axes: &[usize], call: &Call) -> Letters {
    let keep = call.flag(keys::KEEPDIM);
    let output = letters.iter().enumerate().filter_map(|(axis, &letter)| {
        match (axes.contains(&axis), keep) {
            (true, true) => Some(None),
            (true, false) => None,
            (false, _) => Some(letter),
        }
    });
    output.collect()
}

/// All axes but `axis` pass through every input and result alike.
pub fn all_but(call: &Call, axis: usize) -> Factors {
    let rank = call.shape(0).rank();
    let axes: Letters = (0..rank).map(|other| (other != axis).then_some(other as u8)).collect();
    Factors::of(call, vec![axes.clone(); call.inputs.len()], vec![axes; call.op.outputs.len()])
}

/// One input and one result, whose axes are those of the input in this order.
pub fn permuted(call: &Call, order: &[usize]) -> Factors {
    let output = order.iter().map(|&axis| Some(axis as u8)).collect();
    Factors::of(call, vec![numbered(call.shape(0).rank())], vec![output])
}

/// The first axes pass through every input and result alike; nothing else is cut.
pub fn leading(call: &Call, count: usize) -> Factors {
    let letters = |rank: usize| -> Letters {
        (0..rank).map(|axis| (axis < count).then_some(axis as u8)).collect()
    };
    let Ok(shapes) = (call.op.shape)(call) else { return gather_first(call) };
    let inputs = (0..call.inputs.len()).map(|index| letters(call.shape(index).rank())).collect();
    Factors::of(call, inputs, shapes.iter().map(|shape| letters(shape.rank())).collect())
}

/// No inputs: every axis of what is created may be cut.
pub fn created(call: &Call) -> Factors {
    Factors::of(call, Vec::new(), vec![numbered(call.ints(keys::SHAPE).len())])
}

/// A letter for each of so many axes: its number.
pub fn numbered(rank: usize) -> Letters {
    (0..rank as u8).map(Some).collect()
}

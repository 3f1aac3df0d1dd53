//! Elements that an index names along an axis: read there, or written.

use super::factors::{Axis, Factor, Factors, Indices, alone, axis};
use crate::attrs::Range;
use crate::dtype::DType;
use crate::op::Call;
use crate::placement::Combine;
use crate::shape::Shape;

/// The letter of the positions along the axis that is looked along.
const POSITIONS: u8 = 100;

/// The letter of the positions of the tensor along that axis. If it is cut, a worker serves the
/// positions that it has.
pub const OWNER: u8 = 200;

/// Whether a row can serve a part of the positions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// It needs all of them.
    Whole,
    /// It has attributes that say which part it serves.
    Part,
}

/// An axis of the index beside one of the tensor; where it is shorter, it has the first positions.
fn beside(at: usize, own: usize, whole: usize) -> Axis {
    let letter = at as u8;
    match own == whole {
        true => alone(Some(letter), own),
        false => axis([Factor::some(letter, Range::all(own))]),
    }
}

/// `gather`: the result has the shape of the index, which has as many axes as the tensor. Workers
/// that have a part of the positions give zeros for the others, and the results are summed.
pub fn gathered(call: &Call, along: usize) -> Factors {
    let (tensor, index) = (call.shape(0), call.shape(1));
    let owner = has_sums(call).then_some(OWNER);
    let letter = |at: usize| if at == along { owner } else { Some(at as u8) };
    let input = (0..tensor.rank()).map(|at| alone(letter(at), tensor[at]));
    let found: Indices = (0..index.rank())
        .map(|at| match at == along {
            true => alone(Some(POSITIONS), index[at]),
            false => beside(at, index[at], tensor[at]),
        })
        .collect();
    let inputs = vec![input.collect(), found.clone()];
    Factors { inputs, outputs: vec![found], ..Factors::default() }
        .combining(owner.map(|owner| (owner, Combine::Sum)))
}

/// `scatter`: elements of a source go to the places that the index names. If they are added, each
/// worker may add some of them.
pub fn scattered(call: &Call, along: usize, adds: bool, service: Service) -> Factors {
    let (tensor, index, source) = (call.shape(0), call.shape(1), call.shape(2));
    let adds = adds && has_sums(call);
    // A source that is larger than the index has other elements at the places of a part.
    let fits = |at: usize| source.rank() == 0 || source[at] == index[at];
    let letter = |at: usize| match at == along {
        true => (service == Service::Part).then_some(OWNER),
        false => fits(at).then_some(at as u8),
    };
    let base: Indices = (0..tensor.rank()).map(|at| alone(letter(at), tensor[at])).collect();
    let places: Indices = (0..index.rank())
        .map(|at| match at == along {
            true => alone((adds && fits(at)).then_some(POSITIONS), index[at]),
            false if fits(at) => beside(at, index[at], tensor[at]),
            false => alone(None, index[at]),
        })
        .collect();
    let value = |at: usize| if fits(at) { places[at].clone() } else { alone(None, source[at]) };
    let values = (0..source.rank()).map(value).collect();
    let inputs = vec![base.clone(), places, values];
    Factors { inputs, outputs: vec![base], ..Factors::default() }
        .combining(adds.then_some((POSITIONS, Combine::Sum)))
        .adding(0, adds.then_some(POSITIONS))
}

/// What stands at an index's places along an axis of a tensor, whose other axes are around them;
/// `value` is broadcast to that. If it is added, each worker may add some of it.
pub fn written(call: &Call, along: usize, adds: bool, service: Service) -> Factors {
    let (tensor, index, value) = (call.shape(0), call.shape(1), call.shape(2));
    let adds = adds && has_sums(call);
    let owner = (service == Service::Part).then_some(OWNER);
    let letter = |at: usize| if at == along { owner } else { Some(at as u8) };
    let base: Indices = (0..tensor.rank()).map(|at| alone(letter(at), tensor[at])).collect();
    let letters = (0..index.rank() as u8).map(|at| POSITIONS + at).filter(|_| adds);
    let places: Indices = (0..index.rank())
        .map(|at| alone(adds.then_some(POSITIONS + at as u8), index[at]))
        .collect();
    let around = base[..along].iter().chain(&places).chain(&base[along + 1..]);
    let around: Vec<Axis> = around.cloned().collect();
    let added = around.len() - value.rank();
    let values = broadcast(value, &around[added..]);
    let inputs = vec![base.clone(), places, values];
    Factors { inputs, outputs: vec![base], ..Factors::default() }
        .combining(letters.clone().map(|letter| (letter, Combine::Sum)))
        .adding(0, letters)
}

/// Whether parts of the result can be added up: truths have no sums.
pub fn has_sums(call: &Call) -> bool {
    call.inputs[0].dtype() != DType::Bool
}

/// The axes of a tensor that is broadcast along others: it has those of their size.
pub fn broadcast(shape: &Shape, axes: &[Axis]) -> Indices {
    let own = |(&size, axis): (&usize, &Axis)| {
        let whole: usize = axis[0].iter().map(|factor| factor.size).product();
        if size == whole { axis.clone() } else { alone(None, size) }
    };
    shape.iter().zip(axes).map(own).collect()
}

//! Shape rules shared by families of operations.

use smallvec::smallvec;

use crate::attrs::Attr;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::kernel::Axes;
use crate::op::{Call, Shapes};
use crate::ops::keys;
use crate::shape::{Listed, Shape};

/// The shape of the first input.
pub fn same(call: &Call) -> Result<Shapes> {
    Ok(smallvec![call.shape(0).clone()])
}

/// The shape all inputs broadcast to.
pub fn broadcast(call: &Call) -> Result<Shapes> {
    if let [a, b] = call.inputs
        && a.shape() == b.shape()
    {
        return Ok(smallvec![a.shape().clone()]);
    }
    let mut shape = call.shape(0).clone();
    for index in 1..call.inputs.len() {
        let next = call.shape(index);
        shape = shape
            .broadcast(next)
            .ok_or_else(|| Error::runtime(format!("cannot broadcast {shape} with {next}")))?;
    }
    Ok(smallvec![shape])
}

/// As [`broadcast`], for operations that booleans have no part in.
pub fn broadcast_numbers(call: &Call) -> Result<Shapes> {
    if call.inputs.iter().all(|input| input.dtype() == DType::Bool) {
        return Err(Error::runtime("not implemented for bool"));
    }
    broadcast(call)
}

/// The attribute `shape`.
pub fn given(call: &Call) -> Result<Shapes> {
    Ok(smallvec![Shape::given(call.ints(keys::SHAPE))?])
}

/// The axes that a reduction combines: its attribute `dim` is a list of axes or one axis; all if it
/// names none.
pub fn reduced_axes(call: &Call) -> Result<Axes> {
    if call.has(keys::AXES) {
        return call.axes(keys::AXES, 0);
    }
    match call.attr(keys::DIM) {
        Attr::None => call.shape(0).axes(&[]),
        _ => call.shape(0).axes(&[call.int(keys::DIM)]),
    }
}

/// The first input without the axes `dim`, or with ones there if `keepdim`.
pub fn reduce(call: &Call) -> Result<Shapes> {
    let axes = reduced_axes(call)?;
    Ok(smallvec![call.shape(0).reduced(&axes, call.flag(keys::KEEPDIM))])
}

/// As [`reduce`], for reductions that have no answer for no elements.
pub fn reduce_some(call: &Call) -> Result<Shapes> {
    let shape = call.shape(0);
    if call.axes(keys::AXES, 0)?.iter().any(|&axis| shape.get(axis) == Some(&0)) {
        let message = format!("a tensor of shape {shape} has no elements there");
        // PyTorch's exceptions: an axis that was named is an index.
        return Err(if call.ints(keys::AXES).is_empty() {
            Error::runtime(format!("{message}; name an axis that has some"))
        } else {
            Error::index(message)
        });
    }
    reduce(call)
}

/// Matrix products: the last two axes multiply, those before broadcast. A vector counts as a row
/// on the left and as a column on the right, and that axis is not in the result.
pub fn matmul(call: &Call) -> Result<Shapes> {
    let (a, b) = (call.shape(0), call.shape(1));
    let wrong = |why| Error::runtime(format!("cannot multiply {a} by {b}; {why}"));
    let (Some(left), Some(right)) = (as_matrix(a, true), as_matrix(b, false)) else {
        return Err(wrong("both need at least one axis"));
    };
    let (lead_a, &[rows, inner]) = split_matrix(&left);
    let (lead_b, &[other, columns]) = split_matrix(&right);
    if inner != other {
        return Err(wrong("inner sizes differ"));
    }
    let lead = Shape::from(lead_a).broadcast(&Shape::from(lead_b));
    let lead = lead.ok_or_else(|| wrong("their batch sizes do not broadcast"))?;
    let rows = (a.rank() > 1).then_some(rows);
    let columns = (b.rank() > 1).then_some(columns);
    Ok(smallvec![lead.iter().copied().chain(rows).chain(columns).collect()])
}

/// A vector as a matrix of one row or one column; `None` for a shape without axes.
pub fn as_matrix(shape: &Shape, row: bool) -> Option<Shape> {
    match (**shape).len() {
        0 => None,
        1 if row => Some([1, shape[0]].into()),
        1 => Some([shape[0], 1].into()),
        _ => Some(shape.clone()),
    }
}

fn split_matrix(shape: &Shape) -> (&[usize], &[usize; 2]) {
    shape.split_last_chunk().expect("as_matrix gives at least two axes")
}

/// The first input with the axes in the order of the attribute `dims`.
pub fn permute(call: &Call) -> Result<Shapes> {
    let (shape, dims) = (call.shape(0), call.ints(keys::DIMS));
    if dims.len() != shape.rank() {
        let dims = Listed(dims);
        return Err(Error::runtime(format!("{dims} does not name each axis of {shape} once")));
    }
    if dims.is_empty() {
        return same(call);
    }
    Ok(smallvec![shape.permuted(&shape.axes(dims)?)])
}

/// The elements of the first input in the shape that the attribute `shape` asks for.
pub fn reshape(call: &Call) -> Result<Shapes> {
    Ok(smallvec![Shape::resolve(call.ints(keys::SHAPE), call.shape(0).count())?])
}

/// The first input broadcast to the attribute `shape`, where −1 keeps a size.
pub fn expand(call: &Call) -> Result<Shapes> {
    let (shape, asked) = (call.shape(0), call.ints(keys::SHAPE));
    let wrong = || {
        let asked = Listed(asked);
        Error::runtime(format!("a tensor of shape {shape} cannot be expanded to {asked}"))
    };
    let added = asked.len().checked_sub(shape.rank()).ok_or_else(wrong)?;
    let sizes = asked.iter().enumerate().map(|(axis, &size)| match size {
        -1 if axis >= added => Ok(shape[axis - added]),
        size => usize::try_from(size).map_err(|_| wrong()),
    });
    let target: Shape = sizes.collect::<Result<_>>()?;
    if shape.expands_to(&target) { Ok(smallvec![target]) } else { Err(wrong()) }
}

//! Reads of single elements by position along an axis: `gather`, `take_along_dim`.

use super::scatter::scatter_add;
use super::sharded::{OWNED_ATTRS, Owned};
use crate::attrs::{Attr, AttrSpec};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Zero};
use crate::kernel::Kernel;
use crate::op::{Call, Input as In, Op, Python, Role, Sample, ints};
use crate::ops::create::zeros;
use crate::ops::elementwise::compare::lt;
use crate::ops::elementwise::ternary::where_;
use crate::ops::family::MOVE;
use crate::ops::shape::axes::reshape;
use crate::ops::shape::repeat::expand;
use crate::ops::{codes, keys};
use crate::rules::shard::factors::{Axis, Indices, alone};
use crate::rules::shard::{self, Factors, indexed, views};
use crate::shape::Shape;

/// The inputs of rows that read at the positions of an index.
pub static LOOKED_UP: [In; 2] =
    [In { name: "input", role: Role::Any }, In { name: "index", role: Role::Index }];

pub static GATHER: Op = Op {
    name: "gather",
    code: codes::GATHER,
    doc: "The elements that an index names along an axis.",
    inputs: &LOOKED_UP,
    attrs: &OWNED_ATTRS,
    shape: |call| {
        check_index(call)?;
        Ok([call.shape(1).clone()].into())
    },
    grad: Some(|call| {
        let zeros = zeros(call.shape(0), call.inputs[0].dtype());
        vec![scatter_add(zeros, Input(1), Grad(0), call.int(keys::DIM)), Zero]
    }),
    shard: |call| match call.axis(keys::DIM, 0) {
        Ok(axis) if !is_single(call) => indexed::gathered(call, axis),
        _ => shard::gather_first(call),
    },
    localise: Owned::localise,
    kernel: |call| match is_single(call) || Owned::of(call).is_some() {
        true => Ok(Kernel::Expansion),
        false => Ok(Kernel::Gather(call.axis(keys::DIM, 0)?)),
    },
    // A scalar is treated as a vector of one element.
    expansion: Some(|call| {
        if let Some(owned) = Owned::of(call) {
            return vec![owned.gather(call)];
        }
        let [input, index] = [0, 1].map(|at| reshape(Input(at), &vector(call.shape(at))));
        vec![reshape(gather(input, index, call.int(keys::DIM)), call.shape(1))]
    }),
    torch: "torch.gather",
    python: Python { order: &["input", "dim", "index"], ..Python::BOTH },
    samples: || {
        vec![
            Sample::of(&[&[4, 3]]).index(&[2, 3], 4).attrs(whole_axis(0)),
            Sample::of(&[&[2, 5]]).index(&[2, 7], 5).attrs(whole_axis(-1)),
            Sample::of(&[&[3, 2, 4]]).index(&[2, 2, 3], 2).attrs(whole_axis(1)),
            Sample::of(&[&[]]).index(&[2], 1).attrs(whole_axis(0)),
            Sample::of(&[&[]]).index(&[], 1).attrs(whole_axis(-1)),
            Sample::of(&[&[3]]).index(&[], 3).attrs(whole_axis(0)),
        ]
    },
    ..MOVE
};

static ALONG: [In; 2] =
    [In { name: "input", role: Role::Any }, In { name: "indices", role: Role::Index }];
static ALONG_ATTRS: [AttrSpec; 1] = [keys::DIM.or_none()];

pub static TAKE_ALONG_DIM: Op = Op {
    name: "take_along_dim",
    code: codes::TAKE_ALONG_DIM,
    doc: "The elements that an index names along an axis, broadcasting; without one, among all.",
    inputs: &ALONG,
    attrs: &ALONG_ATTRS,
    shape: |call| Ok([along(call)?.1].into()),
    grad: Some(|call| {
        let Ok((base, taken, dim)) = along(call) else { return Vec::new() };
        let zeros = zeros(&base, call.inputs[0].dtype());
        let summed = scatter_add(zeros, wrapped(call, &base, &taken), Grad(0), dim);
        let summed = if all(call) { reshape(summed, call.shape(0)) } else { summed };
        vec![summed, Zero]
    }),
    shard: |call| {
        let Ok((base, taken, dim)) = along(call) else { return shard::gather_first(call) };
        let uncut = call.shape(0).iter().map(|&size| alone(None, size)).collect();
        if all(call) {
            let (index, found) = views::common(call.shape(1), &taken);
            return Factors {
                inputs: vec![uncut, index],
                outputs: vec![found],
                ..Default::default()
            };
        }
        let letter = |axis: usize| (axis as i64 != dim).then_some(axis as u8);
        let around: Vec<Axis> = (0..base.rank()).map(|at| alone(letter(at), base[at])).collect();
        let found: Indices = (0..taken.rank()).map(|at| alone(Some(at as u8), taken[at])).collect();
        let inputs = [(0, &around[..]), (1, &found[..])];
        let inputs = inputs.map(|(index, axes)| indexed::broadcast(call.shape(index), axes));
        Factors { inputs: inputs.into(), outputs: vec![found], ..Default::default() }
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        let Ok((base, taken, dim)) = along(call) else { return Vec::new() };
        vec![gather(spread(0, call, &base), wrapped(call, &base, &taken), dim)]
    }),
    torch: "torch.take_along_dim",
    samples: || {
        let of = |shape: &[usize], index: &[usize], below: usize, dim: Attr| {
            Sample::of(&[shape]).index(index, below).attrs([dim])
        };
        vec![
            of(&[4, 3], &[2, 1], 4, Attr::Int(0)),
            of(&[1, 5], &[3, 2], 5, Attr::Int(-1)),
            of(&[2, 3], &[4], 6, Attr::None),
        ]
    },
    ..MOVE
};

/// The attributes of a lookup along a whole axis.
pub fn whole_axis(dim: i64) -> [Attr; 3] {
    [dim.into(), ints([]), ints([])]
}

/// The elements that `index` names along axis `dim`.
pub fn gather(input: Expr, index: Expr, dim: i64) -> Expr {
    Expr::apply(&GATHER, [input, index], whole_axis(dim))
}

/// The shape; for a scalar, that of a vector of one element.
pub fn vector(shape: &Shape) -> Shape {
    if shape.rank() == 0 { [1].into() } else { shape.clone() }
}

/// Whether the tensor or the index is a scalar.
pub fn is_single(call: &Call) -> bool {
    call.shape(0).rank() == 0 || call.shape(1).rank() == 0
}

/// Refuses an index that is larger than the tensor apart from the axis of the lookup.
pub fn check_index(call: &Call) -> Result<()> {
    let axis = call.axis(keys::DIM, 0)?;
    let (shape, index) = (&vector(call.shape(0)), &vector(call.shape(1)));
    let sizes = || index.iter().zip(shape.iter()).enumerate();
    let larger = || sizes().any(|(at, (index, size))| at != axis && index > size);
    if index.rank() != shape.rank() || larger() {
        return Err(Error::runtime(format!(
            "an index of shape {index} does not fit {shape} apart from axis {axis}"
        )));
    }
    Ok(())
}

/// Whether positions count all elements, not those along an axis.
fn all(call: &Call) -> bool {
    matches!(call.attr(keys::DIM), Attr::None)
}

/// The shapes of tensor and index after broadcasting, and the axis of the lookup.
fn along(call: &Call) -> Result<(Shape, Shape, i64)> {
    let (shape, index) = (call.shape(0), call.shape(1));
    if all(call) {
        return Ok(([shape.count()].into(), [index.count()].into(), 0));
    }
    let axis = call.axis(keys::DIM, 0)?;
    if shape.rank() != index.rank() || shape.rank() == 0 {
        let message = format!("as many axes are needed in the index {index} as in {shape}");
        return Err(Error::runtime(message));
    }
    let common = shape.with(axis, 1).broadcast(&index.with(axis, 1));
    let common =
        common.ok_or_else(|| Error::runtime(format!("cannot broadcast {shape} with {index}")))?;
    Ok((common.with(axis, shape[axis]), common.with(axis, index[axis]), axis as i64))
}

/// Input `number`, broadcast or flattened to `shape`.
fn spread(number: usize, call: &Call, shape: &Shape) -> Expr {
    if all(call) { reshape(Input(number), shape) } else { expand(Input(number), shape) }
}

/// The index in the shape of the lookup, with negative positions made positive.
fn wrapped(call: &Call, base: &Shape, taken: &Shape) -> Expr {
    let axis = if all(call) { 0 } else { call.axis(keys::DIM, 0).unwrap_or_default() };
    let index = spread(1, call, taken);
    let size = Expr::Number((base[axis] as i64).into());
    let negative = lt(index.clone(), Expr::Number(0i64.into()));
    where_(negative, index.clone() + size, index)
}

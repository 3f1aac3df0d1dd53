//! Data movement: operations that rearrange elements and do not compute.

use smallvec::SmallVec;

use super::codes;
use super::family::MOVE;
use super::keys;
use crate::attrs::{Attr, AttrSpec, Range};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input};
use crate::kernel::Kernel;
use crate::op::{
    Autocast, Call, Input as In, Linear, Op, Python, Role, Sample, Shapes, View, ints,
};
use crate::rules::promote::Promotion;
use crate::rules::shape;
use crate::rules::shard::{self, localise, ranges, views};
use crate::shape::Shape;

static SHAPE_ATTR: [AttrSpec; 1] = [keys::SHAPE.required()];

pub static RESHAPE: Op = Op {
    name: "reshape",
    code: codes::RESHAPE,
    doc: "The same elements in another shape; one size may be -1.",
    attrs: &SHAPE_ATTR,
    shape: shape::reshape,
    grad: Some(|call| vec![reshape(Grad(0), call.shape(0))]),
    view: View::IfPossible(|call| reshape(Grad(0), call.shape(0))),
    shard: views::reshaped,
    localise: localise::shape,
    kernel: |_| Ok(Kernel::Reshape),
    torch: "torch.reshape",
    samples: || {
        let to = |from: &[usize], to: &[i64]| Sample::of(&[from]).attrs([ints(to.iter().copied())]);
        vec![
            to(&[2, 3], &[3, 2]),
            to(&[2, 3, 4], &[-1, 4]),
            to(&[1], &[]),
            to(&[0, 3], &[3, 0]),
            to(&[4, 6], &[8, 3]),
            to(&[6, 4], &[4, 6]),
            to(&[1, 6, 2], &[2, 1, 3, 2]),
        ]
    },
    ..MOVE
};

static DIMS_ATTR: [AttrSpec; 1] = [keys::DIMS.required()];

pub static PERMUTE: Op = Op {
    name: "permute",
    code: codes::PERMUTE,
    doc: "The axes in another order.",
    attrs: &DIMS_ATTR,
    shape: shape::permute,
    grad: Some(|call| vec![permute(Grad(0), &inverse(call))]),
    view: View::Writable(|call| permute(Grad(0), &inverse(call))),
    shard: |call| shard::permuted(call, &order(call)),
    kernel: |call| Ok(Kernel::Permute(order(call))),
    torch: "torch.permute",
    samples: || {
        let by = |from: &[usize], by: &[i64]| Sample::of(&[from]).attrs([ints(by.iter().copied())]);
        vec![by(&[2, 3], &[1, 0]), by(&[2, 3, 4], &[-1, 0, 1]), by(&[], &[]), by(&[0, 2], &[1, 0])]
    },
    ..MOVE
};

pub static EXPAND: Op = Op {
    name: "expand",
    code: codes::EXPAND,
    doc: "The tensor repeated along axes of size one; -1 keeps a size.",
    attrs: &SHAPE_ATTR,
    shape: shape::expand,
    // Summing over the repeated axes is what every gradient goes through.
    grad: Some(|_| vec![Grad(0)]),
    view: View::ReadOnly,
    shard: views::expanded,
    localise: localise::shape,
    kernel: |_| Ok(Kernel::Expand),
    torch: "Tensor.expand",
    python: Python { function: false, ..Python::BOTH },
    samples: || {
        let to = |from: &[usize], to: &[i64]| Sample::of(&[from]).attrs([ints(to.iter().copied())]);
        vec![to(&[2, 1], &[2, 3]), to(&[3], &[2, -1]), to(&[], &[2]), to(&[1], &[0])]
    },
    ..MOVE
};

static RANGES_ATTR: [AttrSpec; 1] = [keys::RANGES.required()];

pub static SLICE: Op = Op {
    name: "slice",
    code: codes::SLICE,
    doc: "A part of each axis.",
    attrs: &RANGES_ATTR,
    shape: |call| {
        let ranges = checked_ranges(call)?;
        Ok([ranges.iter().map(|range| range.len).collect()].into())
    },
    grad: Some(|call| {
        let zeros = super::create::zeros(call.shape(0), call.inputs[0].dtype());
        vec![slice_write(zeros, Grad(0), ranges_of(call))]
    }),
    view: View::Writable(|call| slice_write(Input(0), Grad(0), ranges_of(call))),
    shard: |call| ranges::slice(call, call.ranges(keys::RANGES)),
    localise: ranges::localised,
    kernel: |call| Ok(Kernel::Slice(ranges_of(call))),
    torch: "Tensor.__getitem__",
    python: Python::HIDDEN,
    samples: || {
        let range = |start, len, step| Range { start, len, step };
        let of = |shape: &[usize], ranges: &[Range]| {
            Sample::of(&[shape]).attrs([Attr::Ranges(ranges.into())])
        };
        vec![
            of(&[5], &[range(1, 3, 1)]),
            of(&[5, 6], &[range(4, 3, -2), range(0, 3, 2)]),
            of(&[5, 2], &[range(0, 0, 1), Range::all(2)]),
            of(&[6, 7], &[range(2, 4, 1), range(1, 3, 2)]),
            of(&[], &[]),
        ]
    },
    ..MOVE
};

static WRITTEN: [In; 2] =
    [In { name: "input", role: Role::Operand }, In { name: "value", role: Role::Operand }];

pub static SLICE_WRITE: Op = Op {
    name: "slice_write",
    code: codes::SLICE_WRITE,
    doc: "The first tensor with the second written over a part of each axis.",
    inputs: &WRITTEN,
    attrs: &RANGES_ATTR,
    shape: |call| {
        let part: Shape = checked_ranges(call)?.iter().map(|range| range.len).collect();
        let value = call.shape(1);
        if *value != part {
            return Err(Error::runtime(format!(
                "cannot write {value} over a part of shape {part}"
            )));
        }
        shape::same(call)
    },
    promotion: Promotion::Common,
    grad: Some(|call| {
        let zeros = super::create::zeros(call.shape(1), call.inputs[1].dtype());
        vec![slice_write(Grad(0), zeros, ranges_of(call)), slice(Grad(0), ranges_of(call))]
    }),
    linear: Linear::Together(&[0, 1]),
    shard: |call| ranges::slice_write(call, call.ranges(keys::RANGES)),
    localise: ranges::localised,
    kernel: |call| Ok(Kernel::SliceWrite(ranges_of(call))),
    torch: "Tensor.__setitem__",
    python: Python::HIDDEN,
    samples: || {
        let range = |start, len, step| Range { start, len, step };
        let of = |shape: &[usize], part: &[usize], ranges: &[Range]| {
            Sample::of(&[shape, part]).attrs([Attr::Ranges(ranges.into())])
        };
        vec![
            of(&[5], &[3], &[range(1, 3, 1)]),
            of(&[5, 6], &[3, 3], &[range(4, 3, -2), range(0, 3, 2)]),
            of(&[5, 2], &[0, 2], &[range(0, 0, 1), Range::all(2)]),
            of(&[6, 7], &[4, 3], &[range(2, 4, 1), range(1, 3, 2)]),
        ]
    },
    ..MOVE
};

static MANY: [In; 1] = [In { name: "tensors", role: Role::Operand }];
static CAT_ATTRS: [AttrSpec; 1] = [keys::DIM.or(0)];

pub static CAT: Op = Op {
    name: "cat",
    code: codes::CAT,
    doc: "The tensors one after another along an axis.",
    inputs: &MANY,
    variadic: true,
    attrs: &CAT_ATTRS,
    shape: cat_shape,
    grad: Some(|call| {
        let Ok(axis) = cat_axis(call) else { return Vec::new() };
        let mut start = 0;
        let mut grads = Vec::with_capacity(call.inputs.len());
        for (index, input) in call.inputs.iter().enumerate() {
            if is_left_out(call, index) {
                grads.push(Expr::Zero);
                continue;
            }
            let mut ranges: Vec<Range> =
                input.shape().iter().map(|&size| Range::all(size)).collect();
            ranges[axis].start = start;
            start += ranges[axis].len;
            grads.push(slice(Grad(0), ranges));
        }
        grads
    }),
    linear: Linear::Together(&[]),
    shard: |call| match cat_axis(call) {
        Ok(axis) if !leaves_out(call) => ranges::joined(call, axis),
        _ => shard::gather_first(call),
    },
    kernel: |call| match leaves_out(call) {
        true => Ok(Kernel::Expansion),
        false => Ok(Kernel::Concat(cat_axis(call)?)),
    },
    expansion: Some(|call| {
        let kept = (0..call.inputs.len()).filter(|&index| !is_left_out(call, index));
        vec![Expr::apply(&CAT, kept.map(Input), [call.attr(keys::DIM).clone()])]
    }),
    autocast: Autocast::Widest,
    torch: "torch.cat",
    python: Python::FUNCTION.also(&["concat", "concatenate"]),
    samples: || {
        vec![
            Sample::of(&[&[2, 3], &[1, 3]]).attrs([Attr::Int(0)]),
            Sample::of(&[&[2, 3], &[2, 0], &[2, 4]]).attrs([Attr::Int(-1)]),
            Sample::of(&[&[4]]).attrs([Attr::Int(0)]),
            Sample::of(&[&[2, 1], &[4, 1]]).attrs([Attr::Int(0)]),
            Sample::of(&[&[0], &[2, 3], &[0], &[2, 1]]).attrs([Attr::Int(1)]),
            Sample::of(&[&[0], &[0]]).attrs([Attr::Int(0)]),
        ]
    },
    ..MOVE
};

/// The same elements in another shape; nothing at all if it is known to be the same.
pub fn reshape(input: Expr, shape: &Shape) -> Expr {
    Expr::apply(&RESHAPE, [input], [Attr::Ints(shape.to_ints())])
}

/// The axes in another order.
pub fn permute(input: Expr, axes: &[usize]) -> Expr {
    Expr::apply(&PERMUTE, [input], [axes.into()])
}

/// The last two of `rank` axes exchanged.
pub fn transpose(input: Expr, rank: usize) -> Expr {
    let mut axes: SmallVec<[usize; 4]> = (0..rank).collect();
    axes.swap(rank - 1, rank - 2);
    permute(input, &axes)
}

/// The tensor repeated to fill `shape`.
pub fn expand(input: Expr, shape: &Shape) -> Expr {
    Expr::apply(&EXPAND, [input], [Attr::Ints(shape.to_ints())])
}

/// A part of each axis.
pub fn slice(input: Expr, ranges: Vec<Range>) -> Expr {
    Expr::apply(&SLICE, [input], [ranges.into()])
}

/// `input` with `value` written over a part of each axis.
pub fn slice_write(input: Expr, value: Expr, ranges: Vec<Range>) -> Expr {
    Expr::apply(&SLICE_WRITE, [input, value], [ranges.into()])
}

fn ranges_of(call: &Call) -> Vec<Range> {
    call.ranges(keys::RANGES).to_vec()
}

fn checked_ranges(call: &Call) -> Result<Vec<Range>> {
    let (ranges, shape) = (ranges_of(call), call.shape(0));
    if ranges.len() != shape.rank() {
        let count = ranges.len();
        return Err(Error::index(format!("{count} ranges for a tensor of shape {shape}")));
    }
    let outside = ranges.iter().zip(shape.iter()).find(|(range, size)| !range.fits(**size));
    match outside {
        Some((range, size)) => {
            Err(Error::index(format!("{range:?} leaves an axis of size {size}")))
        }
        None => Ok(ranges),
    }
}

fn order(call: &Call) -> SmallVec<[usize; 4]> {
    let dims = call.ints(keys::DIMS);
    if dims.is_empty() { SmallVec::new() } else { call.axes(keys::DIMS, 0).unwrap_or_default() }
}

fn inverse(call: &Call) -> SmallVec<[usize; 4]> {
    let order = order(call);
    let mut inverse = SmallVec::from_elem(0, order.len());
    for (position, &axis) in order.iter().enumerate() {
        inverse[axis] = position;
    }
    inverse
}

/// Whether an input is an empty vector among tensors of other ranks: it fits all of them.
fn is_left_out(call: &Call, index: usize) -> bool {
    let first = cat_first(call);
    **call.shape(index) == [0] && **call.shape(first) != [0] && call.shape(first).rank() != 1
}

fn leaves_out(call: &Call) -> bool {
    (0..call.inputs.len()).any(|index| is_left_out(call, index))
}

/// The first input that is more than an empty vector; the very first, if none is.
fn cat_first(call: &Call) -> usize {
    (0..call.inputs.len()).find(|&index| **call.shape(index) != [0]).unwrap_or(0)
}

fn cat_axis(call: &Call) -> Result<usize> {
    call.axis(keys::DIM, cat_first(call))
}

fn cat_shape(call: &Call) -> Result<Shapes> {
    let (first, axis) = (call.shape(cat_first(call)), cat_axis(call)?);
    if first.rank() == 0 {
        return Err(Error::runtime("tensors without axes cannot be concatenated"));
    }
    let mut total: usize = 0;
    for index in 0..call.inputs.len() {
        let next = call.shape(index);
        if is_left_out(call, index) {
            continue;
        }
        if next.rank() != first.rank() || next.with(axis, 0) != first.with(axis, 0) {
            return Err(Error::runtime(format!(
                "sizes must match except along axis {axis}: {first} and {next}"
            )));
        }
        total = total.saturating_add(next[axis]);
    }
    Ok([first.with(axis, total)].into())
}

//! Slices of a tensor, read and written: `slice`, `slice_write`, `narrow`.

use crate::attrs::{Attr, AttrSpec, Range};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input};
use crate::kernel::Kernel;
use crate::op::{Call, Input as In, Linear, Op, Python, Role, Sample, View};
use crate::ops::create::zeros;
use crate::ops::family::MOVE;
use crate::ops::{codes, keys};
use crate::rules::promote::Promotion;
use crate::rules::shape;
use crate::rules::shard::{localise, ranges};
use crate::shape::Shape;

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
        let zeros = zeros(call.shape(0), call.inputs[0].dtype());
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
        let zeros = zeros(call.shape(1), call.inputs[1].dtype());
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

static NARROW_ATTRS: [AttrSpec; 3] =
    [keys::DIM.required(), keys::START_INT.required(), keys::LENGTH.required()];

pub static NARROW: Op = Op {
    name: "narrow",
    code: codes::NARROW,
    doc: "So many elements along an axis, from a position on.",
    attrs: &NARROW_ATTRS,
    shape: |call| Ok([narrowed(call)?.iter().map(|range| range.len).collect()].into()),
    grad: Some(|call| {
        let zeros = zeros(call.shape(0), call.inputs[0].dtype());
        vec![slice_write(zeros, Grad(0), narrowed(call).unwrap_or_default())]
    }),
    view: View::Writable(|call| slice_write(Input(0), Grad(0), narrowed(call).unwrap_or_default())),
    shard: |call| ranges::slice(call, &narrowed(call).unwrap_or_default()),
    localise: |call, parts| {
        let ranges = ranges::local(call, &narrowed(call).unwrap_or_default(), parts);
        let own = ranges[call.axis(keys::DIM, 0).unwrap_or_default()];
        let mut attrs = localise::with(call, keys::START_INT, own.start.into());
        localise::set(call, &mut attrs, keys::LENGTH, own.len.into());
        attrs
    },
    kernel: |call| Ok(Kernel::Slice(narrowed(call)?)),
    torch: "torch.narrow",
    samples: || {
        let of =
            |shape: &[usize], attrs: [i64; 3]| Sample::of(&[shape]).attrs(attrs.map(Attr::Int));
        vec![
            of(&[5], [0, 1, 3]),
            of(&[3, 4], [-1, -2, 2]),
            of(&[2, 3], [0, 2, 0]),
            of(&[2, 6], [1, 2, 2]),
        ]
    },
    ..MOVE
};

/// The part of `input` within a range of each axis.
pub fn slice(input: Expr, ranges: Vec<Range>) -> Expr {
    Expr::apply(&SLICE, [input], [ranges.into()])
}

/// `input` with `value` written to a range of each axis.
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

/// The range of each axis that `narrow` reads.
fn narrowed(call: &Call) -> Result<Vec<Range>> {
    let (shape, axis) = (call.shape(0), call.axis(keys::DIM, 0)?);
    let (start, len) = (call.int(keys::START_INT), call.int(keys::LENGTH));
    let Some(&size) = shape.get(axis) else {
        return Err(Error::runtime("a tensor without axes cannot be narrowed"));
    };
    let size = size as i64;
    if !(-size..=size).contains(&start) {
        return Err(Error::index(format!(
            "start out of range (expected to be in range of [{}, {size}], but got {start})",
            -size
        )));
    }
    let start = if start < 0 { start + size } else { start };
    if len < 0 || len > size - start {
        return Err(Error::runtime(format!(
            "start ({start}) + length ({len}) exceeds dimension size ({size})"
        )));
    }
    let mut ranges: Vec<Range> = shape.iter().map(|&size| Range::all(size)).collect();
    ranges[axis] = Range { start: start as usize, len: len as usize, step: 1 };
    Ok(ranges)
}

/// The ranges of the leading part of this shape.
pub fn corner(shape: &Shape) -> Vec<Range> {
    shape.iter().map(|&size| Range::all(size)).collect()
}

//! Flips, rolls and rotations by right angles.

use smallvec::SmallVec;

use super::axes::{permute, reshape};
use super::join::join;
use super::slice::slice;
use crate::attrs::{AttrSpec, Range};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input};
use crate::kernel::{Axes, Kernel};
use crate::op::{Call, Op, Sample, ints};
use crate::ops::family::MOVE;
use crate::ops::{codes, keys};
use crate::rules::shape;
use crate::rules::shard::{Factors, Letters, gather_first, numbered};
use crate::shape::Shape;

static FLIP_ATTRS: [AttrSpec; 1] = [keys::DIMS.required()];

pub static FLIP: Op = Op {
    name: "flip",
    code: codes::FLIP,
    doc: "The tensor with the elements along axes in the opposite order.",
    attrs: &FLIP_ATTRS,
    shape: |call| {
        flipped_axes(call)?;
        shape::same(call)
    },
    grad: Some(|call| vec![flip(Grad(0), call)]),
    shard: |call| uncut(call, &flipped_axes(call).unwrap_or_default()),
    kernel: |call| Ok(Kernel::Slice(flipped(call.shape(0), &flipped_axes(call)?))),
    torch: "torch.flip",
    samples: || {
        let of = |shape: &[usize], axes: &[i64]| {
            Sample::of(&[shape]).attrs([ints(axes.iter().copied())])
        };
        vec![of(&[4], &[0]), of(&[2, 3], &[0, -1]), of(&[0, 3], &[0]), of(&[2, 3, 2], &[1])]
    },
    ..MOVE
};

pub static FLIPLR: Op = Op {
    name: "fliplr",
    code: codes::FLIPLR,
    doc: "The tensor with the elements along the second axis in the opposite order.",
    attrs: &[],
    shape: |call| {
        if call.shape(0).rank() < 2 {
            return Err(Error::runtime("the tensor needs at least two axes"));
        }
        shape::same(call)
    },
    grad: Some(|call| vec![slice(Grad(0), flipped(call.shape(0), &[1]))]),
    shard: |call| uncut(call, &[1]),
    kernel: |call| Ok(Kernel::Slice(flipped(call.shape(0), &[1]))),
    torch: "torch.fliplr",
    samples: || vec![Sample::of(&[&[2, 3]]), Sample::of(&[&[2, 0, 2]])],
    ..MOVE
};

pub static FLIPUD: Op = Op {
    name: "flipud",
    code: codes::FLIPUD,
    doc: "The tensor with the elements along the first axis in the opposite order.",
    attrs: &[],
    shape: |call| {
        if call.shape(0).rank() < 1 {
            return Err(Error::runtime("the tensor needs at least one axis"));
        }
        shape::same(call)
    },
    grad: Some(|call| vec![slice(Grad(0), flipped(call.shape(0), &[0]))]),
    shard: |call| uncut(call, &[0]),
    kernel: |call| Ok(Kernel::Slice(flipped(call.shape(0), &[0]))),
    torch: "torch.flipud",
    samples: || vec![Sample::of(&[&[2, 3]]), Sample::of(&[&[4]])],
    ..MOVE
};

static ROLL_ATTRS: [AttrSpec; 2] = [keys::SHIFTS.required(), keys::LISTED_DIMS.or_empty()];

pub static ROLL: Op = Op {
    name: "roll",
    code: codes::ROLL,
    doc: "The elements moved along axes, or among all; what leaves at the end comes in again.",
    attrs: &ROLL_ATTRS,
    shape: |call| {
        turns(call)?;
        shape::same(call)
    },
    grad: Some(|call| vec![roll(Grad(0), call, Turn::Back)]),
    shard: |call| match turns(call) {
        Ok(turns) if !call.ints(keys::LISTED_DIMS).is_empty() => {
            uncut(call, &turns.iter().map(|&(axis, _)| axis).collect::<Axes>())
        }
        _ => gather_first(call),
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| vec![roll(Input(0), call, Turn::Forth)]),
    torch: "torch.roll",
    samples: || {
        let of = |shape: &[usize], shifts: &[i64], axes: &[i64]| {
            let lists = [shifts, axes].map(|list| ints(list.iter().copied()));
            Sample::of(&[shape]).attrs(lists)
        };
        vec![
            of(&[5], &[2], &[0]),
            of(&[3, 4], &[-1, 6], &[0, -1]),
            of(&[2, 3], &[2], &[]),
            of(&[2, 3, 2], &[1], &[1]),
            of(&[0, 3], &[1], &[0]),
        ]
    },
    ..MOVE
};

static ROT90_ATTRS: [AttrSpec; 2] = [keys::K.or(1), keys::LISTED_DIMS.or_empty()];

pub static ROT90: Op = Op {
    name: "rot90",
    code: codes::ROT90,
    doc: "The tensor turned k times by a right angle, from the first of two axes to the second.",
    attrs: &ROT90_ATTRS,
    shape: |call| {
        let plane = plane(call)?;
        let shape = call.shape(0);
        Ok([if call.int(keys::K) % 2 == 0 { shape.clone() } else { exchanged(shape, plane) }]
            .into())
    },
    grad: Some(|call| vec![rotate(Grad(0), call, -call.int(keys::K))]),
    shard: |call| {
        let Ok([a, b]) = plane(call) else { return gather_first(call) };
        // A reversed axis cannot be cut: the first worker would need the last elements.
        let (mut input, turns) = (numbered(call.shape(0).rank()), call.int(keys::K).rem_euclid(4));
        input[a] = input[a].filter(|_| turns < 2);
        input[b] = input[b].filter(|_| turns == 0 || turns == 3);
        let mut output: Letters = input.clone();
        if turns % 2 == 1 {
            output.swap(a, b);
        }
        Factors::of(call, vec![input], vec![output])
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| vec![rotate(Input(0), call, call.int(keys::K))]),
    torch: "torch.rot90",
    samples: || {
        let of = |shape: &[usize], k: i64, axes: &[i64]| {
            Sample::of(&[shape]).attrs([k.into(), ints(axes.iter().copied())])
        };
        vec![
            of(&[2, 3], 1, &[]),
            of(&[2, 3, 2], -1, &[1, 2]),
            of(&[2, 3], 2, &[1, 0]),
            of(&[2, 3], 4, &[]),
        ]
    },
    ..MOVE
};

/// The letters of one input and one result of the same rank: all axes but these may be cut.
pub fn uncut(call: &Call, axes: &[usize]) -> Factors {
    let rank = call.shape(0).rank();
    let letters: SmallVec<[Option<u8>; 4]> =
        (0..rank).map(|axis| (!axes.contains(&axis)).then_some(axis as u8)).collect();
    Factors::of(call, vec![letters.clone()], vec![letters])
}

fn flipped_axes(call: &Call) -> Result<Axes> {
    // An empty list means no axes, not all of them.
    if call.ints(keys::DIMS).is_empty() { Ok(Axes::new()) } else { call.axes(keys::DIMS, 0) }
}

fn flip(input: Expr, call: &Call) -> Expr {
    Expr::apply(&FLIP, [input], [call.attr(keys::DIMS).clone()])
}

/// Ranges that traverse these axes backwards.
fn flipped(shape: &Shape, axes: &[usize]) -> Vec<Range> {
    let sizes = shape.iter().enumerate();
    let range = |(axis, &size): (usize, &usize)| match axes.contains(&axis) && size > 0 {
        true => Range { start: size - 1, len: size, step: -1 },
        false => Range::all(size),
    };
    sizes.map(range).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Forth,
    Back,
}

/// Each axis to roll and its shift. Without axes, the flattened tensor is rolled.
fn turns(call: &Call) -> Result<SmallVec<[(usize, i64); 4]>> {
    let (shifts, dims) = (call.ints(keys::SHIFTS), call.ints(keys::LISTED_DIMS));
    if dims.is_empty() && shifts.len() == 1 {
        return Ok([(0, shifts[0])].into_iter().collect());
    }
    if shifts.is_empty() || shifts.len() != dims.len() {
        let (shifts, dims) = (shifts.len(), dims.len());
        return Err(Error::runtime(format!("{shifts} shifts for {dims} axes")));
    }
    let axes = dims.iter().map(|&dim| call.shape(0).axis(dim));
    axes.zip(shifts).map(|(axis, &shift)| Ok((axis?, shift))).collect()
}

fn roll(input: Expr, call: &Call, turn: Turn) -> Expr {
    let shape = call.shape(0);
    let flat = call.ints(keys::LISTED_DIMS).is_empty();
    let seen: Shape = if flat { [shape.count()].into() } else { shape.clone() };
    let start = if flat { reshape(input, &seen) } else { input };
    let turned = turns(call).unwrap_or_default().into_iter().fold(start, |expr, (axis, shift)| {
        let Some(size) = seen.get(axis).copied().filter(|&size| size > 0) else {
            return reshape(expr, &seen);
        };
        let shift = if turn == Turn::Forth { shift } else { shift.wrapping_neg() };
        let split = size - shift.rem_euclid(size as i64) as usize;
        let part = |range: Range| {
            let mut ranges: Vec<Range> = seen.iter().map(|&size| Range::all(size)).collect();
            ranges[axis] = range;
            slice(expr.clone(), ranges)
        };
        join([part(Range::between(split, size)), part(Range::between(0, split))], axis)
    });
    if flat { reshape(turned, shape) } else { turned }
}

/// The two axes of a rotation.
fn plane(call: &Call) -> Result<[usize; 2]> {
    let shape = call.shape(0);
    let dims = match call.ints(keys::LISTED_DIMS) {
        [] => [0, 1],
        &[a, b] => [a, b],
        other => {
            return Err(Error::runtime(format!("a rotation has two axes, not {}", other.len())));
        }
    };
    let [a, b] = [shape.axis(dims[0])?, shape.axis(dims[1])?];
    if a == b || shape.rank() < 2 {
        return Err(Error::runtime(format!("a rotation of {shape} needs two different axes")));
    }
    Ok([a, b])
}

fn exchanged(shape: &Shape, [a, b]: [usize; 2]) -> Shape {
    shape.with(a, shape[b]).with(b, shape[a])
}

fn rotate(input: Expr, call: &Call, k: i64) -> Expr {
    let Ok([a, b]) = plane(call) else { return input };
    // The gradient has the shape of the result, whose two sizes are exchanged after an odd turn.
    let odd = k % 2 != 0;
    let given = call.shape(0);
    let shape = match (&input, odd) {
        (Grad(_), true) => exchanged(given, [a, b]),
        _ => given.clone(),
    };
    let mut axes: Axes = (0..shape.rank()).collect();
    axes.swap(a, b);
    match k.rem_euclid(4) {
        0 => reshape(input, &shape),
        1 => permute(slice(input, flipped(&shape, &[b])), &axes),
        2 => slice(input, flipped(&shape, &[a, b])),
        _ => permute(slice(input, flipped(&shape, &[a])), &axes),
    }
}

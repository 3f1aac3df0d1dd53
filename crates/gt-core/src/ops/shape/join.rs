//! Joins of tensors along an axis: `cat`, `stack`, `hstack`, `vstack`.

use smallvec::SmallVec;

use super::axes::reshape;
use super::slice::slice;
use crate::attrs::{Attr, AttrSpec, Range};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input};
use crate::kernel::{Axes, Kernel};
use crate::op::{Autocast, Call, Input as In, Linear, Op, Python, Role, Sample, Shapes};
use crate::ops::family::MOVE;
use crate::ops::{codes, keys};
use crate::rules::promote::Promotion;
use crate::rules::shard::{self, Factors, ranges};
use crate::shape::{Shape, wrap_axis};

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

static STACK_ATTRS: [AttrSpec; 1] = [keys::DIM.or(0)];

pub static STACK: Op = Op {
    name: "stack",
    code: codes::STACK,
    doc: "Tensors of one shape one after another along another axis.",
    inputs: &MANY,
    variadic: true,
    attrs: &STACK_ATTRS,
    shape: |call| {
        let (first, axis) = (call.shape(0), stack_axis(call)?);
        let other = (1..call.inputs.len()).map(|index| call.shape(index)).find(|s| *s != first);
        if let Some(other) = other {
            return Err(Error::runtime(format!("stacked shapes differ: {first} and {other}")));
        }
        let mut sizes: Axes = first.iter().copied().collect();
        sizes.insert(axis, call.inputs.len());
        Ok([sizes.into_iter().collect::<Shape>()].into())
    },
    grad: Some(|call| {
        let Ok(axis) = stack_axis(call) else { return Vec::new() };
        let mut whole: Vec<Range> = call.shape(0).iter().map(|&size| Range::all(size)).collect();
        whole.insert(axis, Range::all(1));
        let part = |index: usize| {
            let mut ranges = whole.clone();
            ranges[axis].start = index;
            reshape(slice(Grad(0), ranges), call.shape(0))
        };
        (0..call.inputs.len()).map(part).collect()
    }),
    linear: Linear::Together(&[]),
    shard: |call| {
        let Ok(axis) = stack_axis(call) else { return shard::gather_first(call) };
        let input: SmallVec<[Option<u8>; 4]> = (0..call.shape(0).rank() as u8).map(Some).collect();
        let mut output = input.clone();
        output.insert(axis, None);
        let inputs = vec![input; call.inputs.len()];
        Factors::of(call, inputs, vec![output])
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        let Ok(axis) = stack_axis(call) else { return Vec::new() };
        let mut sizes: Axes = call.shape(0).iter().copied().collect();
        sizes.insert(axis, 1);
        let shape: Shape = sizes.into_iter().collect();
        vec![join((0..call.inputs.len()).map(|index| reshape(Input(index), &shape)), axis)]
    }),
    promotion: Promotion::Common,
    autocast: Autocast::Widest,
    torch: "torch.stack",
    python: Python::FUNCTION,
    samples: || {
        vec![
            Sample::of(&[&[2, 3], &[2, 3]]).attrs([Attr::Int(0)]),
            Sample::of(&[&[2], &[2], &[2]]).attrs([Attr::Int(-1)]),
            Sample::of(&[&[], &[]]).attrs([Attr::Int(0)]),
            Sample::of(&[&[2, 0, 3]]).attrs([Attr::Int(1)]),
        ]
    },
    ..MOVE
};

const AT_LEAST: Op = Op {
    inputs: &MANY,
    variadic: true,
    linear: Linear::Together(&[]),
    kernel: |_| Ok(Kernel::Expansion),
    autocast: Autocast::Widest,
    python: Python::FUNCTION,
    ..MOVE
};

pub static HSTACK: Op = Op {
    name: "hstack",
    code: codes::HSTACK,
    doc: "Tensors one after another along the second axis, vectors along their only one.",
    shape: |call| joined_shape(call, 1),
    grad: Some(|call| split_grad(call, 1)),
    shard: |call| join_factors(call, 1),
    expansion: Some(|call| vec![join_at_least(call, 1)]),
    torch: "torch.hstack",
    samples: || {
        vec![Sample::of(&[&[2, 3], &[2, 1]]), Sample::of(&[&[2], &[3]]), Sample::of(&[&[], &[]])]
    },
    ..AT_LEAST
};

pub static VSTACK: Op = Op {
    name: "vstack",
    code: codes::VSTACK,
    doc: "Tensors one after another along the first axis, vectors as rows.",
    shape: |call| joined_shape(call, 2),
    grad: Some(|call| split_grad(call, 2)),
    shard: |call| join_factors(call, 2),
    expansion: Some(|call| vec![join_at_least(call, 2)]),
    torch: "torch.vstack",
    python: Python::FUNCTION.also(&["row_stack"]),
    samples: || {
        vec![Sample::of(&[&[2, 3], &[1, 3]]), Sample::of(&[&[2], &[2]]), Sample::of(&[&[], &[]])]
    },
    ..AT_LEAST
};

/// Whether an input is an empty vector among tensors of another rank; `cat` ignores these.
fn is_left_out(call: &Call, index: usize) -> bool {
    let first = cat_first(call);
    **call.shape(index) == [0] && **call.shape(first) != [0] && call.shape(first).rank() != 1
}

fn leaves_out(call: &Call) -> bool {
    (0..call.inputs.len()).any(|index| is_left_out(call, index))
}

/// The first input that is not an empty vector, or the first input if all are.
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

/// The concatenation of tensors along an axis.
pub fn join(parts: impl IntoIterator<Item = Expr>, axis: usize) -> Expr {
    Expr::apply(&CAT, parts, [axis.into()])
}

fn stack_axis(call: &Call) -> Result<usize> {
    wrap_axis(call.int(keys::DIM), call.shape(0).rank() + 1)
}

/// The shape with leading axes of size one, up to `rank` axes.
fn at_least(shape: &Shape, rank: usize) -> Shape {
    let added = rank.saturating_sub(shape.rank());
    std::iter::repeat_n(1, added).chain(shape.iter().copied()).collect()
}

/// The axis along which inputs of at least `rank` axes are joined.
fn joined_axis(call: &Call, rank: usize) -> usize {
    usize::from(rank == 1 && call.shape(0).rank() > 1)
}

fn joined_shape(call: &Call, rank: usize) -> Result<Shapes> {
    let axis = joined_axis(call, rank);
    let first = at_least(call.shape(0), rank);
    let mut total: usize = 0;
    for index in 0..call.inputs.len() {
        let next = at_least(call.shape(index), rank);
        if next.rank() != first.rank() || next.with(axis, 0) != first.with(axis, 0) {
            return Err(Error::runtime(format!(
                "sizes must match except along axis {axis}: {first} and {next}"
            )));
        }
        total = total.saturating_add(next[axis]);
    }
    Ok([first.with(axis, total)].into())
}

fn join_at_least(call: &Call, rank: usize) -> Expr {
    let parts = (0..call.inputs.len())
        .map(|index| reshape(Input(index), &at_least(call.shape(index), rank)));
    join(parts, joined_axis(call, rank))
}

fn join_factors(call: &Call, rank: usize) -> Factors {
    if call.inputs.iter().all(|input| input.shape().rank() >= rank) {
        return ranges::joined(call, joined_axis(call, rank));
    }
    // Vectors become rows and may be cut along their elements; scalars have no axes.
    let row = |index: usize| (0..call.shape(index).rank() as u8).map(Some).collect();
    let output = (0..rank).map(|axis| (rank == 2 && axis == 1).then_some(0)).collect();
    match (0..call.inputs.len()).all(|index| call.shape(index).rank() == 1) {
        true => Factors::of(call, (0..call.inputs.len()).map(row).collect(), vec![output]),
        false => shard::gather_first(call),
    }
}

fn split_grad(call: &Call, rank: usize) -> Vec<Expr> {
    let (axis, mut start) = (joined_axis(call, rank), 0);
    let part = |index: usize| {
        let shape = at_least(call.shape(index), rank);
        let mut ranges: Vec<Range> = shape.iter().map(|&size| Range::all(size)).collect();
        ranges[axis].start = start;
        start += shape[axis];
        reshape(slice(Grad(0), ranges), call.shape(index))
    };
    (0..call.inputs.len()).map(part).collect()
}

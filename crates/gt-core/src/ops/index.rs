//! Operations that look elements up by their position, or positions by their elements.

use super::codes;
use super::create::{iota, zeros};
use super::family::MOVE;
use super::join::join;
use super::keys;
use super::movement::{reshape, slice, slice_write};
use super::owner::{OWNED_ATTRS, Owned};
use crate::attrs::{Attr, AttrSpec, Range};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Output, Zero};
use crate::kernel::Kernel;
use crate::op::{
    Call, Domain, Input as In, Linear, Op, Output as Out, OutputType, Python, Role, Sample, ints,
};
use crate::rules::promote::Promotion;
use crate::rules::shape;
use crate::rules::shard;
use crate::rules::shard::indexed::{self, Service};
use crate::shape::Shape;

pub static DIM_ATTR: [AttrSpec; 1] = [keys::DIM.required()];
pub static LOOKED_UP: [In; 2] =
    [In { name: "input", role: Role::Any }, In { name: "index", role: Role::Index }];
static SCATTERED: [In; 3] = [
    In { name: "input", role: Role::Operand },
    In { name: "index", role: Role::Index },
    In { name: "src", role: Role::Operand },
];

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
    // A tensor without axes is a vector of one element.
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
            Sample::of(&[&[4, 3]]).index(&[2, 3], 4).attrs(along(0)),
            Sample::of(&[&[2, 5]]).index(&[2, 7], 5).attrs(along(-1)),
            Sample::of(&[&[3, 2, 4]]).index(&[2, 2, 3], 2).attrs(along(1)),
            Sample::of(&[&[]]).index(&[2], 1).attrs(along(0)),
            Sample::of(&[&[]]).index(&[], 1).attrs(along(-1)),
            Sample::of(&[&[3]]).index(&[], 3).attrs(along(0)),
        ]
    },
    ..MOVE
};

pub static SCATTER_ADD: Op = Op {
    name: "scatter_add",
    code: codes::SCATTER_ADD,
    doc: "The tensor with elements of another added at the places an index names.",
    inputs: &SCATTERED,
    attrs: &OWNED_ATTRS,
    shape: |call| {
        check_index(call)?;
        let (index, src) = (call.shape(1), call.shape(2));
        let (index, src) = (&vector(index), &vector(src));
        let fits = index.rank() == src.rank() && index.iter().zip(src.iter()).all(|(i, s)| i <= s);
        if !fits {
            return Err(Error::runtime(format!("an index of shape {index} leaves src {src}")));
        }
        shape::same(call)
    },
    grad: Some(|call| {
        let used = gather(Grad(0), Input(1), call.int(keys::DIM));
        let (index, src) = (call.shape(1), call.shape(2));
        if index == src {
            return vec![Grad(0), Zero, used];
        }
        let (index, lone) = (vector(index), vector(src));
        let zeros = zeros(&lone, call.inputs[2].dtype());
        let used = slice_write(zeros, reshape(used, &index), corner(&index));
        vec![Grad(0), Zero, reshape(used, src)]
    }),
    linear: Linear::Together(&[0, 2]),
    shard: |call| match call.axis(keys::DIM, 0) {
        Ok(axis) if !is_single(call) => indexed::scattered(call, axis, true, Service::Part),
        _ => shard::gather_first(call),
    },
    localise: Owned::localise,
    promotion: Promotion::Common,
    kernel: |call| match call.shape(1) == call.shape(2) && !is_single(call) {
        true if Owned::of(call).is_none() => {
            Ok(Kernel::Scatter { axis: call.axis(keys::DIM, 0)?, add: true })
        }
        _ => Ok(Kernel::Expansion),
    },
    // Of a larger source, the corner that the index covers is used; a tensor without axes is a
    // vector of one element.
    expansion: Some(|call| {
        if let Some(owned) = Owned::of(call) {
            return vec![owned.scatter_add(call)];
        }
        let [input, index, src] = [0, 1, 2].map(|at| reshape(Input(at), &vector(call.shape(at))));
        let used = slice(src, corner(&vector(call.shape(1))));
        vec![reshape(scatter_add(input, index, used, call.int(keys::DIM)), call.shape(0))]
    }),
    torch: "torch.scatter_add",
    python: Python { order: &["input", "dim", "index", "src"], ..Python::IN_PLACE },
    samples: || {
        let of = |shape: &[usize], index: &[usize], below: usize, axis: i64| {
            Sample::of(&[shape]).index(index, below).tensor(index).attrs(along(axis))
        };
        let larger = Sample::of(&[&[4, 3]]).index(&[2, 3], 4).tensor(&[5, 4]).attrs(along(0));
        let single = Sample::of(&[&[]]).index(&[2], 1).tensor(&[2]).attrs(along(0));
        vec![of(&[4, 3], &[6, 3], 4, 0), of(&[2, 5], &[2, 3], 5, -1), larger, single]
    },
    ..MOVE
};

static TOPK_ATTRS: [AttrSpec; 4] =
    [keys::K.required(), keys::DIM.or(-1), keys::LARGEST.or(true), keys::SORTED.or(true)];
pub static RANKED: [Out; 2] = [
    Out { name: "values", dtype: OutputType::Common },
    Out { name: "indices", dtype: OutputType::Is(DType::I64) },
];

pub static TOPK: Op = Op {
    name: "topk",
    code: codes::TOPK,
    doc: "The k largest or smallest elements along an axis, and where they are.",
    attrs: &TOPK_ATTRS,
    outputs: &RANKED,
    shape: |call| {
        let (shape, axis, k) = (call.shape(0), call.axis(keys::DIM, 0)?, call.int(keys::K));
        let size = shape.get(axis).copied().unwrap_or(1);
        match usize::try_from(k) {
            Ok(k) if k <= size && shape.rank() > 0 => {
                Ok([shape.with(axis, k), shape.with(axis, k)].into_iter().collect())
            }
            Ok(k) if k <= size => Ok([shape.clone(), shape.clone()].into_iter().collect()),
            _ => Err(Error::runtime(format!("k={k} is out of range for an axis of size {size}"))),
        }
    },
    grad: Some(|call| {
        let zeros = zeros(call.shape(0), call.inputs[0].dtype());
        vec![scatter_add(zeros, Output(1), Grad(0), call.int(keys::DIM))]
    }),
    linear: Linear::No,
    shard: |call| match call.axis(keys::DIM, 0) {
        Ok(axis) => shard::all_but(call, axis),
        Err(_) => shard::gather_first(call),
    },
    kernel: |call| {
        let k = usize::try_from(call.int(keys::K)).unwrap_or_default();
        Ok(Kernel::TopK { k, axis: call.axis(keys::DIM, 0)?, largest: call.flag(keys::LARGEST) })
    },
    expansion: Some(topk_of_blocks),
    expands_when_cut: true,
    domain: Domain::Distinct,
    torch: "torch.topk",
    samples: || {
        let of = |shape: &[usize], k: i64, axis: i64, largest: bool| {
            Sample::of(&[shape]).attrs([k.into(), axis.into(), largest.into(), true.into()])
        };
        vec![
            of(&[6], 2, -1, true),
            of(&[4, 3], 3, 0, false),
            of(&[2, 5], 0, 1, true),
            of(&[2, 36], 3, 1, true),
            of(&[24, 2], 2, 0, false),
            of(&[2, 37], 3, 1, true),
            of(&[29, 2], 1, 0, false),
        ]
    },
    ..MOVE
};

/// The first of blocks and what is left over behind them, and then the first of these: workers that
/// have some of the blocks exchange what they found and not the elements. Nothing if the axis has
/// no blocks that are long enough.
fn topk_of_blocks(call: &Call) -> Vec<Expr> {
    let (shape, k) = (call.shape(0), call.int(keys::K) as usize);
    let Ok(axis) = call.axis(keys::DIM, 0) else { return Vec::new() };
    let size = shape.get(axis).copied().unwrap_or(1);
    let fits = |blocks: &usize| size >= 4 * blocks * k;
    // Two, three, four, six and eight workers each have some of 24 blocks.
    let Some(blocks) = [24, 16, 12, 8, 6, 4, 3, 2].into_iter().find(fits).filter(|_| k > 0) else {
        return Vec::new();
    };
    let (length, left) = (size / blocks, size % blocks);
    let (before, after) = (shape[..axis].iter().copied(), shape[axis + 1..].iter().copied());
    let split: Shape = before.chain([blocks, length]).chain(after).collect();
    let part = |start: usize, len: usize| {
        let mut ranges = corner(shape);
        ranges[axis] = Range { start, len, step: 1 };
        slice(Input(0), ranges)
    };
    let first = |input: Expr, axis: usize| {
        let flags = [call.flag(keys::LARGEST), true].map(Attr::from);
        let attrs = [k.into(), axis.into()].into_iter().chain(flags);
        Expr::apply(&TOPK, [input], attrs)
    };
    let in_blocks = if left == 0 { Input(0) } else { part(0, size - left) };
    let found = first(reshape(in_blocks, &split), axis + 1);
    let starts = iota(blocks) * Expr::Number((length as i64).into());
    let alone = |rank: usize, size: usize| {
        (0..rank).map(|other| if other == axis { size } else { 1 }).collect::<Shape>()
    };
    let starts = reshape(starts, &alone(shape.rank() + 1, blocks));
    let joined = shape.with(axis, blocks * k);
    let mut places = reshape(found.clone().result(1) + starts, &joined);
    let mut values = reshape(found.result(0), &joined);
    if left > 0 {
        let behind = iota(left) + Expr::Number(((size - left) as i64).into());
        let behind = zeros(&shape.with(axis, left), DType::I64)
            + reshape(behind, &alone(shape.rank(), left));
        values = join([values, part(size - left, left)], axis);
        places = join([places, behind], axis);
    }
    let best = first(values, axis);
    let places = gather(places, best.clone().result(1), axis as i64);
    vec![best.result(0), places]
}

static POSITIONS: [Out; 1] = [Out { name: "result", dtype: OutputType::Is(DType::I64) }];

pub static NONZERO: Op = Op {
    name: "nonzero",
    code: codes::NONZERO,
    doc: "The positions of the elements that are not zero, a row each.",
    outputs: &POSITIONS,
    shape: |call| Ok([[call.shape(0).count(), call.shape(0).rank()].into()].into()),
    data_dependent: true,
    linear: Linear::No,
    kernel: |_| Ok(Kernel::NonZero),
    python: Python::HIDDEN,
    samples: || vec![Sample::of(&[&[3, 4]]), Sample::of(&[&[]]), Sample::of(&[&[0, 2]])],
    ..MOVE
};

/// The attributes that look along all of an axis.
pub fn along(dim: i64) -> [Attr; 3] {
    [dim.into(), ints([]), ints([])]
}

/// The elements that `index` names along axis `dim`.
pub fn gather(input: Expr, index: Expr, dim: i64) -> Expr {
    Expr::apply(&GATHER, [input, index], along(dim))
}

/// `input` with elements of `src` added at the places `index` names along axis `dim`.
pub fn scatter_add(input: Expr, index: Expr, src: Expr, dim: i64) -> Expr {
    Expr::apply(&SCATTER_ADD, [input, index, src], along(dim))
}

/// The part of a tensor that begins where it does and has this shape.
pub fn corner(shape: &Shape) -> Vec<Range> {
    shape.iter().map(|&size| Range::all(size)).collect()
}

/// The shape, or that of a vector of one element for a tensor without axes.
pub fn vector(shape: &Shape) -> Shape {
    if shape.rank() == 0 { [1].into() } else { shape.clone() }
}

/// Whether tensor or index has no axes.
fn is_single(call: &Call) -> bool {
    call.shape(0).rank() == 0 || call.shape(1).rank() == 0
}

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

//! Sorting and selection by rank: `sort`, `argsort`, `topk`, `median`.

use crate::attrs::{Attr, AttrSpec, Range};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Number, Output};
use crate::kernel::Kernel;
use crate::op::{Call, Domain, Linear, Op, Output as Out, OutputType, Python, Sample, Shapes};
use crate::ops::create::{full, iota, zeros};
use crate::ops::elementwise::compare::{ISNAN, eq};
use crate::ops::elementwise::ternary::where_;
use crate::ops::elementwise::unary::cast;
use crate::ops::family::{MOVE, MOVED, REDUCE};
use crate::ops::index::gather::gather;
use crate::ops::index::scatter::scatter_add;
use crate::ops::reduce::extreme::MAX_ALONG;
use crate::ops::reduce::sum::sum;
use crate::ops::shape::axes::reshape;
use crate::ops::shape::join::join;
use crate::ops::shape::slice::{corner, slice};
use crate::ops::{codes, keys};
use crate::rules::shape;
use crate::rules::shard::{self, Factors};
use crate::shape::Shape;

static SORT_ATTRS: [AttrSpec; 3] =
    [keys::DIM.or(-1), keys::DESCENDING.or(false), keys::STABLE.or(false)];

pub static SORT: Op = Op {
    name: "sort",
    code: codes::SORT,
    doc: "The elements in order along an axis, and where they were; equal ones keep their order.",
    attrs: &SORT_ATTRS,
    outputs: &RANKED,
    shape: twice,
    grad: Some(|call| {
        let zeros = zeros(call.shape(0), call.inputs[0].dtype());
        vec![scatter_add(zeros, Output(1), Grad(0), call.int(keys::DIM))]
    }),
    linear: Linear::No,
    shard: along_axis,
    kernel: |call| {
        Ok(Kernel::Sort { axis: call.axis(keys::DIM, 0)?, descending: call.flag(keys::DESCENDING) })
    },
    domain: Domain::Distinct,
    torch: "torch.sort",
    samples: || {
        let of = |shape: &[usize], axis: i64, descending: bool| {
            Sample::of(&[shape]).attrs([axis.into(), descending.into(), true.into()])
        };
        vec![of(&[6], -1, false), of(&[4, 3], 0, true), of(&[], 0, false), of(&[2, 0], 1, true)]
    },
    ..MOVE
};

static POSITIONS: [Out; 1] = [Out { name: "result", dtype: OutputType::Is(DType::I64) }];

pub static ARGSORT: Op = Op {
    name: "argsort",
    code: codes::ARGSORT,
    doc: "Where the elements are that come first, second and so on along an axis.",
    outputs: &POSITIONS,
    shape: |call| {
        call.axis(keys::DIM, 0)?;
        shape::same(call)
    },
    grad: None,
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        vec![Expr::apply(&SORT, [Input(0)], call.attrs.0.iter().cloned()).result(1)]
    }),
    torch: "torch.argsort",
    ..SORT
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

pub static MEDIAN: Op = Op {
    name: "median",
    code: codes::MEDIAN,
    doc: "The element in the middle of all; of two, the smaller one.",
    inputs: &MOVED,
    attrs: &[],
    shape: |call| {
        // Checked here, so that the error is raised at the call and not at a later read.
        if call.shape(0).count() == 0 {
            return Err(Error::index("Expected the input to have an element."));
        }
        Ok([Shape::scalar()].into())
    },
    grad: Some(|call| {
        // Equal elements share the gradient.
        let chosen = cast(eq(Input(0), Output(0)), call.inputs[0].dtype());
        vec![Grad(0) * chosen.clone() / sum(chosen, &[], false)]
    }),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        let flat = reshape(Input(0), &[call.shape(0).count()].into());
        vec![Expr::apply(&MEDIAN_ALONG, [flat], [Attr::Int(0), false.into()])]
    }),
    domain: Domain::Distinct,
    torch: "torch.median",
    python: Python::BOTH.with("dim", &MEDIAN_ALONG),
    samples: || vec![Sample::of(&[&[2, 3]]), Sample::of(&[&[4]]), Sample::of(&[&[]])],
    ..REDUCE
};

pub static MEDIAN_ALONG: Op = Op {
    name: "median_along",
    code: codes::MEDIAN_ALONG,
    doc: "The element in the middle along an axis and where it is; of two, the smaller one.",
    outputs: &RANKED,
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(middle),
    ..MAX_ALONG
};

pub fn twice(call: &Call) -> Result<Shapes> {
    call.axis(keys::DIM, 0)?;
    Ok([call.shape(0).clone(), call.shape(0).clone()].into_iter().collect())
}

pub fn along_axis(call: &Call) -> Factors {
    match call.axis(keys::DIM, 0) {
        Ok(axis) => shard::all_but(call, axis),
        Err(_) => shard::gather_first(call),
    }
}

/// The top k of each block of the axis, and then the top k of these and of the remainder: workers
/// with some of the blocks exchange candidates and not all elements. Empty if the axis is too short
/// for blocks.
fn topk_of_blocks(call: &Call) -> Vec<Expr> {
    let (shape, k) = (call.shape(0), call.int(keys::K) as usize);
    let Ok(axis) = call.axis(keys::DIM, 0) else { return Vec::new() };
    let size = shape.get(axis).copied().unwrap_or(1);
    let fits = |blocks: &usize| size >= 4 * blocks * k;
    // 24 blocks divide evenly among two, three, four, six or eight workers.
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
    let starts = iota(blocks) * Number((length as i64).into());
    let alone = |rank: usize, size: usize| {
        (0..rank).map(|other| if other == axis { size } else { 1 }).collect::<Shape>()
    };
    let starts = reshape(starts, &alone(shape.rank() + 1, blocks));
    let joined = shape.with(axis, blocks * k);
    let mut places = reshape(found.clone().result(1) + starts, &joined);
    let mut values = reshape(found.result(0), &joined);
    if left > 0 {
        let behind = iota(left) + Number(((size - left) as i64).into());
        let behind = zeros(&shape.with(axis, left), DType::I64)
            + reshape(behind, &alone(shape.rank(), left));
        values = join([values, part(size - left, left)], axis);
        places = join([places, behind], axis);
    }
    let best = first(values, axis);
    let places = gather(places, best.clone().result(1), axis as i64);
    vec![best.result(0), places]
}

/// The middle of the sorted elements, or NaN if there is any.
fn middle(call: &Call) -> Vec<Expr> {
    let (shape, dim) = (call.shape(0), call.int(keys::DIM));
    let Ok(Some(axis)) = call.axis(keys::DIM, 0).map(|axis| (shape.rank() > 0).then_some(axis))
    else {
        return vec![cast(Input(0), call.inputs[0].dtype()), zeros(shape, DType::I64)];
    };
    let sorted = Expr::apply(&SORT, [Input(0)], [dim.into(), false.into(), true.into()]);
    let (size, one) = (shape[axis] as i64, shape.with(axis, 1));
    let half = Number(Scalar::Int((size - 1) / 2));
    let place = if call.inputs[0].dtype().is_float() {
        let lost = cast(Expr::apply(&ISNAN, [Input(0)], []), DType::I64);
        let lost = sum(lost, &[dim], true);
        where_(eq(lost.clone(), Number(Scalar::Int(0))), half, Number(Scalar::Int(size)) - lost)
    } else {
        full(&one, Scalar::Int((size - 1) / 2), DType::I64)
    };
    let result = shape.reduced(&[axis], call.flag(keys::KEEPDIM));
    let at =
        |which: usize| reshape(gather(sorted.clone().result(which), place.clone(), dim), &result);
    vec![at(0), at(1)]
}

/// The rank of each element when all are sorted along the last axis.
pub fn standing(elements: Expr) -> Expr {
    let order = |of: Expr| Expr::apply(&ARGSORT, [of], [Attr::Int(-1), false.into(), true.into()]);
    order(order(elements))
}

//! Cumulative sums, products, maxima and minima along an axis.

use super::create::{iota, zeros};
use super::elementwise::ternary::where_;
use super::family::{MOVE, REDUCE};
use super::index::scatter::scatter_add;
use super::order::sort::{RANKED, along_axis, twice};
use super::reduce::extreme::reached;
use super::shape::axes::reshape;
use super::shape::pad::shifted;
use super::shape::slice::slice;
use super::{codes, keys};
use crate::attrs::{Attr, AttrSpec, Range};
use crate::expr::Expr::{self, Grad, Input, Output};
use crate::kernel::{Kernel, ScanFn};
use crate::op::{Autocast, Call, Domain, Linear, Op, Python, Sample};
use crate::rules::promote::Promotion;
use crate::rules::{shape, shard};
use crate::shape::Shape;

static SCAN_ATTRS: [AttrSpec; 2] = [keys::DIM.required(), keys::DTYPE.or_none()];

pub static CUMSUM: Op = Op {
    name: "cumsum",
    code: codes::CUMSUM,
    doc: "The sum of each element and those before it along an axis.",
    attrs: &SCAN_ATTRS,
    shape: |call| {
        call.axis(keys::DIM, 0)?;
        shape::same(call)
    },
    promotion: Promotion::Accumulate,
    grad: Some(|call| vec![cumsum_from_end(call, Grad(0))]),
    linear: Linear::Each(&[0]),
    shard: |call| match call.axis(keys::DIM, 0) {
        Ok(axis) => shard::all_but(call, axis),
        Err(_) => shard::gather_first(call),
    },
    kernel: |call| Ok(Kernel::Scan { with: ScanFn::Sum, axis: call.axis(keys::DIM, 0)? }),
    autocast: Autocast::Full,
    torch: "torch.cumsum",
    samples: || {
        let of = |shape: &[usize], dim: i64| Sample::of(&[shape]).attrs([dim.into(), Attr::None]);
        vec![of(&[3, 4], 0), of(&[2, 5], -1), of(&[0, 2], 0)]
    },
    ..REDUCE
};

pub static CUMPROD: Op = Op {
    name: "cumprod",
    code: codes::CUMPROD,
    doc: "The product of each element and those before it along an axis.",
    grad: Some(|call| match call.axis(keys::DIM, 0) {
        Ok(axis) if call.shape(0).rank() > 0 => vec![grad_of_cumprod(call.shape(0), axis)],
        _ => vec![Grad(0)],
    }),
    linear: Linear::No,
    kernel: |call| Ok(Kernel::Scan { with: ScanFn::Prod, axis: call.axis(keys::DIM, 0)? }),
    domain: Domain::WithZeros,
    torch: "torch.cumprod",
    samples: || {
        let of = |shape: &[usize], dim: i64| Sample::of(&[shape]).attrs([dim.into(), Attr::None]);
        vec![of(&[3, 4], 0), of(&[2, 5], -1), of(&[0, 2], 0), of(&[7], 0), of(&[], 0)]
    },
    ..CUMSUM
};

static DIM_ATTR: [AttrSpec; 1] = [keys::DIM.required()];

pub static RUNNING_MAX: Op = Op {
    name: "running_max",
    code: codes::RUNNING_MAX,
    doc: "The largest of each element and those before it along an axis.",
    attrs: &DIM_ATTR,
    shape: |call| {
        call.axis(keys::DIM, 0)?;
        shape::same(call)
    },
    linear: Linear::No,
    shard: along_axis,
    kernel: |call| Ok(Kernel::Scan { with: ScanFn::Max, axis: call.axis(keys::DIM, 0)? }),
    python: Python::HIDDEN,
    samples: || {
        let of = |shape: &[usize], axis: i64| Sample::of(&[shape]).attrs([Attr::Int(axis)]);
        vec![of(&[3, 4], 0), of(&[2, 5], -1), of(&[], 0), of(&[0, 2], 0)]
    },
    ..MOVE
};

pub static RUNNING_MIN: Op = Op {
    name: "running_min",
    code: codes::RUNNING_MIN,
    doc: "The smallest of each element and those before it along an axis.",
    kernel: |call| Ok(Kernel::Scan { with: ScanFn::Min, axis: call.axis(keys::DIM, 0)? }),
    ..RUNNING_MAX
};

pub static CUMMAX: Op = Op {
    name: "cummax",
    code: codes::CUMMAX,
    doc: "The largest of each element and those before it along an axis, and where it is.",
    outputs: &RANKED,
    shape: twice,
    grad: Some(|call| {
        let zeros = zeros(call.shape(0), call.inputs[0].dtype());
        vec![scatter_add(zeros, Output(1), Grad(0), call.int(keys::DIM))]
    }),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| running(call, &RUNNING_MAX)),
    domain: Domain::Distinct,
    torch: "torch.cummax",
    python: Python::BOTH,
    ..RUNNING_MAX
};

pub static CUMMIN: Op = Op {
    name: "cummin",
    code: codes::CUMMIN,
    doc: "The smallest of each element and those before it along an axis, and where it is.",
    expansion: Some(|call| running(call, &RUNNING_MIN)),
    torch: "torch.cummin",
    ..CUMMAX
};

/// The sum of each element and those after it.
fn cumsum_from_end(call: &Call, input: Expr) -> Expr {
    let Ok(axis) = call.axis(keys::DIM, 0) else { return input };
    let flipped = |expr: Expr| {
        let sizes = call.shape(0).iter().enumerate();
        let ranges = sizes.map(|(other, &size)| match other == axis && size > 0 {
            true => Range { start: size - 1, len: size, step: -1 },
            false => Range::all(size),
        });
        slice(expr, ranges.collect())
    };
    let attrs = [Attr::from(axis), Attr::None];
    flipped(Expr::apply(&CUMSUM, [flipped(input)], attrs))
}

/// The gradient of cumulative products: for each element the product of those before it, times
/// `s[j] = g[j] + x[j + 1] s[j + 1]`. There is no division, so that zeros need no special case. The
/// recurrence is solved by doubling: each round doubles the span of `sums`, and `reach` is the
/// product of the elements in that span.
fn grad_of_cumprod(shape: &Shape, axis: usize) -> Expr {
    let later = |expr: Expr, by: usize| shifted(expr, shape, axis, -(by as i64), 0.0);
    let (mut sums, mut reach, mut by) = (Grad(0), later(Input(0), 1), 1);
    while by < shape[axis] {
        sums = sums.clone() + reach.clone() * later(sums, by);
        reach = reach.clone() * later(reach, by);
        by *= 2;
    }
    products_before(Input(0), shape, axis) * sums
}

/// The product of all elements before each one along an axis.
pub fn products_before(input: Expr, shape: &Shape, axis: usize) -> Expr {
    let running = Expr::apply(&CUMPROD, [input], [Attr::from(axis), Attr::None]);
    shifted(running, shape, axis, 1, 1.0)
}

/// A cumulative extreme and its last position. NaN is extreme and propagates.
fn running(call: &Call, op: &'static Op) -> Vec<Expr> {
    let (shape, axis) = (call.shape(0), call.axis(keys::DIM, 0).unwrap_or_default());
    let values = Expr::apply(op, [Input(0)], [call.int(keys::DIM).into()]);
    let reached = reached(call, values.clone());
    let size = shape.get(axis).copied().unwrap_or(1);
    let sizes = (0..shape.rank()).map(|other| if other == axis { size } else { 1 });
    let places = reshape(iota(size), &sizes.collect::<Shape>());
    let places = where_(reached, places, Expr::Number(0i64.into()));
    vec![values, Expr::apply(&RUNNING_MAX, [places], [call.int(keys::DIM).into()])]
}

//! Operations that combine elements along axes.

use smallvec::SmallVec;

use super::compare::eq;
use super::elementwise::{cast, where_};
use super::family::REDUCE;
use super::movement::{expand, reshape};
use crate::attrs::{Attr, AttrKind, AttrSpec};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Output};
use crate::kernel::{Kernel, ReduceFn};
use crate::op::{Autocast, Call, Domain, Linear, Op, Sample, ints};
use crate::placement::Combine;
use crate::rules::promote::Promotion;
use crate::rules::{shape, shard};
use crate::shape::Shape;

/// The rows of this file.
pub(super) static ROWS: &[&Op] = &[&SUM, &MEAN, &AMAX, &AMIN];

static SUM_ATTRS: [AttrSpec; 3] = [
    AttrSpec::optional("dim", AttrKind::Axes, Attr::Ints(SmallVec::new_const())),
    AttrSpec::optional("keepdim", AttrKind::Bool, Attr::Bool(false)),
    AttrSpec::optional("dtype", AttrKind::DType, Attr::None),
];

pub static SUM: Op = Op {
    name: "sum",
    code: 80,
    doc: "The sum of the elements along axes, or of all.",
    attrs: &SUM_ATTRS,
    promotion: Promotion::Accumulate,
    grad: Some(|call| vec![spread(call, Grad(0))]),
    shard: |call| shard::reduce(call, Combine::Sum),
    linear: Linear::Each(&[0]),
    kernel: |call| reduce(call, ReduceFn::Sum),
    autocast: Autocast::Full,
    torch: "torch.sum",
    samples: || with_dtype((REDUCE.samples)()),
    ..REDUCE
};

pub static MEAN: Op = Op {
    name: "mean",
    code: 81,
    doc: "The mean of the elements along axes, or of all.",
    attrs: &SUM_ATTRS,
    shape: |call| {
        let dtype = call.dtype("dtype").unwrap_or(call.inputs[0].dtype());
        if dtype.is_float() {
            return shape::reduce(call);
        }
        Err(Error::runtime(format!(
            "the mean of {dtype} is not a whole number; pass dtype=float32"
        )))
    },
    promotion: Promotion::Attr,
    grad: Some(|call| vec![spread(call, Grad(0)) / reduced_count(call)]),
    linear: Linear::Each(&[0]),
    kernel: |call| reduce(call, ReduceFn::Mean),
    // Parts of different sizes weigh differently, so a cut mean is a sum and a division.
    expansion: Some(|call| {
        let total = sum(Input(0), call.ints("dim"), call.flag("keepdim"));
        vec![total / reduced_count(call)]
    }),
    torch: "torch.mean",
    samples: || with_dtype((REDUCE.samples)()),
    ..REDUCE
};

pub static AMAX: Op = Op {
    name: "amax",
    code: 82,
    doc: "The largest element along axes, or of all.",
    shape: shape::reduce_some,
    grad: Some(|call| vec![spread_to_equal(call)]),
    shard: |call| shard::reduce(call, Combine::Max),
    kernel: |call| reduce(call, ReduceFn::Max),
    domain: Domain::Distinct,
    torch: "torch.amax",
    ..REDUCE
};

pub static AMIN: Op = Op {
    name: "amin",
    code: 83,
    doc: "The smallest element along axes, or of all.",
    shape: shape::reduce_some,
    grad: Some(|call| vec![spread_to_equal(call)]),
    shard: |call| shard::reduce(call, Combine::Min),
    kernel: |call| reduce(call, ReduceFn::Min),
    domain: Domain::Distinct,
    torch: "torch.amin",
    ..REDUCE
};

/// The sum along axes; all if none are named.
pub fn sum(input: Expr, axes: &[i64], keep: bool) -> Expr {
    Expr::apply(&SUM, [input], [ints(axes.iter().copied()), keep.into(), Attr::None])
}

/// The largest element along axes.
pub fn amax(input: Expr, axes: &[i64], keep: bool) -> Expr {
    Expr::apply(&AMAX, [input], [ints(axes.iter().copied()), keep.into()])
}

/// The kernel that combines along the axes `dim`.
pub fn reduce(call: &Call, with: ReduceFn) -> Result<Kernel> {
    // The number 0 or -1 names no axis of a tensor that has none.
    let axes = if call.shape(0).rank() == 0 { SmallVec::new() } else { call.axes("dim", 0)? };
    Ok(Kernel::Reduce { with, axes })
}

/// The shape of the result if the combined axes stayed.
pub fn kept_shape(call: &Call) -> Shape {
    let axes = call.axes("dim", 0).unwrap_or_default();
    call.shape(0).reduced(&axes, true)
}

/// How many elements are combined into one.
pub fn reduced_count(call: &Call) -> f64 {
    let axes = call.axes("dim", 0).unwrap_or_default();
    axes.iter().filter_map(|&axis| call.shape(0).get(axis)).product::<usize>() as f64
}

/// A result's gradient, repeated along the axes that were combined.
pub fn spread(call: &Call, grad: Expr) -> Expr {
    expand(reshape(grad, &kept_shape(call)), call.shape(0))
}

/// A result's gradient, shared between the elements that equal the result.
fn spread_to_equal(call: &Call) -> Expr {
    let kept = kept_shape(call);
    let chosen = eq(Input(0), reshape(Output(0), &kept));
    let count = sum(cast(chosen.clone(), call.inputs[0].dtype()), call.ints("dim"), true);
    where_(chosen, reshape(Grad(0), &kept) / reshape(count, &kept), 0.0)
}

fn with_dtype(mut samples: Vec<Sample>) -> Vec<Sample> {
    for sample in &mut samples {
        sample.attrs.0.push(Attr::None);
    }
    samples
}

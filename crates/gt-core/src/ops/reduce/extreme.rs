//! Largest and smallest elements along axes and where they are: `amax`, `max(dim)`, `argmax`.

use smallvec::SmallVec;

use super::sum::{kept_shape, reduce, sum};
use crate::attrs::{Attr, AttrSpec};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Output};
use crate::kernel::{Kernel, ReduceFn};
use crate::op::{
    Call, Domain, Linear, Op, Output as Out, OutputType, Python, Sample, Shapes, ints,
};
use crate::ops::create::{iota, zeros};
use crate::ops::elementwise::compare::{ISNAN, eq};
use crate::ops::elementwise::logic::LOGICAL_OR;
use crate::ops::elementwise::ternary::where_;
use crate::ops::elementwise::unary::cast;
use crate::ops::family::{MOVE, REDUCE};
use crate::ops::index::scatter::scatter_add;
use crate::ops::order::sort::RANKED;
use crate::ops::shape::axes::reshape;
use crate::ops::{codes, keys};
use crate::placement::Combine;
use crate::rules::shape;
use crate::rules::shard::{self, Factors, Letter};
use crate::shape::Shape;

pub static AMAX: Op = Op {
    name: "amax",
    code: codes::AMAX,
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
    code: codes::AMIN,
    doc: "The smallest element along axes, or of all.",
    shape: shape::reduce_some,
    grad: Some(|call| vec![spread_to_equal(call)]),
    shard: |call| shard::reduce(call, Combine::Min),
    kernel: |call| reduce(call, ReduceFn::Min),
    domain: Domain::Distinct,
    torch: "torch.amin",
    ..REDUCE
};

static ALONG_ATTRS: [AttrSpec; 2] = [keys::DIM.required(), keys::KEEPDIM.or(false)];

pub static MAX_ALONG: Op = Op {
    name: "max_along",
    code: codes::MAX_ALONG,
    doc: "The largest element along an axis and where it is, the first among equals.",
    attrs: &ALONG_ATTRS,
    outputs: &RANKED,
    shape: |call| {
        let (shape, axis) = (call.shape(0), call.axis(keys::DIM, 0)?);
        if shape.get(axis) == Some(&0) {
            let message = format!("Expected reduction dim {axis} to have non-zero size.");
            return Err(Error::index(message));
        }
        let result = if shape.rank() == 0 {
            shape.clone()
        } else {
            shape.reduced(&[axis], call.flag(keys::KEEPDIM))
        };
        Ok([result.clone(), result].into_iter().collect())
    },
    grad: Some(|call| {
        let (shape, axis) = (call.shape(0), call.axis(keys::DIM, 0).unwrap_or_default());
        let kept = if shape.rank() == 0 { shape.clone() } else { shape.with(axis, 1) };
        let zeros = zeros(shape, call.inputs[0].dtype());
        let (places, grad) = (reshape(Output(1), &kept), reshape(Grad(0), &kept));
        vec![scatter_add(zeros, places, grad, call.int(keys::DIM))]
    }),
    linear: Linear::No,
    shard: reduced_axis,
    kernel: |call| Ok(Kernel::Extreme { axis: call.axis(keys::DIM, 0)?, largest: true }),
    expansion: Some(|call| extreme_and_place(call, &AMAX)),
    expands_when_cut: true,
    domain: Domain::Distinct,
    python: Python::HIDDEN,
    samples: || {
        let of = |shape: &[usize], axis: i64, keep: bool| {
            Sample::of(&[shape]).attrs([axis.into(), keep.into()])
        };
        vec![
            of(&[3, 4], 0, false),
            of(&[2, 3, 4], -1, true),
            of(&[], 0, false),
            of(&[0, 2], 1, false),
        ]
    },
    ..MOVE
};

pub static MIN_ALONG: Op = Op {
    name: "min_along",
    code: codes::MIN_ALONG,
    doc: "The smallest element along an axis and where it is, the first among equals.",
    kernel: |call| Ok(Kernel::Extreme { axis: call.axis(keys::DIM, 0)?, largest: false }),
    expansion: Some(|call| extreme_and_place(call, &AMIN)),
    ..MAX_ALONG
};

static POSITION: [Out; 1] = [Out { name: "result", dtype: OutputType::Is(DType::I64) }];
static POSITION_ATTRS: [AttrSpec; 2] = [keys::DIM.or_none(), keys::KEEPDIM.or(false)];

pub static ARGMAX: Op = Op {
    name: "argmax",
    code: codes::ARGMAX,
    doc: "Where the largest element is along an axis, or among all.",
    attrs: &POSITION_ATTRS,
    outputs: &POSITION,
    shape: position_shape,
    shard: position_factors,
    kernel: |call| Ok(Kernel::ArgExtreme { axis: position_axis(call)?, largest: true }),
    expansion: Some(|call| place_of(call, &AMAX)),
    expands_when_cut: true,
    domain: Domain::Distinct,
    torch: "torch.argmax",
    samples: position_samples,
    ..REDUCE
};

pub static ARGMIN: Op = Op {
    name: "argmin",
    code: codes::ARGMIN,
    doc: "Where the smallest element is along an axis, or among all.",
    kernel: |call| Ok(Kernel::ArgExtreme { axis: position_axis(call)?, largest: false }),
    expansion: Some(|call| place_of(call, &AMIN)),
    torch: "torch.argmin",
    ..ARGMAX
};

/// The largest element along axes.
pub fn amax(input: Expr, axes: &[i64], keep: bool) -> Expr {
    Expr::apply(&AMAX, [input], [ints(axes.iter().copied()), keep.into()])
}

/// The gradient of the result, shared equally by the elements that equal it.
fn spread_to_equal(call: &Call) -> Expr {
    let kept = kept_shape(call);
    let chosen = eq(Input(0), reshape(Output(0), &kept));
    let count = sum(cast(chosen.clone(), call.inputs[0].dtype()), call.ints(keys::AXES), true);
    where_(chosen, reshape(Grad(0), &kept) / reshape(count, &kept), 0.0)
}

fn extreme_and_place(call: &Call, op: &'static Op) -> Vec<Expr> {
    let axis = call.axis(keys::DIM, 0).unwrap_or_default();
    let result = (call.op.shape)(call).map(|shapes| shapes[0].clone()).unwrap_or_default();
    let (value, place) = extreme(call, op, (call.shape(0).rank() > 0).then_some(axis));
    vec![reshape(value, &result), reshape(place, &result)]
}

/// The extreme element along an axis, or of all, and its first position, both with the rank of the
/// input. Across workers with parts of the axis, an all-reduce finds the extreme and a second one
/// its first position. NaN is extreme.
pub fn extreme(call: &Call, op: &'static Op, axis: Option<usize>) -> (Expr, Expr) {
    let shape = call.shape(0);
    let axes = || ints(axis.map(|axis| axis as i64));
    let value = Expr::apply(op, [Input(0)], [axes(), true.into()]);
    let reached = reached(call, value.clone());
    let size = axis.map_or(shape.count(), |axis| shape[axis]);
    let sizes = (0..shape.rank()).map(|other| match axis {
        Some(axis) if axis != other => 1,
        _ => shape[other],
    });
    let places = reshape(iota(size), &sizes.collect::<Shape>());
    let places = where_(reached, places, Expr::Number((size as i64).into()));
    (value, Expr::apply(&AMIN, [places], [axes(), true.into()]))
}

/// Whether each element is the extreme; NaN is.
pub fn reached(call: &Call, extreme: Expr) -> Expr {
    let reached = eq(Input(0), extreme);
    if !call.inputs[0].dtype().is_float() {
        return reached;
    }
    let nan = Expr::apply(&ISNAN, [Input(0)], []);
    Expr::apply(&LOGICAL_OR, [reached, nan], [])
}

fn reduced_axis(call: &Call) -> Factors {
    let Ok(axis) = call.axis(keys::DIM, 0) else { return shard::gather_first(call) };
    let keep = call.flag(keys::KEEPDIM);
    let letters = (0..call.shape(0).rank()).map(|other| (other != axis).then_some(other as u8));
    let left = letters.clone().enumerate().filter(|(other, _)| keep || *other != axis);
    let output: SmallVec<[Letter; 4]> = left.map(|(_, letter)| letter).collect();
    Factors::of(call, vec![letters.collect()], vec![output.clone(), output])
}

/// The position of the extreme element.
fn place_of(call: &Call, op: &'static Op) -> Vec<Expr> {
    let axis = position_axis(call).unwrap_or_default().filter(|_| call.shape(0).rank() > 0);
    let result = (call.op.shape)(call).map(|shapes| shapes[0].clone()).unwrap_or_default();
    vec![reshape(extreme(call, op, axis).1, &result)]
}

fn position_axis(call: &Call) -> Result<Option<usize>> {
    match call.attr(keys::DIM) {
        Attr::None => Ok(None),
        _ if call.shape(0).rank() == 0 => call.axis(keys::DIM, 0).map(|_| None),
        _ => call.axis(keys::DIM, 0).map(Some),
    }
}

fn position_shape(call: &Call) -> Result<Shapes> {
    if call.inputs[0].dtype() == DType::Bool {
        return Err(Error::runtime("not implemented for bool"));
    }
    let (shape, axis) = (call.shape(0), position_axis(call)?);
    let axes: SmallVec<[usize; 4]> = match axis {
        Some(axis) => SmallVec::from_iter([axis]),
        None => (0..shape.rank()).collect(),
    };
    if axes.iter().any(|&axis| shape[axis] == 0) {
        return Err(Error::index(format!("a tensor of shape {shape} has no elements there")));
    }
    Ok([shape.reduced(&axes, call.flag(keys::KEEPDIM))].into())
}

fn position_factors(call: &Call) -> Factors {
    let Ok(Some(axis)) = position_axis(call) else { return shard::gather_first(call) };
    let letters = (0..call.shape(0).rank()).map(|other| (other != axis).then_some(other as u8));
    let keep = call.flag(keys::KEEPDIM);
    let left = letters.clone().enumerate().filter(|(other, _)| keep || *other != axis);
    let output = left.map(|(_, letter)| letter).collect();
    Factors::of(call, vec![letters.collect()], vec![output])
}

fn position_samples() -> Vec<Sample> {
    let of =
        |shape: &[usize], dim: Attr, keep: bool| Sample::of(&[shape]).attrs([dim, keep.into()]);
    vec![
        of(&[3, 4], Attr::None, false),
        of(&[3, 4], Attr::Int(0), false),
        of(&[2, 3, 4], Attr::Int(-1), true),
    ]
}

//! Elements in order, the largest and smallest along an axis, and where they are.

use smallvec::SmallVec;

use super::codes;
use super::compare::eq;
use super::create::{iota, zeros};
use super::elementwise::where_;
use super::family::MOVE;
use super::index::{RANKED, scatter_add};
use super::keys;
use super::logic::{ISNAN, LOGICAL_OR};
use super::movement::reshape;
use super::reduce::{AMAX, AMIN};
use crate::attrs::{Attr, AttrSpec};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Output};
use crate::kernel::{Kernel, ScanFn};
use crate::op::{
    Call, Domain, Linear, Op, Output as Out, OutputType, Python, Sample, Shapes, ints,
};
use crate::rules::shape;
use crate::rules::shard::{self, Factors, Letter};
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

fn twice(call: &Call) -> Result<Shapes> {
    call.axis(keys::DIM, 0)?;
    Ok([call.shape(0).clone(), call.shape(0).clone()].into_iter().collect())
}

fn extreme_and_place(call: &Call, op: &'static Op) -> Vec<Expr> {
    let axis = call.axis(keys::DIM, 0).unwrap_or_default();
    let result = (call.op.shape)(call).map(|shapes| shapes[0].clone()).unwrap_or_default();
    let (value, place) = extreme(call, op, (call.shape(0).rank() > 0).then_some(axis));
    vec![reshape(value, &result), reshape(place, &result)]
}

/// The extreme element along an axis, or of all, and the first place where it is, both with the
/// axes of the input: workers that have parts of the axis find the extreme of all, and then the
/// first of them that has it. NaN is extreme.
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

/// Where elements are the extreme; NaN is.
fn reached(call: &Call, extreme: Expr) -> Expr {
    let reached = eq(Input(0), extreme);
    if !call.inputs[0].dtype().is_float() {
        return reached;
    }
    let nan = Expr::apply(&ISNAN, [Input(0)], []);
    Expr::apply(&LOGICAL_OR, [reached, nan], [])
}

/// A running extreme, and the last place where an element equalled it. NaN is extreme, and stays.
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

fn along_axis(call: &Call) -> Factors {
    match call.axis(keys::DIM, 0) {
        Ok(axis) => shard::all_but(call, axis),
        Err(_) => shard::gather_first(call),
    }
}

fn reduced_axis(call: &Call) -> Factors {
    let Ok(axis) = call.axis(keys::DIM, 0) else { return shard::gather_first(call) };
    let keep = call.flag(keys::KEEPDIM);
    let letters = (0..call.shape(0).rank()).map(|other| (other != axis).then_some(other as u8));
    let left = letters.clone().enumerate().filter(|(other, _)| keep || *other != axis);
    let output: SmallVec<[Letter; 4]> = left.map(|(_, letter)| letter).collect();
    Factors::of(call, vec![letters.collect()], vec![output.clone(), output])
}

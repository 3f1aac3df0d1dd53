//! Reductions beyond sums: positions, spread and lengths.

use smallvec::SmallVec;

use super::compare::eq;
use super::elementwise::{ABS, LOG, POW, SQRT, cast, where_};
use super::family::{COMPOSITE, REDUCE};
use super::movement::reshape;
use super::reduce::{MEAN, amax, kept_shape, reduced_count, spread, sum};
use super::unary::{SIGN, exp};
use crate::attrs::{Attr, AttrKind, AttrSpec};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Output};
use crate::kernel::Kernel;
use crate::op::{Autocast, Call, Domain, Op, Output as Out, OutputType, Sample, Shapes, ints};
use crate::rules::promote::{self, Promotion};
use crate::rules::{shape, shard};

/// The rows of this file.
pub(super) static ROWS: &[&Op] = &[&ARGMAX, &ARGMIN, &VAR, &STD, &NORM, &LOGSUMEXP];

static POSITION: [Out; 1] = [Out { name: "result", dtype: OutputType::Is(DType::I64) }];
static POSITION_ATTRS: [AttrSpec; 2] = [
    AttrSpec::optional("dim", AttrKind::Axis, Attr::None),
    AttrSpec::optional("keepdim", AttrKind::Bool, Attr::Bool(false)),
];

pub static ARGMAX: Op = Op {
    name: "argmax",
    code: 403,
    doc: "Where the largest element is along an axis, or among all.",
    attrs: &POSITION_ATTRS,
    outputs: &POSITION,
    shape: not_of_bools,
    shard: position_factors,
    kernel: |call| Ok(Kernel::ArgExtreme { axis: position_axis(call)?, largest: true }),
    domain: Domain::Distinct,
    torch: "torch.argmax",
    samples: position_samples,
    ..REDUCE
};

pub static ARGMIN: Op = Op {
    name: "argmin",
    code: 404,
    doc: "Where the smallest element is along an axis, or among all.",
    kernel: |call| Ok(Kernel::ArgExtreme { axis: position_axis(call)?, largest: false }),
    torch: "torch.argmin",
    ..ARGMAX
};

static SPREAD_ATTRS: [AttrSpec; 3] = [
    AttrSpec::optional("dim", AttrKind::Axes, Attr::Ints(SmallVec::new_const())),
    AttrSpec::optional("correction", AttrKind::Number, Attr::Int(1)),
    AttrSpec::optional("keepdim", AttrKind::Bool, Attr::Bool(false)),
];

pub static VAR: Op = Op {
    name: "var",
    code: 405,
    doc: "The mean square distance of the elements from their mean.",
    attrs: &SPREAD_ATTRS,
    shape: float_reduce,
    grad: Some(|call| {
        let distance = Input(0) - mean(call);
        vec![spread(call, Grad(0)) * distance * (2.0 / freedom(call))]
    }),
    expansion: Some(|call| vec![narrow(call, variance(call))]),
    torch: "torch.var",
    samples: spread_samples,
    ..COMPOSITE
};

pub static STD: Op = Op {
    name: "std",
    code: 406,
    doc: "The square root of the mean square distance of the elements from their mean.",
    grad: Some(|call| {
        let distance = Input(0) - mean(call);
        // Elements that are all alike have no direction in which they would differ.
        let slope = where_(eq(Output(0), 0.0), 0.0, Grad(0) / Output(0));
        vec![spread(call, slope) * distance * (1.0 / freedom(call))]
    }),
    expansion: Some(|call| vec![narrow(call, Expr::apply(&SQRT, [variance(call)], []))]),
    torch: "torch.std",
    ..VAR
};

static NORM_ATTRS: [AttrSpec; 4] = [
    AttrSpec::optional("p", AttrKind::Order, Attr::Float(2.0)),
    AttrSpec::optional("dim", AttrKind::Axes, Attr::Ints(SmallVec::new_const())),
    AttrSpec::optional("keepdim", AttrKind::Bool, Attr::Bool(false)),
    AttrSpec::optional("dtype", AttrKind::DType, Attr::None),
];

pub static NORM: Op = Op {
    name: "norm",
    code: 407,
    doc: "The length of the elements along axes, or of all: the p-th root of their p-th powers.",
    attrs: &NORM_ATTRS,
    shape: |call| {
        let (dtype, own) = (precision(call), call.inputs[0].dtype());
        if !dtype.is_float() || promote::common(own, dtype) != dtype {
            let message = format!("the length of {own} cannot be computed in {dtype}");
            return Err(Error::runtime(format!("{message}; it needs a float that is as wide")));
        }
        float_reduce(call)
    },
    promotion: Promotion::Attr,
    grad: Some(|call| vec![length_gradient(call)]),
    expansion: Some(|call| vec![narrow(call, length(call))]),
    domain: Domain::NonZero,
    autocast: Autocast::Full,
    torch: "torch.norm",
    samples: || {
        let of = |p: f64, axes: &[i64], keep: bool, dtype: Attr| {
            let dim = ints(axes.iter().copied());
            Sample::of(&[&[3, 4]]).attrs([Attr::Float(p), dim, keep.into(), dtype])
        };
        vec![
            of(2.0, &[], false, Attr::None),
            of(3.0, &[1], true, Attr::None),
            of(2.0, &[0], false, DType::F64.into()),
        ]
    },
    ..COMPOSITE
};

static LOGSUMEXP_ATTRS: [AttrSpec; 2] = [
    AttrSpec::required("dim", AttrKind::Axes),
    AttrSpec::optional("keepdim", AttrKind::Bool, Attr::Bool(false)),
];

pub static LOGSUMEXP: Op = Op {
    name: "logsumexp",
    code: 408,
    doc: "The logarithm of the sum of the exponentials along axes.",
    attrs: &LOGSUMEXP_ATTRS,
    shape: shape::reduce,
    grad: Some(|call| {
        let kept = kept_shape(call);
        let share = exp(Input(0) - reshape(Output(0), &kept));
        vec![reshape(Grad(0), &kept) * share]
    }),
    expansion: Some(|call| {
        let (dim, keep) = (call.ints("dim"), call.flag("keepdim"));
        if call.shape(0).count() == 0 {
            return vec![Expr::apply(&LOG, [sum(exp(Input(0)), dim, keep)], [])];
        }
        let largest = amax(Input(0), dim, true);
        // Infinity minus infinity is not a number; the largest is then added back as it is.
        let finite = Expr::apply(&super::logic::ISFINITE, [largest.clone()], []);
        let largest = where_(finite, largest, 0.0);
        let total = sum(exp(Input(0) - largest.clone()), dim, true);
        let result = Expr::apply(&LOG, [total], []) + largest;
        let axes = call.axes("dim", 0).unwrap_or_default();
        vec![reshape(result, &call.shape(0).reduced(&axes, keep))]
    }),
    autocast: Autocast::Full,
    torch: "torch.logsumexp",
    samples: || {
        let of = |shape: &[usize], axes: &[i64], keep: bool| {
            Sample::of(&[shape]).attrs([ints(axes.iter().copied()), keep.into()])
        };
        vec![of(&[3, 4], &[1], false), of(&[2, 3, 2], &[0, 2], true)]
    },
    ..COMPOSITE
};

/// The gradient of a length; that of no length at all is zero.
fn length_gradient(call: &Call) -> Expr {
    let (p, kept) = (call.number("p").as_f64(), kept_shape(call));
    let (length, grad) = (reshape(Output(0), &kept), reshape(Grad(0), &kept));
    let size = Expr::apply(&ABS, [Input(0)], []);
    let sign = Expr::apply(&SIGN, [Input(0)], []);
    if p == 0.0 {
        return Expr::Zero;
    }
    if p.is_infinite() {
        let chosen = eq(size, length);
        let count = sum(cast(chosen.clone(), call.inputs[0].dtype()), call.ints("dim"), true);
        return sign * where_(chosen, grad / reshape(count, &kept), 0.0);
    }
    if p == 1.0 {
        return sign * grad;
    }
    let nothing = eq(length.clone(), 0.0);
    if p == 2.0 {
        return Input(0) * where_(nothing, 0.0, grad / length);
    }
    let inner = if p < 2.0 { sign * pow(size, p - 1.0) } else { Input(0) * pow(size, p - 2.0) };
    inner * where_(nothing, 0.0, grad / pow(length, p - 1.0))
}

fn pow(base: Expr, exponent: f64) -> Expr {
    Expr::apply(&POW, [base, exponent.into()], [])
}

fn float_reduce(call: &Call) -> Result<Shapes> {
    let dtype = call.inputs[0].dtype();
    if !dtype.is_float() {
        return Err(Error::runtime(format!("only for floating point numbers, not {dtype}")));
    }
    shape::reduce(call)
}

fn not_of_bools(call: &Call) -> Result<Shapes> {
    if call.inputs[0].dtype() == DType::Bool {
        return Err(Error::runtime("not implemented for bool"));
    }
    position_shape(call)
}

fn position_axis(call: &Call) -> Result<Option<usize>> {
    match call.attr("dim") {
        Attr::None => Ok(None),
        _ if call.shape(0).rank() == 0 => call.axis("dim", 0).map(|_| None),
        _ => call.axis("dim", 0).map(Some),
    }
}

fn position_shape(call: &Call) -> Result<Shapes> {
    let (shape, axis) = (call.shape(0), position_axis(call)?);
    let axes: SmallVec<[usize; 4]> = match axis {
        Some(axis) => SmallVec::from_iter([axis]),
        None => (0..shape.rank()).collect(),
    };
    if axes.iter().any(|&axis| shape[axis] == 0) {
        return Err(Error::index(format!("a tensor of shape {shape} has no elements there")));
    }
    Ok([shape.reduced(&axes, call.flag("keepdim"))].into())
}

fn position_factors(call: &Call) -> shard::Factors {
    let Ok(Some(axis)) = position_axis(call) else { return shard::gather_first(call) };
    let letters = (0..call.shape(0).rank()).map(|other| (other != axis).then_some(other as u8));
    let keep = call.flag("keepdim");
    shard::Factors {
        inputs: vec![letters.clone().collect()],
        outputs: vec![
            letters.enumerate().filter(|(a, _)| keep || *a != axis).map(|(_, l)| l).collect(),
        ],
        combined: Vec::new(),
    }
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

fn spread_samples() -> Vec<Sample> {
    let of = |shape: &[usize], axes: &[i64], correction: Attr, keep: bool| {
        let dim = ints(axes.iter().copied());
        Sample::of(&[shape]).attrs([dim, correction, keep.into()])
    };
    vec![
        of(&[3, 4], &[], Attr::Int(1), false),
        of(&[3, 4], &[1], Attr::Int(0), true),
        of(&[2, 3, 2], &[0, 2], Attr::Int(1), false),
        of(&[3, 4], &[1], Attr::Float(0.5), false),
        of(&[5], &[], Attr::Bool(false), false),
    ]
}

fn mean(call: &Call) -> Expr {
    let dim = ints(call.ints("dim").iter().copied());
    Expr::apply(&MEAN, [Input(0)], [dim, true.into(), Attr::None])
}

/// How many elements are free to differ.
fn freedom(call: &Call) -> f64 {
    (reduced_count(call) - call.number("correction").as_f64()).max(0.0)
}

/// The dtype of the result: what is asked for, if the row can be asked, or that of the input.
fn precision(call: &Call) -> DType {
    promote::promote(call).unwrap_or(call.inputs[0].dtype())
}

/// The input, half precision widened: sums of squares overflow it soon.
fn wide(call: &Call) -> Expr {
    match precision(call) {
        DType::F16 | DType::BF16 => cast(Input(0), DType::F32),
        dtype if dtype != call.inputs[0].dtype() => cast(Input(0), dtype),
        _ => Input(0),
    }
}

/// A wide result in the precision that was asked for.
fn narrow(call: &Call, result: Expr) -> Expr {
    match precision(call) {
        dtype @ (DType::F16 | DType::BF16) => cast(result, dtype),
        _ => result,
    }
}

/// The p-th root of the sum of the p-th powers; for the infinite p, the largest or smallest.
fn length(call: &Call) -> Expr {
    let (p, dim, keep) = (call.number("p").as_f64(), call.ints("dim"), call.flag("keepdim"));
    let size = Expr::apply(&ABS, [wide(call)], []);
    if p == f64::INFINITY {
        return amax(size, dim, keep);
    }
    if p == f64::NEG_INFINITY {
        let attrs = [ints(dim.iter().copied()), keep.into()];
        return Expr::apply(&super::reduce::AMIN, [size], attrs);
    }
    if p == 0.0 {
        let counted = Expr::apply(&super::compare::NE, [size.clone(), Expr::from(0.0)], []);
        return sum(where_(counted, size.clone() * 0.0 + 1.0, 0.0), dim, keep);
    }
    if p == 1.0 {
        return sum(size, dim, keep);
    }
    if p == 2.0 {
        return Expr::apply(&SQRT, [sum(size.clone() * size, dim, keep)], []);
    }
    pow(sum(pow(size, p), dim, keep), 1.0 / p)
}

fn variance(call: &Call) -> Expr {
    let mean = Expr::apply(
        &MEAN,
        [wide(call)],
        [ints(call.ints("dim").iter().copied()), true.into(), Attr::None],
    );
    let distance = wide(call) - mean;
    let squares = distance.clone() * distance;
    sum(squares, call.ints("dim"), call.flag("keepdim")) / freedom(call)
}

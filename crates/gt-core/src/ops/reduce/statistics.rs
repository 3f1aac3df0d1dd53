//! Variance, standard deviation, norms and `logsumexp`.

use super::extreme::{AMIN, amax};
use super::sum::{kept_shape, mean, reduced_count, spread, sum};
use crate::attrs::{Attr, AttrSpec};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Output};
use crate::op::{Autocast, Call, Domain, Op, Sample, Shapes, ints};
use crate::ops::elementwise::binary::POW;
use crate::ops::elementwise::compare::{ISFINITE, NE, eq};
use crate::ops::elementwise::ternary::where_;
use crate::ops::elementwise::unary::{ABS, LOG, SIGN, SQRT, cast, exp};
use crate::ops::family::COMPOSITE;
use crate::ops::shape::axes::reshape;
use crate::ops::{codes, keys};
use crate::placement::Combine;
use crate::rules::promote::{self, Promotion};
use crate::rules::{shape, shard};

static SPREAD_ATTRS: [AttrSpec; 3] =
    [keys::AXES.or_empty(), keys::CORRECTION.or(1), keys::KEEPDIM.or(false)];

pub static VAR: Op = Op {
    name: "var",
    code: codes::VAR,
    doc: "The mean square distance of the elements from their mean.",
    attrs: &SPREAD_ATTRS,
    shape: float_reduce,
    shard: shard::reduce_whole,
    grad: Some(|call| {
        let distance = Input(0) - mean(Input(0), call.ints(keys::AXES));
        vec![spread(call, Grad(0)) * distance * (2.0 / freedom(call))]
    }),
    expansion: Some(|call| vec![variance(call)]),
    torch: "torch.var",
    samples: spread_samples,
    ..COMPOSITE
};

pub static STD: Op = Op {
    name: "std",
    code: codes::STD,
    doc: "The square root of the mean square distance of the elements from their mean.",
    grad: Some(|call| {
        let distance = Input(0) - mean(Input(0), call.ints(keys::AXES));
        // Where all elements are equal, the derivative is defined as zero.
        let slope = where_(eq(Output(0), 0.0), 0.0, Grad(0) / Output(0));
        vec![spread(call, slope) * distance * (1.0 / freedom(call))]
    }),
    expansion: Some(|call| vec![Expr::apply(&SQRT, [variance(call)], [])]),
    torch: "torch.std",
    ..VAR
};

static NORM_ATTRS: [AttrSpec; 4] =
    [keys::ORDER.or(2.0), keys::AXES.or_empty(), keys::KEEPDIM.or(false), keys::DTYPE.or_none()];

pub static NORM: Op = Op {
    name: "norm",
    code: codes::NORM,
    doc: "The length of the elements along axes, or of all: the p-th root of their p-th powers.",
    attrs: &NORM_ATTRS,
    shape: |call| {
        let (dtype, own) = (precision(call), call.inputs[0].dtype());
        if !dtype.is_float() || promote::common(own, dtype) != dtype {
            let message = format!("the length of {own} cannot be computed in {dtype}");
            return Err(Error::runtime(format!("{message}; it needs a float that is as wide")));
        }
        // An empty set has no largest element.
        if call.float(keys::ORDER).is_infinite() {
            shape::reduce_some(call)?;
        }
        float_reduce(call)
    },
    promotion: Promotion::Attr,
    grad: Some(|call| vec![length_gradient(call)]),
    shard: |call| {
        let p = call.float(keys::ORDER);
        match p.abs() {
            0.0 | 1.0 if p >= 0.0 => shard::reduce(call, Combine::Sum),
            f64::INFINITY if p > 0.0 => shard::reduce(call, Combine::Max),
            f64::INFINITY => shard::reduce(call, Combine::Min),
            _ => shard::reduce_whole(call),
        }
    },
    expansion: Some(|call| vec![length(call)]),
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
            of(1.0, &[0], false, Attr::None),
            of(f64::INFINITY, &[1], true, Attr::None),
        ]
    },
    ..COMPOSITE
};

static LOGSUMEXP_ATTRS: [AttrSpec; 2] = [keys::AXES.required(), keys::KEEPDIM.or(false)];

pub static LOGSUMEXP: Op = Op {
    name: "logsumexp",
    code: codes::LOGSUMEXP,
    doc: "The logarithm of the sum of the exponentials along axes.",
    attrs: &LOGSUMEXP_ATTRS,
    shape: shape::reduce,
    shard: shard::reduce_whole,
    grad: Some(|call| {
        let kept = kept_shape(call);
        let share = exp(Input(0) - reshape(Output(0), &kept));
        vec![reshape(Grad(0), &kept) * share]
    }),
    expansion: Some(|call| {
        let (dim, keep) = (call.ints(keys::AXES), call.flag(keys::KEEPDIM));
        if call.shape(0).count() == 0 {
            return vec![Expr::apply(&LOG, [sum(exp(Input(0)), dim, keep)], [])];
        }
        let largest = amax(Input(0), dim, true);
        // Infinity minus infinity is NaN, so that an infinite maximum is not subtracted.
        let finite = Expr::apply(&ISFINITE, [largest.clone()], []);
        let largest = where_(finite, largest, 0.0);
        let total = sum(exp(Input(0) - largest.clone()), dim, true);
        let result = Expr::apply(&LOG, [total], []) + largest;
        let axes = call.axes(keys::AXES, 0).unwrap_or_default();
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

/// The gradient of a norm; at zero it is zero.
fn length_gradient(call: &Call) -> Expr {
    let (p, kept) = (call.float(keys::ORDER), kept_shape(call));
    let (length, grad) = (reshape(Output(0), &kept), reshape(Grad(0), &kept));
    let size = Expr::apply(&ABS, [Input(0)], []);
    let sign = Expr::apply(&SIGN, [Input(0)], []);
    if p == 0.0 {
        return Expr::Zero;
    }
    if p.is_infinite() {
        let chosen = eq(size, length);
        let count = sum(cast(chosen.clone(), call.inputs[0].dtype()), call.ints(keys::AXES), true);
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

/// The degrees of freedom.
fn freedom(call: &Call) -> f64 {
    (reduced_count(call) - call.number(keys::CORRECTION).as_f64()).max(0.0)
}

/// The dtype of the result: the one requested, or that of the input.
fn precision(call: &Call) -> DType {
    promote::promote(call).unwrap_or(call.inputs[0].dtype())
}

/// The p-norm: the p-th root of the sum of the p-th powers, or the largest or smallest size for an
/// infinite p.
fn length(call: &Call) -> Expr {
    let (p, dim, keep) = (call.float(keys::ORDER), call.ints(keys::AXES), call.flag(keys::KEEPDIM));
    let size = Expr::apply(&ABS, [Input(0)], []);
    if p == f64::INFINITY {
        return amax(size, dim, keep);
    }
    if p == f64::NEG_INFINITY {
        let attrs = [ints(dim.iter().copied()), keep.into()];
        return Expr::apply(&AMIN, [size], attrs);
    }
    if p == 0.0 {
        let counted = Expr::apply(&NE, [size.clone(), Expr::from(0.0)], []);
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
    let mean = mean(Input(0), call.ints(keys::AXES));
    let distance = Input(0) - mean;
    let squares = distance.clone() * distance;
    sum(squares, call.ints(keys::AXES), call.flag(keys::KEEPDIM)) / freedom(call)
}

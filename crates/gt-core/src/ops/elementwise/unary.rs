//! Functions of one operand: signs, roots, exponentials, logarithms, rounding and casts.

use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, LN_10};

use super::binary::{POW, not_of_bools};
use super::compare::{ISFINITE, ISNAN, eq, gt, lt};
use super::ternary::where_;
use crate::attrs::{Attr, AttrSpec, Key};
use crate::dtype::DType;
use crate::error::Error;
use crate::expr::Expr::{self, Grad, Input, Output, Zero};
use crate::kernel::{Kernel, UnaryFn};
use crate::op::{Autocast, Call, Domain, Linear, Op, Output as Out, OutputType, Python, Sample};
use crate::ops::family::{MOVE, UNARY};
use crate::ops::{codes, keys};
use crate::rules::promote::Promotion;
use crate::rules::{shape, shard};

pub static NEG: Op = Op {
    name: "neg",
    code: codes::NEG,
    doc: "Each element with the other sign.",
    promotion: Promotion::Common,
    shape: not_of_bools,
    grad: Some(|_| vec![-Grad(0)]),
    linear: Linear::Each(&[0]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Neg)),
    torch: "torch.neg",
    python: Python::operator("neg").also(&["negative"]),
    ..UNARY
};

pub static ABS: Op = Op {
    name: "abs",
    code: codes::ABS,
    doc: "The size of each element without its sign.",
    promotion: Promotion::Common,
    grad: Some(|_| {
        let falling = where_(lt(Input(0), 0.0), -Grad(0), 0.0);
        vec![where_(gt(Input(0), 0.0), Grad(0), falling)]
    }),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Abs)),
    domain: Domain::NonZero,
    torch: "torch.abs",
    numpy: Some("fabs"),
    python: Python::operator("abs").also(&["absolute"]),
    ..UNARY
};

pub static EXP: Op = Op {
    name: "exp",
    code: codes::EXP,
    doc: "e to the power of each element.",
    grad: Some(|_| vec![Grad(0) * Output(0)]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Exp)),
    autocast: Autocast::Full,
    torch: "torch.exp",
    ..UNARY
};

pub static LOG: Op = Op {
    name: "log",
    code: codes::LOG,
    doc: "The natural logarithm of each element.",
    grad: Some(|_| vec![Grad(0) / Input(0)]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Log)),
    domain: Domain::Positive,
    autocast: Autocast::Full,
    torch: "torch.log",
    ..UNARY
};

pub static SQRT: Op = Op {
    name: "sqrt",
    code: codes::SQRT,
    doc: "The square root of each element.",
    grad: Some(|_| vec![Grad(0) / (Output(0) + Output(0))]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Sqrt)),
    domain: Domain::Positive,
    torch: "torch.sqrt",
    ..UNARY
};

static CAST_ATTRS: [AttrSpec; 1] = [keys::DTYPE.required()];
static CAST_RESULT: [Out; 1] = [Out { name: "result", dtype: OutputType::Attr }];

pub static CAST: Op = Op {
    name: "cast",
    code: codes::CAST,
    doc: "The elements in another dtype.",
    attrs: &CAST_ATTRS,
    outputs: &CAST_RESULT,
    promotion: Promotion::Common,
    shard: shard::pointwise,
    // Every gradient is cast to the dtype of its input.
    grad: Some(|_| vec![Grad(0)]),
    // A partial sum that is truncated to an integer loses its fraction.
    linear: Linear::No,
    kernel: |_| Ok(Kernel::Cast),
    torch: "Tensor.to",
    python: Python::HIDDEN,
    samples: || {
        let to = |dtype: DType| Sample::of(&[&[2, 3]]).attrs([Attr::DType(dtype)]);
        vec![to(DType::F64), to(DType::F32), to(DType::I32), to(DType::Bool)]
    },
    ..MOVE
};

pub static SIGN: Op = Op {
    name: "sign",
    code: codes::SIGN,
    doc: "-1, 0 or 1, as each element is negative, zero or positive.",
    promotion: Promotion::Common,
    grad: Some(|_| vec![Zero]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Sign)),
    domain: Domain::NonZero,
    torch: "torch.sign",
    python: Python::IN_PLACE.also(&["sgn"]),
    ..UNARY
};

const ROUNDING: Op = Op {
    promotion: Promotion::Common,
    shape: shape::broadcast_numbers,
    grad: Some(|_| vec![Zero]),
    domain: Domain::NonZero,
    ..UNARY
};

pub static FLOOR: Op = Op {
    name: "floor",
    code: codes::FLOOR,
    doc: "The largest whole number that is not above each element.",
    kernel: |_| Ok(Kernel::Map(UnaryFn::Floor)),
    torch: "torch.floor",
    ..ROUNDING
};

pub static CEIL: Op = Op {
    name: "ceil",
    code: codes::CEIL,
    doc: "The smallest whole number that is not below each element.",
    kernel: |_| Ok(Kernel::Map(UnaryFn::Ceil)),
    torch: "torch.ceil",
    ..ROUNDING
};

pub static ROUND: Op = Op {
    name: "round",
    code: codes::ROUND,
    doc: "The whole number nearest to each element; of two, the even one.",
    kernel: |_| Ok(Kernel::Map(UnaryFn::Round)),
    torch: "torch.round",
    numpy: Some("rint"),
    python: Python::IN_PLACE.with("decimals", &ROUND_DECIMALS),
    ..ROUNDING
};

static DECIMALS: [AttrSpec; 1] = [keys::DECIMALS.or(0)];

pub static ROUND_DECIMALS: Op = Op {
    name: "round_decimals",
    code: codes::ROUND_DECIMALS,
    doc: "The number with so many decimals that is nearest to each element; below zero, the \
          multiple of a power of ten.",
    attrs: &DECIMALS,
    shape: |call| match call.inputs[0].dtype().is_float() || call.int(keys::DECIMALS) == 0 {
        true => shape::broadcast_numbers(call),
        false => Err(Error::runtime("whole numbers have no decimals; decimals must be 0")),
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        let decimals = call.int(keys::DECIMALS).clamp(-400, 400);
        let power = 10f64.powi(decimals.unsigned_abs() as i32);
        let round = |x: Expr| Expr::apply(&ROUND, [x], []);
        match decimals {
            0 => vec![round(Input(0))],
            1.. => vec![round(Input(0) * power) / power],
            _ => vec![round(Input(0) / power) * power],
        }
    }),
    python: Python::HIDDEN,
    samples: || {
        let of = |decimals: i64| Sample::of(&[&[2, 3]]).attrs([decimals.into()]);
        vec![of(1), of(-1), of(0)]
    },
    ..ROUNDING
};

pub static TRUNC: Op = Op {
    name: "trunc",
    code: codes::TRUNC,
    doc: "Each element without its fraction.",
    kernel: |_| Ok(Kernel::Map(UnaryFn::Trunc)),
    torch: "torch.trunc",
    python: Python::IN_PLACE.also(&["fix"]),
    ..ROUNDING
};

pub static RECIPROCAL: Op = Op {
    name: "reciprocal",
    code: codes::RECIPROCAL,
    doc: "One over each element.",
    grad: Some(|_| vec![-(Grad(0) * (Output(0) * Output(0)))]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Reciprocal)),
    domain: Domain::NonZero,
    autocast: Autocast::Full,
    torch: "torch.reciprocal",
    ..UNARY
};

pub static RSQRT: Op = Op {
    name: "rsqrt",
    code: codes::RSQRT,
    doc: "One over the square root of each element.",
    grad: Some(|_| vec![Grad(0) * (Output(0) * Output(0) * Output(0)) * -0.5]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Rsqrt)),
    domain: Domain::Positive,
    autocast: Autocast::Full,
    torch: "torch.rsqrt",
    ..UNARY
};

pub static SQUARE: Op = Op {
    name: "square",
    code: codes::SQUARE,
    doc: "Each element times itself.",
    promotion: Promotion::Whole,
    grad: Some(|_| vec![Grad(0) * (Input(0) + Input(0))]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Square)),
    torch: "torch.square",
    ..UNARY
};

pub static EXPM1: Op = Op {
    name: "expm1",
    code: codes::EXPM1,
    doc: "exp(x) - 1 of each element, exact near zero.",
    grad: Some(|_| vec![Grad(0) * (Output(0) + 1.0)]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Expm1)),
    autocast: Autocast::Full,
    torch: "torch.expm1",
    ..UNARY
};

pub static LOG1P: Op = Op {
    name: "log1p",
    code: codes::LOG1P,
    doc: "log(1 + x) of each element, exact near zero.",
    grad: Some(|_| vec![Grad(0) / (Input(0) + 1.0)]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Log1p)),
    domain: Domain::Positive,
    autocast: Autocast::Full,
    torch: "torch.log1p",
    ..UNARY
};

pub static LOG2: Op = Op {
    name: "log2",
    code: codes::LOG2,
    doc: "The logarithm of each element to the base of two.",
    grad: Some(|_| vec![Grad(0) / (Input(0) * LN_2)]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Log2)),
    domain: Domain::Positive,
    autocast: Autocast::Full,
    torch: "torch.log2",
    ..UNARY
};

pub static ERF: Op = Op {
    name: "erf",
    code: codes::ERF,
    doc: "The error function of each element.",
    grad: Some(|_| vec![Grad(0) * (exp(-(Input(0) * Input(0))) * FRAC_2_SQRT_PI)]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Erf)),
    torch: "torch.erf",
    ..UNARY
};

pub static LOG10: Op = Op {
    name: "log10",
    code: codes::LOG10,
    doc: "The logarithm of each element to the base of ten.",
    grad: Some(|_| vec![Grad(0) / (Input(0) * LN_10)]),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        // A rounded quotient misses exact powers of ten; at twice the precision it does not.
        match computed(call) {
            DType::F64 => vec![log(Input(0)) / LN_10],
            dtype => vec![cast(log(cast(Input(0), DType::F64)) / LN_10, dtype)],
        }
    }),
    domain: Domain::Positive,
    autocast: Autocast::Full,
    torch: "torch.log10",
    ..UNARY
};

pub static EXP2: Op = Op {
    name: "exp2",
    code: codes::EXP2,
    doc: "Two to the power of each element.",
    grad: Some(|_| vec![Grad(0) * (Output(0) * LN_2)]),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|_| vec![Expr::apply(&POW, [2.0.into(), Input(0)], [])]),
    torch: "torch.exp2",
    ..UNARY
};

pub static ERFC: Op = Op {
    name: "erfc",
    code: codes::ERFC,
    doc: "One less the error function of each element.",
    grad: Some(|_| vec![Grad(0) * (exp(-(Input(0) * Input(0))) * -FRAC_2_SQRT_PI)]),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|_| vec![Expr::from(1.0) - erf(Input(0))]),
    torch: "torch.erfc",
    ..UNARY
};

pub static FRAC: Op = Op {
    name: "frac",
    code: codes::FRAC,
    doc: "The fraction of each element, with its sign.",
    promotion: Promotion::Common,
    shape: shape::broadcast_numbers,
    grad: Some(|_| vec![Grad(0)]),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|_| vec![Input(0) - Expr::apply(&TRUNC, [Input(0)], [])]),
    domain: Domain::NonZero,
    torch: "torch.frac",
    ..UNARY
};

static REPLACEMENTS: [AttrSpec; 3] =
    [keys::NAN.or_none(), keys::POSINF.or_none(), keys::NEGINF.or_none()];

pub static NAN_TO_NUM: Op = Op {
    name: "nan_to_num",
    code: codes::NAN_TO_NUM,
    doc: "Each element, or a number where it is infinite or not a number.",
    attrs: &REPLACEMENTS,
    promotion: Promotion::Common,
    grad: Some(|_| vec![where_(Expr::apply(&ISFINITE, [Input(0)], []), Grad(0), 0.0)]),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        let Some(limit) = largest(call.inputs[0].dtype()) else {
            return vec![cast(Input(0), call.inputs[0].dtype())];
        };
        let given = |key: Key<f64>, otherwise: f64| match call.attr(key) {
            Attr::Float(number) => *number,
            _ => otherwise,
        };
        let (above, below) = (given(keys::POSINF, limit), given(keys::NEGINF, -limit));
        let is_nan = Expr::apply(&ISNAN, [Input(0)], []);
        let high = where_(eq(Input(0), f64::INFINITY), above, Input(0));
        let low = where_(eq(Input(0), f64::NEG_INFINITY), below, high);
        vec![where_(is_nan, given(keys::NAN, 0.0), low)]
    }),
    torch: "torch.nan_to_num",
    samples: || {
        let of = |nan: Attr, posinf: Attr| Sample::of(&[&[2, 3]]).attrs([nan, posinf, Attr::None]);
        vec![of(Attr::None, Attr::None), of(Attr::Float(1.0), Attr::Float(2.0))]
    },
    ..UNARY
};

/// The elements in another dtype.
pub fn cast(input: Expr, dtype: DType) -> Expr {
    Expr::apply(&CAST, [input], [dtype.into()])
}

/// The dtype a row computes in.
fn computed(call: &Call) -> DType {
    call.infer().map_or(DType::F32, |inferred| inferred.compute)
}

fn log(input: Expr) -> Expr {
    Expr::apply(&LOG, [input], [])
}

/// e to the power of each element.
pub fn exp(input: Expr) -> Expr {
    Expr::apply(&EXP, [input], [])
}

/// The error function of each element.
pub fn erf(input: Expr) -> Expr {
    Expr::apply(&ERF, [input], [])
}

/// The largest finite number of a floating point dtype.
fn largest(dtype: DType) -> Option<f64> {
    match dtype {
        DType::F16 => Some(65504.0),
        DType::BF16 => Some(f64::from(f32::from_bits(0x7f7f_0000))),
        DType::F32 => Some(f64::from(f32::MAX)),
        DType::F64 => Some(f64::MAX),
        _ => None,
    }
}

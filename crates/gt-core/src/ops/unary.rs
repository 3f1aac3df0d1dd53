//! Mathematical functions of each element.

use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, LN_10, PI};

use super::codes;
use super::compare::eq;
use super::elementwise::{LOG, POW, cast, where_};
use super::family::UNARY;
use super::keys;
use crate::attrs::AttrSpec;
use crate::dtype::DType;
use crate::error::Error;
use crate::expr::Expr::{self, Grad, Input, Output, Zero};
use crate::kernel::{Kernel, UnaryFn};
use crate::op::{Autocast, Call, Domain, Op, Python, Sample};
use crate::rules::promote::Promotion;
use crate::rules::shape;

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

pub static SIN: Op = Op {
    name: "sin",
    code: codes::SIN,
    doc: "The sine of each element.",
    grad: Some(|_| vec![Grad(0) * Expr::apply(&COS, [Input(0)], [])]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Sin)),
    torch: "torch.sin",
    ..UNARY
};

pub static COS: Op = Op {
    name: "cos",
    code: codes::COS,
    doc: "The cosine of each element.",
    grad: Some(|_| vec![-(Grad(0) * Expr::apply(&SIN, [Input(0)], []))]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Cos)),
    torch: "torch.cos",
    ..UNARY
};

pub static TAN: Op = Op {
    name: "tan",
    code: codes::TAN,
    doc: "The tangent of each element.",
    grad: Some(|_| vec![Grad(0) * (Output(0) * Output(0) + 1.0)]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Tan)),
    autocast: Autocast::Full,
    torch: "torch.tan",
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
        // A product of rounded numbers misses whole powers of ten; twice as fine, it does not.
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

pub static SINC: Op = Op {
    name: "sinc",
    code: codes::SINC,
    doc: "sin(πx) / πx of each element, and one at zero.",
    grad: Some(|_| {
        let slope = (Expr::apply(&COS, [Input(0) * PI], []) - Output(0)) / Input(0);
        vec![where_(eq(Input(0), 0.0), 0.0, Grad(0) * slope)]
    }),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|_| {
        let angle = Input(0) * PI;
        let ratio = Expr::apply(&SIN, [angle.clone()], []) / angle;
        vec![where_(eq(Input(0), 0.0), 1.0, ratio)]
    }),
    domain: Domain::NonZero,
    torch: "torch.sinc",
    ..UNARY
};

/// The dtype a row computes in.
fn computed(call: &Call) -> DType {
    call.infer().map_or(DType::F32, |inferred| inferred.compute)
}

fn log(input: Expr) -> Expr {
    Expr::apply(&LOG, [input], [])
}

/// e to the power of each element.
pub fn exp(input: Expr) -> Expr {
    Expr::apply(&super::elementwise::EXP, [input], [])
}

/// The error function of each element.
pub fn erf(input: Expr) -> Expr {
    Expr::apply(&ERF, [input], [])
}

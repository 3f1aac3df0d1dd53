//! Activation functions such as `relu`, `sigmoid` and `gelu`. Softmax is in `layer/softmax.rs`.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use super::binary::{MINIMUM, not_of_bools};
use super::compare::{ge, gt, le, lt};
use super::ternary::{CLAMP, where_};
use super::trigonometry::TANH;
use super::unary::{ABS, EXPM1, LOG1P, erf, exp};
use crate::attrs::{Attr, AttrSpec, Key};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Number, Output};
use crate::kernel::{Kernel, UnaryFn};
use crate::op::{Autocast, Call, Domain, Op, Python, Sample, Shapes};
use crate::ops::family::UNARY;
use crate::ops::{codes, keys};
use crate::rules::promote::Promotion;
use crate::rules::shape;

pub static RELU: Op = Op {
    name: "relu",
    code: codes::RELU,
    doc: "Each element, or zero where it is negative.",
    promotion: Promotion::Common,
    shape: not_of_bools,
    // The gradient passes where the result is NaN.
    grad: Some(|_| vec![where_(le(Output(0), 0.0), 0.0, Grad(0))]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Relu)),
    domain: Domain::NonZero,
    torch: "torch.relu",
    ..UNARY
};

pub static SIGMOID: Op = Op {
    name: "sigmoid",
    code: codes::SIGMOID,
    doc: "1 / (1 + exp(-x)) of each element.",
    grad: Some(|_| vec![Grad(0) * (Output(0) * (Expr::from(1.0) - Output(0)))]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Sigmoid)),
    torch: "torch.sigmoid",
    ..UNARY
};

/// One input, computed by an expansion.
const ACTIVATION: Op = Op { kernel: |_| Ok(Kernel::Expansion), python: Python::BOTH, ..UNARY };

/// √(2/π)
const SQRT_2_OVER_PI: f64 = FRAC_2_SQRT_PI * FRAC_1_SQRT_2;
/// The coefficient of the cube in the tanh approximation of gelu.
const GELU_CUBE: f64 = 0.044715;

static GELU_ATTRS: [AttrSpec; 1] = [keys::APPROXIMATE.or_none()];

pub static GELU: Op = Op {
    name: "gelu",
    code: codes::GELU,
    doc: "Each element times the share of the normal distribution below it.",
    attrs: &GELU_ATTRS,
    shape: gelu_shape,
    kernel: |call| match is_tanh(call) {
        true => Ok(Kernel::Expansion),
        false => Ok(Kernel::Map(UnaryFn::Gelu)),
    },
    grad: Some(|call| {
        if is_tanh(call) {
            let tanh = gelu_tanh();
            // Beyond this `bend` is zero, and the square could overflow.
            let x = Expr::apply(&CLAMP, [Input(0)], [Attr::Float(-10.0), Attr::Float(10.0)]);
            let inner = (x.clone() * x * (3.0 * GELU_CUBE) + 1.0) * SQRT_2_OVER_PI;
            let bend = (Expr::from(1.0) - tanh.clone() * tanh.clone()) * inner;
            return vec![Grad(0) * (((tanh + 1.0) + Input(0) * bend) * 0.5)];
        }
        let density = exp(Input(0) * Input(0) * -0.5) * (SQRT_2_OVER_PI * 0.5);
        vec![Grad(0) * (below() + Input(0) * density)]
    }),
    expansion: Some(|call| {
        let share = if is_tanh(call) { (gelu_tanh() + 1.0) * 0.5 } else { below() };
        vec![Input(0) * share]
    }),
    torch: "torch.nn.functional.gelu",
    samples: || {
        let of = |approximate: Attr| Sample::of(&[&[2, 3]]).attrs([approximate]);
        vec![of(Attr::None), of(Attr::Text("tanh".into()))]
    },
    ..ACTIVATION
};

pub static SILU: Op = Op {
    name: "silu",
    code: codes::SILU,
    doc: "Each element times its sigmoid.",
    grad: Some(|_| {
        let share = sigmoid(Input(0));
        let bend = Input(0) * (Expr::from(1.0) - share.clone());
        vec![Grad(0) * (share * (bend + 1.0))]
    }),
    expansion: Some(|_| vec![Input(0) * sigmoid(Input(0))]),
    torch: "torch.nn.functional.silu",
    ..ACTIVATION
};

static SOFTPLUS_ATTRS: [AttrSpec; 2] = [keys::BETA_FLOAT.or(1.0), keys::THRESHOLD_FLOAT.or(20.0)];

pub static SOFTPLUS: Op = Op {
    name: "softplus",
    code: codes::SOFTPLUS,
    doc: "log(1 + exp(beta x)) / beta of each element; x itself above the threshold.",
    attrs: &SOFTPLUS_ATTRS,
    grad: Some(|call| {
        let (beta, threshold) = softplus_numbers(call);
        let scaled = Input(0) * beta;
        vec![where_(gt(scaled.clone(), threshold), Grad(0), Grad(0) * sigmoid(scaled))]
    }),
    expansion: Some(|call| {
        let (beta, threshold) = softplus_numbers(call);
        let scaled = Input(0) * beta;
        let bent = Expr::apply(&LOG1P, [exp(scaled.clone())], []) / beta;
        vec![where_(gt(scaled, threshold), Input(0), bent)]
    }),
    autocast: Autocast::Full,
    torch: "torch.nn.functional.softplus",
    samples: || {
        let of = |beta: f64, threshold: f64| {
            Sample::of(&[&[2, 3]]).attrs([Attr::Float(beta), Attr::Float(threshold)])
        };
        vec![of(1.0, 20.0), of(2.0, 0.5)]
    },
    ..ACTIVATION
};

static SLOPE_ATTR: [AttrSpec; 1] = [keys::NEGATIVE_SLOPE.or(0.01)];

pub static LEAKY_RELU: Op = Op {
    name: "leaky_relu",
    code: codes::LEAKY_RELU,
    doc: "Each element, or a small part of it where it is negative.",
    attrs: &SLOPE_ATTR,
    grad: Some(|call| {
        let slope = call.float(keys::NEGATIVE_SLOPE);
        vec![where_(gt(Input(0), 0.0), Grad(0), Grad(0) * slope)]
    }),
    expansion: Some(|call| {
        let slope = call.float(keys::NEGATIVE_SLOPE);
        vec![where_(gt(Input(0), 0.0), Input(0), Input(0) * slope)]
    }),
    domain: Domain::NonZero,
    torch: "torch.nn.functional.leaky_relu",
    samples: || {
        let of = |slope: f64| Sample::of(&[&[2, 3]]).attrs([Attr::Float(slope)]);
        vec![of(0.01), of(0.3)]
    },
    ..ACTIVATION
};

static ALPHA_ATTR: [AttrSpec; 1] = [keys::ALPHA_FLOAT.or(1.0)];

pub static ELU: Op = Op {
    name: "elu",
    code: codes::ELU,
    doc: "Each element, or alpha (exp(x) - 1) where it is negative.",
    attrs: &ALPHA_ATTR,
    grad: Some(|call| {
        let alpha = call.float(keys::ALPHA_FLOAT);
        vec![where_(gt(Input(0), 0.0), Grad(0), Grad(0) * (exp(below_zero()) * alpha))]
    }),
    expansion: Some(|call| {
        let alpha = call.float(keys::ALPHA_FLOAT);
        let bent = Expr::apply(&EXPM1, [Input(0)], []) * alpha;
        vec![where_(gt(Input(0), 0.0), Input(0), bent)]
    }),
    domain: Domain::NonZero,
    torch: "torch.nn.functional.elu",
    samples: || {
        let of = |alpha: f64| Sample::of(&[&[2, 3]]).attrs([Attr::Float(alpha)]);
        vec![of(1.0), of(0.5)]
    },
    ..ACTIVATION
};

static HARDTANH_ATTRS: [AttrSpec; 2] = [keys::MIN_VAL.or(-1.0), keys::MAX_VAL.or(1.0)];

pub static HARDTANH: Op = Op {
    name: "hardtanh",
    code: codes::HARDTANH,
    doc: "Each element, or the nearer limit where it is beyond one.",
    attrs: &HARDTANH_ATTRS,
    promotion: Promotion::Common,
    shape: shape::broadcast_numbers,
    grad: Some(|call| {
        let [low, high] = [keys::MIN_VAL, keys::MAX_VAL].map(|key| call.float(key));
        vec![between(Grad(0), low, high)]
    }),
    expansion: Some(|call| {
        let [low, high] = [keys::MIN_VAL, keys::MAX_VAL].map(|key| call.float(key));
        vec![clamp(call, low, high)]
    }),
    domain: Domain::NonZero,
    torch: "torch.nn.functional.hardtanh",
    samples: || {
        let of = |low: f64, high: f64| Sample::of(&[&[2, 3]]).attrs([low, high].map(Attr::Float));
        vec![of(-1.0, 1.0), of(-0.25, 2.0)]
    },
    ..ACTIVATION
};

pub static RELU6: Op = Op {
    name: "relu6",
    code: codes::RELU6,
    doc: "Each element, or zero where it is negative, or six where it is above.",
    promotion: Promotion::Common,
    shape: shape::broadcast_numbers,
    grad: Some(|_| vec![between(Grad(0), 0.0, 6.0)]),
    expansion: Some(|call| vec![clamp(call, 0.0, 6.0)]),
    domain: Domain::NonZero,
    torch: "torch.nn.functional.relu6",
    ..ACTIVATION
};

pub static HARDSWISH: Op = Op {
    name: "hardswish",
    code: codes::HARDSWISH,
    doc: "Each element times a straight line that goes from zero at -3 to one at 3.",
    grad: Some(|_| {
        let bend = Grad(0) * (Input(0) * (1.0 / 3.0) + 0.5);
        let above = where_(ge(Input(0), 3.0), Grad(0), bend);
        vec![where_(le(Input(0), -3.0), 0.0, above)]
    }),
    expansion: Some(|_| vec![Input(0) * ramp(Input(0))]),
    torch: "torch.nn.functional.hardswish",
    ..ACTIVATION
};

pub static HARDSIGMOID: Op = Op {
    name: "hardsigmoid",
    code: codes::HARDSIGMOID,
    doc: "A straight line that goes from zero at -3 to one at 3.",
    grad: Some(|_| vec![between(Grad(0) * (1.0 / 6.0), -3.0, 3.0)]),
    expansion: Some(|_| vec![ramp(Input(0))]),
    torch: "torch.nn.functional.hardsigmoid",
    ..ACTIVATION
};

static THRESHOLD_ATTRS: [AttrSpec; 2] = [keys::THRESHOLD.required(), keys::VALUE.required()];

const THRESHOLD_NUMBERS: [Key<Scalar>; 2] = [keys::THRESHOLD, keys::VALUE];

pub static THRESHOLD: Op = Op {
    name: "threshold",
    code: codes::THRESHOLD,
    doc: "Each element that is above a threshold, and a number for the others.",
    attrs: &THRESHOLD_ATTRS,
    promotion: Promotion::Common,
    shape: |call| match call.inputs[0].dtype() {
        DType::Bool => Err(Error::runtime("not implemented for bool")),
        DType::U8 if THRESHOLD_NUMBERS.iter().any(|&key| call.number(key).as_f64() < 0.0) => {
            Err(Error::runtime("uint8 has no negative numbers"))
        }
        _ => shape::same(call),
    },
    grad: Some(|call| {
        let threshold = call.number(keys::THRESHOLD);
        vec![where_(le(Input(0), Number(threshold)), 0.0, Grad(0))]
    }),
    expansion: Some(|call| {
        let whole = !call.inputs[0].dtype().is_float();
        let [threshold, value] = THRESHOLD_NUMBERS.map(|key| match call.number(key) {
            Scalar::Float(number) if whole => Scalar::Int(number as i64),
            number => number,
        });
        vec![where_(gt(Input(0), Number(threshold)), Input(0), Number(value))]
    }),
    domain: Domain::NonZero,
    torch: "torch.nn.functional.threshold",
    samples: || {
        let of = |a: f64, b: f64| Sample::of(&[&[2, 3]]).attrs([a, b].map(Attr::Float));
        vec![of(0.0, 0.0), of(0.25, 20.0)]
    },
    ..ACTIVATION
};

pub static MISH: Op = Op {
    name: "mish",
    code: codes::MISH,
    doc: "Each element times the hyperbolic tangent of its softplus.",
    grad: Some(|_| {
        let share = tanh_of_softplus(Input(0));
        let bend = Expr::from(1.0) - share.clone() * share.clone();
        vec![Grad(0) * (share + Input(0) * sigmoid(Input(0)) * bend)]
    }),
    expansion: Some(|_| vec![Input(0) * tanh_of_softplus(Input(0))]),
    torch: "torch.nn.functional.mish",
    ..ACTIVATION
};

pub static CELU: Op = Op {
    name: "celu",
    code: codes::CELU,
    doc: "Each element, or alpha (exp(x / alpha) - 1) where it is negative.",
    attrs: &ALPHA_ATTR,
    grad: Some(|call| {
        let alpha = call.float(keys::ALPHA_FLOAT);
        vec![where_(gt(Input(0), 0.0), Grad(0), Grad(0) * exp(below_zero() / alpha))]
    }),
    expansion: Some(|call| {
        let alpha = call.float(keys::ALPHA_FLOAT);
        let bent = Expr::apply(&EXPM1, [Input(0) / alpha], []) * alpha;
        vec![where_(gt(Input(0), 0.0), Input(0), bent)]
    }),
    domain: Domain::NonZero,
    torch: "torch.nn.functional.celu",
    samples: || {
        let of = |alpha: f64| Sample::of(&[&[2, 3]]).attrs([Attr::Float(alpha)]);
        vec![of(1.0), of(0.5)]
    },
    ..ACTIVATION
};

/// These two constants preserve mean zero and variance one from layer to layer.
const SELU_SCALE: f64 = 1.050_700_987_355_480_5;
const SELU_ALPHA: f64 = 1.673_263_242_354_377_2;

pub static SELU: Op = Op {
    name: "selu",
    code: codes::SELU,
    doc: "A scaled elu that keeps a normal distribution normal.",
    grad: Some(|_| {
        let bent = Grad(0) * (exp(below_zero()) * (SELU_SCALE * SELU_ALPHA));
        vec![where_(gt(Input(0), 0.0), Grad(0) * SELU_SCALE, bent)]
    }),
    expansion: Some(|_| {
        let bent = Expr::apply(&EXPM1, [Input(0)], []) * SELU_ALPHA;
        vec![where_(gt(Input(0), 0.0), Input(0), bent) * SELU_SCALE]
    }),
    domain: Domain::NonZero,
    torch: "torch.nn.functional.selu",
    ..ACTIVATION
};

pub static LOGSIGMOID: Op = Op {
    name: "logsigmoid",
    code: codes::LOGSIGMOID,
    doc: "The logarithm of the sigmoid of each element.",
    grad: Some(|_| vec![Grad(0) * sigmoid(-Input(0))]),
    expansion: Some(|_| {
        let size = Expr::apply(&ABS, [Input(0)], []);
        vec![below_zero() - Expr::apply(&LOG1P, [exp(-size)], [])]
    }),
    torch: "torch.nn.functional.logsigmoid",
    ..ACTIVATION
};

/// 1 / (1 + exp(-x))
pub fn sigmoid(input: Expr) -> Expr {
    Expr::apply(&SIGMOID, [input], [])
}

/// The cumulative distribution function of the standard normal distribution.
fn below() -> Expr {
    (erf(Input(0) * FRAC_1_SQRT_2) + 1.0) * 0.5
}

fn gelu_tanh() -> Expr {
    let cube = Input(0) * Input(0) * Input(0);
    Expr::apply(&TANH, [(Input(0) + cube * GELU_CUBE) * SQRT_2_OVER_PI], [])
}

fn gelu_shape(call: &Call) -> Result<Shapes> {
    match call.text(keys::APPROXIMATE) {
        None | Some("none" | "tanh") => shape::same(call),
        Some(_) => {
            let other = call.attr(keys::APPROXIMATE);
            Err(Error::runtime(format!("approximate must be none or tanh, not {other}")))
        }
    }
}

fn is_tanh(call: &Call) -> bool {
    call.text(keys::APPROXIMATE) == Some("tanh")
}

fn softplus_numbers(call: &Call) -> (f64, f64) {
    (call.float(keys::BETA_FLOAT), call.float(keys::THRESHOLD_FLOAT))
}

/// The gradient where the input is between two limits, zero elsewhere.
fn between(grad: Expr, low: f64, high: f64) -> Expr {
    where_(gt(Input(0), low), where_(lt(Input(0), high), grad, 0.0), 0.0)
}

/// The input, or zero where it is positive, so that its exponential does not overflow in elements
/// whose result ignores it.
fn below_zero() -> Expr {
    Expr::apply(&MINIMUM, [Input(0), 0.0.into()], [])
}

fn clamp(call: &Call, low: f64, high: f64) -> Expr {
    let limits = match call.inputs[0].dtype().is_float() {
        true => [Attr::Float(low), Attr::Float(high)],
        false => [Attr::Int(low as i64), Attr::Int(high as i64)],
    };
    Expr::apply(&CLAMP, [Input(0)], limits)
}

/// A straight line from zero at -3 to one at 3, constant beyond.
fn ramp(x: Expr) -> Expr {
    Expr::apply(&CLAMP, [x + 3.0], [Attr::Float(0.0), Attr::Float(6.0)]) * (1.0 / 6.0)
}

fn tanh_of_softplus(x: Expr) -> Expr {
    let softplus = Expr::apply(&SOFTPLUS, [x], [Attr::Float(1.0), Attr::Float(20.0)]);
    Expr::apply(&TANH, [softplus], [])
}

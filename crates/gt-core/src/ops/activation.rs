//! Activation functions: written with other operations, with gradients of their own.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use super::compare::gt;
use super::elementwise::{SIGMOID, TANH, where_};
use super::family::UNARY;
use super::functions::{EXPM1, LOG1P, erf, exp};
use crate::attrs::{Attr, AttrKind, AttrSpec};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Output};
use crate::kernel::Kernel;
use crate::op::{Autocast, Call, Domain, Op, Python, Sample, Shapes};
use crate::rules::shape;

/// The rows of this file.
pub(super) static ROWS: &[&Op] = &[&GELU, &SILU, &SOFTPLUS, &LEAKY_RELU, &ELU];

/// One input, with a gradient and an expansion of its own.
pub(super) const ACTIVATION: Op =
    Op { kernel: |_| Ok(Kernel::Expansion), python: Python::BOTH, ..UNARY };

/// √(2/π)
const SQRT_2_OVER_PI: f64 = FRAC_2_SQRT_PI * FRAC_1_SQRT_2;
/// The weight of the cube in the approximation of gelu by tanh.
const GELU_CUBE: f64 = 0.044715;

static GELU_ATTRS: [AttrSpec; 1] = [AttrSpec::optional("approximate", AttrKind::Text, Attr::None)];

pub static GELU: Op = Op {
    name: "gelu",
    code: 330,
    doc: "Each element times the share of the normal distribution below it.",
    attrs: &GELU_ATTRS,
    shape: gelu_shape,
    grad: Some(|call| {
        if is_tanh(call) {
            let tanh = gelu_tanh();
            let inner = (Input(0) * Input(0) * (3.0 * GELU_CUBE) + 1.0) * SQRT_2_OVER_PI;
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
    code: 331,
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

static SOFTPLUS_ATTRS: [AttrSpec; 2] = [
    AttrSpec::optional("beta", AttrKind::Float, Attr::Float(1.0)),
    AttrSpec::optional("threshold", AttrKind::Float, Attr::Float(20.0)),
];

pub static SOFTPLUS: Op = Op {
    name: "softplus",
    code: 332,
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

static SLOPE_ATTR: [AttrSpec; 1] =
    [AttrSpec::optional("negative_slope", AttrKind::Float, Attr::Float(0.01))];

pub static LEAKY_RELU: Op = Op {
    name: "leaky_relu",
    code: 333,
    doc: "Each element, or a small part of it where it is negative.",
    attrs: &SLOPE_ATTR,
    grad: Some(|call| {
        let slope = call.number("negative_slope").as_f64();
        vec![where_(gt(Input(0), 0.0), Grad(0), Grad(0) * slope)]
    }),
    expansion: Some(|call| {
        let slope = call.number("negative_slope").as_f64();
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

static ALPHA_ATTR: [AttrSpec; 1] = [AttrSpec::optional("alpha", AttrKind::Float, Attr::Float(1.0))];

pub static ELU: Op = Op {
    name: "elu",
    code: 334,
    doc: "Each element, or alpha (exp(x) - 1) where it is negative.",
    attrs: &ALPHA_ATTR,
    grad: Some(|call| {
        let alpha = call.number("alpha").as_f64();
        vec![where_(gt(Input(0), 0.0), Grad(0), Grad(0) * (Output(0) + alpha))]
    }),
    expansion: Some(|call| {
        let alpha = call.number("alpha").as_f64();
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

/// 1 / (1 + exp(-x))
pub fn sigmoid(input: Expr) -> Expr {
    Expr::apply(&SIGMOID, [input], [])
}

/// The share of the normal distribution below each element.
fn below() -> Expr {
    (erf(Input(0) * FRAC_1_SQRT_2) + 1.0) * 0.5
}

fn gelu_tanh() -> Expr {
    let cube = Input(0) * Input(0) * Input(0);
    Expr::apply(&TANH, [(Input(0) + cube * GELU_CUBE) * SQRT_2_OVER_PI], [])
}

fn gelu_shape(call: &Call) -> Result<Shapes> {
    match call.attr("approximate") {
        Attr::None => shape::same(call),
        Attr::Text(word) if matches!(&**word, "none" | "tanh") => shape::same(call),
        other => Err(Error::runtime(format!("approximate must be none or tanh, not {other}"))),
    }
}

fn is_tanh(call: &Call) -> bool {
    matches!(call.attr("approximate"), Attr::Text(word) if &**word == "tanh")
}

fn softplus_numbers(call: &Call) -> (f64, f64) {
    (call.number("beta").as_f64(), call.number("threshold").as_f64())
}

//! Inverse trigonometric functions.

use std::f64::consts::{FRAC_PI_2, PI};

use super::codes;
use super::compare::{eq, gt, lt};
use super::elementwise::{ABS, MAXIMUM, MINIMUM, SQRT, cast, where_};
use super::family::{BINARY, UNARY};
use super::logic::LOGICAL_OR;
use super::unary::RECIPROCAL;
use crate::dtype::DType;
use crate::expr::Expr::{self, Grad, Input};
use crate::kernel::{Kernel, UnaryFn};
use crate::op::{Autocast, Domain, Op, Python, Sample};
use crate::rules::promote::Promotion;

pub static ASIN: Op = Op {
    name: "asin",
    code: codes::ASIN,
    doc: "The angle whose sine is each element.",
    grad: Some(|_| vec![Grad(0) / beside(Input(0))]),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|_| vec![atan(Input(0) / beside(Input(0)))]),
    domain: Domain::Unit,
    autocast: Autocast::Full,
    torch: "torch.asin",
    python: Python::IN_PLACE.also(&["arcsin"]),
    ..UNARY
};

pub static ACOS: Op = Op {
    name: "acos",
    code: codes::ACOS,
    doc: "The angle whose cosine is each element.",
    grad: Some(|_| vec![-(Grad(0) / beside(Input(0)))]),
    // Half of the angle, because near one the whole has no digits left.
    expansion: Some(|_| vec![atan(sqrt((Expr::from(1.0) - Input(0)) / (Input(0) + 1.0))) * 2.0]),
    torch: "torch.acos",
    python: Python::IN_PLACE.also(&["arccos"]),
    ..ASIN
};

pub static ATAN: Op = Op {
    name: "atan",
    code: codes::ATAN,
    doc: "The angle whose tangent is each element.",
    grad: Some(|_| vec![Grad(0) / (Input(0) * Input(0) + 1.0)]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Atan)),
    torch: "torch.atan",
    python: Python::IN_PLACE.also(&["arctan"]),
    ..UNARY
};

pub static ATAN2: Op = Op {
    name: "atan2",
    code: codes::ATAN2,
    doc: "The angle of the point whose height is the first element and whose width the second.",
    accepts_scalars: false,
    promotion: Promotion::Float,
    grad: Some(|_| {
        let square = Input(0) * Input(0) + Input(1) * Input(1);
        vec![Grad(0) * Input(1) / square.clone(), -(Grad(0) * Input(0) / square)]
    }),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        match call.infer().map(|inferred| inferred.compute) {
            // Rounded once, at the end.
            Ok(dtype) if dtype.size() == 2 => {
                let [height, width] = [0, 1].map(|at| cast(Input(at), DType::F32));
                vec![cast(angle(height, width), dtype)]
            }
            _ => vec![angle(Input(0), Input(1))],
        }
    }),
    domain: Domain::NonZero,
    torch: "torch.atan2",
    python: Python::IN_PLACE.also(&["arctan2"]),
    samples: || {
        vec![
            Sample::of(&[&[2, 3], &[2, 3]]),
            Sample::of(&[&[4, 1, 3], &[2, 1]]),
            Sample::of(&[&[], &[3]]),
        ]
    },
    ..BINARY
};

/// The angle of a point: one within an eighth of the circle, turned to where the point is.
fn angle(height: Expr, width: Expr) -> Expr {
    let [tall, wide] = [&height, &width].map(|side| Expr::apply(&ABS, [side.clone()], []));
    let long = Expr::apply(&MAXIMUM, [tall.clone(), wide.clone()], []);
    let short = Expr::apply(&MINIMUM, [tall.clone(), wide.clone()], []);
    // Two infinities are alike, and two zeros are no angle.
    let alike = where_(eq(long.clone(), 0.0), 0.0, 1.0);
    let ratio = where_(eq(tall.clone(), wide.clone()), alike, short / long);
    let near = atan(ratio);
    let steep = where_(gt(tall, wide), Expr::from(FRAC_PI_2) - near.clone(), near);
    let turned = where_(is_negative(width), Expr::from(PI) - steep.clone(), steep);
    where_(is_negative(height), -turned.clone(), turned)
}

/// Whether a number is below zero, or the zero that lies below.
fn is_negative(number: Expr) -> Expr {
    let inverse = Expr::apply(&RECIPROCAL, [number.clone()], []);
    Expr::apply(&LOGICAL_OR, [lt(number, 0.0), lt(inverse, 0.0)], [])
}

/// The other leg of a triangle whose longest side is one.
fn beside(leg: Expr) -> Expr {
    sqrt((Expr::from(1.0) - leg.clone()) * (leg + 1.0))
}

fn atan(tangent: Expr) -> Expr {
    Expr::apply(&ATAN, [tangent], [])
}

fn sqrt(square: Expr) -> Expr {
    Expr::apply(&SQRT, [square], [])
}

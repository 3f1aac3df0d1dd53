//! Hyperbolic functions and their inverses, from exponentials and logarithms.

use std::f64::consts::LN_2;

use super::codes;
use super::compare::{eq, gt, lt};
use super::elementwise::{ABS, LOG, SQRT, where_};
use super::family::UNARY;
use super::unary::{EXPM1, LOG1P, exp};
use crate::expr::Expr::{self, Grad, Input};
use crate::kernel::Kernel;
use crate::op::{Autocast, Domain, Op, Python};

const HYPERBOLIC: Op = Op { kernel: |_| Ok(Kernel::Expansion), ..UNARY };

pub static SINH: Op = Op {
    name: "sinh",
    code: codes::SINH,
    doc: "The hyperbolic sine of each element.",
    grad: Some(|_| vec![Grad(0) * Expr::apply(&COSH, [Input(0)], [])]),
    expansion: Some(|_| {
        let size = abs(Input(0));
        let grown = Expr::apply(&EXPM1, [size.clone()], []);
        // Near zero a difference of exponentials has no digits left; far away, `grown` is
        // infinite.
        let near = grown.clone() + grown.clone() / (grown + 1.0);
        let far = exp(size.clone()) - exp(-size.clone());
        let found = where_(gt(size.clone(), 1.0), far, near) * 0.5;
        vec![signed(Input(0), where_(gt(size.clone(), VAST), half_of_exp(size), found))]
    }),
    torch: "torch.sinh",
    autocast: Autocast::Full,
    ..HYPERBOLIC
};

pub static COSH: Op = Op {
    name: "cosh",
    code: codes::COSH,
    doc: "The hyperbolic cosine of each element.",
    grad: Some(|_| vec![Grad(0) * Expr::apply(&SINH, [Input(0)], [])]),
    expansion: Some(|_| {
        let size = abs(Input(0));
        let found = (exp(size.clone()) + exp(-size.clone())) * 0.5;
        vec![where_(gt(size.clone(), VAST), half_of_exp(size), found)]
    }),
    torch: "torch.cosh",
    autocast: Autocast::Full,
    ..HYPERBOLIC
};

/// From here on, the exponential of a negative number does not count beside that of its opposite,
/// which may overflow although its half does not.
const VAST: f64 = 80.0;

/// Half of the exponential of a large number.
fn half_of_exp(size: Expr) -> Expr {
    let root = exp(size * 0.5);
    root.clone() * 0.5 * root
}

/// From here on, the square of a number plus one is that square.
const LARGE: f64 = 1e9;

pub static ASINH: Op = Op {
    name: "asinh",
    code: codes::ASINH,
    doc: "The number whose hyperbolic sine is each element.",
    grad: Some(|_| vec![Grad(0) / sqrt(Input(0) * Input(0) + 1.0)]),
    expansion: Some(|_| {
        let size = abs(Input(0));
        let square = size.clone() * size.clone();
        let bent = square.clone() / (sqrt(square + 1.0) + 1.0);
        let near = Expr::apply(&LOG1P, [size.clone() + bent], []);
        let far = Expr::apply(&LOG, [size.clone()], []) + LN_2;
        vec![signed(Input(0), where_(gt(size, LARGE), far, near))]
    }),
    torch: "torch.asinh",
    python: Python::IN_PLACE.also(&["arcsinh"]),
    ..HYPERBOLIC
};

pub static ACOSH: Op = Op {
    name: "acosh",
    code: codes::ACOSH,
    doc: "The number whose hyperbolic cosine is each element.",
    grad: Some(|_| vec![Grad(0) / sqrt(Input(0) * Input(0) - 1.0)]),
    expansion: Some(|_| {
        let above = Input(0) - 1.0;
        let root = sqrt(above.clone()) * sqrt(above.clone() + 2.0);
        vec![Expr::apply(&LOG1P, [above + root], [])]
    }),
    domain: Domain::AboveOne,
    torch: "torch.acosh",
    python: Python::IN_PLACE.also(&["arccosh"]),
    ..HYPERBOLIC
};

pub static ATANH: Op = Op {
    name: "atanh",
    code: codes::ATANH,
    doc: "The number whose hyperbolic tangent is each element.",
    grad: Some(|_| vec![Grad(0) / (Expr::from(1.0) - Input(0) * Input(0))]),
    expansion: Some(|_| {
        // Of a negative number, one would be taken away from almost one.
        let size = abs(Input(0));
        let ratio = (size.clone() + size.clone()) / (Expr::from(1.0) - size);
        vec![signed(Input(0), Expr::apply(&LOG1P, [ratio], []) * 0.5)]
    }),
    domain: Domain::Unit,
    torch: "torch.atanh",
    python: Python::IN_PLACE.also(&["arctanh"]),
    ..HYPERBOLIC
};

/// An odd function of `x` from its value for the size of `x`. A zero keeps its sign.
fn signed(x: Expr, found: Expr) -> Expr {
    let turned = where_(lt(x.clone(), 0.0), -found.clone(), found);
    where_(eq(x.clone(), 0.0), x, turned)
}

fn abs(input: Expr) -> Expr {
    Expr::apply(&ABS, [input], [])
}

fn sqrt(input: Expr) -> Expr {
    Expr::apply(&SQRT, [input], [])
}

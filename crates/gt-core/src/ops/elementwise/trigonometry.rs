//! Trigonometric and hyperbolic functions and their inverses, `atan2` included.

use std::f64::consts::{FRAC_PI_2, LN_2, PI};

use super::binary::{MAXIMUM, MINIMUM};
use super::compare::{eq, gt, lt};
use super::logic::LOGICAL_OR;
use super::ternary::where_;
use super::unary::{ABS, EXPM1, LOG, LOG1P, RECIPROCAL, SQRT, cast, exp};
use crate::dtype::DType;
use crate::expr::Expr::{self, Grad, Input, Output};
use crate::kernel::{Kernel, UnaryFn};
use crate::op::{Autocast, Domain, Op, Python, Sample};
use crate::ops::codes;
use crate::ops::family::{BINARY, UNARY};
use crate::rules::promote::Promotion;

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
    // Computed from the half angle, because the whole angle loses all digits near one.
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

pub static TANH: Op = Op {
    name: "tanh",
    code: codes::TANH,
    doc: "The hyperbolic tangent of each element.",
    grad: Some(|_| vec![Grad(0) * (Expr::from(1.0) - Output(0) * Output(0))]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Tanh)),
    torch: "torch.tanh",
    ..UNARY
};

/// Above this, `exp(-x)` is negligible compared with `exp(x)`, which may overflow although half of
/// it does not.
const VAST: f64 = 80.0;

/// Above this, `x * x + 1` rounds to `x * x`.
const LARGE: f64 = 1e9;

const HYPERBOLIC: Op = Op { kernel: |_| Ok(Kernel::Expansion), ..UNARY };

pub static SINH: Op = Op {
    name: "sinh",
    code: codes::SINH,
    doc: "The hyperbolic sine of each element.",
    grad: Some(|_| vec![Grad(0) * Expr::apply(&COSH, [Input(0)], [])]),
    expansion: Some(|_| {
        let size = abs(Input(0));
        let grown = Expr::apply(&EXPM1, [size.clone()], []);
        // Near zero a difference of exponentials cancels; far from zero, `grown` is infinite.
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
        // By symmetry, since the formula cancels for negative numbers.
        let size = abs(Input(0));
        let ratio = (size.clone() + size.clone()) / (Expr::from(1.0) - size);
        vec![signed(Input(0), Expr::apply(&LOG1P, [ratio], []) * 0.5)]
    }),
    domain: Domain::Unit,
    torch: "torch.atanh",
    python: Python::IN_PLACE.also(&["arctanh"]),
    ..HYPERBOLIC
};

/// The angle of a point, from an angle within the first octant that is reflected to where the point
/// is.
fn angle(height: Expr, width: Expr) -> Expr {
    let [tall, wide] = [&height, &width].map(|side| Expr::apply(&ABS, [side.clone()], []));
    let long = Expr::apply(&MAXIMUM, [tall.clone(), wide.clone()], []);
    let short = Expr::apply(&MINIMUM, [tall.clone(), wide.clone()], []);
    // Two infinities have a ratio of one, and two zeros an angle of zero.
    let alike = where_(eq(long.clone(), 0.0), 0.0, 1.0);
    let ratio = where_(eq(tall.clone(), wide.clone()), alike, short / long);
    let near = atan(ratio);
    let steep = where_(gt(tall, wide), Expr::from(FRAC_PI_2) - near.clone(), near);
    let turned = where_(is_negative(width), Expr::from(PI) - steep.clone(), steep);
    where_(is_negative(height), -turned.clone(), turned)
}

/// Whether a number is negative, negative zero included.
fn is_negative(number: Expr) -> Expr {
    let inverse = Expr::apply(&RECIPROCAL, [number.clone()], []);
    Expr::apply(&LOGICAL_OR, [lt(number, 0.0), lt(inverse, 0.0)], [])
}

/// The other leg of a right triangle whose hypotenuse is one.
fn beside(leg: Expr) -> Expr {
    sqrt((Expr::from(1.0) - leg.clone()) * (leg + 1.0))
}

fn atan(tangent: Expr) -> Expr {
    Expr::apply(&ATAN, [tangent], [])
}

/// Half of the exponential of a large number.
fn half_of_exp(size: Expr) -> Expr {
    let root = exp(size * 0.5);
    root.clone() * 0.5 * root
}

/// An odd function of `x` from its value at `|x|`. A zero keeps its sign.
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

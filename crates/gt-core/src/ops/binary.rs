//! Functions of two or three elements, and repairs of what is not a number.

use std::f64::consts::{LN_2, SQRT_2};

use super::activation::sigmoid;
use super::arithmetic::ADDCMUL;
use super::codes;
use super::compare::{eq, gt};
use super::elementwise::{ABS, MAXIMUM, MINIMUM, SQRT, SUB, cast, where_};
use super::family::{BINARY, UNARY};
use super::keys;
use super::logic::{ISFINITE, ISNAN};
use super::unary::{LOG1P, exp};
use crate::attrs::{Attr, AttrSpec, Key};
use crate::dtype::DType;
use crate::error::Error;
use crate::expr::Expr::{self, Grad, Input, Number, Output};
use crate::kernel::Kernel;
use crate::op::{Domain, Input as In, Linear, Op, Python, Role, Sample};
use crate::rules::promote::Promotion;
use crate::rules::shape;

pub static RSUB: Op = Op {
    name: "rsub",
    code: codes::RSUB,
    doc: "The second element less the first.",
    shape: |call| (SUB.shape)(call),
    grad: Some(|_| vec![-Grad(0), Grad(0)]),
    linear: Linear::Together(&[0, 1]),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|_| vec![Input(1) - Input(0)]),
    torch: "torch.rsub",
    python: Python::FUNCTION,
    ..BINARY
};

pub static ADDCDIV: Op = Op {
    name: "addcdiv",
    code: codes::ADDCDIV,
    doc: "input + value tensor1 / tensor2, element by element.",
    shape: |call| {
        if call.inputs[1..].iter().all(|input| !input.dtype().is_float()) {
            return Err(Error::runtime("whole numbers are not divided here; cast them first"));
        }
        shape::broadcast(call)
    },
    grad: Some(|call| {
        let scaled = Grad(0) * Number(call.number(keys::VALUE));
        let quotient = Input(1) / Input(2);
        vec![Grad(0), scaled.clone() / Input(2), -(scaled * quotient / Input(2))]
    }),
    expansion: Some(|call| vec![Input(0) + Input(1) / Input(2) * Number(call.number(keys::VALUE))]),
    domain: Domain::NonZero,
    torch: "torch.addcdiv",
    ..ADDCMUL
};

const OF_FLOATS: Op = Op {
    accepts_scalars: false,
    shape: |call| {
        if call.inputs.iter().all(|input| !input.dtype().is_float()) {
            return Err(Error::runtime(format!("not implemented for {}", call.inputs[0].dtype())));
        }
        shape::broadcast(call)
    },
    kernel: |_| Ok(Kernel::Expansion),
    ..BINARY
};

pub static LOGADDEXP: Op = Op {
    name: "logaddexp",
    code: codes::LOGADDEXP,
    doc: "log(exp(a) + exp(b)) of two elements.",
    grad: Some(|_| {
        let share = || sigmoid(Input(0) - Input(1));
        vec![Grad(0) * share(), Grad(0) * (Expr::from(1.0) - share())]
    }),
    expansion: Some(|_| {
        let distance = Expr::apply(&ABS, [Input(0) - Input(1)], []);
        let bent = Expr::apply(&LOG1P, [exp(-distance)], []);
        // Two infinities have no distance.
        vec![larger() + where_(eq(Input(0), Input(1)), LN_2, bent)]
    }),
    torch: "torch.logaddexp",
    python: Python::BOTH,
    samples: pairs,
    ..OF_FLOATS
};

pub static HYPOT: Op = Op {
    name: "hypot",
    code: codes::HYPOT,
    doc: "The longest side of a right triangle with two elements as its legs.",
    grad: Some(|_| vec![Grad(0) * (Input(0) / Output(0)), Grad(0) * (Input(1) / Output(0))]),
    // A ratio of at most one has a square that does not overflow.
    expansion: Some(|_| {
        let [a, b] = [0, 1].map(|index| Expr::apply(&ABS, [Input(index)], []));
        let long = Expr::apply(&MAXIMUM, [a.clone(), b.clone()], []);
        let short = Expr::apply(&MINIMUM, [a.clone(), b.clone()], []);
        let ratio = short / long.clone();
        let root = Expr::apply(&SQRT, [ratio.clone() * ratio + 1.0], []);
        vec![where_(eq(a, b), long.clone() * SQRT_2, long * root)]
    }),
    domain: Domain::NonZero,
    torch: "torch.hypot",
    python: Python::IN_PLACE,
    samples: pairs,
    ..OF_FLOATS
};

static STEP_INPUTS: [In; 2] =
    [In { name: "input", role: Role::Operand }, In { name: "values", role: Role::Operand }];

pub static HEAVISIDE: Op = Op {
    name: "heaviside",
    code: codes::HEAVISIDE,
    doc: "Zero where an element is negative, one where it is positive, else a value.",
    inputs: &STEP_INPUTS,
    accepts_scalars: false,
    shape: |call| {
        let (a, b) = (call.inputs[0].dtype(), call.inputs[1].dtype());
        if a != b {
            return Err(Error::runtime(format!("not yet implemented for {a} with {b}")));
        }
        shape::broadcast(call)
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        let step = cast(gt(Input(0), 0.0), call.inputs[0].dtype());
        vec![where_(eq(Input(0), 0.0), Input(1), step)]
    }),
    torch: "torch.heaviside",
    python: Python::IN_PLACE,
    samples: pairs,
    ..BINARY
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

fn pairs() -> Vec<Sample> {
    vec![
        Sample::of(&[&[2, 3], &[2, 3]]),
        Sample::of(&[&[4, 1, 3], &[2, 1]]),
        Sample::of(&[&[], &[3]]),
    ]
}

fn larger() -> Expr {
    Expr::apply(&MAXIMUM, [Input(0), Input(1)], [])
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

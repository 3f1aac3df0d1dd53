//! Arithmetic on two operands, such as `add`, `pow`, `maximum`, `remainder` and `hypot`.

use std::f64::consts::{LN_2, SQRT_2};

use super::activation::sigmoid;
use super::compare::{eq, gt, lt};
use super::ternary::where_;
use super::unary::{ABS, LOG, LOG1P, SQRT, cast, exp};
use crate::attrs::{Attr, AttrSpec};
use crate::dtype::{DType, Kind, Scalar};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Number, Output, Zero};
use crate::kernel::{BinaryFn, Kernel};
use crate::op::{
    Arg, Autocast, Call, Domain, Input as In, Linear, Op, Python, Role, Sample, Shapes,
};
use crate::ops::family::BINARY;
use crate::ops::optim::{ADD_SCALED, SUB_SCALED};
use crate::ops::{codes, keys};
use crate::rules::promote::Promotion;
use crate::rules::shape;

pub static ADD: Op = Op {
    name: "add",
    code: codes::ADD,
    doc: "The sum of two tensors, element by element.",
    grad: Some(|_| vec![Grad(0), Grad(0)]),
    linear: Linear::Together(&[0, 1]),
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Add)),
    torch: "torch.add",
    python: Python::operator("add").with("alpha", &ADD_SCALED),
    ..BINARY
};

pub static SUB: Op = Op {
    name: "sub",
    code: codes::SUB,
    doc: "The difference of two tensors, element by element.",
    shape: |call| {
        if call.inputs.iter().any(|input| input.dtype() == DType::Bool) {
            return Err(Error::runtime("bools have no difference; logical_not or ^ invert a mask"));
        }
        shape::broadcast(call)
    },
    grad: Some(|_| vec![Grad(0), -Grad(0)]),
    linear: Linear::Together(&[0, 1]),
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Sub)),
    torch: "torch.sub",
    python: Python::operator("sub").also(&["subtract"]).with("alpha", &SUB_SCALED),
    ..BINARY
};

pub static MUL: Op = Op {
    name: "mul",
    code: codes::MUL,
    doc: "The product of two tensors, element by element.",
    grad: Some(|_| vec![Grad(0) * Input(1), Grad(0) * Input(0)]),
    linear: Linear::Each(&[0, 1]),
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Mul)),
    torch: "torch.mul",
    python: Python::operator("mul").also(&["multiply"]),
    ..BINARY
};

pub static DIV: Op = Op {
    name: "div",
    code: codes::DIV,
    doc: "The quotient of two tensors, element by element.",
    promotion: Promotion::Float,
    grad: Some(|_| vec![Grad(0) / Input(1), -(Grad(0) * Output(0) / Input(1))]),
    linear: Linear::ByNumbers(0),
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Div)),
    domain: Domain::NonZero,
    torch: "torch.div",
    python: Python::operator("truediv")
        .also(&["divide", "true_divide"])
        .with("rounding_mode", &DIV_ROUNDED),
    ..BINARY
};

pub static POW: Op = Op {
    name: "pow",
    code: codes::POW,
    doc: "Each element of the first tensor to the power of the second.",
    shape: |call| match call.inputs[1] {
        Arg::Scalar(Scalar::Int(exponent))
            if exponent < 0 && !call.inputs[0].dtype().is_float() =>
        {
            Err(Error::runtime("integers to negative integer powers are not allowed"))
        }
        _ => shape::broadcast(call),
    },
    grad: Some(grad_of_pow),
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Pow)),
    domain: Domain::Positive,
    autocast: Autocast::Full,
    torch: "torch.pow",
    numpy: Some("power"),
    python: Python::operator("pow"),
    ..BINARY
};

pub static MAXIMUM: Op = Op {
    name: "maximum",
    code: codes::MAXIMUM,
    doc: "The larger of two elements; not a number if one of them is not.",
    grad: Some(|_| grad_of_choice(Input(0), Input(1))),
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Max)),
    domain: Domain::Distinct,
    torch: "torch.maximum",
    ..BINARY
};

pub static MINIMUM: Op = Op {
    name: "minimum",
    code: codes::MINIMUM,
    doc: "The smaller of two elements; not a number if one of them is not.",
    grad: Some(|_| grad_of_choice(Input(1), Input(0))),
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Min)),
    domain: Domain::Distinct,
    torch: "torch.minimum",
    ..BINARY
};

const QUOTIENT: Op = Op { shape: shape::broadcast_numbers, domain: Domain::NonZero, ..BINARY };

pub static FLOOR_DIVIDE: Op = Op {
    name: "floor_divide",
    code: codes::FLOOR_DIVIDE,
    doc: "The quotient of two elements, rounded down.",
    grad: Some(|_| vec![Zero, Zero]),
    kernel: |_| Ok(Kernel::Zip(BinaryFn::FloorDiv)),
    torch: "torch.floor_divide",
    python: Python::operator("floordiv"),
    ..QUOTIENT
};

pub static REMAINDER: Op = Op {
    name: "remainder",
    code: codes::REMAINDER,
    doc: "What is left of a division rounded down; it has the sign of the divisor.",
    grad: Some(|_| {
        let quotient = Expr::apply(&FLOOR_DIVIDE, [Input(0), Input(1)], []);
        vec![Grad(0), -(Grad(0) * quotient)]
    }),
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Remainder)),
    torch: "torch.remainder",
    python: Python::operator("mod"),
    ..QUOTIENT
};

pub static FMOD: Op = Op {
    name: "fmod",
    code: codes::FMOD,
    doc: "What is left of a division cut towards zero; it has the sign of the dividend.",
    grad: Some(|_| {
        let quotient = Expr::apply(&TRUNC_DIVIDE, [Input(0), Input(1)], []);
        vec![Grad(0), -(Grad(0) * quotient)]
    }),
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Fmod)),
    torch: "torch.fmod",
    python: Python::IN_PLACE,
    ..QUOTIENT
};

pub static TRUNC_DIVIDE: Op = Op {
    name: "trunc_divide",
    code: codes::TRUNC_DIVIDE,
    doc: "The quotient of two elements, cut towards zero.",
    grad: Some(|_| vec![Zero, Zero]),
    kernel: |_| Ok(Kernel::Zip(BinaryFn::TruncDiv)),
    python: Python::HIDDEN,
    ..QUOTIENT
};

static ROUNDING_MODE: [AttrSpec; 1] = [keys::ROUNDING_MODE.or_none()];

pub static DIV_ROUNDED: Op = Op {
    name: "div_rounded",
    code: codes::DIV_ROUNDED,
    doc: "The quotient of two elements, as it is, rounded down or cut towards zero.",
    attrs: &ROUNDING_MODE,
    shape: |call| quotient(call).and_then(|op| (op.shape)(call)),
    promotion: Promotion::By(|call, common| match call.text(keys::ROUNDING_MODE) {
        None if common.kind() < Kind::Float => DType::F32,
        _ => common,
    }),
    grad: Some(|call| match call.text(keys::ROUNDING_MODE) {
        None => DIV.gradients(call),
        _ => vec![Zero, Zero],
    }),
    kernel: |call| quotient(call).and_then(|op| (op.kernel)(call)),
    python: Python::HIDDEN,
    samples: || {
        let of = |mode: Attr| Sample::of(&[&[2, 3], &[3]]).attrs([mode]);
        vec![of(Attr::None), of(Attr::Text("floor".into())), of(Attr::Text("trunc".into()))]
    },
    ..QUOTIENT
};

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
        // The difference of two infinities is NaN.
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
    // The ratio is at most one, so that its square does not overflow.
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

pub fn not_of_bools(call: &Call) -> Result<Shapes> {
    if call.inputs.iter().all(|input| input.dtype() == DType::Bool) {
        return Err(Error::runtime("bool tensors have no arithmetic; use logical operators"));
    }
    shape::broadcast(call)
}

fn grad_of_pow(call: &Call) -> Vec<Expr> {
    let base = match call.inputs[1] {
        Arg::Scalar(exponent) => {
            let exponent = exponent.as_f64();
            Grad(0) * (pow(Input(0), (exponent - 1.0).into()) * exponent)
        }
        // An integer one, so that integer exponents stay integers and do not affect promotion.
        Arg::Tensor(_) => Grad(0) * (Input(1) * pow(Input(0), Input(1) - Number(Scalar::Int(1)))),
    };
    let base = match call.inputs[1] {
        // 0 ** -1 is infinite, and infinity times an exponent of zero is NaN.
        Arg::Scalar(exponent) if exponent.as_f64() == 0.0 => Zero,
        Arg::Scalar(_) => base,
        Arg::Tensor(_) => where_(eq(Input(1), 0.0), 0.0, base),
    };
    let log = match call.inputs[0] {
        Arg::Scalar(base) => Number(Scalar::Float(base.as_f64().ln())),
        Arg::Tensor(_) => Expr::apply(&LOG, [Input(0)], []),
    };
    let exponent = match call.inputs[0] {
        Arg::Scalar(base) if base.as_f64() == 0.0 => Zero,
        Arg::Scalar(_) => Grad(0) * (Output(0) * log),
        Arg::Tensor(_) => where_(eq(Output(0), 0.0), 0.0, Grad(0) * (Output(0) * log)),
    };
    vec![base, exponent]
}

fn pow(base: Expr, exponent: Expr) -> Expr {
    Expr::apply(&POW, [base, exponent], [])
}

/// The gradients of a maximum, which chooses `larger`; ties share it.
pub fn grad_of_choice(larger: Expr, smaller: Expr) -> Vec<Expr> {
    // Where an operand is NaN, so is the result, and both get its gradient.
    let shared = where_(eq(Input(0), Input(1)), Grad(0) * 0.5, Grad(0));
    let first = where_(lt(larger.clone(), smaller.clone()), 0.0, shared.clone());
    let second = where_(gt(larger, smaller), 0.0, shared);
    vec![first, second]
}

/// The division with the rounding mode of the call.
fn quotient(call: &Call) -> Result<&'static Op> {
    match call.text(keys::ROUNDING_MODE) {
        None => Ok(&DIV),
        Some("floor") => Ok(&FLOOR_DIVIDE),
        Some("trunc") => Ok(&TRUNC_DIVIDE),
        Some(_) => Err(Error::runtime(format!(
            "rounding_mode must be None, 'trunc' or 'floor', not {}",
            call.attr(keys::ROUNDING_MODE)
        ))),
    }
}

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

//! Operations on each element by itself.

use super::arithmetic::DIV_ROUNDED;
use super::codes;
use super::compare::{eq, gt, le, lt};
use super::family::{BINARY, MOVE, UNARY};
use super::keys;
use super::optimizer::{ADD_SCALED, SUB_SCALED};
use crate::attrs::{Attr, AttrSpec};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Number, Output, Zero};
use crate::kernel::{BinaryFn, Kernel, UnaryFn};
use crate::op::{
    Arg, Autocast, Call, Domain, Input as In, Linear, Op, Output as Out, OutputType, Python, Role,
    Sample, Shapes,
};
use crate::rules::promote::Promotion;
use crate::rules::{shape, shard};

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

pub static TANH: Op = Op {
    name: "tanh",
    code: codes::TANH,
    doc: "The hyperbolic tangent of each element.",
    grad: Some(|_| vec![Grad(0) * (Expr::from(1.0) - Output(0) * Output(0))]),
    kernel: |_| Ok(Kernel::Map(UnaryFn::Tanh)),
    torch: "torch.tanh",
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

static CHOICE: [In; 3] = [
    In { name: "condition", role: Role::Mask },
    In { name: "input", role: Role::Operand },
    In { name: "other", role: Role::Operand },
];

pub static WHERE: Op = Op {
    name: "where",
    code: codes::WHERE,
    doc: "Elements of the first tensor where the condition holds, else of the second.",
    inputs: &CHOICE,
    grad: Some(|_| vec![Zero, where_(Input(0), Grad(0), 0.0), where_(Input(0), 0.0, Grad(0))]),
    linear: Linear::Together(&[1, 2]),
    kernel: |_| Ok(Kernel::Where),
    torch: "torch.where",
    python: Python { order: &["condition", "input", "other"], ..Python::FUNCTION },
    samples: || {
        vec![
            Sample::of(&[]).index(&[2, 3], 2).tensor(&[2, 3]).tensor(&[3]),
            Sample::of(&[]).index(&[2, 1], 2).tensor(&[]).tensor(&[1, 4]),
            Sample::of(&[]).index(&[3], 2).tensor(&[3]).scalar(0.5),
        ]
    },
    ..BINARY
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
    // The gradient is cast to the dtype of the input, as every gradient is.
    grad: Some(|_| vec![Grad(0)]),
    // What is cut off a part when it becomes an integer is missing in the sum.
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

/// `then` where `condition` holds, else `otherwise`.
pub fn where_(condition: Expr, then: impl Into<Expr>, otherwise: impl Into<Expr>) -> Expr {
    Expr::apply(&WHERE, [condition, then.into(), otherwise.into()], [])
}

/// The elements in another dtype.
pub fn cast(input: Expr, dtype: DType) -> Expr {
    Expr::apply(&CAST, [input], [dtype.into()])
}

fn not_of_bools(call: &Call) -> Result<Shapes> {
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
        // A whole one, so that whole exponents stay whole and decide no dtype.
        Arg::Tensor(_) => Grad(0) * (Input(1) * pow(Input(0), Input(1) - Number(Scalar::Int(1)))),
    };
    let base = match call.inputs[1] {
        // 0 ** -1 is infinite, and infinity times an exponent of zero is not a number.
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

/// The gradient of choosing `winner` where it is larger than `loser`; ties are shared.
pub(super) fn grad_of_choice(larger: Expr, smaller: Expr) -> Vec<Expr> {
    // Where one of them is NaN, so is the result, and both get its gradient.
    let shared = where_(eq(Input(0), Input(1)), Grad(0) * 0.5, Grad(0));
    let first = where_(lt(larger.clone(), smaller.clone()), 0.0, shared.clone());
    let second = where_(gt(larger, smaller), 0.0, shared);
    vec![first, second]
}

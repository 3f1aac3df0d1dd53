//! Functions of three operands: `where`, `lerp`, `addcmul`, `addcdiv`, `masked_fill`, and `clamp`
//! with its one-sided forms.

use super::binary::{MAXIMUM, MINIMUM, grad_of_choice};
use super::compare::{GT, LT, gt};
use super::unary::cast;
use crate::attrs::{Attr, AttrSpec, Key};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Number, Zero};
use crate::kernel::{BinaryFn, Kernel};
use crate::op::{
    Arg, Autocast, Call, Domain, Input as In, Linear, Op, Python, Role, Sample, Shapes,
};
use crate::ops::family::{BINARY, UNARY};
use crate::ops::{codes, keys};
use crate::rules::promote::Promotion;
use crate::rules::shape;

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

static CLAMP_ATTRS: [AttrSpec; 2] = [keys::MIN.or_none(), keys::MAX.or_none()];

pub static CLAMP: Op = Op {
    name: "clamp",
    code: codes::CLAMP,
    doc: "Each element, or the nearer limit where it is beyond one.",
    attrs: &CLAMP_ATTRS,
    promotion: Promotion::WithNumbers,
    shape: |call| match limits(call) {
        (None, None) => Err(Error::runtime("at least one of min and max must be given")),
        _ => shape::same(call),
    },
    grad: Some(|call| {
        let mut grad = Grad(0);
        for (limit, inside) in [(limits(call).0, &GT), (limits(call).1, &LT)] {
            if let Some(limit) = limit {
                let kept = Expr::apply(inside, [Input(0), Number(limit)], []);
                grad = where_(kept, grad, 0.0);
            }
        }
        vec![grad]
    }),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        let (low, high) = limits(call);
        let mut value = Input(0);
        if let Some(low) = low {
            value = Expr::apply(&MAXIMUM, [value, Number(low)], []);
        }
        if let Some(high) = high {
            value = Expr::apply(&MINIMUM, [value, Number(high)], []);
        }
        vec![value]
    }),
    domain: Domain::NonZero,
    torch: "torch.clamp",
    python: Python::IN_PLACE.also(&["clip"]),
    samples: || {
        let of = |low: Attr, high: Attr| Sample::of(&[&[3, 4]]).attrs([low, high]);
        vec![
            of(Attr::Float(-0.5), Attr::Float(0.75)),
            of(Attr::None, Attr::Float(0.3)),
            of(Attr::Float(0.1), Attr::None),
        ]
    },
    ..UNARY
};

static LOWER_LIMIT: [In; 2] =
    [In { name: "input", role: Role::Operand }, In { name: "min", role: Role::Operand }];
static UPPER_LIMIT: [In; 2] =
    [In { name: "input", role: Role::Operand }, In { name: "max", role: Role::Operand }];

/// A clamp with one limit, which may be a tensor.
const LIMITED: Op = Op {
    shape: |call| match call.inputs[1] {
        Arg::Tensor(_) => shape::broadcast(call),
        Arg::Scalar(_) => shape::broadcast_numbers(call),
    },
    domain: Domain::Distinct,
    python: Python::IN_PLACE,
    ..BINARY
};

pub static CLAMP_MIN: Op = Op {
    name: "clamp_min",
    code: codes::CLAMP_MIN,
    doc: "Each element, or the limit where it is below.",
    inputs: &LOWER_LIMIT,
    grad: Some(|call| within(call, Input(0), Input(1))),
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Max)),
    torch: "torch.clamp_min",
    ..LIMITED
};

pub static CLAMP_MAX: Op = Op {
    name: "clamp_max",
    code: codes::CLAMP_MAX,
    doc: "Each element, or the limit where it is above.",
    inputs: &UPPER_LIMIT,
    grad: Some(|call| within(call, Input(1), Input(0))),
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Min)),
    torch: "torch.clamp_max",
    ..LIMITED
};

static LERP_INPUTS: [In; 3] = [
    In { name: "input", role: Role::Operand },
    In { name: "end", role: Role::Operand },
    In { name: "weight", role: Role::Operand },
];

pub static LERP: Op = Op {
    name: "lerp",
    code: codes::LERP,
    doc: "input + weight (end - input), element by element.",
    inputs: &LERP_INPUTS,
    shape: floats_only,
    grad: Some(|_| {
        let share = || Expr::from(1.0) - Input(2);
        vec![Grad(0) * share(), Grad(0) * Input(2), Grad(0) * (Input(1) - Input(0))]
    }),
    linear: Linear::Together(&[0, 1]),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|_| vec![Input(0) + Input(2) * (Input(1) - Input(0))]),
    torch: "torch.lerp",
    python: Python::IN_PLACE,
    samples: || vec![Sample::of(&[&[2, 3], &[2, 3], &[3]]), Sample::of(&[&[2, 3], &[3], &[]])],
    ..BINARY
};

static MIXED: [In; 3] = [
    In { name: "input", role: Role::Operand },
    In { name: "tensor1", role: Role::Operand },
    In { name: "tensor2", role: Role::Operand },
];
static VALUE_ATTR: [AttrSpec; 1] = [keys::VALUE.or(1)];

pub static ADDCMUL: Op = Op {
    name: "addcmul",
    code: codes::ADDCMUL,
    doc: "input + value tensor1 tensor2, element by element.",
    inputs: &MIXED,
    accepts_scalars: false,
    shape: |call| {
        let whole = call.inputs.iter().all(|input| !input.dtype().is_float());
        if whole && matches!(call.number(keys::VALUE), Scalar::Float(_)) {
            return Err(Error::runtime("'value' must be whole for whole numbers"));
        }
        shape::broadcast_numbers(call)
    },
    attrs: &VALUE_ATTR,
    grad: Some(|call| {
        let value = Number(call.number(keys::VALUE));
        let scaled = Grad(0) * value;
        vec![Grad(0), scaled.clone() * Input(2), scaled * Input(1)]
    }),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| vec![Input(0) + Input(1) * Input(2) * Number(call.number(keys::VALUE))]),
    torch: "torch.addcmul",
    python: Python::IN_PLACE,
    samples: || {
        vec![
            Sample::of(&[&[2, 3], &[2, 3], &[3]]).attrs([Attr::Float(0.5)]),
            Sample::of(&[&[2, 3], &[2, 1], &[]]).attrs([Attr::Int(1)]),
        ]
    },
    autocast: Autocast::Widest,
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

static FILLED: [In; 3] = [
    In { name: "input", role: Role::Operand },
    In { name: "mask", role: Role::Mask },
    In { name: "value", role: Role::Any },
];

pub static MASKED_FILL: Op = Op {
    name: "masked_fill",
    code: codes::MASKED_FILL,
    doc: "The tensor with a number where the mask holds.",
    inputs: &FILLED,
    shape: |call| match call.inputs[2] {
        Arg::Scalar(value) if !value.fits(call.inputs[0].dtype()) => Err(Error::runtime(format!(
            "{value} cannot be converted to {} without overflow",
            call.inputs[0].dtype()
        ))),
        _ => shape::broadcast(call),
    },
    grad: Some(|_| vec![where_(Input(1), 0.0, Grad(0)), Zero, where_(Input(1), Grad(0), 0.0)]),
    kernel: |_| Ok(Kernel::Expansion),
    // The value is cast to the dtype of the tensor it is written to.
    expansion: Some(|call| {
        let dtype = call.inputs[0].dtype();
        let value = match call.inputs[2] {
            Arg::Scalar(value) if dtype == DType::Bool => {
                Number(Scalar::Bool(value.as_f64() != 0.0))
            }
            Arg::Scalar(value) if !dtype.is_float() => Number(Scalar::Int(value.as_i64())),
            Arg::Scalar(value) => Number(value),
            Arg::Tensor(_) => cast(Input(2), dtype),
        };
        vec![where_(Input(1), value, Input(0))]
    }),
    torch: "torch.masked_fill",
    python: Python::IN_PLACE,
    samples: || {
        vec![
            Sample::of(&[&[2, 3]]).index(&[2, 3], 2).scalar(0.5),
            Sample::of(&[&[2, 3]]).index(&[3], 2).tensor(&[]),
        ]
    },
    ..BINARY
};

/// `then` where `condition` is true, else `otherwise`.
pub fn where_(condition: Expr, then: impl Into<Expr>, otherwise: impl Into<Expr>) -> Expr {
    Expr::apply(&WHERE, [condition, then.into(), otherwise.into()], [])
}

/// The gradients of a clamp: the larger operand gets it. At the limit a tensor gets half of it, and
/// a number leaves none to the input.
fn within(call: &Call, larger: Expr, smaller: Expr) -> Vec<Expr> {
    match call.inputs[1] {
        Arg::Tensor(_) => grad_of_choice(larger, smaller),
        Arg::Scalar(_) => vec![where_(gt(larger, smaller), Grad(0), 0.0), Zero],
    }
}

fn limits(call: &Call) -> (Option<Scalar>, Option<Scalar>) {
    let limit = |key: Key<Scalar>| match (call.attr(key), call.inputs[0].dtype()) {
        (Attr::None, _) => None,
        // A limit beyond the range of the dtype is clamped: truncating its bits would change it.
        (Attr::Int(limit), dtype) if dtype.is_int() && dtype.size() < 8 => {
            let (low, high) = match (dtype, 8 * dtype.size()) {
                (DType::U8, _) => (0, 255),
                (_, bits) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            };
            Some(Scalar::Int((*limit).clamp(low, high)))
        }
        _ => Some(call.number(key)),
    };
    (limit(keys::MIN), limit(keys::MAX))
}

fn floats_only(call: &Call) -> Result<Shapes> {
    let whole = call.inputs.iter().find(|input| !input.dtype().is_float());
    match whole {
        Some(input) => Err(Error::runtime(format!("not implemented for {}", input.dtype()))),
        None => shape::broadcast(call),
    }
}

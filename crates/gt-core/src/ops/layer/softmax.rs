//! Softmax, its relatives and their gradients. Each travels as one instruction; an engine computes
//! it in one piece or runs its expansion.

use crate::attrs::{Attr, AttrSpec};
use crate::dtype::{DType, Kind};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Output};
use crate::op::{Autocast, Call, Input as In, Linear, Op, Python, Role, Sample};
use crate::ops::elementwise::compare::eq;
use crate::ops::elementwise::ternary::where_;
use crate::ops::elementwise::unary::{EXP, LOG};
use crate::ops::family::COMPOSITE;
use crate::ops::reduce::extreme::amax;
use crate::ops::reduce::sum::sum;
use crate::ops::{codes, keys};
use crate::rules::promote::Promotion;
use crate::rules::{shape, shard};
use crate::whole::Whole;

static SOFTMAX_ATTRS: [AttrSpec; 1] = [keys::DIM.required()];

pub static SOFTMAX: Op = Op {
    name: "softmax",
    code: codes::SOFTMAX,
    doc: "Exponentials along an axis, scaled so that they sum to one.",
    attrs: &SOFTMAX_ATTRS,
    shape: |call| {
        call.axis(keys::DIM, 0)?;
        shape::same(call)
    },
    grad: Some(|call| {
        let dim = call.attr(keys::DIM).clone();
        vec![Expr::apply(&SOFTMAX_GRAD, [Grad(0), Output(0)], [dim])]
    }),
    shard: |call| match call.axis(keys::DIM, 0) {
        Ok(axis) => shard::all_but(call, axis),
        Err(_) => shard::gather_first(call),
    },
    expansion: Some(|call| {
        if call.shape(0).count() == 0 {
            return vec![Expr::apply(&EXP, [Input(0)], [])];
        }
        let dim = &[call.int(keys::DIM)];
        let exps = Expr::apply(&EXP, [Input(0) - amax(Input(0), dim, true)], []);
        vec![exps.clone() / sum(exps, dim, true)]
    }),
    whole: Some(|call| Ok(Whole::Softmax { size: along_last(call)?, log: false })),
    autocast: Autocast::Full,
    torch: "torch.softmax",
    python: Python::BOTH.with("dtype", &SOFTMAX_IN),
    samples: || {
        let of = |shape: &[usize], dim: i64| Sample::of(&[shape]).attrs([Attr::Int(dim)]);
        vec![of(&[2, 5], -1), of(&[4, 3], 0), of(&[], 0), of(&[0, 3], 0)]
    },
    ..COMPOSITE
};

pub static SAFE_SOFTMAX: Op = Op {
    name: "safe_softmax",
    code: codes::SAFE_SOFTMAX,
    doc: "Exponentials along an axis, scaled so that they sum to one; zeros where all elements are \
          minus infinity, as those of a query that sees no key are.",
    expansion: Some(|call| {
        let dim = call.attr(keys::DIM).clone();
        let weights = Expr::apply(&SOFTMAX, [Input(0)], [dim]);
        if call.shape(0).count() == 0 {
            return vec![weights];
        }
        let is_blind = eq(amax(Input(0), &[call.int(keys::DIM)], true), f64::NEG_INFINITY);
        vec![where_(is_blind, 0.0, weights)]
    }),
    whole: None,
    torch: "torch._safe_softmax",
    python: Python::FUNCTION,
    ..SOFTMAX
};

pub static LOG_SOFTMAX: Op = Op {
    name: "log_softmax",
    code: codes::LOG_SOFTMAX,
    doc: "The logarithm of the softmax along an axis.",
    grad: Some(|call| {
        let dim = call.attr(keys::DIM).clone();
        vec![Expr::apply(&LOG_SOFTMAX_GRAD, [Grad(0), Output(0)], [dim])]
    }),
    expansion: Some(|call| {
        if call.shape(0).count() == 0 {
            return vec![Expr::apply(&EXP, [Input(0)], [])];
        }
        let dim = &[call.int(keys::DIM)];
        let below = Input(0) - amax(Input(0), dim, true);
        let total = sum(Expr::apply(&EXP, [below.clone()], []), dim, true);
        vec![below - Expr::apply(&LOG, [total], [])]
    }),
    whole: Some(|call| Ok(Whole::Softmax { size: along_last(call)?, log: true })),
    torch: "torch.log_softmax",
    python: Python::BOTH.with("dtype", &LOG_SOFTMAX_IN),
    ..SOFTMAX
};

static GRAD_INPUTS: [In; 2] =
    [In { name: "grad", role: Role::Operand }, In { name: "result", role: Role::Operand }];

pub static SOFTMAX_GRAD: Op = Op {
    name: "softmax_grad",
    code: codes::SOFTMAX_GRAD,
    doc: "The gradient of `softmax`, from that of its result, and the result.",
    inputs: &GRAD_INPUTS,
    attrs: &SOFTMAX_ATTRS,
    shape: |call| {
        call.axis(keys::DIM, 0)?;
        match call.shape(0) == call.shape(1) {
            true => Ok([call.shape(0).clone()].into()),
            false => {
                let (grad, result) = (call.shape(0), call.shape(1));
                Err(Error::runtime(format!("a gradient {grad} of a result {result}")))
            }
        }
    },
    linear: Linear::Each(&[0]),
    grad: Some(|call| {
        let dim = &[call.int(keys::DIM)];
        let [grad, result] = [Input(0), Input(1)];
        let back = [call.attr(keys::DIM).clone()];
        let weighted = sum(grad.clone() * result.clone(), dim, true);
        let seen = sum(Grad(0) * result.clone(), dim, true);
        vec![
            Expr::apply(&SOFTMAX_GRAD, [Grad(0), result], back),
            Grad(0) * (grad.clone() - weighted) - grad * seen,
        ]
    }),
    shard: |call| match call.axis(keys::DIM, 0) {
        Ok(axis) => shard::all_but(call, axis),
        Err(_) => shard::gather_first(call),
    },
    expansion: Some(|call| {
        let weighted = sum(Input(0) * Input(1), &[call.int(keys::DIM)], true);
        vec![Input(1) * (Input(0) - weighted)]
    }),
    whole: Some(|call| Ok(Whole::SoftmaxGrad { size: along_last(call)?, log: false })),
    autocast: Autocast::Full,
    python: Python::HIDDEN,
    samples: || {
        let of = |shape: &[usize], dim: i64| Sample::of(&[shape, shape]).attrs([Attr::Int(dim)]);
        vec![of(&[2, 5], -1), of(&[4, 3], 0), of(&[], 0), of(&[0, 3], 0)]
    },
    ..COMPOSITE
};

pub static LOG_SOFTMAX_GRAD: Op = Op {
    name: "log_softmax_grad",
    code: codes::LOG_SOFTMAX_GRAD,
    doc: "The gradient of `log_softmax`, from that of its result, and the result.",
    grad: Some(|call| {
        let dim = &[call.int(keys::DIM)];
        let exps = Expr::apply(&EXP, [Input(1)], []);
        let total = sum(Input(0), dim, true);
        vec![Grad(0) - sum(Grad(0) * exps.clone(), dim, true), -Grad(0) * exps * total]
    }),
    expansion: Some(|call| {
        let total = sum(Input(0), &[call.int(keys::DIM)], true);
        vec![Input(0) - Expr::apply(&EXP, [Input(1)], []) * total]
    }),
    whole: Some(|call| Ok(Whole::SoftmaxGrad { size: along_last(call)?, log: true })),
    ..SOFTMAX_GRAD
};

/// The size of the axis, if it is the last one.
fn along_last(call: &Call) -> Result<usize> {
    let shape = call.shape(0);
    match shape.last() {
        Some(&size) if call.axis(keys::DIM, 0)? + 1 == shape.rank() && shape.count() > 0 => {
            Ok(size)
        }
        _ => Err(Error::bug("only the last axis is computed in one piece")),
    }
}

pub static SOFTMIN: Op = Op {
    name: "softmin",
    code: codes::SOFTMIN,
    doc: "Exponentials of the negative elements along an axis, scaled so that they sum to one.",
    shape: |call| match call.inputs[0].dtype() {
        DType::Bool => Err(Error::runtime("bool tensors have no negatives; cast first")),
        _ => (SOFTMAX.shape)(call),
    },
    grad: Some(|call| {
        let weighted = sum(Grad(0) * Output(0), &[call.int(keys::DIM)], true);
        vec![Output(0) * (weighted - Grad(0))]
    }),
    expansion: Some(|call| {
        vec![Expr::apply(&SOFTMAX, [-Input(0)], [call.attr(keys::DIM).clone()])]
    }),
    whole: None,
    torch: "torch.nn.functional.softmin",
    python: Python::BOTH.with("dtype", &SOFTMIN_IN),
    ..SOFTMAX
};

static IN_ATTRS: [AttrSpec; 2] = [keys::DIM.required(), keys::DTYPE.or_none()];

/// `softmax` with a `dtype` argument: the input is cast first.
const IN: Op = Op {
    attrs: &IN_ATTRS,
    whole: None,
    promotion: Promotion::By(|call, common| match call.dtype(keys::DTYPE) {
        Some(dtype) => dtype,
        None if common.kind() < Kind::Float => DType::F32,
        None => common,
    }),
    torch: "",
    python: Python::HIDDEN,
    samples: || {
        let of = |dtype: Attr| Sample::of(&[&[2, 5]]).attrs([Attr::Int(-1), dtype]);
        // In float64, where finite differences can check the gradient.
        vec![of(Attr::None), of(DType::F64.into())]
    },
    ..SOFTMAX
};

pub static SOFTMAX_IN: Op = Op {
    name: "softmax_in",
    code: codes::SOFTMAX_IN,
    doc: "Exponentials along an axis, scaled so that they sum to one, in a dtype.",
    expansion: Some(|call| vec![Expr::apply(&SOFTMAX, [Input(0)], [call.attr(keys::DIM).clone()])]),
    ..IN
};

pub static LOG_SOFTMAX_IN: Op = Op {
    name: "log_softmax_in",
    code: codes::LOG_SOFTMAX_IN,
    doc: "The logarithm of the softmax along an axis, in a dtype.",
    grad: Some(|call| LOG_SOFTMAX.gradients(call)),
    expansion: Some(|call| {
        vec![Expr::apply(&LOG_SOFTMAX, [Input(0)], [call.attr(keys::DIM).clone()])]
    }),
    ..IN
};

pub static SOFTMIN_IN: Op = Op {
    name: "softmin_in",
    code: codes::SOFTMIN_IN,
    doc: "Exponentials of the negative elements along an axis, in a dtype.",
    grad: Some(|call| SOFTMIN.gradients(call)),
    expansion: Some(|call| vec![Expr::apply(&SOFTMIN, [Input(0)], [call.attr(keys::DIM).clone()])]),
    ..IN
};

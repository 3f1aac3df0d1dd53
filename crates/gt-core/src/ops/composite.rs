//! Operations written with other operations. Each travels as one instruction and may carry a
//! gradient of its own; an engine takes it whole or runs its expansion.

use super::elementwise::{EXP, LOG};
use super::family::COMPOSITE;
use super::reduce::{amax, sum};
use crate::attrs::{Attr, AttrKind, AttrSpec};
use crate::dtype::DType;
use crate::error::Error;
use crate::expr::Expr::{self, Grad, Input, Output};
use crate::op::{Autocast, Op, Sample};
use crate::rules::{shape, shard};

/// The rows of this file.
pub(super) static ROWS: &[&Op] = &[&SOFTMAX, &LOG_SOFTMAX, &SOFTMIN];

static SOFTMAX_ATTRS: [AttrSpec; 1] = [AttrSpec::required("dim", AttrKind::Axis)];

pub static SOFTMAX: Op = Op {
    name: "softmax",
    code: 220,
    doc: "Exponentials along an axis, scaled so that they sum to one.",
    attrs: &SOFTMAX_ATTRS,
    shape: |call| {
        call.axis("dim", 0)?;
        shape::same(call)
    },
    grad: |call| {
        let weighted = sum(Grad(0) * Output(0), call.ints("dim"), true);
        vec![Output(0) * (Grad(0) - weighted)]
    },
    shard: |call| match call.axis("dim", 0) {
        Ok(axis) => shard::all_but(call, axis),
        Err(_) => shard::gather_first(call),
    },
    expansion: Some(|call| {
        if call.shape(0).count() == 0 {
            return vec![Expr::apply(&EXP, [Input(0)], [])];
        }
        let dim = call.ints("dim");
        let exps = Expr::apply(&EXP, [Input(0) - amax(Input(0), dim, true)], []);
        vec![exps.clone() / sum(exps, dim, true)]
    }),
    autocast: Autocast::Full,
    torch: "torch.softmax",
    samples: || {
        let of = |shape: &[usize], dim: i64| Sample::of(&[shape]).attrs([Attr::Int(dim)]);
        vec![of(&[2, 5], -1), of(&[4, 3], 0), of(&[], 0), of(&[0, 3], 0)]
    },
    ..COMPOSITE
};

pub static LOG_SOFTMAX: Op = Op {
    name: "log_softmax",
    code: 490,
    doc: "The logarithm of the softmax along an axis.",
    grad: |call| {
        let total = sum(Grad(0), call.ints("dim"), true);
        vec![Grad(0) - Expr::apply(&EXP, [Output(0)], []) * total]
    },
    expansion: Some(|call| {
        if call.shape(0).count() == 0 {
            return vec![Expr::apply(&EXP, [Input(0)], [])];
        }
        let dim = call.ints("dim");
        let below = Input(0) - amax(Input(0), dim, true);
        let total = sum(Expr::apply(&EXP, [below.clone()], []), dim, true);
        vec![below - Expr::apply(&LOG, [total], [])]
    }),
    torch: "torch.log_softmax",
    ..SOFTMAX
};

pub static SOFTMIN: Op = Op {
    name: "softmin",
    code: 491,
    doc: "Exponentials of the negative elements along an axis, scaled so that they sum to one.",
    shape: |call| match call.inputs[0].dtype() {
        DType::Bool => Err(Error::runtime("bool tensors have no negatives; cast first")),
        _ => (SOFTMAX.shape)(call),
    },
    grad: |call| {
        let weighted = sum(Grad(0) * Output(0), call.ints("dim"), true);
        vec![Output(0) * (weighted - Grad(0))]
    },
    expansion: Some(|call| vec![Expr::apply(&SOFTMAX, [-Input(0)], [call.attr("dim").clone()])]),
    torch: "torch.nn.functional.softmin",
    ..SOFTMAX
};

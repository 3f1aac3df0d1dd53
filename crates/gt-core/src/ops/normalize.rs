//! Standardisation along axes, which layer, group and batch normalisation share.

use super::codes;
use super::family::COMPOSITE;
use super::keys;
use super::reduce::sum;
use super::unary::RSQRT;
use crate::attrs::{Attr, AttrSpec};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Output as Out};
use crate::op::{
    Autocast, Call, Input as In, Linear, Op, Output, OutputType, Python, Role, Sample, ints,
};
use crate::rules::shard::{self, Factors};
use crate::whole::{Groups, Whole};

static ATTRS: [AttrSpec; 2] = [keys::AXES.required(), keys::EPS.or(1e-5)];
static RESULTS: [Output; 3] = [
    Output { name: "result", dtype: OutputType::Common },
    Output { name: "mean", dtype: OutputType::Common },
    Output { name: "rstd", dtype: OutputType::Common },
];

pub static STANDARDIZE: Op = Op {
    name: "standardize",
    code: codes::STANDARDIZE,
    doc: "The elements with mean zero and variance one along axes, their mean, and the reciprocal \
          of their standard deviation.",
    attrs: &ATTRS,
    outputs: &RESULTS,
    shape: |call| {
        let axes = call.axes(keys::AXES, 0)?;
        let kept = call.shape(0).reduced(&axes, true);
        Ok([call.shape(0).clone(), kept.clone(), kept].into_iter().collect())
    },
    grad: Some(|call| {
        let inputs = [Grad(0), Grad(1), Grad(2), Out(0), Out(2)];
        vec![Expr::apply(&STANDARDIZE_GRAD, inputs, [call.attr(keys::AXES).clone()])]
    }),
    shard: |call| {
        let Ok(axes) = call.axes(keys::AXES, 0) else { return shard::gather_first(call) };
        let rank = call.shape(0).rank();
        let free = |axis: usize| (!axes.contains(&axis)).then_some(axis as u8);
        let letters: smallvec::SmallVec<_> = (0..rank).map(free).collect();
        let kept = letters.clone();
        Factors::of(call, vec![letters.clone()], vec![letters, kept.clone(), kept])
    },
    expansion: Some(|call| {
        let (axes, count) = (call.ints(keys::AXES), count(call));
        let eps = call.float(keys::EPS);
        let mean = sum(Input(0), axes, true) / count;
        let centred = Input(0) - mean.clone();
        let variance = sum(centred.clone() * centred.clone(), axes, true) / count;
        let rstd = Expr::apply(&RSQRT, [variance + eps], []);
        vec![centred * rstd.clone(), mean, rstd]
    }),
    whole: Some(|call| {
        let groups = groups(call, 0)?;
        Ok(Whole::Standardize { groups, eps: call.float(keys::EPS) })
    }),
    autocast: Autocast::Full,
    python: Python::FUNCTION,
    samples: || {
        let of = |shape: &[usize], axes: &[i64]| {
            Sample::of(&[shape]).attrs([ints(axes.iter().copied()), Attr::Float(1e-5)])
        };
        vec![of(&[3, 4], &[-1]), of(&[2, 3, 4], &[0, 2]), of(&[4], &[0])]
    },
    ..COMPOSITE
};

static GRAD_ATTRS: [AttrSpec; 1] = [keys::AXES.required()];
static GRAD_INPUTS: [In; 5] = [
    In { name: "grad", role: Role::Operand },
    In { name: "mean_grad", role: Role::Operand },
    In { name: "rstd_grad", role: Role::Operand },
    In { name: "result", role: Role::Operand },
    In { name: "rstd", role: Role::Operand },
];

pub static STANDARDIZE_GRAD: Op = Op {
    name: "standardize_grad",
    code: codes::STANDARDIZE_GRAD,
    doc: "The gradient of `standardize`, from those of its results, and its first and third one.",
    inputs: &GRAD_INPUTS,
    attrs: &GRAD_ATTRS,
    shape: |call| {
        let axes = call.axes(keys::AXES, 0)?;
        let kept = call.shape(0).reduced(&axes, true);
        let expected = [call.shape(0), &kept, &kept, call.shape(0), &kept];
        match (0..5).find(|&index| call.shape(index) != expected[index]) {
            None => Ok([call.shape(0).clone()].into()),
            Some(index) => {
                let (name, found) = (call.op.inputs[index].name, call.shape(index));
                Err(Error::runtime(format!("'{name}' is {found}, not {}", expected[index])))
            }
        }
    },
    linear: Linear::Together(&[0, 1, 2]),
    grad: Some(|call| {
        let (axes, count) = (call.ints(keys::AXES), count(call));
        let mean = |expr: Expr| sum(expr, axes, true) / count;
        let [grad, rstd_grad, result, rstd] = [Input(0), Input(2), Input(3), Input(4)];
        let both = mean(grad.clone() * result.clone());
        let seen = mean(Grad(0) * result.clone());
        let along =
            |expr: Expr, seen: &Expr| expr.clone() - mean(expr) - result.clone() * seen.clone();
        let spread = rstd_grad.clone() * rstd.clone();
        let mixed = Grad(0) * both.clone() + grad.clone() * seen.clone();
        let for_result = -rstd.clone() * (mixed + spread.clone() * Grad(0) / count);
        let for_rstd = sum(Grad(0) * along(grad, &both), axes, true) - spread * seen.clone() * 2.0;
        vec![
            rstd.clone() * along(Grad(0), &seen),
            mean(Grad(0)),
            -rstd.clone() * rstd * seen,
            for_result,
            for_rstd,
        ]
    }),
    shard: |call| {
        let Ok(axes) = call.axes(keys::AXES, 0) else { return shard::gather_first(call) };
        let rank = call.shape(0).rank();
        let free = |axis: usize| (!axes.contains(&axis)).then_some(axis as u8);
        let letters: smallvec::SmallVec<_> = (0..rank).map(free).collect();
        Factors::of(call, vec![letters.clone(); 5], vec![letters])
    },
    expansion: Some(|call| {
        let (axes, count) = (call.ints(keys::AXES), count(call));
        let mean = |expr: Expr| sum(expr, axes, true) / count;
        let [grad, mean_grad, rstd_grad] = [Input(0), Input(1), Input(2)];
        let [result, rstd] = [Input(3), Input(4)];
        let along =
            grad.clone() - mean(grad.clone()) - result.clone() * mean(grad * result.clone());
        let shifted = mean_grad / count - rstd_grad * rstd.clone() * rstd.clone() * result / count;
        vec![rstd * along + shifted]
    }),
    whole: Some(|call| Ok(Whole::StandardizeGrad(groups(call, 0)?))),
    autocast: Autocast::Full,
    python: Python::HIDDEN,
    samples: || {
        let of = |shape: &[usize], kept: &[usize], axes: &[i64]| {
            Sample::of(&[shape, kept, kept, shape, kept]).attrs([ints(axes.iter().copied())])
        };
        vec![
            of(&[3, 4], &[3, 1], &[-1]),
            of(&[2, 3, 9], &[1, 3, 1], &[0, 2]),
            of(&[2, 3, 4], &[1, 3, 1], &[0, 2]),
        ]
    },
    ..COMPOSITE
};

/// The elements that share a mean, if they can be met in one go.
pub(super) fn groups(call: &Call, index: usize) -> Result<Groups> {
    let groups = Groups::along(call.shape(index), &call.axes(keys::AXES, index)?);
    groups.ok_or_else(|| Error::bug("these axes are not computed in one piece"))
}

/// How many elements share a mean.
pub(super) fn count(call: &Call) -> f64 {
    let axes = call.axes(keys::AXES, 0).unwrap_or_default();
    axes.iter().filter_map(|&axis| call.shape(0).get(axis)).product::<usize>() as f64
}

//! Division by the root of the mean square along axes.

use super::codes;
use super::family::COMPOSITE;
use super::keys;
use super::normalize::{STANDARDIZE, count, groups};
use super::reduce::sum;
use super::unary::RSQRT;
use crate::attrs::AttrSpec;
use crate::error::Error;
use crate::expr::Expr::{self, Grad, Input, Output as Out};
use crate::op::{
    Autocast, Input as In, Linear, Op, Output, OutputType, Python, Role, Sample, ints,
};
use crate::rules::shard::{self, Factors};
use crate::whole::Whole;

static RESULTS: [Output; 2] = [
    Output { name: "result", dtype: OutputType::Common },
    Output { name: "rstd", dtype: OutputType::Common },
];

pub static RMS_STANDARDIZE: Op = Op {
    name: "rms_standardize",
    code: codes::RMS_STANDARDIZE,
    doc: "The elements divided by the root of their mean square along axes, and the reciprocal of \
          that root.",
    outputs: &RESULTS,
    shape: |call| {
        let axes = call.axes(keys::AXES, 0)?;
        Ok([call.shape(0).clone(), call.shape(0).reduced(&axes, true)].into_iter().collect())
    },
    grad: Some(|call| {
        let inputs = [Grad(0), Grad(1), Out(0), Out(1)];
        vec![Expr::apply(&RMS_STANDARDIZE_GRAD, inputs, [call.attr(keys::AXES).clone()])]
    }),
    shard: |call| {
        let Ok(axes) = call.axes(keys::AXES, 0) else { return shard::gather_first(call) };
        let free = |axis: usize| (!axes.contains(&axis)).then_some(axis as u8);
        let letters: smallvec::SmallVec<_> = (0..call.shape(0).rank()).map(free).collect();
        Factors::of(call, vec![letters.clone()], vec![letters.clone(), letters])
    },
    expansion: Some(|call| {
        let square = sum(Input(0) * Input(0), call.ints(keys::AXES), true) / count(call);
        let rstd = Expr::apply(&RSQRT, [square + call.float(keys::EPS)], []);
        vec![Input(0) * rstd.clone(), rstd]
    }),
    whole: Some(|call| {
        let groups = groups(call, 0)?;
        Ok(Whole::RmsStandardize { groups, eps: call.float(keys::EPS) })
    }),
    autocast: Autocast::Keep,
    ..STANDARDIZE
};

static GRAD_ATTRS: [AttrSpec; 1] = [keys::AXES.required()];
static GRAD_INPUTS: [In; 4] = [
    In { name: "grad", role: Role::Operand },
    In { name: "rstd_grad", role: Role::Operand },
    In { name: "result", role: Role::Operand },
    In { name: "rstd", role: Role::Operand },
];

pub static RMS_STANDARDIZE_GRAD: Op = Op {
    name: "rms_standardize_grad",
    code: codes::RMS_STANDARDIZE_GRAD,
    doc: "The gradient of `rms_standardize`, from those of its results, and the results.",
    inputs: &GRAD_INPUTS,
    attrs: &GRAD_ATTRS,
    shape: |call| {
        let axes = call.axes(keys::AXES, 0)?;
        let kept = call.shape(0).reduced(&axes, true);
        let expected = [call.shape(0), &kept, call.shape(0), &kept];
        match (0..4).find(|&index| call.shape(index) != expected[index]) {
            None => Ok([call.shape(0).clone()].into()),
            Some(index) => {
                let (name, found) = (call.op.inputs[index].name, call.shape(index));
                Err(Error::runtime(format!("'{name}' is {found}, not {}", expected[index])))
            }
        }
    },
    linear: Linear::Together(&[0, 1]),
    grad: Some(|call| {
        let (axes, count) = (call.ints(keys::AXES), count(call));
        let mean = |expr: Expr| sum(expr, axes, true) / count;
        let [grad, rstd_grad, result, rstd] = [Input(0), Input(1), Input(2), Input(3)];
        let both = mean(grad.clone() * result.clone());
        let seen = mean(Grad(0) * result.clone());
        let along = |expr: Expr, seen: &Expr| expr - result.clone() * seen.clone();
        let spread = rstd_grad * rstd.clone();
        let mixed = Grad(0) * both.clone() + grad.clone() * seen.clone();
        let for_result = -rstd.clone() * (mixed + spread.clone() * Grad(0) / count);
        let for_rstd = sum(Grad(0) * along(grad, &both), axes, true) - spread * seen.clone() * 2.0;
        let for_grad = rstd.clone() * along(Grad(0), &seen);
        vec![for_grad, -rstd.clone() * rstd * seen, for_result, for_rstd]
    }),
    shard: |call| {
        let Ok(axes) = call.axes(keys::AXES, 0) else { return shard::gather_first(call) };
        let free = |axis: usize| (!axes.contains(&axis)).then_some(axis as u8);
        let letters: smallvec::SmallVec<_> = (0..call.shape(0).rank()).map(free).collect();
        Factors::of(call, vec![letters.clone(); 4], vec![letters])
    },
    expansion: Some(|call| {
        let (axes, count) = (call.ints(keys::AXES), count(call));
        let [grad, rstd_grad, result, rstd] = [Input(0), Input(1), Input(2), Input(3)];
        let both = sum(grad.clone() * result.clone(), axes, true) / count;
        let shifted = rstd_grad * rstd.clone() * rstd.clone() * result.clone() / count;
        vec![rstd * (grad - result * both) - shifted]
    }),
    whole: Some(|call| Ok(Whole::RmsStandardizeGrad(groups(call, 0)?))),
    autocast: Autocast::Full,
    python: Python::HIDDEN,
    samples: || {
        let of = |shape: &[usize], kept: &[usize], axes: &[i64]| {
            Sample::of(&[shape, kept, shape, kept]).attrs([ints(axes.iter().copied())])
        };
        vec![of(&[3, 4], &[3, 1], &[-1]), of(&[2, 3, 9], &[1, 3, 1], &[0, 2])]
    },
    ..COMPOSITE
};

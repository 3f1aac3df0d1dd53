//! Standardisation along axes, which layer, group and batch normalisation share.

use super::codes;
use super::elementwise::cast;
use super::family::COMPOSITE;
use super::keys;
use super::reduce::sum;
use super::unary::RSQRT;
use crate::attrs::{Attr, AttrSpec};
use crate::dtype::DType;
use crate::expr::Expr::{self, Grad, Input, Output as Out};
use crate::op::{Autocast, Call, Op, Output, OutputType, Python, Sample, ints};
use crate::rules::shard::{self, Factors};

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
        let (axes, count) = (call.ints(keys::AXES), count(call));
        let mean = |expr: Expr| sum(expr, axes, true) / count;
        let along = Grad(0) - mean(Grad(0)) - Out(0) * mean(Grad(0) * Out(0));
        let shifted = Grad(1) / count - Grad(2) * Out(2) * Out(2) * Out(0) / count;
        vec![Out(2) * along + shifted]
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
        // Sums of halves lose too much, so they are taken in float32.
        let dtype = call.inputs[0].dtype();
        let half = matches!(dtype, DType::F16 | DType::BF16);
        let (axes, count) = (call.ints(keys::AXES), count(call));
        let eps = call.float(keys::EPS);
        let input = if half { cast(Input(0), DType::F32) } else { Input(0) };
        let mean = sum(input.clone(), axes, true) / count;
        let centred = input - mean.clone();
        let variance = sum(centred.clone() * centred.clone(), axes, true) / count;
        let rstd = Expr::apply(&RSQRT, [variance + eps], []);
        let back = |expr: Expr| if half { cast(expr, dtype) } else { expr };
        vec![back(centred * rstd.clone()), back(mean), back(rstd)]
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

/// How many elements share a mean.
fn count(call: &Call) -> f64 {
    let axes = call.axes(keys::AXES, 0).unwrap_or_default();
    axes.iter().filter_map(|&axis| call.shape(0).get(axis)).product::<usize>() as f64
}

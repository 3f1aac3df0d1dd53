//! Composites that are computed in one piece. What is not here, or in another dtype, is computed by
//! its expansion.

use std::array::TryFromSliceError;

use gt_core::attrs::Attrs;
use gt_core::dtype::DType;
use gt_core::error::{Error, Result};
use gt_core::op::{Arg, Call, Op, Role};
use gt_core::shape::Meta;
use gt_core::whole::Whole;
use gt_worker::engine::{Operand, Operands, Results};
use gt_worker::value::Value;
use smallvec::{SmallVec, smallvec};

use super::groups::Softmax;
use super::lanes::Vectors;
use super::{Native, attention, convolve, groups, pool, recurrent, take};

/// Whether a composite is computed in one piece: its operands are floats of one width.
pub(super) fn takes(call: &Call) -> bool {
    let Some(whole) = call.op.whole else { return false };
    let mut operands = (0..call.inputs.len())
        .filter(|&index| call.role(index) == Role::Operand)
        .map(|index| call.inputs[index].dtype());
    let first = operands.next();
    matches!(first, Some(DType::F32 | DType::F64))
        && operands.all(|dtype| Some(dtype) == first)
        && whole(call).is_ok()
}

/// Computes a composite that is taken.
pub(super) fn run(
    native: &Native,
    op: &'static Op,
    attrs: &Attrs,
    inputs: Operands,
    outputs: &[Meta],
) -> Result<Results> {
    let values = inputs.into_iter().map(|operand| match operand {
        Operand::Tensor(value) => Ok(value),
        Operand::Scalar(_) => Err(Error::bug(format!("{} was given a number", op.name))),
    });
    let values: SmallVec<[Value; 4]> = values.collect::<Result<_>>()?;
    let args: SmallVec<[Arg; 4]> = values.iter().map(|value| Arg::Tensor(value.meta())).collect();
    let whole = op.whole.ok_or_else(|| Error::bug(format!("{} has parts only", op.name)))?;
    let whole = whole(&Call { op, inputs: &args, attrs })?;
    let values: SmallVec<[&Value; 5]> = values.iter().collect();
    match outputs.first().map(|out| out.dtype) {
        Some(DType::F32) => compute::<f32>(native, &whole, &values, outputs, |eps| eps as f32),
        Some(DType::F64) => compute::<f64>(native, &whole, &values, outputs, |eps| eps),
        _ => Err(Error::bug(format!("{} is not computed in one piece there", op.name))),
    }
}

fn compute<T: Vectors>(
    native: &Native,
    whole: &Whole,
    values: &[&Value],
    outputs: &[Meta],
    number: impl Fn(f64) -> T,
) -> Result<Results> {
    let wrong =
        |_: TryFromSliceError| Error::bug(format!("{whole:?} with {} inputs", values.len()));
    match (whole, values, outputs) {
        (Whole::Convolve(conv), &[first, second], [out]) => {
            Ok(smallvec![convolve::convolve::<T>(native, conv, [first, second], out)?])
        }
        (&Whole::Standardize { groups, eps }, &[x], [result, mean, rstd]) => {
            let outputs = [result.clone(), mean.clone(), rstd.clone()];
            groups::standardize::<T>(native, groups, number(eps), x, &outputs)
        }
        (&Whole::StandardizeGrad(groups), &[grad, mean, deviation, x, rstd], [out]) => {
            let values = [grad, mean, deviation, x, rstd];
            groups::standardize_grad::<T>(native, groups, values, out)
        }
        (Whole::MaxPool(spec), &[x], [out, places]) => {
            pool::max_pool::<T>(native, spec, x, [out, places])
        }
        (Whole::MaxPoolGrad(spec), &[grad, places], [out]) => {
            pool::max_pool_grad::<T>(native, spec, [grad, places], out)
        }
        (&Whole::RmsStandardize { groups, eps }, &[x], [result, rstd]) => {
            groups::rms_standardize::<T>(native, groups, number(eps), x, [result, rstd])
        }
        (&Whole::RmsStandardizeGrad(groups), &[grad, deviation, x, rstd], [out]) => {
            groups::rms_standardize_grad::<T>(native, groups, [grad, deviation, x, rstd], out)
        }
        (&Whole::LayerNorm { rows, eps }, &[x, weight, bias], [result, mean, rstd]) => {
            let inputs = [x, weight, bias];
            groups::layer_norm::<T>(native, rows, number(eps), inputs, [result, mean, rstd])
        }
        (&Whole::LayerNormGrad(rows), values, [input, weight, bias]) => {
            let inputs = values.try_into().map_err(wrong)?;
            groups::layer_norm_grad::<T>(native, rows, inputs, [input, weight, bias])
        }
        (&Whole::Softmax { size, log }, &[x], [out]) => {
            groups::softmax::<T>(native, Softmax { size, log }, x, out)
        }
        (&Whole::SoftmaxGrad { size, log }, &[grad, result], [out]) => {
            groups::softmax_grad::<T>(native, Softmax { size, log }, [grad, result], out)
        }
        (&Whole::LstmSteps(sizes), &[given, weight, hidden, cell], [states, cells, gates]) => {
            let inputs = [given, weight, hidden, cell];
            recurrent::lstm::<T>(native, sizes, inputs, [states, cells, gates])
        }
        (&Whole::LstmStepsGrad(sizes), values, [products, hidden, cell]) => {
            let inputs = values.try_into().map_err(wrong)?;
            recurrent::lstm_grad::<T>(native, sizes, inputs, [products, hidden, cell])
        }
        (&Whole::GruSteps(sizes), &[given, weight, bias, hidden], [states, gates]) => {
            let inputs = [given, weight, bias, hidden];
            recurrent::gru::<T>(native, sizes, inputs, [states, gates])
        }
        (&Whole::GruStepsGrad(sizes), values, [inputs, products, hidden]) => {
            let values = values.try_into().map_err(wrong)?;
            recurrent::gru_grad::<T>(native, sizes, values, [inputs, products, hidden])
        }
        (Whole::Embedding, &[table, positions], [out]) => {
            Ok(smallvec![take::rows(native, table, positions, out)?])
        }
        (&Whole::Attend(sizes), &[query, key, value], [result, totals]) => {
            let scale = number(sizes.scale);
            attention::attend::<T>(native, sizes, scale, [query, key, value], [result, totals])
        }
        (&Whole::AttendGrad(sizes), values, [query, key, value]) => {
            let (inputs, scale) = (values.try_into().map_err(wrong)?, number(sizes.scale));
            attention::attend_grad::<T>(native, sizes, scale, inputs, [query, key, value])
        }
        _ => Err(Error::bug(format!("{whole:?} with {} inputs", values.len()))),
    }
}

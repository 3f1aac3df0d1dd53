//! `clamp` whose limits are tensors.

use gt::attrs::Attrs;
use gt::op::Op;
use gt::ops;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::error::to_python;
use crate::kind::kind_of;
use crate::operand::Operand;
use crate::provenance;
use crate::tensor::Tensor;

static CLAMP_MIN: &Op = &ops::builtin::CLAMP_MIN;
static CLAMP_MAX: &Op = &ops::builtin::CLAMP_MAX;

/// What a call gives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A tensor of its own.
    Value,
    /// The tensor it was called on, with the result written into it.
    InPlace,
}

/// Limits of `clamp` that are tensors: one after the other, each as an operation of its own.
pub fn clamp_by_tensors<'py>(
    slf: &Bound<'py, Tensor>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
    form: Form,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let given = |place: usize, name: &str| -> PyResult<Option<Bound<'py, PyAny>>> {
        let named = kwargs.map(|kwargs| kwargs.get_item(name)).transpose()?.flatten();
        Ok(args.get_item(place).ok().or(named).filter(|value| !value.is_none()))
    };
    let limits = [(CLAMP_MIN, given(0, "min")?), (CLAMP_MAX, given(1, "max")?)];
    let is_tensor = |limit: &Bound<'py, PyAny>| limit.cast::<Tensor>().is_ok();
    if !limits.iter().any(|(_, limit)| limit.as_ref().is_some_and(is_tensor)) {
        return Ok(None);
    }
    provenance::mark(slf.py());
    let mut tensor = slf.borrow().0.clone();
    for (op, limit) in limits {
        let Some(limit) = limit else { continue };
        let Some(limit) = Operand::from(&limit)? else {
            let kind = kind_of(&limit);
            let message = format!("clamp: a limit must be a tensor or a number, not {kind}");
            return Err(PyTypeError::new_err(message));
        };
        if form == Form::InPlace {
            tensor.apply_in_place(op, &[limit.input()], Attrs::none()).map_err(to_python)?;
        } else {
            tensor = tensor.apply_one(op, &[limit.input()], Attrs::none()).map_err(to_python)?;
        }
    }
    Ok(Some(match form {
        Form::InPlace => slf.clone().into_any(),
        Form::Value => Bound::new(slf.py(), Tensor(tensor))?.into_any(),
    }))
}

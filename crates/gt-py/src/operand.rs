//! What Python gives where an operation wants an input: a tensor or a number.

use gt::op::Op;
use gt::{Input, Scalar};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt};

use crate::numpy;
use crate::tensor::Tensor;

/// An input as Python gave it.
pub enum Operand<'py> {
    /// A tensor.
    Tensor(PyRef<'py, Tensor>),
    /// A number.
    Scalar(Scalar),
}

impl<'py> Operand<'py> {
    /// A tensor or a number; `None` for anything else.
    pub fn from(value: &Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        if let Ok(tensor) = value.cast::<Tensor>() {
            return Ok(Some(Operand::Tensor(tensor.borrow())));
        }
        Ok(scalar(value)?.map(Operand::Scalar))
    }

    /// The same for an operator, which takes arrays too, and leaves to others what it cannot use.
    pub fn beside(op: &Op, value: &Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        let operand = match Operand::from(value)? {
            None => numpy::array(value)?.map(|tensor| Operand::Tensor(tensor.borrow())),
            known => known,
        };
        Ok(operand.filter(|operand| op.accepts_scalars || matches!(operand, Operand::Tensor(_))))
    }

    /// The tensor that it stands beside and itself in one dtype, if it was `given` as an array.
    pub fn beside_array(
        &self,
        own: &gt::Tensor,
        given: &Bound<'py, PyAny>,
    ) -> PyResult<Option<[gt::Tensor; 2]>> {
        match self {
            Operand::Tensor(array) if given.cast::<Tensor>().is_err() => {
                numpy::aligned(own, &array.0)
            }
            _ => Ok(None),
        }
    }

    /// Whether it is a number, or a tensor that holds one.
    pub fn is_number(&self) -> bool {
        match self {
            Operand::Tensor(tensor) => tensor.0.shape().rank() == 0,
            Operand::Scalar(_) => true,
        }
    }

    /// As the client takes it.
    pub fn input(&self) -> Input<'_> {
        match self {
            Operand::Tensor(tensor) => Input::Tensor(&tensor.0),
            Operand::Scalar(scalar) => Input::Scalar(*scalar),
        }
    }
}

/// A Python or NumPy number; `None` for anything else.
pub fn scalar(value: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    if let Ok(value) = value.cast::<PyFloat>() {
        return Ok(Some(Scalar::Float(value.value())));
    }
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(Some(Scalar::Bool(value.is_true())));
    }
    if let Ok(value) = value.cast::<PyInt>() {
        let value = value.extract::<i64>().map_err(|_| {
            PyRuntimeError::new_err(format!("{value} cannot be converted to int64: it overflows"))
        })?;
        return Ok(Some(Scalar::Int(value)));
    }
    if !is_numpy_number(value) {
        return Ok(None);
    }
    // NumPy's own numbers know their Python equivalents.
    let plain = value.call_method0("item")?;
    if plain.get_type().is(value.get_type()) { Ok(None) } else { scalar(&plain) }
}

fn is_numpy_number(value: &Bound<'_, PyAny>) -> bool {
    let shape = value.getattr("shape").and_then(|shape| shape.extract::<Vec<usize>>());
    shape.is_ok_and(|shape| shape.is_empty())
}

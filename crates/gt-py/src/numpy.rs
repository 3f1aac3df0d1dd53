//! NumPy beside tensors: what its functions and operators give is a tensor, with its gradient where
//! GT has the same function.

use gt::ops;
use gt::rules::promote;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::error::to_python;
use crate::function::created;
use crate::provenance;
use crate::tensor::Tensor;

#[pymethods]
impl Tensor {
    /// More than an array has, so that operators of both are the tensor's.
    #[classattr]
    #[pyo3(name = "__array_priority__")]
    const ARRAY_PRIORITY: i64 = 1000;

    /// What a function of NumPy's makes of arrays and tensors.
    #[pyo3(signature = (ufunc, method, *inputs, **options))]
    fn __array_ufunc__<'py>(
        &self,
        ufunc: &Bound<'py, PyAny>,
        method: &str,
        inputs: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let plain = method == "__call__" && options.is_none_or(|options| options.is_empty());
        match same_function(ufunc)?.filter(|_| plain) {
            Some(function) => function.call1(PyTuple::new(inputs.py(), as_tensors(inputs)?)?),
            None => through_arrays(ufunc, method, inputs, options),
        }
    }

    /// What NumPy has computed with the elements, as a tensor.
    #[pyo3(signature = (array, context=None, return_scalar=false))]
    fn __array_wrap__(
        &self,
        array: &Bound<'_, PyAny>,
        context: Option<&Bound<'_, PyAny>>,
        return_scalar: bool,
    ) -> PyResult<Tensor> {
        let _ = (context, return_scalar);
        provenance::mark(array.py());
        created(array, None)
    }
}

/// GT's function for one of NumPy's.
fn same_function<'py>(ufunc: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Ok(name) = ufunc.getattr("__name__").and_then(|name| name.extract::<String>()) else {
        return Err(PyTypeError::new_err("__array_ufunc__ is for functions of NumPy's"));
    };
    let row = ops::ALL.iter().find(|op| op.numpy == Some(&*name));
    let name = row.map_or(&*name, |op| op.name);
    Ok(ufunc.py().import("gt._gt")?.getattr(name).ok().filter(|found| found.is_callable()))
}

/// The inputs, arrays as tensors.
fn as_tensors<'py>(inputs: &Bound<'py, PyTuple>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let tensor = |input: Bound<'py, PyAny>| match array(&input)? {
        Some(tensor) => Ok(tensor.into_any()),
        None => Ok(input),
    };
    let inputs = inputs.iter().map(tensor).collect::<PyResult<Vec<_>>>()?;
    let [first, second] = &inputs[..] else { return Ok(inputs) };
    let (Ok(first), Ok(second)) = (first.cast::<Tensor>(), second.cast::<Tensor>()) else {
        return Ok(inputs);
    };
    let Some(pair) = aligned(&first.borrow().0, &second.borrow().0)? else { return Ok(inputs) };
    pair.into_iter().map(|own| Ok(Bound::new(first.py(), Tensor(own))?.into_any())).collect()
}

/// An array and a tensor in the dtype that they have in common, as NumPy would compute with them;
/// `None` if they have one, or if one of them is a number.
pub fn aligned(first: &gt::Tensor, second: &gt::Tensor) -> PyResult<Option<[gt::Tensor; 2]>> {
    let numbers = first.shape().rank() == 0 || second.shape().rank() == 0;
    if numbers || first.dtype() == second.dtype() {
        return Ok(None);
    }
    let dtype = promote::common(first.dtype(), second.dtype());
    let cast = |tensor: &gt::Tensor| tensor.to_dtype(dtype).map_err(to_python);
    Ok(Some([cast(first)?, cast(second)?]))
}

/// A NumPy array as a tensor; `None` for anything else, numbers among it.
pub fn array<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, Tensor>>> {
    let is_array = value.hasattr("__array_interface__")? && value.hasattr("__setitem__")?;
    if !is_array {
        return Ok(None);
    }
    provenance::mark(value.py());
    Bound::new(value.py(), created(value, None)?).map(Some)
}

/// The function on the elements as arrays. There is no way back for a gradient.
fn through_arrays<'py>(
    ufunc: &Bound<'py, PyAny>,
    method: &str,
    inputs: &Bound<'py, PyTuple>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = ufunc.py();
    let elements = |input: Bound<'py, PyAny>| match input.cast::<Tensor>() {
        Ok(tensor) => tensor.call_method0("__array__"),
        Err(_) => Ok(input),
    };
    let arrays = inputs.iter().map(elements).collect::<PyResult<Vec<_>>>()?;
    let out = options.map(|options| options.get_item("out")).transpose()?.flatten();
    if let Some(out) = &out
        && out.try_iter()?.any(|item| item.is_ok_and(|item| item.cast::<Tensor>().is_ok()))
    {
        let message = "NumPy cannot write into a tensor; use the function of gt, or copy_()";
        return Err(PyTypeError::new_err(message));
    }
    let result = ufunc.call_method(method, PyTuple::new(py, arrays)?, options)?;
    // Who gives an array for the result gets that array.
    if out.is_some() || !result.hasattr("__array_interface__")? {
        return Ok(result);
    }
    Ok(Bound::new(py, created(&result, None)?)?.into_any())
}

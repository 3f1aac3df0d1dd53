//! Reads of elements, which wait. The Python tensor is not borrowed meanwhile: another thread may
//! give it other data.

use gt::Error;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::error::to_python;
use crate::tensor::Tensor;
use crate::{data, info, provenance};

static REPRESENT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// The only element as a Python number.
fn number<'py>(slf: PyRef<'py, Tensor>) -> PyResult<Bound<'py, PyAny>> {
    let (py, tensor) = released(slf);
    let count = tensor.shape().count();
    if count != 1 {
        let message = format!("a Tensor with {count} elements cannot be converted to Scalar");
        return Err(PyRuntimeError::new_err(message));
    }
    data::element(py, tensor.dtype(), &tensor.read().map_err(to_python)?)
}

/// The only element, where Python asks for a number.
fn only(slf: PyRef<'_, Tensor>) -> PyResult<Bound<'_, PyAny>> {
    if slf.0.shape().count() != 1 {
        let message = "only one element tensors can be converted to Python scalars";
        return Err(PyValueError::new_err(message));
    }
    number(slf)
}

/// The tensor, which is read by the line where the program is.
fn released(slf: PyRef<'_, Tensor>) -> (Python<'_>, gt::Tensor) {
    provenance::mark(slf.py());
    (slf.py(), slf.0.clone())
}

#[pymethods]
impl Tensor {
    /// The elements as a NumPy array of its own.
    fn numpy(slf: PyRef<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        let (py, tensor) = released(slf);
        if tensor.is_tracked() && gt::grad::is_enabled() {
            let message = "Can't call numpy() on Tensor that requires grad. \
                           Use tensor.detach().numpy() instead.";
            return Err(PyRuntimeError::new_err(message));
        }
        data::to_numpy(py, tensor.meta(), tensor.read_elements().map_err(to_python)?)
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: PyRef<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = copy;
        let array = Tensor::numpy(slf)?;
        match dtype {
            Some(dtype) => array.call_method1("astype", (dtype,)),
            None => Ok(array),
        }
    }

    /// The elements as nested lists.
    fn tolist(slf: PyRef<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        let (py, tensor) = released(slf);
        data::to_list(py, tensor.meta(), &tensor.read().map_err(to_python)?)
    }

    /// The only element as a number.
    fn item(slf: PyRef<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        number(slf)
    }

    fn __bool__(slf: PyRef<'_, Self>) -> PyResult<bool> {
        let many = match slf.0.shape().count() {
            1 => return number(slf)?.is_truthy(),
            0 => "no values",
            _ => "more than one value",
        };
        let message = format!("Boolean value of Tensor with {many} is ambiguous");
        Err(PyRuntimeError::new_err(message))
    }

    fn __int__(slf: PyRef<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        only(slf)?.call_method0("__int__")
    }

    fn __float__(slf: PyRef<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        only(slf)?.call_method0("__float__")
    }

    fn __index__(slf: PyRef<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        if slf.0.dtype().is_float() || slf.0.shape().count() != 1 {
            let message = "only integer tensors of a single element can be converted to an index";
            return Err(PyTypeError::new_err(message));
        }
        Tensor::__int__(slf)
    }

    /// A tensor that has failed says so: a debugger or a notebook wants to see it, not to fail.
    fn __repr__(slf: PyRef<'_, Self>) -> PyResult<String> {
        let (_, tensor) = released(slf);
        match text(&tensor) {
            Err(error @ (Error::Input { .. } | Error::OutOfMemory(_) | Error::Bug(_))) => {
                Ok(format!("tensor(failed: {error})"))
            }
            result => result.map_err(to_python),
        }
    }

    /// What a notebook shows; `gt.html` makes it.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        REPRESENT.import(slf.py(), "gt.html", "represent")?.call1((slf,))
    }

    fn __str__(slf: PyRef<'_, Self>) -> PyResult<String> {
        let (_, tensor) = released(slf);
        text(&tensor).map_err(to_python)
    }
}

/// The elements that are shown, and what is known of the gradient.
fn text(tensor: &gt::Tensor) -> gt::Result<String> {
    let suffix = match tensor.edge()? {
        Some(_) if tensor.is_leaf() => Some("requires_grad=True".to_string()),
        Some(edge) => Some(format!("grad_fn=<{}>", edge.node.name())),
        None => None,
    };
    let suffixes: Vec<String> = suffix.into_iter().collect();
    tensor.to_text(&info::print_options(), &suffixes)
}

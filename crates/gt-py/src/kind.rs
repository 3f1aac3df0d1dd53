//! What a value is called in messages.

use std::ops::Deref;

use gt::op::Op;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::tensor::Tensor;

/// The type of a value. One of PyTorch's has the same name as one of GT's and is another.
pub fn kind_of(value: &Bound<'_, PyAny>) -> String {
    let kind = value.get_type();
    let name = kind.name().map(|name| name.to_string()).unwrap_or_default();
    if !is_of_pytorch(&kind) {
        return name;
    }
    match value.hasattr("detach").unwrap_or(false) {
        true => format!("torch.{name} (gt.tensor(x.detach()) converts one)"),
        false => format!("torch.{name}"),
    }
}

/// A tensor as an argument: what is none is refused by its type.
pub struct Given<'py>(pub Bound<'py, Tensor>);

impl<'py> FromPyObject<'_, 'py> for Given<'py> {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match value.cast::<Tensor>() {
            Ok(tensor) => Ok(Given(tensor.to_owned())),
            Err(_) => {
                let kind = kind_of(&value);
                Err(PyTypeError::new_err(format!("expected a Tensor, not {kind}")))
            }
        }
    }
}

impl<'py> Deref for Given<'py> {
    type Target = Bound<'py, Tensor>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// A tensor stands where a list of them is expected: `cat(a, b)`.
pub fn loose(op: &Op, name: &str) -> PyErr {
    let op = op.name;
    PyTypeError::new_err(format!(
        "{op}: '{name}' must be a list of tensors, not a Tensor; write {op}([a, b])"
    ))
}

fn is_of_pytorch(kind: &Bound<'_, PyType>) -> bool {
    let module = kind.module().map(|module| module.to_string()).unwrap_or_default();
    module == "torch" || module.starts_with("torch.")
}

/// The type of a value, for messages of Python code.
#[pyfunction]
fn _kind_of(value: &Bound<'_, PyAny>) -> String {
    kind_of(value)
}

/// Puts the function into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_kind_of, module)?)
}

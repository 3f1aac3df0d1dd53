//! What a Python tensor stands for, where that changes: its shape in place, or its data.

use gt::attrs::{Attr, Attrs};
use gt::op::Op;
use gt::ops;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;

use crate::error::to_python;
use crate::kind::kind_of;
use crate::provenance;
use crate::tensor::Tensor;

static TRANSPOSE: &Op = &ops::builtin::TRANSPOSE;

/// `tensor.unsqueeze_(0)`: the tensor is from here on the view that `op` makes of it.
pub fn view_in_place(slf: &Bound<'_, Tensor>, op: &'static Op, attrs: Attrs) -> PyResult<()> {
    provenance::mark(slf.py());
    let view = slf.borrow().0.view_in_place(op, attrs).map_err(to_python)?;
    replace(slf, view)
}

fn replace(slf: &Bound<'_, Tensor>, tensor: gt::Tensor) -> PyResult<()> {
    let Ok(mut handle) = slf.try_borrow_mut() else {
        let message = "a tensor that another thread computes with cannot become another one";
        return Err(PyRuntimeError::new_err(message));
    };
    let before = std::mem::replace(&mut handle.0, tensor);
    drop(handle);
    // A graph or a hook may go with it, so that nothing is borrowed.
    drop(before);
    Ok(())
}

#[pymethods]
impl Tensor {
    /// The same tensor without its gradient; writes through it are seen here.
    #[getter]
    pub fn data(&self) -> Tensor {
        Tensor(self.0.detach())
    }

    #[setter(data)]
    fn assign_data(slf: &Bound<'_, Self>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let Ok(data) = data.cast::<Tensor>() else {
            let kind = kind_of(data);
            let message = format!("Variable data has to be a tensor, but got {kind}");
            return Err(PyTypeError::new_err(message));
        };
        let given = slf.borrow().0.with_data(&data.borrow().0).map_err(to_python)?;
        replace(slf, given)
    }

    /// Exchanges the axes of a matrix, in place; a vector stays as it is.
    fn t_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        let rank = slf.borrow().0.shape().rank();
        if rank > 2 {
            let message = format!("t_ is for at most two axes, not {rank}; use transpose_");
            return Err(PyRuntimeError::new_err(message));
        }
        let axes = [Attr::Int(0), Attr::Int(if rank == 2 { 1 } else { 0 })];
        view_in_place(slf, TRANSPOSE, Attrs::of(axes))?;
        Ok(slf.clone())
    }
}

//! Different elements, each once, as methods: `gt.sets` computes them.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use crate::tensor::Tensor;

static UNIQUE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static UNIQUE_CONSECUTIVE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

#[pymethods]
impl Tensor {
    /// The different elements in order; see `gt.unique`.
    #[pyo3(signature = (*args, **kwargs))]
    fn unique<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = UNIQUE.import(slf.py(), "gt.sets", "unique")?;
        function.call(with_receiver(slf, args)?, kwargs)
    }

    /// The elements without those that are like the one before; see `gt.unique_consecutive`.
    #[pyo3(signature = (*args, **kwargs))]
    fn unique_consecutive<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = UNIQUE_CONSECUTIVE.import(slf.py(), "gt.sets", "unique_consecutive")?;
        function.call(with_receiver(slf, args)?, kwargs)
    }
}

/// The arguments of the function that a method stands for.
pub fn with_receiver<'py>(
    slf: &Bound<'py, Tensor>,
    args: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyTuple>> {
    let all = [slf.clone().into_any()].into_iter().chain(args.iter());
    PyTuple::new(slf.py(), all.collect::<Vec<_>>())
}

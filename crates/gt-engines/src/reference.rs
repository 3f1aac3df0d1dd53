//! The reference engine: `gt.engines.reference` computes with NumPy. Values lie in the memory of
//! this process as the native engine's do; they are copied on their way to Python and back.

use std::sync::Arc;

use bytes::Bytes;
use gt_core::error::{Error, Result};
use gt_core::kernel::Kernel;
use gt_core::op::Call;
use gt_core::shape::{Meta, Shape};
use gt_worker::buffer::Pool;
use gt_worker::engine::registry::{Backend, Device, EngineFactory};
use gt_worker::engine::{Engine, HostEngine, Operand, Operands, Results, Takes};
use gt_worker::value::Value;
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyType};

use crate::params;

/// The reference engine, by the names that users give it.
pub const BACKEND: Backend = Backend::of(&ReferenceFactory);

struct ReferenceFactory;

impl EngineFactory for ReferenceFactory {
    fn names(&self) -> &'static [&'static str] {
        &["reference", "numpy"]
    }

    fn open(&self, _threads: usize) -> Result<Arc<dyn Device>> {
        Ok(Arc::new(Interpreter))
    }
}

/// The interpreter of this process, on which NumPy computes.
struct Interpreter;

impl Device for Interpreter {
    fn engine(self: Arc<Self>, pool: Arc<Pool>) -> Result<Arc<HostEngine>> {
        Ok(Arc::new(Reference { pool }))
    }
}

/// Computes with NumPy.
struct Reference {
    pool: Arc<Pool>,
}

impl Takes for Reference {
    fn takes(&self, _: &Call) -> bool {
        false
    }
}

impl Engine for Reference {
    type Value = Value;

    fn name(&self) -> &'static str {
        "reference"
    }

    fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    fn upload(&self, meta: Meta, data: Bytes) -> Result<Value> {
        Value::from_bytes(meta, data, &self.pool)
    }

    fn run(&self, kernel: &Kernel, inputs: Operands, outputs: &[Meta]) -> Result<Results> {
        let kind = params::kind(kernel)?;
        let made = Python::try_attach(|py| {
            let made = self.call(py, kind, kernel, &inputs, outputs);
            made.map_err(|error| explain(py, kind, &error))
        });
        made.unwrap_or_else(|| Err(Error::Lost("the interpreter has ended".to_string())))
    }
}

impl Reference {
    fn call(
        &self,
        py: Python<'_>,
        kind: &str,
        kernel: &Kernel,
        inputs: &[Operand],
        outputs: &[Meta],
    ) -> PyResult<Results> {
        let operands = PyList::empty(py);
        for input in inputs {
            match input {
                Operand::Tensor(value) => {
                    let data = PyBytes::new(py, &value.to_bytes());
                    operands.append((value.dtype().name(), value.shape().to_vec(), data))?;
                }
                Operand::Scalar(scalar) => operands.append(params::scalar(py, *scalar)?)?,
            }
        }
        let metas: Vec<_> =
            outputs.iter().map(|meta| (meta.dtype.name(), meta.shape.to_vec())).collect();
        let module = py.import("gt.engines.reference")?;
        let made =
            module.call_method1("run", (kind, params::params(py, kernel)?, operands, metas))?;
        let made: Vec<(Vec<usize>, Bound<'_, PyBytes>)> = made.extract()?;
        let fits = |(shape, data): &(Vec<usize>, Bound<'_, PyBytes>), meta: &Meta| {
            // Only what depends on data has another shape than was inferred.
            let shape = Shape::from(&shape[..]);
            if shape != meta.shape && !matches!(kernel, Kernel::NonZero) {
                let error = format!("{kind} gives {shape} and not {}", meta.shape);
                return Err(PyRuntimeError::new_err(error));
            }
            let meta = Meta { dtype: meta.dtype, shape };
            let data = Bytes::copy_from_slice(data.as_bytes());
            let value = Value::from_bytes(meta, data, &self.pool);
            value.map_err(|error| PyMemoryError::new_err(error.to_string()))
        };
        made.iter().zip(outputs).map(|(made, meta)| fits(made, meta)).collect()
    }
}

/// The error for an exception: users cause wrong indices and what a row requires; everything else
/// is a fault of the engine.
fn explain(py: Python<'_>, kind: &str, error: &PyErr) -> Error {
    let message = error.value(py).to_string();
    // Not one of their kinds: NumPy's own errors are no fault of the user.
    let is = |exception: Bound<'_, PyType>| error.get_type(py).is(&exception);
    if is(py.get_type::<PyIndexError>()) {
        Error::index(message)
    } else if error.is_instance_of::<PyMemoryError>(py) {
        Error::OutOfMemory(message)
    } else if is(py.get_type::<PyRuntimeError>()) {
        Error::runtime(message)
    } else {
        Error::bug(format!("the reference engine's {kind}: {error}"))
    }
}

//! The Python front of GT: forwards, never decides. What stands here turns Python's arguments into
//! calls of the client, and its results and errors back into Python's.

mod call;
mod data;
mod dtype;
mod error;
mod function;
#[rustfmt::skip]
mod generated;
mod host;
mod index;
mod provenance;
mod session;
mod tensor;

use pyo3::prelude::*;

/// The Rust part of GT; `import gt` gives everything in it.
#[pymodule]
fn _gt(module: &Bound<'_, PyModule>) -> PyResult<()> {
    gt::host::set(host::PythonHost);
    module.add_class::<tensor::Tensor>()?;
    dtype::register(module)?;
    error::register(module)?;
    session::register(module)?;
    function::register(module)
}

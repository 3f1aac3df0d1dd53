//! The Python front of GT: forwards, never decides. What stands here turns Python's arguments into
//! calls of the client, and its results and errors back into Python's.

#![expect(clippy::doc_lazy_continuation, reason = "docstrings show Python's prompt")]

mod attr;
mod autocast;
mod call;
mod config;
mod convert;
mod data;
mod device;
mod dtype;
mod each;
mod error;
mod explain;
mod function;
#[rustfmt::skip]
mod generated;
mod grad;
mod handle;
mod host;
mod host_memory;
mod index;
mod info;
mod kind;
mod limits;
mod member;
mod numpy;
mod operand;
mod overload;
mod parts;
mod profile;
mod provenance;
mod random;
mod read;
mod results;
mod scope;
mod session;
mod sets;
mod size;
mod tensor;

use pyo3::prelude::*;

/// The command `gt`: runs it and gives its exit code. The first word is the program's name.
#[pyfunction]
fn _main(py: Python<'_>, args: Vec<String>) -> u8 {
    py.detach(|| gt_cli::main(args))
}

/// The Rust part of GT; `import gt` gives everything in it.
#[pymodule]
fn _gt(module: &Bound<'_, PyModule>) -> PyResult<()> {
    gt::host::set(host::PythonHost);
    gt_engines::register();
    module.add_function(wrap_pyfunction!(_main, module)?)?;
    module.add_class::<tensor::Tensor>()?;
    device::register(module)?;
    module.add_class::<member::_Member>()?;
    module.add_class::<convert::_Elements>()?;
    dtype::register(module)?;
    info::register(module)?;
    kind::register(module)?;
    overload::register(module)?;
    results::register(module)?;
    error::register(module)?;
    grad::register(module)?;
    session::register(module)?;
    profile::register(module)?;
    explain::register(module)?;
    autocast::register(module)?;
    scope::register(module)?;
    config::register(module)?;
    random::register(module)?;
    function::register(module)
}

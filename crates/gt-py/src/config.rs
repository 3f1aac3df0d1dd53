//! The config of signals for Python, as dictionaries; `gt/config.py` gives them their classes.

use gt::config::{Config, ParamConfig, ShardConfig, SignalConfig};
use gt::placement::OnUse;
use gt::signals;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::to_python;

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_config, module)?)?;
    module.add_function(wrap_pyfunction!(_config_of, module)?)?;
    module.add_function(wrap_pyfunction!(_config_load, module)?)?;
    module.add_function(wrap_pyfunction!(_config_register, module)?)
}

/// Adds what a file says.
#[pyfunction]
fn _config_load(text: &str, file: &str) -> PyResult<()> {
    signals::load_config(text, file).map_err(to_python)
}

/// The axis that is cut, if one is, the workers, and the axes that are cut along the mesh.
type Shard = (Option<i32>, Vec<u32>, Vec<(i32, String)>);

/// Says what is wanted of one signal or module.
#[pyfunction]
fn _config_register(
    name: &str,
    shard: Option<Shard>,
    backward: Option<String>,
    compile: Option<bool>,
    keep: Option<bool>,
) -> PyResult<()> {
    let shard = shard.map(|(axis, workers, mesh)| match axis {
        _ if !mesh.is_empty() => ShardConfig::Mesh(mesh),
        Some(axis) => ShardConfig::Axis { axis, workers },
        None => ShardConfig::Replicated { workers },
    });
    let signal = SignalConfig { shard, backward, compile, keep };
    signals::register_config(name, signal).map_err(to_python)
}

/// What is configured.
#[pyfunction]
fn _config(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let Config { signals, meshes, params } = signals::effective_config().map_err(to_python)?;
    let (all, named, placed) = (PyDict::new(py), PyDict::new(py), PyDict::new(py));
    for (name, signal) in signals {
        named.set_item(name, signal_of(py, &signal)?)?;
    }
    for (name, ParamConfig { shard, on_use, keep }) in params {
        let param = shard_of(py, &shard)?;
        param.set_item("use", (on_use == OnUse::Replicate).then_some("replicate"))?;
        param.set_item("keep", keep)?;
        placed.set_item(name, param)?;
    }
    all.set_item("signals", named)?;
    all.set_item("params", placed)?;
    let meshes = meshes.into_iter().map(|(name, mesh)| (name, (mesh.workers(), mesh.axes)));
    all.set_item("meshes", meshes.collect::<Vec<_>>())?;
    Ok(all)
}

/// What is configured for a signal or a module, or None.
#[pyfunction]
fn _config_of<'py>(py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyDict>>> {
    let config = signals::config().map_err(to_python)?;
    config.signal(&[name]).map(|signal| signal_of(py, &signal)).transpose()
}

fn signal_of<'py>(py: Python<'py>, signal: &SignalConfig) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let shard = signal.shard.as_ref().map(|shard| shard_of(py, shard)).transpose()?;
    dict.set_item("shard", shard)?;
    dict.set_item("backward_signal", &signal.backward)?;
    dict.set_item("compile", signal.compile)?;
    dict.set_item("keep", signal.keep)?;
    Ok(dict)
}

fn shard_of<'py>(py: Python<'py>, shard: &ShardConfig) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let some = |workers: &Vec<u32>| (!workers.is_empty()).then(|| workers.clone());
    match shard {
        ShardConfig::Axis { axis, workers } => {
            dict.set_item("axis", axis)?;
            dict.set_item("workers", some(workers))?;
        }
        ShardConfig::Replicated { workers } => {
            dict.set_item("replicated", true)?;
            dict.set_item("workers", some(workers))?;
        }
        ShardConfig::Mesh(axes) => {
            let named = PyDict::new(py);
            axes.iter().try_for_each(|(axis, name)| named.set_item(axis, name))?;
            dict.set_item("mesh", named)?;
        }
    }
    Ok(dict)
}

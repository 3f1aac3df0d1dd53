//! Kernels as Python hears of them: a kind, and what it has to know as keywords.

use gt_core::attrs::Range;
use gt_core::dtype::Scalar;
use gt_core::error::{Error, Result};
use gt_core::kernel::{Distribution, Kernel, Random, WindowSpec};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The name of a kernel's kind.
pub fn kind(kernel: &Kernel) -> Result<&'static str> {
    Ok(match kernel {
        Kernel::Fill(_) => "fill",
        Kernel::Iota { .. } => "iota",
        Kernel::Random(_) => "random",
        Kernel::Map(_) => "map",
        Kernel::Zip(_) => "zip",
        Kernel::Where => "where",
        Kernel::Cast => "cast",
        Kernel::Reduce { .. } => "reduce",
        Kernel::Matmul => "matmul",
        Kernel::Permute(_) => "permute",
        Kernel::Reshape => "reshape",
        Kernel::Expand => "expand",
        Kernel::Slice(_) => "slice",
        Kernel::Diagonal(_) => "diagonal",
        Kernel::SliceWrite(_) => "slice_write",
        Kernel::Concat(_) => "concat",
        Kernel::Gather(_) => "gather",
        Kernel::Scatter { .. } => "scatter",
        Kernel::Take(_) => "take",
        Kernel::Put { .. } => "put",
        Kernel::Ravel(_) => "ravel",
        Kernel::Window(_) => "window",
        Kernel::Fold(_) => "fold",
        Kernel::TopK { .. } => "top_k",
        Kernel::Extreme { .. } => "extreme",
        Kernel::ArgExtreme { .. } => "arg_extreme",
        Kernel::Scan { .. } => "scan",
        Kernel::Sort { .. } => "sort",
        Kernel::NonZero => "nonzero",
        Kernel::Require(_) => "require",
        Kernel::Expansion => return Err(Error::bug("an expansion is no kernel")),
    })
}

/// What a kernel has to know, by the names of the Python function's parameters.
pub fn params<'py>(py: Python<'py>, kernel: &Kernel) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let set = |name: &str, value: Bound<'py, PyAny>| dict.set_item(name, value);
    let function = |function: String| dict.set_item("function", function);
    let axis = |axis: &usize| dict.set_item("axis", *axis);
    match kernel {
        Kernel::Fill(value) => set("value", scalar(py, *value)?)?,
        Kernel::Iota { start, step } => {
            set("start", scalar(py, *start)?)?;
            set("step", scalar(py, *step)?)?;
        }
        Kernel::Random(spec) => random(&dict, spec)?,
        Kernel::Map(map) => function(format!("{map:?}"))?,
        Kernel::Zip(zip) => function(format!("{zip:?}"))?,
        Kernel::Reduce { with, axes } => {
            function(format!("{with:?}"))?;
            dict.set_item("axes", axes.to_vec())?;
        }
        Kernel::Permute(axes) => dict.set_item("axes", axes.to_vec())?,
        Kernel::Slice(ranges) | Kernel::SliceWrite(ranges) => {
            let part = |range: &Range| (range.start, range.len, range.step);
            dict.set_item("parts", ranges.iter().map(part).collect::<Vec<_>>())?;
        }
        Kernel::Diagonal(diagonal) => {
            dict.set_item("axes", diagonal.axes)?;
            dict.set_item("start", diagonal.start)?;
        }
        Kernel::Concat(along) | Kernel::Gather(along) | Kernel::Take(along) => axis(along)?,
        Kernel::Scatter { axis: along, add } | Kernel::Put { axis: along, add } => {
            axis(along)?;
            dict.set_item("add", *add)?;
        }
        Kernel::Ravel(sizes) => dict.set_item("sizes", sizes)?,
        Kernel::Window(spec) | Kernel::Fold(spec) => window(&dict, spec)?,
        Kernel::TopK { k, axis: along, largest } => {
            axis(along)?;
            dict.set_item("k", *k)?;
            dict.set_item("largest", *largest)?;
        }
        Kernel::Extreme { axis: along, largest } => {
            axis(along)?;
            dict.set_item("largest", *largest)?;
        }
        Kernel::ArgExtreme { axis: along, largest } => {
            dict.set_item("axis", *along)?;
            dict.set_item("largest", *largest)?;
        }
        Kernel::Scan { with, axis: along } => {
            function(format!("{with:?}"))?;
            axis(along)?;
        }
        Kernel::Sort { axis: along, descending } => {
            axis(along)?;
            dict.set_item("descending", *descending)?;
        }
        Kernel::Require(message) => dict.set_item("message", &**message)?,
        Kernel::Where | Kernel::Cast | Kernel::Matmul | Kernel::Reshape => {}
        Kernel::Expand | Kernel::NonZero | Kernel::Expansion => {}
    }
    Ok(dict)
}

/// A number, as Python has it.
pub fn scalar(py: Python<'_>, scalar: Scalar) -> PyResult<Bound<'_, PyAny>> {
    match scalar {
        Scalar::Bool(value) => value.into_bound_py_any(py),
        Scalar::Int(value) => value.into_bound_py_any(py),
        Scalar::Float(value) => value.into_bound_py_any(py),
    }
}

fn random(dict: &Bound<'_, PyDict>, random: &Random) -> PyResult<()> {
    match random.distribution {
        Distribution::Uniform => dict.set_item("distribution", "uniform")?,
        Distribution::Normal => dict.set_item("distribution", "normal")?,
        Distribution::Integers { low, high } => dict.set_item("distribution", (low, high))?,
    }
    dict.set_item("seed", random.seed)?;
    dict.set_item("rng_index", random.rng_index)?;
    dict.set_item("whole", random.whole.to_vec())?;
    dict.set_item("start", random.start.to_vec())
}

fn window(dict: &Bound<'_, PyDict>, spec: &WindowSpec) -> PyResult<()> {
    dict.set_item("size", spec.size.to_vec())?;
    dict.set_item("stride", spec.stride.to_vec())?;
    dict.set_item("padding", spec.padding.to_vec())?;
    dict.set_item("dilation", spec.dilation.to_vec())
}

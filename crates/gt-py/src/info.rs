//! Questions about dtypes, and how tensors are printed.

use std::sync::Mutex;

use gt::attrs::NO_ATTRS;
use gt::display::Options;
use gt::op::{Arg, Call};
use gt::rules::promote;
use gt::{DType, Input, ops};
use pyo3::exceptions::{PyNotImplementedError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::dtype::{self, PyDType};
use crate::error::to_python;
use crate::kind::Given;
use crate::operand::Operand;
use crate::tensor::Tensor;

static PRINTED: Mutex<Option<Options>> = Mutex::new(None);

/// How tensors are printed.
pub fn print_options() -> Options {
    PRINTED.lock().map(|options| options.clone().unwrap_or_default()).unwrap_or_default()
}

/// Sets how tensors are printed: digits, when only corners are shown, how wide a line is.
#[pyfunction]
#[pyo3(signature = (
    precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None
))]
fn set_printoptions(
    precision: Option<usize>,
    threshold: Option<f64>,
    edgeitems: Option<usize>,
    linewidth: Option<usize>,
    profile: Option<&str>,
    sci_mode: Option<bool>,
) -> PyResult<()> {
    let mut options = match profile {
        None => print_options(),
        Some("default") => Options::default(),
        Some("short") => Options { precision: 2, edge_items: 2, ..Options::default() },
        Some("full") => Options { threshold: usize::MAX, ..Options::default() },
        Some(other) => {
            return Err(PyValueError::new_err(format!("no print profile is called '{other}'")));
        }
    };
    // Beyond what a float64 has, digits say nothing.
    options.precision = precision.unwrap_or(options.precision).min(60);
    options.threshold = threshold.map_or(options.threshold, |most| most.max(0.0) as usize);
    options.edge_items = edgeitems.unwrap_or(options.edge_items);
    options.line_width = linewidth.unwrap_or(options.line_width);
    options.sci_mode = sci_mode.or(options.sci_mode);
    if let Ok(mut printed) = PRINTED.lock() {
        *printed = Some(options);
    }
    Ok(())
}

/// Whether something is a tensor.
#[pyfunction]
fn is_tensor(obj: &Bound<'_, PyAny>) -> bool {
    obj.cast::<Tensor>().is_ok()
}

/// Whether the elements of a tensor are floating point numbers.
#[pyfunction]
fn is_floating_point(input: Given<'_>) -> bool {
    input.borrow().0.dtype().is_float()
}

/// The dtype of the result of an operation on two tensors or numbers.
#[pyfunction]
fn result_type(
    py: Python<'_>,
    tensor1: &Bound<'_, PyAny>,
    tensor2: &Bound<'_, PyAny>,
) -> PyResult<Py<PyDType>> {
    let wrong = || PyTypeError::new_err("result_type: tensors or numbers are needed");
    let one = Operand::from(tensor1)?.ok_or_else(wrong)?;
    let two = Operand::from(tensor2)?.ok_or_else(wrong)?;
    let inputs = [one.input(), two.input()];
    let args = inputs.each_ref().map(|input| match input {
        Input::Tensor(tensor) => Arg::Tensor(tensor.meta()),
        Input::Scalar(scalar) => Arg::Scalar(*scalar),
    });
    let call = Call { op: &ops::builtin::MUL, inputs: &args, attrs: &NO_ATTRS };
    dtype::object(py, promote::promote(&call).map_err(to_python)?)
}

/// The dtype that can hold the elements of both.
#[pyfunction]
fn promote_types(
    py: Python<'_>,
    type1: &Bound<'_, PyAny>,
    type2: &Bound<'_, PyAny>,
) -> PyResult<Py<PyDType>> {
    dtype::object(py, promote::common(dtype::parse(type1)?, dtype::parse(type2)?))
}

/// Whether elements can be cast without becoming of a weaker kind.
#[pyfunction]
#[pyo3(signature = (from_, to, /))]
fn can_cast(from_: &Bound<'_, PyAny>, to: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(dtype::parse(from_)?.kind() <= dtype::parse(to)?.kind())
}

/// The dtype of floating point numbers written in a program.
#[pyfunction]
fn get_default_dtype(py: Python<'_>) -> PyResult<Py<PyDType>> {
    dtype::object(py, DType::F32)
}

/// Sets the dtype of floating point numbers written in a program: it is float32.
#[pyfunction]
fn set_default_dtype(d: &Bound<'_, PyAny>) -> PyResult<()> {
    match dtype::parse(d)? {
        DType::F32 => Ok(()),
        other => Err(PyNotImplementedError::new_err(format!(
            "set_default_dtype: the default is float32; give {other} as dtype= instead"
        ))),
    }
}

/// The limits of a floating point dtype.
#[pyclass(name = "finfo", module = "gt", frozen, get_all)]
struct FloatInfo {
    bits: usize,
    eps: f64,
    max: f64,
    min: f64,
    tiny: f64,
    smallest_normal: f64,
    resolution: f64,
    dtype: &'static str,
}

#[pymethods]
impl FloatInfo {
    #[new]
    #[pyo3(signature = (r#type=None))]
    fn new(r#type: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let dtype = r#type.map_or(Ok(DType::F32), dtype::parse)?;
        let (eps, max, tiny, resolution) = match dtype {
            DType::F16 => (2f64.powi(-10), 65504.0, 2f64.powi(-14), 1e-3),
            DType::BF16 => {
                (2f64.powi(-7), (2.0 - 2f64.powi(-7)) * 2f64.powi(127), 2f64.powi(-126), 1e-2)
            }
            DType::F32 => {
                (f64::from(f32::EPSILON), f64::from(f32::MAX), f64::from(f32::MIN_POSITIVE), 1e-6)
            }
            DType::F64 => (f64::EPSILON, f64::MAX, f64::MIN_POSITIVE, 1e-15),
            other => {
                return Err(PyTypeError::new_err(format!(
                    "gt.finfo() requires a floating point input type, not {other}; use gt.iinfo"
                )));
            }
        };
        let bits = 8 * dtype.size();
        let (min, smallest_normal) = (-max, tiny);
        let dtype = dtype.name();
        Ok(FloatInfo { bits, eps, max, min, tiny, smallest_normal, resolution, dtype })
    }

    fn __repr__(&self) -> String {
        let FloatInfo { min, max, eps, tiny, resolution, dtype, .. } = self;
        format!(
            "finfo(resolution={resolution}, min={min:e}, max={max:e}, eps={eps:e}, \
             smallest_normal={tiny:e}, tiny={tiny:e}, dtype={dtype})"
        )
    }
}

/// The limits of an integer dtype.
#[pyclass(name = "iinfo", module = "gt", frozen, get_all)]
struct IntegerInfo {
    bits: usize,
    max: i64,
    min: i64,
    dtype: &'static str,
}

#[pymethods]
impl IntegerInfo {
    #[new]
    fn new(r#type: &Bound<'_, PyAny>) -> PyResult<Self> {
        let dtype = dtype::parse(r#type)?;
        if !dtype.is_int() || !dtype.is_supported() {
            return Err(PyTypeError::new_err(format!(
                "gt.iinfo() requires an integer input type, not {dtype}; use gt.finfo"
            )));
        }
        let bits = 8 * dtype.size();
        let (min, max) = match dtype {
            DType::U8 => (0, 255),
            _ => (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)),
        };
        Ok(IntegerInfo { bits, max, min, dtype: dtype.name() })
    }

    fn __repr__(&self) -> String {
        let IntegerInfo { min, max, dtype, .. } = self;
        format!("iinfo(min={min}, max={max}, dtype={dtype})")
    }
}

/// Adds the questions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<FloatInfo>()?;
    module.add_class::<IntegerInfo>()?;
    module.add_function(wrap_pyfunction!(set_printoptions, module)?)?;
    module.add_function(wrap_pyfunction!(is_tensor, module)?)?;
    module.add_function(wrap_pyfunction!(is_floating_point, module)?)?;
    module.add_function(wrap_pyfunction!(result_type, module)?)?;
    module.add_function(wrap_pyfunction!(promote_types, module)?)?;
    module.add_function(wrap_pyfunction!(can_cast, module)?)?;
    module.add_function(wrap_pyfunction!(get_default_dtype, module)?)?;
    module.add_function(wrap_pyfunction!(set_default_dtype, module)?)
}

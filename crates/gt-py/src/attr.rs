//! Attributes of a row from Python's arguments.

use gt::attrs::{Attr, AttrKind, AttrSpec};
use gt::op::Op;
use pyo3::exceptions::{PyNotImplementedError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;

use crate::dtype;
use crate::kind::kind_of;
use crate::operand::scalar;

/// The value of an attribute: what was given, its default, or what the session fills in later.
pub fn attr_of(
    op: &Op,
    spec: &'static AttrSpec,
    given: Option<&Bound<'_, PyAny>>,
) -> PyResult<Attr> {
    let missing = || PyTypeError::new_err(format!("{}: '{}' is missing", op.name, spec.name));
    let Some(given) = given.filter(|given| !given.is_none()) else {
        return match spec.kind {
            AttrKind::Seed | AttrKind::RngIndex => Ok(Attr::Int(0)),
            _ => spec.default.clone().ok_or_else(missing),
        };
    };
    let wrong = |_: PyErr| {
        let kind = kind_of(given);
        PyTypeError::new_err(format!("{}: '{}' cannot be a {kind}", op.name, spec.name))
    };
    Ok(match spec.kind {
        AttrKind::Bool => Attr::Bool(given.extract().map_err(wrong)?),
        AttrKind::Int | AttrKind::Axis => Attr::Int(given.extract().map_err(wrong)?),
        AttrKind::Float => Attr::Float(given.extract().map_err(wrong)?),
        AttrKind::Order => Attr::Float(order(op, given)?),
        AttrKind::Number => scalar(given)?.ok_or_else(|| wrong(PyTypeError::new_err("")))?.into(),
        AttrKind::DType => Attr::DType(dtype::parse(given)?),
        AttrKind::Text => Attr::Text(given.extract::<String>().map_err(wrong)?.into()),
        AttrKind::Axes | AttrKind::Sizes | AttrKind::Spatial => {
            let one = given.extract::<i64>().map(|value| vec![value]);
            let all = one.or_else(|_| given.extract::<Vec<i64>>()).map_err(wrong)?;
            Attr::Ints(all.into())
        }
        AttrKind::Ranges | AttrKind::Seed | AttrKind::RngIndex | AttrKind::Region => {
            return Err(PyTypeError::new_err(format!("{}: not to be given", spec.name)));
        }
    })
}

/// The order of a norm. Frobenius' is that of all elements as one vector.
fn order(op: &Op, given: &Bound<'_, PyAny>) -> PyResult<f64> {
    let Ok(word) = given.extract::<String>() else {
        let kind = kind_of(given);
        let wrong = format!("{}: the order of a norm cannot be a {kind}", op.name);
        return given.extract().map_err(|_| PyTypeError::new_err(wrong));
    };
    match &*word {
        "fro" => Ok(2.0),
        "nuc" => Err(PyNotImplementedError::new_err(format!(
            "{}: the nuclear norm needs singular values, which GT does not compute yet",
            op.name
        ))),
        other => Err(PyRuntimeError::new_err(format!(
            "{}: expected a number, 'fro' or 'nuc' as the order, not '{other}'",
            op.name
        ))),
    }
}

//! One operation on each of many tensors, in one call of Python: what optimisers do with the
//! parameters of a group.

use gt::attrs::Attrs;
use gt::{Input, ops};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use smallvec::SmallVec;

use crate::error::to_python;
use crate::operand::Operand;
use crate::provenance;
use crate::tensor::Tensor;

/// An input of every call: one for each tensor, or the same for all of them.
enum Column<'py> {
    Each(Vec<PyRef<'py, Tensor>>),
    Same(Operand<'py>),
}

impl<'py> Column<'py> {
    fn from(value: &Bound<'py, PyAny>, length: usize) -> PyResult<Self> {
        if let Ok(list) = value.cast::<PyList>() {
            if list.len() != length {
                let found = list.len();
                let text = format!("a list has {found} tensors where there are {length} to update");
                return Err(PyValueError::new_err(text));
            }
            return Ok(Column::Each(tensors(list)?));
        }
        let kind = || PyTypeError::new_err(format!("expected tensors or a number, not {value}"));
        Operand::from(value)?.map(Column::Same).ok_or_else(kind)
    }

    fn input(&self, place: usize) -> Input<'_> {
        match self {
            Column::Each(tensors) => Input::Tensor(&tensors[place].0),
            Column::Same(operand) => operand.input(),
        }
    }
}

fn tensors<'py>(list: &Bound<'py, PyList>) -> PyResult<Vec<PyRef<'py, Tensor>>> {
    list.iter().map(|item| Ok(item.cast::<Tensor>()?.try_borrow()?)).collect()
}

/// Writes the operation `name` of each tensor and the inputs beside it into that tensor. An input
/// is a list with one tensor for each, or a tensor or a number for all.
#[pyfunction]
#[pyo3(signature = (name, targets, *inputs))]
pub fn _update_each(
    name: &str,
    targets: &Bound<'_, PyList>,
    inputs: &Bound<'_, PyTuple>,
) -> PyResult<()> {
    let op = ops::by_name(name)
        .ok_or_else(|| PyValueError::new_err(format!("there is no operation '{name}'")))?;
    let targets = tensors(targets)?;
    let column = |value| Column::from(&value, targets.len());
    let columns: SmallVec<[Column; 10]> = inputs.iter().map(column).collect::<PyResult<_>>()?;
    provenance::mark(inputs.py());
    for (place, target) in targets.iter().enumerate() {
        let others: SmallVec<[Input; 10]> = columns.iter().map(|c| c.input(place)).collect();
        target.0.apply_in_place(op, &others, Attrs::none()).map_err(to_python)?;
    }
    Ok(())
}

//! Calls whose meaning depends on their arguments: `max` of all, along an axis, of two tensors;
//! `nonzero` as a matrix or as a tuple; and those that read their answer.

use gt::attrs::{Attr, Attrs};
use gt::index::{Indices, Write};
use gt::op::Op;
use gt::{Input, ops};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::call::function;
use crate::error::to_python;
use crate::kind::{Given, kind_of};
use crate::operand::Operand;
use crate::sets::with_receiver;
use crate::tensor::Tensor;
use crate::{index, provenance};

static NONZERO: &Op = &ops::builtin::NONZERO;
static ALL: &Op = &ops::builtin::ALL;
static EQ: &Op = &ops::builtin::EQ;
static WHERE: &Op = &ops::builtin::WHERE;
static ISCLOSE: &Op = &ops::builtin::ISCLOSE;

/// The rows behind `max` or `min`.
struct Extreme {
    name: &'static str,
    of_all: &'static Op,
    along: &'static Op,
    of_two: &'static Op,
}

static MAX: Extreme = Extreme {
    name: "max",
    of_all: &ops::builtin::AMAX,
    along: &ops::builtin::MAX_ALONG,
    of_two: &ops::builtin::MAXIMUM,
};
static MIN: Extreme = Extreme {
    name: "min",
    of_all: &ops::builtin::AMIN,
    along: &ops::builtin::MIN_ALONG,
    of_two: &ops::builtin::MINIMUM,
};

impl Extreme {
    /// `max(input)`, `max(input, dim, keepdim)`, `max(input, other)`; with `axis=`, values alone.
    fn call<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = |name: &str| match kwargs {
            Some(kwargs) => kwargs.contains(name),
            None => Ok(false),
        };
        let second = args.get_item(1).ok();
        let two = second.as_ref().is_some_and(|second| second.cast::<Tensor>().is_ok());
        if two || given("other")? {
            return function(self.of_two, args, kwargs);
        }
        if given("axis")? {
            return function(self.of_all, args, kwargs);
        }
        if second.is_some() || given("dim")? {
            return function(self.along, args, kwargs);
        }
        self.check_any(args)?;
        function(self.of_all, args, kwargs)
    }

    /// Of no elements none is the largest.
    fn check_any(&self, args: &Bound<'_, PyTuple>) -> PyResult<()> {
        let first = args.get_item(0).ok();
        let tensor = first.as_ref().and_then(|first| first.cast::<Tensor>().ok());
        match tensor {
            Some(tensor) if tensor.borrow().0.shape().count() == 0 => {
                Err(PyRuntimeError::new_err(format!(
                    "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify \
                     the reduction dim with the 'dim' argument.",
                    self.name
                )))
            }
            _ => Ok(()),
        }
    }

    fn method<'py>(
        &self,
        slf: &Bound<'py, Tensor>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call(&with_receiver(slf, args)?, kwargs)
    }
}

/// The largest element, along an axis also where it is, or of two tensors element by element.
///
/// >>> import gt
/// >>> x = gt.tensor([[1, 5], [7, 3]])
/// >>> x.max()
/// tensor(7)
/// >>> gt.max(x, 0)
/// max(values=tensor([7, 5]), indices=tensor([1, 0]))
/// >>> gt.max(x, axis=1)
/// tensor([5, 7])
#[pyfunction]
#[pyo3(signature = (*args, **kwargs))]
fn max<'py>(
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    MAX.call(args, kwargs)
}

/// The smallest element, along an axis also where it is, or of two tensors element by element.
#[pyfunction]
#[pyo3(signature = (*args, **kwargs))]
fn min<'py>(
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    MIN.call(args, kwargs)
}

/// The positions of the elements that are not zero: a row each, or an index for each axis.
///
/// >>> import gt
/// >>> gt.tensor([[0, 5], [7, 0]]).nonzero()
/// tensor([[0, 1],
///         [1, 0]])
/// >>> gt.nonzero(gt.tensor([0, 5]), as_tuple=True)
/// (tensor([1]),)
#[pyfunction]
#[pyo3(signature = (input, *, as_tuple=false))]
fn nonzero<'py>(input: Given<'py>, as_tuple: bool) -> PyResult<Bound<'py, PyAny>> {
    let py = input.py();
    provenance::mark(py);
    let tensor = &input.borrow().0;
    if as_tuple {
        let indices = tensor.nonzero_indices().map_err(to_python)?;
        let indices = indices.into_iter().map(|index| Bound::new(py, Tensor(index)));
        return Ok(PyTuple::new(py, indices.collect::<PyResult<Vec<_>>>()?)?.into_any());
    }
    let found = tensor.apply_one(NONZERO, &[], Attrs::none()).map_err(to_python)?;
    Ok(Bound::new(py, Tensor(found))?.into_any())
}

/// The positions of the elements that are not zero, a row each.
#[pyfunction]
fn argwhere<'py>(input: Given<'py>) -> PyResult<Bound<'py, PyAny>> {
    nonzero(input, false)
}

/// The elements where a mask holds, in one row.
///
/// >>> import gt
/// >>> x = gt.tensor([[1, 5], [7, 3]])
/// >>> x.masked_select(x > 2)
/// tensor([5, 7, 3])
#[pyfunction]
fn masked_select(input: Given<'_>, mask: Given<'_>) -> PyResult<Tensor> {
    provenance::mark(input.py());
    input.borrow().0.masked_select(&mask.borrow().0).map(Tensor).map_err(to_python)
}

/// The tensor with values at the places that indices name, or added to what is there.
///
/// >>> import gt
/// >>> gt.zeros(3).index_put((gt.tensor([0, 0, 2]),), gt.ones(3), accumulate=True)
/// tensor([2., 0., 1.])
#[pyfunction]
#[pyo3(signature = (input, indices, values, accumulate=false))]
fn index_put(
    input: Given<'_>,
    indices: &Bound<'_, PyAny>,
    values: &Bound<'_, PyAny>,
    accumulate: bool,
) -> PyResult<Tensor> {
    provenance::mark(input.py());
    let (indices, values, write) = input.borrow().put_arguments(indices, values, accumulate)?;
    input.borrow().0.with_put(indices, &values, write).map(Tensor).map_err(to_python)
}

/// Whether two tensors have the same shape and the same elements.
#[pyfunction]
fn equal(input: Given<'_>, other: Given<'_>) -> PyResult<bool> {
    let (own, other) = (&input.borrow().0, &other.borrow().0);
    if own.shape() != other.shape() {
        return Ok(false);
    }
    provenance::mark(input.py());
    let same = own.apply_one(EQ, &[Input::Tensor(other)], Attrs::none()).map_err(to_python)?;
    Tensor(same).all_true()
}

/// Whether all elements of two tensors differ by no more than the tolerances allow.
#[pyfunction]
#[pyo3(signature = (input, other, rtol=1e-5, atol=1e-8, equal_nan=false))]
fn allclose(
    input: Given<'_>,
    other: Given<'_>,
    rtol: f64,
    atol: f64,
    equal_nan: bool,
) -> PyResult<bool> {
    provenance::mark(input.py());
    let attrs = Attrs::of([Attr::Float(rtol), Attr::Float(atol), equal_nan.into()]);
    let other = [Input::Tensor(&other.borrow().0)];
    let close = input.borrow().0.apply_one(ISCLOSE, &other, attrs).map_err(to_python)?;
    Tensor(close).all_true()
}

/// Elements of one tensor where a condition holds, else of another; where the condition holds, if
/// nothing else is given.
///
/// >>> import gt
/// >>> x = gt.tensor([1, -2, 3])
/// >>> gt.where(x > 0, x, 0)
/// tensor([1, 0, 3])
/// >>> gt.where(x > 0)
/// (tensor([0, 2]),)
#[pyfunction]
#[pyo3(signature = (*args, **kwargs), name = "where")]
fn choose<'py>(
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let alone = args.len() == 1 && kwargs.is_none_or(|kwargs| kwargs.is_empty());
    match args.get_item(0).ok().filter(|_| alone) {
        Some(condition) => nonzero(condition.extract()?, true),
        None => function(WHERE, args, kwargs),
    }
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(max, module)?)?;
    module.add_function(wrap_pyfunction!(min, module)?)?;
    module.add_function(wrap_pyfunction!(choose, module)?)?;
    module.add_function(wrap_pyfunction!(nonzero, module)?)?;
    module.add_function(wrap_pyfunction!(argwhere, module)?)?;
    module.add_function(wrap_pyfunction!(masked_select, module)?)?;
    module.add_function(wrap_pyfunction!(index_put, module)?)?;
    module.add_function(wrap_pyfunction!(equal, module)?)?;
    module.add_function(wrap_pyfunction!(allclose, module)?)
}

impl Tensor {
    fn all_true(&self) -> PyResult<bool> {
        let attrs = Attrs::of([Attr::None, false.into()]);
        let all = self.0.apply_one(ALL, &[], attrs).and_then(|all| all.read());
        Ok(all.map_err(to_python)?.iter().all(|&byte| byte != 0))
    }

    fn put_arguments(
        &self,
        indices: &Bound<'_, PyAny>,
        values: &Bound<'_, PyAny>,
        accumulate: bool,
    ) -> PyResult<(Indices, gt::Tensor, Write)> {
        let Some(values) = Operand::from(values)? else {
            let kind = kind_of(values);
            let message = format!("index_put: 'values' must be a tensor or a number, not {kind}");
            return Err(PyTypeError::new_err(message));
        };
        let write = if accumulate { Write::Add } else { Write::Set };
        Ok((index::indices(indices)?, self.value_for(&values)?, write))
    }
}

#[pymethods]
impl Tensor {
    /// The largest element, along an axis also where it is, or of two tensors element by element.
    ///
    /// >>> import gt
    /// >>> x = gt.tensor([[1, 5], [7, 3]])
    /// >>> x.max()
    /// tensor(7)
    /// >>> gt.max(x, 0)
    /// max(values=tensor([7, 5]), indices=tensor([1, 0]))
    /// >>> gt.max(x, axis=1)
    /// tensor([5, 7])
    #[pyo3(signature = (*args, **kwargs))]
    fn max<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        MAX.method(slf, args, kwargs)
    }

    /// The smallest element, along an axis also where it is, or of two tensors element by element.
    #[pyo3(signature = (*args, **kwargs))]
    fn min<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        MIN.method(slf, args, kwargs)
    }

    /// The positions of the elements that are not zero: a row each, or an index for each axis.
    ///
    /// >>> import gt
    /// >>> gt.tensor([[0, 5], [7, 0]]).nonzero()
    /// tensor([[0, 1],
    ///         [1, 0]])
    /// >>> gt.nonzero(gt.tensor([0, 5]), as_tuple=True)
    /// (tensor([1]),)
    #[pyo3(signature = (*, as_tuple=false))]
    fn nonzero<'py>(slf: &Bound<'py, Self>, as_tuple: bool) -> PyResult<Bound<'py, PyAny>> {
        nonzero(Given(slf.clone()), as_tuple)
    }

    /// The positions of the elements that are not zero, a row each.
    fn argwhere<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        nonzero(Given(slf.clone()), false)
    }

    /// The elements where a mask holds, in one row.
    ///
    /// >>> import gt
    /// >>> x = gt.tensor([[1, 5], [7, 3]])
    /// >>> x.masked_select(x > 2)
    /// tensor([5, 7, 3])
    fn masked_select(slf: &Bound<'_, Self>, mask: Given<'_>) -> PyResult<Tensor> {
        masked_select(Given(slf.clone()), mask)
    }

    /// The tensor with values at the places that indices name, or added to what is there.
    ///
    /// >>> import gt
    /// >>> gt.zeros(3).index_put((gt.tensor([0, 0, 2]),), gt.ones(3), accumulate=True)
    /// tensor([2., 0., 1.])
    #[pyo3(signature = (indices, values, accumulate=false))]
    fn index_put(
        slf: &Bound<'_, Self>,
        indices: &Bound<'_, PyAny>,
        values: &Bound<'_, PyAny>,
        accumulate: bool,
    ) -> PyResult<Tensor> {
        index_put(Given(slf.clone()), indices, values, accumulate)
    }

    /// Writes values to the places that indices name, or adds them to what is there.
    #[pyo3(signature = (indices, values, accumulate=false))]
    fn index_put_<'py>(
        slf: &Bound<'py, Self>,
        indices: &Bound<'py, PyAny>,
        values: &Bound<'py, PyAny>,
        accumulate: bool,
    ) -> PyResult<Bound<'py, Self>> {
        provenance::mark(slf.py());
        let (indices, values, write) = slf.borrow().put_arguments(indices, values, accumulate)?;
        slf.borrow().0.put(indices, &values, write).map_err(to_python)?;
        Ok(slf.clone())
    }

    /// Whether two tensors have the same shape and the same elements.
    fn equal(slf: &Bound<'_, Self>, other: Given<'_>) -> PyResult<bool> {
        equal(Given(slf.clone()), other)
    }

    /// Whether all elements of two tensors differ by no more than the tolerances allow.
    #[pyo3(signature = (other, rtol=1e-5, atol=1e-8, equal_nan=false))]
    fn allclose(
        slf: &Bound<'_, Self>,
        other: Given<'_>,
        rtol: f64,
        atol: f64,
        equal_nan: bool,
    ) -> PyResult<bool> {
        allclose(Given(slf.clone()), other, rtol, atol, equal_nan)
    }

    fn __contains__(slf: &Bound<'_, Self>, item: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Some(item) = Operand::from(item)? else {
            let kind = item.get_type();
            return Err(PyRuntimeError::new_err(format!(
                "Tensor.__contains__ only supports Tensor or scalar, but you passed in a {kind}."
            )));
        };
        provenance::mark(slf.py());
        let same =
            slf.borrow().0.apply_one(EQ, &[item.input()], Attrs::none()).map_err(to_python)?;
        Ok(same.read().map_err(to_python)?.iter().any(|&byte| byte != 0))
    }
}

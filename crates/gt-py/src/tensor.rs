//! Python's `Tensor`: what no row of the table describes. The operations stand in `generated.rs`.

use gt::attrs::{Attr, Attrs};
use gt::op::Op;
use gt::{DType, Input, ops};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyTuple};

use crate::dtype::{self, PyDType};
use crate::error::to_python;
use crate::function::created;
use crate::kind::{Given, kind_of};
use crate::operand::Operand;
use crate::{index, provenance, random, size};

static BERNOULLI: &Op = &ops::builtin::BERNOULLI;
static CAST: &Op = &ops::builtin::CAST;
static FULL: &Op = &ops::builtin::FULL;
static WHERE: &Op = &ops::builtin::WHERE;
static ZEROS: &Op = &ops::builtin::ZEROS;
static TRANSPOSE: &Op = &ops::builtin::TRANSPOSE;

/// A tensor. Its elements are on a worker; reading them waits.
#[pyclass(module = "gt", weakref, subclass)]
pub struct Tensor(pub gt::Tensor);

impl Tensor {
    /// A tensor of its own with the same elements, maybe in another dtype.
    pub fn copy_as(&self, dtype: Option<DType>) -> PyResult<Tensor> {
        let attrs = Attrs::of([dtype.unwrap_or(self.0.dtype()).into()]);
        self.0.apply_one(CAST, &[], attrs).map(Tensor).map_err(to_python)
    }

    /// Zeros and ones, with a probability for all or for each element.
    fn write_chances(&self, p: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let attrs = |p: Attr| Attrs::of([p, Attr::Int(0), Attr::Int(0), no_part(), no_part()]);
        let drawn = match p.map(|p| p.cast::<Tensor>()) {
            Some(Ok(chances)) => chances.borrow().0.apply_one(BERNOULLI, &[], attrs(Attr::None)),
            Some(Err(_)) | None => {
                let p = p.map_or(Ok(0.5), |p| p.extract::<f64>())?;
                self.0.apply_one(BERNOULLI, &[], attrs(Attr::Float(p)))
            }
        };
        self.0.copy(&drawn.map_err(to_python)?).map_err(to_python)
    }

    /// A number or a tensor as a tensor that can be written into this one.
    pub fn value_for(&self, value: &Operand<'_>) -> PyResult<gt::Tensor> {
        let value = match value {
            Operand::Tensor(tensor) => return Ok(tensor.0.clone()),
            Operand::Scalar(value) => *value,
        };
        let attrs =
            Attrs::of([Attr::Ints(Default::default()), value.into(), self.0.dtype().into()]);
        let number = self.0.session().apply(FULL, &[], attrs).map_err(to_python)?;
        Ok(number[0].clone())
    }
}

/// A tensor of zeros.
fn zeros(sizes: Vec<i64>) -> PyResult<Tensor> {
    let attrs = Attrs::of([Attr::Ints(sizes.into()), DType::F32.into()]);
    let made = gt::session().and_then(|session| session.apply(ZEROS, &[], attrs));
    Ok(Tensor(made.map_err(to_python)?[0].clone()))
}

/// A region that is the whole.
fn no_part() -> Attr {
    Attr::Ints(Default::default())
}

#[pymethods]
impl Tensor {
    /// The elements of another tensor without their history, those of a list as float32, or zeros
    /// of the sizes given.
    #[new]
    #[pyo3(signature = (*args, **_kwargs))]
    fn made(
        args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, pyo3::types::PyDict>>,
    ) -> PyResult<Tensor> {
        let first = args.get_item(0).ok();
        if let Some(Ok(tensor)) = first.as_ref().map(|first| first.cast::<Tensor>()) {
            return Ok(Tensor(tensor.borrow().0.detach()));
        }
        provenance::mark(args.py());
        match first.filter(|first| first.cast::<PyInt>().is_err()) {
            Some(data) if size::is(&data)? => zeros(data.extract()?),
            Some(data) if data.cast::<PyFloat>().is_err() => created(&data, Some(DType::F32)),
            Some(data) => {
                let kind = kind_of(&data);
                let message = format!("Tensor: sizes are whole numbers, not {kind}; use gt.tensor");
                Err(PyTypeError::new_err(message))
            }
            None if args.is_empty() => zeros(vec![0]),
            None => zeros(args.extract()?),
        }
    }

    /// The size along each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        size::of(PyTuple::new(py, self.0.shape().iter())?)
    }

    /// The type of the elements.
    #[getter]
    fn dtype(&self, py: Python<'_>) -> PyResult<Py<PyDType>> {
        dtype::object(py, self.0.dtype())
    }

    /// How many axes there are.
    #[getter]
    fn ndim(&self) -> usize {
        self.0.shape().rank()
    }

    /// The number of the current value; an in-place operation gives another.
    #[getter]
    fn id(&self) -> PyResult<u32> {
        self.0.id().map_err(to_python)
    }

    /// The axes of a matrix exchanged.
    #[getter(T)]
    pub fn transposed(&self, py: Python<'_>) -> PyResult<Tensor> {
        let rank = self.0.shape().rank();
        if rank > 2 {
            let message = format!("T is for two axes, not {rank}; use mT or permute");
            return Err(PyRuntimeError::new_err(message));
        }
        if rank < 2 {
            return Ok(Tensor(self.0.clone()));
        }
        provenance::mark(py);
        let attrs = Attrs::of([Attr::Int(0), Attr::Int(1)]);
        self.0.apply_one(TRANSPOSE, &[], attrs).map(Tensor).map_err(to_python)
    }

    /// The size along each axis, or along one.
    #[pyo3(signature = (dim=None))]
    fn size<'py>(&self, py: Python<'py>, dim: Option<i64>) -> PyResult<Bound<'py, PyAny>> {
        match dim {
            None => Ok(self.shape(py)?.into_any()),
            Some(dim) => {
                let axis = self.0.shape().axis(dim).map_err(to_python)?;
                let size = self.0.shape().get(axis).copied();
                let size = size.ok_or_else(|| PyIndexError::new_err("a tensor has no axes"))?;
                Ok(size.into_pyobject(py)?.into_any())
            }
        }
    }

    /// How many axes there are.
    fn dim(&self) -> usize {
        self.ndim()
    }

    /// How many elements there are.
    fn numel(&self) -> usize {
        self.0.shape().count()
    }

    /// A tensor with other elements in the dtype of this one.
    #[pyo3(signature = (data, *, dtype=None, device=None, requires_grad=false))]
    fn new_tensor(
        &self,
        data: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
        device: Option<&Bound<'_, PyAny>>,
        requires_grad: bool,
    ) -> PyResult<Tensor> {
        crate::device::check(device)?;
        provenance::mark(data.py());
        let dtype = dtype.map_or(Ok(self.0.dtype()), dtype::parse)?;
        let tensor = created(data, Some(dtype))?;
        tensor.0.set_requires_grad(requires_grad).map_err(to_python)?;
        Ok(tensor)
    }

    /// Elements of this tensor where a condition holds, else of another.
    ///
    /// >>> import gt
    /// >>> x = gt.tensor([1, -2, 3])
    /// >>> x.where(x > 0, 0)
    /// tensor([1, 0, 3])
    fn r#where(&self, condition: Given<'_>, other: &Bound<'_, PyAny>) -> PyResult<Tensor> {
        let Some(other) = Operand::from(other)? else {
            let kind = kind_of(other);
            let message = format!("where: 'other' must be a tensor or a number, not {kind}");
            return Err(PyTypeError::new_err(message));
        };
        provenance::mark(condition.py());
        let inputs = [Input::Tensor(&self.0), other.input()];
        let chosen = condition.borrow().0.apply_one(WHERE, &inputs, Attrs::none());
        chosen.map(Tensor).map_err(to_python)
    }

    /// Forgets how this tensor was made; it is a leaf from here on.
    fn detach_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        slf.borrow().0.forget_history().map_err(to_python)?;
        Ok(slf.clone())
    }

    /// The same tensor without its gradient; writes through it are seen here.
    fn detach(&self) -> Tensor {
        self.data()
    }

    /// A tensor of its own with the same elements, in the same order if they leave no gaps. How a
    /// worker keeps them is its own business.
    #[pyo3(signature = (*, memory_format=None))]
    fn clone(&self, py: Python<'_>, memory_format: Option<&Bound<'_, PyAny>>) -> PyResult<Tensor> {
        let is_row = |format: &Bound<'_, PyAny>| format.to_string().ends_with(".contiguous_format");
        provenance::mark(py);
        match memory_format.is_some_and(is_row) {
            true => self.copy_as(None),
            false => self.0.duplicate().map(Tensor).map_err(to_python),
        }
    }

    /// Writes the elements of another tensor into this one.
    fn copy_<'py>(slf: &Bound<'py, Self>, source: Given<'py>) -> PyResult<Bound<'py, Self>> {
        provenance::mark(slf.py());
        slf.borrow().0.copy(&source.borrow().0).map_err(to_python)?;
        Ok(slf.clone())
    }

    /// Writes a number everywhere.
    fn fill_<'py>(slf: &Bound<'py, Self>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        provenance::mark(slf.py());
        let tensor = slf.borrow();
        let Some(number) = Operand::from(value)?.filter(Operand::is_number) else {
            let kind = kind_of(value);
            return Err(PyTypeError::new_err(format!(
                "fill_: 'value' must be a number, not {kind}"
            )));
        };
        tensor.0.copy(&tensor.value_for(&number)?).map_err(to_python)?;
        Ok(slf.clone())
    }

    /// Writes one with a probability, else zero, into each element.
    #[pyo3(signature = (p=None, *, generator=None))]
    fn bernoulli_<'py>(
        slf: &Bound<'py, Self>,
        p: Option<&Bound<'py, PyAny>>,
        generator: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        let generator = generator.map(random::parse).transpose()?.flatten();
        provenance::mark(slf.py());
        random::with(generator.as_ref(), || slf.borrow().write_chances(p))?;
        Ok(slf.clone())
    }

    /// Writes zero everywhere.
    fn zero_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        let zero = 0i64.into_pyobject(slf.py())?.into_any();
        Tensor::fill_(slf, &zero)
    }

    fn __getitem__(&self, py: Python<'_>, index: &Bound<'_, PyAny>) -> PyResult<Tensor> {
        provenance::mark(py);
        index::select(&self.0, index).map(Tensor)
    }

    fn __setitem__(
        &self,
        py: Python<'_>,
        index: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        provenance::mark(py);
        index::assign(&self.0, index, value)
    }

    fn __len__(&self) -> PyResult<usize> {
        let first = self.0.shape().first().copied();
        first.ok_or_else(|| PyTypeError::new_err("len() of a 0-d tensor"))
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let rows = (0..slf.borrow().__len__()?).map(|row| slf.get_item(row));
        let rows = PyTuple::new(slf.py(), rows.collect::<PyResult<Vec<_>>>()?)?;
        Ok(rows.try_iter()?.into_any())
    }

    fn __hash__(slf: &Bound<'_, Self>) -> isize {
        // `==` compares elements, so identity is what a set of tensors goes by, as in PyTorch.
        slf.as_ptr() as isize >> 4
    }
}

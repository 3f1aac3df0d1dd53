//! Parts of a tensor as methods and functions: `split`, `chunk`, `unbind` and their kin.

use gt::Shape;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::error::to_python;
use crate::kind::{Given, kind_of};
use crate::tensor::Tensor;
use crate::{provenance, size};

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(select, module)?)?;
    module.add_function(wrap_pyfunction!(split, module)?)?;
    module.add_function(wrap_pyfunction!(chunk, module)?)?;
    module.add_function(wrap_pyfunction!(tensor_split, module)?)?;
    module.add_function(wrap_pyfunction!(unbind, module)?)?;
    module.add_function(wrap_pyfunction!(broadcast_tensors, module)?)?;
    module.add_function(wrap_pyfunction!(broadcast_shapes, module)?)?;
    module.add_function(wrap_pyfunction!(positive, module)?)
}

/// One number, or several.
#[derive(FromPyObject)]
enum Sizes {
    One(i64),
    Many(Vec<i64>),
}

type Parts<'py> = PyResult<Bound<'py, PyTuple>>;

fn tuple<'py>(py: Python<'py>, parts: gt::Result<Vec<gt::Tensor>>) -> Parts<'py> {
    let parts = parts.map_err(to_python)?.into_iter();
    PyTuple::new(py, parts.map(|part| Bound::new(py, Tensor(part))).collect::<PyResult<Vec<_>>>()?)
}

#[pymethods]
impl Tensor {
    /// The elements at one position of an axis, without that axis: a view.
    #[pyo3(name = "select")]
    fn op_select(&self, py: Python<'_>, dim: i64, index: i64) -> PyResult<Tensor> {
        provenance::mark(py);
        self.0.select(dim, index).map(Tensor).map_err(to_python)
    }

    /// Parts along an axis: all of one size, or of the sizes given. They are views.
    #[pyo3(name = "split", signature = (split_size, dim=0))]
    fn op_split<'py>(&self, py: Python<'py>, split_size: Sizes, dim: i64) -> Parts<'py> {
        provenance::mark(py);
        tuple(
            py,
            match split_size {
                Sizes::One(size) => self.0.split(size, dim),
                Sizes::Many(sizes) => self.0.split_with_sizes(&sizes, dim),
            },
        )
    }

    /// Parts of these sizes along an axis. They are views.
    #[pyo3(signature = (split_sizes, dim=0))]
    fn split_with_sizes<'py>(
        &self,
        py: Python<'py>,
        split_sizes: Vec<i64>,
        dim: i64,
    ) -> Parts<'py> {
        provenance::mark(py);
        tuple(py, self.0.split_with_sizes(&split_sizes, dim))
    }

    /// At most so many parts of one size along an axis. They are views.
    #[pyo3(name = "chunk", signature = (chunks, dim=0))]
    fn op_chunk<'py>(&self, py: Python<'py>, chunks: i64, dim: i64) -> Parts<'py> {
        provenance::mark(py);
        tuple(py, self.0.chunk(chunks, dim))
    }

    /// So many parts of about one size, or the parts between positions. They are views.
    #[pyo3(name = "tensor_split", signature = (indices_or_sections, dim=0))]
    fn op_tensor_split<'py>(
        &self,
        py: Python<'py>,
        indices_or_sections: Sizes,
        dim: i64,
    ) -> Parts<'py> {
        provenance::mark(py);
        tuple(
            py,
            match indices_or_sections {
                Sizes::One(sections) => self.0.tensor_split(sections, dim),
                Sizes::Many(positions) => self.0.tensor_split_at(&positions, dim),
            },
        )
    }

    /// The elements at each position of an axis, without that axis. They are views.
    #[pyo3(name = "unbind", signature = (dim=0))]
    fn op_unbind<'py>(&self, py: Python<'py>, dim: i64) -> Parts<'py> {
        provenance::mark(py);
        tuple(py, self.0.unbind(dim))
    }

    /// The elements in the shape of another tensor: a view.
    fn view_as(&self, py: Python<'_>, other: Given<'_>) -> PyResult<Tensor> {
        provenance::mark(py);
        self.0.view_as(&other.borrow().0).map(Tensor).map_err(to_python)
    }

    /// The elements in the shape of another tensor: a view if they can stay where they are.
    fn reshape_as(&self, py: Python<'_>, other: Given<'_>) -> PyResult<Tensor> {
        provenance::mark(py);
        self.0.reshape_as(&other.borrow().0).map(Tensor).map_err(to_python)
    }

    /// The tensor repeated until it has the shape of another.
    fn expand_as(&self, py: Python<'_>, other: Given<'_>) -> PyResult<Tensor> {
        provenance::mark(py);
        self.0.expand_as(&other.borrow().0).map(Tensor).map_err(to_python)
    }

    /// The tensor itself if its elements lie in a row, else a copy in which they do.
    #[pyo3(signature = (**_options))]
    fn contiguous<'py>(
        slf: &Bound<'py, Self>,
        _options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, Self>> {
        if slf.borrow().0.is_contiguous() {
            return Ok(slf.clone());
        }
        provenance::mark(slf.py());
        let copied = slf.borrow().0.contiguous().map_err(to_python)?;
        Bound::new(slf.py(), Tensor(copied))
    }

    /// How far apart the elements along each axis lie, or along one.
    #[pyo3(signature = (dim=None))]
    fn stride<'py>(&self, py: Python<'py>, dim: Option<i64>) -> PyResult<Bound<'py, PyAny>> {
        let (mut strides, shape) = (self.0.strides(), self.0.shape());
        // Along an axis of one element any distance is true; PyTorch's is that over all behind it.
        for axis in (0..strides.len()).rev().filter(|&axis| shape[axis] == 1) {
            let behind = strides.get(axis + 1).map(|stride| stride * shape[axis + 1] as isize);
            strides[axis] = behind.unwrap_or(1);
        }
        match dim {
            None => Ok(PyTuple::new(py, strides)?.into_any()),
            Some(dim) => {
                let axis = self.0.shape().axis(dim).map_err(to_python)?;
                Ok(strides.get(axis).copied().unwrap_or(1).into_pyobject(py)?.into_any())
            }
        }
    }

    /// The axes of a matrix exchanged; a vector as it is.
    pub fn t(&self, py: Python<'_>) -> PyResult<Tensor> {
        self.transposed(py)
    }

    /// Whether the elements lie in a row, one after another.
    #[pyo3(signature = (*, memory_format=None))]
    fn is_contiguous(&self, memory_format: Option<&Bound<'_, PyAny>>) -> bool {
        let _ = memory_format;
        self.0.is_contiguous()
    }

    /// The tensor itself.
    #[pyo3(name = "positive")]
    fn op_positive(&self) -> PyResult<Tensor> {
        if self.0.dtype() == gt::DType::Bool {
            let message = "positive: not implemented for bool";
            return Err(pyo3::exceptions::PyRuntimeError::new_err(message));
        }
        Ok(Tensor(self.0.clone()))
    }

    fn __pos__(&self) -> PyResult<Tensor> {
        self.op_positive()
    }
}

/// The elements at one position of an axis, without that axis: a view.
#[pyfunction]
fn select(py: Python<'_>, input: Given<'_>, dim: i64, index: i64) -> PyResult<Tensor> {
    input.borrow().op_select(py, dim, index)
}

/// Parts along an axis: all of one size, or of the sizes given. They are views.
#[pyfunction]
#[pyo3(signature = (tensor, split_size_or_sections, dim=0))]
fn split<'py>(
    py: Python<'py>,
    tensor: Given<'py>,
    split_size_or_sections: Sizes,
    dim: i64,
) -> Parts<'py> {
    tensor.borrow().op_split(py, split_size_or_sections, dim)
}

/// At most so many parts of one size along an axis. They are views.
#[pyfunction]
#[pyo3(signature = (input, chunks, dim=0))]
fn chunk<'py>(py: Python<'py>, input: Given<'py>, chunks: i64, dim: i64) -> Parts<'py> {
    input.borrow().op_chunk(py, chunks, dim)
}

/// So many parts of about one size, or the parts between positions. They are views.
#[pyfunction]
#[pyo3(signature = (input, indices_or_sections, dim=0))]
fn tensor_split<'py>(
    py: Python<'py>,
    input: Given<'py>,
    indices_or_sections: Sizes,
    dim: i64,
) -> Parts<'py> {
    input.borrow().op_tensor_split(py, indices_or_sections, dim)
}

/// The elements at each position of an axis, without that axis. They are views.
#[pyfunction]
#[pyo3(signature = (input, dim=0))]
fn unbind<'py>(py: Python<'py>, input: Given<'py>, dim: i64) -> Parts<'py> {
    input.borrow().op_unbind(py, dim)
}

/// Tensors as views of the shape that all of them broadcast to.
///
/// >>> import gt
/// >>> gt.broadcast_tensors(gt.zeros(2, 1), gt.ones(3))[1]
/// tensor([[1., 1., 1.],
///         [1., 1., 1.]])
#[pyfunction]
#[pyo3(signature = (*tensors))]
fn broadcast_tensors<'py>(tensors: &Bound<'py, PyTuple>) -> Parts<'py> {
    provenance::mark(tensors.py());
    let own = |(index, tensor): (usize, Bound<'py, PyAny>)| match tensor.cast::<Tensor>() {
        Ok(tensor) => Ok(tensor.borrow().0.clone()),
        Err(_) => {
            let kind = kind_of(&tensor);
            let message = format!("broadcast_tensors: argument {index} must be a tensor");
            Err(PyTypeError::new_err(format!("{message}, not {kind}")))
        }
    };
    let given = tensors.iter().enumerate().map(own).collect::<PyResult<Vec<_>>>()?;
    tuple(tensors.py(), gt::broadcast_tensors(&given))
}

/// The shape that all of these broadcast to.
///
/// >>> import gt
/// >>> gt.broadcast_shapes((2, 1), 3)
/// (2, 3)
#[pyfunction]
#[pyo3(signature = (*shapes))]
fn broadcast_shapes<'py>(py: Python<'py>, shapes: Vec<Sizes>) -> Parts<'py> {
    let given = shapes.into_iter().map(|sizes| match sizes {
        Sizes::One(size) => Shape::given(&[size]),
        Sizes::Many(sizes) => Shape::given(&sizes),
    });
    let shape = given.collect::<gt::Result<Vec<_>>>().and_then(|all| gt::broadcast_shapes(&all));
    size::of(PyTuple::new(py, shape.map_err(to_python)?.iter())?)
}

/// The tensor itself.
#[pyfunction]
fn positive(input: Given<'_>) -> PyResult<Tensor> {
    input.borrow().op_positive()
}

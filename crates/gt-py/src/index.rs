//! `tensor[1:3, ..., None, index]`: first a view of parts of each axis, then the elements that
//! index tensors and masks name in it.

use gt::attrs::{Attr, Attrs, Range};
use gt::index::{Indices, Write, without_leading_ones};
use gt::op::Op;
use gt::{DType, Meta, Shape, ops};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyInt, PyList, PySequence, PySlice, PyString, PyTuple};

use crate::data;
use crate::error::to_python;
use crate::kind::kind_of;
use crate::operand::Operand;
use crate::tensor::Tensor;

static SLICE: &Op = &ops::builtin::SLICE;
static RESHAPE: &Op = &ops::builtin::RESHAPE;

/// The elements that an index selects.
pub fn select(tensor: &gt::Tensor, index: &Bound<'_, PyAny>) -> PyResult<gt::Tensor> {
    let selection = Selection::parse(tensor, index)?;
    let part = selection.view(tensor)?;
    match selection.indices.iter().any(Option::is_some) {
        true => part.at(selection.indices).map_err(to_python),
        false => Ok(part),
    }
}

/// Writes a tensor or a number over the elements that an index selects.
pub fn assign(
    tensor: &gt::Tensor,
    index: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let selection = Selection::parse(tensor, index)?;
    let part = Tensor(selection.view(tensor)?);
    let Some(value) = Operand::from(value)? else {
        let kind = kind_of(value);
        return Err(PyTypeError::new_err(format!("can't assign a {kind} to a tensor")));
    };
    if selection.indices.iter().any(Option::is_some) {
        let value = part.value_for(&value)?;
        return part.0.put(selection.indices, &value, Write::Set).map_err(to_python);
    }
    let value = part.value_for(&value)?;
    let value = without_leading_ones(&value, part.0.shape().rank()).map_err(to_python)?;
    part.0.copy(&value).map_err(to_python)
}

/// What `index_put` is given: a tensor or nothing for each axis.
pub fn indices(given: &Bound<'_, PyAny>) -> PyResult<Indices> {
    let wrong = |item: &Bound<'_, PyAny>| {
        let kind = kind_of(item);
        PyTypeError::new_err(format!("index_put: 'indices' must be tensors, not {kind}"))
    };
    if given.cast::<Tensor>().is_ok() {
        return Err(wrong(given));
    }
    let items = given.try_iter().map_err(|_| wrong(given))?;
    let index = |item: PyResult<Bound<'_, PyAny>>| {
        let item = item?;
        if item.is_none() {
            return Ok(None);
        }
        item.cast::<Tensor>()
            .map(|tensor| Some(tensor.borrow().0.clone()))
            .map_err(|_| wrong(&item))
    };
    let indices: Indices = items.map(index).collect::<PyResult<_>>()?;
    match indices.iter().any(Option::is_some) {
        true => Ok(indices),
        false => Err(PyIndexError::new_err("index_put: at least one index is needed")),
    }
}

/// One item of an index.
enum Item<'py> {
    Whole,
    NewAxis,
    Slice(Bound<'py, PySlice>),
    At(i64),
    /// An index tensor or a mask.
    Tensor(gt::Tensor),
    /// True or false for the whole: an axis of one element, or of none.
    Truth(gt::Tensor),
    /// Positions that are known without asking a worker.
    Known(Meta, Vec<i64>),
}

impl<'py> Item<'py> {
    fn parse(item: &Bound<'py, PyAny>, tensor: &gt::Tensor) -> PyResult<Self> {
        // The most common kind first: looking for what others have takes longer than the rest.
        if item.is_exact_instance_of::<PyInt>() {
            return Item::of_number(item);
        }
        if item.is_none() {
            return Ok(Item::NewAxis);
        }
        if item.cast::<PyEllipsis>().is_ok() {
            return Ok(Item::Whole);
        }
        if let Ok(slice) = item.cast::<PySlice>() {
            return Ok(Item::Slice(slice.clone()));
        }
        if let Ok(truth) = item.cast::<PyBool>() {
            let meta = Meta::new(DType::Bool, [1]);
            let mask = tensor.session().upload(meta, vec![u8::from(truth.is_true())].into());
            return mask.map(Item::Truth).map_err(to_python);
        }
        if let Ok(index) = item.cast::<Tensor>() {
            return Item::of_tensor(index, item);
        }
        let listed = item.cast::<PySequence>().is_ok() && item.cast::<PyString>().is_err();
        if listed || item.hasattr("__array_interface__")? {
            return Item::of_list(item, tensor);
        }
        let whole = item.cast::<PyInt>().is_ok() || item.hasattr("__index__")?;
        if !whole {
            let kind = kind_of(item);
            return Err(PyIndexError::new_err(format!(
                "only integers, slices (`:`), ellipsis (`...`), None and tensors or lists of \
                 integers or bools are valid indices (got {kind})"
            )));
        }
        Item::of_number(item)
    }

    fn of_number(item: &Bound<'py, PyAny>) -> PyResult<Self> {
        let position = item.extract::<i64>();
        position.map(Item::At).map_err(|_| PyValueError::new_err(format!("{item} overflows int64")))
    }

    fn of_tensor(index: &Bound<'py, Tensor>, item: &Bound<'py, PyAny>) -> PyResult<Self> {
        let index = &index.borrow().0;
        if index.shape().rank() > 0 {
            return Ok(Item::Tensor(index.clone()));
        }
        match index.dtype() {
            DType::Bool | DType::U8 => {
                let sizes = Attrs::of([Attr::Ints([1].into_iter().collect())]);
                index.apply_one(RESHAPE, &[], sizes).map(Item::Truth).map_err(to_python)
            }
            // As in PyTorch: such an index makes a view, so that its number has to be known.
            dtype if dtype.is_int() => Ok(Item::At(item.extract()?)),
            _ => Ok(Item::Tensor(index.clone())),
        }
    }

    fn of_list(item: &Bound<'py, PyAny>, tensor: &gt::Tensor) -> PyResult<Self> {
        let data::Given { meta, bytes, .. } = data::from_python(item, None)?;
        if meta.shape.count() == 0 && meta.dtype == DType::F32 {
            return Ok(Item::Known(Meta::new(DType::I64, meta.shape), Vec::new()));
        }
        if meta.dtype == DType::I64 && meta.shape.rank() > 0 {
            let numbers = bytes.chunks_exact(8);
            let number = |bytes: &[u8]| i64::from_le_bytes(bytes.try_into().unwrap_or_default());
            return Ok(Item::Known(meta, numbers.map(number).collect()));
        }
        if meta.shape.rank() == 0 && meta.dtype.is_int() {
            return Ok(Item::At(item.call_method0("item")?.extract()?));
        }
        tensor.session().upload(meta, bytes).map(Item::Tensor).map_err(to_python)
    }

    /// How many axes of the tensor it takes.
    fn axes(&self) -> usize {
        match self {
            Item::Whole | Item::NewAxis | Item::Truth(_) => 0,
            Item::Tensor(index) if matches!(index.dtype(), DType::Bool | DType::U8) => {
                index.shape().rank()
            }
            _ => 1,
        }
    }
}

/// A view of parts of each axis, and the index tensors that are applied to it.
struct Selection {
    ranges: Vec<Range>,
    sizes: Vec<usize>,
    indices: Indices,
}

impl Selection {
    fn parse(tensor: &gt::Tensor, index: &Bound<'_, PyAny>) -> PyResult<Self> {
        let items = items(index)?;
        let items = items.iter().map(|item| Item::parse(item, tensor));
        let items: Vec<Item<'_>> = items.collect::<PyResult<_>>()?;
        let (shape, used) = (tensor.shape(), items.iter().map(Item::axes).sum::<usize>());
        let rank = shape.rank();
        if used > rank {
            let message = format!("too many indices for tensor of dimension {rank}");
            return Err(PyIndexError::new_err(message));
        }
        let mut rest = rank - used;
        let mut selection =
            Selection { ranges: Vec::new(), sizes: Vec::new(), indices: Vec::new() };
        for item in items {
            match item {
                // A second ellipsis finds nothing left to stand for.
                Item::Whole => {
                    (0..std::mem::take(&mut rest)).for_each(|_| selection.take_whole(shape, None));
                }
                other => selection.add(shape, other, tensor)?,
            }
        }
        while selection.ranges.len() < rank {
            selection.take_whole(shape, None);
        }
        Ok(selection)
    }

    fn add(&mut self, shape: &Shape, item: Item<'_>, tensor: &gt::Tensor) -> PyResult<()> {
        let axis = self.ranges.len();
        match item {
            Item::Whole => {}
            Item::NewAxis => self.push_size(1, None),
            Item::Truth(mask) => self.push_size(1, Some(mask)),
            Item::Slice(slice) => {
                let range = range_of(&slice, shape[axis])?;
                self.ranges.push(range);
                self.push_size(range.len, None);
            }
            Item::At(position) => self.ranges.push(at(position, axis, shape[axis])?),
            Item::Known(meta, numbers) => {
                numbers.iter().try_for_each(|&number| at(number, axis, shape[axis]).map(drop))?;
                let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
                let index = tensor.session().upload(meta, bytes.into()).map_err(to_python)?;
                self.take_whole(shape, Some(index));
            }
            Item::Tensor(index) => {
                let axes = Item::Tensor(index.clone()).axes();
                self.take_whole(shape, Some(index));
                // The other axes of a mask; it stands for all of them.
                for _ in 1..axes {
                    let size = shape[self.ranges.len()];
                    self.ranges.push(Range::all(size));
                    self.sizes.push(size);
                }
            }
        }
        Ok(())
    }

    fn push_size(&mut self, size: usize, index: Option<gt::Tensor>) {
        self.sizes.push(size);
        self.indices.push(index);
    }

    fn take_whole(&mut self, shape: &Shape, index: Option<gt::Tensor>) {
        let size = shape[self.ranges.len()];
        self.ranges.push(Range::all(size));
        self.push_size(size, index);
    }

    fn view(&self, tensor: &gt::Tensor) -> PyResult<gt::Tensor> {
        let sliced: Shape = self.ranges.iter().map(|range| range.len).collect();
        let shape: Shape = self.sizes.iter().copied().collect();
        let indexed = self.indices.iter().any(Option::is_some);
        if indexed && shape == *tensor.shape() && sliced == shape {
            return Ok(tensor.clone());
        }
        let attrs = Attrs::of([Attr::Ranges(self.ranges.clone())]);
        let part = tensor.apply_one(SLICE, &[], attrs).map_err(to_python)?;
        if shape == sliced {
            return Ok(part);
        }
        let sizes = Attrs::of([Attr::Ints(shape.to_ints())]);
        part.apply_one(RESHAPE, &[], sizes).map_err(to_python)
    }
}

/// The items of an index. A list that holds more than numbers counts as a tuple, as in PyTorch.
fn items<'py>(index: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    if let Ok(tuple) = index.cast::<PyTuple>() {
        return Ok(tuple.iter().collect());
    }
    let several = |item: &Bound<'_, PyAny>| {
        let parts = item.cast::<PyList>().is_ok() || item.cast::<PyTuple>().is_ok();
        let parts = parts || item.cast::<Tensor>().is_ok() || item.cast::<PySlice>().is_ok();
        parts || item.is_none() || item.cast::<PyEllipsis>().is_ok()
    };
    match index.cast::<PyList>() {
        Ok(list) if list.len() < 32 && list.iter().any(|item| several(&item)) => {
            Ok(list.iter().collect())
        }
        _ => Ok(vec![index.clone()]),
    }
}

fn range_of(slice: &Bound<'_, PySlice>, size: usize) -> PyResult<Range> {
    let indices = slice.indices(size as isize)?;
    if indices.step < 0 {
        return Err(PyValueError::new_err("step must be greater than zero; use flip"));
    }
    let len = indices.slicelength;
    // An empty slice may start anywhere; zero always fits.
    let start = if len == 0 { 0 } else { indices.start as usize };
    Ok(Range { start, len, step: indices.step as i64 })
}

fn at(asked: i64, axis: usize, size: usize) -> PyResult<Range> {
    let at = if asked < 0 { asked.saturating_add(size as i64) } else { asked };
    if at < 0 || at >= size as i64 {
        let message =
            format!("index {asked} is out of bounds for dimension {axis} with size {size}");
        return Err(PyIndexError::new_err(message));
    }
    Ok(Range { start: at as usize, len: 1, step: 1 })
}

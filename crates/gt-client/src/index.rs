//! `tensor[…]` beyond views: which elements index tensors and masks name, read and written with
//! the rows of the table.

use gt_core::attrs::{Attr, Attrs, Range};
use gt_core::op::Op;
use gt_core::ops::builtin::{
    EXPAND, INDEX, INDEX_WRITE, MASKED_FILL, NONZERO, PERMUTE, RAVEL_INDEX, RESHAPE, SLICE,
    index_attrs, write_attrs,
};
use gt_core::{DType, Error, Result, Shape};

use crate::input::Input;
use crate::tensor::Tensor;

/// An index for each axis of a tensor, or none: the axes that have none are taken whole.
pub type Indices = Vec<Option<Tensor>>;

/// What an index tensor does with the elements it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// Puts others in their place, the last of several.
    Set,
    /// Adds to them, all of several.
    Add,
}

impl Tensor {
    /// The elements that the indices name together, broadcast. Masks wait: how many elements they
    /// name depends on data.
    pub fn at(&self, indices: Indices) -> Result<Tensor> {
        let looked = Looked::new(self, indices)?;
        let (merged, place) = (looked.merged()?, looked.place()?);
        merged.apply_one(&INDEX, &[Input::Tensor(&place)], index_attrs(looked.axis as i64))
    }

    /// A tensor with a value, broadcast, at the elements that the indices name together. An index
    /// that names none makes it an error for as long as it is read.
    pub fn with_put(&self, indices: Indices, value: &Tensor, write: Write) -> Result<Tensor> {
        let value = value.to_dtype(self.dtype())?;
        let looked = Looked::new(self, indices)?;
        let place = looked.place()?;
        let rank = looked.turned.shape().rank() - looked.sizes.len() + place.shape().rank();
        let value = without_leading_ones(&value, rank)?;
        let attrs = write_attrs(looked.axis as i64, write == Write::Add);
        let inputs = [Input::Tensor(&place), Input::Tensor(&value)];
        let written = looked.merged()?.apply_one(&INDEX_WRITE, &inputs, attrs)?;
        let written = reshaped(&written, looked.turned.shape())?;
        let Some(order) = looked.order else { return Ok(written) };
        let mut back = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &axis)| back[axis] = place);
        written.apply_one(&PERMUTE, &[], Attrs::of([Attr::from(&back[..])]))
    }

    /// Writes a value, broadcast, over the elements that the indices name together.
    pub fn put(&self, indices: Indices, value: &Tensor, write: Write) -> Result<()> {
        let value = value.to_dtype(self.dtype())?;
        if write == Write::Set
            && value.shape().count() == 1
            && let Some(mask) = only_mask(self, &indices)?
        {
            let value = reshaped(&value, &Shape::scalar())?;
            let inputs = [Input::Tensor(&mask), Input::Tensor(&value)];
            return self.apply_in_place(&MASKED_FILL, &inputs, Attrs::none());
        }
        let looked = Looked::new(self, indices)?;
        let place = looked.place()?;
        let rank = looked.turned.shape().rank() - looked.sizes.len() + place.shape().rank();
        let value = without_leading_ones(&value, rank)?;
        let attrs = write_attrs(looked.axis as i64, write == Write::Add);
        let inputs = [Input::Tensor(&place), Input::Tensor(&value)];
        if looked.sizes.len() == 1 {
            return looked.turned.apply_in_place(&INDEX_WRITE, &inputs, attrs);
        }
        let written = looked.merged()?.apply_one(&INDEX_WRITE, &inputs, attrs)?;
        looked.turned.copy(&reshaped(&written, looked.turned.shape())?)
    }

    /// The elements where a mask holds, both broadcast to the same shape, in one row.
    pub fn masked_select(&self, mask: &Tensor) -> Result<Tensor> {
        if mask.dtype() != DType::Bool {
            let message = format!("masked_select: 'mask' must be bool, not {}", mask.dtype());
            return Err(Error::runtime(message));
        }
        let both = self.shape().broadcast(mask.shape()).ok_or_else(|| {
            let (own, mask) = (self.shape(), mask.shape());
            Error::runtime(format!("masked_select: cannot broadcast {own} with {mask}"))
        })?;
        let flat = Shape::from([both.count()]);
        let [own, mask] = [self, mask].map(|tensor| reshaped(&expanded(tensor, &both)?, &flat));
        own?.at(vec![Some(mask?)])
    }

    /// Where the elements are not zero: an index for each axis.
    pub fn nonzero_indices(&self) -> Result<Vec<Tensor>> {
        let whole =
            if self.shape().rank() == 0 { reshaped(self, &[1].into())? } else { self.clone() };
        columns(&whole.apply_one(&NONZERO, &[], Attrs::none())?)
    }
}

/// A tensor with its indexed axes side by side, and what they are indexed with.
struct Looked {
    /// The tensor, the indexed axes side by side.
    turned: Tensor,
    /// The order of its axes, if they are not in their own.
    order: Option<Vec<usize>>,
    /// The first of the indexed axes.
    axis: usize,
    /// Their sizes.
    sizes: Vec<usize>,
    /// Their indices.
    indices: Vec<Tensor>,
}

impl Looked {
    fn new(tensor: &Tensor, indices: Indices) -> Result<Self> {
        let indices = without_masks(tensor.shape(), indices)?;
        let rank = tensor.shape().rank();
        let indexed: Vec<usize> = (0..rank).filter(|&axis| indices[axis].is_some()).collect();
        let Some((&first, &last)) = indexed.first().zip(indexed.last()) else {
            return Err(Error::bug("indexing without an index"));
        };
        // Of axes that are apart, the result has those of the indices in front.
        let adjacent = last - first + 1 == indexed.len();
        let (turned, axis, order) = if adjacent {
            (tensor.clone(), first, None)
        } else {
            let others = (0..rank).filter(|axis| !indexed.contains(axis));
            let order: Vec<usize> = indexed.iter().copied().chain(others).collect();
            let turned = tensor.apply_one(&PERMUTE, &[], Attrs::of([Attr::from(&order[..])]))?;
            (turned, 0, Some(order))
        };
        let sizes = turned.shape()[axis..axis + indexed.len()].to_vec();
        let indices = indices.into_iter().flatten().collect();
        Ok(Looked { turned, order, axis, sizes, indices })
    }

    /// The tensor with the indexed axes as one.
    fn merged(&self) -> Result<Tensor> {
        let (axis, count) = (self.axis, self.sizes.len());
        if count == 1 {
            return Ok(self.turned.clone());
        }
        let shape = self.turned.shape();
        let one = [self.sizes.iter().product()];
        let sizes = shape[..axis].iter().chain(&one).chain(&shape[axis + count..]);
        reshaped(&self.turned, &sizes.copied().collect())
    }

    /// The indices as one, along the axis of [`Looked::merged`].
    fn place(&self) -> Result<Tensor> {
        if let [only] = &self.indices[..] {
            return Ok(only.clone());
        }
        let inputs: Vec<Input> = self.indices[1..].iter().map(Input::Tensor).collect();
        let sizes = Attrs::of([Attr::from(&self.sizes[..])]);
        self.indices[0].apply_one(&RAVEL_INDEX, &inputs, sizes).map_err(as_index_error)
    }
}

/// What PyTorch calls an index error where the table sees shapes that do not go together.
fn as_index_error(error: Error) -> Error {
    match error {
        Error::Input { message, .. } => Error::index(format!(
            "shape mismatch: indexing tensors could not be broadcast together ({message})"
        )),
        other => other,
    }
}

/// The indices with each mask as the positions where it holds, an index for each of its axes.
fn without_masks(shape: &Shape, indices: Indices) -> Result<Indices> {
    let mut found: Indices = Vec::with_capacity(shape.rank());
    for index in indices {
        let Some(index) = index else {
            found.push(None);
            continue;
        };
        match index.dtype() {
            DType::I64 | DType::I32 => found.push(Some(index)),
            DType::Bool | DType::U8 => {
                check_mask(&index, shape, found.len())?;
                found.extend(index.nonzero_indices()?.into_iter().map(Some));
            }
            other => {
                let message = "tensors used as indices must be long, int, byte or bool tensors";
                return Err(Error::index(format!("{message}, not {other}")));
            }
        }
    }
    if found.len() > shape.rank() {
        let rank = shape.rank();
        return Err(Error::index(format!("too many indices for tensor of dimension {rank}")));
    }
    found.resize_with(shape.rank(), || None);
    Ok(found)
}

fn check_mask(mask: &Tensor, shape: &Shape, axis: usize) -> Result<()> {
    let (mask, rest) = (mask.shape(), &shape[axis.min(shape.rank())..]);
    if mask.rank() > rest.len() {
        let rank = shape.rank();
        return Err(Error::index(format!("too many indices for tensor of dimension {rank}")));
    }
    match mask.iter().zip(rest).position(|(own, size)| own != size) {
        Some(at) => Err(Error::index(format!(
            "The shape of the mask {mask} at index {at} does not match the shape of the indexed \
             tensor {shape} at index {}",
            axis + at
        ))),
        None => Ok(()),
    }
}

/// The only index, if it is a mask, shaped to broadcast over the tensor.
fn only_mask(tensor: &Tensor, indices: &Indices) -> Result<Option<Tensor>> {
    let mut given = indices.iter().enumerate().filter_map(|(axis, i)| Some((axis, i.as_ref()?)));
    let (Some((axis, mask)), None) = (given.next(), given.next()) else { return Ok(None) };
    if !matches!(mask.dtype(), DType::Bool | DType::U8) {
        return Ok(None);
    }
    check_mask(mask, tensor.shape(), axis)?;
    let after = tensor.shape().rank() - axis - mask.shape().rank();
    let sizes = mask.shape().iter().copied().chain(std::iter::repeat_n(1, after));
    reshaped(&mask.to_dtype(DType::Bool)?, &sizes.collect()).map(Some)
}

/// The columns of a matrix, each as a row of its own.
fn columns(matrix: &Tensor) -> Result<Vec<Tensor>> {
    let (rows, count) = (matrix.shape()[0], matrix.shape()[1]);
    let column = |at: usize| {
        let ranges = vec![Range::all(rows), Range { start: at, len: 1, step: 1 }];
        let column = matrix.apply_one(&SLICE, &[], Attrs::of([ranges.into()]))?;
        reshaped(&column, &[rows].into())
    };
    (0..count).map(column).collect()
}

/// A value for a place of `rank` axes: axes of size one before those are no axes.
pub fn without_leading_ones(value: &Tensor, rank: usize) -> Result<Tensor> {
    let shape = value.shape();
    let surplus = shape.rank().saturating_sub(rank);
    if surplus == 0 || shape[..surplus].iter().any(|&size| size != 1) {
        return Ok(value.clone());
    }
    reshaped(value, &Shape::from(&shape[surplus..]))
}

fn sized(op: &'static Op, tensor: &Tensor, shape: &Shape) -> Result<Tensor> {
    if tensor.shape() == shape {
        return Ok(tensor.clone());
    }
    tensor.apply_one(op, &[], Attrs::of([Attr::Ints(shape.to_ints())]))
}

fn reshaped(tensor: &Tensor, shape: &Shape) -> Result<Tensor> {
    sized(&RESHAPE, tensor, shape)
}

fn expanded(tensor: &Tensor, shape: &Shape) -> Result<Tensor> {
    sized(&EXPAND, tensor, shape)
}

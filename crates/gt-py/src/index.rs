//! `tensor[1:3, ..., None]` as views: a slice of each axis, then axes removed and added.

use gt::attrs::{Attr, Attrs, Range};
use gt::op::Op;
use gt::{Shape, ops};
use pyo3::exceptions::{PyIndexError, PyNotImplementedError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyInt, PySlice, PyTuple};

use crate::error::to_python;

static SLICE: &Op = &ops::movement::SLICE;
static RESHAPE: &Op = &ops::movement::RESHAPE;

/// The view that an index selects.
pub fn select(tensor: &gt::Tensor, index: &Bound<'_, PyAny>) -> PyResult<gt::Tensor> {
    let (ranges, shape) = parse(tensor.shape(), index)?;
    let sliced: Shape = ranges.iter().map(|range| range.len).collect();
    let attrs = Attrs::of([Attr::Ranges(ranges)]);
    let part = tensor.apply_one(SLICE, &[], attrs).map_err(to_python)?;
    if shape == sliced {
        return Ok(part);
    }
    let sizes = Attrs::of([Attr::Ints(shape.to_ints())]);
    part.apply_one(RESHAPE, &[], sizes).map_err(to_python)
}

/// A part of each axis, and the shape of the result.
fn parse(shape: &Shape, index: &Bound<'_, PyAny>) -> PyResult<(Vec<Range>, Shape)> {
    let items: Vec<Bound<'_, PyAny>> = match index.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter().collect(),
        Err(_) => vec![index.clone()],
    };
    let is_ellipsis = |item: &Bound<'_, PyAny>| item.cast::<PyEllipsis>().is_ok();
    let used = items.iter().filter(|item| !item.is_none() && !is_ellipsis(item)).count();
    let rank = shape.rank();
    if used > rank {
        let message = format!("too many indices for tensor of dimension {rank}");
        return Err(PyIndexError::new_err(message));
    }
    let mut ranges: Vec<Range> = Vec::with_capacity(rank);
    let mut sizes: Vec<usize> = Vec::with_capacity(rank);
    let take_whole = |ranges: &mut Vec<Range>, sizes: &mut Vec<usize>| {
        let size = shape[ranges.len()];
        ranges.push(Range::all(size));
        sizes.push(size);
    };
    for item in &items {
        let axis = ranges.len();
        if item.is_none() {
            sizes.push(1);
        } else if is_ellipsis(item) {
            (0..rank - used).for_each(|_| take_whole(&mut ranges, &mut sizes));
        } else if let Ok(slice) = item.cast::<PySlice>() {
            let range = range_of(slice, shape[axis])?;
            ranges.push(range);
            sizes.push(range.len);
        } else {
            ranges.push(position(item, axis, shape[axis])?);
        }
    }
    while ranges.len() < rank {
        take_whole(&mut ranges, &mut sizes);
    }
    Ok((ranges, sizes.into_iter().collect()))
}

fn range_of(slice: &Bound<'_, PySlice>, size: usize) -> PyResult<Range> {
    let indices = slice.indices(size as isize)?;
    let len = indices.slicelength;
    // An empty slice may start anywhere; zero always fits.
    let start = if len == 0 { 0 } else { indices.start as usize };
    Ok(Range { start, len, step: indices.step as i64 })
}

fn position(item: &Bound<'_, PyAny>, axis: usize, size: usize) -> PyResult<Range> {
    if item.cast::<PyInt>().is_err() || item.cast::<PyBool>().is_ok() {
        let kind = item.get_type().name()?;
        let message = format!("indexing with a {kind} is not supported yet");
        return Err(PyNotImplementedError::new_err(message));
    }
    let asked: i64 = item.extract()?;
    let at = if asked < 0 { asked + size as i64 } else { asked };
    if at < 0 || at >= size as i64 {
        let message =
            format!("index {asked} is out of bounds for dimension {axis} with size {size}");
        return Err(PyIndexError::new_err(message));
    }
    Ok(Range { start: at as usize, len: 1, step: 1 })
}

//! Parts of a tensor along an axis: several views at once, so that no single row describes them.

use gt_core::attrs::{Attr, Attrs, Range};
use gt_core::ops::builtin::{CAST, EXPAND, RESHAPE, SLICE, VIEW};
use gt_core::{Error, Result, Shape};

use crate::tensor::Tensor;
use crate::view::is_dense;

/// More parts than this are a mistake, and would fill the memory before anybody sees them.
const MOST_PARTS: i64 = 1 << 20;

/// The shape that all of these broadcast to.
pub fn broadcast_shapes(shapes: &[Shape]) -> Result<Shape> {
    shapes.iter().try_fold(Shape::scalar(), |all, next| {
        let wrong = || Error::runtime(format!("cannot broadcast {all} with {next}"));
        all.broadcast(next).ok_or_else(wrong)
    })
}

/// Tensors as views of the shape that all of them broadcast to.
pub fn broadcast_tensors(tensors: &[Tensor]) -> Result<Vec<Tensor>> {
    let shapes: Vec<Shape> = tensors.iter().map(|tensor| tensor.shape().clone()).collect();
    let shape = broadcast_shapes(&shapes)?;
    let expanded =
        |tensor: &Tensor| tensor.apply_one(&EXPAND, &[], Attrs::of([Attr::Ints(shape.to_ints())]));
    tensors.iter().map(expanded).collect()
}

impl Tensor {
    /// The elements at one position of an axis, without that axis: a view.
    pub fn select(&self, dim: i64, index: i64) -> Result<Tensor> {
        let (axis, size) = self.axis_to_part("select", dim)?;
        let at = if index < 0 { index.saturating_add(size as i64) } else { index };
        let at = usize::try_from(at).ok().filter(|&at| at < size).ok_or_else(|| {
            Error::index(format!("select: index {index} is out of range for size {size}"))
        })?;
        self.part(axis, at..at + 1)?.without(axis)
    }

    /// Parts of `size` elements along an axis, the last one maybe smaller: views.
    pub fn split(&self, size: i64, dim: i64) -> Result<Vec<Tensor>> {
        let (axis, whole) = self.axis_to_part("split", dim)?;
        let step = usize::try_from(size).ok().filter(|&size| size > 0 || whole == 0);
        let step = step.ok_or_else(|| {
            Error::runtime(format!("split: parts of an axis cannot have size {size}"))
        })?;
        if whole == 0 {
            return Ok(vec![self.part(axis, 0..0)?]);
        }
        let starts = (0..whole).step_by(step);
        starts.map(|start| self.part(axis, start..whole.min(start + step))).collect()
    }

    /// Parts of these sizes along an axis: views.
    pub fn split_with_sizes(&self, sizes: &[i64], dim: i64) -> Result<Vec<Tensor>> {
        let (axis, whole) = self.axis_to_part("split", dim)?;
        let given = Shape::given(sizes).map_err(|error| error.within("split"))?;
        if given.iter().try_fold(0usize, |sum, &size| sum.checked_add(size)) != Some(whole) {
            return Err(Error::runtime(format!(
                "split: sizes {sizes:?} do not sum to {whole}, the size of the axis"
            )));
        }
        let mut start = 0;
        let part = |&size: &usize| {
            start += size;
            self.part(axis, start - size..start)
        };
        given.iter().map(part).collect()
    }

    /// At most so many parts of the same size, the last one maybe smaller: views.
    pub fn chunk(&self, chunks: i64, dim: i64) -> Result<Vec<Tensor>> {
        let (_, whole) = self.axis_to_part("chunk", dim)?;
        if !(1..=MOST_PARTS).contains(&chunks) {
            return Err(Error::runtime(format!("chunk: {chunks} parts are not possible")));
        }
        if whole == 0 {
            let parts = self.split_with_sizes(&vec![0; chunks as usize], dim);
            return parts.map_err(|error| error.within("chunk"));
        }
        self.split(whole.div_ceil(chunks as usize) as i64, dim)
    }

    /// So many parts whose sizes differ by at most one: views.
    pub fn tensor_split(&self, sections: i64, dim: i64) -> Result<Vec<Tensor>> {
        let (axis, whole) = self.axis_to_part("tensor_split", dim)?;
        if !(1..=MOST_PARTS).contains(&sections) {
            let message = format!("tensor_split: {sections} parts are not possible");
            return Err(Error::runtime(message));
        }
        let count = sections as usize;
        let (each, larger) = (whole / count, whole % count);
        let start = |part: usize| part * each + part.min(larger);
        (0..count).map(|part| self.part(axis, start(part)..start(part + 1))).collect()
    }

    /// The parts between these positions: views.
    pub fn tensor_split_at(&self, positions: &[i64], dim: i64) -> Result<Vec<Tensor>> {
        let (axis, whole) = self.axis_to_part("tensor_split", dim)?;
        let size = whole as i64;
        let place = |&at: &i64| {
            let at = if at < 0 { at.saturating_add(size) } else { at };
            at.clamp(0, size) as usize
        };
        let ends = positions.iter().map(place).chain([whole]);
        let mut start = 0;
        let part = |end: usize| {
            let begin = std::mem::replace(&mut start, end);
            self.part(axis, begin.min(end)..end)
        };
        ends.map(part).collect()
    }

    /// The elements at each position of an axis, without that axis: views.
    pub fn unbind(&self, dim: i64) -> Result<Vec<Tensor>> {
        let (_, size) = self.axis_to_part("unbind", dim)?;
        (0..size as i64).map(|index| self.select(dim, index)).collect()
    }

    /// The elements in another shape: a view.
    pub fn view_as(&self, other: &Tensor) -> Result<Tensor> {
        self.apply_one(&VIEW, &[], sizes(other.shape()))
    }

    /// The elements in another shape: a view if they can stay where they are.
    pub fn reshape_as(&self, other: &Tensor) -> Result<Tensor> {
        self.apply_one(&RESHAPE, &[], sizes(other.shape()))
    }

    /// The tensor repeated until it has another's shape: a view that cannot be written to.
    pub fn expand_as(&self, other: &Tensor) -> Result<Tensor> {
        self.apply_one(&EXPAND, &[], sizes(other.shape()))
    }

    /// Itself if its elements lie in a row, else a copy in which they do.
    pub fn contiguous(&self) -> Result<Tensor> {
        if self.is_contiguous() {
            return Ok(self.clone());
        }
        self.apply_one(&CAST, &[], Attrs::of([self.dtype().into()]))
    }

    /// A tensor of its own with the same elements. They lie in the same order as here, unless this
    /// tensor leaves some out or repeats them.
    pub fn duplicate(&self) -> Result<Tensor> {
        let copy = self.apply_one(&CAST, &[], Attrs::of([self.dtype().into()]))?;
        if !self.is_contiguous() && is_dense(self.shape(), &self.strides()) {
            copy.base().set_strides(self.strides());
        }
        Ok(copy)
    }

    /// The axis and its size; an axis is needed.
    fn axis_to_part(&self, name: &str, dim: i64) -> Result<(usize, usize)> {
        let shape = self.shape();
        if shape.rank() == 0 {
            return Err(Error::index(format!("{name}: a tensor without axes has no parts")));
        }
        let axis = shape.axis(dim).map_err(|error| error.within(name))?;
        Ok((axis, shape[axis]))
    }

    /// Some positions along an axis.
    pub(crate) fn part(&self, axis: usize, positions: std::ops::Range<usize>) -> Result<Tensor> {
        let mut ranges: Vec<Range> = self.shape().iter().map(|&size| Range::all(size)).collect();
        ranges[axis] = Range::between(positions.start, positions.end);
        self.apply_one(&SLICE, &[], Attrs::of([ranges.into()]))
    }

    fn without(&self, axis: usize) -> Result<Tensor> {
        self.apply_one(&VIEW, &[], sizes(&self.shape().reduced(&[axis], false)))
    }
}

fn sizes(shape: &Shape) -> Attrs {
    Attrs::of([Attr::Ints(shape.to_ints())])
}

//! Sliding windows over a sharded axis, written as slices: only windows that cross a cut need rows
//! of a neighbour (a halo exchange), and no worker gathers the whole value.

use crate::attrs::Range;
use crate::dtype::DType;
use crate::expr::Expr::{self, Input};
use crate::kernel::WindowSpec;
use crate::op::Call;
use crate::ops::create::zeros;
use crate::ops::elementwise::unary::cast;
use crate::ops::keys;
use crate::ops::shape::axes::{permute, reshape};
use crate::ops::shape::join::join;
use crate::ops::shape::slice::{slice, slice_write};
use crate::shape::Shape;

/// Windows as one slice for each offset in the window along the first axis, and windows over the
/// other axes.
pub(super) fn window(call: &Call, spec: &WindowSpec) -> Expr {
    let shape = call.shape(0);
    let first = First::of(spec, shape, shape.rank() - spec.size.len());
    let input = match first.padding {
        0 => Input(0),
        _ => {
            let around = zeros(&first.with(first.padded()), call.inputs[0].dtype());
            slice_write(around, Input(0), first.ranges(shape, first.inner()))
        }
    };
    let padded = first.with(first.padded());
    let one: Shape = first.around([1, first.positions]);
    let slices = (0..first.places).map(|place| {
        let under = slice(input.clone(), first.ranges(&padded, first.under(place)));
        reshape(under, &one)
    });
    let windows = join(slices, first.axis);
    match others(spec) {
        None => windows,
        Some(others) => {
            let axes = others.size.len();
            permute(super::window(windows, &others), &first.order(axes, Way::Windows))
        }
    }
}

/// The adjoint: each slice of [`window`] written back to its position, and the sum of these.
pub(super) fn fold(call: &Call, spec: &WindowSpec) -> Expr {
    let sizes: Vec<usize> =
        call.ints(keys::OUTPUT_SIZE).iter().map(|&size| size as usize).collect();
    let (windows, axes) = (call.shape(0), spec.size.len());
    let lead = windows.rank() - 2 * axes;
    let image: Shape = windows[..lead].iter().chain(&sizes).copied().collect();
    let first = First::of(spec, &image, lead);
    // Overlapping windows are summed, for which half precision is too coarse.
    let dtype = call.inputs[0].dtype();
    let wide = if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype };
    let mut input = if wide == dtype { Input(0) } else { cast(Input(0), wide) };
    if let Some(others) = others(spec) {
        input = permute(input, &first.order(axes - 1, Way::Fold));
        input = super::fold(input, &others, &sizes[1..]);
    }
    let places = first.around([first.places, first.positions]);
    let canvas = first.with(first.padded());
    let written = (0..first.places).map(|place| {
        let mut ranges: Vec<Range> = places.iter().map(|&size| Range::all(size)).collect();
        ranges[lead] = Range { start: place, len: 1, step: 1 };
        let part = reshape(slice(input.clone(), ranges), &first.with(first.positions));
        slice_write(zeros(&canvas, wide), part, first.ranges(&canvas, first.under(place)))
    });
    let sum = written.reduce(|sum, part| sum + part).expect("a window has a place");
    let sum = slice(sum, first.ranges(&canvas, first.inner()));
    if wide == dtype { sum } else { cast(sum, dtype) }
}

/// The window over all spatial axes but the first, if there are more.
fn others(spec: &WindowSpec) -> Option<WindowSpec> {
    let rest = |axes: &crate::kernel::Axes| axes.iter().skip(1).copied().collect();
    (spec.size.len() > 1).then(|| WindowSpec {
        size: rest(&spec.size),
        stride: rest(&spec.stride),
        padding: rest(&spec.padding),
        dilation: rest(&spec.dilation),
    })
}

/// The operation that the axes are ordered for.
#[derive(Clone, Copy)]
enum Way {
    Windows,
    Fold,
}

/// A window along the first spatial axis.
struct First {
    image: Shape,
    axis: usize,
    places: usize,
    positions: usize,
    stride: usize,
    padding: usize,
    dilation: usize,
}

impl First {
    fn of(spec: &WindowSpec, image: &Shape, axis: usize) -> Self {
        First {
            image: image.clone(),
            axis,
            places: spec.size[0],
            positions: spec.positions(0, image[axis]),
            stride: spec.stride[0],
            padding: spec.padding[0],
            dilation: spec.dilation[0],
        }
    }

    fn padded(&self) -> usize {
        self.image[self.axis] + 2 * self.padding
    }

    /// The range of the image within its padding.
    fn inner(&self) -> Range {
        Range { start: self.padding, len: self.image[self.axis], step: 1 }
    }

    /// The elements that one offset in the window meets as the window slides.
    fn under(&self, place: usize) -> Range {
        let (start, step) = (place * self.dilation, self.stride as i64);
        Range { start, len: self.positions, step }
    }

    /// The shape of the image with another size along the axis.
    fn with(&self, size: usize) -> Shape {
        self.around([size])
    }

    /// The shape of the image with these axes in place of the axis.
    fn around<const N: usize>(&self, sizes: [usize; N]) -> Shape {
        let (before, after) = (&self.image[..self.axis], &self.image[self.axis + 1..]);
        before.iter().copied().chain(sizes).chain(after.iter().copied()).collect()
    }

    /// The whole of every axis but this one, of which only a range.
    fn ranges(&self, shape: &Shape, range: Range) -> Vec<Range> {
        let mut ranges: Vec<Range> = shape.iter().map(|&size| Range::all(size)).collect();
        ranges[self.axis] = range;
        ranges
    }

    /// The order of axes that puts all offsets before all positions, or those of the first axis
    /// before the others.
    fn order(&self, others: usize, way: Way) -> Vec<usize> {
        let lead = self.axis;
        let (place, next) = (lead, lead + 1);
        let order: Vec<usize> = match way {
            // (offset, position, other offsets, other positions) to (offsets, positions)
            Way::Windows => {
                let places = next + 1..next + 1 + others;
                let positions = next + 1 + others..next + 1 + 2 * others;
                [place].into_iter().chain(places).chain([next]).chain(positions).collect()
            }
            // (offsets, positions) to (offset, position, other offsets, other positions)
            Way::Fold => {
                let places = next..next + others;
                let position = next + others;
                let positions = position + 1..position + 1 + others;
                [place, position].into_iter().chain(places).chain(positions).collect()
            }
        };
        (0..lead).chain(order).collect()
    }
}

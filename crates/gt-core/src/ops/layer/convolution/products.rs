//! Convolutions as matrix products, and as the rows that their gradients are made of.

use super::{CONV_TRANSPOSE2D, CONV2D, CONV2D_WEIGHT, both, not_images};
use crate::attrs::Attr;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr;
use crate::kernel::WindowSpec;
use crate::op::{Call, ints};
use crate::ops::keys;
use crate::ops::layer::window::{fold, positive, window};
use crate::ops::product::matmul::matmul;
use crate::ops::reduce::sum::sum;
use crate::ops::shape::axes::{permute, reshape};
use crate::placement::Combine;
use crate::rules::shard::factors::{Indices, alone, axis};
use crate::rules::shard::{Factor, Factors};
use crate::shape::Shape;
use crate::whole::{Convolve, Convolved, Whole};

/// The letter of the batch axis.
const IMAGE: u8 = 0;

/// A convolution, or its adjoint.
#[derive(Clone, Copy)]
pub(super) enum Way {
    Forth,
    Back,
}

/// A convolution as matrix products: filters times windows, one product for each image and group.
pub(super) struct Convolution {
    pub(super) spec: WindowSpec,
    pub(super) images: Shape,
    pub(super) filters: Shape,
    /// (images, groups, elements of a window, positions)
    pub(super) windows: Shape,
    /// (images, groups, filters of a group, positions)
    pub(super) products: Shape,
    pub(super) result: Shape,
}

fn groups_of(call: &Call) -> Result<usize> {
    let groups = call.int(keys::GROUPS);
    let count = usize::try_from(groups).ok().filter(|&count| count > 0);
    count.ok_or_else(|| Error::runtime(format!("groups must be positive, got {groups}")))
}

impl Convolution {
    pub(super) fn of(call: &Call) -> Result<Self> {
        Convolution::between(call, call.shape(0).clone(), call.shape(1))
    }

    /// The convolution whose inputs are images and the gradient of its result, with filters of
    /// the size given.
    pub(super) fn of_gradient(call: &Call) -> Result<Self> {
        let (images, results) = (call.shape(0), call.shape(1));
        if call.inputs.iter().any(|input| !input.dtype().is_float()) {
            return Err(Error::runtime("only floats have gradients"));
        }
        let size = both(call.ints(keys::KERNEL_SIZE), 1)?;
        let groups = call.int(keys::GROUPS).max(1) as usize;
        let (&[_, channels, ..], &[_, outputs, _, _], &[tall, wide]) =
            (&**images, &**results, &*size)
        else {
            return Err(not_images(images, results));
        };
        let filters = [outputs, channels / groups, tall, wide].into();
        let conv = Convolution::between(call, images.clone(), &filters)?;
        if conv.result != *results {
            return Err(Error::runtime(format!(
                "images {images} and filters {filters} have no results {results}"
            )));
        }
        Ok(conv)
    }

    /// The convolution whose adjoint is computed: its result has the shape of the input.
    pub(super) fn adjoint(call: &Call) -> Result<Self> {
        let (results, filters) = (call.shape(0), call.shape(1));
        let (&[count, _, height, width], &[_, part, tall, wide]) = (&**results, &**filters) else {
            return Err(not_images(results, filters));
        };
        let [stride, padding, extra, dilation] =
            [(keys::STRIDE, 1), (keys::PADDING, 0), (keys::OUTPUT_PADDING, 0), (keys::DILATION, 1)]
                .map(|(key, least)| both(call.ints(key), least));
        let (stride, padding, extra, dilation) = (stride?, padding?, extra?, dilation?);
        let size = |axis: usize, positions: usize, window: usize| {
            let covered = positions.checked_sub(1)? * stride[axis] + 1 + extra[axis];
            let smaller = extra[axis] < stride[axis].max(dilation[axis]);
            let whole = covered + dilation[axis] * window.checked_sub(1)?;
            whole.checked_sub(2 * padding[axis]).filter(|size| *size > 0 && smaller)
        };
        let groups = groups_of(call)?;
        let sizes = (size(0, height, tall), size(1, width, wide), part.checked_mul(groups));
        let (Some(height), Some(width), Some(channels)) = sizes else {
            return Err(Error::runtime(format!(
                "output_padding must be smaller than the stride or the dilation, and padding may \
                 not leave nothing of the output (input {results}, weight {filters})"
            )));
        };
        let images = [count, channels, height, width].into();
        let conv = Convolution::between(call, images, filters)?;
        if conv.result != *results {
            let (expected, found) = (filters[0], results[1]);
            return Err(Error::runtime(format!(
                "expected {expected} input channels, got {found} (input {results}, weight \
                 {filters}, groups={groups})"
            )));
        }
        Ok(conv)
    }

    /// The convolution of images with filters of these shapes.
    fn between(call: &Call, images: Shape, filters: &Shape) -> Result<Self> {
        if call.inputs.iter().all(|input| input.dtype() == DType::Bool) {
            return Err(Error::runtime("not implemented for bool"));
        }
        let (&[count, channels, height, width], &[outputs, part, tall, wide]) =
            (&*images, &**filters)
        else {
            return Err(not_images(&images, filters));
        };
        let groups = groups_of(call)?;
        let expected = part.saturating_mul(groups);
        if expected != channels {
            let shapes = format!("input {images}, weight {filters}, groups={groups}");
            let message = format!("expected {expected} input channels, got {channels}");
            return Err(Error::runtime(format!("{message} ({shapes})")));
        }
        if outputs % groups != 0 {
            let message = format!("cannot divide {outputs} output channels into {groups} groups");
            return Err(Error::runtime(message));
        }
        let spec = WindowSpec {
            size: positive(&[tall as i64, wide as i64], 1)?,
            stride: both(call.ints(keys::STRIDE), 1)?,
            padding: both(call.ints(keys::PADDING), 0)?,
            dilation: both(call.ints(keys::DILATION), 1)?,
        };
        let spec = spec.checked()?;
        let (rows, columns) = (spec.positions(0, height), spec.positions(1, width));
        if rows == 0 || columns == 0 {
            let message = "the weight is larger than the padded input";
            return Err(Error::runtime(format!("{message} (input {images}, weight {filters})")));
        }
        Ok(Convolution {
            spec,
            filters: filters.clone(),
            windows: [count, groups, part * tall * wide, rows * columns].into(),
            products: [count, groups, outputs / groups, rows * columns].into(),
            result: [count, outputs, rows, columns].into(),
            images,
        })
    }

    /// Images may be cut, and so may the channels on either side of the filters, which have those
    /// of one group on their second axis. Channels that the result lacks are summed over.
    pub(super) fn factors(&self, input: &Shape, output: &Shape, way: Way) -> Factors {
        let [image, given, made] = [IMAGE, 1, 2];
        let groups = self.windows[1];
        let channels = |letter: u8, size: usize| {
            axis([Factor::of(None, groups), Factor::of(Some(letter), size / groups)])
        };
        let around = |shape: &Shape, letter: u8| -> Indices {
            let first = [alone(Some(image), shape[0]), channels(letter, shape[1])];
            first.into_iter().chain(shape[2..].iter().map(|&size| alone(None, size))).collect()
        };
        let (own, other) = match way {
            Way::Forth => (made, given),
            Way::Back => (given, made),
        };
        let filters = &self.filters;
        let first = [channels(own, filters[0]), alone(Some(other), filters[1])];
        let rest = filters[2..].iter().map(|&size| alone(None, size));
        let filters = first.into_iter().chain(rest).collect();
        let inputs = vec![around(input, given), filters];
        Factors { inputs, outputs: vec![around(output, made)], ..Factors::default() }
            .combining([(given, Combine::Sum)])
    }

    fn windows(&self, images: Expr) -> Expr {
        reshape(window(images, &self.spec), &self.windows)
    }

    fn by_group(&self, filters: Expr) -> Expr {
        let [_, groups, each, _] = self.products[..] else { unreachable!("four sizes") };
        reshape(filters, &[groups, each, self.windows[2]].into())
    }

    pub(super) fn forward(&self, images: Expr, filters: Expr) -> Expr {
        reshape(matmul(self.by_group(filters), self.windows(images)), &self.result)
    }

    /// The gradient by the images.
    pub(super) fn for_images(&self, grad: Expr, filters: Expr) -> Expr {
        let grad = reshape(grad, &self.products);
        let under = matmul(permute(self.by_group(filters), &[0, 2, 1]), grad);
        let (images, size) = (&self.images, &self.spec.size);
        let positions = &self.result[2..];
        let unrolled: Shape =
            [images[0], images[1], size[0], size[1], positions[0], positions[1]].into();
        fold(reshape(under, &unrolled), &self.spec, &images[2..])
    }

    /// The gradient by the filters.
    pub(super) fn for_filters(&self, grad: Expr, images: Expr) -> Expr {
        let grad = reshape(grad, &self.products);
        let each = matmul(grad, permute(self.windows(images), &[0, 1, 3, 2]));
        reshape(sum(each, &[0], false), &self.filters)
    }

    /// The form that the native engine takes, which computes it in one piece.
    pub(super) fn making(self, makes: Convolved) -> Whole {
        Whole::Convolve(Convolve { groups: self.windows[1], spec: self.spec, makes })
    }

    /// The cuts of the gradient by the filters, which is summed over images and positions.
    pub(super) fn filter_factors(&self) -> Factors {
        let forward = self.factors(&self.images, &self.result, Way::Forth);
        let [images, filters] = &forward.inputs[..] else { unreachable!("two inputs") };
        let inputs = vec![images.clone(), forward.outputs[0].clone()];
        Factors { inputs, outputs: vec![filters.clone()], ..Factors::default() }
            .combining([(IMAGE, Combine::Sum)])
    }

    /// The convolution of images with filters.
    pub(super) fn results(&self, images: Expr, filters: Expr) -> Expr {
        let [stride, padding, dilation] = self.steps();
        Expr::apply(&CONV2D, [images, filters], [stride, padding, dilation, self.groups()])
    }

    /// The transposed convolution of results with filters.
    pub(super) fn images(&self, results: Expr, filters: Expr) -> Expr {
        let WindowSpec { size, stride, padding, dilation } = &self.spec;
        // The rows of an image that the last position does not reach.
        let left = |axis: usize| {
            let reached = (self.result[2 + axis] - 1) * stride[axis] + 1;
            let reached = reached + dilation[axis] * (size[axis] - 1);
            self.images[2 + axis] + 2 * padding[axis] - reached
        };
        // `conv_transpose2d` refuses to make images without elements.
        if self.images[2] == 0 || self.images[3] == 0 {
            return self.for_images(results, filters);
        }
        let left = ints([left(0) as i64, left(1) as i64]);
        let [stride, padding, dilation] = self.steps();
        let attrs = [stride, padding, left, self.groups(), dilation];
        Expr::apply(&CONV_TRANSPOSE2D, [results, filters], attrs)
    }

    /// The filters' gradient from images and the gradient of the results.
    pub(super) fn filters(&self, images: Expr, results: Expr) -> Expr {
        let [stride, padding, dilation] = self.steps();
        let attrs = [self.spec.size.as_slice().into(), stride, padding, dilation, self.groups()];
        Expr::apply(&CONV2D_WEIGHT, [images, results], attrs)
    }

    fn steps(&self) -> [Attr; 3] {
        let WindowSpec { stride, padding, dilation, .. } = &self.spec;
        [stride, padding, dilation].map(|axes| axes.as_slice().into())
    }

    fn groups(&self) -> Attr {
        Attr::Int(self.windows[1] as i64)
    }
}

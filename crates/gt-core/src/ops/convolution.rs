//! Convolution of images and its adjoint, as products of filters with windows.

use super::codes;
use super::elementwise::cast;
use super::family::COMPOSITE;
use super::keys;
use super::matmul::matmul;
use super::movement::{permute, reshape};
use super::reduce::sum;
use super::window::{fold, positive, window};
use crate::attrs::AttrSpec;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input};
use crate::kernel::{Axes, WindowSpec};
use crate::op::{Autocast, Call, Input as In, Linear, Op, Python, Role, Sample, ints};
use crate::placement::Combine;
use crate::rules::promote::Promotion;
use crate::rules::shard::factors::{Indices, alone, axis};
use crate::rules::shard::{self, Factor, Factors};
use crate::shape::Shape;

static CONV_INPUTS: [In; 2] =
    [In { name: "input", role: Role::Operand }, In { name: "weight", role: Role::Operand }];
static CONV_ATTRS: [AttrSpec; 4] =
    [keys::STRIDE.or(1), keys::PADDING.or(0), keys::DILATION.or(1), keys::GROUPS.or(1)];

pub static CONV2D: Op = Op {
    name: "conv2d",
    code: codes::CONV2D,
    doc: "Convolution of images (N, C, H, W) with filters (O, C / groups, kH, kW).",
    inputs: &CONV_INPUTS,
    attrs: &CONV_ATTRS,
    promotion: Promotion::Common,
    shape: |call| Ok([Convolution::of(call)?.result].into()),
    linear: Linear::Each(&[0, 1]),
    shard: |call| match Convolution::of(call) {
        Ok(conv) => conv.factors(&conv.images, &conv.result, Way::Forth),
        Err(_) => shard::gather_first(call),
    },
    grad: Some(|call| match Convolution::of(call) {
        Ok(conv) => vec![conv.for_images(Grad(0), Input(1)), conv.for_filters(Grad(0), Input(0))],
        Err(_) => Vec::new(),
    }),
    expansion: Some(|call| match Convolution::of(call) {
        Ok(conv) => vec![conv.forward(Input(0), Input(1))],
        Err(_) => Vec::new(),
    }),
    autocast: Autocast::Lower,
    torch: "torch.conv2d",
    python: Python::FUNCTION,
    samples: || {
        let of = |shapes: &[&[usize]], stride: i64, padding: i64, dilation: i64, groups: i64| {
            let both = |value| ints([value, value]);
            let attrs = [both(stride), both(padding), both(dilation), groups.into()];
            Sample::of(shapes).attrs(attrs)
        };
        vec![
            of(&[&[2, 3, 5, 6], &[4, 3, 3, 2]], 1, 0, 1, 1),
            of(&[&[1, 4, 6, 6], &[2, 2, 3, 3]], 2, 1, 1, 2),
            of(&[&[2, 2, 7, 7], &[3, 2, 2, 2]], 1, 1, 2, 1),
        ]
    },
    ..COMPOSITE
};

static TRANSPOSE_ATTRS: [AttrSpec; 5] = [
    keys::STRIDE.or(1),
    keys::PADDING.or(0),
    keys::OUTPUT_PADDING.or(0),
    keys::GROUPS.or(1),
    keys::DILATION.or(1),
];

pub static CONV_TRANSPOSE2D: Op = Op {
    name: "conv_transpose2d",
    code: codes::CONV_TRANSPOSE2D,
    doc: "The adjoint of a convolution: images (N, O, H, W), filters (O, C / groups, kH, kW).",
    attrs: &TRANSPOSE_ATTRS,
    shape: |call| Ok([Convolution::adjoint(call)?.images].into()),
    shard: |call| match Convolution::adjoint(call) {
        Ok(conv) => conv.factors(&conv.result, &conv.images, Way::Back),
        Err(_) => shard::gather_first(call),
    },
    grad: Some(|call| match Convolution::adjoint(call) {
        Ok(conv) => vec![conv.forward(Grad(0), Input(1)), conv.for_filters(Input(0), Grad(0))],
        Err(_) => Vec::new(),
    }),
    expansion: Some(|call| match Convolution::adjoint(call) {
        Ok(conv) => {
            // Windows that overlap are added up, for which halves are too coarse.
            let dtype = call.inputs[0].dtype();
            if !matches!(dtype, DType::F16 | DType::BF16) {
                return vec![conv.for_images(Input(0), Input(1))];
            }
            let wide = |input: Expr| cast(input, DType::F32);
            vec![cast(conv.for_images(wide(Input(0)), wide(Input(1))), dtype)]
        }
        Err(_) => Vec::new(),
    }),
    torch: "torch.nn.functional.conv_transpose2d",
    samples: || {
        let of = |shapes: &[&[usize]], stride: i64, padding: i64, extra: i64, groups: i64| {
            let both = |value| ints([value, value]);
            let attrs = [both(stride), both(padding), both(extra), groups.into(), both(1)];
            Sample::of(shapes).attrs(attrs)
        };
        vec![
            of(&[&[2, 3, 4, 3], &[3, 2, 3, 2]], 1, 0, 0, 1),
            of(&[&[1, 4, 3, 3], &[4, 2, 3, 3]], 2, 1, 1, 2),
        ]
    },
    ..CONV2D
};

/// A convolution, or its adjoint.
#[derive(Clone, Copy)]
enum Way {
    Forth,
    Back,
}

/// A convolution as products of matrices: filters times windows, a product for each image and
/// group.
struct Convolution {
    spec: WindowSpec,
    images: Shape,
    filters: Shape,
    /// (images, groups, elements under a filter, positions)
    windows: Shape,
    /// (images, groups, filters of a group, positions)
    products: Shape,
    result: Shape,
}

impl Convolution {
    fn of(call: &Call) -> Result<Self> {
        Convolution::between(call, call.shape(0).clone())
    }

    /// The convolution whose results have the shape of the input.
    fn adjoint(call: &Call) -> Result<Self> {
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
        let groups = call.int(keys::GROUPS).max(0) as usize;
        let sizes = (size(0, height, tall), size(1, width, wide), part.checked_mul(groups));
        let (Some(height), Some(width), Some(channels)) = sizes else {
            return Err(Error::runtime(format!(
                "images {results}, filters {filters} and these paddings do not go together"
            )));
        };
        let conv = Convolution::between(call, [count, channels, height, width].into())?;
        if conv.result != *results {
            return Err(Error::runtime(format!(
                "images {results} do not fit filters {filters} in {groups} groups"
            )));
        }
        Ok(conv)
    }

    /// The convolution of images of this shape with the call's filters.
    fn between(call: &Call, images: Shape) -> Result<Self> {
        if call.inputs.iter().all(|input| input.dtype() == DType::Bool) {
            return Err(Error::runtime("not implemented for bool"));
        }
        let filters = call.shape(1);
        let wrong = || {
            let groups = call.int(keys::GROUPS);
            let shapes = format!("images {images}, filters {filters}, {groups} groups");
            Error::runtime(format!("{shapes} do not go together"))
        };
        let (&[count, channels, height, width], &[outputs, part, tall, wide]) =
            (&*images, &**filters)
        else {
            return Err(not_images(&images, filters));
        };
        let groups = usize::try_from(call.int(keys::GROUPS)).ok().filter(|&groups| groups > 0);
        let groups = groups.ok_or_else(wrong)?;
        if part.checked_mul(groups) != Some(channels) || outputs % groups != 0 {
            return Err(wrong());
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
            return Err(wrong());
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

    /// Images, and the channels on either side of the filters, which have those of one group on
    /// their second axis. Channels that the result does not have are summed over.
    fn factors(&self, input: &Shape, output: &Shape, way: Way) -> Factors {
        let [image, given, made] = [0, 1, 2];
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

    fn forward(&self, images: Expr, filters: Expr) -> Expr {
        reshape(matmul(self.by_group(filters), self.windows(images)), &self.result)
    }

    /// The gradient of the images.
    fn for_images(&self, grad: Expr, filters: Expr) -> Expr {
        let grad = reshape(grad, &self.products);
        let under = matmul(permute(self.by_group(filters), &[0, 2, 1]), grad);
        let (images, size) = (&self.images, &self.spec.size);
        let positions = &self.result[2..];
        let unrolled: Shape =
            [images[0], images[1], size[0], size[1], positions[0], positions[1]].into();
        fold(reshape(under, &unrolled), &self.spec, &images[2..])
    }

    /// The gradient of the filters.
    fn for_filters(&self, grad: Expr, images: Expr) -> Expr {
        let grad = reshape(grad, &self.products);
        let each = matmul(grad, permute(self.windows(images), &[0, 1, 3, 2]));
        reshape(sum(each, &[0], false), &self.filters)
    }
}

fn not_images(images: &Shape, filters: &Shape) -> Error {
    Error::runtime(format!(
        "expected images (N, C, H, W) and filters (O, C, kH, kW), not {images} and {filters}"
    ))
}

/// A number for each of two axes; a single one stands for both.
pub(super) fn both(values: &[i64], least: i64) -> Result<Axes> {
    match values {
        [one] => positive(&[*one, *one], least),
        values => positive(values, least),
    }
}

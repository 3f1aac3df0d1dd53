//! Convolution of images and its adjoint, as products of filters with windows.

use super::window::positive;
use crate::attrs::{Attr, AttrSpec};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input};
use crate::kernel::Axes;
use crate::op::{Autocast, Input as In, Linear, Op, Python, Role, Sample, ints};
use crate::ops::elementwise::unary::cast;
use crate::ops::family::COMPOSITE;
use crate::ops::{codes, keys};
use crate::rules::promote::Promotion;
use crate::rules::shard;
use crate::shape::Shape;
use crate::whole::Convolved;
use products::{Convolution, Way};

mod products;

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
        Ok(conv) => vec![conv.images(Grad(0), Input(1)), conv.filters(Input(0), Grad(0))],
        Err(_) => Vec::new(),
    }),
    expansion: Some(|call| match Convolution::of(call) {
        Ok(conv) => vec![conv.forward(Input(0), Input(1))],
        Err(_) => Vec::new(),
    }),
    whole: Some(|call| Ok(Convolution::of(call)?.making(Convolved::Results))),
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
        Ok(conv) => vec![conv.results(Grad(0), Input(1)), conv.filters(Grad(0), Input(0))],
        Err(_) => Vec::new(),
    }),
    expansion: Some(|call| match Convolution::adjoint(call) {
        Ok(conv) => {
            // Overlapping windows are summed, for which half precision is too coarse.
            let dtype = call.inputs[0].dtype();
            if !matches!(dtype, DType::F16 | DType::BF16) {
                return vec![conv.for_images(Input(0), Input(1))];
            }
            let wide = |input: Expr| cast(input, DType::F32);
            vec![cast(conv.for_images(wide(Input(0)), wide(Input(1))), dtype)]
        }
        Err(_) => Vec::new(),
    }),
    whole: Some(|call| Ok(Convolution::adjoint(call)?.making(Convolved::Images))),
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

static WEIGHT_INPUTS: [In; 2] =
    [In { name: "input", role: Role::Operand }, In { name: "grad", role: Role::Operand }];
static WEIGHT_ATTRS: [AttrSpec; 5] = [
    keys::KERNEL_SIZE.required(),
    keys::STRIDE.or(1),
    keys::PADDING.or(0),
    keys::DILATION.or(1),
    keys::GROUPS.or(1),
];

pub static CONV2D_WEIGHT: Op = Op {
    name: "conv2d_weight",
    code: codes::CONV2D_WEIGHT,
    doc: "The gradient of a convolution's filters: images (N, C, H, W), gradients (N, O, H, W).",
    inputs: &WEIGHT_INPUTS,
    attrs: &WEIGHT_ATTRS,
    shape: |call| Ok([Convolution::of_gradient(call)?.filters].into()),
    shard: |call| match Convolution::of_gradient(call) {
        Ok(conv) => conv.filter_factors(),
        Err(_) => shard::gather_first(call),
    },
    grad: Some(|call| match Convolution::of_gradient(call) {
        Ok(conv) => vec![conv.images(Input(1), Grad(0)), conv.results(Input(0), Grad(0))],
        Err(_) => Vec::new(),
    }),
    expansion: Some(|call| match Convolution::of_gradient(call) {
        Ok(conv) => vec![conv.for_filters(Input(1), Input(0))],
        Err(_) => Vec::new(),
    }),
    whole: Some(|call| Ok(Convolution::of_gradient(call)?.making(Convolved::Filters))),
    torch: "",
    python: Python::HIDDEN,
    samples: || {
        let of =
            |shapes: &[&[usize]], size: [i64; 2], [stride, padding, apart]: [i64; 3], groups| {
                let both = |value| ints([value, value]);
                let attrs =
                    [ints(size), both(stride), both(padding), both(apart), Attr::Int(groups)];
                Sample::of(shapes).attrs(attrs)
            };
        vec![
            of(&[&[2, 3, 5, 6], &[2, 4, 3, 5]], [3, 2], [1, 0, 1], 1),
            of(&[&[1, 4, 6, 6], &[1, 2, 3, 3]], [3, 3], [2, 1, 1], 2),
            of(&[&[2, 2, 7, 7], &[2, 3, 7, 7]], [2, 2], [1, 1, 2], 1),
        ]
    },
    ..CONV2D
};

fn not_images(images: &Shape, filters: &Shape) -> Error {
    Error::runtime(format!(
        "expected images (N, C, H, W) and filters (O, C, kH, kW), not {images} and {filters}"
    ))
}

/// A number for each of two axes, given as one or as two.
pub fn both(values: &[i64], least: i64) -> Result<Axes> {
    match values {
        [one] => positive(&[*one, *one], least),
        values => positive(values, least),
    }
}

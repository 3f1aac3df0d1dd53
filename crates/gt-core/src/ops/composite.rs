//! Operations written with other operations. Each travels as one instruction and may carry a
//! gradient of its own; an engine takes it whole or runs its expansion.

use super::elementwise::{EXP, LOG};
use super::family::COMPOSITE;
use super::matmul::matmul;
use super::movement::{permute, reshape};
use super::reduce::{amax, sum};
use super::window::{fold, positive, window};
use crate::attrs::{Attr, AttrKind, AttrSpec};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Output};
use crate::kernel::{Axes, WindowSpec};
use crate::op::{Autocast, Call, Input as In, Op, Python, Role, Sample, Shapes, ints};
use crate::rules::promote::Promotion;
use crate::rules::{shape, shard};
use crate::shape::Shape;

/// The rows of this file.
pub(super) static ROWS: &[&Op] = &[&SOFTMAX, &LOG_SOFTMAX, &SOFTMIN, &CONV2D];

static SOFTMAX_ATTRS: [AttrSpec; 1] = [AttrSpec::required("dim", AttrKind::Axis)];

pub static SOFTMAX: Op = Op {
    name: "softmax",
    code: 220,
    doc: "Exponentials along an axis, scaled so that they sum to one.",
    attrs: &SOFTMAX_ATTRS,
    shape: |call| {
        call.axis("dim", 0)?;
        shape::same(call)
    },
    grad: |call| {
        let weighted = sum(Grad(0) * Output(0), call.ints("dim"), true);
        vec![Output(0) * (Grad(0) - weighted)]
    },
    shard: |call| match call.axis("dim", 0) {
        Ok(axis) => shard::all_but(call, axis),
        Err(_) => shard::gather_first(call),
    },
    expansion: Some(|call| {
        if call.shape(0).count() == 0 {
            return vec![Expr::apply(&EXP, [Input(0)], [])];
        }
        let dim = call.ints("dim");
        let exps = Expr::apply(&EXP, [Input(0) - amax(Input(0), dim, true)], []);
        vec![exps.clone() / sum(exps, dim, true)]
    }),
    autocast: Autocast::Full,
    torch: "torch.softmax",
    samples: || {
        let of = |shape: &[usize], dim: i64| Sample::of(&[shape]).attrs([Attr::Int(dim)]);
        vec![of(&[2, 5], -1), of(&[4, 3], 0), of(&[], 0), of(&[0, 3], 0)]
    },
    ..COMPOSITE
};

pub static LOG_SOFTMAX: Op = Op {
    name: "log_softmax",
    code: 490,
    doc: "The logarithm of the softmax along an axis.",
    grad: |call| {
        let total = sum(Grad(0), call.ints("dim"), true);
        vec![Grad(0) - Expr::apply(&EXP, [Output(0)], []) * total]
    },
    expansion: Some(|call| {
        if call.shape(0).count() == 0 {
            return vec![Expr::apply(&EXP, [Input(0)], [])];
        }
        let dim = call.ints("dim");
        let below = Input(0) - amax(Input(0), dim, true);
        let total = sum(Expr::apply(&EXP, [below.clone()], []), dim, true);
        vec![below - Expr::apply(&LOG, [total], [])]
    }),
    torch: "torch.log_softmax",
    ..SOFTMAX
};

pub static SOFTMIN: Op = Op {
    name: "softmin",
    code: 491,
    doc: "Exponentials of the negative elements along an axis, scaled so that they sum to one.",
    shape: |call| match call.inputs[0].dtype() {
        DType::Bool => Err(Error::runtime("bool tensors have no negatives; cast first")),
        _ => (SOFTMAX.shape)(call),
    },
    grad: |call| {
        let weighted = sum(Grad(0) * Output(0), call.ints("dim"), true);
        vec![Output(0) * (weighted - Grad(0))]
    },
    expansion: Some(|call| vec![Expr::apply(&SOFTMAX, [-Input(0)], [call.attr("dim").clone()])]),
    torch: "torch.nn.functional.softmin",
    ..SOFTMAX
};

static CONV_INPUTS: [In; 2] =
    [In { name: "input", role: Role::Operand }, In { name: "weight", role: Role::Operand }];
static CONV_ATTRS: [AttrSpec; 4] = [
    AttrSpec::optional("stride", AttrKind::Spatial, Attr::Int(1)),
    AttrSpec::optional("padding", AttrKind::Spatial, Attr::Int(0)),
    AttrSpec::optional("dilation", AttrKind::Spatial, Attr::Int(1)),
    AttrSpec::optional("groups", AttrKind::Int, Attr::Int(1)),
];

pub static CONV2D: Op = Op {
    name: "conv2d",
    code: 221,
    doc: "Convolution of images (N, C, H, W) with filters (O, C / groups, kH, kW).",
    inputs: &CONV_INPUTS,
    attrs: &CONV_ATTRS,
    promotion: Promotion::Common,
    shape: |call| Ok(Convolution::of(call)?.shapes()),
    grad: |call| Convolution::of(call).map(|conv| conv.gradients()).unwrap_or_default(),
    expansion: Some(|call| {
        Convolution::of(call).map(|conv| vec![conv.forward()]).unwrap_or_default()
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

/// A convolution as products of matrices: filters times windows, a product for each image and
/// group.
struct Convolution {
    spec: WindowSpec,
    groups: usize,
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
        if call.inputs.iter().all(|input| input.dtype() == DType::Bool) {
            return Err(Error::runtime("not implemented for bool"));
        }
        let (images, filters) = (call.shape(0), call.shape(1));
        let wrong = || {
            let groups = call.int("groups");
            let shapes = format!("images {images}, filters {filters}, {groups} groups");
            Error::runtime(format!("{shapes} do not go together"))
        };
        let (&[count, channels, height, width], &[outputs, part, tall, wide]) =
            (&**images, &**filters)
        else {
            return Err(Error::runtime(format!(
                "expected images (N, C, H, W) and filters (O, C, kH, kW), not {images} and \
                 {filters}"
            )));
        };
        let groups = usize::try_from(call.int("groups")).ok().filter(|&groups| groups > 0);
        let groups = groups.ok_or_else(wrong)?;
        if part.checked_mul(groups) != Some(channels) || outputs % groups != 0 {
            return Err(wrong());
        }
        let spec = WindowSpec {
            size: positive(&[tall as i64, wide as i64], 1)?,
            stride: both(call.ints("stride"), 1)?,
            padding: both(call.ints("padding"), 0)?,
            dilation: both(call.ints("dilation"), 1)?,
        };
        let spec = spec.checked()?;
        let (rows, columns) = (spec.positions(0, height), spec.positions(1, width));
        if rows == 0 || columns == 0 {
            return Err(wrong());
        }
        Ok(Convolution {
            spec,
            groups,
            images: images.clone(),
            filters: filters.clone(),
            windows: [count, groups, part * tall * wide, rows * columns].into(),
            products: [count, groups, outputs / groups, rows * columns].into(),
            result: [count, outputs, rows, columns].into(),
        })
    }

    fn shapes(&self) -> Shapes {
        [self.result.clone()].into()
    }

    fn windows(&self) -> Expr {
        reshape(window(Input(0), &self.spec), &self.windows)
    }

    fn filters(&self) -> Expr {
        let [_, groups, each, _] = self.products[..] else { unreachable!("four sizes") };
        reshape(Input(1), &[groups, each, self.windows[2]].into())
    }

    fn forward(&self) -> Expr {
        reshape(matmul(self.filters(), self.windows()), &self.result)
    }

    fn gradients(&self) -> Vec<Expr> {
        let grad = reshape(Grad(0), &self.products);
        let under = matmul(permute(self.filters(), &[0, 2, 1]), grad.clone());
        let (images, size) = (&self.images, &self.spec.size);
        let positions = &self.result[2..];
        let unrolled: Shape =
            [images[0], images[1], size[0], size[1], positions[0], positions[1]].into();
        let for_images = fold(reshape(under, &unrolled), &self.spec, &images[2..]);
        let each = matmul(grad, permute(self.windows(), &[0, 1, 3, 2]));
        let for_filters = reshape(sum(each, &[0], false), &self.filters);
        debug_assert_eq!(self.filters[0] % self.groups, 0);
        vec![for_images, for_filters]
    }
}

/// A number for each of two axes; a single one stands for both.
fn both(values: &[i64], least: i64) -> Result<Axes> {
    match values {
        [one] => positive(&[*one, *one], least),
        values => positive(values, least),
    }
}

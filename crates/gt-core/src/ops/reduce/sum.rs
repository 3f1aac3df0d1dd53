//! Sums, means and products along axes, and the functions that all reductions share.

use smallvec::SmallVec;

use crate::attrs::{Attr, AttrSpec};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input};
use crate::kernel::{Kernel, ReduceFn};
use crate::op::{Autocast, Call, Domain, Linear, Op, Sample, ints};
use crate::ops::create::{full, zeros};
use crate::ops::family::REDUCE;
use crate::ops::scan::products_before;
use crate::ops::shape::axes::reshape;
use crate::ops::shape::flip::FLIP;
use crate::ops::shape::repeat::expand;
use crate::ops::{codes, keys};
use crate::placement::Combine;
use crate::rules::promote::Promotion;
use crate::rules::shape;
use crate::rules::shard::{self, localise};
use crate::shape::Shape;

static SUM_ATTRS: [AttrSpec; 3] =
    [keys::AXES.or_empty(), keys::KEEPDIM.or(false), keys::DTYPE.or_none()];

pub static SUM: Op = Op {
    name: "sum",
    code: codes::SUM,
    doc: "The sum of the elements along axes, or of all.",
    attrs: &SUM_ATTRS,
    promotion: Promotion::Accumulate,
    grad: Some(|call| vec![spread(call, Grad(0))]),
    shard: |call| shard::reduce(call, Combine::Sum),
    linear: Linear::Each(&[0]),
    kernel: |call| reduce(call, ReduceFn::Sum),
    autocast: Autocast::Full,
    torch: "torch.sum",
    samples: || with_dtype((REDUCE.samples)()),
    ..REDUCE
};

static MEAN_ATTRS: [AttrSpec; 4] = [
    keys::AXES.or_empty(),
    keys::KEEPDIM.or(false),
    keys::DTYPE.or_none(),
    keys::REGION_WHOLE.or_empty(),
];

pub static MEAN: Op = Op {
    name: "mean",
    code: codes::MEAN,
    doc: "The mean of the elements along axes, or of all.",
    attrs: &MEAN_ATTRS,
    shape: |call| {
        let dtype = call.dtype(keys::DTYPE).unwrap_or(call.inputs[0].dtype());
        if dtype.is_float() {
            return shape::reduce(call);
        }
        Err(Error::runtime(format!(
            "the mean of {dtype} is not a whole number; pass dtype=float32"
        )))
    },
    promotion: Promotion::Attr,
    grad: Some(|call| vec![spread(call, Grad(0)) / reduced_count(call)]),
    shard: |call| shard::reduce(call, Combine::Sum),
    // Each part is weighted by its share of all elements.
    localise: |call, _| {
        localise::with(call, keys::REGION_WHOLE, ints([reduced_count(call) as i64]))
    },
    linear: Linear::Each(&[0]),
    kernel: |call| match call.ints(keys::REGION_WHOLE) {
        [] => reduce(call, ReduceFn::Mean),
        _ => Ok(Kernel::Expansion),
    },
    expansion: Some(|call| {
        if let &[whole] = call.ints(keys::REGION_WHOLE) {
            return vec![share_of_mean(call, whole as f64)];
        }
        let total = sum(Input(0), call.ints(keys::AXES), call.flag(keys::KEEPDIM));
        vec![total / reduced_count(call)]
    }),
    torch: "torch.mean",
    samples: || {
        let mut samples = with_dtype((REDUCE.samples)());
        samples.iter_mut().for_each(|sample| sample.attrs.0.push(ints([])));
        samples
    },
    ..REDUCE
};

static PROD_ATTRS: [AttrSpec; 3] =
    [keys::DIM.or_none(), keys::KEEPDIM.or(false), keys::DTYPE.or_none()];

pub static PROD: Op = Op {
    name: "prod",
    code: codes::PROD,
    doc: "The product of the elements along axes, or of all.",
    attrs: &PROD_ATTRS,
    promotion: Promotion::Accumulate,
    grad: Some(|call| vec![spread(call, Grad(0)) * products_of_others(call)]),
    shard: |call| shard::reduce(call, Combine::Prod),
    kernel: |call| reduce(call, ReduceFn::Prod),
    domain: Domain::WithZeros,
    autocast: Autocast::Full,
    torch: "torch.prod",
    samples: || {
        let of = |shape: &[usize], dim: Attr| {
            Sample::of(&[shape]).attrs([dim, false.into(), Attr::None])
        };
        vec![
            of(&[2, 3], Attr::None),
            of(&[2, 3, 2], Attr::Int(1)),
            of(&[5, 2], Attr::Int(0)),
            of(&[], Attr::None),
            of(&[0, 2], Attr::Int(1)),
        ]
    },
    ..REDUCE
};

/// The mean along axes, which are kept with size one.
pub fn mean(input: Expr, axes: &[i64]) -> Expr {
    mean_along(input, axes, true)
}

fn mean_along(input: Expr, axes: &[i64], keep: bool) -> Expr {
    let attrs = [ints(axes.iter().copied()), keep.into(), Attr::None, ints([])];
    Expr::apply(&MEAN, [input], attrs)
}

/// The contribution of a part to the mean of `whole` elements.
fn share_of_mean(call: &Call, whole: f64) -> Expr {
    let count = reduced_count(call);
    // An empty part contributes zero, although the mean of an empty tensor is NaN.
    if count == 0.0 && whole > 0.0 {
        let shape = (call.op.shape)(call).map(|shapes| shapes[0].clone()).unwrap_or_default();
        let own = call.inputs[0].dtype();
        return zeros(&shape, call.dtype(keys::DTYPE).unwrap_or(own));
    }
    let (axes, keep) = (call.ints(keys::AXES), call.flag(keys::KEEPDIM));
    mean_along(Input(0), axes, keep) * (count / whole)
}

/// The sum along axes; an empty list stands for all.
pub fn sum(input: Expr, axes: &[i64], keep: bool) -> Expr {
    Expr::apply(&SUM, [input], [ints(axes.iter().copied()), keep.into(), Attr::None])
}

/// The kernel that reduces along the axes `dim`.
pub fn reduce(call: &Call, with: ReduceFn) -> Result<Kernel> {
    // A scalar accepts axes 0 and -1, which it does not have.
    let axes = if call.shape(0).rank() == 0 { SmallVec::new() } else { shape::reduced_axes(call)? };
    Ok(Kernel::Reduce { with, axes })
}

/// The shape of the result with the reduced axes kept.
pub fn kept_shape(call: &Call) -> Shape {
    let axes = shape::reduced_axes(call).unwrap_or_default();
    call.shape(0).reduced(&axes, true)
}

/// The number of elements that are reduced to one.
pub fn reduced_count(call: &Call) -> f64 {
    let axes = shape::reduced_axes(call).unwrap_or_default();
    axes.iter().filter_map(|&axis| call.shape(0).get(axis)).product::<usize>() as f64
}

/// The gradient of the result, expanded along the reduced axes.
pub fn spread(call: &Call, grad: Expr) -> Expr {
    expand(reshape(grad, &kept_shape(call)), call.shape(0))
}

fn with_dtype(mut samples: Vec<Sample>) -> Vec<Sample> {
    for sample in &mut samples {
        sample.attrs.0.push(Attr::None);
    }
    samples
}

/// For each element the product of all others, as the product of those before it and those after
/// it: a division would fail for zeros.
fn products_of_others(call: &Call) -> Expr {
    let (shape, flat) = (call.shape(0), *call.attr(keys::DIM) == Attr::None);
    let seen: Shape = if flat { [shape.count()].into() } else { shape.clone() };
    let axis = if flat { 0 } else { call.axis(keys::DIM, 0).unwrap_or_default() };
    if shape.rank() == 0 || seen[axis] == 0 {
        return full(shape, 1i64.into(), call.inputs[0].dtype());
    }
    let turned = |expr: Expr| Expr::apply(&FLIP, [expr], [ints([axis as i64])]);
    let input = reshape(Input(0), &seen);
    let behind = turned(products_before(turned(input.clone()), &seen, axis));
    reshape(products_before(input, &seen, axis) * behind, shape)
}

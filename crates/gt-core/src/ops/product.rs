//! Products of elements: of all along an axis, and of each with those before it.

use super::codes;
use super::create::full;
use super::family::REDUCE;
use super::keys;
use super::movement::reshape;
use super::pad::shifted;
use super::rearrange::FLIP;
use super::reduce::{reduce, spread};
use super::scan::CUMSUM;
use crate::attrs::{Attr, AttrSpec};
use crate::expr::Expr::{self, Grad, Input};
use crate::kernel::{Kernel, ReduceFn, ScanFn};
use crate::op::{Autocast, Call, Domain, Linear, Op, Sample, ints};
use crate::placement::Combine;
use crate::rules::promote::Promotion;
use crate::rules::shard;
use crate::shape::Shape;

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

pub static CUMPROD: Op = Op {
    name: "cumprod",
    code: codes::CUMPROD,
    doc: "The product of each element and those before it along an axis.",
    grad: Some(|call| match call.axis(keys::DIM, 0) {
        Ok(axis) if call.shape(0).rank() > 0 => vec![grad_of_cumprod(call.shape(0), axis)],
        _ => vec![Grad(0)],
    }),
    linear: Linear::No,
    kernel: |call| Ok(Kernel::Scan { with: ScanFn::Prod, axis: call.axis(keys::DIM, 0)? }),
    domain: Domain::WithZeros,
    torch: "torch.cumprod",
    samples: || {
        let of = |shape: &[usize], dim: i64| Sample::of(&[shape]).attrs([dim.into(), Attr::None]);
        vec![of(&[3, 4], 0), of(&[2, 5], -1), of(&[0, 2], 0), of(&[7], 0), of(&[], 0)]
    },
    ..CUMSUM
};

/// For each element the product of those it is combined with: of those before it and those behind
/// it, without a division that a zero would spoil.
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

/// The gradient of the running products `y`: each element times the products before it, and times
/// `s[j] = g[j] + x[j + 1] s[j + 1]` after it. Nothing is divided, so that zeros are elements like
/// others. The recurrence is solved by doubling: after each round, `sums` reaches twice as far, and
/// `reach` is the product of the elements on the way.
fn grad_of_cumprod(shape: &Shape, axis: usize) -> Expr {
    let later = |expr: Expr, by: usize| shifted(expr, shape, axis, -(by as i64), 0.0);
    let (mut sums, mut reach, mut by) = (Grad(0), later(Input(0), 1), 1);
    while by < shape[axis] {
        sums = sums.clone() + reach.clone() * later(sums, by);
        reach = reach.clone() * later(reach, by);
        by *= 2;
    }
    products_before(Input(0), shape, axis) * sums
}

/// The product of all elements before each one along an axis.
pub fn products_before(input: Expr, shape: &Shape, axis: usize) -> Expr {
    let running = Expr::apply(&CUMPROD, [input], [Attr::from(axis), Attr::None]);
    shifted(running, shape, axis, 1, 1.0)
}

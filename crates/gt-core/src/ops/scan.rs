//! Cumulative sums along an axis.

use super::codes;
use super::family::REDUCE;
use super::keys;
use super::movement::slice;
use crate::attrs::{Attr, AttrSpec, Range};
use crate::expr::Expr::{self, Grad};
use crate::kernel::{Kernel, ScanFn};
use crate::op::{Autocast, Call, Linear, Op, Sample};
use crate::rules::promote::Promotion;
use crate::rules::{shape, shard};

static SCAN_ATTRS: [AttrSpec; 2] = [keys::DIM.required(), keys::DTYPE.or_none()];

pub static CUMSUM: Op = Op {
    name: "cumsum",
    code: codes::CUMSUM,
    doc: "The sum of each element and those before it along an axis.",
    attrs: &SCAN_ATTRS,
    shape: |call| {
        call.axis(keys::DIM, 0)?;
        shape::same(call)
    },
    promotion: Promotion::Accumulate,
    grad: Some(|call| vec![cumsum_from_end(call, Grad(0))]),
    linear: Linear::Each(&[0]),
    shard: |call| match call.axis(keys::DIM, 0) {
        Ok(axis) => shard::all_but(call, axis),
        Err(_) => shard::gather_first(call),
    },
    kernel: |call| Ok(Kernel::Scan { with: ScanFn::Sum, axis: call.axis(keys::DIM, 0)? }),
    autocast: Autocast::Full,
    torch: "torch.cumsum",
    samples: || {
        let of = |shape: &[usize], dim: i64| Sample::of(&[shape]).attrs([dim.into(), Attr::None]);
        vec![of(&[3, 4], 0), of(&[2, 5], -1), of(&[0, 2], 0)]
    },
    ..REDUCE
};

/// The sum of each element and those after it.
fn cumsum_from_end(call: &Call, input: Expr) -> Expr {
    let Ok(axis) = call.axis(keys::DIM, 0) else { return input };
    let flipped = |expr: Expr| {
        let sizes = call.shape(0).iter().enumerate();
        let ranges = sizes.map(|(other, &size)| match other == axis && size > 0 {
            true => Range { start: size - 1, len: size, step: -1 },
            false => Range::all(size),
        });
        slice(expr, ranges.collect())
    };
    let attrs = [Attr::from(axis), Attr::None];
    flipped(Expr::apply(&CUMSUM, [flipped(input)], attrs))
}

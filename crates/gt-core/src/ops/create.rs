//! Operations that make a tensor from nothing.

use super::family::CREATE;
use crate::attrs::{Attr, AttrKind, AttrSpec};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::expr::Expr;
use crate::kernel::Kernel;
use crate::op::{Call, Op, Sample, Shapes, ints};
use crate::rules::shard;
use crate::shape::{MAX_BYTES, Shape};

/// The rows of this file.
pub(super) static ROWS: &[&Op] = &[&ZEROS, &ONES, &FULL, &ARANGE];

pub static ZEROS: Op = Op {
    name: "zeros",
    code: 160,
    doc: "A tensor of zeros.",
    kernel: |_| Ok(Kernel::Fill(Scalar::Int(0))),
    torch: "torch.zeros",
    ..CREATE
};

pub static ONES: Op = Op {
    name: "ones",
    code: 161,
    doc: "A tensor of ones.",
    kernel: |_| Ok(Kernel::Fill(Scalar::Int(1))),
    torch: "torch.ones",
    ..CREATE
};

static FULL_ATTRS: [AttrSpec; 3] = [
    AttrSpec::required("shape", AttrKind::Sizes),
    AttrSpec::required("fill_value", AttrKind::Number),
    AttrSpec::optional("dtype", AttrKind::DType, Attr::None),
];

pub static FULL: Op = Op {
    name: "full",
    code: 162,
    doc: "A tensor with the same number everywhere.",
    attrs: &FULL_ATTRS,
    kernel: |call| Ok(Kernel::Fill(call.number("fill_value"))),
    torch: "torch.full",
    samples: || {
        let of = |sizes: &[i64], value: Attr| {
            Sample::of(&[]).attrs([ints(sizes.iter().copied()), value, Attr::None])
        };
        vec![of(&[2, 3], Attr::Float(1.5)), of(&[], Attr::Int(-2)), of(&[4], Attr::Bool(true))]
    },
    ..CREATE
};

static ARANGE_ATTRS: [AttrSpec; 4] = [
    AttrSpec::required("start", AttrKind::Number),
    AttrSpec::required("end", AttrKind::Number),
    AttrSpec::optional("step", AttrKind::Number, Attr::Int(1)),
    AttrSpec::optional("dtype", AttrKind::DType, Attr::None),
];

pub static ARANGE: Op = Op {
    name: "arange",
    code: 163,
    doc: "The numbers from start up to end, a step apart.",
    attrs: &ARANGE_ATTRS,
    shape: arange_shape,
    shard: shard::gather_first,
    kernel: |call| Ok(Kernel::Iota { start: call.number("start"), step: call.number("step") }),
    torch: "torch.arange",
    samples: || {
        let of = |start: Attr, end: Attr, step: Attr| {
            Sample::of(&[]).attrs([start, end, step, Attr::None])
        };
        vec![
            of(Attr::Int(0), Attr::Int(5), Attr::Int(1)),
            of(Attr::Int(7), Attr::Int(0), Attr::Int(-3)),
            of(Attr::Float(0.0), Attr::Float(1.0), Attr::Float(0.25)),
            of(Attr::Int(3), Attr::Int(3), Attr::Int(1)),
        ]
    },
    ..CREATE
};

/// A tensor of zeros.
pub fn zeros(shape: &Shape, dtype: DType) -> Expr {
    Expr::apply(&ZEROS, [], [Attr::Ints(shape.to_ints()), dtype.into()])
}

/// The whole numbers from zero up to `count`.
pub fn iota(count: usize) -> Expr {
    let attrs = [Attr::Int(0), count.into(), Attr::Int(1), DType::I64.into()];
    Expr::apply(&ARANGE, [], attrs)
}

fn arange_shape(call: &Call) -> Result<Shapes> {
    let numbers = [call.number("start"), call.number("end"), call.number("step")];
    let [start, end, step] = numbers.map(Scalar::as_f64);
    let steps = match numbers {
        [Scalar::Int(start), Scalar::Int(end), Scalar::Int(step)] if step != 0 => {
            // Exact where floating point would round.
            let distance = end as i128 - start as i128;
            (distance / step as i128 + (distance % step as i128 != 0) as i128) as f64
        }
        _ => ((end - start) / step).ceil(),
    };
    let forward = (step > 0.0 && end >= start) || (step < 0.0 && end <= start);
    if !forward || !steps.is_finite() || steps > MAX_BYTES as f64 {
        return Err(Error::runtime(format!("no way from {start} to {end} in steps of {step}")));
    }
    Ok([[steps as usize].into()].into())
}

//! Tensors made in the shape or in the dtype of another.

use super::create::{FULL_ATTRS, check_fill};
use super::family::{CREATE, MOVED};
use crate::attrs::{Attr, AttrKind, AttrSpec};
use crate::dtype::Scalar;
use crate::kernel::Kernel;
use crate::op::{Op, Python, Sample, ints};
use crate::rules::{shape, shard};

/// The rows of this file.
pub(super) static ROWS: &[&Op] =
    &[&ZEROS_LIKE, &ONES_LIKE, &FULL_LIKE, &NEW_ZEROS, &NEW_ONES, &NEW_FULL];

static LIKE_ATTRS: [AttrSpec; 1] = [AttrSpec::optional("dtype", AttrKind::DType, Attr::None)];

const LIKE: Op = Op {
    inputs: &MOVED,
    attrs: &LIKE_ATTRS,
    shape: shape::same,
    shard: shard::pointwise,
    samples: || {
        let of = |shape: &[usize]| Sample::of(&[shape]).attrs([Attr::None]);
        vec![of(&[2, 3]), of(&[]), of(&[0, 2])]
    },
    ..CREATE
};

pub static ZEROS_LIKE: Op = Op {
    name: "zeros_like",
    code: 443,
    doc: "A tensor of zeros in the shape of another.",
    kernel: |_| Ok(Kernel::Fill(Scalar::Int(0))),
    torch: "torch.zeros_like",
    python: Python::FUNCTION.also(&["empty_like"]),
    ..LIKE
};

pub static ONES_LIKE: Op = Op {
    name: "ones_like",
    code: 444,
    doc: "A tensor of ones in the shape of another.",
    kernel: |_| Ok(Kernel::Fill(Scalar::Int(1))),
    torch: "torch.ones_like",
    ..LIKE
};

static FULL_LIKE_ATTRS: [AttrSpec; 2] = [
    AttrSpec::required("fill_value", AttrKind::Number),
    AttrSpec::optional("dtype", AttrKind::DType, Attr::None),
];

pub static FULL_LIKE: Op = Op {
    name: "full_like",
    code: 445,
    doc: "A tensor with the same number everywhere, in the shape of another.",
    attrs: &FULL_LIKE_ATTRS,
    shape: |call| {
        check_fill(call)?;
        shape::same(call)
    },
    kernel: |call| Ok(Kernel::Fill(call.number("fill_value"))),
    torch: "torch.full_like",
    samples: || {
        let of = |shape: &[usize], value: Attr| Sample::of(&[shape]).attrs([value, Attr::None]);
        vec![of(&[2, 3], Attr::Float(1.5)), of(&[], Attr::Int(2))]
    },
    ..LIKE
};

const BESIDE: Op = Op {
    inputs: &MOVED,
    shard: shard::gather_first,
    python: Python { function: false, method: true, ..Python::BOTH },
    samples: || {
        let of =
            |sizes: &[i64]| Sample::of(&[&[2]]).attrs([ints(sizes.iter().copied()), Attr::None]);
        vec![of(&[2, 3]), of(&[]), of(&[0, 2])]
    },
    ..CREATE
};

pub static NEW_ZEROS: Op = Op {
    name: "new_zeros",
    code: 497,
    doc: "A tensor of zeros in the dtype of another.",
    kernel: |_| Ok(Kernel::Fill(Scalar::Int(0))),
    torch: "Tensor.new_zeros",
    python: Python { function: false, ..Python::BOTH }.also(&["new_empty"]),
    ..BESIDE
};

pub static NEW_ONES: Op = Op {
    name: "new_ones",
    code: 498,
    doc: "A tensor of ones in the dtype of another.",
    kernel: |_| Ok(Kernel::Fill(Scalar::Int(1))),
    torch: "Tensor.new_ones",
    ..BESIDE
};

pub static NEW_FULL: Op = Op {
    name: "new_full",
    code: 499,
    doc: "A tensor with the same number everywhere, in the dtype of another.",
    attrs: &FULL_ATTRS,
    shape: |call| {
        check_fill(call)?;
        shape::given(call)
    },
    kernel: |call| Ok(Kernel::Fill(call.number("fill_value"))),
    torch: "Tensor.new_full",
    samples: || {
        let of = |sizes: &[i64], value: Attr| {
            Sample::of(&[&[2]]).attrs([ints(sizes.iter().copied()), value, Attr::None])
        };
        vec![of(&[2, 3], Attr::Float(1.5)), of(&[], Attr::Int(2))]
    },
    ..BESIDE
};

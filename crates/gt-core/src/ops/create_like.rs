//! Tensors made in the shape or in the dtype of another.

use super::codes;
use super::create::{FULL_ATTRS, check_fill};
use super::family::{CREATE, MOVED};
use super::keys;
use crate::attrs::{Attr, AttrSpec};
use crate::dtype::Scalar;
use crate::kernel::Kernel;
use crate::op::{Op, Python, Sample, ints};
use crate::rules::shape;
use crate::rules::shard::{self, Factors, Letters, localise};

static LIKE_ATTRS: [AttrSpec; 1] = [keys::DTYPE.or_none()];

const LIKE: Op = Op {
    inputs: &MOVED,
    attrs: &LIKE_ATTRS,
    shape: shape::same,
    shard: shard::pointwise,
    localise: localise::unchanged,
    reads_shape_only: true,
    samples: || {
        let of = |shape: &[usize]| Sample::of(&[shape]).attrs([Attr::None]);
        vec![of(&[2, 3]), of(&[]), of(&[0, 2])]
    },
    ..CREATE
};

pub static ZEROS_LIKE: Op = Op {
    name: "zeros_like",
    code: codes::ZEROS_LIKE,
    doc: "A tensor of zeros in the shape of another.",
    kernel: |_| Ok(Kernel::Fill(Scalar::Int(0))),
    torch: "torch.zeros_like",
    python: Python::FUNCTION.also(&["empty_like"]),
    ..LIKE
};

pub static ONES_LIKE: Op = Op {
    name: "ones_like",
    code: codes::ONES_LIKE,
    doc: "A tensor of ones in the shape of another.",
    kernel: |_| Ok(Kernel::Fill(Scalar::Int(1))),
    torch: "torch.ones_like",
    ..LIKE
};

static FULL_LIKE_ATTRS: [AttrSpec; 2] = [keys::FILL_VALUE.required(), keys::DTYPE.or_none()];

pub static FULL_LIKE: Op = Op {
    name: "full_like",
    code: codes::FULL_LIKE,
    doc: "A tensor with the same number everywhere, in the shape of another.",
    attrs: &FULL_LIKE_ATTRS,
    shape: |call| {
        check_fill(call)?;
        shape::same(call)
    },
    kernel: |call| Ok(Kernel::Fill(call.number(keys::FILL_VALUE))),
    torch: "torch.full_like",
    samples: || {
        let of = |shape: &[usize], value: Attr| Sample::of(&[shape]).attrs([value, Attr::None]);
        vec![of(&[2, 3], Attr::Float(1.5)), of(&[], Attr::Int(2))]
    },
    ..LIKE
};

const BESIDE: Op = Op {
    inputs: &MOVED,
    // Only the dtype of the input counts.
    shard: |call| {
        let input = Letters::from_elem(None, call.shape(0).rank());
        let output = shard::numbered(call.ints(keys::SHAPE).len());
        Factors::of(call, vec![input], vec![output])
    },
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
    code: codes::NEW_ZEROS,
    doc: "A tensor of zeros in the dtype of another.",
    kernel: |_| Ok(Kernel::Fill(Scalar::Int(0))),
    torch: "Tensor.new_zeros",
    python: Python { function: false, ..Python::BOTH }.also(&["new_empty"]),
    ..BESIDE
};

pub static NEW_ONES: Op = Op {
    name: "new_ones",
    code: codes::NEW_ONES,
    doc: "A tensor of ones in the dtype of another.",
    kernel: |_| Ok(Kernel::Fill(Scalar::Int(1))),
    torch: "Tensor.new_ones",
    ..BESIDE
};

pub static NEW_FULL: Op = Op {
    name: "new_full",
    code: codes::NEW_FULL,
    doc: "A tensor with the same number everywhere, in the dtype of another.",
    attrs: &FULL_ATTRS,
    shape: |call| {
        check_fill(call)?;
        shape::given(call)
    },
    kernel: |call| Ok(Kernel::Fill(call.number(keys::FILL_VALUE))),
    torch: "Tensor.new_full",
    samples: || {
        let of = |sizes: &[i64], value: Attr| {
            Sample::of(&[&[2]]).attrs([ints(sizes.iter().copied()), value, Attr::None])
        };
        vec![of(&[2, 3], Attr::Float(1.5)), of(&[], Attr::Int(2))]
    },
    ..BESIDE
};

//! Operations that add, remove and exchange axes.

use smallvec::SmallVec;

use super::family::MOVE;
use super::movement::{permute, reshape};
use crate::attrs::{Attr, AttrKind, AttrSpec};
use crate::error::Result;
use crate::expr::Expr::Grad;
use crate::kernel::Kernel;
use crate::op::{Call, Op, Python, Sample, View, ints};
use crate::rules::shape;
use crate::rules::shard::Factors;
use crate::shape::{Shape, wrap_axis};

/// The rows of this file.
pub(super) static ROWS: &[&Op] = &[&VIEW, &TRANSPOSE, &UNSQUEEZE, &SQUEEZE];

static VIEW_ATTRS: [AttrSpec; 1] = [AttrSpec::required("shape", AttrKind::Sizes)];

pub static VIEW: Op = Op {
    name: "view",
    code: 126,
    doc: "The same elements in another shape; one size may be -1.",
    attrs: &VIEW_ATTRS,
    shape: shape::reshape,
    grad: |call| vec![reshape(Grad(0), call.shape(0))],
    view: View::Writable(|call| reshape(Grad(0), call.shape(0))),
    kernel: |_| Ok(Kernel::Reshape),
    torch: "Tensor.view",
    python: Python { function: false, ..Python::BOTH },
    samples: || {
        let to = |from: &[usize], to: &[i64]| Sample::of(&[from]).attrs([ints(to.iter().copied())]);
        vec![to(&[2, 3], &[6]), to(&[4], &[2, -1])]
    },
    ..MOVE
};

static TRANSPOSE_ATTRS: [AttrSpec; 2] =
    [AttrSpec::required("dim0", AttrKind::Axis), AttrSpec::required("dim1", AttrKind::Axis)];

pub static TRANSPOSE: Op = Op {
    name: "transpose",
    code: 127,
    doc: "Two axes exchanged.",
    attrs: &TRANSPOSE_ATTRS,
    shape: |call| Ok([call.shape(0).permuted(&exchanged(call)?)].into()),
    // Exchanging them again undoes it.
    grad: |call| vec![permute(Grad(0), &exchanged(call).unwrap_or_default())],
    view: View::Writable(|call| permute(Grad(0), &exchanged(call).unwrap_or_default())),
    shard: |call| Factors {
        inputs: vec![(0..call.shape(0).rank() as u8).map(Some).collect()],
        outputs: vec![
            exchanged(call).unwrap_or_default().iter().map(|&axis| Some(axis as u8)).collect(),
        ],
        combined: Vec::new(),
    },
    kernel: |call| Ok(Kernel::Permute(exchanged(call)?)),
    torch: "torch.transpose",
    samples: || {
        let of = |shape: &[usize], a: i64, b: i64| Sample::of(&[shape]).attrs([a.into(), b.into()]);
        vec![of(&[2, 3], 0, 1), of(&[2, 3, 4], -1, 0), of(&[3], 0, 0), of(&[], 0, -1)]
    },
    ..MOVE
};

static DIM_ATTR: [AttrSpec; 1] = [AttrSpec::required("dim", AttrKind::Axis)];

pub static UNSQUEEZE: Op = Op {
    name: "unsqueeze",
    code: 128,
    doc: "With another axis of size one.",
    attrs: &DIM_ATTR,
    shape: |call| {
        let axis = wrap_axis(call.int("dim"), call.shape(0).rank() + 1)?;
        let mut sizes: SmallVec<[usize; 4]> = call.shape(0).iter().copied().collect();
        sizes.insert(axis, 1);
        Ok([sizes.into_iter().collect::<Shape>()].into())
    },
    grad: |call| vec![reshape(Grad(0), call.shape(0))],
    view: View::Writable(|call| reshape(Grad(0), call.shape(0))),
    kernel: |_| Ok(Kernel::Reshape),
    torch: "torch.unsqueeze",
    samples: || {
        let of = |shape: &[usize], axis: i64| Sample::of(&[shape]).attrs([axis.into()]);
        vec![of(&[2, 3], 0), of(&[2, 3], -1), of(&[], 0)]
    },
    ..MOVE
};

static SQUEEZE_ATTRS: [AttrSpec; 1] =
    [AttrSpec::optional("dim", AttrKind::Axes, Attr::Ints(SmallVec::new_const()))];

pub static SQUEEZE: Op = Op {
    name: "squeeze",
    code: 129,
    doc: "Without the axes of size one that are named, or without any.",
    attrs: &SQUEEZE_ATTRS,
    shape: |call| {
        let (shape, axes) = (call.shape(0), call.axes("dim", 0)?);
        let stays = |(axis, size): &(usize, &usize)| **size != 1 || !axes.contains(axis);
        Ok([shape.iter().enumerate().filter(stays).map(|(_, &size)| size).collect()].into())
    },
    grad: |call| vec![reshape(Grad(0), call.shape(0))],
    view: View::Writable(|call| reshape(Grad(0), call.shape(0))),
    kernel: |_| Ok(Kernel::Reshape),
    torch: "torch.squeeze",
    samples: || {
        let of = |shape: &[usize], axes: &[i64]| {
            Sample::of(&[shape]).attrs([ints(axes.iter().copied())])
        };
        vec![of(&[1, 3, 1], &[]), of(&[1, 3, 1], &[-1]), of(&[2, 1], &[0]), of(&[], &[])]
    },
    ..MOVE
};

/// All axes in order, but for the two that are exchanged.
fn exchanged(call: &Call) -> Result<SmallVec<[usize; 4]>> {
    let (a, b) = (call.axis("dim0", 0)?, call.axis("dim1", 0)?);
    let mut axes: SmallVec<[usize; 4]> = (0..call.shape(0).rank()).collect();
    if !axes.is_empty() {
        axes.swap(a, b);
    }
    Ok(axes)
}

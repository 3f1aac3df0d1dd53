//! A tensor with something around it.

use super::arrange::uncut;
use super::create::{full, zeros};
use super::family::MOVE;
use super::movement::{slice, slice_write};
use crate::attrs::{Attr, AttrKind, AttrSpec, Range};
use crate::error::{Error, Result};
use crate::expr::Expr::{Grad, Input};
use crate::kernel::{Axes, Kernel};
use crate::op::{Call, Linear, Op, Python, Sample, ints};
use crate::rules::shard::gather_first;
use crate::shape::Shape;

/// The rows of this file.
pub(super) static ROWS: &[&Op] = &[&PAD];

static PAD_ATTRS: [AttrSpec; 3] = [
    AttrSpec::required("pad", AttrKind::Spatial),
    AttrSpec::optional("mode", AttrKind::Text, Attr::None),
    AttrSpec::optional("value", AttrKind::Number, Attr::None),
];

pub static PAD: Op = Op {
    name: "pad",
    code: 430,
    doc: "The tensor with a number around it: so often before and after, from the last axis on.",
    attrs: &PAD_ATTRS,
    shape: |call| Ok([Frame::of(call)?.result].into()),
    grad: |call| match Frame::of(call) {
        Ok(frame) => {
            let zeros = zeros(call.shape(0), call.inputs[0].dtype());
            vec![slice_write(zeros, slice(Grad(0), frame.inner), frame.kept)]
        }
        Err(_) => Vec::new(),
    },
    // What is around the tensor would be counted once for each part.
    linear: Linear::No,
    shard: |call| match Frame::of(call) {
        Ok(frame) => uncut(call, &frame.framed),
        Err(_) => gather_first(call),
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| match Frame::of(call) {
        Ok(frame) => {
            let value = call.number("value");
            let around = full(&frame.result, value, call.inputs[0].dtype());
            vec![slice_write(around, slice(Input(0), frame.kept), frame.inner)]
        }
        Err(_) => Vec::new(),
    }),
    torch: "torch.nn.functional.pad",
    python: Python::FUNCTION,
    samples: || {
        let of = |shape: &[usize], pad: &[i64], value: Attr| {
            Sample::of(&[shape]).attrs([ints(pad.iter().copied()), Attr::None, value])
        };
        vec![
            of(&[2, 3], &[1, 2], Attr::None),
            of(&[2, 3], &[1, 0, 0, 2], Attr::Float(1.5)),
            of(&[5, 2], &[0, 0, -1, 2], Attr::None),
            of(&[3], &[-2, -1], Attr::None),
        ]
    },
    ..MOVE
};

/// Where a tensor stands within what is around it.
struct Frame {
    result: Shape,
    /// The part of the tensor that is left; a negative number takes away.
    kept: Vec<Range>,
    /// Where it stands in the result.
    inner: Vec<Range>,
    /// The axes that have something before or after.
    framed: Axes,
}

impl Frame {
    fn of(call: &Call) -> Result<Self> {
        let (shape, pad) = (call.shape(0), call.ints("pad"));
        match call.attr("mode") {
            Attr::Text(mode) if &**mode != "constant" => {
                return Err(Error::runtime(format!("mode '{mode}' is not supported yet")));
            }
            _ => {}
        }
        if pad.len() % 2 != 0 || pad.len() / 2 > shape.rank() {
            let (count, rank) = (pad.len(), shape.rank());
            return Err(Error::runtime(format!(
                "pad needs two numbers for each of at most {rank} axes, not {count}"
            )));
        }
        let (mut kept, mut inner, mut framed) = (Vec::new(), Vec::new(), Axes::new());
        let mut sizes = Axes::new();
        for (axis, &size) in shape.iter().enumerate() {
            let pair = 2 * (shape.rank() - 1 - axis);
            let [before, after] = [pair, pair + 1].map(|index| pad.get(index).copied());
            let (before, after) = (before.unwrap_or(0), after.unwrap_or(0));
            let total = (size as i64).checked_add(before).and_then(|n| n.checked_add(after));
            let cut = before.min(0).saturating_add(after.min(0));
            let left = (size as i64).saturating_add(cut).max(0) as usize;
            let Some(total) = total.filter(|&total| total >= 0) else {
                return Err(Error::runtime(format!(
                    "an axis of size {size} cannot lose as much as {before} and {after} say"
                )));
            };
            let start = usize::try_from(-before.min(0)).unwrap_or_default().min(size);
            kept.push(Range { start, len: left, step: 1 });
            let start = (before.max(0) as usize).min(total as usize);
            inner.push(Range { start, len: left, step: 1 });
            sizes.push(total as usize);
            if before != 0 || after != 0 {
                framed.push(axis);
            }
        }
        Ok(Frame { result: sizes.into_iter().collect(), kept, inner, framed })
    }
}

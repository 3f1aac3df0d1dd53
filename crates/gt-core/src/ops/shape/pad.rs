//! Padding: constant, reflected, replicated and circular.

use super::axes::reshape;
use super::slice::{slice, slice_write};
use crate::attrs::{Attr, AttrSpec, Range};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Number};
use crate::kernel::{Axes, Kernel};
use crate::op::{Call, Linear, Op, Python, Sample, ints};
use crate::ops::create::{arange, full, zeros};
use crate::ops::elementwise::binary::REMAINDER;
use crate::ops::elementwise::ternary::CLAMP;
use crate::ops::elementwise::unary::ABS;
use crate::ops::family::MOVE;
use crate::ops::index::advanced::{index, index_write};
use crate::ops::{codes, keys};
use crate::rules::shard::ranges::{self, Border};
use crate::rules::shard::{gather_first, localise};
use crate::shape::Shape;

static PAD_ATTRS: [AttrSpec; 3] =
    [keys::PAD.required(), keys::MODE.or_none(), keys::VALUE.or_none()];

pub static PAD: Op = Op {
    name: "pad",
    code: codes::PAD,
    doc: "The tensor with a number or its own elements around it: so often before and after, from \
          the last axis on.",
    attrs: &PAD_ATTRS,
    shape: |call| {
        let frame = Frame::of(call)?;
        if let Some(around) = Around::of(call)? {
            around.check(call, &frame)?;
        }
        Ok([frame.result].into())
    },
    grad: Some(|call| match (Frame::of(call), Around::of(call)) {
        (Ok(_), Ok(Some(around))) => vec![around.backward(call, Grad(0))],
        (Ok(frame), Ok(None)) => {
            let zeros = zeros(call.shape(0), call.inputs[0].dtype());
            vec![slice_write(zeros, slice(Grad(0), frame.inner), frame.kept)]
        }
        _ => Vec::new(),
    }),
    // The border would be added once for each partial sum.
    linear: Linear::No,
    shard: |call| match (Frame::of(call), Around::of(call)) {
        (Ok(frame), Ok(around)) => ranges::bordered(call, &borders(call), |axis| {
            around.is_some() && frame.framed.contains(&axis)
        }),
        _ => gather_first(call),
    },
    localise: |call, parts| {
        let local = ranges::local_borders(call, &borders(call), parts);
        let pairs = local.iter().rev().flat_map(|border| [border.before, border.after]);
        localise::with(call, keys::PAD, ints(pairs.take(call.ints(keys::PAD).len())))
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| match (Frame::of(call), Around::of(call)) {
        (Ok(_), Ok(Some(around))) => vec![around.forward(call, Input(0))],
        (Ok(frame), Ok(None)) => {
            let value = call.number(keys::VALUE);
            let around = full(&frame.result, value, call.inputs[0].dtype());
            vec![slice_write(around, slice(Input(0), frame.kept), frame.inner)]
        }
        _ => Vec::new(),
    }),
    torch: "torch.nn.functional.pad",
    python: Python::FUNCTION,
    samples: || {
        let of = |shape: &[usize], pad: &[i64], value: Attr| {
            Sample::of(&[shape]).attrs([ints(pad.iter().copied()), Attr::None, value])
        };
        let mode = |shape: &[usize], pad: &[i64], mode: &str| {
            let mode = Attr::Text(mode.into());
            Sample::of(&[shape]).attrs([ints(pad.iter().copied()), mode, Attr::None])
        };
        vec![
            mode(&[2, 3], &[2, 1], "reflect"),
            mode(&[1, 2, 3, 4], &[-1, 3, 1, 2], "reflect"),
            mode(&[2, 3], &[2, 4], "replicate"),
            mode(&[2, 3, 4], &[-1, 2, 2, -1], "replicate"),
            mode(&[2, 3], &[3, 1], "circular"),
            mode(&[1, 3, 4], &[-1, 2, 2, -1], "circular"),
            of(&[2, 3], &[1, 2], Attr::None),
            of(&[2, 3], &[1, 0, 0, 2], Attr::Float(1.5)),
            of(&[5, 2], &[0, 0, -1, 2], Attr::None),
            of(&[3], &[-2, -1], Attr::None),
        ]
    },
    ..MOVE
};

/// The elements shifted by `by` positions along an axis; `value` fills the vacated positions.
pub fn shifted(input: Expr, shape: &Shape, axis: usize, by: i64, value: f64) -> Expr {
    let mut pad = vec![0; 2 * (shape.rank() - 1 - axis)];
    let by = by.clamp(-(shape[axis] as i64), shape[axis] as i64);
    pad.extend([by, -by]);
    Expr::apply(&PAD, [input], [ints(pad), Attr::None, Attr::Float(value)])
}

/// The number of positions added before and after each axis.
fn borders(call: &Call) -> Vec<Border> {
    let (rank, pad) = (call.shape(0).rank(), call.ints(keys::PAD));
    let number = |index: usize| pad.get(index).copied().unwrap_or(0);
    let border = |axis: usize| {
        let pair = 2 * (rank - 1 - axis);
        Border { before: number(pair), after: number(pair + 1) }
    };
    (0..rank).map(border).collect()
}

/// The position of a tensor within its padding.
struct Frame {
    result: Shape,
    /// The part of the tensor that remains: negative padding crops.
    kept: Vec<Range>,
    /// Where that part is in the result.
    inner: Vec<Range>,
    /// The axes with padding before or after.
    framed: Axes,
}

impl Frame {
    fn of(call: &Call) -> Result<Self> {
        let (shape, pad) = (call.shape(0), call.ints(keys::PAD));
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

/// Padding modes that repeat elements of the tensor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    /// Elements next to the border, in reverse order.
    Reflect,
    /// The element at the border.
    Replicate,
    /// Elements from the opposite end.
    Circular,
}

impl Around {
    /// The mode of a call; `None` for constant padding.
    fn of(call: &Call) -> Result<Option<Self>> {
        match call.text(keys::MODE) {
            None | Some("constant") => Ok(None),
            Some("reflect") => Ok(Some(Around::Reflect)),
            Some("replicate") => Ok(Some(Around::Replicate)),
            Some("circular") => Ok(Some(Around::Circular)),
            Some(other) => Err(Error::runtime(format!("there is no padding mode '{other}'"))),
        }
    }

    fn check(self, call: &Call, frame: &Frame) -> Result<()> {
        let (shape, pad) = (call.shape(0), call.ints(keys::PAD));
        let pairs = pad.len() / 2;
        if !(1..=3).contains(&pairs) || !(pairs + 1..=pairs + 2).contains(&shape.rank()) {
            return Err(Error::runtime(format!(
                "only the last one to three of two to five axes, all but one or two, are padded \
                 with a tensor's own elements, not {pairs} of {shape}"
            )));
        }
        for &axis in &frame.framed {
            let pair = 2 * (shape.rank() - 1 - axis);
            let (size, most) = (shape[axis] as i64, pad[pair].max(pad[pair + 1]));
            let fits = match self {
                Around::Reflect => most < size,
                Around::Replicate => size > 0,
                Around::Circular => most <= size && frame.kept[axis].len > 0,
            };
            if !fits {
                return Err(Error::runtime(format!(
                    "an axis of size {size} has too few elements to stand around it {most} times"
                )));
            }
        }
        Ok(())
    }

    /// The index of the source element of each position along an axis.
    fn places(self, call: &Call, axis: usize) -> Expr {
        let whole = |number: i64| Number(Scalar::Int(number));
        let (shape, pad) = (call.shape(0), call.ints(keys::PAD));
        let pair = 2 * (shape.rank() - 1 - axis);
        let (before, after, size) = (pad[pair], pad[pair + 1], shape[axis] as i64);
        let total = (size + before + after).max(0) as usize;
        let from = |start: i64| arange(start, total);
        match self {
            Around::Reflect => {
                let abs = |expr: Expr| Expr::apply(&ABS, [expr], []);
                let mirrored = abs(whole(size - 1) - abs(from(-before)));
                whole(size - 1) - mirrored
            }
            Around::Replicate => {
                let limits = [Attr::Int(0), Attr::Int(size - 1)];
                Expr::apply(&CLAMP, [from(-before)], limits)
            }
            Around::Circular => {
                let (first, cut) = (-before.min(0), before.min(0) + after.min(0));
                let turned = [from(-before.max(0)), whole(size + cut)];
                Expr::apply(&REMAINDER, turned, []) + whole(first)
            }
        }
    }

    fn forward(self, call: &Call, input: Expr) -> Expr {
        let axes = Frame::of(call).map(|frame| frame.framed).unwrap_or_default();
        // An expansion must be an operation, even without padding.
        let start = reshape(input, call.shape(0));
        axes.iter().fold(start, |expr, &axis| index(expr, self.places(call, axis), axis as i64))
    }

    /// The gradient of an element is the sum over the positions it was copied to.
    fn backward(self, call: &Call, grad: Expr) -> Expr {
        let Ok(frame) = Frame::of(call) else { return grad };
        frame.framed.iter().enumerate().rev().fold(grad, |expr, (done, &axis)| {
            let sizes = call.shape(0).iter().enumerate();
            let later = &frame.framed[done..];
            let sizes = sizes.map(|(other, &size)| match later.contains(&other) {
                true => size,
                false => frame.result[other],
            });
            let nothing = zeros(&sizes.collect(), call.inputs[0].dtype());
            index_write(nothing, self.places(call, axis), expr, axis as i64, true)
        })
    }
}

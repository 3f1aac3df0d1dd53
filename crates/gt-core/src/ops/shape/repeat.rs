//! Repetition along axes: `expand`, `broadcast_to`, `repeat`, `tile`.

use super::axes::{SHAPE_ATTR, reshape};
use crate::attrs::{Attr, AttrSpec, Attrs, Key};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input};
use crate::kernel::{Axes, Kernel};
use crate::op::{Call, Op, Python, Sample, View, ints};
use crate::ops::family::MOVE;
use crate::ops::reduce::sum::sum;
use crate::ops::{codes, keys};
use crate::rules::shape;
use crate::rules::shard::{Part, gather_first, localise, views};
use crate::shape::Shape;

pub static EXPAND: Op = Op {
    name: "expand",
    code: codes::EXPAND,
    doc: "The tensor repeated along axes of size one; -1 keeps a size.",
    attrs: &SHAPE_ATTR,
    shape: shape::expand,
    // Every gradient is summed over the axes that were broadcast.
    grad: Some(|_| vec![Grad(0)]),
    view: View::ReadOnly,
    shard: views::expanded,
    localise: localise::shape,
    kernel: |_| Ok(Kernel::Expand),
    torch: "Tensor.expand",
    python: Python { function: false, ..Python::BOTH },
    samples: || {
        let to = |from: &[usize], to: &[i64]| Sample::of(&[from]).attrs([ints(to.iter().copied())]);
        vec![to(&[2, 1], &[2, 3]), to(&[3], &[2, -1]), to(&[], &[2]), to(&[1], &[0])]
    },
    ..MOVE
};

pub static BROADCAST_TO: Op = Op {
    name: "broadcast_to",
    code: codes::BROADCAST_TO,
    doc: "The tensor repeated along axes of size one until it has this shape.",
    torch: "torch.broadcast_to",
    python: Python::BOTH,
    ..EXPAND
};

static REPEATS: [AttrSpec; 1] = [keys::REPEATS.required()];

pub static REPEAT: Op = Op {
    name: "repeat",
    code: codes::REPEAT,
    doc: "The tensor so many times along each axis; there may be more axes than it has.",
    attrs: &REPEATS,
    shape: |call| Ok([Repetition::of(call, keys::REPEATS)?.result()].into()),
    grad: Some(|call| {
        Repetition::of(call, keys::REPEATS).map(Repetition::backward).unwrap_or_default()
    }),
    shard: |call| {
        let cuts = |r: Repetition| views::repeated(call, &r.sizes, &r.times);
        Repetition::of(call, keys::REPEATS).map_or_else(|_| gather_first(call), cuts)
    },
    localise: |call, parts| {
        let local = |r: Repetition| r.local(call, keys::REPEATS, parts);
        Repetition::of(call, keys::REPEATS).map_or_else(|_| call.attrs.clone(), local)
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        Repetition::of(call, keys::REPEATS).map(Repetition::forward).unwrap_or_default()
    }),
    torch: "Tensor.repeat",
    python: Python { function: false, ..Python::BOTH },
    samples: || {
        let of = |shape: &[usize], times: &[i64]| {
            Sample::of(&[shape]).attrs([ints(times.iter().copied())])
        };
        vec![
            of(&[2, 3], &[2, 1]),
            of(&[3], &[2, 3]),
            of(&[], &[4]),
            of(&[2, 2], &[0, 3]),
            of(&[2, 1, 3], &[1, 2, 1]),
        ]
    },
    ..MOVE
};

static TIMES: [AttrSpec; 1] = [keys::TILES.required()];

pub static TILE: Op = Op {
    name: "tile",
    code: codes::TILE,
    doc: "The tensor so many times along each of its last axes.",
    attrs: &TIMES,
    shape: |call| Ok([Repetition::of(call, keys::TILES)?.result()].into()),
    grad: Some(|call| {
        Repetition::of(call, keys::TILES).map(Repetition::backward).unwrap_or_default()
    }),
    shard: |call| {
        let cuts = |r: Repetition| views::repeated(call, &r.sizes, &r.times);
        Repetition::of(call, keys::TILES).map_or_else(|_| gather_first(call), cuts)
    },
    localise: |call, parts| {
        let local = |r: Repetition| r.local(call, keys::TILES, parts);
        Repetition::of(call, keys::TILES).map_or_else(|_| call.attrs.clone(), local)
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        Repetition::of(call, keys::TILES).map(Repetition::forward).unwrap_or_default()
    }),
    torch: "torch.tile",
    samples: || {
        let of = |shape: &[usize], times: &[i64]| {
            Sample::of(&[shape]).attrs([ints(times.iter().copied())])
        };
        vec![of(&[2, 3], &[2]), of(&[3], &[2, 3]), of(&[2, 3, 1], &[1, 2])]
    },
    ..MOVE
};

/// The tensor broadcast to `shape`.
pub fn expand(input: Expr, shape: &Shape) -> Expr {
    Expr::apply(&EXPAND, [input], [Attr::Ints(shape.to_ints())])
}

/// The number of copies along each axis of the result.
struct Repetition {
    /// The shape of the input, with ones for the axes it does not have.
    sizes: Shape,
    times: Axes,
    input: Shape,
}

impl Repetition {
    fn of(call: &Call, key: Key<[i64]>) -> Result<Self> {
        let (input, given) = (call.shape(0).clone(), call.ints(key));
        let times = Shape::given(given)?;
        if key.name() == "repeats" && times.rank() < input.rank() {
            return Err(Error::runtime(format!(
                "{} numbers are not enough for the {} axes of the tensor",
                times.rank(),
                input.rank()
            )));
        }
        let rank = times.rank().max(input.rank());
        let padded = |shape: &Shape| -> Shape {
            std::iter::repeat_n(1, rank - shape.rank()).chain(shape.iter().copied()).collect()
        };
        let times = padded(&times).iter().copied().collect();
        Ok(Repetition { sizes: padded(&input), times, input })
    }

    fn result(&self) -> Shape {
        self.sizes.iter().zip(&self.times).map(|(&a, &b)| a.saturating_mul(b)).collect()
    }

    /// Two axes for each axis of the result: the copies, and the axis itself.
    fn pairs(&self, repeated: bool) -> Shape {
        let pair = |(&size, &times): (&usize, &usize)| [if repeated { times } else { 1 }, size];
        self.sizes.iter().zip(&self.times).flat_map(pair).collect()
    }

    fn forward(self) -> Vec<Expr> {
        let pairs = reshape(Input(0), &self.pairs(false));
        vec![reshape(expand(pairs, &self.pairs(true)), &self.result())]
    }

    fn backward(self) -> Vec<Expr> {
        let axes: Vec<i64> = (0..self.sizes.rank() as i64).map(|axis| 2 * axis).collect();
        let pairs = reshape(Grad(0), &self.pairs(true));
        // An empty list would mean all axes.
        let total = if axes.is_empty() { pairs } else { sum(pairs, &axes, false) };
        vec![reshape(total, &self.input)]
    }

    /// The number of copies in a worker's part.
    fn local(self, call: &Call, key: Key<[i64]>, parts: &[Part]) -> Attrs {
        let rank = self.times.len();
        let own = |axis: usize| parts.iter().find(|part| part.letter as usize == rank + axis);
        let times = self.times.iter().enumerate();
        let times = times.map(|(axis, &times)| own(axis).map_or(times, |part| part.len) as i64);
        localise::with(call, key, ints(times))
    }
}

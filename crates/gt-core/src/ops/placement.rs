//! Moves of a value to another placement; its elements do not change.

use smallvec::smallvec;

use super::codes;
use super::family::{COMPOSITE, MOVE};
use crate::error::Error;
use crate::expr::Expr::{self, Grad, Zero};
use crate::kernel::Kernel;
use crate::op::{Input, Linear, Op, Python, Role, Sample};
use crate::rules::promote::Promotion;
use crate::rules::shard;

pub static PLACE: Op = Op {
    name: "place",
    code: codes::PLACE,
    doc: "The same elements, where the signal around this wants them.",
    shard: shard::pointwise,
    grad: Some(|_| vec![Grad(0)]),
    kernel: |_| Ok(Kernel::Cast),
    python: Python::HIDDEN,
    samples: || vec![Sample::of(&[&[2, 3]]), Sample::of(&[&[]])],
    ..MOVE
};

static PLACED_LIKE: [Input; 2] =
    [Input { name: "input", role: Role::Any }, Input { name: "other", role: Role::Any }];

pub static PLACE_LIKE: Op = Op {
    name: "place_like",
    code: codes::PLACE_LIKE,
    doc: "The same elements, where another tensor of their shape is.",
    inputs: &PLACED_LIKE,
    shape: |call| match (call.shape(0), call.shape(1)) {
        (shape, other) if shape == other => Ok(smallvec![shape.clone()]),
        (shape, other) => Err(Error::value(format!("{shape} cannot be placed like {other}"))),
    },
    promotion: Promotion::Common,
    shard: shard::pointwise,
    linear: Linear::Each(&[0]),
    grad: Some(|_| vec![Grad(0), Zero]),
    expansion: Some(|_| vec![Expr::apply(&PLACE, [Expr::Input(0)], [])]),
    python: Python::HIDDEN,
    samples: || vec![Sample::of(&[&[2, 3], &[2, 3]])],
    ..COMPOSITE
};

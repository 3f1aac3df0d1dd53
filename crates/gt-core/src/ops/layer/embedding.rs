//! Embedding: rows of a table looked up by position.

use crate::attrs::AttrSpec;
use crate::dtype::DType;
use crate::error::Error;
use crate::expr::Expr::{Grad, Input, Zero};
use crate::kernel::Kernel;
use crate::op::{Input as In, Op, Python, Role, Sample};
use crate::ops::create::zeros;
use crate::ops::family::MOVE;
use crate::ops::index::advanced::{index, index_write, read_factors};
use crate::ops::index::gather::whole_axis;
use crate::ops::index::sharded::{Owned, from_the_start};
use crate::ops::{codes, keys};
use crate::rules::shard;
use crate::shape::Shape;
use crate::whole::Whole;

static INPUTS: [In; 2] =
    [In { name: "weight", role: Role::Operand }, In { name: "index", role: Role::Index }];

/// The axis of the lookup, and the part of it that the worker serves.
static ATTRS: [AttrSpec; 3] =
    [keys::DIM.or(0), keys::REGION_WHOLE.or_empty(), keys::REGION_START.or_empty()];

pub static EMBEDDING: Op = Op {
    name: "embedding",
    code: codes::EMBEDDING,
    doc: "The rows of a table that positions name. A position that counts from the end is a \
          mistake.",
    inputs: &INPUTS,
    attrs: &ATTRS,
    shape: |call| {
        let (weight, index) = (call.shape(0), call.shape(1));
        let &[_, width] = &**weight else {
            return Err(Error::runtime(format!("a table of shape {weight} is not a matrix")));
        };
        if call.axis(keys::DIM, 0)? != 0 {
            return Err(Error::runtime("the rows of a table lie along its first axis"));
        }
        let dtype = call.inputs[1].dtype();
        if !matches!(dtype, DType::I64 | DType::I32) {
            return Err(Error::runtime(format!("indices are int64 or int32, not {dtype}")));
        }
        Ok([index.iter().copied().chain([width]).collect::<Shape>()].into())
    },
    grad: Some(|call| {
        let zeros = zeros(call.shape(0), call.inputs[0].dtype());
        vec![index_write(zeros, Input(1), Grad(0), 0, true), Zero]
    }),
    shard: |call| match (call.op.shape)(call) {
        Ok(_) => read_factors(call),
        Err(_) => shard::gather_first(call),
    },
    localise: Owned::localise,
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| match Owned::of(call) {
        Some(owned) => vec![owned.embedding(call)],
        None => {
            let count = call.shape(0).first().map_or(0, |&count| count as i64);
            vec![index(Input(0), from_the_start(count), 0)]
        }
    }),
    whole: Some(|call| match Owned::of(call) {
        Some(_) => Err(Error::runtime("positions that others have are looked for")),
        None => Ok(Whole::Embedding),
    }),
    python: Python::FUNCTION,
    samples: || {
        vec![
            Sample::of(&[&[4, 3]]).index(&[2, 3], 4).attrs(whole_axis(0)),
            Sample::of(&[&[5, 2]]).index(&[7], 5).attrs(whole_axis(0)),
            Sample::of(&[&[3, 2]]).index(&[], 3).attrs(whole_axis(0)),
            Sample::of(&[&[3, 2]]).index(&[0], 3).attrs(whole_axis(0)),
        ]
    },
    ..MOVE
};

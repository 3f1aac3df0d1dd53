//! Rows of a table that positions name.

use super::advanced_index::{index, index_write};
use super::codes;
use super::compare::lt;
use super::create::zeros;
use super::elementwise::where_;
use super::family::MOVE;
use crate::dtype::{DType, Scalar};
use crate::error::Error;
use crate::expr::Expr::{Grad, Input, Number, Zero};
use crate::kernel::Kernel;
use crate::op::{Input as In, Op, Python, Role, Sample};
use crate::rules::shard::{self, Factors, Letters};
use crate::shape::Shape;
use crate::whole::Whole;

static INPUTS: [In; 2] =
    [In { name: "weight", role: Role::Operand }, In { name: "index", role: Role::Index }];

pub static EMBEDDING: Op = Op {
    name: "embedding",
    code: codes::EMBEDDING,
    doc: "The rows of a table that positions name. A position that counts from the end is a mistake.",
    inputs: &INPUTS,
    shape: |call| {
        let (weight, index) = (call.shape(0), call.shape(1));
        let &[_, width] = &**weight else {
            return Err(Error::runtime(format!("a table of shape {weight} is not a matrix")));
        };
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
    shard: |call| {
        let &[_, _] = &**call.shape(0) else { return shard::gather_first(call) };
        let positions = (0..call.shape(1).rank()).map(|axis| Some(1 + axis as u8));
        let table: Letters = [None, Some(0)].into_iter().collect();
        let result = positions.clone().chain([Some(0)]).collect();
        Factors::of(call, vec![table, positions.collect()], vec![result])
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        // One row further back, a position that counts from the end is out of range.
        let count = Number(Scalar::Int(call.shape(0).first().map_or(0, |&rows| rows as i64)));
        let is_wrong = lt(Input(1), Number(Scalar::Int(0)));
        vec![index(Input(0), where_(is_wrong, Input(1) - count, Input(1)), 0)]
    }),
    whole: Some(|_| Ok(Whole::Embedding)),
    python: Python::FUNCTION,
    samples: || {
        vec![
            Sample::of(&[&[4, 3]]).index(&[2, 3], 4),
            Sample::of(&[&[5, 2]]).index(&[7], 5),
            Sample::of(&[&[3, 2]]).index(&[], 3),
            Sample::of(&[&[3, 2]]).index(&[0], 3),
        ]
    },
    ..MOVE
};

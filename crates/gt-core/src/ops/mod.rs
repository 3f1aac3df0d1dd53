//! The table of operations, one row each, grouped by kind. A row holds all there is to know about
//! its operation; code outside this folder names only the rows in [`builtin`].

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::op::Op;

pub mod builtin;
mod codes;
mod family;
pub(crate) mod keys;

/// Functions applied to each element independently, by number of operands.
mod elementwise {
    pub mod activation;
    pub mod binary;
    pub mod compare;
    pub mod logic;
    pub mod ternary;
    pub mod trigonometry;
    pub mod unary;
}

/// Reductions along axes.
mod reduce {
    pub mod any_all;
    pub mod extreme;
    pub mod statistics;
    pub mod sum;
}

/// Cumulative operations along an axis.
mod scan;

/// Sorting and binary search.
mod order {
    pub mod search;
    pub mod sort;
}

/// Reads and writes at positions given by an index or a mask.
mod index {
    pub mod advanced;
    pub mod gather;
    pub mod mask;
    pub mod scatter;
    pub mod select;
    pub mod sharded;
}

/// Shape changes and data movement: elements keep their values.
mod shape {
    pub mod axes;
    pub mod diagonal;
    pub mod flip;
    pub mod join;
    pub mod pad;
    pub mod repeat;
    pub mod slice;
}

/// Tensors made from numbers or from the shape of another tensor.
mod create;

/// Random tensors.
mod random {
    pub mod distribution;
    pub mod sampling;
}

/// Matrix products and contractions.
mod product {
    pub mod einsum;
    pub mod matmul;
}

/// Layers of neural networks, each as one instruction.
mod layer {
    pub mod attention;
    pub mod convolution;
    pub mod embedding;
    pub mod gru;
    pub mod linear;
    pub mod lstm;
    pub mod normalization;
    pub mod pooling;
    pub mod recurrent;
    pub mod softmax;
    pub mod window;
}

/// Optimiser steps.
mod optim;

/// Moves of a value to another placement.
mod placement;

/// Every row, in the order of the codes.
pub static ALL: &[&Op] = codes::TABLE;

/// Codes from here on are not operations but commands; see [`crate::record`].
pub const CODE_LIMIT: u16 = 1024;

static BY_NAME: LazyLock<HashMap<&'static str, &'static Op>> =
    LazyLock::new(|| ALL.iter().map(|op| (op.name, *op)).collect());

/// The operation with this code.
pub fn by_code(code: u16) -> Option<&'static Op> {
    codes::BY_CODE.get(code as usize).copied().flatten()
}

/// The operation with this name.
pub fn by_name(name: &str) -> Option<&'static Op> {
    BY_NAME.get(name).copied()
}

#[cfg(test)]
mod tests;

//! The table of operations. All there is to know about one stands in its row; nothing outside
//! this folder knows an operation by name.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::op::Op;

mod activation;
mod advanced_index;
mod arithmetic;
mod attention;
mod axes;
mod binary;
pub mod builtin;
mod codes;
mod compare;
mod composite;
mod convolution;
mod create;
mod create_like;
mod einsum;
mod elementwise;
mod embedding;
mod family;
mod gru;
mod hyperbolic;
mod index;
mod index_select;
mod join;
pub(crate) mod keys;
mod layer;
mod layer_norm;
mod linear;
mod logic;
mod matmul;
mod movement;
mod normalize;
mod optimizer;
mod owner;
mod pad;
mod place;
mod pooling;
mod product;
mod random;
mod rearrange;
mod recurrent;
mod reduce;
mod repeat;
mod rms;
mod sampling;
mod scan;
mod scatter;
mod search;
mod sort;
mod statistics;
mod triangular;
mod trigonometry;
mod truth;
mod unary;
mod window;

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

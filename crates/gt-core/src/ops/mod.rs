//! The table of operations. All there is to know about one stands in its row; nothing outside
//! this folder knows an operation by name.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::op::Op;

pub mod activation;
pub mod arithmetic;
pub mod axes;
pub mod compare;
pub mod composite;
pub mod create;
pub mod elementwise;
mod family;
pub mod functions;
pub mod index;
pub mod listed;
pub mod logic;
pub mod matmul;
pub mod movement;
pub mod order;
pub mod random;
pub mod reduce;
pub mod scan;
pub mod scatter;
pub mod select;
pub mod statistics;
pub mod window;

/// Every row.
pub static ALL: &[&Op] = &[
    &elementwise::ADD,
    &elementwise::SUB,
    &elementwise::MUL,
    &elementwise::DIV,
    &elementwise::POW,
    &elementwise::MAXIMUM,
    &elementwise::MINIMUM,
    &elementwise::NEG,
    &elementwise::ABS,
    &elementwise::EXP,
    &elementwise::LOG,
    &elementwise::SQRT,
    &elementwise::TANH,
    &elementwise::SIGMOID,
    &elementwise::RELU,
    &elementwise::WHERE,
    &elementwise::CAST,
    &arithmetic::FLOOR_DIVIDE,
    &arithmetic::REMAINDER,
    &arithmetic::FMOD,
    &arithmetic::TRUNC_DIVIDE,
    &arithmetic::CLAMP,
    &arithmetic::LERP,
    &arithmetic::ADDCMUL,
    &arithmetic::MASKED_FILL,
    &functions::SIGN,
    &functions::FLOOR,
    &functions::CEIL,
    &functions::ROUND,
    &functions::TRUNC,
    &functions::RECIPROCAL,
    &functions::RSQRT,
    &functions::SQUARE,
    &functions::EXPM1,
    &functions::LOG1P,
    &functions::LOG2,
    &functions::SIN,
    &functions::COS,
    &functions::TAN,
    &functions::ERF,
    &activation::GELU,
    &activation::SILU,
    &activation::SOFTPLUS,
    &activation::LEAKY_RELU,
    &activation::ELU,
    &logic::ISNAN,
    &logic::ISINF,
    &logic::ISFINITE,
    &logic::LOGICAL_NOT,
    &logic::LOGICAL_AND,
    &logic::LOGICAL_OR,
    &logic::LOGICAL_XOR,
    &logic::BITWISE_AND,
    &logic::BITWISE_OR,
    &logic::BITWISE_XOR,
    &logic::BITWISE_NOT,
    &logic::SHIFT_LEFT,
    &logic::SHIFT_RIGHT,
    &compare::EQ,
    &compare::NE,
    &compare::LT,
    &compare::LE,
    &compare::GT,
    &compare::GE,
    &reduce::SUM,
    &reduce::MEAN,
    &reduce::AMAX,
    &reduce::AMIN,
    &statistics::PROD,
    &statistics::ANY,
    &statistics::ALL,
    &statistics::ARGMAX,
    &statistics::ARGMIN,
    &statistics::VAR,
    &statistics::STD,
    &statistics::NORM,
    &statistics::LOGSUMEXP,
    &scan::CUMSUM,
    &scan::CUMPROD,
    &matmul::MATMUL,
    &movement::RESHAPE,
    &movement::PERMUTE,
    &movement::EXPAND,
    &movement::SLICE,
    &movement::SLICE_WRITE,
    &movement::CAT,
    &axes::VIEW,
    &axes::TRANSPOSE,
    &axes::UNSQUEEZE,
    &axes::SQUEEZE,
    &index::GATHER,
    &index::SCATTER_ADD,
    &index::TOPK,
    &index::NONZERO,
    &select::RAVEL_INDEX,
    &select::INDEX,
    &select::INDEX_WRITE,
    &select::TAKE,
    &listed::INDEX_SELECT,
    &listed::INDEX_ADD,
    &listed::INDEX_COPY,
    &listed::INDEX_FILL,
    &scatter::SCATTER,
    &scatter::TAKE_ALONG_DIM,
    &scatter::MASKED_SCATTER,
    &scatter::ONE_HOT,
    &order::SORT,
    &order::ARGSORT,
    &order::MAX_ALONG,
    &order::MIN_ALONG,
    &order::RUNNING_MAX,
    &order::RUNNING_MIN,
    &order::CUMMAX,
    &order::CUMMIN,
    &compare::ISCLOSE,
    &create::ZEROS,
    &create::ONES,
    &create::FULL,
    &create::ARANGE,
    &random::RAND,
    &random::RANDN,
    &window::WINDOW,
    &window::FOLD,
    &composite::SOFTMAX,
    &composite::CONV2D,
];

/// Codes from here on are not operations but commands; see [`crate::record`].
pub const CODE_LIMIT: u16 = 1024;

static BY_CODE: LazyLock<Vec<Option<&'static Op>>> = LazyLock::new(|| {
    let mut table = vec![None; CODE_LIMIT as usize];
    for &op in ALL {
        table[op.code as usize] = Some(op);
    }
    table
});

static BY_NAME: LazyLock<HashMap<&'static str, &'static Op>> =
    LazyLock::new(|| ALL.iter().map(|op| (op.name, *op)).collect());

/// The operation with this code.
pub fn by_code(code: u16) -> Option<&'static Op> {
    BY_CODE.get(code as usize).copied().flatten()
}

/// The operation with this name.
pub fn by_name(name: &str) -> Option<&'static Op> {
    BY_NAME.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Output;

    #[test]
    fn codes_and_names_are_used_once() {
        for &op in ALL {
            assert!(by_code(op.code).is_some_and(|found| std::ptr::eq(found, op)), "{}", op.name);
            assert!(by_name(op.name).is_some_and(|found| std::ptr::eq(found, op)), "{}", op.name);
        }
    }

    #[test]
    fn every_row_is_complete() {
        for op in ALL {
            let outputs: &[Output] = op.outputs;
            assert!(!op.doc.is_empty() && op.doc.ends_with('.'), "{}: doc", op.name);
            assert!((1..=4).contains(&outputs.len()), "{}: outputs", op.name);
            assert!(!(op.samples)().is_empty(), "{}: samples", op.name);
            assert!(op.code < CODE_LIMIT, "{}: code", op.name);
        }
    }
}

//! The table of operations. All there is to know about one stands in its row; nothing outside
//! this folder knows an operation by name.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::op::Op;

mod activation;
mod advanced_index;
mod arithmetic;
mod axes;
mod binary;
pub mod builtin;
mod compare;
mod composite;
mod convolution;
mod create;
mod create_like;
mod einsum;
mod elementwise;
mod family;
mod hyperbolic;
mod index;
mod index_select;
mod join;
mod linear;
mod logic;
mod matmul;
mod movement;
mod normalize;
mod optimizer;
mod pad;
mod pooling;
mod product;
mod random;
mod rearrange;
mod reduce;
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

/// The rows of each file, in the order of the reference.
static FILES: &[&[&Op]] = &[
    elementwise::ROWS,
    arithmetic::ROWS,
    unary::ROWS,
    trigonometry::ROWS,
    hyperbolic::ROWS,
    binary::ROWS,
    optimizer::ROWS,
    activation::ROWS,
    logic::ROWS,
    compare::ROWS,
    reduce::ROWS,
    statistics::ROWS,
    truth::ROWS,
    product::ROWS,
    scan::ROWS,
    matmul::ROWS,
    linear::ROWS,
    einsum::ROWS,
    movement::ROWS,
    axes::ROWS,
    rearrange::ROWS,
    join::ROWS,
    pad::ROWS,
    triangular::ROWS,
    index::ROWS,
    advanced_index::ROWS,
    index_select::ROWS,
    scatter::ROWS,
    sort::ROWS,
    search::ROWS,
    create::ROWS,
    create_like::ROWS,
    random::ROWS,
    sampling::ROWS,
    window::ROWS,
    composite::ROWS,
    convolution::ROWS,
    pooling::ROWS,
    normalize::ROWS,
];

/// Every row.
pub static ALL: &[&Op] = &JOINED;

static JOINED: [&Op; COUNT] = {
    let mut joined = [FILES[0][0]; COUNT];
    let (mut file, mut row, mut next) = (0, 0, 0);
    while next < COUNT {
        if row == FILES[file].len() {
            (file, row) = (file + 1, 0);
            continue;
        }
        joined[next] = FILES[file][row];
        (row, next) = (row + 1, next + 1);
    }
    joined
};

const COUNT: usize = {
    let (mut count, mut file) = (0, 0);
    while file < FILES.len() {
        count += FILES[file].len();
        file += 1;
    }
    count
};

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
    fn other_names_are_used_once() {
        let mut seen = std::collections::HashSet::new();
        let names = ALL.iter().flat_map(|op| op.names());
        names.for_each(|name| assert!(seen.insert(name), "{name} is the name of two rows"));
    }

    #[test]
    fn names_of_numpy_are_used_once() {
        // A row that is written from another one has that one's name too, unless it says its own.
        let mut seen: std::collections::HashSet<_> = ALL.iter().flat_map(|op| op.names()).collect();
        let names = ALL.iter().filter_map(|op| op.numpy);
        names.for_each(|name| assert!(seen.insert(name), "{name} is the name of two rows"));
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

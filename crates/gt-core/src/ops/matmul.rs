//! Products of matrices.

use smallvec::SmallVec;

use super::codes;
use super::family::BINARY;
use super::movement::{reshape, transpose};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input};
use crate::kernel::Kernel;
use crate::op::{Autocast, Call, Linear, Op, Python, Sample};
use crate::placement::Combine;
use crate::rules::shape::as_matrix;
use crate::rules::shard::{Factors, Letter, Letters};
use crate::rules::{shape, shard};
use crate::shape::Shape;

/// Products are of one dtype: what a promotion would cost and mean is left to the program.
pub(super) fn of_one_dtype(call: &Call) -> Result<()> {
    let first = call.inputs[0].dtype();
    match call.inputs.iter().map(|input| input.dtype()).find(|&dtype| dtype != first) {
        None => Ok(()),
        Some(other) => Err(Error::runtime(format!(
            "the factors have different dtypes, {first} and {other}; cast one of them first"
        ))),
    }
}

pub static MATMUL: Op = Op {
    name: "matmul",
    accepts_scalars: false,
    code: codes::MATMUL,
    doc: "Matrix products of the last two axes; those before them broadcast.",
    shape: |call| {
        if call.inputs.iter().all(|input| input.dtype() == DType::Bool) {
            return Err(Error::runtime("bool tensors have no products; cast one of them first"));
        }
        of_one_dtype(call)?;
        shape::matmul(call)
    },
    grad: Some(|call| {
        let (left, right) = matrices(call);
        let grad = reshape(Grad(0), &matrix_result(call));
        let for_left = matmul(grad.clone(), transpose(right, call.shape(1).rank().max(2)));
        let for_right = matmul(transpose(left, call.shape(0).rank().max(2)), grad);
        // Batch axes that were broadcast are summed as for every row; the axis that made a column
        // of a vector would be in the way.
        let batch = matrix_result(call).rank() - 2;
        vec![for_left, without_column(call, for_right, batch)]
    }),
    shard: factors,
    linear: Linear::Each(&[0, 1]),
    kernel: |call| {
        let vector = call.inputs.iter().any(|input| input.shape().rank() == 1);
        Ok(if vector { Kernel::Expansion } else { Kernel::Matmul })
    },
    expansion: Some(|call| {
        let (left, right) = matrices(call);
        let result = (call.op.shape)(call).map(|shapes| shapes[0].clone()).unwrap_or_default();
        vec![reshape(matmul(left, right), &result)]
    }),
    autocast: Autocast::Lower,
    torch: "torch.matmul",
    python: Python { in_place: false, ..Python::operator("matmul") },
    samples: || {
        vec![
            Sample::of(&[&[3, 4], &[4, 2]]),
            Sample::of(&[&[2, 3, 4], &[4, 2]]),
            Sample::of(&[&[5, 1, 3, 4], &[2, 4, 2]]),
            Sample::of(&[&[4], &[4]]),
            Sample::of(&[&[3, 4], &[4]]),
            Sample::of(&[&[4], &[2, 4, 3]]),
            Sample::of(&[&[3, 0], &[0, 2]]),
        ]
    },
    ..BINARY
};

/// The product of two matrices, or of stacks of them.
pub fn matmul(left: Expr, right: Expr) -> Expr {
    Expr::apply(&MATMUL, [left, right], [])
}

/// Both inputs with at least two axes.
fn matrices(call: &Call) -> (Expr, Expr) {
    let matrix = |index: usize, shape: &Shape| match as_matrix(shape, index == 0) {
        Some(matrix) if matrix.rank() != shape.rank() => reshape(Input(index), &matrix),
        _ => Input(index),
    };
    (matrix(0, call.shape(0)), matrix(1, call.shape(1)))
}

/// The shape of the product of [`matrices`].
fn matrix_result(call: &Call) -> Shape {
    let result = (call.op.shape)(call).map(|shapes| shapes[0].clone()).unwrap_or_default();
    let (left, right) = (call.shape(0).rank(), call.shape(1).rank());
    let mut sizes: SmallVec<[usize; 4]> = result.iter().copied().collect();
    if right == 1 {
        sizes.push(1);
    }
    if left == 1 {
        sizes.insert(sizes.len() - 1, 1);
    }
    sizes.into_iter().collect()
}

fn without_column(call: &Call, gradient: Expr, batch: usize) -> Expr {
    if call.shape(1).rank() > 1 {
        return gradient;
    }
    let result = matrix_result(call);
    let sizes = result[..batch].iter().copied().chain([call.shape(1)[0]]);
    reshape(gradient, &sizes.collect())
}

const ROWS: u8 = 100;
const COLUMNS: u8 = 101;
/// The index that products are summed over.
pub(super) const INNER: u8 = 102;

/// `(b i k), (b k j) -> (b i j)`: rows, columns and batches stay cut; cut inner sizes are summed.
pub(super) fn factors(call: &Call) -> Factors {
    let Ok(result) = shape::matmul(call) else { return shard::gather_first(call) };
    let [left, right] = [0, 1].map(|index| call.shape(index));
    // A vector is a row on the left and a column on the right, which the result does not have.
    let (row, column) = ((left.rank() > 1).then_some(ROWS), (right.rank() > 1).then_some(COLUMNS));
    let alone = row.iter().chain(&column).count();
    let (result, batch) = (&result[0], result[0].rank() - alone);
    let batches = |shape: &Shape| {
        let own = shape.rank().saturating_sub(2);
        let added = batch - own;
        let sizes = shape[..own].iter().enumerate();
        let letter = move |(axis, &size): (usize, &usize)| -> Letter {
            (size == result[axis + added]).then_some((axis + added) as u8)
        };
        sizes.map(letter).collect::<Letters>()
    };
    let with = |mut letters: Letters, more: &[Letter]| {
        letters.extend(more.iter().copied().filter(Option::is_some));
        letters
    };
    let inputs = vec![
        with(batches(left), &[row, Some(INNER)]),
        with(batches(right), &[Some(INNER), column]),
    ];
    let output = with(shard::numbered(batch), &[row, column]);
    Factors::of(call, inputs, vec![output]).combining([(INNER, Combine::Sum)])
}

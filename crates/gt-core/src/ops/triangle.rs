//! Triangles and diagonals of matrices.

use super::compare::GE;
use super::create::{arange, zeros};
use super::elementwise::where_;
use super::family::{MOVE, REDUCE};
use super::movement::{reshape, slice, slice_write};
use super::reduce::sum;
use crate::attrs::{Attr, AttrKind, AttrSpec, Range};
use crate::dtype::Scalar;
use crate::error::Error;
use crate::expr::Expr::{self, Grad, Input, Number};
use crate::kernel::Kernel;
use crate::op::{Call, Linear, Op, Python, Sample};
use crate::rules::promote::Promotion;
use crate::rules::shape;
use crate::rules::shard::Factors;
use crate::shape::Shape;

/// The rows of this file.
pub(super) static ROWS: &[&Op] = &[&TRIL, &TRIU, &DIAG, &TRACE];

static DIAGONAL: [AttrSpec; 1] = [AttrSpec::optional("diagonal", AttrKind::Int, Attr::Int(0))];

const TRIANGLE: Op = Op {
    attrs: &DIAGONAL,
    shape: |call| {
        if call.shape(0).rank() < 2 {
            return Err(Error::runtime("the tensor needs at least two axes"));
        }
        shape::same(call)
    },
    shard: |call| {
        let rank = call.shape(0).rank();
        let batch = (0..rank).map(|axis| (axis + 2 < rank).then_some(axis as u8));
        let axes: smallvec::SmallVec<[Option<u8>; 4]> = batch.collect();
        Factors { inputs: vec![axes.clone()], outputs: vec![axes], combined: Vec::new() }
    },
    kernel: |_| Ok(Kernel::Expansion),
    python: Python::IN_PLACE,
    samples: || {
        let of = |shape: &[usize], diagonal: i64| Sample::of(&[shape]).attrs([diagonal.into()]);
        vec![of(&[3, 3], 0), of(&[2, 4], 1), of(&[2, 3, 2], -1), of(&[0, 3], 0)]
    },
    ..MOVE
};

pub static TRIL: Op = Op {
    name: "tril",
    code: 431,
    doc: "The matrix with zeros above a diagonal.",
    grad: |call| vec![Expr::apply(&TRIL, [Grad(0)], [call.attr("diagonal").clone()])],
    expansion: Some(|call| vec![where_(below(call, call.int("diagonal")), Input(0), nothing())]),
    torch: "torch.tril",
    ..TRIANGLE
};

pub static TRIU: Op = Op {
    name: "triu",
    code: 432,
    doc: "The matrix with zeros below a diagonal.",
    grad: |call| vec![Expr::apply(&TRIU, [Grad(0)], [call.attr("diagonal").clone()])],
    expansion: Some(|call| {
        let under = below(call, call.int("diagonal").saturating_sub(1));
        vec![where_(under, nothing(), Input(0))]
    }),
    torch: "torch.triu",
    ..TRIANGLE
};

pub static DIAG: Op = Op {
    name: "diag",
    code: 433,
    doc: "The diagonal of a matrix, or the matrix with a vector as its diagonal.",
    attrs: &DIAGONAL,
    shape: |call| {
        let shape = call.shape(0);
        match shape.rank() {
            1 => Ok([square(call).0].into()),
            2 => Ok([[diagonal(call, shape).len].into()].into()),
            rank => Err(Error::runtime(format!("expected a vector or a matrix, not {rank} axes"))),
        }
    },
    grad: |call| match call.shape(0).rank() {
        1 => vec![Expr::apply(&DIAG, [Grad(0)], [call.attr("diagonal").clone()])],
        _ => {
            let range = diagonal(call, call.shape(0));
            vec![on_diagonal(Grad(0), call, call.shape(0), range)]
        }
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        let shape = call.shape(0);
        if shape.rank() == 1 {
            let (matrix, range) = square(call);
            return vec![on_diagonal(Input(0), call, &matrix, range)];
        }
        let flat = reshape(Input(0), &[shape.count()].into());
        vec![slice(flat, vec![diagonal(call, shape)])]
    }),
    torch: "torch.diag",
    samples: || {
        let of = |shape: &[usize], diagonal: i64| Sample::of(&[shape]).attrs([diagonal.into()]);
        vec![
            of(&[3], 0),
            of(&[2], -1),
            of(&[2], 2),
            of(&[3, 4], 0),
            of(&[4, 3], -2),
            of(&[2, 5], 1),
        ]
    },
    ..MOVE
};

pub static TRACE: Op = Op {
    name: "trace",
    code: 434,
    doc: "The sum of a matrix's diagonal.",
    attrs: &[],
    promotion: Promotion::Accumulate,
    shape: |call| match call.shape(0).rank() {
        2 => Ok([Shape::scalar()].into()),
        rank => Err(Error::runtime(format!("expected a matrix, not {rank} axes"))),
    },
    grad: |call| {
        let shape = call.shape(0);
        let (rows, columns) = (shape[0], shape[1]);
        let ones = Expr::apply(
            &super::create::EYE,
            [],
            [rows.into(), columns.into(), call.inputs[0].dtype().into()],
        );
        vec![ones * Grad(0)]
    },
    linear: Linear::Each(&[0]),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|_| {
        let diagonal = Expr::apply(&DIAG, [Input(0)], [Attr::Int(0)]);
        vec![sum(diagonal, &[], false)]
    }),
    torch: "torch.trace",
    samples: || vec![Sample::of(&[&[3, 3]]), Sample::of(&[&[2, 4]]), Sample::of(&[&[0, 2]])],
    ..REDUCE
};

/// Zero in any dtype: the weakest kind does not promote what stands beside it.
fn nothing() -> Expr {
    Number(Scalar::Bool(false))
}

/// Whether an element is on a diagonal or below it.
fn below(call: &Call, diagonal: i64) -> Expr {
    let shape = call.shape(0);
    let (rows, columns) = (shape[shape.rank() - 2], shape[shape.rank() - 1]);
    // Far beyond any axis, a diagonal is as good as at its end.
    let diagonal = diagonal.clamp(-(1 << 48), 1 << 48);
    let reach = reshape(arange(diagonal, rows), &[rows, 1].into());
    Expr::apply(&GE, [reach, arange(0, columns)], [])
}

/// Where the diagonal of a matrix lies among its elements, row by row.
fn diagonal(call: &Call, shape: &Shape) -> Range {
    let (rows, columns, offset) =
        (shape[0] as i64, shape[shape.rank() - 1] as i64, call.int("diagonal"));
    let (row, column) = (offset.saturating_neg().max(0), offset.max(0));
    let len = (rows - row.min(rows)).min(columns - column.min(columns)) as usize;
    let start = if len == 0 { 0 } else { (row * columns + column) as usize };
    Range { start, len, step: columns + 1 }
}

/// The matrix that a vector is the diagonal of, and where that lies.
fn square(call: &Call) -> (Shape, Range) {
    let (len, offset) = (call.shape(0)[0], call.int("diagonal"));
    let size = len.saturating_add(offset.unsigned_abs() as usize);
    let first = if offset < 0 { offset.unsigned_abs() as usize * size } else { offset as usize };
    let start = if len == 0 { 0 } else { first };
    ([size, size].into(), Range { start, len, step: size as i64 + 1 })
}

fn on_diagonal(vector: Expr, call: &Call, matrix: &Shape, range: Range) -> Expr {
    let flat = zeros(&[matrix.count()].into(), call.inputs[0].dtype());
    reshape(slice_write(flat, vector, vec![range]), matrix)
}

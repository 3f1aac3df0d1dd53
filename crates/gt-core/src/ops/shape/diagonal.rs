//! Triangular parts, diagonals and traces of matrices.

use super::axes::{permute, reshape};
use super::slice::{slice, slice_write};
use crate::attrs::{Attr, AttrSpec, Range};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Number};
use crate::kernel::{Diagonal, Kernel};
use crate::op::{Call, Input as In, Linear, Op, Python, Role, Sample, View, ints};
use crate::ops::create::{EYE, arange, zeros};
use crate::ops::elementwise::compare::GE;
use crate::ops::elementwise::ternary::where_;
use crate::ops::family::{MOVE, REDUCE};
use crate::ops::reduce::sum::sum;
use crate::ops::{codes, keys};
use crate::rules::promote::Promotion;
use crate::rules::shape;
use crate::rules::shard::{self, Factors, Letters, localise};
use crate::shape::Shape;

static OFFSET: [AttrSpec; 1] = [keys::DIAGONAL.or(0)];

const TRIANGLE: Op = Op {
    attrs: &OFFSET,
    shape: |call| {
        if call.shape(0).rank() < 2 {
            return Err(Error::runtime("the tensor needs at least two axes"));
        }
        shape::same(call)
    },
    shard: shard::pointwise,
    // A part that starts further down shifts the diagonal right, further right shifts it left.
    localise: |call, parts| {
        let start = shard::pointwise(call).output_start(0, parts);
        let [.., row, column] = start[..] else { return call.attrs.clone() };
        let moved = call.int(keys::DIAGONAL).saturating_add(row as i64 - column as i64);
        localise::with(call, keys::DIAGONAL, moved.into())
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
    code: codes::TRIL,
    doc: "The matrix with zeros above a diagonal.",
    grad: Some(|call| vec![Expr::apply(&TRIL, [Grad(0)], [call.attr(keys::DIAGONAL).clone()])]),
    expansion: Some(|call| {
        vec![where_(below(call, call.int(keys::DIAGONAL)), Input(0), nothing())]
    }),
    torch: "torch.tril",
    ..TRIANGLE
};

pub static TRIU: Op = Op {
    name: "triu",
    code: codes::TRIU,
    doc: "The matrix with zeros below a diagonal.",
    grad: Some(|call| vec![Expr::apply(&TRIU, [Grad(0)], [call.attr(keys::DIAGONAL).clone()])]),
    expansion: Some(|call| {
        let under = below(call, call.int(keys::DIAGONAL).saturating_sub(1));
        vec![where_(under, nothing(), Input(0))]
    }),
    torch: "torch.triu",
    ..TRIANGLE
};

pub static DIAG: Op = Op {
    name: "diag",
    code: codes::DIAG,
    doc: "The diagonal of a matrix, or the matrix with a vector as its diagonal.",
    attrs: &OFFSET,
    shape: |call| {
        let shape = call.shape(0);
        match shape.rank() {
            1 => Ok([square(call).0].into()),
            2 => Ok([[diagonal(call, shape).len].into()].into()),
            rank => Err(Error::runtime(format!("expected a vector or a matrix, not {rank} axes"))),
        }
    },
    grad: Some(|call| match call.shape(0).rank() {
        1 => vec![Expr::apply(&DIAG, [Grad(0)], [call.attr(keys::DIAGONAL).clone()])],
        _ => {
            let range = diagonal(call, call.shape(0));
            vec![on_diagonal(Grad(0), call, call.shape(0), range)]
        }
    }),
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

static DIAGONAL_ATTRS: [AttrSpec; 3] = [keys::OFFSET.or(0), keys::DIM1.or(0), keys::DIM2.or(1)];

pub static DIAGONAL: Op = Op {
    name: "diagonal",
    code: codes::DIAGONAL,
    doc: "The diagonal of two axes, along an axis of its own that comes last.",
    attrs: &DIAGONAL_ATTRS,
    shape: |call| Ok([Lying::of(call)?.shape(call.shape(0))].into()),
    grad: Some(|call| {
        let zeros = zeros(call.shape(0), call.inputs[0].dtype());
        vec![Expr::apply(&DIAGONAL_SCATTER, [zeros, Grad(0)], call.attrs.0.iter().cloned())]
    }),
    view: View::Writable(|call| {
        Expr::apply(&DIAGONAL_SCATTER, [Input(0), Grad(0)], call.attrs.0.iter().cloned())
    }),
    shard: |call| match Lying::of(call) {
        Ok(lying) => {
            let (input, output) = lying.letters(call.shape(0).rank());
            Factors::of(call, vec![input], vec![output])
        }
        Err(_) => shard::gather_first(call),
    },
    kernel: |call| Ok(Kernel::Diagonal(Lying::of(call)?.place)),
    torch: "torch.diagonal",
    samples: || {
        let of = |shape: &[usize], offset: i64, dims: [i64; 2]| {
            Sample::of(&[shape]).attrs([offset.into(), dims[0].into(), dims[1].into()])
        };
        vec![
            of(&[3, 4], 0, [0, 1]),
            of(&[4, 3], -2, [0, 1]),
            of(&[2, 3, 4], 1, [-1, 0]),
            of(&[2, 3], 5, [0, 1]),
        ]
    },
    ..MOVE
};

static WRITTEN: [In; 2] =
    [In { name: "input", role: Role::Operand }, In { name: "src", role: Role::Operand }];

pub static DIAGONAL_SCATTER: Op = Op {
    name: "diagonal_scatter",
    code: codes::DIAGONAL_SCATTER,
    doc: "The tensor with other elements on a diagonal of two of its axes.",
    inputs: &WRITTEN,
    shape: |call| {
        let (needed, given) = (Lying::of(call)?.shape(call.shape(0)), call.shape(1));
        if needed != *given {
            return Err(Error::runtime(format!("expected src of shape {needed}, not {given}")));
        }
        if call.inputs[0].dtype() != call.inputs[1].dtype() {
            return Err(Error::runtime("expected src to have the dtype of input"));
        }
        shape::same(call)
    },
    grad: Some(|call| {
        let zeros = zeros(call.shape(1), call.inputs[0].dtype());
        let attrs = || call.attrs.0.iter().cloned();
        let kept = Expr::apply(&DIAGONAL_SCATTER, [Grad(0), zeros], attrs());
        vec![kept, Expr::apply(&DIAGONAL, [Grad(0)], attrs())]
    }),
    linear: Linear::Together(&[0, 1]),
    view: View::No,
    shard: |call| match Lying::of(call) {
        Ok(lying) => {
            let (base, diagonal) = lying.letters(call.shape(0).rank());
            Factors::of(call, vec![base.clone(), diagonal], vec![base])
        }
        Err(_) => shard::gather_first(call),
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| match Lying::of(call) {
        Ok(lying) => vec![lying.write(call.shape(0))],
        Err(_) => Vec::new(),
    }),
    torch: "torch.diagonal_scatter",
    samples: || {
        let of = |shapes: &[&[usize]], offset: i64, dims: [i64; 2]| {
            Sample::of(shapes).attrs([offset.into(), dims[0].into(), dims[1].into()])
        };
        vec![
            of(&[&[3, 4], &[3]], 0, [0, 1]),
            of(&[&[2, 3, 4], &[3, 2]], 1, [0, 2]),
            of(&[&[2, 3], &[0]], 5, [0, 1]),
        ]
    },
    ..DIAGONAL
};

/// A diagonal of two axes and its length.
struct Lying {
    place: Diagonal,
    len: usize,
}

impl Lying {
    fn of(call: &Call) -> Result<Self> {
        let (shape, axes) = (call.shape(0), [call.axis(keys::DIM1, 0)?, call.axis(keys::DIM2, 0)?]);
        if axes[0] == axes[1] {
            return Err(Error::runtime("diagonal dimensions cannot be identical"));
        }
        if shape.rank() < 2 {
            return Err(Error::index("the tensor needs at least two axes"));
        }
        let sizes = axes.map(|axis| shape[axis]);
        let beyond = |steps: i64, size: usize| usize::try_from(steps).unwrap_or(0).min(size);
        let offset = call.int(keys::OFFSET);
        let start = [beyond(offset.saturating_neg(), sizes[0]), beyond(offset, sizes[1])];
        let len = (sizes[0] - start[0]).min(sizes[1] - start[1]);
        Ok(Lying { place: Diagonal { axes, start }, len })
    }

    fn others(&self, rank: usize) -> impl Iterator<Item = usize> {
        let axes = self.place.axes;
        (0..rank).filter(move |axis| !axes.contains(axis))
    }

    /// The letters of a tensor and of its diagonal: only the other axes may be cut.
    fn letters(&self, rank: usize) -> (Letters, Letters) {
        let mut whole = Letters::from_elem(None, rank);
        self.others(rank).for_each(|axis| whole[axis] = Some(axis as u8));
        let around = self.others(rank).map(|axis| Some(axis as u8)).chain([None]);
        (whole, around.collect())
    }

    /// The shape of the diagonal.
    fn shape(&self, whole: &Shape) -> Shape {
        self.others(whole.rank()).map(|axis| whole[axis]).chain([self.len]).collect()
    }

    /// `Input(0)` with `Input(1)` on the diagonal.
    fn write(&self, whole: &Shape) -> Expr {
        let order: Vec<usize> = self.others(whole.rank()).chain(self.place.axes).collect();
        let turned: Shape = order.iter().map(|&axis| whole[axis]).collect();
        let rank = whole.rank() - 1;
        let columns = turned[rank];
        let flat: Shape =
            turned[..rank - 1].iter().copied().chain([turned[rank - 1] * columns]).collect();
        let mut ranges: Vec<Range> = flat.iter().map(|&size| Range::all(size)).collect();
        let [row, column] = self.place.start;
        let start = if self.len == 0 { 0 } else { row * columns + column };
        ranges[rank - 1] = Range { start, len: self.len, step: columns as i64 + 1 };
        let base = reshape(permute(Input(0), &order), &flat);
        let mut back = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &axis)| back[axis] = at);
        permute(reshape(slice_write(base, Input(1), ranges), &turned), &back)
    }
}

pub static TRACE: Op = Op {
    name: "trace",
    code: codes::TRACE,
    doc: "The sum of a matrix's diagonal.",
    attrs: &[],
    promotion: Promotion::Accumulate,
    shape: |call| match call.shape(0).rank() {
        2 => Ok([Shape::scalar()].into()),
        rank => Err(Error::runtime(format!("expected a matrix, not {rank} axes"))),
    },
    grad: Some(|call| {
        let shape = call.shape(0);
        let (rows, columns) = (shape[0], shape[1]);
        let ones = Expr::apply(
            &EYE,
            [],
            [rows.into(), columns.into(), call.inputs[0].dtype().into(), ints([])],
        );
        vec![ones * Grad(0)]
    }),
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

/// Zero in any dtype: a bool, the weakest kind, does not promote the other operand.
fn nothing() -> Expr {
    Number(Scalar::Bool(false))
}

/// Whether an element is on a diagonal or below it.
fn below(call: &Call, diagonal: i64) -> Expr {
    let shape = call.shape(0);
    let (rows, columns) = (shape[shape.rank() - 2], shape[shape.rank() - 1]);
    // Clamped so that the sums cannot overflow; no axis is that long.
    let diagonal = diagonal.clamp(-(1 << 48), 1 << 48);
    let reach = reshape(arange(diagonal, rows), &[rows, 1].into());
    Expr::apply(&GE, [reach, arange(0, columns)], [])
}

/// The diagonal of a matrix as a range of its elements in row-major order.
fn diagonal(call: &Call, shape: &Shape) -> Range {
    let (rows, columns, offset) =
        (shape[0] as i64, shape[shape.rank() - 1] as i64, call.int(keys::DIAGONAL));
    let (row, column) = (offset.saturating_neg().max(0), offset.max(0));
    let len = (rows - row.min(rows)).min(columns - column.min(columns)) as usize;
    let start = if len == 0 { 0 } else { (row * columns + column) as usize };
    Range { start, len, step: columns + 1 }
}

/// The shape of the matrix whose diagonal is a vector, and the range of that diagonal.
fn square(call: &Call) -> (Shape, Range) {
    let (len, offset) = (call.shape(0)[0], call.int(keys::DIAGONAL));
    let size = len.saturating_add(offset.unsigned_abs() as usize);
    let first = if offset < 0 { offset.unsigned_abs() as usize * size } else { offset as usize };
    let start = if len == 0 { 0 } else { first };
    ([size, size].into(), Range { start, len, step: size as i64 + 1 })
}

fn on_diagonal(vector: Expr, call: &Call, matrix: &Shape, range: Range) -> Expr {
    let flat = zeros(&[matrix.count()].into(), call.inputs[0].dtype());
    reshape(slice_write(flat, vector, vec![range]), matrix)
}

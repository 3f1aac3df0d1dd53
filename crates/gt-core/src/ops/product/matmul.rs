//! Products of matrices and vectors, such as `matmul`, `mm`, `bmm`, `dot`, `outer` and `addmm`.

use smallvec::SmallVec;

use crate::attrs::{Attr, AttrSpec};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Number, Zero};
use crate::kernel::Kernel;
use crate::op::{Autocast, Call, Input as In, Linear, Op, Python, Role, Sample, Shapes};
use crate::ops::family::BINARY;
use crate::ops::shape::axes::{reshape, transpose};
use crate::ops::{codes, keys};
use crate::placement::Combine;
use crate::rules::shape::{self, as_matrix};
use crate::rules::shard::{self, Factors, Letter, Letters, indexed};
use crate::shape::Shape;

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
        // Broadcast batch axes are summed as for every row; the axis that made the vector a column
        // has to be removed before that.
        let batch = matrix_result(call).rank() - 2;
        vec![for_left, without_column(call, for_right, batch)]
    }),
    shard: product_factors,
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

const ROWS: u8 = 100;
const COLUMNS: u8 = 101;
/// The letter of the axis that is summed over.
pub const CONTRACTED: u8 = 102;

static TWO_MATRICES: [In; 2] =
    [In { name: "input", role: Role::Operand }, In { name: "mat2", role: Role::Operand }];
static MATRIX_AND_VECTOR: [In; 2] =
    [In { name: "input", role: Role::Operand }, In { name: "vec", role: Role::Operand }];

pub static MM: Op = Op {
    name: "mm",
    code: codes::MM,
    doc: "The product of two matrices.",
    inputs: &TWO_MATRICES,
    shape: |call| of_ranks(call, [2, 2]),
    torch: "torch.mm",
    python: Python::BOTH,
    samples: || vec![Sample::of(&[&[3, 4], &[4, 2]]), Sample::of(&[&[2, 0], &[0, 3]])],
    ..MATMUL
};

pub static BMM: Op = Op {
    name: "bmm",
    code: codes::BMM,
    doc: "The products of the matrices in two stacks of the same height.",
    inputs: &TWO_MATRICES,
    shape: |call| {
        let result = of_ranks(call, [3, 3])?;
        let (a, b) = (call.shape(0), call.shape(1));
        if a[0] != b[0] {
            return Err(Error::runtime(format!("stacks of {} and {} matrices", a[0], b[0])));
        }
        Ok(result)
    },
    torch: "torch.bmm",
    python: Python::BOTH,
    samples: || vec![Sample::of(&[&[2, 3, 4], &[2, 4, 2]]), Sample::of(&[&[1, 2, 2], &[1, 2, 1]])],
    ..MATMUL
};

pub static MV: Op = Op {
    name: "mv",
    code: codes::MV,
    doc: "The product of a matrix and a vector.",
    inputs: &MATRIX_AND_VECTOR,
    shape: |call| of_ranks(call, [2, 1]),
    torch: "torch.mv",
    python: Python::BOTH,
    samples: || vec![Sample::of(&[&[3, 4], &[4]]), Sample::of(&[&[2, 0], &[0]])],
    ..MATMUL
};

static TWO_VECTORS: [In; 2] =
    [In { name: "input", role: Role::Operand }, In { name: "tensor", role: Role::Operand }];

pub static DOT: Op = Op {
    name: "dot",
    code: codes::DOT,
    doc: "The sum of the products of two vectors' elements.",
    inputs: &TWO_VECTORS,
    shape: |call| of_ranks(call, [1, 1]),
    torch: "torch.dot",
    python: Python::BOTH.also(&["vdot"]),
    samples: || vec![Sample::of(&[&[4], &[4]]), Sample::of(&[&[0], &[0]])],
    autocast: Autocast::Widest,
    ..MATMUL
};

static OUTER_INPUTS: [In; 2] =
    [In { name: "input", role: Role::Operand }, In { name: "vec2", role: Role::Operand }];

pub static OUTER: Op = Op {
    name: "outer",
    code: codes::OUTER,
    doc: "The product of each element of a vector with each of another.",
    inputs: &OUTER_INPUTS,
    accepts_scalars: false,
    shape: |call| match (&**call.shape(0), &**call.shape(1)) {
        (&[rows], &[columns]) => Ok([[rows, columns].into()].into()),
        _ => Err(Error::runtime("expected two vectors")),
    },
    grad: Some(|call| {
        let (a, b) = (call.shape(0), call.shape(1));
        let column = reshape(Input(1), &[b[0], 1].into());
        let row = reshape(Input(0), &[1, a[0]].into());
        vec![reshape(matmul(Grad(0), column), a), reshape(matmul(row, Grad(0)), b)]
    }),
    linear: Linear::Each(&[0, 1]),
    shard: |call| match call.shape(0).rank() + call.shape(1).rank() {
        2 => {
            let vectors = [0, 1].map(|letter| [Some(letter)].into_iter().collect());
            Factors::of(call, vectors.into(), vec![[Some(0), Some(1)].into_iter().collect()])
        }
        _ => shard::gather_first(call),
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| vec![reshape(Input(0), &[call.shape(0)[0], 1].into()) * Input(1)]),
    autocast: Autocast::Keep,
    torch: "torch.outer",
    python: Python::BOTH.also(&["ger"]),
    samples: || vec![Sample::of(&[&[3], &[4]]), Sample::of(&[&[0], &[2]])],
    ..BINARY
};

pub static INNER: Op = Op {
    name: "inner",
    code: codes::INNER,
    doc: "The sums of products along the last axis of each of two tensors.",
    accepts_scalars: false,
    shape: |call| {
        let (a, b) = (call.shape(0), call.shape(1));
        if a.rank() == 0 || b.rank() == 0 {
            return shape::broadcast(call);
        }
        not_of_bools(call)?;
        if a.last() != b.last() {
            return Err(Error::runtime(format!("the last sizes of {a} and {b} differ")));
        }
        let lead = |shape: &Shape| shape[..shape.rank() - 1].to_vec();
        Ok([lead(a).into_iter().chain(lead(b)).collect()].into())
    },
    grad: Some(|call| match Rows::of(call) {
        Some(rows) => {
            let grad = reshape(Grad(0), &[rows.left[0], rows.right[0]].into());
            let left = matmul(grad.clone(), reshape(Input(1), &rows.right));
            let right = matmul(transpose(grad, 2), reshape(Input(0), &rows.left));
            vec![reshape(left, call.shape(0)), reshape(right, call.shape(1))]
        }
        None => vec![Grad(0) * Input(1), Grad(0) * Input(0)],
    }),
    linear: Linear::Each(&[0, 1]),
    shard: |call| {
        let [left, right] = [0, 1].map(|index| call.shape(index).rank());
        if left == 0 || right == 0 {
            return shard::pointwise(call);
        }
        let letters = |range: std::ops::Range<usize>| range.map(|letter| Some(letter as u8));
        let (a, b) = (letters(0..left - 1), letters(left - 1..left + right - 2));
        let inputs = [a.clone(), b.clone()].map(|own| own.chain([Some(CONTRACTED)]).collect());
        let output = a.chain(b).collect();
        Factors::of(call, inputs.into(), vec![output]).combining([(CONTRACTED, Combine::Sum)])
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| match Rows::of(call) {
        Some(rows) => {
            let result = (call.op.shape)(call).map(|shapes| shapes[0].clone()).unwrap_or_default();
            let right = transpose(reshape(Input(1), &rows.right), 2);
            vec![reshape(matmul(reshape(Input(0), &rows.left), right), &result)]
        }
        None => vec![Input(0) * Input(1)],
    }),
    autocast: Autocast::Widest,
    torch: "torch.inner",
    python: Python::BOTH,
    samples: || {
        vec![
            Sample::of(&[&[4], &[4]]),
            Sample::of(&[&[2, 3], &[4, 3]]),
            Sample::of(&[&[], &[2, 3]]),
            Sample::of(&[&[2, 1, 3], &[3]]),
        ]
    },
    ..BINARY
};

static ADDED: [In; 3] = [
    In { name: "input", role: Role::Operand },
    In { name: "mat1", role: Role::Operand },
    In { name: "mat2", role: Role::Operand },
];
static BATCH_ADDED: [In; 3] = [
    In { name: "input", role: Role::Operand },
    In { name: "batch1", role: Role::Operand },
    In { name: "batch2", role: Role::Operand },
];
static WEIGHTS: [AttrSpec; 2] = [keys::BETA.or(1), keys::ALPHA.or(1)];

pub static ADDMM: Op = Op {
    name: "addmm",
    code: codes::ADDMM,
    doc: "beta input + alpha (mat1 @ mat2), for matrices.",
    inputs: &ADDED,
    attrs: &WEIGHTS,
    accepts_scalars: false,
    shape: |call| added_shape(call, 2),
    grad: Some(|call| {
        let rank = call.shape(1).rank();
        let scaled = Grad(0) * Number(call.number(keys::ALPHA));
        let for_left = matmul(scaled.clone(), transpose(Input(2), rank));
        let for_right = matmul(transpose(Input(1), rank), scaled);
        vec![weighted(Grad(0), call).unwrap_or(Zero), for_left, for_right]
    }),
    linear: Linear::Together(&[0, 1]),
    shard: |call| {
        let product = Call { op: &MATMUL, inputs: &call.inputs[1..], ..*call };
        let mut factors = product_factors(&product);
        let Some(output) = factors.outputs.first() else { return shard::gather_first(call) };
        let added = output.len() - call.shape(0).rank().min(output.len());
        factors.inputs.insert(0, indexed::broadcast(call.shape(0), &output[added..]));
        // With beta zero the input is not read.
        let counts = call.number(keys::BETA).as_f64() != 0.0;
        factors.adding(0, counts.then_some(CONTRACTED))
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        let product = matmul(Input(1), Input(2));
        let product = match call.number(keys::ALPHA) {
            Scalar::Int(1) => product,
            alpha => product * Number(alpha),
        };
        // With beta zero the input is ignored, even its NaNs.
        vec![match weighted(Input(0), call) {
            Some(input) => input + product,
            None => product,
        }]
    }),
    autocast: Autocast::Lower,
    torch: "torch.addmm",
    python: Python::IN_PLACE,
    samples: || {
        let of =
            |shapes: &[&[usize]], beta: Attr, alpha: Attr| Sample::of(shapes).attrs([beta, alpha]);
        vec![
            of(&[&[3, 2], &[3, 4], &[4, 2]], Attr::Int(1), Attr::Int(1)),
            of(&[&[2], &[3, 4], &[4, 2]], Attr::Float(0.5), Attr::Float(-2.0)),
            of(&[&[3, 2], &[3, 4], &[4, 2]], Attr::Int(0), Attr::Int(1)),
        ]
    },
    ..BINARY
};

pub static BADDBMM: Op = Op {
    name: "baddbmm",
    code: codes::BADDBMM,
    doc: "beta input + alpha (batch1 @ batch2), for stacks of matrices.",
    inputs: &BATCH_ADDED,
    shape: |call| added_shape(call, 3),
    torch: "torch.baddbmm",
    samples: || {
        let of =
            |shapes: &[&[usize]], beta: Attr, alpha: Attr| Sample::of(shapes).attrs([beta, alpha]);
        vec![
            of(&[&[2, 3, 2], &[2, 3, 4], &[2, 4, 2]], Attr::Int(1), Attr::Int(1)),
            of(&[&[3, 1], &[2, 3, 4], &[2, 4, 2]], Attr::Float(0.5), Attr::Float(2.0)),
        ]
    },
    ..ADDMM
};

/// Refuses factors of different dtypes: like PyTorch, products do not promote.
pub fn of_one_dtype(call: &Call) -> Result<()> {
    let first = call.inputs[0].dtype();
    match call.inputs.iter().map(|input| input.dtype()).find(|&dtype| dtype != first) {
        None => Ok(()),
        Some(other) => Err(Error::runtime(format!(
            "the factors have different dtypes, {first} and {other}; cast one of them first"
        ))),
    }
}

/// The product of two matrices, or of two batches of matrices.
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

/// `(b i k), (b k j) -> (b i j)`: rows, columns and batches stay cut; a cut inner axis gives
/// partial sums.
fn product_factors(call: &Call) -> Factors {
    let Ok(result) = shape::matmul(call) else { return shard::gather_first(call) };
    let [left, right] = [0, 1].map(|index| call.shape(index));
    // A vector is a row on the left or a column on the right, an axis that the result lacks.
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
        with(batches(left), &[row, Some(CONTRACTED)]),
        with(batches(right), &[Some(CONTRACTED), column]),
    ];
    let output = with(shard::numbered(batch), &[row, column]);
    Factors::of(call, inputs, vec![output]).combining([(CONTRACTED, Combine::Sum)])
}

/// Two tensors as matrices, each row of one multiplied with each of the other; `None` if one is a
/// scalar.
struct Rows {
    left: Shape,
    right: Shape,
}

impl Rows {
    fn of(call: &Call) -> Option<Self> {
        let matrix = |shape: &Shape| -> Option<Shape> {
            let (&size, lead) = shape.split_last()?;
            Some([lead.iter().product(), size].into())
        };
        Some(Rows { left: matrix(call.shape(0))?, right: matrix(call.shape(1))? })
    }
}

fn not_of_bools(call: &Call) -> Result<()> {
    if call.inputs.iter().all(|input| input.dtype() == DType::Bool) {
        return Err(Error::runtime("bool tensors have no products; cast one of them first"));
    }
    of_one_dtype(call)
}

/// The shape of a product whose factors must have these ranks.
fn of_ranks(call: &Call, ranks: [usize; 2]) -> Result<Shapes> {
    let found = [call.shape(0).rank(), call.shape(1).rank()];
    if found != ranks {
        let ([a, b], [x, y]) = (ranks, found);
        return Err(Error::runtime(format!(
            "expected tensors of {a} and {b} axes, not {x} and {y}"
        )));
    }
    (MATMUL.shape)(call)
}

fn added_shape(call: &Call, rank: usize) -> Result<Shapes> {
    not_of_bools(call)?;
    let factors = &call.inputs[1..];
    if factors.iter().any(|input| input.shape().rank() != rank) {
        return Err(Error::runtime(format!("expected factors of {rank} axes")));
    }
    if rank == 3 && factors[0].shape()[0] != factors[1].shape()[0] {
        return Err(Error::runtime("the stacks of matrices differ in height"));
    }
    let whole = call.inputs.iter().all(|input| !input.dtype().is_float());
    if whole
        && [keys::BETA, keys::ALPHA].iter().any(|&key| matches!(call.number(key), Scalar::Float(_)))
    {
        return Err(Error::runtime("beta and alpha must be whole for whole numbers"));
    }
    let product = shape::matmul(&Call { op: &MATMUL, inputs: factors, attrs: call.attrs })?;
    if !call.shape(0).expands_to(&product[0]) {
        let (input, product) = (call.shape(0), &product[0]);
        return Err(Error::runtime(format!("{input} cannot be expanded to {product}")));
    }
    Ok(product)
}

/// `expr` times beta; `None` if beta is zero.
fn weighted(expr: Expr, call: &Call) -> Option<Expr> {
    match call.number(keys::BETA).as_f64() {
        0.0 => None,
        1.0 => Some(expr),
        _ => Some(expr * Number(call.number(keys::BETA))),
    }
}

//! Advanced indexing: the rows that `tensor[index]` is made of, and `take`.

use super::gather::{LOOKED_UP, whole_axis};
use super::sharded::{OWNED_ATTRS, Owned};
use crate::attrs::{AttrSpec, Attrs};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Zero};
use crate::kernel::Kernel;
use crate::op::{
    Arg, Call, Input as In, Linear, Op, Output as Out, OutputType, Python, Role, Sample, ints,
};
use crate::ops::create::{FULL, iota, zeros};
use crate::ops::elementwise::compare::eq;
use crate::ops::elementwise::ternary::where_;
use crate::ops::elementwise::unary::cast;
use crate::ops::family::MOVE;
use crate::ops::shape::axes::reshape;
use crate::ops::{codes, keys};
use crate::placement::Combine;
use crate::rules::promote::Promotion;
use crate::rules::shape;
use crate::rules::shard::indexed::{self, Service};
use crate::rules::shard::{self, Factors, Letters};
use crate::shape::Shape;

static INDICES: [In; 1] = [In { name: "indices", role: Role::Index }];
static SIZES_ATTR: [AttrSpec; 1] = [keys::SIZES.required()];
static POSITION: [Out; 1] = [Out { name: "result", dtype: OutputType::Is(DType::I64) }];

pub static RAVEL_INDEX: Op = Op {
    name: "ravel_index",
    code: codes::RAVEL_INDEX,
    doc: "The number of an element among all, from its index along each axis.",
    inputs: &INDICES,
    variadic: true,
    attrs: &SIZES_ATTR,
    outputs: &POSITION,
    shape: |call| {
        let sizes = Shape::given(call.ints(keys::SIZES))?.checked(DType::U8)?;
        if sizes.rank() != call.inputs.len() {
            let count = call.inputs.len();
            return Err(Error::index(format!("{count} indices for a tensor of shape {sizes}")));
        }
        shape::broadcast(call)
    },
    linear: Linear::No,
    shard: shard::pointwise,
    kernel: |call| {
        let sizes = Shape::given(call.ints(keys::SIZES))?;
        Ok(Kernel::Ravel(sizes.to_vec()))
    },
    python: Python::HIDDEN,
    samples: || {
        let of = |sizes: [i64; 2]| {
            let sample = Sample::of(&[]).index(&[2, 3], sizes[0] as usize);
            sample.index(&[3], sizes[1] as usize).attrs([ints(sizes)])
        };
        vec![of([4, 5]), of([1, 7]), Sample::of(&[]).index(&[0], 3).attrs([ints([3])])]
    },
    ..MOVE
};

pub static INDEX: Op = Op {
    name: "index",
    code: codes::INDEX,
    doc: "The parts of a tensor that an index names along an axis; its axes stand in their place.",
    inputs: &LOOKED_UP,
    attrs: &OWNED_ATTRS,
    shape: |call| Ok([indexed_shape(call)?].into()),
    grad: Some(|call| {
        let zeros = zeros(call.shape(0), call.inputs[0].dtype());
        vec![index_write(zeros, Input(1), Grad(0), call.int(keys::DIM), true), Zero]
    }),
    shard: |call| match indexed_shape(call) {
        Ok(_) => read_factors(call),
        Err(_) => shard::gather_first(call),
    },
    localise: Owned::localise,
    kernel: |call| match Owned::of(call) {
        Some(_) => Ok(Kernel::Expansion),
        None => Ok(Kernel::Take(call.axis(keys::DIM, 0)?)),
    },
    expansion: Some(|call| match Owned::of(call) {
        Some(owned) => vec![owned.index(call)],
        None => vec![index(Input(0), Input(1), call.int(keys::DIM))],
    }),
    python: Python::HIDDEN,
    samples: || {
        vec![
            Sample::of(&[&[4, 3]]).index(&[2, 3], 4).attrs(whole_axis(0)),
            Sample::of(&[&[2, 5]]).index(&[7], 5).attrs(whole_axis(-1)),
            Sample::of(&[&[3, 2, 4]]).index(&[], 2).attrs(whole_axis(1)),
            Sample::of(&[&[3, 2]]).index(&[0], 1).attrs(whole_axis(0)),
        ]
    },
    ..MOVE
};

static WRITTEN: [In; 3] = [
    In { name: "input", role: Role::Operand },
    In { name: "index", role: Role::Index },
    In { name: "value", role: Role::Operand },
];
static WRITE_ATTRS: [AttrSpec; 4] = [
    keys::DIM.required(),
    keys::ACCUMULATE.or(false),
    keys::REGION_WHOLE.or_empty(),
    keys::REGION_START.or_empty(),
];

pub static INDEX_WRITE: Op = Op {
    name: "index_write",
    code: codes::INDEX_WRITE,
    doc: "The tensor with a value at the parts an index names along an axis, or added there. Where \
          a part is named twice, the last value counts, and only that one gets a gradient; PyTorch \
          gives the gradient to all of them.",
    inputs: &WRITTEN,
    attrs: &WRITE_ATTRS,
    shape: |call| {
        let (place, value) = (indexed_shape(call)?, call.shape(2));
        if !value.expands_to(&place) {
            return Err(Error::runtime(format!(
                "shape mismatch: value tensor of shape {value} cannot be broadcast to indexing \
                 result of shape {place}"
            )));
        }
        shape::same(call)
    },
    promotion: Promotion::Common,
    grad: Some(|call| {
        let dim = call.int(keys::DIM);
        let read = index(Grad(0), Input(1), dim);
        if call.flag(keys::ACCUMULATE) {
            return vec![Grad(0), Zero, read];
        }
        let nothing = zeros(&Shape::scalar(), call.inputs[2].dtype());
        let kept = index_write(Grad(0), Input(1), nothing, dim, false);
        vec![kept, Zero, where_(stays(call), read, 0.0)]
    }),
    linear: Linear::Together(&[0, 2]),
    shard: |call| match indexed_shape(call) {
        Ok(_) => {
            let axis = call.axis(keys::DIM, 0).unwrap_or_default();
            indexed::written(call, axis, call.flag(keys::ACCUMULATE), Service::Part)
        }
        Err(_) => shard::gather_first(call),
    },
    localise: Owned::localise,
    kernel: |call| match Owned::of(call) {
        Some(_) => Ok(Kernel::Expansion),
        None => {
            Ok(Kernel::Put { axis: call.axis(keys::DIM, 0)?, add: call.flag(keys::ACCUMULATE) })
        }
    },
    expansion: Some(|call| match Owned::of(call) {
        Some(owned) => vec![owned.index_write(call)],
        None => {
            let (dim, add) = (call.int(keys::DIM), call.flag(keys::ACCUMULATE));
            vec![index_write(Input(0), Input(1), Input(2), dim, add)]
        }
    }),
    python: Python::HIDDEN,
    samples: || {
        let of = |shape: &[usize], index: &[usize], value: &[usize], axis: i64, add: bool| {
            let below = shape[axis as usize];
            let sample = Sample::of(&[shape]).index(index, below).tensor(value);
            sample.attrs(write_attrs(axis, add).0)
        };
        vec![
            of(&[4, 3], &[6], &[6, 3], 0, true),
            of(&[4, 3], &[6], &[6, 3], 0, false),
            of(&[2, 5], &[2, 3], &[3], 1, true),
            of(&[2, 3, 2], &[4], &[], 1, false),
            of(&[2, 5], &[], &[2], 1, false),
            of(&[3, 2], &[0], &[0, 2], 0, false),
        ]
    },
    ..MOVE
};

pub static TAKE: Op = Op {
    name: "take",
    code: codes::TAKE,
    doc: "The elements with these numbers, counted row by row.",
    attrs: &[],
    shape: |call| Ok([call.shape(1).clone()].into()),
    grad: Some(|call| {
        let (shape, dtype) = (call.shape(0), call.inputs[0].dtype());
        let flat = zeros(&[shape.count()].into(), dtype);
        vec![reshape(index_write(flat, Input(1), Grad(0), 0, true), shape), Zero]
    }),
    shard: |call| {
        let uncut = Letters::from_elem(None, call.shape(0).rank());
        let index = shard::numbered(call.shape(1).rank());
        Factors::of(call, vec![uncut, index.clone()], vec![index])
    },
    localise: shard::localise::unchanged,
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        let flat = reshape(Input(0), &[call.shape(0).count()].into());
        vec![index(flat, Input(1), 0)]
    }),
    torch: "torch.take",
    python: Python::BOTH,
    samples: || vec![Sample::of(&[&[4, 3]]).index(&[2, 3], 12), Sample::of(&[&[]]).index(&[3], 1)],
    ..INDEX
};

/// The parts of `input` that `index` names along axis `dim`.
pub fn index(input: Expr, index: Expr, dim: i64) -> Expr {
    Expr::apply(&INDEX, [input, index], whole_axis(dim))
}

/// `input` with `value` at the parts that `index` names along axis `dim`, or added there.
pub fn index_write(input: Expr, index: Expr, value: Expr, dim: i64, add: bool) -> Expr {
    Expr::apply(&INDEX_WRITE, [input, index, value], write_attrs(dim, add).0)
}

/// The attributes of [`INDEX`].
pub fn index_attrs(dim: i64) -> Attrs {
    Attrs::of(whole_axis(dim))
}

/// The attributes of [`INDEX_WRITE`].
pub fn write_attrs(dim: i64, add: bool) -> Attrs {
    Attrs::of([dim.into(), add.into(), ints([]), ints([])])
}

/// Input `index`, a number or a scalar tensor, in the dtype of the first input.
pub fn number(call: &Call, index: usize) -> Expr {
    let dtype = call.inputs[0].dtype();
    match call.inputs[index] {
        Arg::Tensor(_) => cast(Input(index), dtype),
        Arg::Scalar(value) => {
            let value = match value {
                Scalar::Float(value) if !dtype.is_float() && dtype != DType::Bool => {
                    Scalar::Int(value as i64)
                }
                other => other,
            };
            Expr::apply(&FULL, [], [ints([]), value.into(), dtype.into()])
        }
    }
}

/// Refuses numbers as the first two inputs.
pub fn tensors_only(call: &Call) -> Result<()> {
    let number = call.inputs[..2].iter().position(|input| matches!(input, Arg::Scalar(_)));
    match number {
        Some(index) => {
            let name = call.op.inputs[index].name;
            Err(Error::type_(format!("'{name}' must be a tensor")))
        }
        None => Ok(()),
    }
}

/// The shape of the elements that are read or written.
pub fn indexed_shape(call: &Call) -> Result<Shape> {
    let (shape, index, axis) = (call.shape(0), call.shape(1), call.axis(keys::DIM, 0)?);
    if shape.rank() == 0 {
        return Err(Error::index("a tensor without axes cannot be indexed"));
    }
    let sizes = shape[..axis].iter().chain(index.iter()).chain(&shape[axis + 1..]);
    Ok(sizes.copied().collect())
}

/// Whether each position of the index is its last write, shaped to broadcast.
fn stays(call: &Call) -> Expr {
    let Ok(axis) = call.axis(keys::DIM, 0) else { return Zero };
    let after = call.shape(0).rank() - axis - 1;
    let won = last_of_equals(Input(1), call.shape(1), call.shape(0)[axis]);
    let sizes = call.shape(1).iter().copied().chain(std::iter::repeat_n(1, after));
    reshape(won, &sizes.collect())
}

/// Whether each position is the last of its equals in the list.
pub fn last_of_equals(list: Expr, shape: &Shape, size: usize) -> Expr {
    let numbers = reshape(iota(shape.count()), shape);
    let none = zeros(&[size].into(), DType::I64);
    let last = index_write(none, list.clone(), numbers.clone(), 0, false);
    eq(index(last, list, 0), numbers)
}

/// All axes but that of the lookup stay cut, and so do those of the index. Workers with a part of
/// the looked-up axis give zeros for the other positions, and the results are summed.
pub fn read_factors(call: &Call) -> Factors {
    let (rank, index) = (call.shape(0).rank(), call.shape(1).rank());
    let axis = call.axis(keys::DIM, 0).unwrap_or_default();
    let owner = indexed::has_sums(call).then_some(indexed::OWNER);
    let letter = |other: usize| if other == axis { owner } else { Some(other as u8) };
    let positions = (0..index).map(|own| Some((rank + own) as u8));
    let base: Letters = (0..rank).map(letter).collect();
    let output = base[..axis].iter().copied().chain(positions.clone());
    let output = output.chain(base[axis + 1..].iter().copied()).collect();
    Factors::of(call, vec![base, positions.collect()], vec![output])
        .combining(owner.map(|owner| (owner, Combine::Sum)))
}

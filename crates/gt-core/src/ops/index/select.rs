//! Slices along an axis selected by a list of positions: `index_select`, `index_add`,
//! `index_copy`, `index_fill`.

use super::advanced::{
    INDEX, index, index_write, last_of_equals, number, read_factors, tensors_only,
};
use super::gather::{vector, whole_axis};
use super::sharded::Owned;
use crate::attrs::{Attr, AttrSpec};
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Zero};
use crate::kernel::Kernel;
use crate::op::{Call, Input as In, Linear, Op, Python, Role, Sample, Shapes};
use crate::ops::create::zeros;
use crate::ops::elementwise::ternary::where_;
use crate::ops::elementwise::unary::cast;
use crate::ops::family::MOVE;
use crate::ops::shape::axes::reshape;
use crate::ops::{codes, keys};
use crate::rules::promote::Promotion;
use crate::rules::shape;
use crate::rules::shard::indexed::{self, Service};
use crate::rules::shard::{self, Factors, Letters};
use crate::shape::Shape;

pub static INDEX_SELECT: Op = Op {
    name: "index_select",
    code: codes::INDEX_SELECT,
    doc: "The parts of a tensor that a list of positions names along an axis.",
    shape: |call| {
        let (shape, axis, count) = (call.shape(0), call.axis(keys::DIM, 0)?, listed(call)?);
        match shape.rank() {
            0 if count == 1 => shape::same(call),
            0 => Err(Error::runtime("a tensor without axes has one element")),
            _ => Ok([shape.with(axis, count)].into()),
        }
    },
    grad: Some(|call| {
        let (base, part) = (vector(call.shape(0)), part(call));
        let zeros = zeros(&base, call.inputs[0].dtype());
        let grad = reshape(Grad(0), &part);
        let summed = index_write(zeros, list(call), grad, call.int(keys::DIM), true);
        vec![reshape(summed, call.shape(0)), Zero]
    }),
    shard: |call| match (call.shape(0).rank(), call.shape(1).rank(), call.axis(keys::DIM, 0)) {
        (1.., 1, Ok(_)) => read_factors(call),
        (1.., 0, Ok(axis)) => single_factors(call, axis),
        _ => shard::gather_first(call),
    },
    kernel: |call| match (call.shape(0).rank(), call.shape(1).rank()) {
        (1.., 1) if Owned::of(call).is_none() => Ok(Kernel::Take(call.axis(keys::DIM, 0)?)),
        _ => Ok(Kernel::Expansion),
    },
    expansion: Some(|call| {
        if let Some(owned) = Owned::of(call) {
            return vec![owned.index(call)];
        }
        let base = reshape(Input(0), &vector(call.shape(0)));
        let read = index(base, list(call), call.int(keys::DIM));
        let result = if call.shape(0).rank() == 0 { Shape::scalar() } else { part(call) };
        vec![reshape(read, &result)]
    }),
    torch: "torch.index_select",
    python: Python { order: &["input", "dim", "index"], ..Python::BOTH },
    samples: || {
        vec![
            Sample::of(&[&[4, 3]]).index(&[5], 4).attrs(whole_axis(0)),
            Sample::of(&[&[2, 5]]).index(&[], 5).attrs(whole_axis(-1)),
            Sample::of(&[&[]]).index(&[1], 1).attrs(whole_axis(0)),
        ]
    },
    ..INDEX
};

static PLACED: [In; 3] = [
    In { name: "input", role: Role::Operand },
    In { name: "index", role: Role::Index },
    In { name: "source", role: Role::Operand },
];
static FILLED: [In; 3] = [
    In { name: "input", role: Role::Operand },
    In { name: "index", role: Role::Index },
    In { name: "value", role: Role::Any },
];
static DIM_ATTR: [AttrSpec; 1] = [keys::DIM.required()];
static ADD_ATTRS: [AttrSpec; 2] = [keys::DIM.required(), keys::ALPHA.or(1)];

pub static INDEX_ADD: Op = Op {
    name: "index_add",
    code: codes::INDEX_ADD,
    doc: "The tensor with parts of another added at the positions a list names along an axis.",
    inputs: &PLACED,
    attrs: &ADD_ATTRS,
    shape: |call| {
        if !call.inputs[0].dtype().is_float()
            && matches!(call.number(keys::ALPHA), Scalar::Float(_))
        {
            let message = "alpha must be a whole number, as the elements are";
            return Err(Error::runtime(message));
        }
        placed(call)
    },
    promotion: Promotion::Common,
    grad: Some(|call| {
        let read = reshape(read_list(call), call.shape(2));
        vec![Grad(0), Zero, scaled(call, read)]
    }),
    linear: Linear::Together(&[0, 2]),
    shard: |call| match call.axis(keys::DIM, 0) {
        Ok(axis) if call.shape(0).rank() > 0 => list_factors(call, axis, true),
        _ => shard::gather_first(call),
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        let source = scaled(call, reshape(Input(2), &part(call)));
        vec![write_list(call, source, true)]
    }),
    torch: "torch.index_add",
    python: Python { order: &["input", "dim", "index", "source"], ..Python::IN_PLACE },
    samples: || placed_samples(&[Attr::Int(2)]),
    ..MOVE
};

pub static INDEX_COPY: Op = Op {
    name: "index_copy",
    code: codes::INDEX_COPY,
    doc: "The tensor with parts of another at the positions a list names along an axis.",
    attrs: &DIM_ATTR,
    shape: placed,
    grad: Some(|call| {
        let nothing = zeros(&Shape::scalar(), call.inputs[2].dtype());
        let base = reshape(Grad(0), &vector(call.shape(0)));
        let kept = index_write(base, list(call), nothing, call.int(keys::DIM), false);
        let read = where_(list_stays(call), reshape(read_list(call), &part(call)), 0.0);
        vec![reshape(kept, call.shape(0)), Zero, reshape(read, call.shape(2))]
    }),
    shard: |call| match call.axis(keys::DIM, 0) {
        Ok(axis) if call.shape(0).rank() > 0 => list_factors(call, axis, false),
        _ => shard::gather_first(call),
    },
    expansion: Some(|call| vec![write_list(call, reshape(Input(2), &part(call)), false)]),
    torch: "torch.index_copy",
    samples: || placed_samples(&[]),
    ..INDEX_ADD
};

pub static INDEX_FILL: Op = Op {
    name: "index_fill",
    code: codes::INDEX_FILL,
    doc: "The tensor with a number at the positions a list names along an axis.",
    inputs: &FILLED,
    attrs: &DIM_ATTR,
    accepts_scalars: true,
    shape: |call| {
        call.axis(keys::DIM, 0)?;
        listed(call)?;
        if call.shape(2).rank() > 0 {
            let rank = call.shape(2).rank();
            return Err(Error::runtime(format!("'value' must be a number, not of {rank} axes")));
        }
        tensors_only(call)?;
        shape::same(call)
    },
    grad: Some(|call| {
        let nothing = zeros(&Shape::scalar(), call.inputs[0].dtype());
        let base = reshape(Grad(0), &vector(call.shape(0)));
        let kept = reshape(
            index_write(base, list(call), nothing, call.int(keys::DIM), false),
            call.shape(0),
        );
        // The gradient of overwritten elements goes to the number.
        vec![kept.clone(), Zero, Grad(0) - kept]
    }),
    linear: Linear::No,
    shard: |call| match call.axis(keys::DIM, 0) {
        Ok(axis) if call.shape(0).rank() > 0 => list_factors(call, axis, false),
        _ => shard::gather_first(call),
    },
    expansion: Some(|call| vec![write_list(call, number(call, 2), false)]),
    torch: "torch.index_fill",
    python: Python { order: &["input", "dim", "index", "value"], ..Python::IN_PLACE },
    samples: || {
        vec![
            Sample::of(&[&[4, 3]]).index(&[5], 4).scalar(1.5).attrs([Attr::Int(0)]),
            Sample::of(&[&[2, 5]]).index(&[2], 5).tensor(&[]).attrs([Attr::Int(-1)]),
            Sample::of(&[&[]]).index(&[1], 1).scalar(2.0).attrs([Attr::Int(0)]),
        ]
    },
    ..INDEX_ADD
};

/// The number of positions in the list.
fn listed(call: &Call) -> Result<usize> {
    match call.shape(1).rank() {
        0 | 1 => Ok(call.shape(1).count()),
        rank => Err(Error::index(format!("'index' must be a list, not of {rank} axes"))),
    }
}

/// The positions, as a list.
fn list(call: &Call) -> Expr {
    if call.shape(1).rank() == 1 { Input(1) } else { reshape(Input(1), &[1].into()) }
}

/// The shape of the selected slices.
fn part(call: &Call) -> Shape {
    let axis = call.axis(keys::DIM, 0).unwrap_or_default();
    vector(call.shape(0)).with(axis, call.shape(1).count())
}

fn list_stays(call: &Call) -> Expr {
    let (axis, base) = (call.axis(keys::DIM, 0).unwrap_or_default(), vector(call.shape(0)));
    let count = call.shape(1).count();
    let won = last_of_equals(list(call), &[count].into(), base[axis]);
    let after = std::iter::repeat_n(1, base.rank() - axis - 1);
    reshape(won, &[count].into_iter().chain(after).collect())
}

/// The gradient of the result at the positions of the list.
fn read_list(call: &Call) -> Expr {
    index(reshape(Grad(0), &vector(call.shape(0))), list(call), call.int(keys::DIM))
}

fn write_list(call: &Call, value: Expr, add: bool) -> Expr {
    let base = reshape(Input(0), &vector(call.shape(0)));
    reshape(index_write(base, list(call), value, call.int(keys::DIM), add), call.shape(0))
}

fn scaled(call: &Call, value: Expr) -> Expr {
    match call.number(keys::ALPHA) {
        Scalar::Int(1) => value,
        // The product with a float may promote.
        alpha => cast(value * Expr::Number(alpha), call.inputs[2].dtype()),
    }
}

/// Slices of a source are written to the listed positions: sizes and dtypes must be those of the
/// tensor.
fn placed(call: &Call) -> Result<Shapes> {
    let (shape, source, axis) = (call.shape(0), call.shape(2), call.axis(keys::DIM, 0)?);
    let count = listed(call)?;
    let [own, other] = [call.inputs[0].dtype(), call.inputs[2].dtype()];
    if own != other {
        return Err(Error::runtime(format!("the tensor is {own} and the source is {other}")));
    }
    let fits = match shape.rank() {
        0 => source.count() == 1 && count == 1,
        _ => source.rank() == shape.rank() && *source == shape.with(axis, count),
    };
    if !fits {
        return Err(Error::runtime(format!(
            "a source of shape {source} does not fit {count} parts of {shape} along axis {axis}"
        )));
    }
    shape::same(call)
}

fn placed_samples(more: &[Attr]) -> Vec<Sample> {
    let of = |shape: &[usize], index: &[usize], source: &[usize], axis: i64| {
        let below = shape.get(axis as usize).copied().unwrap_or(1);
        let attrs = [axis.into()].into_iter().chain(more.iter().cloned());
        Sample::of(&[shape]).index(index, below).tensor(source).attrs(attrs)
    };
    vec![of(&[4, 3], &[6], &[6, 3], 0), of(&[2, 5, 2], &[3], &[2, 3, 2], 1), of(&[], &[1], &[], 0)]
}

/// All axes but that of the list stay cut. If the source is added, each worker may add a part of
/// it.
fn list_factors(call: &Call, axis: usize, adds: bool) -> Factors {
    let source = call.shape(2).rank() == call.shape(0).rank();
    // A scalar list has no axis to cut.
    if source && call.shape(1).rank() == 1 {
        return indexed::written(call, axis, adds, Service::Whole);
    }
    let rank = call.shape(0).rank();
    let base: Letters = (0..rank).map(|other| (other != axis).then_some(other as u8)).collect();
    let source = if source { base.clone() } else { Letters::new() };
    let list = Letters::from_elem(None, call.shape(1).rank());
    Factors::of(call, vec![base.clone(), list, source], vec![base])
}

/// The cuts of a read at a single position, given as a scalar.
fn single_factors(call: &Call, axis: usize) -> Factors {
    let rank = call.shape(0).rank();
    let base: Letters = (0..rank).map(|other| (other != axis).then_some(other as u8)).collect();
    Factors::of(call, vec![base.clone(), Letters::new()], vec![base])
}

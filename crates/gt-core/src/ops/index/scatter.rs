//! Writes of single elements by position along an axis: `scatter`, `scatter_add`, `one_hot`.

use super::advanced::{number, tensors_only};
use super::gather::{check_index, gather, is_single, vector, whole_axis};
use super::sharded::{OWNED_ATTRS, Owned};
use crate::attrs::{Attr, AttrSpec};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Zero};
use crate::kernel::Kernel;
use crate::op::{
    Arg, Call, Input as In, Linear, Op, Output as Out, OutputType, Python, Role, Sample,
};
use crate::ops::create::{iota, zeros};
use crate::ops::elementwise::compare::eq;
use crate::ops::elementwise::ternary::where_;
use crate::ops::elementwise::unary::cast;
use crate::ops::family::MOVE;
use crate::ops::shape::axes::reshape;
use crate::ops::shape::repeat::expand;
use crate::ops::shape::slice::{corner, slice, slice_write};
use crate::ops::{codes, keys};
use crate::rules::promote::Promotion;
use crate::rules::shape;
use crate::rules::shard;
use crate::rules::shard::indexed::{self, Service};
use crate::shape::Shape;

static SCATTER_ADD_INPUTS: [In; 3] = [
    In { name: "input", role: Role::Operand },
    In { name: "index", role: Role::Index },
    In { name: "src", role: Role::Operand },
];

pub static SCATTER_ADD: Op = Op {
    name: "scatter_add",
    code: codes::SCATTER_ADD,
    doc: "The tensor with elements of another added at the places an index names.",
    inputs: &SCATTER_ADD_INPUTS,
    attrs: &OWNED_ATTRS,
    shape: |call| {
        check_index(call)?;
        let (index, src) = (call.shape(1), call.shape(2));
        let (index, src) = (&vector(index), &vector(src));
        let fits = index.rank() == src.rank() && index.iter().zip(src.iter()).all(|(i, s)| i <= s);
        if !fits {
            return Err(Error::runtime(format!("an index of shape {index} leaves src {src}")));
        }
        shape::same(call)
    },
    grad: Some(|call| {
        let used = gather(Grad(0), Input(1), call.int(keys::DIM));
        let (index, src) = (call.shape(1), call.shape(2));
        if index == src {
            return vec![Grad(0), Zero, used];
        }
        let (index, lone) = (vector(index), vector(src));
        let zeros = zeros(&lone, call.inputs[2].dtype());
        let used = slice_write(zeros, reshape(used, &index), corner(&index));
        vec![Grad(0), Zero, reshape(used, src)]
    }),
    linear: Linear::Together(&[0, 2]),
    shard: |call| match call.axis(keys::DIM, 0) {
        Ok(axis) if !is_single(call) => indexed::scattered(call, axis, true, Service::Part),
        _ => shard::gather_first(call),
    },
    localise: Owned::localise,
    promotion: Promotion::Common,
    kernel: |call| match call.shape(1) == call.shape(2) && !is_single(call) {
        true if Owned::of(call).is_none() => {
            Ok(Kernel::Scatter { axis: call.axis(keys::DIM, 0)?, add: true })
        }
        _ => Ok(Kernel::Expansion),
    },
    // Only the leading part of a larger source is used; a scalar is treated as a vector of one
    // element.
    expansion: Some(|call| {
        if let Some(owned) = Owned::of(call) {
            return vec![owned.scatter_add(call)];
        }
        let [input, index, src] = [0, 1, 2].map(|at| reshape(Input(at), &vector(call.shape(at))));
        let used = slice(src, corner(&vector(call.shape(1))));
        vec![reshape(scatter_add(input, index, used, call.int(keys::DIM)), call.shape(0))]
    }),
    torch: "torch.scatter_add",
    python: Python { order: &["input", "dim", "index", "src"], ..Python::IN_PLACE },
    samples: || {
        let of = |shape: &[usize], index: &[usize], below: usize, axis: i64| {
            Sample::of(&[shape]).index(index, below).tensor(index).attrs(whole_axis(axis))
        };
        let larger = Sample::of(&[&[4, 3]]).index(&[2, 3], 4).tensor(&[5, 4]).attrs(whole_axis(0));
        let single = Sample::of(&[&[]]).index(&[2], 1).tensor(&[2]).attrs(whole_axis(0));
        vec![of(&[4, 3], &[6, 3], 4, 0), of(&[2, 5], &[2, 3], 5, -1), larger, single]
    },
    ..MOVE
};

static SCATTER_INPUTS: [In; 3] = [
    In { name: "input", role: Role::Operand },
    In { name: "index", role: Role::Index },
    In { name: "src", role: Role::Any },
];
static SCATTER_ATTRS: [AttrSpec; 2] = [keys::DIM.required(), keys::REDUCE.or_none()];

pub static SCATTER: Op = Op {
    name: "scatter",
    code: codes::SCATTER,
    doc: "The tensor with elements of another, or a number, at the places an index names.",
    inputs: &SCATTER_INPUTS,
    attrs: &SCATTER_ATTRS,
    accepts_scalars: true,
    shape: |call| {
        tensors_only(call)?;
        check_index(call)?;
        if call.shape(0).rank() != call.shape(1).rank() {
            let (shape, index) = (call.shape(0), call.shape(1));
            return Err(Error::runtime(format!("an index of shape {index} does not fit {shape}")));
        }
        check_source(call)?;
        adds(call)?;
        shape::same(call)
    },
    grad: Some(|call| {
        let dim = call.int(keys::DIM);
        let read = gather(Grad(0), Input(1), dim);
        if adds(call).unwrap_or_default() {
            return vec![Grad(0), Zero, over_source(call, read)];
        }
        let kept = scatter(Grad(0), Input(1), 0.0.into(), dim);
        vec![kept, Zero, over_source(call, where_(stays(call), read, 0.0))]
    }),
    // A number would be written into each of the partial sums.
    linear: Linear::No,
    shard: |call| match (call.axis(keys::DIM, 0), adds(call)) {
        (Ok(axis), Ok(adds)) if call.shape(0).rank() > 0 => {
            indexed::scattered(call, axis, adds, Service::Whole)
        }
        _ => shard::gather_first(call),
    },
    kernel: |call| match (call.inputs[2], adds(call)?) {
        (Arg::Tensor(source), false) if source.dtype == call.inputs[0].dtype() => {
            Ok(Kernel::Scatter { axis: call.axis(keys::DIM, 0)?, add: false })
        }
        _ => Ok(Kernel::Expansion),
    },
    expansion: Some(|call| {
        let dim = call.int(keys::DIM);
        let source = match call.shape(2).rank() {
            0 => number(call, 2),
            _ => slice(cast(Input(2), call.inputs[0].dtype()), corner(call.shape(1))),
        };
        if adds(call).unwrap_or_default() {
            let source =
                if call.shape(2).rank() == 0 { expand(source, call.shape(1)) } else { source };
            return vec![scatter_add(Input(0), Input(1), source, dim)];
        }
        vec![scatter(Input(0), Input(1), source, dim)]
    }),
    torch: "torch.scatter",
    python: Python { order: &["input", "dim", "index", "src"], ..Python::IN_PLACE },
    samples: || {
        let of = |shape: &[usize], index: &[usize], source: &[usize], axis: i64, how: Attr| {
            let sample = Sample::of(&[shape]).index(index, shape[axis as usize]);
            sample.tensor(source).attrs([axis.into(), how])
        };
        let number = Sample::of(&[&[3, 4]]).index(&[2, 4], 3).scalar(1.5);
        vec![
            of(&[4, 3], &[6, 3], &[6, 3], 0, Attr::None),
            of(&[2, 5], &[2, 3], &[4, 4], 1, Attr::None),
            of(&[4, 3], &[2, 2], &[2, 2], 0, Attr::Text("add".into())),
            of(&[3], &[2], &[], 0, Attr::None),
            number.attrs([Attr::Int(0), Attr::None]),
        ]
    },
    ..MOVE
};

static CLASSES: [In; 1] = [In { name: "input", role: Role::Index }];
static CLASSES_ATTR: [AttrSpec; 1] = [keys::NUM_CLASSES.required()];
static WHOLE: [Out; 1] = [Out { name: "result", dtype: OutputType::Is(DType::I64) }];

pub static ONE_HOT: Op = Op {
    name: "one_hot",
    code: codes::ONE_HOT,
    doc: "For each number a row of zeros with a one at its place.",
    inputs: &CLASSES,
    attrs: &CLASSES_ATTR,
    outputs: &WHOLE,
    shape: |call| Ok([classes(call)?].into()),
    linear: Linear::No,
    shard: |call| shard::leading(call, call.shape(0).rank()),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        let Ok(shape) = classes(call) else { return Vec::new() };
        let axis = shape.rank() - 1;
        let places = reshape(Input(0), &shape.with(axis, 1));
        vec![scatter(zeros(&shape, DType::I64), places, Expr::Number(1i64.into()), axis as i64)]
    }),
    torch: "torch.nn.functional.one_hot",
    python: Python::FUNCTION,
    samples: || {
        vec![
            Sample::of(&[]).index(&[4], 3).attrs([Attr::Int(3)]),
            Sample::of(&[]).index(&[2, 2], 2).attrs([Attr::Int(5)]),
        ]
    },
    ..MOVE
};

/// `input` with elements of `src` added at the places `index` names along axis `dim`.
pub fn scatter_add(input: Expr, index: Expr, src: Expr, dim: i64) -> Expr {
    Expr::apply(&SCATTER_ADD, [input, index, src], whole_axis(dim))
}

/// `input` with elements of `source` at the places `index` names along axis `dim`.
pub fn scatter(input: Expr, index: Expr, source: Expr, dim: i64) -> Expr {
    Expr::apply(&SCATTER, [input, index, source], [dim.into(), Attr::None])
}

/// Whether elements are added and not replaced.
fn adds(call: &Call) -> Result<bool> {
    match call.text(keys::REDUCE) {
        None => Ok(false),
        Some("add") => Ok(true),
        Some(_) => {
            let other = call.attr(keys::REDUCE);
            Err(Error::runtime(format!("reduce argument must be \"add\", not {other}")))
        }
    }
}

fn check_source(call: &Call) -> Result<()> {
    let (index, source) = (call.shape(1), call.shape(2));
    let Arg::Tensor(meta) = call.inputs[2] else { return Ok(()) };
    let own = call.inputs[0].dtype();
    if meta.dtype != own {
        let other = meta.dtype;
        return Err(Error::runtime(format!("the tensor is {own} and 'src' is {other}")));
    }
    let covers = index.iter().zip(source.iter()).all(|(index, source)| index <= source);
    if source.rank() > 0 && (index.rank() != source.rank() || !covers) {
        return Err(Error::runtime(format!("an index of shape {index} leaves src {source}")));
    }
    Ok(())
}

/// The gradient of the leading part of the source, padded with zeros to all of it.
fn over_source(call: &Call, grad: Expr) -> Expr {
    let (index, source) = (call.shape(1), call.shape(2));
    if source.rank() == 0 || index == source {
        return grad;
    }
    let zeros = zeros(source, call.inputs[2].dtype());
    slice_write(zeros, grad, corner(index))
}

/// Whether each element of the index is the last write to its position.
fn stays(call: &Call) -> Expr {
    let (dim, shape) = (call.int(keys::DIM), call.shape(1));
    let numbers = reshape(iota(shape.count()), shape);
    let none = zeros(call.shape(0), DType::I64);
    let last = scatter(none, Input(1), numbers.clone(), dim);
    eq(gather(last, Input(1), dim), numbers)
}

fn classes(call: &Call) -> Result<Shape> {
    match usize::try_from(call.int(keys::NUM_CLASSES)) {
        Ok(count) if count > 0 => Ok(call.shape(0).iter().copied().chain([count]).collect()),
        _ => Err(Error::runtime("num_classes must be given, and be at least one")),
    }
}

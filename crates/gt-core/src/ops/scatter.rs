//! Elements written one by one where an index or a mask says, and looked up the same way.

use super::advanced_index::{index, index_write, number, tensors_only};
use super::codes;
use super::compare::{eq, lt};
use super::create::{iota, zeros};
use super::elementwise::{cast, where_};
use super::family::MOVE;
use super::index::{check_index, corner, gather, scatter_add};
use super::keys;
use super::movement::{expand, reshape, slice, slice_write};
use super::scan::CUMSUM;
use crate::attrs::{Attr, AttrSpec};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Zero};
use crate::kernel::Kernel;
use crate::op::{
    Arg, Call, Input as In, Linear, Op, Output as Out, OutputType, Python, Role, Sample,
};
use crate::rules::shape;
use crate::rules::shard::factors::{Axis, Indices, alone};
use crate::rules::shard::indexed::{self, Service};
use crate::rules::shard::{self, Factors, views};
use crate::shape::Shape;

static SCATTERED: [In; 3] = [
    In { name: "input", role: Role::Operand },
    In { name: "index", role: Role::Index },
    In { name: "src", role: Role::Any },
];
static SCATTER_ATTRS: [AttrSpec; 2] = [keys::DIM.required(), keys::REDUCE.or_none()];

pub static SCATTER: Op = Op {
    name: "scatter",
    code: codes::SCATTER,
    doc: "The tensor with elements of another, or a number, at the places an index names.",
    inputs: &SCATTERED,
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
    // A number beside a sum of parts would be written into each of them.
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

static ALONG: [In; 2] =
    [In { name: "input", role: Role::Any }, In { name: "indices", role: Role::Index }];
static ALONG_ATTRS: [AttrSpec; 1] = [keys::DIM.or_none()];

pub static TAKE_ALONG_DIM: Op = Op {
    name: "take_along_dim",
    code: codes::TAKE_ALONG_DIM,
    doc: "The elements that an index names along an axis, broadcasting; without one, among all.",
    inputs: &ALONG,
    attrs: &ALONG_ATTRS,
    shape: |call| Ok([along(call)?.1].into()),
    grad: Some(|call| {
        let Ok((base, taken, dim)) = along(call) else { return Vec::new() };
        let zeros = zeros(&base, call.inputs[0].dtype());
        let summed = scatter_add(zeros, wrapped(call, &base, &taken), Grad(0), dim);
        let summed = if all(call) { reshape(summed, call.shape(0)) } else { summed };
        vec![summed, Zero]
    }),
    shard: |call| {
        let Ok((base, taken, dim)) = along(call) else { return shard::gather_first(call) };
        let uncut = call.shape(0).iter().map(|&size| alone(None, size)).collect();
        if all(call) {
            let (index, found) = views::common(call.shape(1), &taken);
            return Factors {
                inputs: vec![uncut, index],
                outputs: vec![found],
                ..Default::default()
            };
        }
        let letter = |axis: usize| (axis as i64 != dim).then_some(axis as u8);
        let around: Vec<Axis> = (0..base.rank()).map(|at| alone(letter(at), base[at])).collect();
        let found: Indices = (0..taken.rank()).map(|at| alone(Some(at as u8), taken[at])).collect();
        let inputs = [(0, &around[..]), (1, &found[..])];
        let inputs = inputs.map(|(index, axes)| indexed::broadcast(call.shape(index), axes));
        Factors { inputs: inputs.into(), outputs: vec![found], ..Default::default() }
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        let Ok((base, taken, dim)) = along(call) else { return Vec::new() };
        vec![gather(spread(0, call, &base), wrapped(call, &base, &taken), dim)]
    }),
    torch: "torch.take_along_dim",
    samples: || {
        let of = |shape: &[usize], index: &[usize], below: usize, dim: Attr| {
            Sample::of(&[shape]).index(index, below).attrs([dim])
        };
        vec![
            of(&[4, 3], &[2, 1], 4, Attr::Int(0)),
            of(&[1, 5], &[3, 2], 5, Attr::Int(-1)),
            of(&[2, 3], &[4], 6, Attr::None),
        ]
    },
    ..MOVE
};

static MASKED: [In; 3] = [
    In { name: "input", role: Role::Operand },
    In { name: "mask", role: Role::Mask },
    In { name: "source", role: Role::Operand },
];

pub static MASKED_SCATTER: Op = Op {
    name: "masked_scatter",
    code: codes::MASKED_SCATTER,
    doc: "The tensor with the elements of another, one after another, where the mask holds.",
    inputs: &MASKED,
    shape: |call| {
        let [own, other] = [call.inputs[0].dtype(), call.inputs[2].dtype()];
        if own != other {
            return Err(Error::runtime(format!("the tensor is {own} and the source is {other}")));
        }
        Ok([masked(call)?].into())
    },
    grad: Some(|call| {
        let Ok(shape) = masked(call) else { return Vec::new() };
        let source = call.shape(2);
        let flat = zeros(&[source.count()].into(), call.inputs[2].dtype());
        let used = where_(Input(1), Grad(0), 0.0);
        let summed = index_write(flat, counted(&shape), used, 0, true);
        vec![where_(Input(1), 0.0, Grad(0)), Zero, reshape(summed, source)]
    }),
    linear: Linear::Together(&[0, 2]),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        let Ok(shape) = masked(call) else { return Vec::new() };
        let flat = reshape(Input(2), &[call.shape(2).count()].into());
        vec![where_(Input(1), index(flat, counted(&shape), 0), Input(0))]
    }),
    torch: "torch.masked_scatter",
    python: Python::IN_PLACE,
    samples: || {
        vec![
            Sample::of(&[&[2, 3]]).index(&[2, 3], 2).tensor(&[7]),
            Sample::of(&[&[2, 3]]).index(&[3], 2).tensor(&[3, 2]),
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

/// `input` with elements of `source` at the places `index` names along axis `dim`.
pub fn scatter(input: Expr, index: Expr, source: Expr, dim: i64) -> Expr {
    Expr::apply(&SCATTER, [input, index, source], [dim.into(), Attr::None])
}

/// Whether what is there is added to.
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

/// A gradient for the corner of the source that the index covers, as one for all of it.
fn over_source(call: &Call, grad: Expr) -> Expr {
    let (index, source) = (call.shape(1), call.shape(2));
    if source.rank() == 0 || index == source {
        return grad;
    }
    let zeros = zeros(source, call.inputs[2].dtype());
    slice_write(zeros, grad, corner(index))
}

/// Which elements of the index are not written over by later ones.
fn stays(call: &Call) -> Expr {
    let (dim, shape) = (call.int(keys::DIM), call.shape(1));
    let numbers = reshape(iota(shape.count()), shape);
    let nobody = zeros(call.shape(0), DType::I64);
    let last = scatter(nobody, Input(1), numbers.clone(), dim);
    eq(gather(last, Input(1), dim), numbers)
}

/// Whether elements are counted among all, not along an axis.
fn all(call: &Call) -> bool {
    matches!(call.attr(keys::DIM), Attr::None)
}

/// The shapes of what is looked at and of what is found, and along which axis.
fn along(call: &Call) -> Result<(Shape, Shape, i64)> {
    let (shape, index) = (call.shape(0), call.shape(1));
    if all(call) {
        return Ok(([shape.count()].into(), [index.count()].into(), 0));
    }
    let axis = call.axis(keys::DIM, 0)?;
    if shape.rank() != index.rank() || shape.rank() == 0 {
        let message = format!("as many axes are needed in the index {index} as in {shape}");
        return Err(Error::runtime(message));
    }
    let common = shape.with(axis, 1).broadcast(&index.with(axis, 1));
    let common =
        common.ok_or_else(|| Error::runtime(format!("cannot broadcast {shape} with {index}")))?;
    Ok((common.with(axis, shape[axis]), common.with(axis, index[axis]), axis as i64))
}

/// Input `number` in the shape it is looked at or looked up with.
fn spread(number: usize, call: &Call, shape: &Shape) -> Expr {
    if all(call) { reshape(Input(number), shape) } else { expand(Input(number), shape) }
}

/// The index as it is looked up with; a negative number counts from the end.
fn wrapped(call: &Call, base: &Shape, taken: &Shape) -> Expr {
    let axis = if all(call) { 0 } else { call.axis(keys::DIM, 0).unwrap_or_default() };
    let index = spread(1, call, taken);
    let size = Expr::Number((base[axis] as i64).into());
    let negative = lt(index.clone(), Expr::Number(0i64.into()));
    where_(negative, index.clone() + size, index)
}

fn masked(call: &Call) -> Result<Shape> {
    let (shape, mask) = (call.shape(0), call.shape(1));
    let both = shape.broadcast(mask);
    both.ok_or_else(|| Error::runtime(format!("cannot broadcast {shape} with {mask}")))
}

/// How many places the mask has held at before each, where it holds; zero elsewhere.
fn counted(shape: &Shape) -> Expr {
    let mask = expand(Input(1), shape);
    let flat = reshape(cast(mask.clone(), DType::I64), &[shape.count()].into());
    let total = Expr::apply(&CUMSUM, [flat], [Attr::Int(0), Attr::None]);
    let one = Expr::Number(1i64.into());
    where_(mask, reshape(total - one, shape), Expr::Number(0i64.into()))
}

fn classes(call: &Call) -> Result<Shape> {
    match usize::try_from(call.int(keys::NUM_CLASSES)) {
        Ok(count) if count > 0 => Ok(call.shape(0).iter().copied().chain([count]).collect()),
        _ => Err(Error::runtime("num_classes must be given, and be at least one")),
    }
}

//! Reshapes and permutations: operations that add, remove, merge or exchange axes.

use smallvec::SmallVec;

use crate::attrs::{Attr, AttrSpec};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad};
use crate::kernel::Kernel;
use crate::op::{Call, Op, Python, Sample, View, ints};
use crate::ops::family::MOVE;
use crate::ops::{codes, keys};
use crate::rules::shape;
use crate::rules::shard::{self, Factors, Letters, localise, views};
use crate::shape::{Shape, wrap_axis};

pub static SHAPE_ATTR: [AttrSpec; 1] = [keys::SHAPE.required()];

pub static RESHAPE: Op = Op {
    name: "reshape",
    code: codes::RESHAPE,
    doc: "The same elements in another shape; one size may be -1.",
    attrs: &SHAPE_ATTR,
    shape: shape::reshape,
    grad: Some(|call| vec![reshape(Grad(0), call.shape(0))]),
    view: View::IfPossible(|call| reshape(Grad(0), call.shape(0))),
    shard: views::reshaped,
    localise: localise::shape,
    kernel: |_| Ok(Kernel::Reshape),
    torch: "torch.reshape",
    samples: || {
        let to = |from: &[usize], to: &[i64]| Sample::of(&[from]).attrs([ints(to.iter().copied())]);
        vec![
            to(&[2, 3], &[3, 2]),
            to(&[2, 3, 4], &[-1, 4]),
            to(&[1], &[]),
            to(&[0, 3], &[3, 0]),
            to(&[4, 6], &[8, 3]),
            to(&[6, 4], &[4, 6]),
            to(&[1, 6, 2], &[2, 1, 3, 2]),
        ]
    },
    ..MOVE
};

static DIMS_ATTR: [AttrSpec; 1] = [keys::DIMS.required()];

pub static PERMUTE: Op = Op {
    name: "permute",
    code: codes::PERMUTE,
    doc: "The axes in another order.",
    attrs: &DIMS_ATTR,
    shape: shape::permute,
    grad: Some(|call| vec![permute(Grad(0), &inverse(call))]),
    view: View::Writable(|call| permute(Grad(0), &inverse(call))),
    shard: |call| shard::permuted(call, &order(call)),
    kernel: |call| Ok(Kernel::Permute(order(call))),
    torch: "torch.permute",
    samples: || {
        let by = |from: &[usize], by: &[i64]| Sample::of(&[from]).attrs([ints(by.iter().copied())]);
        vec![by(&[2, 3], &[1, 0]), by(&[2, 3, 4], &[-1, 0, 1]), by(&[], &[]), by(&[0, 2], &[1, 0])]
    },
    ..MOVE
};

static VIEW_ATTRS: [AttrSpec; 1] = [keys::SHAPE.required()];

pub static VIEW: Op = Op {
    name: "view",
    code: codes::VIEW,
    doc: "The same elements in another shape; one size may be -1.",
    attrs: &VIEW_ATTRS,
    shape: shape::reshape,
    grad: Some(|call| vec![reshape(Grad(0), call.shape(0))]),
    view: View::Writable(|call| reshape(Grad(0), call.shape(0))),
    shard: views::reshaped,
    localise: localise::shape,
    kernel: |_| Ok(Kernel::Reshape),
    torch: "Tensor.view",
    python: Python { function: false, ..Python::BOTH },
    samples: || {
        let to = |from: &[usize], to: &[i64]| Sample::of(&[from]).attrs([ints(to.iter().copied())]);
        vec![to(&[2, 3], &[6]), to(&[4], &[2, -1]), to(&[2, 6], &[4, 3])]
    },
    ..MOVE
};

static TRANSPOSE_ATTRS: [AttrSpec; 2] = [keys::DIM0.or_none(), keys::DIM1.or_none()];

pub static TRANSPOSE: Op = Op {
    name: "transpose",
    code: codes::TRANSPOSE,
    doc: "Two axes exchanged; those of a matrix need not be named.",
    attrs: &TRANSPOSE_ATTRS,
    shape: |call| Ok([call.shape(0).permuted(&exchanged(call)?)].into()),
    // Exchanging them again undoes it.
    grad: Some(|call| vec![permute(Grad(0), &exchanged(call).unwrap_or_default())]),
    view: View::Writable(|call| permute(Grad(0), &exchanged(call).unwrap_or_default())),
    shard: |call| shard::permuted(call, &exchanged(call).unwrap_or_default()),
    kernel: |call| Ok(Kernel::Permute(exchanged(call)?)),
    torch: "torch.transpose",
    python: Python::IN_PLACE.also(&["swapaxes", "swapdims"]),
    samples: || {
        let of = |shape: &[usize], a: i64, b: i64| Sample::of(&[shape]).attrs([a.into(), b.into()]);
        let matrix = Sample::of(&[&[2, 3]]).attrs([Attr::None, Attr::None]);
        vec![of(&[2, 3], 0, 1), of(&[2, 3, 4], -1, 0), of(&[3], 0, 0), of(&[], 0, -1), matrix]
    },
    ..MOVE
};

static DIM_ATTR: [AttrSpec; 1] = [keys::DIM.required()];

pub static UNSQUEEZE: Op = Op {
    name: "unsqueeze",
    code: codes::UNSQUEEZE,
    doc: "With another axis of size one.",
    attrs: &DIM_ATTR,
    shape: |call| {
        let axis = wrap_axis(call.int(keys::DIM), call.shape(0).rank() + 1)?;
        let mut sizes: SmallVec<[usize; 4]> = call.shape(0).iter().copied().collect();
        sizes.insert(axis, 1);
        Ok([sizes.into_iter().collect::<Shape>()].into())
    },
    grad: Some(|call| vec![reshape(Grad(0), call.shape(0))]),
    view: View::Writable(|call| reshape(Grad(0), call.shape(0))),
    shard: |call| {
        let input = shard::numbered(call.shape(0).rank());
        let mut output = input.clone();
        let axis = wrap_axis(call.int(keys::DIM), input.len() + 1).unwrap_or_default();
        output.insert(axis, None);
        Factors::of(call, vec![input], vec![output])
    },
    kernel: |_| Ok(Kernel::Reshape),
    torch: "torch.unsqueeze",
    python: Python::IN_PLACE,
    samples: || {
        let of = |shape: &[usize], axis: i64| Sample::of(&[shape]).attrs([axis.into()]);
        vec![of(&[2, 3], 0), of(&[2, 3], -1), of(&[], 0)]
    },
    ..MOVE
};

static SQUEEZE_ATTRS: [AttrSpec; 1] = [keys::AXES.or_none()];

pub static SQUEEZE: Op = Op {
    name: "squeeze",
    code: codes::SQUEEZE,
    doc: "Without the axes of size one that are named, or without any.",
    attrs: &SQUEEZE_ATTRS,
    shape: |call| Ok([call.shape(0).reduced(&squeezed(call)?, false)].into()),
    grad: Some(|call| vec![reshape(Grad(0), call.shape(0))]),
    view: View::Writable(|call| reshape(Grad(0), call.shape(0))),
    shard: |call| {
        let gone = squeezed(call).unwrap_or_default();
        let letter = |axis: usize| (!gone.contains(&axis)).then_some(axis as u8);
        let letters: Letters = (0..call.shape(0).rank()).map(letter).collect();
        let output = letters.iter().copied().filter(Option::is_some).collect();
        Factors::of(call, vec![letters], vec![output])
    },
    // A part of an axis may have one element where the whole axis has more.
    localise: |call, _| {
        let gone = squeezed(call).unwrap_or_default();
        localise::with(call, keys::AXES, gone.as_slice().into())
    },
    kernel: |_| Ok(Kernel::Reshape),
    torch: "torch.squeeze",
    python: Python::IN_PLACE,
    samples: || {
        let of = |shape: &[usize], axes: &[i64]| {
            Sample::of(&[shape]).attrs([ints(axes.iter().copied())])
        };
        let all = |shape: &[usize]| Sample::of(&[shape]).attrs([Attr::None]);
        vec![
            all(&[1, 3, 1]),
            of(&[1, 3, 1], &[]),
            of(&[1, 3, 1], &[-1]),
            of(&[2, 1], &[0]),
            all(&[]),
        ]
    },
    ..MOVE
};

static FLATTEN_ATTRS: [AttrSpec; 2] = [keys::START_DIM.or(0), keys::END_DIM.or(-1)];

pub static FLATTEN: Op = Op {
    name: "flatten",
    code: codes::FLATTEN,
    doc: "The tensor with some axes that follow each other as one.",
    attrs: &FLATTEN_ATTRS,
    shape: |call| {
        let shape = call.shape(0);
        let (start, end) = (call.axis(keys::START_DIM, 0)?, call.axis(keys::END_DIM, 0)?);
        if start > end {
            return Err(Error::runtime("start_dim cannot come after end_dim"));
        }
        if shape.rank() == 0 {
            return Ok([[1].into()].into());
        }
        let merged = shape[start..=end].iter().product::<usize>();
        let sizes = shape[..start].iter().copied().chain([merged]);
        Ok([sizes.chain(shape[end + 1..].iter().copied()).collect()].into())
    },
    grad: Some(|call| vec![reshape(Grad(0), call.shape(0))]),
    view: View::IfPossible(|call| reshape(Grad(0), call.shape(0))),
    shard: views::reshaped,
    kernel: |_| Ok(Kernel::Reshape),
    torch: "torch.flatten",
    samples: || {
        let of = |shape: &[usize], start: i64, end: i64| {
            Sample::of(&[shape]).attrs([start.into(), end.into()])
        };
        vec![of(&[2, 3, 4], 0, -1), of(&[2, 3, 4], 1, 2), of(&[], 0, -1), of(&[0, 3], 0, 1)]
    },
    ..MOVE
};

pub static RAVEL: Op = Op {
    name: "ravel",
    code: codes::RAVEL,
    doc: "The elements along one axis.",
    attrs: &[],
    shape: |call| Ok([[call.shape(0).count()].into()].into()),
    view: View::IfContiguous(|call| reshape(Grad(0), call.shape(0))),
    torch: "torch.ravel",
    samples: || vec![Sample::of(&[&[2, 3]]), Sample::of(&[&[]]), Sample::of(&[&[0, 2]])],
    ..FLATTEN
};

static UNFLATTEN_ATTRS: [AttrSpec; 2] = [keys::DIM.required(), keys::UNFLATTENED.required()];

pub static UNFLATTEN: Op = Op {
    name: "unflatten",
    code: codes::UNFLATTEN,
    doc: "The tensor with one axis as several; one size may be -1.",
    attrs: &UNFLATTEN_ATTRS,
    shape: |call| {
        let (shape, axis) = (call.shape(0), call.axis(keys::DIM, 0)?);
        let sizes = call.ints(keys::UNFLATTENED);
        if shape.rank() == 0 || sizes.is_empty() {
            return Err(Error::runtime("an axis must become at least one"));
        }
        let parts = Shape::resolve(sizes, shape[axis])?;
        let lead = shape[..axis].iter().chain(parts.iter());
        Ok([lead.chain(&shape[axis + 1..]).copied().collect()].into())
    },
    grad: Some(|call| vec![reshape(Grad(0), call.shape(0))]),
    view: View::Writable(|call| reshape(Grad(0), call.shape(0))),
    shard: views::reshaped,
    localise: |call, parts| {
        let (axis, count) = (call.axis(keys::DIM, 0), call.ints(keys::UNFLATTENED).len());
        let axis = axis.unwrap_or_default();
        let part = views::reshaped(call).output_part(0, parts);
        localise::with(call, keys::UNFLATTENED, part[axis..axis + count].into())
    },
    kernel: |_| Ok(Kernel::Reshape),
    torch: "torch.unflatten",
    samples: || {
        let of = |shape: &[usize], axis: i64, sizes: &[i64]| {
            Sample::of(&[shape]).attrs([axis.into(), ints(sizes.iter().copied())])
        };
        vec![of(&[6], 0, &[2, 3]), of(&[2, 8, 3], 1, &[2, -1, 2]), of(&[2, 4], -1, &[4])]
    },
    ..MOVE
};

static MOVEDIM_ATTRS: [AttrSpec; 2] = [keys::SOURCE.required(), keys::DESTINATION.required()];

pub static MOVEDIM: Op = Op {
    name: "movedim",
    code: codes::MOVEDIM,
    doc: "The tensor with some axes at other places, the others in their order.",
    attrs: &MOVEDIM_ATTRS,
    shape: |call| Ok([call.shape(0).permuted(&moved(call)?)].into()),
    grad: Some(|call| vec![permute(Grad(0), &back(&moved(call).unwrap_or_default()))]),
    view: View::Writable(|call| permute(Grad(0), &back(&moved(call).unwrap_or_default()))),
    shard: |call| shard::permuted(call, &moved(call).unwrap_or_default()),
    kernel: |call| Ok(Kernel::Permute(moved(call)?)),
    torch: "torch.movedim",
    python: Python::BOTH.also(&["moveaxis"]),
    samples: || {
        let of = |shape: &[usize], from: &[i64], to: &[i64]| {
            Sample::of(&[shape]).attrs([from, to].map(|list| ints(list.iter().copied())))
        };
        vec![of(&[2, 3, 4], &[0], &[-1]), of(&[2, 3, 4], &[0, 2], &[1, 0]), of(&[3], &[0], &[0])]
    },
    ..MOVE
};

/// The same elements in another shape.
pub fn reshape(input: Expr, shape: &Shape) -> Expr {
    Expr::apply(&RESHAPE, [input], [Attr::Ints(shape.to_ints())])
}

/// The axes in another order.
pub fn permute(input: Expr, axes: &[usize]) -> Expr {
    Expr::apply(&PERMUTE, [input], [axes.into()])
}

/// The tensor with the last two of its `rank` axes exchanged.
pub fn transpose(input: Expr, rank: usize) -> Expr {
    let mut axes: SmallVec<[usize; 4]> = (0..rank).collect();
    axes.swap(rank - 1, rank - 2);
    permute(input, &axes)
}

fn order(call: &Call) -> SmallVec<[usize; 4]> {
    let dims = call.ints(keys::DIMS);
    if dims.is_empty() { SmallVec::new() } else { call.axes(keys::DIMS, 0).unwrap_or_default() }
}

fn inverse(call: &Call) -> SmallVec<[usize; 4]> {
    let order = order(call);
    let mut inverse = SmallVec::from_elem(0, order.len());
    for (position, &axis) in order.iter().enumerate() {
        inverse[axis] = position;
    }
    inverse
}

/// The axes that `squeeze` removes: those of size one among the named axes, or among all.
fn squeezed(call: &Call) -> Result<SmallVec<[usize; 4]>> {
    // An empty list names no axis; a missing list stands for all axes.
    if matches!(call.attr(keys::AXES), Attr::Ints(axes) if axes.is_empty()) {
        return Ok(SmallVec::new());
    }
    let named = call.axes(keys::AXES, 0)?.into_iter();
    Ok(named.filter(|&axis| call.shape(0).get(axis) == Some(&1)).collect())
}

/// The order of the axes with two of them exchanged.
fn exchanged(call: &Call) -> Result<SmallVec<[usize; 4]>> {
    let rank = call.shape(0).rank();
    let (a, b) = match [keys::DIM0, keys::DIM1].map(|key| call.attr(key) == &Attr::None) {
        [false, false] => (call.axis(keys::DIM0, 0)?, call.axis(keys::DIM1, 0)?),
        [true, true] if rank == 2 => (0, 1),
        [true, true] => {
            let message = format!("without axes it is for two dimensions, not {rank}");
            return Err(Error::type_(format!(
                "{message}; name dim0 and dim1, or use mT or permute"
            )));
        }
        _ => return Err(Error::type_("expected both dim0 and dim1, or neither")),
    };
    let mut axes: SmallVec<[usize; 4]> = (0..rank).collect();
    if !axes.is_empty() {
        axes.swap(a, b);
    }
    Ok(axes)
}

/// The order of the axes after `movedim`.
fn moved(call: &Call) -> Result<SmallVec<[usize; 4]>> {
    let shape = call.shape(0);
    let (from, to) = (call.ints(keys::SOURCE), call.ints(keys::DESTINATION));
    if from.len() != to.len() {
        let (from, to) = (from.len(), to.len());
        return Err(Error::runtime(format!("{from} axes cannot move to {to} places")));
    }
    if from.is_empty() || shape.rank() == 0 {
        return Ok((0..shape.rank()).collect());
    }
    let (from, to) = (shape.axes(from)?, shape.axes(to)?);
    let mut others = (0..shape.rank()).filter(|axis| !from.contains(axis));
    let place = |place: usize| match to.iter().position(|&other| other == place) {
        Some(index) => from[index],
        None => others.next().expect("as many places as axes"),
    };
    Ok((0..shape.rank()).map(place).collect())
}

/// The inverse of an order of axes.
fn back(order: &[usize]) -> SmallVec<[usize; 4]> {
    let mut back = SmallVec::from_elem(0, order.len());
    order.iter().enumerate().for_each(|(place, &axis)| back[axis] = place);
    back
}

//! Binary search in sorted elements: `searchsorted`, `bucketize`.

use super::sort::standing;
use crate::attrs::{Attr, AttrSpec, Range};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Input};
use crate::kernel::Kernel;
use crate::op::{
    Arg, Call, Input as In, Linear, Op, Output as Out, OutputType, Python, Role, Sample,
};
use crate::ops::create::full;
use crate::ops::elementwise::unary::cast;
use crate::ops::family::MOVE;
use crate::ops::index::gather::gather;
use crate::ops::shape::axes::reshape;
use crate::ops::shape::join::CAT;
use crate::ops::shape::slice::slice;
use crate::ops::{codes, keys};
use crate::rules::shard::{self, Factors, Letters};
use crate::shape::Shape;

static SEARCHED: [In; 2] = [
    In { name: "sorted_sequence", role: Role::Operand },
    In { name: "input", role: Role::Operand },
];
static SEARCH_ATTRS: [AttrSpec; 3] = [OUT_INT32, RIGHT, keys::SIDE.or_none()];
static BUCKET_ATTRS: [AttrSpec; 2] = [OUT_INT32, RIGHT];
const OUT_INT32: AttrSpec = keys::OUT_INT32.or(false);
const RIGHT: AttrSpec = keys::RIGHT.or(false);
static PLACES: [Out; 1] = [Out { name: "result", dtype: OutputType::Position }];

pub static SEARCHSORTED: Op = Op {
    name: "searchsorted",
    code: codes::SEARCHSORTED,
    doc: "Where elements would stand among sorted ones: before those that are equal, or after.",
    inputs: &SEARCHED,
    attrs: &SEARCH_ATTRS,
    outputs: &PLACES,
    accepts_scalars: true,
    shape: |call| {
        check_search(call, 0, 1)?;
        is_right(call)?;
        Ok([call.shape(1).clone()].into())
    },
    grad: None,
    linear: Linear::No,
    shard: |call| search_factors(call, 0, 1),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        vec![search(call, [0, 1], Input(0), is_right(call).unwrap_or_default())]
    }),
    torch: "torch.searchsorted",
    python: Python::FUNCTION.with("sorter", &SEARCHSORTED_BY),
    samples: || {
        let of = |right: bool| [Attr::Bool(false), Attr::Bool(right), Attr::None];
        let side = |side: &str| [true.into(), false.into(), Attr::Text(side.into())];
        vec![
            Sample::of(&[&[4], &[2, 3]]).attrs(of(false)),
            Sample::of(&[&[2, 3], &[2, 4]]).attrs(of(true)),
            Sample::of(&[&[5]]).scalar(0.5).attrs(of(false)),
            Sample::of(&[&[0], &[3]]).attrs(of(false)),
            Sample::of(&[&[4], &[2]]).attrs(side("right")),
            Sample::of(&[&[4], &[2]]).attrs(side("left")),
        ]
    },
    ..MOVE
};

static SEARCHED_BY: [In; 3] = [
    In { name: "sorted_sequence", role: Role::Operand },
    In { name: "input", role: Role::Operand },
    In { name: "sorter", role: Role::Index },
];

pub static SEARCHSORTED_BY: Op = Op {
    name: "searchsorted_by",
    code: codes::SEARCHSORTED_BY,
    doc: "Where elements would stand among others, of which an index gives the order.",
    inputs: &SEARCHED_BY,
    shape: |call| {
        let (sequence, sorter) = (call.shape(0), call.shape(2));
        if sequence != sorter {
            return Err(Error::runtime(format!(
                "a sequence of shape {sequence} and a sorter of shape {sorter} must have the same \
                 shape"
            )));
        }
        if call.inputs[2].dtype() != DType::I64 {
            let dtype = call.inputs[2].dtype();
            return Err(Error::runtime(format!("a sorter must be of int64, not {dtype}")));
        }
        (SEARCHSORTED.shape)(call)
    },
    expansion: Some(|call| {
        let sorted = gather(Input(0), Input(2), -1);
        vec![search(call, [0, 1], sorted, is_right(call).unwrap_or_default())]
    }),
    torch: "",
    python: Python {
        order: &["sorted_sequence", "input", "out_int32", "right", "side", "sorter"],
        ..Python::HIDDEN
    },
    // A random index is not a permutation unless it has a single element.
    samples: || {
        let of = |shape: &[usize]| Sample::of(&[&[1], shape]).index(&[1], 1);
        vec![of(&[3]).attrs([false.into(), false.into(), Attr::None])]
    },
    ..SEARCHSORTED
};

static BOUNDED: [In; 2] =
    [In { name: "input", role: Role::Operand }, In { name: "boundaries", role: Role::Operand }];

pub static BUCKETIZE: Op = Op {
    name: "bucketize",
    code: codes::BUCKETIZE,
    doc: "Between which boundaries each element lies: the number of the upper one.",
    inputs: &BOUNDED,
    attrs: &BUCKET_ATTRS,
    shape: |call| {
        if call.shape(1).rank() != 1 {
            return Err(Error::runtime("boundaries must have one axis"));
        }
        check_search(call, 1, 0)?;
        Ok([call.shape(0).clone()].into())
    },
    shard: |call| search_factors(call, 1, 0),
    expansion: Some(|call| vec![search(call, [1, 0], Input(1), call.flag(keys::RIGHT))]),
    torch: "torch.bucketize",
    python: Python::FUNCTION,
    samples: || {
        vec![
            Sample::of(&[&[2, 3], &[4]]).attrs([false.into(), false.into()]),
            Sample::of(&[&[], &[2]]).attrs([true.into(), true.into()]),
        ]
    },
    ..SEARCHSORTED
};

/// Whether values go after equal elements, from `right` or `side`.
fn is_right(call: &Call) -> Result<bool> {
    match call.text(keys::SIDE) {
        None => Ok(call.flag(keys::RIGHT)),
        Some("right") => Ok(true),
        Some("left") if !call.flag(keys::RIGHT) => Ok(false),
        Some("left") => Err(Error::runtime("side and right can't be set to opposites")),
        Some(side) => {
            Err(Error::runtime(format!("side can only be 'left' or 'right', not '{side}'")))
        }
    }
}

/// All axes of the values may be cut; sequences in batches are cut along with them.
fn search_factors(call: &Call, sequence: usize, values: usize) -> Factors {
    let found = shard::numbered(call.shape(values).rank());
    let rank = call.shape(sequence).rank();
    let mut searched = Letters::from_elem(None, rank);
    if rank > 1 {
        searched[..rank - 1].copy_from_slice(&found[..rank - 1]);
    }
    // A sorter has the shape of its sequence.
    let letters = |input: usize| if input == values { found.clone() } else { searched.clone() };
    let inputs = (0..call.inputs.len()).map(letters).collect();
    Factors::of(call, inputs, vec![found])
}

fn check_search(call: &Call, sequence: usize, values: usize) -> Result<()> {
    let (sorted, sought) = (call.shape(sequence), call.shape(values));
    let batch = |shape: &Shape| shape[..shape.rank().saturating_sub(1)].to_vec();
    let alike = sorted.rank() == sought.rank() && batch(sorted) == batch(sought);
    if sorted.rank() == 1 || (sorted.rank() > 1 && alike) {
        return Ok(());
    }
    Err(Error::runtime(format!(
        "a sequence of shape {sorted} does not fit values of shape {sought}: it needs one axis, or \
         all but the last alike"
    )))
}

/// The number of elements of the sequence, which is `ordered`, before each value: its rank among
/// sequence and values, minus its rank among the values.
fn search(call: &Call, [sequence, values]: [usize; 2], ordered: Expr, right: bool) -> Expr {
    let (sorted, sought) = (call.shape(sequence), call.shape(values));
    let flat: Shape = match sorted.rank() {
        1 => [sought.count()].into(),
        _ => sought.clone(),
    };
    let dtype = call.infer().map_or(DType::F32, |inferred| inferred.compute);
    let scalar = matches!(call.inputs[values], Arg::Scalar(_));
    let given = match scalar {
        true => cast(full(&flat, Scalar::Int(0), dtype) + Input(values), dtype),
        false => reshape(Input(values), &flat),
    };
    let axis = flat.rank() - 1;
    let (before, count) = (sorted[sorted.rank() - 1], flat[axis]);
    // The sort is stable, so that the order of concatenation decides between equal elements.
    let parts = if right { [ordered, given.clone()] } else { [given.clone(), ordered] };
    let joined = Expr::apply(&CAT, parts, [Attr::from(axis)]);
    let mut own: Vec<Range> = flat.iter().map(|&size| Range::all(size)).collect();
    own[axis] = Range { start: if right { before } else { 0 }, len: count, step: 1 };
    let places = reshape(slice(standing(joined), own) - standing(given), sought);
    if call.flag(keys::OUT_INT32) { cast(places, DType::I32) } else { places }
}

//! Tensors created without data: constants, ranges, `eye`, and the `_like` and `new_` forms.

use super::elementwise::binary::POW;
use super::elementwise::compare::{eq, lt};
use super::elementwise::ternary::where_;
use super::elementwise::unary::cast;
use super::family::{CREATE, MOVED};
use super::shape::axes::reshape;
use super::{codes, keys};
use crate::attrs::{Attr, AttrSpec};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::expr::Expr;
use crate::kernel::Kernel;
use crate::op::{Arg, Call, Op, Output as Out, OutputType, Python, Sample, Shapes, ints};
use crate::rules::promote::Promotion;
use crate::rules::shape;
use crate::rules::shard::{self, Factors, Letters, localise};
use crate::shape::{MAX_BYTES, Shape};

pub static ZEROS: Op = Op {
    name: "zeros",
    code: codes::ZEROS,
    doc: "A tensor of zeros.",
    kernel: |_| Ok(Kernel::Fill(Scalar::Int(0))),
    torch: "torch.zeros",
    python: Python::FUNCTION.also(&["empty"]),
    ..CREATE
};

pub static ONES: Op = Op {
    name: "ones",
    code: codes::ONES,
    doc: "A tensor of ones.",
    kernel: |_| Ok(Kernel::Fill(Scalar::Int(1))),
    torch: "torch.ones",
    ..CREATE
};

static FULL_ATTRS: [AttrSpec; 3] =
    [keys::SHAPE.required(), keys::FILL_VALUE.required(), keys::DTYPE.or_none()];

pub static FULL: Op = Op {
    name: "full",
    code: codes::FULL,
    doc: "A tensor with the same number everywhere.",
    attrs: &FULL_ATTRS,
    shape: |call| {
        check_fill(call)?;
        shape::given(call)
    },
    kernel: |call| Ok(Kernel::Fill(call.number(keys::FILL_VALUE))),
    torch: "torch.full",
    samples: || {
        let of = |sizes: &[i64], value: Attr| {
            Sample::of(&[]).attrs([ints(sizes.iter().copied()), value, Attr::None])
        };
        vec![of(&[2, 3], Attr::Float(1.5)), of(&[], Attr::Int(-2)), of(&[4], Attr::Bool(true))]
    },
    ..CREATE
};

static ARANGE_ATTRS: [AttrSpec; 4] =
    [keys::START.required(), keys::END.required(), keys::STEP.or(1), keys::DTYPE.or_none()];

pub static ARANGE: Op = Op {
    name: "arange",
    code: codes::ARANGE,
    doc: "The numbers from start up to end, a step apart.",
    attrs: &ARANGE_ATTRS,
    shape: arange_shape,
    shard: |call| match whole_steps(call) {
        Some(_) => Factors::of(call, Vec::new(), vec![shard::numbered(1)]),
        None => shard::gather_first(call),
    },
    localise: |call, parts| {
        let (Some([start, step]), &[own]) = (whole_steps(call), parts) else {
            return call.attrs.clone();
        };
        let at = |position: usize| Attr::Int(start.wrapping_add(step * position as i64));
        let mut attrs = localise::with(call, keys::START, at(own.start));
        localise::set(call, &mut attrs, keys::END, at(own.start + own.len));
        attrs
    },
    kernel: |call| {
        let [start, _, step] = arange_numbers(call);
        Ok(Kernel::Iota { start, step })
    },
    torch: "torch.arange",
    samples: || {
        let of = |start: Attr, end: Attr, step: Attr, dtype: Attr| {
            Sample::of(&[]).attrs([start, end, step, dtype])
        };
        let whole = || Attr::DType(DType::I64);
        vec![
            of(Attr::Int(0), Attr::Int(5), Attr::Int(1), Attr::None),
            of(Attr::Int(7), Attr::Int(0), Attr::Int(-3), Attr::None),
            of(Attr::Float(0.0), Attr::Float(1.0), Attr::Float(0.25), Attr::None),
            of(Attr::Int(3), Attr::Int(3), Attr::Int(1), Attr::None),
            of(Attr::Int(0), Attr::Float(2.5), Attr::Int(1), whole()),
            of(Attr::Int(1), Attr::Int(3), Attr::Float(0.5), whole()),
        ]
    },
    ..CREATE
};

static GIVEN: [Out; 1] = [Out { name: "result", dtype: OutputType::Attr }];
static LINSPACE_ATTRS: [AttrSpec; 6] = [
    keys::START.required(),
    keys::END.required(),
    keys::STEPS.required(),
    keys::DTYPE.or_none(),
    keys::REGION_WHOLE.or_empty(),
    keys::REGION_OFFSET.or_empty(),
];

const SPACED: Op = Op {
    outputs: &GIVEN,
    promotion: Promotion::Float,
    shape: |call| match usize::try_from(call.int(keys::STEPS)) {
        Ok(steps) => Ok([[steps].into()].into()),
        Err(_) => Err(Error::runtime("the number of steps cannot be negative")),
    },
    shard: |call| Factors::of(call, Vec::new(), vec![shard::numbered(1)]),
    localise: |call, parts| {
        let &[own] = parts else { return call.attrs.clone() };
        let mut attrs = localise::with(call, keys::REGION_WHOLE, ints([call.int(keys::STEPS)]));
        localise::set(call, &mut attrs, keys::REGION_OFFSET, ints([own.start as i64]));
        localise::set(call, &mut attrs, keys::STEPS, own.len.into());
        attrs
    },
    kernel: |_| Ok(Kernel::Expansion),
    ..CREATE
};

pub static LINSPACE: Op = Op {
    name: "linspace",
    code: codes::LINSPACE,
    doc: "So many numbers from start to end, evenly spaced.",
    attrs: &LINSPACE_ATTRS,
    expansion: Some(|call| vec![cast(spaced(call), result_dtype(call))]),
    torch: "torch.linspace",
    samples: || {
        let of = |start: f64, end: f64, steps: i64, dtype: Attr| {
            let numbers = [Attr::Float(start), Attr::Float(end), steps.into(), dtype];
            Sample::of(&[]).attrs(numbers.into_iter().chain([ints([]), ints([])]))
        };
        vec![
            of(0.0, 1.0, 5, Attr::None),
            of(3.0, -2.5, 4, DType::F64.into()),
            of(1.0, 2.0, 1, Attr::None),
            of(0.0, 10.0, 4, DType::I64.into()),
            of(0.0, 1.0, 0, Attr::None),
        ]
    },
    ..SPACED
};

static LOGSPACE_ATTRS: [AttrSpec; 7] = [
    keys::START.required(),
    keys::END.required(),
    keys::STEPS.required(),
    keys::BASE.or(10.0),
    keys::DTYPE.or_none(),
    keys::REGION_WHOLE.or_empty(),
    keys::REGION_OFFSET.or_empty(),
];

pub static LOGSPACE: Op = Op {
    name: "logspace",
    code: codes::LOGSPACE,
    doc: "Powers of a base, whose exponents go evenly from start to end.",
    attrs: &LOGSPACE_ATTRS,
    expansion: Some(|call| {
        let power = Expr::apply(&POW, [call.float(keys::BASE).into(), spaced(call)], []);
        vec![cast(power, result_dtype(call))]
    }),
    torch: "torch.logspace",
    samples: || {
        let of = |start: f64, end: f64, steps: i64, base: f64| {
            let numbers = [start, end].map(Attr::Float);
            let rest = [steps.into(), Attr::Float(base), Attr::None, ints([]), ints([])];
            Sample::of(&[]).attrs(numbers.into_iter().chain(rest))
        };
        vec![of(0.0, 2.0, 3, 10.0), of(-1.0, 3.0, 5, 2.0)]
    },
    ..SPACED
};

static EYE_ATTRS: [AttrSpec; 4] =
    [keys::N.required(), keys::M.or_none(), keys::DTYPE.or_none(), keys::REGION_START.or_empty()];

pub static EYE: Op = Op {
    name: "eye",
    code: codes::EYE,
    doc: "A matrix with ones on its diagonal and zeros elsewhere.",
    attrs: &EYE_ATTRS,
    shape: |call| Ok([Shape::given(&eye_sizes(call))?].into()),
    shard: |call| Factors::of(call, Vec::new(), vec![shard::numbered(2)]),
    localise: |call, parts| {
        let factors = (call.op.shard)(call);
        let (part, start) = (factors.output_part(0, parts), factors.output_start(0, parts));
        let mut attrs = localise::with(call, keys::N, part[0].into());
        localise::set(call, &mut attrs, keys::M, part[1].into());
        localise::set(call, &mut attrs, keys::REGION_START, start.as_slice().into());
        attrs
    },
    expansion: Some(|call| {
        let [rows, columns] = eye_sizes(call).map(|size| size as usize);
        let [first, left] = match *call.ints(keys::REGION_START) {
            [row, column] => [row, column],
            _ => [0, 0],
        };
        let row = reshape(arange(first, rows), &[rows, 1].into());
        vec![cast(eq(row, arange(left, columns)), result_dtype(call))]
    }),
    torch: "torch.eye",
    samples: || {
        let of = |n: i64, m: Attr| Sample::of(&[]).attrs([n.into(), m, Attr::None, ints([])]);
        vec![of(3, Attr::None), of(2, Attr::Int(4)), of(0, Attr::None)]
    },
    ..SPACED
};

static LIKE_ATTRS: [AttrSpec; 1] = [keys::DTYPE.or_none()];

const LIKE: Op = Op {
    inputs: &MOVED,
    attrs: &LIKE_ATTRS,
    shape: shape::same,
    shard: shard::pointwise,
    localise: localise::unchanged,
    reads_shape_only: true,
    samples: || {
        let of = |shape: &[usize]| Sample::of(&[shape]).attrs([Attr::None]);
        vec![of(&[2, 3]), of(&[]), of(&[0, 2])]
    },
    ..CREATE
};

pub static ZEROS_LIKE: Op = Op {
    name: "zeros_like",
    code: codes::ZEROS_LIKE,
    doc: "A tensor of zeros in the shape of another.",
    kernel: |_| Ok(Kernel::Fill(Scalar::Int(0))),
    torch: "torch.zeros_like",
    python: Python::FUNCTION.also(&["empty_like"]),
    ..LIKE
};

pub static ONES_LIKE: Op = Op {
    name: "ones_like",
    code: codes::ONES_LIKE,
    doc: "A tensor of ones in the shape of another.",
    kernel: |_| Ok(Kernel::Fill(Scalar::Int(1))),
    torch: "torch.ones_like",
    ..LIKE
};

static FULL_LIKE_ATTRS: [AttrSpec; 2] = [keys::FILL_VALUE.required(), keys::DTYPE.or_none()];

pub static FULL_LIKE: Op = Op {
    name: "full_like",
    code: codes::FULL_LIKE,
    doc: "A tensor with the same number everywhere, in the shape of another.",
    attrs: &FULL_LIKE_ATTRS,
    shape: |call| {
        check_fill(call)?;
        shape::same(call)
    },
    kernel: |call| Ok(Kernel::Fill(call.number(keys::FILL_VALUE))),
    torch: "torch.full_like",
    samples: || {
        let of = |shape: &[usize], value: Attr| Sample::of(&[shape]).attrs([value, Attr::None]);
        vec![of(&[2, 3], Attr::Float(1.5)), of(&[], Attr::Int(2))]
    },
    ..LIKE
};

const BESIDE: Op = Op {
    inputs: &MOVED,
    // Only the dtype of the input is used.
    shard: |call| {
        let input = Letters::from_elem(None, call.shape(0).rank());
        let output = shard::numbered(call.ints(keys::SHAPE).len());
        Factors::of(call, vec![input], vec![output])
    },
    python: Python { function: false, method: true, ..Python::BOTH },
    samples: || {
        let of =
            |sizes: &[i64]| Sample::of(&[&[2]]).attrs([ints(sizes.iter().copied()), Attr::None]);
        vec![of(&[2, 3]), of(&[]), of(&[0, 2])]
    },
    ..CREATE
};

pub static NEW_ZEROS: Op = Op {
    name: "new_zeros",
    code: codes::NEW_ZEROS,
    doc: "A tensor of zeros in the dtype of another.",
    kernel: |_| Ok(Kernel::Fill(Scalar::Int(0))),
    torch: "Tensor.new_zeros",
    python: Python { function: false, ..Python::BOTH }.also(&["new_empty"]),
    ..BESIDE
};

pub static NEW_ONES: Op = Op {
    name: "new_ones",
    code: codes::NEW_ONES,
    doc: "A tensor of ones in the dtype of another.",
    kernel: |_| Ok(Kernel::Fill(Scalar::Int(1))),
    torch: "Tensor.new_ones",
    ..BESIDE
};

pub static NEW_FULL: Op = Op {
    name: "new_full",
    code: codes::NEW_FULL,
    doc: "A tensor with the same number everywhere, in the dtype of another.",
    attrs: &FULL_ATTRS,
    shape: |call| {
        check_fill(call)?;
        shape::given(call)
    },
    kernel: |call| Ok(Kernel::Fill(call.number(keys::FILL_VALUE))),
    torch: "Tensor.new_full",
    samples: || {
        let of = |sizes: &[i64], value: Attr| {
            Sample::of(&[&[2]]).attrs([ints(sizes.iter().copied()), value, Attr::None])
        };
        vec![of(&[2, 3], Attr::Float(1.5)), of(&[], Attr::Int(2))]
    },
    ..BESIDE
};

/// Refuses a number that the dtype of the result cannot represent.
fn check_fill(call: &Call) -> Result<()> {
    let value = call.number(keys::FILL_VALUE);
    let given = call.inputs.first().map(Arg::dtype);
    match call.dtype(keys::DTYPE).or(given) {
        Some(dtype) if !value.fits(dtype) => {
            Err(Error::runtime(format!("{value} cannot be converted to {dtype} without overflow")))
        }
        _ => Ok(()),
    }
}

/// A tensor filled with one number.
pub fn full(shape: &Shape, value: Scalar, dtype: DType) -> Expr {
    Expr::apply(&FULL, [], [Attr::Ints(shape.to_ints()), value.into(), dtype.into()])
}

/// The `len` integers from `start` on.
pub fn arange(start: i64, len: usize) -> Expr {
    let end = start.saturating_add(len as i64);
    Expr::apply(&ARANGE, [], [start.into(), end.into(), Attr::Int(1), DType::I64.into()])
}

fn eye_sizes(call: &Call) -> [i64; 2] {
    let n = call.int(keys::N);
    [n, if *call.attr(keys::M) == Attr::None { n } else { call.int(keys::M) }]
}

fn result_dtype(call: &Call) -> DType {
    call.dtype(keys::DTYPE).unwrap_or(DType::F32)
}

/// Evenly spaced numbers in float64. Each half is computed from its own end, so that both ends are
/// exact; the limits of an integer range are truncated first.
fn spaced(call: &Call) -> Expr {
    let own = call.int(keys::STEPS) as usize;
    let steps = call.ints(keys::REGION_WHOLE).first().copied().unwrap_or(own as i64);
    let first = call.ints(keys::REGION_OFFSET).first().copied().unwrap_or(0);
    let limits = [call.number(keys::START), call.number(keys::END)];
    let [start, end] = match result_dtype(call).is_float() {
        true => limits.map(Scalar::as_f64),
        false => limits.map(|limit| limit.as_i64() as f64),
    };
    let last = (steps - 1) as f64;
    let step = if steps > 1 { (end - start) / last } else { 0.0 };
    let index = cast(arange(first, own), DType::F64);
    let upwards = index.clone() * step + start;
    let downwards = (index.clone() - last) * step + end;
    let half = if steps > 1 { (steps / 2) as f64 } else { 1.0 };
    where_(lt(index, half), upwards, downwards)
}

/// A tensor of zeros.
pub fn zeros(shape: &Shape, dtype: DType) -> Expr {
    Expr::apply(&ZEROS, [], [Attr::Ints(shape.to_ints()), dtype.into()])
}

/// The integers from zero up to, but not including, `count`.
pub fn iota(count: usize) -> Expr {
    let attrs = [Attr::Int(0), count.into(), Attr::Int(1), DType::I64.into()];
    Expr::apply(&ARANGE, [], attrs)
}

/// The start and the step of a range of integers; `None` for floats, whose sums would be rounded
/// differently in each part.
fn whole_steps(call: &Call) -> Option<[i64; 2]> {
    match [keys::START, keys::END, keys::STEP].map(|key| call.number(key)) {
        [Scalar::Int(start), Scalar::Int(_), Scalar::Int(step)] => Some([start, step]),
        _ => None,
    }
}

/// The limits and the step in the dtype of the result: integer dtypes truncate them.
fn arange_numbers(call: &Call) -> [Scalar; 3] {
    let numbers = [call.number(keys::START), call.number(keys::END), call.number(keys::STEP)];
    match call.dtype(keys::DTYPE) {
        Some(dtype) if !dtype.is_float() => numbers.map(|number| number.as_i64().into()),
        _ => numbers,
    }
}

fn arange_shape(call: &Call) -> Result<Shapes> {
    if call.dtype(keys::DTYPE) == Some(DType::Bool) {
        return Err(Error::runtime("not implemented for bool"));
    }
    // The number of steps follows from the numbers as given; only elements are truncated.
    let numbers = [call.number(keys::START), call.number(keys::END), call.number(keys::STEP)];
    let [start, end, step] = numbers.map(Scalar::as_f64);
    let steps = match numbers {
        [Scalar::Int(start), Scalar::Int(end), Scalar::Int(step)] if step != 0 => {
            // Exact where floating point would round.
            let distance = end as i128 - start as i128;
            (distance / step as i128 + (distance % step as i128 != 0) as i128) as f64
        }
        _ => ((end - start) / step).ceil(),
    };
    let forward = (step > 0.0 && end >= start) || (step < 0.0 && end <= start);
    if !forward || !steps.is_finite() || steps > MAX_BYTES as f64 {
        return Err(Error::runtime(format!("no way from {start} to {end} in steps of {step}")));
    }
    Ok([[steps as usize].into()].into())
}

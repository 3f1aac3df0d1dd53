//! Random sampling: permutations, Bernoulli, multinomial, and tensors filled in place.

use super::codes;
use super::compare::{GE, LE, gt, lt};
use super::elementwise::{MAXIMUM, cast};
use super::family::{CREATE, MOVE};
use super::index::TOPK;
use super::keys;
use super::logic::{ISFINITE, LOGICAL_AND};
use super::movement::reshape;
use super::random::{
    DTYPE, LIKE, RANDN, RNG_INDEX, SEED, START, WHOLE, check_float, counted, drawn, same_region,
    uniform,
};
use super::reduce::sum;
use super::statistics::ARGMAX;
use super::unary::LOG1P;
use crate::attrs::{Attr, AttrSpec};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Zero};
use crate::kernel::Kernel;
use crate::op::{
    Call, Domain, Input as In, Op, Output as Out, OutputType, Python, Role, Sample, Shapes,
};
use crate::rules::promote::Promotion;
use crate::rules::shape;
use crate::rules::shard::{self, Factors, Letters};
use crate::shape::Shape;

static RANDPERM_ATTRS: [AttrSpec; 4] = [keys::N.required(), DTYPE, SEED, RNG_INDEX];

pub static RANDPERM: Op = Op {
    name: "randperm",
    code: codes::RANDPERM,
    doc: "The whole numbers from zero up to n in a random order.",
    attrs: &RANDPERM_ATTRS,
    promotion: Promotion::AttrOrInt64,
    shape: |call| Ok([Shape::given(&[call.int(keys::N)])?].into()),
    shard: shard::gather_first,
    kernel: |_| Ok(Kernel::Expansion),
    // Positions of numbers in order are in no order.
    expansion: Some(|call| {
        let n = call.int(keys::N);
        let numbers = uniform(call, &[n], DType::F64);
        vec![cast(largest(numbers, n), call.dtype(keys::DTYPE).unwrap_or(DType::I64))]
    }),
    torch: "torch.randperm",
    samples: || {
        let of = |n: i64| Sample::of(&[]).attrs([n.into(), Attr::None, Attr::Int(7), Attr::Int(3)]);
        vec![of(10), of(1), of(0)]
    },
    ..CREATE
};

static CHANCES: [In; 1] = [In { name: "input", role: Role::Operand }];
static BERNOULLI_ATTRS: [AttrSpec; 5] =
    [keys::PROBABILITY.or_none(), SEED, RNG_INDEX, WHOLE, START];

pub static BERNOULLI: Op = Op {
    name: "bernoulli",
    code: codes::BERNOULLI,
    doc: "One with the probability that each element says, or p, else zero.",
    inputs: &CHANCES,
    attrs: &BERNOULLI_ATTRS,
    promotion: Promotion::Common,
    shape: |call| {
        match call.attr(keys::PROBABILITY) {
            Attr::Float(p) if !(0.0..=1.0).contains(p) => {
                return Err(Error::runtime(format!("p must be between 0 and 1, not {p}")));
            }
            Attr::None => check_float(call.inputs[0].dtype())?,
            _ => {}
        }
        same_region(call)
    },
    grad: Some(|_| vec![Zero]),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        let dtype = call.inputs[0].dtype();
        // As fine as the probabilities are; halves are compared as float32.
        let fine = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
        let chance = match call.attr(keys::PROBABILITY) {
            Attr::None => require(Input(0), probable(Input(0)), "p must be between 0 and 1"),
            _ => call.float(keys::PROBABILITY).into(),
        };
        vec![cast(lt(uniform(call, &call.shape(0).to_ints(), fine), chance), dtype)]
    }),
    domain: Domain::Chance,
    torch: "torch.bernoulli",
    python: Python::BOTH,
    samples: || {
        let of =
            |shape: &[usize], p: Attr| Sample::of(&[shape]).attrs([p].into_iter().chain(counted()));
        vec![of(&[4, 5], Attr::None), of(&[3], Attr::Float(0.25)), of(&[], Attr::None)]
    },
    ..LIKE
};

const FILL: Op = Op {
    shape: |call| {
        check_float(call.inputs[0].dtype())?;
        same_region(call)
    },
    kernel: |_| Ok(Kernel::Expansion),
    python: Python { in_place: true, ..Python::HIDDEN },
    samples: || {
        let of = |shape: &[usize], a: f64, b: f64| {
            let first = [Attr::Float(a), Attr::Float(b)];
            Sample::of(&[shape]).attrs(first.into_iter().chain(counted()))
        };
        vec![of(&[4, 5], 0.0, 1.0), of(&[3], -2.0, 3.0), of(&[0, 2], 1.0, 1.0)]
    },
    ..LIKE
};

static UNIFORM_ATTRS: [AttrSpec; 6] =
    [keys::LOW_FLOAT.or(0.0), keys::TO.or(1.0), SEED, RNG_INDEX, WHOLE, START];

pub static UNIFORM: Op = Op {
    name: "uniform",
    code: codes::UNIFORM,
    doc: "Random numbers evenly between two numbers, in the shape of the tensor.",
    attrs: &UNIFORM_ATTRS,
    shape: |call| {
        let (low, to) = (call.float(keys::LOW_FLOAT), call.float(keys::TO));
        if low > to {
            return Err(Error::runtime(format!("there is nothing from {low} up to {to}")));
        }
        (FILL.shape)(call)
    },
    expansion: Some(|call| {
        let (low, to) = (call.float(keys::LOW_FLOAT), call.float(keys::TO));
        let numbers = uniform(call, &call.shape(0).to_ints(), call.inputs[0].dtype());
        vec![numbers * (to - low) + low]
    }),
    torch: "Tensor.uniform_",
    ..FILL
};

static NORMAL_ATTRS: [AttrSpec; 6] =
    [keys::MEAN.or(0.0), keys::STD.or(1.0), SEED, RNG_INDEX, WHOLE, START];

pub static NORMAL: Op = Op {
    name: "normal",
    code: codes::NORMAL,
    doc: "Random numbers with a mean and a standard deviation, in the shape of the tensor.",
    attrs: &NORMAL_ATTRS,
    shape: |call| {
        let std = call.float(keys::STD);
        if std.is_nan() || std < 0.0 {
            return Err(Error::runtime(format!("normal expects std >= 0.0, but found std {std}")));
        }
        (FILL.shape)(call)
    },
    expansion: Some(|call| {
        let (mean, std) = (call.float(keys::MEAN), call.float(keys::STD));
        let attrs = drawn(call, &call.shape(0).to_ints(), call.inputs[0].dtype());
        vec![Expr::apply(&RANDN, [], attrs) * std + mean]
    }),
    torch: "Tensor.normal_",
    ..FILL
};

static MULTINOMIAL_ATTRS: [AttrSpec; 4] =
    [keys::NUM_SAMPLES.required(), keys::REPLACEMENT.or(false), SEED, RNG_INDEX];
static POSITIONS: [Out; 1] = [Out { name: "result", dtype: OutputType::Is(DType::I64) }];

pub static MULTINOMIAL: Op = Op {
    name: "multinomial",
    code: codes::MULTINOMIAL,
    doc: "Random positions along the last axis, each as likely as its weight says.",
    inputs: &CHANCES,
    attrs: &MULTINOMIAL_ATTRS,
    outputs: &POSITIONS,
    promotion: Promotion::Common,
    shape: multinomial_shape,
    shard: shard::gather_first,
    kernel: |_| Ok(Kernel::Expansion),
    // Each weight is divided by a time after which something would come. What comes first, comes
    // with the probability of its weight; what comes second, with that among those left.
    expansion: Some(|call| {
        let (shape, samples) = (call.shape(0), call.int(keys::NUM_SAMPLES));
        let weights = checked_weights(cast(Input(0), DType::F64));
        if !call.flag(keys::REPLACEMENT) {
            return vec![largest(weights / waited(call, &shape.to_ints()), samples)];
        }
        let mut each = shape.to_ints();
        each.insert(each.len() - 1, 1);
        let rows = reshape(weights, &each.iter().map(|&size| size as usize).collect());
        let last = each.len() - 2;
        each[last] = samples;
        let keys = rows / waited(call, &each);
        vec![Expr::apply(&ARGMAX, [keys], [Attr::Int(-1), false.into()])]
    }),
    torch: "torch.multinomial",
    python: Python::BOTH,
    domain: Domain::Positive,
    samples: || {
        let of = |shape: &[usize], samples: i64, replacement: bool| {
            let first = [samples.into(), replacement.into()];
            Sample::of(&[shape]).attrs(first.into_iter().chain([Attr::Int(7), Attr::Int(3)]))
        };
        vec![of(&[4], 3, false), of(&[2, 3], 5, true), of(&[3, 2], 2, false)]
    },
    ..CREATE
};

static REQUIRED: [In; 2] =
    [In { name: "input", role: Role::Any }, In { name: "condition", role: Role::Mask }];
static MESSAGE: [AttrSpec; 1] = [keys::MESSAGE.required()];

pub static REQUIRE: Op = Op {
    name: "require",
    code: codes::REQUIRE,
    doc: "The tensor itself, if a condition holds everywhere; otherwise an error.",
    inputs: &REQUIRED,
    attrs: &MESSAGE,
    shape: shape::same,
    promotion: Promotion::Common,
    // Each worker asks whether the condition holds for its part, or for all if it is of another
    // shape.
    shard: |call| {
        let input = shard::numbered(call.shape(0).rank());
        let condition = match call.shape(0) == call.shape(1) {
            true => input.clone(),
            false => Letters::from_elem(None, call.shape(1).rank()),
        };
        Factors::of(call, vec![input.clone(), condition], vec![input])
    },
    grad: Some(|_| vec![Grad(0), Zero]),
    kernel: |call| match call.text(keys::MESSAGE) {
        Some(message) => Ok(Kernel::Require(message.into())),
        None => Err(Error::bug("a condition has no message")),
    },
    python: Python::HIDDEN,
    samples: || {
        let of = |shape: &[usize], mask: &[usize]| {
            let sample = Sample::of(&[shape]).index(mask, 0);
            sample.attrs([Attr::Text("the condition does not hold".into())])
        };
        vec![of(&[2, 3], &[0]), of(&[], &[0])]
    },
    ..MOVE
};

/// `input`, which is an error if the condition does not hold for all elements.
pub fn require(input: Expr, condition: Expr, message: &str) -> Expr {
    Expr::apply(&REQUIRE, [input, condition], [Attr::Text(message.into())])
}

fn probable(chance: Expr) -> Expr {
    let above = Expr::apply(&GE, [chance.clone(), 0.0.into()], []);
    Expr::apply(&LOGICAL_AND, [above, Expr::apply(&LE, [chance, 1.0.into()], [])], [])
}

/// Weights that can be drawn by: none is negative or infinite, and in no row all are zero.
fn checked_weights(weights: Expr) -> Expr {
    let finite = Expr::apply(&ISFINITE, [weights.clone()], []);
    let positive = Expr::apply(&GE, [weights.clone(), 0.0.into()], []);
    let sound = Expr::apply(&LOGICAL_AND, [finite, positive], []);
    let message = "probability tensor contains either `inf`, `nan` or element < 0";
    let weights = require(weights, sound, message);
    let total = sum(weights.clone(), &[-1], false);
    let message = "invalid multinomial distribution (sum of probabilities <= 0)";
    require(weights, gt(total, 0.0), message)
}

/// Exponentially distributed times, never zero.
fn waited(call: &Call, sizes: &[i64]) -> Expr {
    let left = Expr::apply(&LOG1P, [-uniform(call, sizes, DType::F64)], []);
    Expr::apply(&MAXIMUM, [-left, 1e-300.into()], [])
}

/// The positions of the largest elements along the last axis, the largest first.
fn largest(keys: Expr, count: i64) -> Expr {
    let attrs = [count.into(), Attr::Int(-1), true.into(), true.into()];
    Expr::apply(&TOPK, [keys], attrs).result(1)
}

fn multinomial_shape(call: &Call) -> Result<Shapes> {
    let (shape, samples) = (call.shape(0), call.int(keys::NUM_SAMPLES));
    check_float(call.inputs[0].dtype())?;
    let (&[.., size], 1..=2) = (&**shape, shape.rank()) else {
        return Err(Error::runtime(format!("weights are one row or several, not {shape}")));
    };
    if size == 0 {
        return Err(Error::runtime(format!("{shape} has no weights to draw by")));
    }
    let count = usize::try_from(samples).ok().filter(|&count| count > 0);
    let count = count.ok_or_else(|| {
        Error::runtime(format!("cannot draw {samples} samples; at least one is needed"))
    })?;
    if !call.flag(keys::REPLACEMENT) && count > size {
        return Err(Error::runtime(format!("cannot draw {count} of {size} without replacement")));
    }
    Ok([shape.with(shape.rank() - 1, count)].into())
}

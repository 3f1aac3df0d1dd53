//! Random permutations and draws by weight, with the check that refuses invalid weights.

use super::distribution::{CHANCES, DTYPE, RNG_INDEX, SEED, check_float, uniform};
use crate::attrs::{Attr, AttrSpec};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Zero};
use crate::kernel::Kernel;
use crate::op::{
    Call, Domain, Input as In, Op, Output as Out, OutputType, Python, Role, Sample, Shapes,
};
use crate::ops::elementwise::binary::MAXIMUM;
use crate::ops::elementwise::compare::{GE, ISFINITE, gt};
use crate::ops::elementwise::logic::LOGICAL_AND;
use crate::ops::elementwise::unary::{LOG1P, cast};
use crate::ops::family::{CREATE, MOVE};
use crate::ops::order::sort::TOPK;
use crate::ops::reduce::extreme::ARGMAX;
use crate::ops::reduce::sum::sum;
use crate::ops::shape::axes::reshape;
use crate::ops::{codes, keys};
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
    // The order that sorts random numbers is a random permutation.
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
    // An exponential race: each weight is divided by an exponentially distributed time, and the
    // largest quotients win. The first winner has the probability of its weight, the second that of
    // its weight among the rest.
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
    // Each worker checks the condition of its part, or all of it if the shapes differ.
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

/// `input`, or an error if the condition is false for any element.
pub fn require(input: Expr, condition: Expr, message: &str) -> Expr {
    Expr::apply(&REQUIRE, [input, condition], [Attr::Text(message.into())])
}

/// Valid weights: none is negative, infinite or NaN, and no row sums to zero.
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

/// The positions of the `count` largest elements along the last axis, in descending order.
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

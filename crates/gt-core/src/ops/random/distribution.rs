//! Random tensors with independent elements. The generator is counter-based: the same seed and
//! counter give the same numbers.

use smallvec::SmallVec;

use super::sampling::require;
use crate::attrs::{Attr, AttrSpec, Key};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Input, Zero};
use crate::kernel::{Distribution, Kernel, Random};
use crate::op::{Call, Domain, Input as In, Op, Python, Role, Sample, Shapes, ints};
use crate::ops::elementwise::compare::{GE, LE, lt};
use crate::ops::elementwise::logic::LOGICAL_AND;
use crate::ops::elementwise::unary::cast;
use crate::ops::family::{CREATE, MOVED};
use crate::ops::{codes, keys};
use crate::rules::promote::Promotion;
use crate::rules::shape;
use crate::rules::shard::{self, localise};
use crate::shape::Shape;

pub const DTYPE: AttrSpec = keys::DTYPE.or_none();
pub const SEED: AttrSpec = keys::SEED.required();
pub const RNG_INDEX: AttrSpec = keys::RNG_INDEX.required();
pub const WHOLE: AttrSpec = keys::REGION_WHOLE.or_empty();
pub const START: AttrSpec = keys::REGION_START.or_empty();

static RANDOM_ATTRS: [AttrSpec; 6] = [keys::SHAPE.required(), DTYPE, SEED, RNG_INDEX, WHOLE, START];

const RANDOM: Op = Op {
    attrs: &RANDOM_ATTRS,
    shape: |call| {
        check_region(call, call.ints(keys::SHAPE))?;
        check_float(call.dtype(keys::DTYPE).unwrap_or(DType::F32))?;
        (CREATE.shape)(call)
    },
    localise: localise::region,
    samples: || {
        let of = |sizes: &[i64], dtype: DType| {
            let first = [ints(sizes.iter().copied()), dtype.into()];
            Sample::of(&[]).attrs(first.into_iter().chain(counted()))
        };
        vec![of(&[4, 5], DType::F32), of(&[3], DType::F64), of(&[0], DType::F32)]
    },
    ..CREATE
};

pub static RAND: Op = Op {
    name: "rand",
    code: codes::RAND,
    doc: "Random numbers evenly from zero up to one.",
    kernel: |call| random(call, call.ints(keys::SHAPE), Distribution::Uniform),
    torch: "torch.rand",
    ..RANDOM
};

pub static RANDN: Op = Op {
    name: "randn",
    code: codes::RANDN,
    doc: "Random numbers with mean zero and variance one.",
    kernel: |call| random(call, call.ints(keys::SHAPE), Distribution::Normal),
    torch: "torch.randn",
    ..RANDOM
};

static LIKE_ATTRS: [AttrSpec; 5] = [DTYPE, SEED, RNG_INDEX, WHOLE, START];

pub const LIKE: Op = Op {
    inputs: &MOVED,
    attrs: &LIKE_ATTRS,
    shape: |call| {
        check_float(call.dtype(keys::DTYPE).unwrap_or(call.inputs[0].dtype()))?;
        same_region(call)
    },
    shard: shard::pointwise,
    localise: localise::region,
    reads_shape_only: true,
    samples: || {
        let of =
            |shape: &[usize]| Sample::of(&[shape]).attrs([Attr::None].into_iter().chain(counted()));
        vec![of(&[4, 5]), of(&[]), of(&[0, 2])]
    },
    ..CREATE
};

pub static RAND_LIKE: Op = Op {
    name: "rand_like",
    code: codes::RAND_LIKE,
    doc: "Random numbers evenly from zero up to one, in the shape of a tensor.",
    kernel: |call| random(call, &call.shape(0).to_ints(), Distribution::Uniform),
    torch: "torch.rand_like",
    ..LIKE
};

pub static RANDN_LIKE: Op = Op {
    name: "randn_like",
    code: codes::RANDN_LIKE,
    doc: "Random numbers with mean zero and variance one, in the shape of a tensor.",
    kernel: |call| random(call, &call.shape(0).to_ints(), Distribution::Normal),
    torch: "torch.randn_like",
    ..LIKE
};

const LOW: AttrSpec = keys::LOW.required();
const HIGH: AttrSpec = keys::HIGH.required();
static RANDINT_ATTRS: [AttrSpec; 8] =
    [LOW, HIGH, keys::SHAPE.required(), DTYPE, SEED, RNG_INDEX, WHOLE, START];

pub static RANDINT: Op = Op {
    name: "randint",
    code: codes::RANDINT,
    doc: "Random whole numbers from low up to, but not including, high.",
    attrs: &RANDINT_ATTRS,
    promotion: Promotion::AttrOrInt64,
    shape: |call| {
        check_region(call, call.ints(keys::SHAPE))?;
        check_limits(call, call.dtype(keys::DTYPE).unwrap_or(DType::I64))?;
        (CREATE.shape)(call)
    },
    localise: localise::region,
    kernel: |call| match call.dtype(keys::DTYPE).unwrap_or(DType::I64) {
        dtype if dtype.is_int() => {
            let (low, high) = (call.int(keys::LOW), call.int(keys::HIGH));
            random(call, call.ints(keys::SHAPE), Distribution::Integers { low, high })
        }
        _ => Ok(Kernel::Expansion),
    },
    expansion: Some(|call| {
        let whole = randint(call, call.ints(keys::SHAPE));
        vec![cast(whole, call.dtype(keys::DTYPE).unwrap_or(DType::I64))]
    }),
    torch: "torch.randint",
    samples: || {
        let of = |low: i64, high: i64, sizes: &[i64], dtype: Attr| {
            let first = [low.into(), high.into(), ints(sizes.iter().copied()), dtype];
            Sample::of(&[]).attrs(first.into_iter().chain(counted()))
        };
        vec![
            of(0, 10, &[4, 5], Attr::None),
            of(-3, 4, &[3], DType::I8.into()),
            of(0, 2, &[6], DType::Bool.into()),
            of(0, 7, &[0], Attr::None),
        ]
    },
    ..CREATE
};

static RANDINT_LIKE_ATTRS: [AttrSpec; 7] = [LOW, HIGH, DTYPE, SEED, RNG_INDEX, WHOLE, START];

pub static RANDINT_LIKE: Op = Op {
    name: "randint_like",
    code: codes::RANDINT_LIKE,
    doc: "Random whole numbers from low up to, but not including, high, in the shape of a tensor.",
    attrs: &RANDINT_LIKE_ATTRS,
    shape: |call| {
        check_limits(call, call.dtype(keys::DTYPE).unwrap_or(call.inputs[0].dtype()))?;
        same_region(call)
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        let dtype = call.dtype(keys::DTYPE).unwrap_or(call.inputs[0].dtype());
        vec![cast(randint(call, &call.shape(0).to_ints()), dtype)]
    }),
    torch: "torch.randint_like",
    samples: || {
        let of = |shape: &[usize], low: i64, high: i64| {
            let first = [low.into(), high.into(), Attr::None];
            Sample::of(&[shape]).attrs(first.into_iter().chain(counted()))
        };
        vec![of(&[4, 5], 0, 2), of(&[], 0, 2)]
    },
    ..LIKE
};

pub static CHANCES: [In; 1] = [In { name: "input", role: Role::Operand }];
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
        // Drawn at the precision of the probabilities; halves are compared in float32.
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

/// Attributes for samples: a seed, an `rng_index`, and no region, which is the whole tensor.
pub fn counted() -> [Attr; 4] {
    [Attr::Int(7), Attr::Int(3), ints([]), ints([])]
}

/// The attributes of `rand` with the seed, counter and region of this call.
pub fn drawn(call: &Call, sizes: &[i64], dtype: DType) -> Vec<Attr> {
    let region = |key: Key<[i64]>| match call.has(key) {
        true => call.attr(key).clone(),
        false => ints([]),
    };
    vec![
        ints(sizes.iter().copied()),
        dtype.into(),
        call.int(keys::SEED).into(),
        call.int(keys::RNG_INDEX).into(),
        region(keys::REGION_WHOLE),
        region(keys::REGION_START),
    ]
}

pub fn uniform(call: &Call, sizes: &[i64], dtype: DType) -> Expr {
    Expr::apply(&RAND, [], drawn(call, sizes, dtype))
}

fn randint(call: &Call, sizes: &[i64]) -> Expr {
    let limits = [keys::LOW, keys::HIGH].map(|key| call.int(key).into());
    Expr::apply(&RANDINT, [], limits.into_iter().chain(drawn(call, sizes, DType::I64)))
}

pub fn check_float(dtype: DType) -> Result<()> {
    if dtype.is_float() {
        return Ok(());
    }
    Err(Error::runtime(format!("random numbers of this kind are not implemented for {dtype}")))
}

/// Refuses an empty range of integers, or one that the dtype cannot represent.
fn check_limits(call: &Call, dtype: DType) -> Result<()> {
    let (low, high) = (call.int(keys::LOW), call.int(keys::HIGH));
    if low >= high {
        return Err(Error::runtime(format!("there are no whole numbers from {low} up to {high}")));
    }
    let (least, most) = match (dtype, 8 * dtype.size()) {
        (DType::Bool, _) => (0, 1),
        (DType::U8, _) => (0, 255),
        (_, bits) if dtype.is_int() && bits < 64 => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        _ => (i64::MIN, i64::MAX),
    };
    if low < least || high - 1 > most {
        return Err(Error::runtime(format!("{low} up to {high} is out of bounds for {dtype}")));
    }
    Ok(())
}

fn random(call: &Call, sizes: &[i64], distribution: Distribution) -> Result<Kernel> {
    let shape = Shape::given(sizes)?;
    let (whole, start) = match call.ints(keys::REGION_WHOLE) {
        [] => (shape.clone(), SmallVec::from_elem(0, shape.rank())),
        whole => (
            Shape::given(whole)?,
            Shape::given(call.ints(keys::REGION_START))?.iter().copied().collect(),
        ),
    };
    let (seed, rng_index) = (call.int(keys::SEED) as u64, call.int(keys::RNG_INDEX) as u64);
    Ok(Kernel::Random(Box::new(Random { distribution, seed, rng_index, whole, start })))
}

/// The shape of the first input, which must lie within the whole tensor.
fn same_region(call: &Call) -> Result<Shapes> {
    check_region(call, &call.shape(0).to_ints())?;
    shape::same(call)
}

/// Refuses a part that does not lie within the whole tensor.
fn check_region(call: &Call, shape: &[i64]) -> Result<()> {
    let (whole, start) = (call.ints(keys::REGION_WHOLE), call.ints(keys::REGION_START));
    if whole.is_empty() && start.is_empty() {
        return Ok(());
    }
    let inside = |axis: usize| {
        let end = start[axis].checked_add(shape[axis]);
        start[axis] >= 0 && shape[axis] >= 0 && end.is_some_and(|end| end <= whole[axis])
    };
    let alike = whole.len() == shape.len() && start.len() == shape.len();
    if !alike || !(0..shape.len()).all(inside) {
        return Err(Error::runtime("the part asked for is not within the whole"));
    }
    Shape::given(whole)?.checked(DType::F64).map(|_| ())
}

fn probable(chance: Expr) -> Expr {
    let above = Expr::apply(&GE, [chance.clone(), 0.0.into()], []);
    Expr::apply(&LOGICAL_AND, [above, Expr::apply(&LE, [chance, 1.0.into()], [])], [])
}

//! Random numbers. They are counted, not drawn: the same seed and count give the same numbers.

use smallvec::SmallVec;

use super::family::CREATE;
use crate::attrs::{Attr, AttrKind, AttrSpec};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::kernel::{Distribution, Kernel, Random};
use crate::op::{Call, Op, Sample, ints};
use crate::shape::Shape;

/// The rows of this file.
pub(super) static ROWS: &[&Op] = &[&RAND, &RANDN];

static RANDOM_ATTRS: [AttrSpec; 6] = [
    AttrSpec::required("shape", AttrKind::Sizes),
    AttrSpec::optional("dtype", AttrKind::DType, Attr::None),
    AttrSpec::required("seed", AttrKind::Seed),
    AttrSpec::required("stream", AttrKind::Stream),
    AttrSpec::optional("whole", AttrKind::Region, Attr::Ints(SmallVec::new_const())),
    AttrSpec::optional("start", AttrKind::Region, Attr::Ints(SmallVec::new_const())),
];

const RANDOM: Op = Op {
    attrs: &RANDOM_ATTRS,
    shape: |call| {
        check_region(call)?;
        if call.dtype("dtype").is_some_and(|dtype| !dtype.is_float()) {
            return Err(Error::runtime("random numbers of this kind are not whole"));
        }
        (CREATE.shape)(call)
    },
    samples: || {
        let of = |sizes: &[i64], dtype: DType| {
            let none = || ints([]);
            let attrs = [dtype.into(), Attr::Int(7), Attr::Int(3), none(), none()];
            Sample::of(&[]).attrs([ints(sizes.iter().copied())].into_iter().chain(attrs))
        };
        vec![of(&[4, 5], DType::F32), of(&[3], DType::F64), of(&[0], DType::F32)]
    },
    ..CREATE
};

pub static RAND: Op = Op {
    name: "rand",
    code: 180,
    doc: "Random numbers evenly from zero up to one.",
    kernel: |call| random(call, Distribution::Uniform),
    torch: "torch.rand",
    ..RANDOM
};

pub static RANDN: Op = Op {
    name: "randn",
    code: 181,
    doc: "Random numbers with mean zero and variance one.",
    kernel: |call| random(call, Distribution::Normal),
    torch: "torch.randn",
    ..RANDOM
};

fn random(call: &Call, distribution: Distribution) -> Result<Kernel> {
    let shape = Shape::given(call.ints("shape"))?;
    let (whole, start) = match call.ints("whole") {
        [] => (shape.clone(), SmallVec::from_elem(0, shape.rank())),
        whole => {
            (Shape::given(whole)?, Shape::given(call.ints("start"))?.iter().copied().collect())
        }
    };
    let (seed, stream) = (call.int("seed") as u64, call.int("stream") as u64);
    Ok(Kernel::Random(Box::new(Random { distribution, seed, stream, whole, start })))
}

/// A part must lie within the whole it names.
fn check_region(call: &Call) -> Result<()> {
    let (shape, whole, start) = (call.ints("shape"), call.ints("whole"), call.ints("start"));
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

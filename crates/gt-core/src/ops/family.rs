//! Families: the templates that rows are built on, such as `..UNARY`.

use super::keys;
use crate::attrs::AttrSpec;
use crate::dtype::DType;
use crate::error::Error;
use crate::kernel::Kernel;
use crate::op::{
    Autocast, Call, Domain, Input, Linear, Op, Output, OutputType, Python, Role, Sample, View, ints,
};
use crate::rules::promote::Promotion;
use crate::rules::shape;
use crate::rules::shard::{self, localise};

/// One operand, called `input`.
pub static INPUT: [Input; 1] = [Input { name: "input", role: Role::Operand }];
/// Two operands.
pub static TWO: [Input; 2] =
    [Input { name: "input", role: Role::Operand }, Input { name: "other", role: Role::Operand }];
/// One input of any dtype that is moved and not computed with.
pub static MOVED: [Input; 1] = [Input { name: "input", role: Role::Any }];
/// One result in the dtype the operation computes in.
pub static RESULT: [Output; 1] = [Output { name: "result", dtype: OutputType::Common }];
/// One boolean result.
pub static TRUTH: [Output; 1] = [Output { name: "result", dtype: OutputType::Is(DType::Bool) }];

/// The defaults of all rows. A row without a kernel is refused when it first runs.
const BASE: Op = Op {
    name: "",
    code: 0,
    doc: "",
    inputs: &INPUT,
    variadic: false,
    attrs: &[],
    outputs: &RESULT,
    shape: shape::same,
    data_dependent: false,
    accepts_scalars: false,
    promotion: Promotion::Common,
    grad: None,
    view: View::No,
    shard: shard::gather_first,
    localise: localise::unchanged,
    linear: Linear::No,
    reads_shape_only: false,
    kernel: |call| Err(Error::bug(format!("{} has no kernel", call.op.name))),
    expansion: None,
    whole: None,
    expands_when_cut: false,
    autocast: Autocast::Keep,
    torch: "",
    numpy: None,
    python: Python::BOTH,
    domain: Domain::Real,
    samples: Vec::new,
};

/// One operand, a float result of the same shape; any axis may be cut.
pub const UNARY: Op = Op {
    promotion: Promotion::Float,
    shard: shard::pointwise,
    python: Python::IN_PLACE,
    samples: || vec![Sample::of(&[&[2, 3]]), Sample::of(&[&[]]), Sample::of(&[&[0, 4]])],
    ..BASE
};

/// Two operands that broadcast; any axis may be cut.
pub const BINARY: Op = Op {
    inputs: &TWO,
    shape: shape::broadcast,
    accepts_scalars: true,
    shard: shard::pointwise,
    samples: || {
        vec![
            Sample::of(&[&[2, 3], &[2, 3]]),
            Sample::of(&[&[4, 1, 3], &[2, 1]]),
            Sample::of(&[&[], &[3]]),
            Sample::of(&[&[2, 0], &[1]]),
            Sample::of(&[&[2, 3]]).scalar(1.5),
        ]
    },
    ..BASE
};

/// Two operands that broadcast, and a boolean for each pair.
pub const COMPARE: Op = Op { outputs: &TRUTH, ..BINARY };

static REDUCE_ATTRS: [AttrSpec; 2] = [keys::AXES.or_empty(), keys::KEEPDIM.or(false)];

/// A reduction along axes.
pub const REDUCE: Op = Op {
    attrs: &REDUCE_ATTRS,
    shape: shape::reduce,
    samples: || {
        let reduce = |shape: &[usize], axes: &[i64], keep: bool| {
            Sample::of(&[shape]).attrs([ints(axes.iter().copied()), keep.into()])
        };
        vec![
            reduce(&[2, 3, 4], &[], false),
            reduce(&[2, 3, 4], &[1], false),
            reduce(&[2, 3, 4], &[0, -1], true),
            reduce(&[5, 2], &[0], true),
            reduce(&[], &[], false),
        ]
    },
    ..BASE
};

/// Moves elements without computing with them; linear, so that partial sums may pass.
pub const MOVE: Op = Op { inputs: &MOVED, linear: Linear::Each(&[0]), ..BASE };

static CREATE_ATTRS: [AttrSpec; 2] = [keys::SHAPE.required(), keys::DTYPE.or_none()];

/// Creates a tensor of a given shape.
pub const CREATE: Op = Op {
    inputs: &[],
    attrs: &CREATE_ATTRS,
    shape: shape::given,
    promotion: Promotion::Attr,
    shard: shard::created,
    localise: localise::shape,
    python: Python::FUNCTION,
    samples: || {
        let of = |sizes: &[i64], dtype: DType| {
            Sample::of(&[]).attrs([ints(sizes.iter().copied()), dtype.into()])
        };
        vec![of(&[2, 3], DType::F32), of(&[], DType::F64), of(&[0, 2], DType::I64)]
    },
    ..BASE
};

/// Computed by other operations, its expansion.
pub const COMPOSITE: Op =
    Op { promotion: Promotion::Float, kernel: |_: &Call| Ok(Kernel::Expansion), ..BASE };

/// An operand of this name.
pub const fn operand(name: &'static str) -> Input {
    Input { name, role: Role::Operand }
}

/// A result of this name, in the dtype the operation computes in.
pub const fn result(name: &'static str) -> Output {
    Output { name, dtype: OutputType::Common }
}

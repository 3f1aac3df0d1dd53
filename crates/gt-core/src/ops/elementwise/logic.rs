//! Logical operations, bitwise operations and shifts.

use super::compare::{NE, eq};
use crate::dtype::{DType, Kind};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Input};
use crate::kernel::{BinaryFn, Kernel, UnaryFn};
use crate::op::{Call, Op, Python, Sample, Shapes};
use crate::ops::codes;
use crate::ops::family::{BINARY, COMPARE, TRUTH, UNARY};
use crate::rules::promote::Promotion;
use crate::rules::shape;

pub static LOGICAL_NOT: Op = Op {
    name: "logical_not",
    code: codes::LOGICAL_NOT,
    doc: "Whether each element is zero.",
    outputs: &TRUTH,
    promotion: Promotion::Common,
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|_| vec![eq(Input(0), 0.0)]),
    torch: "torch.logical_not",
    python: Python::BOTH,
    ..UNARY
};

const LOGICAL: Op = Op { kernel: |_| Ok(Kernel::Expansion), python: Python::BOTH, ..COMPARE };

pub static LOGICAL_AND: Op = Op {
    name: "logical_and",
    code: codes::LOGICAL_AND,
    doc: "Whether both elements are not zero.",
    expansion: Some(|_| vec![Expr::apply(&BITWISE_AND, [truth(0), truth(1)], [])]),
    torch: "torch.logical_and",
    ..LOGICAL
};

pub static LOGICAL_OR: Op = Op {
    name: "logical_or",
    code: codes::LOGICAL_OR,
    doc: "Whether one of two elements is not zero.",
    expansion: Some(|_| vec![Expr::apply(&BITWISE_OR, [truth(0), truth(1)], [])]),
    torch: "torch.logical_or",
    ..LOGICAL
};

pub static LOGICAL_XOR: Op = Op {
    name: "logical_xor",
    code: codes::LOGICAL_XOR,
    doc: "Whether exactly one of two elements is not zero.",
    expansion: Some(|_| vec![Expr::apply(&BITWISE_XOR, [truth(0), truth(1)], [])]),
    torch: "torch.logical_xor",
    ..LOGICAL
};

const BITWISE: Op = Op { shape: not_of_floats, samples: whole_samples, ..BINARY };

pub static BITWISE_AND: Op = Op {
    name: "bitwise_and",
    code: codes::BITWISE_AND,
    doc: "The bits that both elements have.",
    kernel: |_| Ok(Kernel::Zip(BinaryFn::And)),
    torch: "torch.bitwise_and",
    python: Python::operator("and"),
    ..BITWISE
};

pub static BITWISE_OR: Op = Op {
    name: "bitwise_or",
    code: codes::BITWISE_OR,
    doc: "The bits that one of two elements has.",
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Or)),
    torch: "torch.bitwise_or",
    python: Python::operator("or"),
    ..BITWISE
};

pub static BITWISE_XOR: Op = Op {
    name: "bitwise_xor",
    code: codes::BITWISE_XOR,
    doc: "The bits that exactly one of two elements has.",
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Xor)),
    torch: "torch.bitwise_xor",
    python: Python::operator("xor"),
    ..BITWISE
};

pub static BITWISE_NOT: Op = Op {
    name: "bitwise_not",
    code: codes::BITWISE_NOT,
    doc: "The other bits of each element; the other truth of booleans.",
    promotion: Promotion::Common,
    shape: not_of_floats,
    kernel: |_| Ok(Kernel::Map(UnaryFn::Not)),
    torch: "torch.bitwise_not",
    numpy: Some("invert"),
    python: Python::operator("invert"),
    samples: || vec![Sample::of(&[]).index(&[2, 3], 9)],
    ..UNARY
};

pub static SHIFT_LEFT: Op = Op {
    name: "bitwise_left_shift",
    code: codes::SHIFT_LEFT,
    doc: "The bits of each element moved up.",
    shape: not_of_floats_or_bools,
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Shl)),
    torch: "torch.bitwise_left_shift",
    numpy: Some("left_shift"),
    python: Python::operator("lshift"),
    ..BITWISE
};

pub static SHIFT_RIGHT: Op = Op {
    name: "bitwise_right_shift",
    code: codes::SHIFT_RIGHT,
    doc: "The bits of each element moved down.",
    shape: not_of_floats_or_bools,
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Shr)),
    torch: "torch.bitwise_right_shift",
    numpy: Some("right_shift"),
    python: Python::operator("rshift"),
    ..BITWISE
};

/// Whether the elements of an input are not zero.
fn truth(input: usize) -> Expr {
    Expr::apply(&NE, [Input(input), Expr::from(0.0)], [])
}

fn not_of_floats(call: &Call) -> Result<Shapes> {
    let float = call.inputs.iter().find(|input| input.dtype().kind() > Kind::Int);
    if let Some(input) = float {
        return Err(Error::runtime(format!("not implemented for {}", input.dtype())));
    }
    shape::broadcast(call)
}

fn not_of_floats_or_bools(call: &Call) -> Result<Shapes> {
    if call.inputs.iter().all(|input| input.dtype() == DType::Bool) {
        return Err(Error::runtime("not implemented for bool"));
    }
    not_of_floats(call)
}

fn whole_samples() -> Vec<Sample> {
    vec![Sample::of(&[]).index(&[2, 3], 9).index(&[3], 5), Sample::of(&[]).index(&[4], 9).scalar(2)]
}

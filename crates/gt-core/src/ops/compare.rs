//! Comparisons: a boolean for each pair of elements.

use super::family::COMPARE;
use crate::expr::Expr;
use crate::kernel::{BinaryFn, Kernel};
use crate::op::{Op, Python};

/// The rows of this file.
pub(super) static ROWS: &[&Op] = &[&EQ, &NE, &LT, &LE, &GT, &GE];

pub static EQ: Op = Op {
    name: "eq",
    code: 60,
    doc: "Whether two elements are equal.",
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Eq)),
    torch: "torch.eq",
    python: Python::operator("eq"),
    ..COMPARE
};

pub static NE: Op = Op {
    name: "ne",
    code: 61,
    doc: "Whether two elements differ.",
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Ne)),
    torch: "torch.ne",
    python: Python::operator("ne").also(&["not_equal"]),
    ..COMPARE
};

pub static LT: Op = Op {
    name: "lt",
    code: 62,
    doc: "Whether the first element is smaller.",
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Lt)),
    torch: "torch.lt",
    python: Python::operator("lt").also(&["less"]),
    ..COMPARE
};

pub static LE: Op = Op {
    name: "le",
    code: 63,
    doc: "Whether the first element is smaller or equal.",
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Le)),
    torch: "torch.le",
    python: Python::operator("le").also(&["less_equal"]),
    ..COMPARE
};

pub static GT: Op = Op {
    name: "gt",
    code: 64,
    doc: "Whether the first element is larger.",
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Gt)),
    torch: "torch.gt",
    python: Python::operator("gt").also(&["greater"]),
    ..COMPARE
};

pub static GE: Op = Op {
    name: "ge",
    code: 65,
    doc: "Whether the first element is larger or equal.",
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Ge)),
    torch: "torch.ge",
    python: Python::operator("ge").also(&["greater_equal"]),
    ..COMPARE
};

/// Whether two elements are equal.
pub fn eq(a: Expr, b: impl Into<Expr>) -> Expr {
    Expr::apply(&EQ, [a, b.into()], [])
}

/// Whether the first element is larger.
pub fn gt(a: Expr, b: impl Into<Expr>) -> Expr {
    Expr::apply(&GT, [a, b.into()], [])
}

/// Whether the first element is smaller.
pub fn lt(a: Expr, b: impl Into<Expr>) -> Expr {
    Expr::apply(&LT, [a, b.into()], [])
}

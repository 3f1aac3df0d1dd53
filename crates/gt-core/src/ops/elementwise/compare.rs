//! Comparisons and predicates, such as `eq`, `isclose` and `isnan`: a boolean for each element.

use super::logic::{LOGICAL_AND, LOGICAL_OR};
use super::unary::{ABS, cast};
use crate::attrs::{Attr, AttrSpec, Key};
use crate::dtype::DType;
use crate::error::Error;
use crate::expr::Expr::{self, Input};
use crate::kernel::{BinaryFn, Kernel, UnaryFn};
use crate::op::{Call, Op, Python, Sample};
use crate::ops::family::{COMPARE, TRUTH, UNARY};
use crate::ops::{codes, keys};
use crate::rules::promote::Promotion;
use crate::rules::shape;

pub static EQ: Op = Op {
    name: "eq",
    code: codes::EQ,
    doc: "Whether two elements are equal.",
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Eq)),
    torch: "torch.eq",
    numpy: Some("equal"),
    python: Python::operator("eq"),
    ..COMPARE
};

pub static NE: Op = Op {
    name: "ne",
    code: codes::NE,
    doc: "Whether two elements differ.",
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Ne)),
    torch: "torch.ne",
    python: Python::operator("ne").also(&["not_equal"]),
    ..COMPARE
};

pub static LT: Op = Op {
    name: "lt",
    code: codes::LT,
    doc: "Whether the first element is smaller.",
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Lt)),
    torch: "torch.lt",
    python: Python::operator("lt").also(&["less"]),
    ..COMPARE
};

pub static LE: Op = Op {
    name: "le",
    code: codes::LE,
    doc: "Whether the first element is smaller or equal.",
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Le)),
    torch: "torch.le",
    python: Python::operator("le").also(&["less_equal"]),
    ..COMPARE
};

pub static GT: Op = Op {
    name: "gt",
    code: codes::GT,
    doc: "Whether the first element is larger.",
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Gt)),
    torch: "torch.gt",
    python: Python::operator("gt").also(&["greater"]),
    ..COMPARE
};

pub static GE: Op = Op {
    name: "ge",
    code: codes::GE,
    doc: "Whether the first element is larger or equal.",
    kernel: |_| Ok(Kernel::Zip(BinaryFn::Ge)),
    torch: "torch.ge",
    python: Python::operator("ge").also(&["greater_equal"]),
    ..COMPARE
};

static CLOSE_ATTRS: [AttrSpec; 3] =
    [keys::RTOL.or(1e-5), keys::ATOL.or(1e-8), keys::EQUAL_NAN.or(false)];

pub static ISCLOSE: Op = Op {
    name: "isclose",
    code: codes::ISCLOSE,
    doc: "Whether two elements differ by no more than the tolerances allow.",
    attrs: &CLOSE_ATTRS,
    accepts_scalars: false,
    shape: |call| {
        let [own, other] = [call.inputs[0].dtype(), call.inputs[1].dtype()];
        if own != other {
            return Err(Error::runtime(format!("{own} and {other} cannot be compared")));
        }
        let negative = |key: Key<f64>| {
            let tolerance = call.float(key);
            tolerance < 0.0 || tolerance.is_nan()
        };
        match [keys::RTOL, keys::ATOL].into_iter().find(|&key| negative(key)) {
            Some(key) => {
                let name = key.name();
                Err(Error::runtime(format!("{name} must be greater than or equal to zero")))
            }
            None => shape::broadcast(call),
        }
    },
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| vec![close(call)]),
    torch: "torch.isclose",
    python: Python::BOTH,
    samples: || {
        let of = |shapes: &[&[usize]], rtol: f64, atol: f64, nan: bool| {
            Sample::of(shapes).attrs([Attr::Float(rtol), Attr::Float(atol), nan.into()])
        };
        vec![of(&[&[2, 3], &[2, 3]], 0.5, 0.1, false), of(&[&[2, 1], &[3]], 0.0, 1.0, true)]
    },
    ..COMPARE
};

pub static ISNAN: Op = Op {
    name: "isnan",
    code: codes::ISNAN,
    doc: "Whether each element is not a number.",
    outputs: &TRUTH,
    promotion: Promotion::Common,
    kernel: |_| Ok(Kernel::Map(UnaryFn::IsNan)),
    torch: "torch.isnan",
    python: Python::BOTH,
    ..UNARY
};

pub static ISINF: Op = Op {
    name: "isinf",
    code: codes::ISINF,
    doc: "Whether each element is infinite.",
    kernel: |_| Ok(Kernel::Map(UnaryFn::IsInf)),
    torch: "torch.isinf",
    ..ISNAN
};

pub static ISFINITE: Op = Op {
    name: "isfinite",
    code: codes::ISFINITE,
    doc: "Whether each element is a number and finite.",
    kernel: |_| Ok(Kernel::Map(UnaryFn::IsFinite)),
    torch: "torch.isfinite",
    ..ISNAN
};

fn close(call: &Call) -> Expr {
    let both = |op: &'static Op, a: Expr, b: Expr| Expr::apply(op, [a, b], []);
    let of = |op: &'static Op, a: Expr| Expr::apply(op, [a], []);
    let equal = eq(Input(0), Input(1));
    let float = call.inputs[0].dtype().is_float();
    let equal = match call.flag(keys::EQUAL_NAN) && float {
        true => {
            let nan = both(&LOGICAL_AND, of(&ISNAN, Input(0)), of(&ISNAN, Input(1)));
            both(&LOGICAL_OR, equal, nan)
        }
        false => equal,
    };
    let [a, b] = [0, 1].map(|n| if float { Input(n) } else { cast(Input(n), DType::F32) });
    let allowed = of(&ABS, b.clone() * call.float(keys::RTOL));
    let allowed = allowed + call.float(keys::ATOL);
    let apart = of(&ABS, a - b);
    let within = Expr::apply(&LE, [apart.clone(), allowed], []);
    both(&LOGICAL_OR, equal, both(&LOGICAL_AND, of(&ISFINITE, apart), within))
}

/// Whether two elements are equal.
pub fn eq(a: Expr, b: impl Into<Expr>) -> Expr {
    Expr::apply(&EQ, [a, b.into()], [])
}

/// Whether the first element is larger.
pub fn gt(a: Expr, b: impl Into<Expr>) -> Expr {
    Expr::apply(&GT, [a, b.into()], [])
}

/// Whether the first element is larger or equal.
pub fn ge(a: Expr, b: impl Into<Expr>) -> Expr {
    Expr::apply(&GE, [a, b.into()], [])
}

/// Whether the first element is smaller or equal.
pub fn le(a: Expr, b: impl Into<Expr>) -> Expr {
    Expr::apply(&LE, [a, b.into()], [])
}

/// Whether the first element is smaller.
pub fn lt(a: Expr, b: impl Into<Expr>) -> Expr {
    Expr::apply(&LT, [a, b.into()], [])
}

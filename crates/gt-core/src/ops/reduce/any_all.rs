//! Logical reductions: `any` and `all`.

use super::sum::reduce;
use crate::attrs::{Attr, AttrSpec};
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::Expr::{self, Input};
use crate::kernel::{Kernel, ReduceFn};
use crate::op::{Call, Op, Output as Out, OutputType, Sample, Shapes, ints};
use crate::ops::elementwise::compare::NE;
use crate::ops::elementwise::unary::cast;
use crate::ops::family::REDUCE;
use crate::ops::{codes, keys};
use crate::placement::Combine;
use crate::rules::{shape, shard};

static TRUTH_ATTRS: [AttrSpec; 2] = [keys::AXES.or_none(), keys::KEEPDIM.or(false)];
static TRUTH_OF: [Out; 1] = [Out { name: "result", dtype: OutputType::Truth }];

pub static ANY: Op = Op {
    name: "any",
    code: codes::ANY,
    doc: "Whether an element along axes, or of all, is not zero.",
    attrs: &TRUTH_ATTRS,
    outputs: &TRUTH_OF,
    shape: truth_shape,
    shard: |call| truth_factors(call, Combine::Max),
    kernel: |call| truth_kernel(call, ReduceFn::Any),
    expansion: Some(|call| truth(call, &ANY)),
    torch: "torch.any",
    samples: truth_samples,
    ..REDUCE
};

pub static ALL: Op = Op {
    name: "all",
    code: codes::ALL,
    doc: "Whether no element along axes, or of all, is zero.",
    attrs: &TRUTH_ATTRS,
    outputs: &TRUTH_OF,
    shape: truth_shape,
    shard: |call| truth_factors(call, Combine::Min),
    kernel: |call| truth_kernel(call, ReduceFn::All),
    expansion: Some(|call| truth(call, &ALL)),
    torch: "torch.all",
    samples: truth_samples,
    ..REDUCE
};

/// Whether the list of axes is empty, which reduces nothing; a missing list stands for all axes.
fn no_axes(call: &Call) -> bool {
    matches!(call.attr(keys::AXES), Attr::Ints(axes) if axes.is_empty())
}

fn truth_shape(call: &Call) -> Result<Shapes> {
    if no_axes(call) { shape::same(call) } else { shape::reduce(call) }
}

fn truth_factors(call: &Call, how: Combine) -> shard::Factors {
    if no_axes(call) { shard::pointwise(call) } else { shard::reduce(call, how) }
}

/// Bools have a kernel; numbers are first compared with zero.
fn truth_kernel(call: &Call, with: ReduceFn) -> Result<Kernel> {
    let is_truth = call.inputs[0].dtype() == DType::Bool;
    if is_truth && !no_axes(call) { reduce(call, with) } else { Ok(Kernel::Expansion) }
}

fn truth_samples() -> Vec<Sample> {
    let of =
        |shape: &[usize], dim: Attr, keep: bool| Sample::of(&[shape]).attrs([dim, keep.into()]);
    vec![
        of(&[2, 3, 4], Attr::None, false),
        of(&[2, 3, 4], ints([1]), false),
        of(&[2, 3, 4], ints([0, -1]), true),
        of(&[5, 2], ints([0]), true),
        of(&[], Attr::None, false),
        of(&[2, 3], ints([]), false),
    ]
}

fn truth(call: &Call, op: &'static Op) -> Vec<Expr> {
    let nonzero = Expr::apply(&NE, [Input(0), Expr::from(0.0)], []);
    let result = match no_axes(call) {
        true => nonzero,
        false => Expr::apply(op, [nonzero], call.attrs.0.iter().cloned()),
    };
    match call.inputs[0].dtype() {
        DType::U8 => vec![cast(result, DType::U8)],
        _ => vec![result],
    }
}

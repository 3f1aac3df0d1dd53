//! On which inputs of an instruction each of its results depends. Of an input whose shape alone
//! matters nothing depends, and it may have failed.

use gt_core::attrs::Attrs;
use gt_core::expr::Term;
use gt_core::kernel::Kernel;
use gt_core::op::Op;
use gt_core::rules::abstract_eval::abstract_eval;
use gt_core::{DType, Meta, Scalar};

/// For each result, one bit for each input it depends on.
///
/// # Panics
/// If the instruction is not one that a client may send.
pub fn dependence(op: &'static Op, inputs: &[Result<Meta, Scalar>], attrs: &Attrs) -> Vec<u64> {
    let term = |input: &Result<Meta, Scalar>| match input {
        Ok(meta) => Term::Value(meta.clone()),
        Err(scalar) => Term::Scalar(*scalar),
    };
    let terms: Vec<Term<Meta>> = inputs.iter().map(term).collect();
    let all = |_: &Kernel, _: DType, masks: &[u64]| masks.iter().fold(0, |all, mask| all | mask);
    abstract_eval(op, &terms, attrs, |index| 1 << index, all).expect("programs are checked before")
}

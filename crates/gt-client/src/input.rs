//! Inputs of operations: as a program gives them, and while they are being used.

use std::cell::RefCell;
use std::sync::Arc;

use gt_core::attrs::Attrs;
use gt_core::instruction::Operand;
use gt_core::op::{Arg, Call, Op};
use gt_core::rules::memo::Memo;
use gt_core::{Meta, Result, Scalar};
use smallvec::SmallVec;

use crate::tensor::{Owned, Tensor};

/// An input of an operation.
#[derive(Clone, Copy)]
pub enum Input<'a> {
    /// A tensor.
    Tensor(&'a Tensor),
    /// A number.
    Scalar(Scalar),
}

impl<'a> Input<'a> {
    /// What the rules know of it.
    pub(crate) fn arg(&self) -> Arg<'a> {
        match self {
            Input::Tensor(tensor) => Arg::Tensor(tensor.meta()),
            Input::Scalar(scalar) => Arg::Scalar(*scalar),
        }
    }

    /// Whether it requires a gradient.
    pub(crate) fn is_tracked(&self) -> bool {
        matches!(self, Input::Tensor(tensor) if tensor.is_tracked())
    }
}

impl<'a> From<&'a Tensor> for Input<'a> {
    fn from(tensor: &'a Tensor) -> Self {
        Input::Tensor(tensor)
    }
}

impl<T: Into<Scalar>> From<T> for Input<'_> {
    fn from(scalar: T) -> Self {
        Input::Scalar(scalar.into())
    }
}

/// An input while it is being used.
pub(crate) enum Held {
    Value(Arc<Owned>),
    Scalar(Scalar),
}

impl Held {
    pub(crate) fn operand(&self) -> Operand {
        match self {
            Held::Value(value) => Operand::Slot(value.slot()),
            Held::Scalar(scalar) => Operand::Scalar(*scalar),
        }
    }
}

/// Dtypes and shapes of the results, or what is wrong with the call.
pub(crate) fn infer(
    op: &'static Op,
    inputs: &[Input],
    attrs: &Attrs,
) -> Result<SmallVec<[Meta; 1]>> {
    let args: SmallVec<[Arg; 4]> = inputs.iter().map(Input::arg).collect();
    let infer = |call: &Call| Ok(Call::checked(call.op, call.inputs, call.attrs)?.infer()?.outputs);
    let call = Call { op, inputs: &args, attrs };
    // Rules without attributes take no longer than remembering what they said.
    if attrs.0.is_empty() && op.expansion.is_none() {
        return infer(&call);
    }
    INFERRED.with_borrow_mut(|known| known.find(&call, infer))
}

thread_local! {
    static INFERRED: RefCell<Memo<SmallVec<[Meta; 1]>>> = RefCell::new(Memo::ignoring_seeds());
}

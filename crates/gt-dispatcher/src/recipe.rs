//! How a value is made that nobody has yet. What needs no data is made where it is first used, in
//! the placement that the use wants: nothing travels for it, and a part is never whole anywhere.

use std::sync::Arc;

use gt_core::attrs::{Attr, Attrs};
use gt_core::expr::Term;
use gt_core::kernel::Kernel;
use gt_core::op::{Call, Op};
use gt_core::ops::builtin::ZEROS;
use gt_core::rules::abstract_eval::abstract_eval;
use gt_core::{DType, Meta, Provenance, Result, Scalar};
use smallvec::SmallVec;

/// A recipe has at most so many steps. What is longer is made.
const MOST_STEPS: usize = 8;

/// An instruction that is given to workers when its result is first used.
#[derive(Debug)]
pub struct Recipe {
    pub(crate) op: &'static Op,
    pub(crate) attrs: Attrs,
    pub(crate) inputs: SmallVec<[Ingredient; 2]>,
    /// The line of the program that is named if there is no memory for the result.
    pub(crate) provenance: Provenance,
    pub(crate) meta: Meta,
    /// Whether the program asked for the result, and not a composite that it is a part of.
    pub(crate) by_program: bool,
    steps: usize,
}

/// An input of a recipe.
#[derive(Clone, Debug)]
pub(crate) enum Ingredient {
    Scalar(Scalar),
    Recipe(Arc<Recipe>),
}

impl Recipe {
    /// The recipe of an instruction whose inputs are these; `None` if it is too long.
    pub(crate) fn new(
        op: &'static Op,
        attrs: Attrs,
        inputs: SmallVec<[Ingredient; 2]>,
        provenance: Provenance,
        meta: Meta,
    ) -> Option<Self> {
        let before = inputs.iter().map(|input| match input {
            Ingredient::Scalar(_) => 0,
            Ingredient::Recipe(recipe) => recipe.steps,
        });
        let steps = 1 + before.sum::<usize>();
        let by_program = false;
        let recipe = Recipe { op, attrs, inputs, provenance, meta, by_program, steps };
        (steps <= MOST_STEPS).then_some(recipe)
    }

    /// A value of this shape, for whom the elements do not matter.
    pub(crate) fn blank(meta: &Meta, provenance: Provenance) -> Self {
        let attrs = Attrs::of([Attr::Ints(meta.shape.to_ints()), meta.dtype.into()]);
        let (inputs, meta) = (SmallVec::new(), meta.clone());
        Recipe { op: &ZEROS, attrs, inputs, provenance, meta, by_program: false, steps: 1 }
    }
}

/// What a call takes of its only tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Shape and dtype.
    Shape,
    /// Each element for one or several elements of the result, so that whoever has a part of the
    /// recipe's result has what its own part needs.
    Elements,
    /// Something else.
    More,
}

/// What a call takes of its only tensor, which is the input at `index`.
pub(crate) fn takes(call: &Call, index: usize) -> Result<Takes> {
    match (call.op.kernel)(call)? {
        Kernel::Fill(_) | Kernel::Iota { .. } | Kernel::Random(_) => Ok(Takes::Shape),
        Kernel::Map(_) | Kernel::Zip(_) | Kernel::Cast | Kernel::Expand => Ok(Takes::Elements),
        Kernel::Expansion if is_unread(call, index)? => Ok(Takes::Shape),
        _ => Ok(Takes::More),
    }
}

/// Whether no kernel of a composite reads the elements of an input.
fn is_unread(call: &Call, index: usize) -> Result<bool> {
    let terms: SmallVec<[Term<Meta>; 3]> = call
        .inputs
        .iter()
        .map(|arg| match *arg {
            gt_core::op::Arg::Tensor(meta) => Term::Value(meta.clone()),
            gt_core::op::Arg::Scalar(scalar) => Term::Scalar(scalar),
        })
        .collect();
    let reads = |_: &Kernel, _: DType, notes: &[bool]| notes.iter().any(|read| *read);
    let read = abstract_eval(call.op, &terms, call.attrs, |input| input == index, reads)?;
    Ok(read.iter().all(|read| !read))
}

#[cfg(test)]
mod tests {
    use gt_core::op::Arg;
    use gt_core::ops;

    use super::*;

    #[test]
    fn rows_that_read_only_a_shape_are_told_from_others() {
        let meta = Meta::new(DType::F32, [4, 5]);
        let of = |name: &str| {
            let op = ops::by_name(name).expect("a row");
            let sample = &(op.samples)()[0];
            let inputs = [Arg::Tensor(&meta)];
            takes(&Call { op, inputs: &inputs, attrs: &sample.attrs }, 0).expect("a call")
        };
        for name in ["zeros_like", "randn_like", "uniform", "normal", "new_zeros"] {
            assert_eq!(of(name), Takes::Shape, "{name}");
        }
        assert_eq!(of("exp"), Takes::Elements);
        assert_eq!(of("softmax"), Takes::More);
        assert_eq!(of("cumsum"), Takes::More);
    }
}

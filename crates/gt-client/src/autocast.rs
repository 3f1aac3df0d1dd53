//! Mixed precision: inside an autocast context, operations get their inputs in the precision that
//! their rows ask for. The casts are operations like others, recorded for gradients.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use gt_core::attrs::Attrs;
use gt_core::op::{Autocast, Op};
use gt_core::ops::builtin::CAST;
use gt_core::{DType, Result};
use smallvec::SmallVec;

use crate::grad;
use crate::input::Input;
use crate::session::Session;
use crate::tensor::{Place, Tensor};

/// What autocast does in a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// The lower precision; `None` if nothing is cast.
    pub lower: Option<DType>,
    /// Whether casts of leaves are kept until the outermost context ends.
    pub keeps: bool,
}

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode { lower: None, keeps: true }) };
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static KEPT: RefCell<HashMap<usize, Kept>> = RefCell::default();
}

/// A leaf in lower precision.
struct Kept {
    leaf: Tensor,
    version: u64,
    cast: Tensor,
}

/// What autocast does in this thread.
pub fn mode() -> Mode {
    MODE.get()
}

/// Begins a context; gives the mode for [`exit`].
pub fn enter(mode: Mode) -> Mode {
    DEPTH.set(DEPTH.get() + 1);
    MODE.replace(mode)
}

/// Ends a context. With the outermost, what was kept goes.
pub fn exit(before: Mode) {
    MODE.set(before);
    let depth = DEPTH.get().saturating_sub(1);
    DEPTH.set(depth);
    if depth == 0 {
        clear();
    }
}

/// Forgets the casts that were kept.
pub fn clear() {
    let kept = KEPT.take();
    // Tensors go while the map is not borrowed.
    drop(kept);
}

/// Runs `body` without casting anything.
pub(crate) fn without<T>(body: impl FnOnce() -> T) -> T {
    struct Restore(Mode);
    impl Drop for Restore {
        fn drop(&mut self) {
            MODE.set(self.0);
        }
    }
    let _restore = Restore(MODE.replace(Mode { lower: None, ..MODE.get() }));
    body()
}

/// Applies an operation to its inputs in the precision it asks for.
#[cold]
pub(crate) fn apply(
    session: &Session,
    op: &'static Op,
    inputs: &[Input],
    attrs: Attrs,
    lower: DType,
) -> Result<SmallVec<[Tensor; 1]>> {
    let cast = cast(op.autocast, inputs, lower)?;
    let inputs = inputs.iter().zip(&cast).map(|(input, cast)| match cast {
        Some(cast) => Input::Tensor(cast),
        None => *input,
    });
    session.trace(op, &inputs.collect::<SmallVec<[Input; 3]>>(), attrs)
}

/// Each input that an operation should have in another precision, in that precision.
fn cast(class: Autocast, inputs: &[Input], lower: DType) -> Result<SmallVec<[Option<Tensor>; 3]>> {
    let dtype = match class {
        Autocast::Keep => None,
        Autocast::Lower => Some(lower),
        Autocast::Full => Some(DType::F32),
        Autocast::Widest => widest(inputs),
    };
    let cast = |input: &Input| match (input, dtype) {
        (Input::Tensor(tensor), Some(dtype)) if is_cast(tensor) && tensor.dtype() != dtype => {
            in_precision(tensor, dtype, lower).map(Some)
        }
        _ => Ok(None),
    };
    inputs.iter().map(cast).collect()
}

/// Whether autocast concerns itself with a tensor: float64 was chosen on purpose, and stays.
fn is_cast(tensor: &Tensor) -> bool {
    matches!(tensor.dtype(), DType::F16 | DType::BF16 | DType::F32)
}

fn widest(inputs: &[Input]) -> Option<DType> {
    let mut dtypes = inputs.iter().filter_map(|input| match input {
        Input::Tensor(tensor) if is_cast(tensor) => Some(tensor.dtype()),
        _ => None,
    });
    let first = dtypes.next()?;
    Some(if dtypes.all(|dtype| dtype == first) { first } else { DType::F32 })
}

fn in_precision(tensor: &Tensor, dtype: DType, lower: DType) -> Result<Tensor> {
    let keeps = MODE.get().keeps && dtype == lower && grad::is_enabled() && tensor.is_tracked();
    let cast = || tensor.apply_one(&CAST, &[], Attrs::of([dtype.into()]));
    if !keeps {
        return cast();
    }
    if !tensor.is_leaf() {
        // A usage is often used as its transpose: all of them are views of one cast.
        return match &tensor.0 {
            Place::Part(view) => match view.last_step() {
                Some((leaf, op, attrs)) if leaf.is_leaf() && is_rearranged(&leaf, tensor) => {
                    in_precision(&leaf, dtype, lower)?.apply_one(op, &[], attrs.clone())
                }
                _ => cast(),
            },
            Place::Whole(_) => cast(),
        };
    }
    let (key, version) = (tensor.address(), tensor.version());
    let found = KEPT.with_borrow(|kept| {
        let kept = kept.get(&key).filter(|kept| kept.version == version);
        kept.filter(|kept| kept.cast.dtype() == dtype).map(|kept| kept.cast.clone())
    });
    if let Some(found) = found
        && leads_to(&found, tensor)?
    {
        return Ok(found);
    }
    let cast = cast()?;
    let kept = Kept { leaf: tensor.clone(), version, cast: cast.clone() };
    let before = KEPT.with_borrow_mut(|all| all.insert(key, kept));
    debug_assert!(before.as_ref().is_none_or(|before| before.leaf.address() == key));
    drop(before);
    Ok(cast)
}

/// Whether a view has all elements of a leaf, each once.
fn is_rearranged(leaf: &Tensor, view: &Tensor) -> bool {
    leaf.is_tracked() && leaf.shape().count() == view.shape().count()
}

/// Whether the gradient of a cast goes to the leaf as it is now.
fn leads_to(cast: &Tensor, leaf: &Tensor) -> Result<bool> {
    let (Some(cast), Some(leaf)) = (cast.edge()?, leaf.edge()?) else { return Ok(false) };
    Ok(cast.node.next().flatten().any(|edge| edge.is(&leaf)))
}

//! What the rules of a row say of one use of it. Programs repeat themselves, so uses are remembered
//! with what they were about: a training loop asks the rules in its first step.

use std::sync::Arc;

use gt_core::attrs::{Attr, AttrKind, Attrs};
use gt_core::expr::Expr;
use gt_core::kernel::Kernel;
use gt_core::op::{Arg, Call, Inferred, Op};
use gt_core::{Meta, Result, Scalar};
use smallvec::SmallVec;

use crate::engine::Takes;
use crate::plan::Job;

/// At most so many uses are remembered; a power of two. A model of many layers has a few hundred.
const REMEMBERED: usize = 1024;

/// What the rules of a row say of one use of it.
#[derive(Debug)]
pub(super) struct Resolved {
    /// Its results.
    pub(super) inferred: Inferred,
    /// How it is computed.
    pub(super) way: Way,
    /// About how long one core needs.
    pub(super) cost_ns: u64,
}

/// How an operation is computed.
#[derive(Debug)]
pub(super) enum Way {
    /// In one piece.
    Compute(Job),
    /// As these formulas say.
    Expand(Vec<Expr>),
}

/// Uses of rows, each at the place that its hash says, where it displaces another.
#[derive(Debug, Default)]
pub struct Resolutions {
    known: Vec<Option<Box<Known>>>,
}

#[derive(Debug)]
struct Known {
    op: &'static Op,
    inputs: SmallVec<[Input; 3]>,
    attrs: Attrs,
    resolved: Arc<Resolved>,
}

#[derive(Debug)]
enum Input {
    Tensor(Meta),
    Scalar(Scalar),
}

impl Input {
    fn new(arg: &Arg) -> Self {
        match *arg {
            Arg::Tensor(meta) => Input::Tensor(meta.clone()),
            Arg::Scalar(scalar) => Input::Scalar(scalar),
        }
    }

    fn is(&self, arg: &Arg) -> bool {
        match (self, *arg) {
            (Input::Tensor(known), Arg::Tensor(meta)) => known == meta,
            (Input::Scalar(known), Arg::Scalar(scalar)) => is_same(*known, scalar),
            _ => false,
        }
    }
}

/// Whether numbers are the same to a kernel, to which zero has a sign.
fn is_same(known: Scalar, scalar: Scalar) -> bool {
    match (known, scalar) {
        (Scalar::Float(known), Scalar::Float(scalar)) => known.to_bits() == scalar.to_bits(),
        _ => known == scalar,
    }
}

fn is_same_attr(known: &Attr, attr: &Attr) -> bool {
    match (known, attr) {
        (Attr::Float(known), Attr::Float(attr)) => known.to_bits() == attr.to_bits(),
        _ => known == attr,
    }
}

impl Known {
    fn is(&self, call: &Call) -> bool {
        self.op == call.op
            && self.inputs.len() == call.inputs.len()
            && self.inputs.iter().zip(call.inputs).all(|(input, arg)| input.is(arg))
            && self.attrs.0.len() == call.attrs.0.len()
            && self.attrs.0.iter().zip(&call.attrs.0).all(|(known, attr)| is_same_attr(known, attr))
    }
}

impl Resolutions {
    /// What the rules say of a use; an error if they do not allow it.
    pub(super) fn resolve(&mut self, call: &Call, engine: &dyn Takes) -> Result<Arc<Resolved>> {
        // Each use of these is another.
        if call.op.attrs.iter().any(|spec| spec.kind == AttrKind::RngIndex) {
            return resolve(call, engine).map(Arc::new);
        }
        if self.known.is_empty() {
            self.known.resize_with(REMEMBERED, || None);
        }
        let place = &mut self.known[hash(call) as usize % REMEMBERED];
        if let Some(known) = place.as_ref().filter(|known| known.is(call)) {
            return Ok(known.resolved.clone());
        }
        let resolved = Arc::new(resolve(call, engine)?);
        let (op, attrs) = (call.op, call.attrs.clone());
        let inputs = call.inputs.iter().map(Input::new).collect();
        *place = Some(Box::new(Known { op, inputs, attrs, resolved: resolved.clone() }));
        Ok(resolved)
    }
}

/// A number that is another for most other uses. Texts are left out: rows that have one differ in
/// shapes too.
fn hash(call: &Call) -> u64 {
    let mut hash = u64::from(call.op.code);
    let mut mix = |word: u64| hash = (hash.rotate_left(5) ^ word).wrapping_mul(ODD);
    for input in call.inputs {
        match *input {
            Arg::Tensor(meta) => {
                mix(meta.dtype as u64);
                meta.shape.iter().for_each(|&size| mix(size as u64));
            }
            Arg::Scalar(Scalar::Bool(value)) => mix(u64::from(value)),
            Arg::Scalar(Scalar::Int(value)) => mix(value as u64),
            Arg::Scalar(Scalar::Float(value)) => mix(value.to_bits()),
        }
    }
    for attr in &call.attrs.0 {
        match attr {
            Attr::Bool(value) => mix(u64::from(*value)),
            Attr::Int(value) => mix(*value as u64),
            Attr::Float(value) => mix(value.to_bits()),
            Attr::Ints(values) => values.iter().for_each(|&value| mix(value as u64)),
            Attr::DType(dtype) => mix(*dtype as u64),
            Attr::Ranges(ranges) => ranges.iter().for_each(|range| {
                mix(range.start as u64);
                mix(range.len as u64);
                mix(range.step as u64);
            }),
            Attr::None | Attr::Text(_) => mix(0),
        }
    }
    // The upper bits depend on all words, the lower ones on the last.
    hash >> 32
}

/// Spreads the bits of a number: 2⁶⁴ divided by the golden ratio.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

fn resolve(call: &Call, engine: &dyn Takes) -> Result<Resolved> {
    let Call { op, inputs, attrs } = *call;
    let call = Call::checked(op, inputs, attrs)?;
    let inferred = call.infer()?;
    let kernel = (op.kernel)(&call)?;
    let metas: SmallVec<[&Meta; 4]> = inputs.iter().filter_map(tensor).collect();
    let cost_ns = kernel.cost_ns(&metas, &inferred.outputs);
    let way = match (kernel, op.expansion) {
        (Kernel::Expansion, _) if engine.takes(&call) => {
            Way::Compute(Job::Whole(op, Box::new(attrs.clone())))
        }
        (Kernel::Expansion, Some(expand)) => Way::Expand(expand(&call)),
        (kernel, _) => Way::Compute(Job::Kernel(kernel)),
    };
    Ok(Resolved { inferred, way, cost_ns })
}

fn tensor<'a>(arg: &Arg<'a>) -> Option<&'a Meta> {
    match arg {
        Arg::Tensor(meta) => Some(meta),
        Arg::Scalar(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use gt_core::{DType, ops};

    use super::*;
    use crate::buffer::Pool;
    use crate::engine::null::Null;

    #[test]
    fn what_is_remembered_is_what_the_rules_say() {
        let engine = Null(Pool::new(0));
        let (add, attrs) = (ops::by_name("add").expect("a row"), Attrs::none());
        let metas = [3, 4, 5, 6, 7].map(|size| Meta::new(DType::F32, [size, 1]));
        let numbers = [Scalar::Int(0), Scalar::Float(0.0), Scalar::Float(-0.0)];
        let mut resolutions = Resolutions::default();
        for (round, meta) in metas.iter().cycle().take(23).enumerate() {
            let inputs = [Arg::Tensor(meta), Arg::Scalar(numbers[round % 3])];
            let call = Call { op: add, inputs: &inputs, attrs: &attrs };
            let mut ask = || resolutions.resolve(&call, &engine).expect("it can be added");
            let (known, again) = (ask(), ask());
            assert!(Arc::ptr_eq(&known, &again), "it is remembered");
            let found = resolve(&call, &engine).expect("it can be added");
            assert_eq!(format!("{known:?}"), format!("{found:?}"));
        }
    }

    #[test]
    fn a_zero_with_a_sign_is_another_number() {
        let engine = Null(Pool::new(0));
        let full = ops::by_name("full").expect("a row");
        let mut resolutions = Resolutions::default();
        let mut job = |value: f64| {
            let attrs = Attrs::of([ints(&[2]), Attr::Float(value), DType::F32.into()]);
            let call = Call { op: full, inputs: &[], attrs: &attrs };
            format!("{:?}", resolutions.resolve(&call, &engine).expect("it can be made").way)
        };
        assert_ne!(job(0.0), job(-0.0));
    }

    fn ints(sizes: &[i64]) -> Attr {
        Attr::Ints(sizes.iter().copied().collect())
    }
}

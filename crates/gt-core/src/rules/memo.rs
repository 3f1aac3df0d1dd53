//! What was found of uses of rows. Programs repeat themselves, so what follows from a row, the
//! metas of its inputs and its attributes is remembered: a loop asks the rules in its first step.

use smallvec::SmallVec;

use crate::attrs::{Attr, AttrKind, Attrs};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::op::{Arg, Call, Op};
use crate::shape::Meta;

/// At most so many uses are remembered; a power of two. A model of many layers has a few hundred.
const REMEMBERED: usize = 1024;

/// A use with more inputs, or an attribute with more numbers or letters, is not remembered.
const MOST_WORDS: usize = 64;

/// Uses of rows, each at the place that its hash says, where it displaces another.
#[derive(Debug)]
pub struct Memo<T> {
    known: Vec<Option<Box<Known<T>>>>,
    /// Whether uses that differ only in their seed or rng index are the same use.
    ignores_seeds: bool,
}

#[derive(Debug)]
struct Known<T> {
    op: &'static Op,
    inputs: SmallVec<[Input; 3]>,
    attrs: Attrs,
    found: T,
}

#[derive(Debug)]
enum Input {
    Tensor(Meta),
    Scalar(Scalar),
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Memo { known: Vec::new(), ignores_seeds: false }
    }
}

impl<T> Memo<T> {
    /// For what does not depend on which random numbers a use draws, such as shapes and costs.
    pub fn ignoring_seeds() -> Self {
        Memo { known: Vec::new(), ignores_seeds: true }
    }
}

impl<T: Clone> Memo<T> {
    /// What `find` says of a use, or said of the same one before; an error is not remembered.
    pub fn find(&mut self, call: &Call, find: impl FnOnce(&Call) -> Result<T>) -> Result<T> {
        let ignores_seeds = self.ignores_seeds;
        if !is_worth_it(call, ignores_seeds) {
            return find(call);
        }
        if self.known.is_empty() {
            self.known.resize_with(REMEMBERED, || None);
        }
        let place = &mut self.known[hash(call, ignores_seeds) as usize % REMEMBERED];
        if let Some(known) = place.as_ref().filter(|known| known.is(call, ignores_seeds)) {
            return Ok(known.found.clone());
        }
        let found = find(call)?;
        let (op, attrs) = (call.op, call.attrs.clone());
        let inputs = call.inputs.iter().map(Input::new).collect();
        *place = Some(Box::new(Known { op, inputs, attrs, found: found.clone() }));
        Ok(found)
    }
}

impl<T> Known<T> {
    fn is(&self, call: &Call, ignores_seeds: bool) -> bool {
        self.op == call.op
            && self.inputs.len() == call.inputs.len()
            && self.inputs.iter().zip(call.inputs).all(|(input, arg)| input.is(arg))
            && self.attrs.0.len() == call.attrs.0.len()
            && compared(call.op, &self.attrs, ignores_seeds)
                .zip(compared(call.op, call.attrs, ignores_seeds))
                .all(|(known, attr)| is_same_attr(known, attr))
    }
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

/// The attributes in which two uses have to agree to be the same.
fn compared<'a>(
    op: &'static Op,
    attrs: &'a Attrs,
    ignores_seeds: bool,
) -> impl Iterator<Item = &'a Attr> {
    let counts = move |kind| !ignores_seeds || !matches!(kind, AttrKind::Seed | AttrKind::RngIndex);
    let pairs = op.attrs.iter().zip(&attrs.0);
    pairs.filter(move |(spec, _)| counts(spec.kind)).map(|(_, attr)| attr)
}

/// Whether the same use may come again, and takes little memory to remember.
fn is_worth_it(call: &Call, ignores_seeds: bool) -> bool {
    let is_small = |attr: &Attr| match attr {
        Attr::Ints(values) => values.len() <= MOST_WORDS,
        Attr::Ranges(ranges) => ranges.len() <= MOST_WORDS,
        Attr::Text(text) => text.len() <= MOST_WORDS,
        _ => true,
    };
    call.inputs.len() <= MOST_WORDS
        && (ignores_seeds || call.op.attrs.iter().all(|spec| spec.kind != AttrKind::RngIndex))
        && call.attrs.0.iter().all(is_small)
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

/// A number that is another for most other uses. Texts are left out: rows that have one differ in
/// shapes too.
fn hash(call: &Call, ignores_seeds: bool) -> u64 {
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
    for attr in compared(call.op, call.attrs, ignores_seeds) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::ops;

    #[test]
    fn what_is_remembered_is_what_was_found() {
        let (add, attrs) = (ops::by_name("add").expect("a row"), Attrs::none());
        let metas = [3, 4, 5, 6, 7].map(|size| Meta::new(DType::F32, [size, 1]));
        let numbers = [Scalar::Int(0), Scalar::Float(0.0), Scalar::Float(-0.0)];
        let mut memo = Memo::default();
        for (round, meta) in metas.iter().cycle().take(23).enumerate() {
            let inputs = [Arg::Tensor(meta), Arg::Scalar(numbers[round % 3])];
            let call = Call { op: add, inputs: &inputs, attrs: &attrs };
            let infer = |call: &Call| Ok(call.infer()?.outputs);
            let found = memo.find(&call, infer).expect("it can be added");
            assert_eq!(found, infer(&call).expect("it can be added"));
            let again = memo.find(&call, |_| unreachable!("it is remembered"));
            assert_eq!(again, Ok(found));
        }
    }

    #[test]
    fn a_zero_with_a_sign_is_another_number() {
        let full = ops::by_name("full").expect("a row");
        let mut memo = Memo::default();
        let mut sign = |value: f64| {
            let sizes = Attr::Ints([2].into_iter().collect());
            let attrs = Attrs::of([sizes, Attr::Float(value), DType::F32.into()]);
            let call = Call { op: full, inputs: &[], attrs: &attrs };
            memo.find(&call, |_| Ok(value.is_sign_negative()))
        };
        assert_eq!((sign(0.0), sign(-0.0)), (Ok(false), Ok(true)));
    }

    #[test]
    fn uses_that_draw_other_random_numbers_may_count_as_one() {
        let randn = ops::by_name("randn").expect("a row");
        let draws = |mut memo: Memo<u64>| {
            [1, 1, 2].map(|rng_index| {
                let attrs = randn.attrs.iter().map(|spec| match spec.kind {
                    AttrKind::RngIndex => Attr::Int(rng_index),
                    AttrKind::Seed => Attr::Int(0),
                    AttrKind::DType => DType::F32.into(),
                    AttrKind::Sizes => Attr::Ints([2].into_iter().collect()),
                    _ => Attr::None,
                });
                let attrs = Attrs(attrs.collect());
                let call = Call { op: randn, inputs: &[], attrs: &attrs };
                memo.find(&call, |_| Ok(rng_index as u64)).expect("it is found")
            })
        };
        assert_eq!(draws(Memo::ignoring_seeds()), [1, 1, 1]);
        assert_eq!(draws(Memo::default()), [1, 1, 2]);
    }

    #[test]
    fn an_error_is_found_again() {
        let add = ops::by_name("add").expect("a row");
        let (short, long) = (Meta::new(DType::F32, [2]), Meta::new(DType::F32, [3]));
        let (inputs, attrs) = ([Arg::Tensor(&short), Arg::Tensor(&long)], Attrs::none());
        let call = Call { op: add, inputs: &inputs, attrs: &attrs };
        let mut memo = Memo::default();
        for _ in 0..2 {
            assert!(memo.find(&call, |call| call.infer()).is_err());
        }
    }
}

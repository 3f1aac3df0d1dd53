//! One client's program, executed alone and in order, one kernel after another. It has no windows,
//! plans or workers and overwrites nothing: what everything else is compared with.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use gt_core::attrs::{Attr, Attrs};
use gt_core::expr::{Emit, Evaluator, Subject, Term};
use gt_core::instruction::{Command, Instruction, Operand};
use gt_core::kernel::Kernel;
use gt_core::op::{Arg, Call, Op, Role};
use gt_core::{DType, Error, Meta, RequestId, Result, Scalar, Slot, ops};
use gt_native::Native;
use gt_transport::{Failure, FailureId};
use gt_worker::buffer::Pool;
use gt_worker::engine::{Engine, Operand as EngineOperand, Takes};
use gt_worker::value::Value;
use smallvec::{SmallVec, smallvec};

use crate::client::Answer;
use crate::dependence::dependence;

/// What a request is answered with.
#[derive(Clone, Debug)]
pub enum Expected {
    /// Exactly this.
    Answer(Answer),
    /// One of these failures, of which the client was not told before. Which of them comes first
    /// is not known where they happen on different workers.
    OneOf(Vec<Arc<Failure>>),
}

impl Expected {
    /// Whether the client can learn anything from it.
    pub fn is_good(&self) -> bool {
        matches!(self, Expected::Answer(Ok(_)))
    }

    /// Whether this is how the request was answered.
    pub fn allows(&self, answer: &Answer) -> bool {
        // Which worker something failed on, and as which of its failures, is no matter.
        let alike = |expected: &Failure, found: &Failure| {
            *expected == Failure { id: expected.id, ..found.clone() }
        };
        match (self, answer) {
            (Expected::Answer(Err(expected)), Err(found)) => alike(expected, found),
            (Expected::Answer(expected), found) => expected == found,
            (Expected::OneOf(failures), Err(found)) => {
                failures.iter().any(|expected| alike(expected, found))
            }
            (Expected::OneOf(_), Ok(_)) => false,
        }
    }

    /// The same where sums may have been added up in another order, and where another of several
    /// elements may be the first that an instruction cannot take.
    pub fn allows_about(&self, answer: &Answer) -> bool {
        let alike = |expected: &Failure, found: &Failure| {
            (&expected.instruction, expected.slot) == (&found.instruction, found.slot)
        };
        match (self, answer) {
            (Expected::Answer(Ok(expected)), Ok(found)) => about(expected, found),
            (Expected::Answer(Err(expected)), Err(found)) => alike(expected, found),
            (Expected::OneOf(failures), Err(found)) => {
                failures.iter().any(|expected| alike(expected, found))
            }
            _ => false,
        }
    }
}

/// Whether numbers differ by no more than the order of sums explains.
fn about(expected: &gt_transport::Value, found: &gt_transport::Value) -> bool {
    if expected.meta != found.meta || expected.data.len() != found.data.len() {
        return false;
    }
    let close = |one: f64, other: f64| {
        let difference = (one - other).abs();
        one == other || (one.is_nan() && other.is_nan()) || difference <= 1e-4 * one.abs().max(1.0)
    };
    let pairs = |size| expected.data.chunks_exact(size).zip(found.data.chunks_exact(size));
    let single = |bytes: &[u8]| f64::from(f32::from_le_bytes(bytes.try_into().expect("four")));
    let double = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("eight"));
    match expected.meta.dtype {
        DType::F32 => pairs(4).all(|(one, other)| close(single(one), single(other))),
        DType::F64 => pairs(8).all(|(one, other)| close(double(one), double(other))),
        _ => expected.data == found.data,
    }
}

/// More than any program of a test needs.
const MEMORY_BYTES: usize = 1 << 30;

/// The values of one client's program so far.
pub struct Interpreter {
    engine: Native,
    values: HashMap<Slot, Known>,
    answers: BTreeMap<RequestId, Expected>,
    failures: Vec<Arc<Failure>>,
    /// Those that the client was not told of; until it is, nothing is replaced.
    untold: Vec<Arc<Failure>>,
}

/// A value, or why there is none.
#[derive(Clone)]
struct Known {
    meta: Meta,
    result: std::result::Result<Value, Arc<Failure>>,
}

impl Default for Interpreter {
    fn default() -> Self {
        // Workers have another pattern: what a kernel does not write differs.
        let pool = Pool::patterned(MEMORY_BYTES, 0x5A);
        let engine = Native::new(pool, 1).expect("it needs no threads");
        let (values, answers, failures, untold) = Default::default();
        Interpreter { engine, values, answers, failures, untold }
    }
}

impl Interpreter {
    /// What each request is answered with.
    pub fn answers(&self) -> &BTreeMap<RequestId, Expected> {
        &self.answers
    }

    /// Every first cause, in order.
    pub fn failures(&self) -> &[Arc<Failure>] {
        &self.failures
    }

    /// Dtype and shape of a value.
    ///
    /// # Panics
    /// If there is no such value.
    pub fn meta(&self, slot: Slot) -> &Meta {
        &self.known(slot).meta
    }

    /// Whether there is no value, because something went wrong.
    pub fn has_failed(&self, slot: Slot) -> bool {
        self.known(slot).result.is_err()
    }

    fn known(&self, slot: Slot) -> &Known {
        self.values.get(&slot).unwrap_or_else(|| panic!("the program has no {slot}"))
    }

    /// Executes one command.
    ///
    /// # Panics
    /// If it breaks the rules: it is for programs that do not.
    pub fn step(&mut self, command: &Command) {
        match command {
            Command::Apply(instruction) => self.apply(instruction),
            Command::Free(slots) => slots.iter().for_each(|slot| {
                self.values.remove(slot).expect("only what exists is freed");
            }),
            Command::Upload { out, meta, data, .. } => {
                let value = Value::from_bytes(meta.clone(), data.clone(), self.engine.pool());
                let result = Ok(value.expect("there is memory enough"));
                self.name(*out, Known { meta: meta.clone(), result });
            }
            Command::Read { slot, request } => {
                let result = self.known(*slot).result.clone();
                self.answer(*request, result.map(|value| answer(&value, value.to_bytes())));
            }
            Command::Describe { slot, request } => {
                let result = self.known(*slot).result.clone();
                self.answer(*request, result.map(|value| answer(&value, Default::default())));
            }
            Command::Sync { request } => {
                let meta = Meta::new(DType::Bool, [0]);
                let nothing = gt_transport::Value { meta, data: Default::default() };
                self.answer(*request, Ok(nothing));
            }
            Command::DefineScope { .. } | Command::Scope(_) => {}
            _ => panic!("no client says '{command}'"),
        }
    }

    fn answer(&mut self, request: RequestId, answer: Answer) {
        let untold = std::mem::take(&mut self.untold);
        let expected = match untold.is_empty() {
            true => Expected::Answer(answer),
            false => Expected::OneOf(untold),
        };
        self.answers.insert(request, expected);
    }

    fn apply(&mut self, instruction: &Instruction) {
        let replaces = &instruction.replaces;
        let old = (0..instruction.outputs.len())
            .map(|result| replaces.get(result).map(|slot| self.known(slot).clone()));
        let old: Vec<Option<Known>> = old.collect();
        let results = match self.untold.first().cloned() {
            Some(failure) if !replaces.is_empty() => self.all_failed(instruction, failure),
            _ => self.results(instruction),
        };
        for replaced in replaces.slots() {
            self.values.remove(&replaced);
        }
        for ((&slot, known), old) in instruction.outputs.iter().zip(results).zip(old) {
            let kept = old.filter(|_| known.result.is_err());
            self.name(slot, kept.unwrap_or(known));
        }
    }

    fn results(&mut self, instruction: &Instruction) -> Vec<Known> {
        let Instruction { op, outputs, inputs, attrs, provenance, .. } = instruction;
        let failed = self.failed(instruction);
        if failed.iter().all(Option::is_some)
            && let Some(Some(failure)) = failed.first()
        {
            return self.all_failed(instruction, failure.clone());
        }
        let terms: SmallVec<[Term<Value>; 3]> =
            inputs.iter().map(|input| self.term(input)).collect();
        match self.emit(op, &terms, attrs) {
            Ok(values) => {
                let known = |value: Value| Known { meta: value.meta().clone(), result: Ok(value) };
                let known = values.into_iter().map(known).zip(failed);
                let fail = |(known, failure): (Known, Option<Arc<Failure>>)| match failure {
                    Some(failure) => Known { result: Err(failure), ..known },
                    None => known,
                };
                known.map(fail).collect()
            }
            Err(error) => {
                let (error, slot) = (error.within(op.name), outputs[0]);
                let text = format!("{slot} := {}", op.name);
                let provenance = *provenance;
                let holders = SmallVec::new();
                let id = FailureId::NONE;
                let failure = Failure { id, error, instruction: text, slot, provenance, holders };
                let failure = Arc::new(failure);
                self.failures.push(failure.clone());
                self.untold.push(failure.clone());
                self.all_failed(instruction, failure)
            }
        }
    }

    /// For each result the failure of an input that it depends on, if one has failed.
    fn failed(&self, instruction: &Instruction) -> Vec<Option<Arc<Failure>>> {
        let Instruction { op, inputs, attrs, .. } = instruction;
        let failure = |(index, input): (usize, &Operand)| match input {
            Operand::Slot(slot) => Some((index, self.known(*slot).result.as_ref().err()?.clone())),
            Operand::Scalar(_) => None,
        };
        let failures: Vec<_> = inputs.iter().enumerate().filter_map(failure).collect();
        if failures.is_empty() {
            return vec![None; instruction.outputs.len()];
        }
        let metas = self.metas(inputs);
        if self.engine.takes(&Call { op, inputs: &args(&metas), attrs }) {
            // What is computed in one piece fails in one piece.
            return vec![Some(failures[0].1.clone()); instruction.outputs.len()];
        }
        let of = |mask: u64| {
            let found = failures.iter().find(|(index, _)| mask >> index & 1 == 1);
            found.map(|(_, failure)| failure.clone())
        };
        dependence(op, &metas, attrs).into_iter().map(of).collect()
    }

    fn term(&mut self, input: &Operand) -> Term<Value> {
        let slot = match input {
            Operand::Scalar(scalar) => return Term::Scalar(*scalar),
            Operand::Slot(slot) => *slot,
        };
        match self.known(slot).clone() {
            Known { result: Ok(value), .. } => Term::Value(value),
            Known { meta, .. } => {
                let attrs = Attrs::of([Attr::Ints(meta.shape.to_ints()), meta.dtype.into()]);
                let zeros = self.emit(&ops::builtin::ZEROS, &[], &attrs).expect("zeros are few");
                Term::Value(zeros.into_iter().next().expect("there is one result"))
            }
        }
    }

    fn metas(&self, inputs: &[Operand]) -> Vec<std::result::Result<Meta, Scalar>> {
        let meta = |input: &Operand| match input {
            Operand::Scalar(scalar) => Err(*scalar),
            Operand::Slot(slot) => Ok(self.known(*slot).meta.clone()),
        };
        inputs.iter().map(meta).collect()
    }

    fn all_failed(&self, instruction: &Instruction, failure: Arc<Failure>) -> Vec<Known> {
        let Instruction { op, inputs, attrs, .. } = instruction;
        let metas = self.metas(inputs);
        let args = args(&metas);
        let call = Call { op, inputs: &args, attrs };
        let outputs = call.infer().expect("programs are checked before").outputs;
        outputs.into_iter().map(|meta| Known { meta, result: Err(failure.clone()) }).collect()
    }

    fn name(&mut self, slot: Slot, known: Known) {
        let before = self.values.insert(slot, known);
        assert!(before.is_none(), "the program names {slot} twice");
    }

    fn cast(&self, value: Value, dtype: DType) -> Result<Value> {
        if value.dtype() == dtype {
            return Ok(value);
        }
        let meta = Meta::new(dtype, value.shape().clone());
        let results =
            self.engine.run(&Kernel::Cast, smallvec![EngineOperand::Tensor(value)], &[meta])?;
        results.into_iter().next().ok_or_else(|| Error::bug("a cast without a result"))
    }

    fn expand(&mut self, call: &Call, terms: &[Term<Value>]) -> Result<SmallVec<[Value; 1]>> {
        let subject = Subject { grads: &[], inputs: terms, outputs: &[] };
        let mut evaluator = Evaluator::new(self, subject);
        let result = |formula| match evaluator.evaluate(&formula)? {
            Term::Value(value) => Ok(value),
            other => Err(Error::bug(format!("{formula} is {other:?}"))),
        };
        call.op.expansions(call).into_iter().map(result).collect()
    }
}

fn answer(value: &Value, data: bytes::Bytes) -> gt_transport::Value {
    gt_transport::Value { meta: value.meta().clone(), data }
}

/// What the rules know of an input.
fn arg(term: &Term<Value>) -> Arg<'_> {
    match term {
        Term::Value(value) => Arg::Tensor(value.meta()),
        Term::Scalar(scalar) => Arg::Scalar(*scalar),
        Term::Zero => Arg::Scalar(0.0.into()),
    }
}

impl Emit for Interpreter {
    type Value = Value;

    fn emit(
        &mut self,
        op: &'static Op,
        terms: &[Term<Value>],
        attrs: &Attrs,
    ) -> Result<SmallVec<[Value; 1]>> {
        let args: Vec<Arg> = terms.iter().map(arg).collect();
        let call = Call::checked(op, &args, attrs)?;
        let inferred = call.infer()?;
        let kernel = (op.kernel)(&call)?;
        let mut cast = Vec::new();
        for (index, term) in terms.iter().enumerate() {
            cast.push(match (term, call.role(index)) {
                (Term::Value(value), Role::Operand) if kernel != Kernel::Cast => {
                    Term::Value(self.cast(value.clone(), inferred.compute)?)
                }
                (Term::Value(value), Role::Index) => {
                    Term::Value(self.cast(value.clone(), DType::I64)?)
                }
                (other, _) => other.clone(),
            });
        }
        // What the engine takes whole has bits of its own.
        let is_whole = kernel == Kernel::Expansion && self.engine.takes(&call);
        if kernel == Kernel::Expansion && !is_whole {
            return self.expand(&call, &cast);
        }
        let operand = |term| match term {
            Term::Value(value) => EngineOperand::Tensor(value),
            Term::Scalar(scalar) => EngineOperand::Scalar(scalar),
            Term::Zero => EngineOperand::Scalar(0.0.into()),
        };
        let inputs = cast.into_iter().map(operand).collect();
        match is_whole {
            true => self.engine.run_whole(op, attrs, inputs, &inferred.outputs),
            false => self.engine.run(&kernel, inputs, &inferred.outputs),
        }
    }
}

fn args(metas: &[std::result::Result<Meta, Scalar>]) -> Vec<Arg<'_>> {
    fn arg(meta: &std::result::Result<Meta, Scalar>) -> Arg<'_> {
        match meta {
            Ok(meta) => Arg::Tensor(meta),
            Err(scalar) => Arg::Scalar(*scalar),
        }
    }
    metas.iter().map(arg).collect()
}

//! Runs plans. It knows registers and kernels, and nothing of sessions, queues or peers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use gt_core::kernel::Kernel;
use gt_core::{Error, SessionId, Slot};
use gt_transport::{Failure, Message};

use crate::buffer::Pool;
use crate::engine::{Engine, Operand, Operands};
use crate::plan::{Compute, Input, Origin, Plan, Step, Use};
use crate::store::{Register, Stored};
use crate::value::Value;

/// An engine and its memory.
#[derive(Clone)]
pub struct Executor {
    engine: Arc<dyn Engine>,
    pool: Arc<Pool>,
}

/// What came of a plan.
#[derive(Debug)]
pub struct Outcome {
    /// Whose plan it was.
    pub session: SessionId,
    /// The values that outlive it.
    pub kept: Vec<(Slot, Stored)>,
    /// Answers, handovers and failures, in the order they happened.
    pub messages: Vec<Message>,
    /// How many commands it covered.
    pub commands: u64,
    /// How long it took; whoever has a clock fills it in.
    pub busy_ns: u64,
}

impl Executor {
    /// An executor for plans of a worker.
    pub fn new(engine: Arc<dyn Engine>, pool: Arc<Pool>) -> Self {
        Executor { engine, pool }
    }

    /// Runs a plan to its end. Whatever fails becomes a failed value.
    pub fn run(&self, plan: Plan) -> Outcome {
        let Plan { session, steps, registers, kept, commands, .. } = plan;
        let mut run = Run { executor: self, session, registers, messages: Vec::new() };
        for step in steps {
            run.step(step);
        }
        let Run { mut registers, messages, .. } = run;
        let mut take = |register: Register| registers[register.0 as usize].take();
        let kept = kept.into_iter().filter_map(|(slot, register)| Some((slot, take(register)?)));
        Outcome { session, kept: kept.collect(), messages, commands, busy_ns: 0 }
    }
}

/// A plan while it runs.
struct Run<'a> {
    executor: &'a Executor,
    session: SessionId,
    registers: Vec<Option<Stored>>,
    messages: Vec<Message>,
}

impl Run<'_> {
    fn step(&mut self, step: Step) {
        match step {
            Step::Compute(compute) => self.compute(&compute),
            Step::Fail(failure) => {
                self.messages.push(Message::Failed { session: self.session, failure });
            }
            Step::Upload { out, value, origin } => {
                let meta = value.meta.clone();
                let result = Value::from_bytes(value.meta, value.data, &self.executor.pool);
                let stored = match result {
                    Ok(value) => Stored::Value(value),
                    Err(error) => Stored::Failed(meta, self.fail(error, origin)),
                };
                self.registers[out.0 as usize] = Some(stored);
            }
            Step::Answer { request, value, described } => {
                let result = self.use_value(value).into_result().map(|value| {
                    let data = if described { Default::default() } else { value.to_bytes() };
                    gt_transport::Value { meta: value.meta().clone(), data }
                });
                let session = self.session;
                self.messages.push(Message::Answer { session, request, result });
            }
            Step::Handover { to, tag, value } => {
                let stored = self.use_value(value);
                let meta = stored.meta().clone();
                let result = stored.into_result().map(|value| value.to_bytes());
                let session = self.session;
                self.messages.push(Message::Handover { session, to, tag, meta, result });
            }
        }
    }

    fn compute(&mut self, compute: &Compute) {
        let Compute { kernel, outputs, metas, replaces, origin, .. } = compute;
        let over = replaces.filter(|old| old.last && self.can_write_over(*old, compute));
        let result = self.operands(compute, over.map(|old| old.register)).and_then(|inputs| {
            let engine = &self.executor.engine;
            let run = AssertUnwindSafe(|| engine.run(kernel, inputs, metas));
            let result = catch_unwind(run).unwrap_or_else(|panic| Err(panicked(&*panic)));
            result.map_err(|error| self.fail(error, *origin))
        });
        let old = replaces.and_then(|old| self.take_or_clone(old));
        match result {
            Ok(values) => {
                for (register, value) in outputs.iter().zip(values) {
                    self.registers[register.0 as usize] = Some(Stored::Value(value));
                }
            }
            Err(failure) => {
                for (register, meta) in outputs.iter().zip(metas) {
                    let failed = Stored::Failed(meta.clone(), failure.clone());
                    self.registers[register.0 as usize] = Some(failed);
                }
                if old.is_some() {
                    self.registers[outputs[0].0 as usize] = old;
                }
            }
        }
    }

    /// Whether the kernel can write its result into the buffer of the value it replaces. Then it
    /// needs no memory and cannot fail; otherwise the old value must be kept for that case.
    fn can_write_over(&mut self, old: Use, compute: &Compute) -> bool {
        let elementwise = matches!(
            compute.kernel,
            Kernel::Map(_) | Kernel::Zip(_) | Kernel::Where | Kernel::SliceWrite(_)
        );
        let reads_it = |input: &&Input| match input {
            Input::Register(used) => used.register == old.register,
            Input::Scalar(_) => false,
        };
        let alone = compute.inputs.iter().filter(reads_it).count() == 1;
        match &mut self.registers[old.register.0 as usize] {
            Some(Stored::Value(old)) => {
                let fits = old.meta() == &compute.metas[0] && old.is_contiguous();
                let divides = matches!(compute.kernel, Kernel::Zip(function) if function.divides());
                let may_fail = divides && !old.dtype().is_float();
                elementwise && !may_fail && alone && fits && old.is_unique()
            }
            _ => false,
        }
    }

    /// The inputs of a kernel, or the failure that one of them carries. The last input that is
    /// `over` is given away for good.
    fn operands(
        &mut self,
        compute: &Compute,
        over: Option<Register>,
    ) -> Result<Operands, Arc<Failure>> {
        for input in &compute.inputs {
            if let Input::Register(used) = input
                && let Some(Stored::Failed(_, failure)) = &self.registers[used.register.0 as usize]
            {
                return Err(failure.clone());
            }
        }
        let is_over = |input: &Input| match input {
            Input::Register(used) => Some(used.register) == over,
            Input::Scalar(_) => false,
        };
        let given_away = compute.inputs.iter().rposition(is_over);
        let mut operands = Operands::new();
        for (index, input) in compute.inputs.iter().enumerate() {
            operands.push(match *input {
                Input::Scalar(scalar) => Operand::Scalar(scalar),
                Input::Register(used) => {
                    let used = Use { last: used.last || given_away == Some(index), ..used };
                    Operand::Tensor(self.use_value(used).into_result()?)
                }
            });
        }
        Ok(operands)
    }

    /// The value, moved out of its register if this is its last use.
    fn use_value(&mut self, used: Use) -> Stored {
        self.take_or_clone(used).expect("a plan makes a value before it uses it")
    }

    fn take_or_clone(&mut self, used: Use) -> Option<Stored> {
        let register = &mut self.registers[used.register.0 as usize];
        if used.last { register.take() } else { register.clone() }
    }

    /// Tells the client of a first cause; what depends on it fails in silence.
    fn fail(&mut self, error: Error, origin: Origin) -> Arc<Failure> {
        let failure = Arc::new(origin.failure(error));
        self.messages.push(Message::Failed { session: self.session, failure: failure.clone() });
        failure
    }
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    Error::bug(format!("a kernel panicked: {text}"))
}

//! Runs plans. It knows registers and kernels, and nothing of sessions, queues or peers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use gt_core::kernel::Kernel;
use gt_core::{DType, Error, Meta, Provenance, RequestId, SessionId, Slot};
use gt_transport::{Failure, Message};

use crate::buffer::Pool;
use crate::engine::{Engine, Operand, Operands, Results};
use crate::memory::{Holding, held};
use crate::panic_hook::in_kernel;
use crate::plan::{Compute, Input, Origin, Plan, Purpose, Step, Then, Use};
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
    pub kept: Vec<(Slot, Stored, Provenance)>,
    /// Answers, handovers and failures, in the order they happened.
    pub messages: Vec<Message>,
    /// How many commands it covered.
    pub commands: u64,
    /// How long it took; whoever has a clock fills it in.
    pub busy_ns: u64,
    /// What has failed and was not told to the client.
    pub poison: Option<Arc<Failure>>,
    /// What the plan was for.
    pub purpose: Purpose,
    /// What the plan held when it ran out of memory, if it did.
    pub holdings: Option<Vec<Holding>>,
}

impl Executor {
    /// An executor for plans of a worker.
    pub fn new(engine: Arc<dyn Engine>, pool: Arc<Pool>) -> Self {
        Executor { engine, pool }
    }

    /// Runs a plan to its end. Whatever fails becomes a failed value; a panic outside of a kernel
    /// ends the session, whose values it may have taken with it.
    pub fn run(&self, plan: Plan) -> Outcome {
        let (session, commands, purpose) = (plan.session, plan.commands, plan.purpose);
        let run = AssertUnwindSafe(|| self.run_steps(plan));
        catch_unwind(run).unwrap_or_else(|panic| {
            let messages = vec![Message::Ended { session, error: panicked(&*panic) }];
            let (kept, poison, holdings) = (Vec::new(), None, None);
            Outcome { session, kept, messages, commands, busy_ns: 0, poison, purpose, holdings }
        })
    }

    fn run_steps(&self, plan: Plan) -> Outcome {
        let Plan { session, steps, registers, kept, commands, places, poison, purpose, .. } = plan;
        let (messages, holdings) = (Vec::new(), None);
        let mut run =
            Run { executor: self, session, registers, places, messages, poison, holdings };
        for step in steps {
            run.step(step);
        }
        let Run { mut registers, places, messages, poison, holdings, .. } = run;
        let mut take = |register: Register| {
            let index = register.0 as usize;
            Some((registers[index].take()?, places[index]))
        };
        let kept = kept.into_iter().filter_map(|(slot, register)| {
            let (stored, place) = take(register)?;
            Some((slot, stored, place))
        });
        let kept = kept.collect();
        Outcome { session, kept, messages, commands, busy_ns: 0, poison, purpose, holdings }
    }
}

/// A plan while it runs.
struct Run<'a> {
    executor: &'a Executor,
    session: SessionId,
    registers: Vec<Option<Stored>>,
    places: Vec<Provenance>,
    messages: Vec<Message>,
    poison: Option<Arc<Failure>>,
    holdings: Option<Vec<Holding>>,
}

impl Run<'_> {
    fn step(&mut self, step: Step) {
        match step {
            Step::Compute(compute) => self.compute(&compute),
            Step::Poison(failure) => {
                self.poison.get_or_insert(failure);
            }
            Step::Report { barrier, then } => self.report(barrier, then),
            Step::Sync { request } => self.answer(request, Ok(nothing())),
            Step::Fail(failure) => {
                self.poison.get_or_insert(failure.clone());
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
                self.answer(request, result);
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

    /// Answers the client: with a failure it was not told of, if there is one.
    fn answer(&mut self, request: RequestId, result: Result<gt_transport::Value, Arc<Failure>>) {
        let (session, poison) = (self.session, self.poison.take());
        let result = poison.map_or(result, Err);
        self.messages.push(Message::Answer { session, request, result });
    }

    fn report(&mut self, barrier: u64, then: Then) {
        let (session, failure) = (self.session, self.poison.clone());
        self.messages.push(Message::FailureReport { session, barrier, failure });
        if then == Then::Settle {
            self.poison = None;
        }
    }

    fn compute(&mut self, compute: &Compute) {
        let Compute { outputs, metas, replaces, .. } = compute;
        let result = match (&self.poison, replaces) {
            // The program does not know of the failure yet and would not have come here.
            (Some(failure), Some(_)) => Err(failure.clone()),
            _ => self.run_kernel(compute),
        };
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

    fn run_kernel(&mut self, compute: &Compute) -> Result<Results, Arc<Failure>> {
        let Compute { kernel, metas, replaces, origin, .. } = compute;
        let over = replaces.filter(|old| old.last && self.can_write_over(*old, compute));
        let inputs = self.operands(compute, over.map(|old| old.register))?;
        let engine = &self.executor.engine;
        let run = AssertUnwindSafe(|| in_kernel(|| engine.run(kernel, inputs, metas)));
        let result = catch_unwind(run).unwrap_or_else(|panic| Err(panicked(&*panic)));
        result.map_err(|error| self.fail(error, *origin))
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
        if matches!(error, Error::OutOfMemory(_)) && self.holdings.is_none() {
            let values = self.registers.iter().zip(&self.places);
            self.holdings = Some(held(values.filter_map(|(stored, place)| match stored {
                Some(Stored::Value(value)) => Some((value, *place)),
                _ => None,
            })));
        }
        let failure = Arc::new(origin.failure(error));
        self.poison.get_or_insert_with(|| failure.clone());
        self.messages.push(Message::Failed { session: self.session, failure: failure.clone() });
        failure
    }
}

/// What is said where only the word counts.
fn nothing() -> gt_transport::Value {
    gt_transport::Value { meta: Meta::new(DType::Bool, [0]), data: Default::default() }
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    Error::bug(format!("a kernel panicked: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::null::Null;

    #[test]
    fn a_panic_ends_the_session_of_its_plan() {
        crate::panic_hook::kernel_panics();
        let pool = Pool::new(1 << 20);
        let executor = Executor::new(Arc::new(Null(pool.clone())), pool);
        let mut store = crate::store::Store::default();
        let mut plan =
            crate::planner::Planner::new(gt_core::WorkerId(0), SessionId(7), &mut store).finish(3);
        // A register that no plan has.
        let value = Use { register: Register(99), last: true };
        plan.steps.push(Step::Handover { to: gt_core::WorkerId(0), tag: 0, value });
        let outcome = in_kernel(|| executor.run(plan));
        assert_eq!((outcome.session, outcome.commands), (SessionId(7), 3));
        let ended = |message: &Message| matches!(message, Message::Ended { .. });
        assert!(outcome.messages.iter().all(ended) && outcome.messages.len() == 1);
    }
}

//! A window of a session's queue as one piece of work: every step a single kernel, every value a
//! register. A value that is freed within the window never reaches the store.

use gt_core::attrs::Attrs;
use gt_core::dtype::Scalar;
use gt_core::expr::{Emit, Evaluator, Subject, Term};
use gt_core::instruction::{Instruction, Operand};
use gt_core::kernel::Kernel;
use gt_core::op::{Arg, Call, Op, Role};
use gt_core::{DType, Error, Meta, Provenance, RequestId, Result, SessionId, Slot, WorkerId};
use smallvec::{SmallVec, smallvec};

use crate::queue::Arrival;
use crate::store::{Found, Register, Store, Stored};

/// Work for an executor.
#[derive(Debug)]
pub struct Plan {
    /// Whose work it is.
    pub session: SessionId,
    /// What to do, in order.
    pub steps: Vec<Step>,
    /// The values it begins with, by register; the others are made by steps.
    pub registers: Vec<Option<Stored>>,
    /// The values that outlive it.
    pub kept: Vec<(Slot, Register)>,
    /// How many commands of the queue it covers.
    pub commands: u64,
    /// About how long one core needs.
    pub cost_ns: u64,
}

/// One step of a plan.
#[derive(Debug)]
pub enum Step {
    /// Run a kernel.
    Compute(Box<Compute>),
    /// Take in what the client sent.
    Upload {
        /// Where to.
        out: Register,
        /// What.
        value: gt_transport::Value,
        /// For errors.
        origin: Origin,
    },
    /// Send a value to the client.
    Answer {
        /// Which read this answers.
        request: RequestId,
        /// The value.
        value: Use,
        /// Whether only dtype and shape are wanted.
        described: bool,
    },
    /// Hand a value to another worker.
    Handover {
        /// Who gets it.
        to: WorkerId,
        /// What both sides call it.
        tag: u64,
        /// The value.
        value: Use,
    },
}

/// A kernel, where its inputs come from and where its results go.
#[derive(Debug)]
pub struct Compute {
    /// What to do.
    pub kernel: Kernel,
    /// The inputs.
    pub inputs: SmallVec<[Input; 3]>,
    /// The results.
    pub outputs: SmallVec<[(Register, Meta); 1]>,
    /// The value that the first result replaces, and that it is if the kernel fails.
    pub replaces: Option<Use>,
    /// For errors.
    pub origin: Origin,
}

/// An input of a kernel.
#[derive(Clone, Copy, Debug)]
pub enum Input {
    /// A value.
    Register(Use),
    /// A number.
    Scalar(Scalar),
}

/// One use of a value.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// The value.
    pub register: Register,
    /// Whether nobody uses it after this, so that its buffer may be used again.
    pub last: bool,
}

/// Where a step came from.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The operation the client asked for; `None` for an upload.
    pub op: Option<&'static Op>,
    /// The value it makes.
    pub slot: Slot,
    /// Where in the user's program.
    pub provenance: Provenance,
}

/// Makes a plan out of commands.
pub struct Planner<'a> {
    store: &'a mut Store,
    plan: Plan,
    metas: Vec<Meta>,
    touched: Vec<Slot>,
    origin: Origin,
}

impl<'a> Planner<'a> {
    /// A planner for the values in `store`.
    pub fn new(session: SessionId, store: &'a mut Store) -> Self {
        let origin = Origin { op: None, slot: Slot(0), provenance: Provenance::UNKNOWN };
        let (steps, registers, kept) = (Vec::new(), Vec::new(), Vec::new());
        let plan = Plan { session, steps, registers, kept, commands: 0, cost_ns: 0 };
        Planner { store, plan, metas: Vec::new(), touched: Vec::new(), origin }
    }

    /// About how long what was planned so far takes one core.
    pub fn cost_ns(&self) -> u64 {
        self.plan.cost_ns
    }

    /// Plans an instruction.
    pub fn apply(&mut self, instruction: &Instruction) -> Result<()> {
        let Instruction { op, outputs, inputs, attrs, replaces, provenance } = instruction;
        self.origin = Origin { op: Some(op), slot: outputs[0], provenance: *provenance };
        let mut terms: SmallVec<[Term<Register>; 3]> = SmallVec::new();
        for input in inputs {
            terms.push(match *input {
                Operand::Slot(slot) => Term::Value(self.load(slot)?),
                Operand::Scalar(scalar) => Term::Scalar(scalar),
            });
        }
        let replaced = replaces.map(|slot| self.load(slot)).transpose()?;
        let first = self.plan.steps.len();
        let results = self.emit(op, &terms, attrs)?;
        if let (Some(old), Some(slot)) = (replaced, *replaces) {
            self.replace(first, old, results[0]);
            self.store.free(slot);
        }
        for (&slot, &register) in outputs.iter().zip(&results) {
            self.store.promise(slot, register);
            self.touched.push(slot);
        }
        Ok(())
    }

    /// Plans an upload.
    pub fn upload(&mut self, out: Slot, value: gt_transport::Value, provenance: Provenance) {
        let origin = Origin { op: None, slot: out, provenance };
        let register = self.register(value.meta.clone());
        self.plan.cost_ns += value.data.len() as u64 / 8;
        self.plan.steps.push(Step::Upload { out: register, value, origin });
        self.store.promise(out, register);
        self.touched.push(out);
    }

    /// Plans to take in what another worker has handed over.
    pub fn receive(&mut self, out: Slot, arrival: Arrival) {
        let Arrival { meta, result } = arrival;
        match result {
            Ok(data) => {
                let value = gt_transport::Value { meta, data };
                self.upload(out, value, Provenance::UNKNOWN);
            }
            Err(failure) => {
                let register = self.register(meta.clone());
                let failed = Stored { meta, result: Err(failure) };
                self.plan.registers[register.0 as usize] = Some(failed);
                self.store.promise(out, register);
                self.touched.push(out);
            }
        }
    }

    /// Plans an answer to the client.
    pub fn answer(&mut self, slot: Slot, request: RequestId, described: bool) -> Result<()> {
        let value = Use { register: self.load(slot)?, last: false };
        self.plan.steps.push(Step::Answer { request, value, described });
        Ok(())
    }

    /// Plans to hand a value to another worker.
    pub fn hand_over(&mut self, slot: Slot, to: WorkerId, tag: u64) -> Result<()> {
        let value = Use { register: self.load(slot)?, last: false };
        self.plan.steps.push(Step::Handover { to, tag, value });
        Ok(())
    }

    /// The value has no name any more.
    pub fn free(&mut self, slot: Slot) {
        self.store.free(slot);
    }

    /// The plan for `commands` commands.
    pub fn finish(mut self, commands: u64) -> Plan {
        self.plan.commands = commands;
        self.touched.sort_unstable();
        self.touched.dedup();
        for &slot in &self.touched {
            if let Some(register) = self.store.register(slot) {
                self.plan.kept.push((slot, register));
            }
        }
        mark_last_uses(&mut self.plan);
        self.plan
    }

    fn load(&mut self, slot: Slot) -> Result<Register> {
        let next = Register(self.metas.len() as u32);
        match self.store.load(slot, next)? {
            Found::Planned(register) => Ok(register),
            Found::Loaded(stored) => {
                let register = self.register(stored.meta.clone());
                self.plan.registers[register.0 as usize] = Some(stored);
                self.touched.push(slot);
                Ok(register)
            }
        }
    }

    fn register(&mut self, meta: Meta) -> Register {
        self.metas.push(meta);
        self.plan.registers.push(None);
        Register(self.metas.len() as u32 - 1)
    }

    /// Says of the step that makes `result` that it replaces `old`; all steps since `first` fail
    /// into the old value, because the last one does.
    fn replace(&mut self, first: usize, old: Register, result: Register) {
        let makes = |step: &&mut Step| match step {
            Step::Compute(compute) => compute.outputs.iter().any(|(out, _)| *out == result),
            _ => false,
        };
        let step = self.plan.steps[first..].iter_mut().find(makes);
        if let Some(Step::Compute(compute)) = step {
            compute.replaces = Some(Use { register: old, last: false });
        }
    }

    /// The register with its value in `dtype`.
    fn cast(&mut self, register: Register, dtype: DType) -> Register {
        let meta = &self.metas[register.0 as usize];
        if meta.dtype == dtype {
            return register;
        }
        let meta = Meta { dtype, shape: meta.shape.clone() };
        let out = self.register(meta.clone());
        let inputs = smallvec![Input::Register(Use { register, last: false })];
        self.push(Kernel::Cast, inputs, smallvec![(out, meta)]);
        out
    }

    fn push(
        &mut self,
        kernel: Kernel,
        inputs: SmallVec<[Input; 3]>,
        outputs: SmallVec<[(Register, Meta); 1]>,
    ) {
        let (replaces, origin) = (None, self.origin);
        let compute = Compute { kernel, inputs, outputs, replaces, origin };
        self.plan.steps.push(Step::Compute(Box::new(compute)));
    }
}

impl Emit for Planner<'_> {
    type Value = Register;

    fn emit(
        &mut self,
        op: &'static Op,
        terms: &[Term<Register>],
        attrs: &Attrs,
    ) -> Result<SmallVec<[Register; 1]>> {
        let metas: SmallVec<[Meta; 3]> = terms
            .iter()
            .map(|term| match term {
                Term::Value(register) => self.metas[register.0 as usize].clone(),
                // Stands in for a scalar, whose dtype and shape nobody asks for.
                _ => Meta { dtype: DType::Bool, shape: Default::default() },
            })
            .collect();
        let args: SmallVec<[Arg; 3]> = terms
            .iter()
            .zip(&metas)
            .map(|(term, meta)| match term {
                Term::Value(_) => Ok(Arg::Tensor(meta)),
                Term::Scalar(scalar) => Ok(Arg::Scalar(*scalar)),
                Term::Zero => Err(Error::bug(format!("{}: an input is missing", op.name))),
            })
            .collect::<Result<_>>()?;
        let call = Call::checked(op, &args, attrs)?;
        let inferred = call.infer()?;
        let kernel = (op.kernel)(&call)?;
        if kernel == Kernel::Expansion {
            return self.expand(&call, terms);
        }
        let inputs_meta: SmallVec<[&Meta; 3]> = metas.iter().collect();
        self.plan.cost_ns += kernel.cost_ns(&inputs_meta, &inferred.outputs);
        let mut inputs: SmallVec<[Input; 3]> = SmallVec::new();
        for (index, term) in terms.iter().enumerate() {
            inputs.push(match *term {
                Term::Value(register) => {
                    let register = match call.role(index) {
                        // A cast computes in the dtype it comes from.
                        Role::Operand if kernel != Kernel::Cast => {
                            self.cast(register, inferred.compute)
                        }
                        Role::Index => self.cast(register, DType::I64),
                        _ => register,
                    };
                    Input::Register(Use { register, last: false })
                }
                Term::Scalar(scalar) => Input::Scalar(scalar),
                Term::Zero => return Err(Error::bug("an input is missing")),
            });
        }
        let outputs: SmallVec<[(Register, Meta); 1]> =
            inferred.outputs.into_iter().map(|meta| (self.register(meta.clone()), meta)).collect();
        let registers = outputs.iter().map(|(register, _)| *register).collect();
        self.push(kernel, inputs, outputs);
        Ok(registers)
    }
}

impl Planner<'_> {
    /// Plans the row's expansion, with its operands in the dtype it computes in.
    fn expand(&mut self, call: &Call, terms: &[Term<Register>]) -> Result<SmallVec<[Register; 1]>> {
        let op = call.op;
        let compute = call.infer()?.compute;
        let mut cast: SmallVec<[Term<Register>; 3]> = SmallVec::new();
        for (index, term) in terms.iter().enumerate() {
            cast.push(match term {
                Term::Value(register) if call.role(index) == Role::Operand => {
                    Term::Value(self.cast(*register, compute))
                }
                other => other.clone(),
            });
        }
        let formulas = op.expansion.map(|expansion| expansion(call)).unwrap_or_default();
        if formulas.len() != op.outputs.len() {
            return Err(Error::bug(format!("{} has no expansion here", op.name)));
        }
        let subject = Subject { grads: &[], inputs: &cast, outputs: &[] };
        let mut evaluator = Evaluator::new(self, subject);
        let results = formulas.iter().map(|formula| match evaluator.evaluate(formula)? {
            Term::Value(register) => Ok(register),
            _ => Err(Error::bug(format!("{} expands to nothing", op.name))),
        });
        results.collect()
    }
}

/// Finds for each value the last step that uses it. Walking backwards, that is the first one met.
fn mark_last_uses(plan: &mut Plan) {
    let mut needed = vec![false; plan.registers.len()];
    for &(_, register) in &plan.kept {
        needed[register.0 as usize] = true;
    }
    let mut meet = |used: &mut Use| {
        let needed = &mut needed[used.register.0 as usize];
        used.last = !*needed;
        *needed = true;
    };
    for step in plan.steps.iter_mut().rev() {
        match step {
            Step::Compute(compute) => {
                compute.replaces.iter_mut().for_each(&mut meet);
                for input in compute.inputs.iter_mut().rev() {
                    if let Input::Register(used) = input {
                        meet(used);
                    }
                }
            }
            Step::Answer { value, .. } | Step::Handover { value, .. } => meet(value),
            Step::Upload { .. } => {}
        }
    }
}

//! A piece of a session's queue as work for an executor: every step a single kernel, every value a
//! register. A plan names values and holds none, so that one is made while another runs. A value
//! that is freed within its plan never reaches the executor's table.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gt_core::attrs::Attrs;
use gt_core::dtype::Scalar;
use gt_core::instruction::After;
use gt_core::kernel::Kernel;
use gt_core::op::Op;
use gt_core::{Error, Meta, Provenance, RequestId, SessionId, Slot, WorkerId};
use gt_transport::{Failure, FailureId};
use smallvec::SmallVec;

use crate::check::Check;
use crate::engine::program::Program;
use crate::shares::Turn;

/// A value of a session, whatever it is called. Numbers are used again, in the order of the plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(pub u32);

/// A place in a plan for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Register(pub u32);

/// The number of a command among those of its session on this worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(pub u64);

/// What an executor is to do. What is for one session is done in this order, one at a time.
#[derive(Debug)]
pub enum Work {
    /// Run a plan.
    Run(Box<Plan>),
    /// Drop the values of a session.
    Forget(SessionId),
}

/// The steps between values that are there and values that are kept.
#[derive(Debug)]
pub struct Plan {
    /// Whose work it is.
    pub session: SessionId,
    /// The worker that planned it.
    pub worker: WorkerId,
    /// Its number among the worker's plans.
    pub number: u64,
    /// What to do, in order.
    pub steps: Vec<Step>,
    /// Where in the user's program the value of each register is made.
    pub places: Vec<Provenance>,
    /// The values that it begins with.
    pub loads: SmallVec<[(ValueId, Register); 4]>,
    /// The values that nobody needs once it has loaded what it uses.
    pub drops: SmallVec<[ValueId; 4]>,
    /// The values that outlive it.
    pub keeps: SmallVec<[(Register, ValueId); 4]>,
    /// The kept values whose shapes depend on data, which the worker wants to know.
    pub described: Vec<ValueId>,
    /// How many commands of the queue it covers.
    pub commands: u64,
    /// About how long one core needs.
    pub cost_ns: u64,
    /// When it is due, among those of other sessions.
    pub turn: Turn,
    /// Whether somebody wants to know how long each command takes.
    pub timed: bool,
}

/// One step of a plan.
#[derive(Debug)]
pub enum Step {
    /// Run a kernel.
    Compute(Compute),
    /// Run elementwise kernels together.
    Fused(Box<Fused>),
    /// Let all results of an instruction take the places of old values, or none.
    Replace(Replace),
    /// Fail an instruction whose results are not finite.
    Check(Box<Check>),
    /// An instruction cannot even be planned.
    Fail(Position, Arc<Failure>),
    /// A value that has failed before it came here.
    Bear {
        /// Where to.
        out: Register,
        /// What it would be.
        meta: Meta,
        /// What went wrong.
        failure: Arc<Failure>,
    },
    /// Something has failed on another worker.
    Poison(Position, Arc<Failure>),
    /// Report to the dispatcher whether something has failed here.
    Report {
        /// What failed after this is not meant.
        position: Position,
        /// The failure barrier.
        barrier: u64,
        /// What becomes of the failure.
        then: Then,
    },
    /// The same, also if one of these values has failed.
    Vote {
        /// What failed after this is not meant.
        position: Position,
        /// The failure barrier.
        barrier: u64,
        /// The values.
        values: SmallVec<[Use; 3]>,
        /// Whether to report what they are.
        compare: bool,
    },
    /// Tell the client that everything before this is done, or what failed.
    Sync {
        /// What failed after this is not meant.
        position: Position,
        /// Which request this answers.
        request: RequestId,
    },
    /// Answer a read that the client has given up, or tell it what failed.
    GiveUp {
        /// What failed after this is not meant.
        position: Position,
        /// Which request this answers.
        request: RequestId,
    },
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
        /// What failed after this is not meant.
        position: Position,
        /// Which read this answers.
        request: RequestId,
        /// The value.
        value: Use,
        /// What is wanted of it.
        wanted: Wanted,
    },
    /// Hand a value to another worker.
    Handover {
        /// Which command wants it.
        position: Position,
        /// Who gets it.
        to: WorkerId,
        /// What both sides call it.
        tag: u64,
        /// The value.
        value: Use,
    },
}

/// What a client wants to know of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Its elements too.
    Elements,
    /// Dtype and shape only.
    Meta,
}

/// What becomes of a failure that was reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// It stays, because the client was not told.
    Stay,
    /// It is over: the client is told. The report came after these.
    Settle(After),
}

/// A kernel, where its inputs come from and where its results go.
#[derive(Debug)]
pub struct Compute {
    /// What to do.
    pub job: Job,
    /// The inputs.
    pub inputs: SmallVec<[Input; 3]>,
    /// The results.
    pub outputs: SmallVec<[Register; 1]>,
    /// What the results are; only data may make their shapes smaller.
    pub metas: SmallVec<[Meta; 1]>,
    /// The value that the first result replaces, and that it is if the kernel fails.
    pub replaces: Option<Use>,
    /// For errors.
    pub origin: Origin,
}

/// Elementwise kernels that follow one another, as one program. If that cannot be run, or one of
/// its inputs has failed, they run one by one.
#[derive(Debug)]
pub struct Fused {
    /// The kernels.
    pub computes: Vec<Compute>,
    /// The same for the engine.
    pub program: Program,
    /// The program's inputs.
    pub inputs: SmallVec<[Use; 4]>,
    /// Values that are replaced without being read.
    pub ended: SmallVec<[Register; 1]>,
}

/// The end of an instruction that several kernels make, and whose results replace values: if one
/// of them failed, or something has failed of which the client does not know, the old values stay.
#[derive(Debug)]
pub struct Replace {
    /// All results of the instruction.
    pub results: SmallVec<[Replacement; 3]>,
    /// The instruction.
    pub origin: Origin,
}

/// One result of an instruction that replaces values.
#[derive(Clone, Copy, Debug)]
pub struct Replacement {
    /// What was computed.
    pub computed: Use,
    /// The value whose place it takes.
    pub old: Option<Use>,
    /// Where the one or the other goes.
    pub out: Register,
}

/// What an engine is to compute.
#[derive(Clone, Debug, PartialEq)]
pub enum Job {
    /// A kernel.
    Kernel(Kernel),
    /// A composite that the engine takes whole.
    Whole(&'static Op, Box<Attrs>),
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

impl Use {
    /// A use; which one is the last is found when the plan is complete.
    pub fn of(register: Register) -> Self {
        Use { register, last: false }
    }
}

/// Where a step came from.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The worker that plans it.
    pub worker: WorkerId,
    /// The operation the client asked for; `None` for an upload.
    pub op: Option<&'static Op>,
    /// The name of what it makes.
    pub slot: Slot,
    /// Where in the user's program.
    pub provenance: Provenance,
    /// Where in the queue.
    pub position: Position,
}

/// How many failures happened in this process, so that each has a number of its own.
static FAILURES: AtomicU64 = AtomicU64::new(0);

impl Origin {
    /// What the client is told when this fails.
    pub fn failure(&self, error: Error) -> Failure {
        let name = self.op.map_or("upload", |op| op.name);
        let (slot, provenance) = (self.slot, self.provenance);
        let instruction = format!("{slot} := {name}");
        let holders = SmallVec::new();
        let number = FAILURES.fetch_add(1, Ordering::Relaxed);
        let id = FailureId { worker: self.worker.0, number };
        Failure { id, error: error.within(name), instruction, slot, provenance, holders }
    }
}

impl Plan {
    /// A plan without steps.
    pub fn new(worker: WorkerId, session: SessionId) -> Self {
        Plan {
            session,
            worker,
            number: 0,
            steps: Vec::new(),
            places: Vec::new(),
            loads: SmallVec::new(),
            drops: SmallVec::new(),
            keeps: SmallVec::new(),
            described: Vec::new(),
            commands: 0,
            cost_ns: 0,
            turn: Turn::alone(session),
            timed: false,
        }
    }

    /// Whether it would change anything.
    pub fn is_empty(&self) -> bool {
        self.commands == 0 && self.steps.is_empty() && self.drops.is_empty()
    }

    /// Finds for each value the last step that uses it. Walking backwards, that is the first one
    /// met. What only creates a value that nobody uses is left out: a tensor of which only the
    /// shape counts would take memory until the plan ends.
    pub fn mark_last_uses(&mut self) {
        let mut needed = vec![false; self.places.len()];
        for &(register, _) in &self.keeps {
            needed[register.0 as usize] = true;
        }
        let meet = |used: &mut Use, needed: &mut [bool]| {
            let needed = &mut needed[used.register.0 as usize];
            used.last = !*needed;
            *needed = true;
        };
        let mut all_used = true;
        for step in self.steps.iter_mut().rev() {
            match step {
                Step::Compute(compute) if compute.only_creates() => {
                    all_used &= needed[compute.outputs[0].0 as usize];
                }
                Step::Compute(compute) => {
                    let mut meet = |used: &mut Use| meet(used, &mut needed);
                    compute.replaces.iter_mut().for_each(&mut meet);
                    for input in compute.inputs.iter_mut().rev() {
                        if let Input::Register(used) = input {
                            meet(used);
                        }
                    }
                }
                Step::Replace(replace) => {
                    for result in &mut replace.results {
                        result.old.iter_mut().for_each(|old| meet(old, &mut needed));
                        meet(&mut result.computed, &mut needed);
                    }
                }
                Step::Check(check) => {
                    check.uses_mut().rev().for_each(|used| meet(used, &mut needed));
                }
                Step::Answer { value, .. } | Step::Handover { value, .. } => {
                    meet(value, &mut needed);
                }
                Step::Vote { values, .. } => {
                    values.iter_mut().for_each(|value| meet(value, &mut needed));
                }
                // Steps are joined when it is known which uses are the last.
                Step::Fused(_)
                | Step::Upload { .. }
                | Step::Bear { .. }
                | Step::Fail(..)
                | Step::Poison(..)
                | Step::Report { .. }
                | Step::GiveUp { .. }
                | Step::Sync { .. } => {}
            }
        }
        if !all_used {
            self.steps.retain(|step| match step {
                Step::Compute(compute) if compute.only_creates() => {
                    needed[compute.outputs[0].0 as usize]
                }
                _ => true,
            });
        }
    }
}

impl Compute {
    /// Whether it makes one value of nothing, for which it needs memory and can fail in no other
    /// way.
    fn only_creates(&self) -> bool {
        let creates = matches!(
            self.job,
            Job::Kernel(Kernel::Fill(_) | Kernel::Iota { .. } | Kernel::Random(_))
        );
        creates && self.inputs.is_empty() && self.replaces.is_none() && self.outputs.len() == 1
    }
}

//! A window of a session's queue as one piece of work: every step a single kernel, every value a
//! register. A value that is freed within the window never reaches the store.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gt_core::dtype::Scalar;
use gt_core::kernel::Kernel;
use gt_core::op::Op;
use gt_core::{Error, Meta, Provenance, RequestId, SessionId, Slot, WorkerId};
use gt_transport::{Failure, FailureId};
use smallvec::SmallVec;

use crate::store::{Register, Stored};

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
    /// Where in the user's program the value of each register was made.
    pub places: Vec<Provenance>,
    /// What has failed and was not told to the client: until it is, nothing is replaced.
    pub poison: Option<Arc<Failure>>,
    /// What it is for.
    pub purpose: Purpose,
}

/// What a plan is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The next commands of a queue.
    InTurn,
    /// The answer to a read that does not wait for its turn. Nothing else comes of it.
    ReadBypass,
}

/// One step of a plan.
#[derive(Debug)]
pub enum Step {
    /// Run a kernel.
    Compute(Compute),
    /// An instruction cannot even be planned.
    Fail(Arc<Failure>),
    /// Something has failed on another worker.
    Poison(Arc<Failure>),
    /// Report to the dispatcher whether something has failed here.
    Report {
        /// The failure barrier.
        barrier: u64,
        /// What becomes of the failure.
        then: Then,
    },
    /// Tell the client that everything before this is done, or what failed.
    Sync {
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

/// What becomes of a failure that was reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// It stays, because the client was not told.
    Stay,
    /// It is over: the client is told.
    Settle,
}

/// A kernel, where its inputs come from and where its results go.
#[derive(Debug)]
pub struct Compute {
    /// What to do.
    pub kernel: Kernel,
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
    /// The worker that plans it.
    pub worker: WorkerId,
    /// The operation the client asked for; `None` for an upload.
    pub op: Option<&'static Op>,
    /// The value it makes.
    pub slot: Slot,
    /// Where in the user's program.
    pub provenance: Provenance,
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
    pub fn new(session: SessionId) -> Self {
        Plan {
            session,
            steps: Vec::new(),
            registers: Vec::new(),
            kept: Vec::new(),
            commands: 0,
            cost_ns: 0,
            places: Vec::new(),
            poison: None,
            purpose: Purpose::InTurn,
        }
    }

    /// Finds for each value the last step that uses it. Walking backwards, that is the first one
    /// met.
    pub fn mark_last_uses(&mut self) {
        let mut needed = vec![false; self.registers.len()];
        for &(_, register) in &self.kept {
            needed[register.0 as usize] = true;
        }
        let mut meet = |used: &mut Use| {
            let needed = &mut needed[used.register.0 as usize];
            used.last = !*needed;
            *needed = true;
        };
        for step in self.steps.iter_mut().rev() {
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
                Step::Upload { .. }
                | Step::Fail(_)
                | Step::Poison(_)
                | Step::Report { .. }
                | Step::Sync { .. } => {}
            }
        }
    }
}

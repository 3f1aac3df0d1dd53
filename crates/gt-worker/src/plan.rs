//! A window of a session's queue as one piece of work: every step a single kernel, every value a
//! register. A value that is freed within the window never reaches the store.

use std::sync::Arc;

use gt_core::dtype::Scalar;
use gt_core::kernel::Kernel;
use gt_core::op::Op;
use gt_core::{Error, Meta, Provenance, RequestId, SessionId, Slot, WorkerId};
use gt_transport::Failure;
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
}

/// One step of a plan.
#[derive(Debug)]
pub enum Step {
    /// Run a kernel.
    Compute(Compute),
    /// Tell the client that an instruction cannot even be planned.
    Fail(Arc<Failure>),
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
    /// The operation the client asked for; `None` for an upload.
    pub op: Option<&'static Op>,
    /// The value it makes.
    pub slot: Slot,
    /// Where in the user's program.
    pub provenance: Provenance,
}

impl Origin {
    /// What the client is told when this fails.
    pub fn failure(&self, error: Error) -> Failure {
        let name = self.op.map_or("upload", |op| op.name);
        let (slot, provenance) = (self.slot, self.provenance);
        let instruction = format!("{slot} := {name}");
        Failure { error: error.within(name), instruction, slot, provenance }
    }
}

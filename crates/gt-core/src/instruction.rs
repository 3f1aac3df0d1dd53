//! Commands: what a client sends to the dispatcher, and the dispatcher to a worker.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::attrs::Attrs;
use crate::dtype::Scalar;
use crate::op::Op;
use crate::placement::{Placement, Signature, Wish};
use crate::shape::Meta;
use crate::slot::{Provenance, RequestId, ScopeId, SignatureId, Slot};
use crate::wire::few;

/// One item of a stream.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Compute something.
    Apply(Instruction),
    /// These values are needed no more, and their slots may be named anew.
    Free(SmallVec<[Slot; 4]>),
    /// A value from the client.
    Upload {
        /// Its name.
        out: Slot,
        /// Its dtype and shape.
        meta: Meta,
        /// Its elements, row by row.
        data: Bytes,
        /// Where the user asked for it.
        provenance: Provenance,
    },
    /// A value from the client whose elements travel apart, straight to the worker that gets it.
    Announce {
        /// Its name.
        out: Slot,
        /// Its dtype and shape.
        meta: Meta,
        /// The client's number for the elements.
        number: u32,
        /// Where the user asked for it.
        provenance: Provenance,
    },
    /// Send the value to the client.
    Read {
        /// The value.
        slot: Slot,
        /// The number of the request.
        request: RequestId,
    },
    /// Tell the client the dtype and shape of a value whose shape depends on data.
    Describe {
        /// The value.
        slot: Slot,
        /// The number of the request.
        request: RequestId,
    },
    /// Tell the client that everything before this is done, or what failed.
    Sync {
        /// The number of the request.
        request: RequestId,
    },
    /// Tell the client something that only the dispatcher knows, as text.
    Ask {
        /// What.
        question: Question,
        /// The number of the request.
        request: RequestId,
    },
    /// A signal within another scope gets a number, the next one.
    DefineScope {
        /// The number.
        scope: ScopeId,
        /// What is around it.
        parent: ScopeId,
        /// The name of the signal.
        name: Box<str>,
        /// Where it wants its values, if it wants them anywhere. What is around it has its say
        /// otherwise.
        wish: Option<Wish>,
    },
    /// What follows belongs to this scope.
    Scope(ScopeId),
    /// Dispatcher to worker: a value that the client hands over.
    Receive {
        /// Its name here.
        out: Slot,
        /// The number of this transfer on both sides.
        tag: u64,
        /// Where the user asked for it.
        provenance: Provenance,
    },
    /// Dispatcher to workers: how those of a mesh share instructions gets a number, the next one.
    DefineSignature {
        /// The number.
        number: SignatureId,
        /// How they share them.
        signature: Signature,
    },
    /// Dispatcher to workers: what follows in this batch is shared so.
    Signature(SignatureId),
    /// Dispatcher to workers: parts of a value go from those that have them to those that get them.
    Move(Box<Move>),
    /// Dispatcher to worker: report whether something has failed here. The failure stays.
    Report {
        /// The failure barrier that the report belongs to.
        barrier: u64,
    },
    /// Dispatcher to worker: as [`Command::Report`], and for whatever reason something has failed:
    /// other workers must not replace their copies of a value if one of them cannot. Then wait for
    /// the verdict: the results have failed on all workers if one of them has failed on any.
    Vote {
        /// The failure barrier that the report belongs to.
        barrier: u64,
        /// The results that are to take the places of others.
        slots: SmallVec<[Slot; 3]>,
        /// Whether to report checksums of them, because all workers should have the same bits.
        compare: bool,
    },
    /// Dispatcher to worker: as [`Command::Report`]; then the failure counts as reported to the
    /// client, and values are replaced again.
    Settle {
        /// The failure barrier that the report belongs to.
        barrier: u64,
        /// What to wait for before the report.
        after: After,
    },
    /// Dispatcher to worker: before anything after this is replaced or read, wait for the verdict
    /// of a failure barrier.
    Wait {
        /// The failure barrier.
        barrier: u64,
    },
}

impl Command {
    /// Whether a client or another worker waits for what comes of it, so that no stage may hold it
    /// back.
    pub fn is_awaited(&self) -> bool {
        match self {
            Command::Read { .. }
            | Command::Describe { .. }
            | Command::Sync { .. }
            | Command::Move(_)
            | Command::Report { .. }
            | Command::Vote { .. }
            | Command::Settle { .. } => true,
            Command::Apply(_)
            | Command::Free(_)
            | Command::Upload { .. }
            | Command::Announce { .. }
            | Command::Receive { .. }
            | Command::Wait { .. }
            | Command::Ask { .. }
            | Command::DefineScope { .. }
            | Command::DefineSignature { .. }
            | Command::Signature(_)
            | Command::Scope(_) => false,
        }
    }
}

/// What a worker waits for before it reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// What data can make fail. Memory for what waits for others may still run out.
    Risks,
    /// Everything, because the client waits until it is done.
    Everything,
}

/// What a client asks the dispatcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Where a value is.
    Placement(Slot),
    /// How many bytes went from which worker to which: `from to bytes`, a line each.
    Moved,
    /// How many commands each worker was given, `worker 0 commands 12`, and what the modifiers
    /// of the stream have done, `shard cut 3`: a line each.
    Stats,
    /// The values that nobody has any more: how many there are, and then `slot provenance meta`,
    /// a line each, for the largest of them.
    Lost,
}

/// `t9 := move t3`: a value becomes another one with the same elements elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Move {
    /// The name of the value where it goes.
    pub out: Slot,
    /// Its name where it is.
    pub slot: Slot,
    /// Its dtype and shape.
    pub meta: Meta,
    /// Where it is.
    pub from: Placement,
    /// Where it goes.
    pub to: Placement,
    /// The number of the first transfer between workers; the others follow.
    pub tag: u64,
}

/// `t2 := add t0 t1`: results, operation, inputs, attributes. Nothing else has an effect on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// The operation.
    pub op: &'static Op,
    /// The names of the results.
    pub outputs: SmallVec<[Slot; 1]>,
    /// The inputs.
    pub inputs: SmallVec<[Operand; 3]>,
    /// The attributes, one for each of the row's.
    pub attrs: Attrs,
    /// Values whose places the results take.
    pub replaces: Replaces,
    /// Where in the user's program it came from.
    pub provenance: Provenance,
}

/// For each result the value whose place it takes, if it takes one: the name of that value ends
/// here, its buffer may be used again, and if the result fails, the result is the old value. Empty
/// if nothing is replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replaces(#[serde(deserialize_with = "few")] pub SmallVec<[Option<Slot>; 1]>);

impl Replaces {
    /// The first result takes the place of a value, if one is given.
    pub fn first(slot: Option<Slot>) -> Self {
        Replaces(slot.map(Some).into_iter().collect())
    }

    /// The value whose place a result takes.
    pub fn get(&self, result: usize) -> Option<Slot> {
        self.0.get(result).copied().flatten()
    }

    /// The values whose places are taken.
    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        self.0.iter().flatten().copied()
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.slots().next().is_none()
    }
}

/// An input of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Operand {
    /// A value.
    Slot(Slot),
    /// A number written in the program.
    Scalar(Scalar),
}

impl Instruction {
    /// The values it reads.
    pub fn read_slots(&self) -> impl Iterator<Item = Slot> {
        self.inputs.iter().filter_map(|input| match input {
            Operand::Slot(slot) => Some(*slot),
            Operand::Scalar(_) => None,
        })
    }
}

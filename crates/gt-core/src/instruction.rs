//! What a client says to the dispatcher, and the dispatcher to a worker.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::attrs::Attrs;
use crate::dtype::Scalar;
use crate::op::Op;
use crate::shape::Meta;
use crate::slot::{Provenance, RequestId, Slot, WorkerId};
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
        /// How the client calls the elements.
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
    /// A named signal begins.
    Enter(Box<str>),
    /// The innermost signal ends.
    Exit,
    /// Dispatcher to worker: hand a value to another worker.
    Send {
        /// The value.
        slot: Slot,
        /// Who gets it.
        to: WorkerId,
        /// What both sides call this transfer.
        tag: u64,
    },
    /// Dispatcher to worker: a value that another worker or the client hands over.
    Receive {
        /// Its name here.
        out: Slot,
        /// What both sides call this transfer.
        tag: u64,
        /// Where the user asked for it.
        provenance: Provenance,
    },
    /// Dispatcher to worker: report whether something has failed here. The failure stays.
    Report {
        /// The failure barrier that the report belongs to.
        barrier: u64,
    },
    /// Dispatcher to worker: as [`Command::Report`]; then the failure counts as told to the client,
    /// and values are replaced again.
    Settle {
        /// The failure barrier that the report belongs to.
        barrier: u64,
    },
    /// Dispatcher to worker: before anything after this is replaced or read, wait for the verdict
    /// of a failure barrier.
    Wait {
        /// The failure barrier.
        barrier: u64,
    },
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

//! The messages between clients, the dispatcher and workers.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use gt_core::event::{Detail, Events, Spans};
use gt_core::wire::few;
use gt_core::{Error, Meta, Provenance, RequestId, SessionId, Slot, WorkerId};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::batch::Batch;
use crate::hello::{Hello, Welcome, WorkerInfo};
use crate::order::Order;
use crate::report::{Channels, MemoryUsage, Report, ValuesReport};
use crate::share::Share;
use crate::ticket::{Key, Ticket};

/// Who sends or gets a message, as the dispatcher sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Peer {
    /// A client's session.
    Client(SessionId),
    /// A worker.
    Worker(WorkerId),
    /// What carries values that find no other way, beside the dispatcher.
    Relay,
}

impl Peer {
    /// The peer as bytes of one length.
    pub fn to_bytes(self) -> [u8; 9] {
        let (kind, number) = match self {
            Peer::Client(session) => (1, session.0),
            Peer::Worker(worker) => (2, u64::from(worker.0)),
            Peer::Relay => (3, 0),
        };
        let mut bytes = [kind; 9];
        bytes[1..].copy_from_slice(&number.to_le_bytes());
        bytes
    }

    /// The peer that has these bytes.
    pub fn from_bytes(bytes: &[u8; 9]) -> Option<Peer> {
        let number = u64::from_le_bytes(bytes[1..].try_into().expect("eight bytes"));
        match bytes[0] {
            1 => Some(Peer::Client(SessionId(number))),
            2 => u32::try_from(number).ok().map(|number| Peer::Worker(WorkerId(number))),
            3 if number == 0 => Some(Peer::Relay),
            _ => None,
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Peer::Client(session) => write!(f, "the client of {session}"),
            Peer::Worker(worker) => write!(f, "worker {worker}"),
            Peer::Relay => f.write_str("the relay"),
        }
    }
}

/// A message. Directions are given for each; whoever gets one from the wrong side ends the peer.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Client to dispatcher: open a session, or go on with one.
    Hello(Hello),
    /// Dispatcher to client: the session is open.
    Welcome(Welcome),
    /// Client to dispatcher: the session is over; everything it holds can go.
    Bye,
    /// Worker to dispatcher: ready for work.
    Register(Box<WorkerInfo>),
    /// Dispatcher to worker: it is taken on.
    Registered {
        /// Its number from now on.
        worker: WorkerId,
        /// What those who bring or fetch tensor data prove that they know of.
        key: Key,
    },
    /// Anybody, once a second: still here.
    Heartbeat {
        /// How many messages of the other side have arrived.
        received: u64,
        /// Worker to dispatcher: bytes that its values take.
        used_bytes: u64,
    },
    /// Client to dispatcher: the next commands of its stream.
    /// Dispatcher to worker: the next commands of the session's stream there.
    Commands {
        /// Whose they are. A client's own word for it is not believed.
        session: SessionId,
        /// The commands. Workers of a mesh share what is the same for all of them.
        batch: Arc<Batch>,
    },
    /// Worker to dispatcher, dispatcher to client: the answer to a read.
    Answer {
        /// Whose read it was.
        session: SessionId,
        /// Which read it was.
        request: RequestId,
        /// The value, or why there is none.
        result: Result<Value, Arc<Failure>>,
    },
    /// Worker to dispatcher: an instruction failed. Sent once for each first cause, for the log;
    /// the client learns of it from the answer to its next read.
    Failed {
        /// Whose instruction it was.
        session: SessionId,
        /// What happened.
        failure: Arc<Failure>,
    },
    /// Worker to dispatcher: what has failed here, if something has and the client was not told.
    FailureReport {
        /// Whose stream.
        session: SessionId,
        /// Which barrier asked for it.
        barrier: u64,
        /// What has failed.
        failure: Option<Arc<Failure>>,
        /// The values that it asked to compare, if none of them has failed.
        checksums: SmallVec<[Checksum; 3]>,
    },
    /// Dispatcher to worker: what the workers of a barrier reported, together.
    FailureVerdict {
        /// Whose stream.
        session: SessionId,
        /// Which barrier is complete.
        barrier: u64,
        /// What has failed.
        failure: Option<Arc<Failure>>,
        /// Whether the client knows of it: then it harms only the results that were voted on.
        told: bool,
    },
    /// Worker to dispatcher, dispatcher to client: so much of a stream is done.
    Done {
        /// Whose stream.
        session: SessionId,
        /// How many commands.
        commands: u64,
        /// How many bytes they took while they waited.
        bytes: u64,
        /// How long they took.
        busy_ns: u64,
    },
    /// Client to dispatcher to worker: the client no longer waits for anything that it asked for so
    /// far. Computations that have not begun wait until something needs them.
    Cancel {
        /// The session.
        session: SessionId,
        /// The read whose answer the client has given up.
        request: Option<RequestId>,
    },
    /// Dispatcher to worker, before the session's first commands: results of the session that are
    /// not finite fail, if their inputs are.
    CheckNan {
        /// The session.
        session: SessionId,
    },
    /// Dispatcher to worker, before the session's first commands and when it changes: how much of
    /// the worker's time the session gets. One of which this was not said is a user of its own.
    Share {
        /// The session.
        session: SessionId,
        /// Its part.
        share: Share,
    },
    /// Dispatcher to worker: nothing is heard of the client of a session, which may come back, or
    /// it has come back. What is to travel between the two waits meanwhile.
    Away {
        /// The session.
        session: SessionId,
        /// Whether nothing is heard of it.
        is_away: bool,
    },
    /// Dispatcher to worker: measure how long each command takes, or do so no longer.
    Record {
        /// Whether to.
        on: bool,
    },
    /// Worker to dispatcher, before it says that they are done: how long commands took.
    Spans {
        /// Whose they are.
        session: SessionId,
        /// How long they took.
        spans: Box<Spans>,
    },
    /// Client to dispatcher: send the events of the session; if they are sent, those so far and
    /// then a list of none; with no messages, nothing after that. Anybody else to dispatcher: send
    /// so many more messages with events; what does not fit into these is left out and counted.
    Observe {
        /// How many messages.
        messages: u32,
        /// What is to be in them; clients are told everything.
        detail: Detail,
    },
    /// Dispatcher to client or to whoever observes: what has happened.
    Events(Arc<Events>),
    /// Worker to worker: a value that both sides call `tag`.
    Handover {
        /// Whose value it is.
        session: SessionId,
        /// Who gets it.
        to: WorkerId,
        /// What both sides call it.
        tag: u64,
        /// Its dtype and shape, also if it failed.
        meta: Meta,
        /// Its elements, row by row, or why there are none.
        result: Result<Bytes, Arc<Failure>>,
    },
    /// Dispatcher to client or worker: leave to move one value.
    Ticket(Box<Ticket>),
    /// Client to dispatcher, dispatcher to worker: what does the session hold?
    MemoryQuery {
        /// The session.
        session: SessionId,
        /// The number of the request.
        request: RequestId,
        /// How many workers are asked.
        parts: u32,
    },
    /// Worker to dispatcher, dispatcher to client: one worker's answer.
    MemoryReply {
        /// The session.
        session: SessionId,
        /// The number of the request.
        request: RequestId,
        /// How many workers were asked.
        parts: u32,
        /// What the session holds there.
        usage: Box<MemoryUsage>,
    },
    /// Worker to dispatcher: what travelled between it and others.
    Channels(Channels),
    /// Anybody to dispatcher: who is there, and what waits?
    StatusRequest,
    /// Dispatcher to whoever inquired.
    Report(Box<Report>),
    /// The operator to dispatcher: do this. It is answered with a report.
    Order(Order),
    /// Whoever observes to dispatcher: where are the values?
    ValuesRequest,
    /// Dispatcher to whoever asked that.
    Values(Box<ValuesReport>),
    /// Dispatcher to worker: forget everything of this session.
    Forget {
        /// The session.
        session: SessionId,
    },
    /// Dispatcher to client: the session ended, and why. Worker to dispatcher: it cannot go on with
    /// the session.
    Ended {
        /// The session.
        session: SessionId,
        /// Why.
        error: Error,
    },
}

impl Message {
    /// Asks for so many messages with every event.
    pub fn observe(messages: u32) -> Message {
        Message::Observe { messages, detail: Detail::Each }
    }
}

/// A value outside of a worker.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Its dtype and shape.
    pub meta: Meta,
    /// Its elements, row by row.
    pub data: Bytes,
}

/// An instruction that failed. Whatever depends on it fails with the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// Which failure it is.
    pub id: FailureId,
    /// What went wrong.
    pub error: Error,
    /// The instruction in its text form.
    pub instruction: String,
    /// The value it would have made.
    pub slot: Slot,
    /// Where in the user's program it came from.
    pub provenance: Provenance,
    /// Who held the most memory, if there was too little.
    #[serde(deserialize_with = "few")]
    pub holders: SmallVec<[Holder; 4]>,
}

impl Failure {
    /// The answer to a read that the client has given up. Nothing has failed.
    pub fn given_up() -> Self {
        Failure {
            id: FailureId::NONE,
            error: Error::Interrupted,
            instruction: String::new(),
            slot: Slot(0),
            provenance: Provenance::UNKNOWN,
            holders: SmallVec::new(),
        }
    }

    /// Whether it is [`Failure::given_up`].
    pub fn is_given_up(&self) -> bool {
        self.error == Error::Interrupted
    }
}

/// The bits of a value in short, to compare copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checksum {
    /// The sum.
    pub sum: u64,
    /// Where in the user's program the value came from.
    pub provenance: Provenance,
}

/// One failure among all of a session: who it happened to, and how many happened there before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FailureId {
    /// The worker, as the session's dispatcher counts them.
    pub worker: u32,
    /// How many failures came before it on that worker.
    pub number: u64,
}

impl FailureId {
    /// Something that did not happen to a worker's instruction, such as a transfer that broke.
    pub const NONE: FailureId = FailureId { worker: u32::MAX, number: 0 };
}

/// Memory that the values of one line of the user's program hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Where in the user's program they were made.
    pub provenance: Provenance,
    /// How many bytes they take.
    pub bytes: u64,
}

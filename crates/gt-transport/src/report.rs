//! What a running system tells of itself: who is there, what waits, and who holds memory.

use gt_core::placement::Placement;
use gt_core::wire::some;
use gt_core::{DType, Meta, Provenance, Result, SessionId, Slot, WorkerId};
use serde::{Deserialize, Serialize};

use crate::Peer;
use crate::hello::WorkerInfo;
use crate::share::Share;

/// A dispatcher at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The version of GT that it runs.
    pub version: String,
    /// How long it has been running.
    pub uptime_ns: u64,
    /// Its workers, the first few hundred.
    #[serde(deserialize_with = "some")]
    pub workers: Vec<WorkerReport>,
    /// Its sessions, the first few hundred.
    #[serde(deserialize_with = "some")]
    pub sessions: Vec<SessionReport>,
    /// Messages and bytes that passed through it.
    pub traffic: Traffic,
}

/// One worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerReport {
    /// Its number.
    pub id: WorkerId,
    /// What it told of itself.
    pub info: WorkerInfo,
    /// How long ago it was heard of.
    pub silent_ns: u64,
    /// Bytes that its values take.
    pub used_bytes: u64,
    /// Commands that were sent to it and are not done.
    pub queued: u64,
    /// Whether nothing new goes there.
    pub is_drained: bool,
    /// Its channels to other processes, the first few.
    #[serde(deserialize_with = "some")]
    pub channels: Vec<ChannelTraffic>,
}

/// The way that tensor data takes between two processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Road {
    /// Shared memory on one host.
    Memory,
    /// Sealed, over TCP.
    Tcp,
    /// Sealed, by the relay.
    Relay,
}

/// What travelled between a process and another one, apart from messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelTraffic {
    /// The other one.
    pub peer: Peer,
    /// The way that was taken last.
    pub road: Road,
    /// Bytes of values that came.
    pub bytes_in: u64,
    /// Bytes of values that left.
    pub bytes_out: u64,
    /// Those of the bytes that came which followed others without a pause …
    pub timed_bytes: u64,
    /// … and how long they took.
    pub timed_ns: u64,
}

impl ChannelTraffic {
    /// A channel that has not carried anything.
    pub fn new(peer: Peer, road: Road) -> Self {
        ChannelTraffic { peer, road, bytes_in: 0, bytes_out: 0, timed_bytes: 0, timed_ns: 0 }
    }
}

/// The channels of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channels {
    /// At most a few hundred of them.
    #[serde(deserialize_with = "some")]
    pub list: Vec<ChannelTraffic>,
}

/// One session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionReport {
    /// Its number.
    pub id: SessionId,
    /// What its client is called.
    pub name: String,
    /// Who it belongs to.
    pub user: String,
    /// The host of its client.
    pub host: String,
    /// How long ago it was opened.
    pub age_ns: u64,
    /// How much of the workers' time it gets.
    pub share: Share,
    /// Whether its client is connected at the moment.
    pub connected: bool,
    /// How long ago it was heard of.
    pub silent_ns: u64,
    /// Its workers, in the order in which the session numbers them.
    #[serde(deserialize_with = "some")]
    pub workers: Vec<Option<WorkerId>>,
    /// Values that it has.
    pub values: u64,
    /// Commands that it sent and that are not done.
    pub queued: u64,
    /// What the modifiers of its stream have done.
    pub modifiers: Modifiers,
}

/// What the modifiers of a session's stream have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Modifiers {
    /// Instructions whose results a signal wanted somewhere.
    pub signal_placed: u64,
    /// Instructions that workers shared.
    pub shard_cut: u64,
    /// Instructions that all workers of a mesh computed.
    pub shard_copied: u64,
    /// Instructions that one worker computed.
    pub shard_whole: u64,
    /// Pieces of values that went from one worker to another.
    pub reshard_moves: u64,
    /// Their bytes.
    pub reshard_bytes: u64,
}

impl Modifiers {
    /// The numbers with the names of modifiers and of what they count.
    pub fn list(&self) -> [(&'static str, &'static str, u64); 6] {
        [
            ("signal", "placed", self.signal_placed),
            ("shard", "cut", self.shard_cut),
            ("shard", "copied", self.shard_copied),
            ("shard", "whole", self.shard_whole),
            ("reshard", "moves", self.reshard_moves),
            ("reshard", "bytes", self.reshard_bytes),
        ]
    }
}

/// What passed through a dispatcher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// Messages that came.
    pub messages: u64,
    /// Commands that came.
    pub commands: u64,
    /// Messages that were refused.
    pub refused: u64,
    /// Pieces of tensor data inside messages that came.
    pub payloads: u64,
    /// The largest of them, in bytes.
    pub largest_payload: u64,
    /// Bytes of tensor data that the relay carried.
    pub relayed_bytes: u64,
}

/// What a session holds on one worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryUsage {
    /// Bytes that all values there take, those of other sessions included.
    pub used_bytes: u64,
    /// Bytes kept for later use.
    pub cached_bytes: u64,
    /// The most bytes that were in use at one time.
    pub peak_bytes: u64,
    /// The most bytes that may be in use.
    pub limit_bytes: u64,
    /// How many values of the session were ever stored.
    pub stored: u64,
    /// The session's bytes by dtype and line.
    #[serde(deserialize_with = "some")]
    pub holdings: Vec<(DType, Provenance, u64)>,
}

/// Where values are, the largest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValuesReport {
    /// The largest of those that were looked at.
    #[serde(deserialize_with = "some")]
    pub list: Vec<ValueReport>,
    /// How many values are not in the list.
    pub left_out: u64,
}

/// Where one value is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueReport {
    /// Whose it is.
    pub session: SessionId,
    /// What the session calls it.
    pub slot: Slot,
    /// Its dtype and shape.
    pub meta: Meta,
    /// Workers that have all of it.
    #[serde(deserialize_with = "some")]
    pub whole: Vec<WorkerId>,
    /// The meshes that it is on.
    #[serde(deserialize_with = "some")]
    pub meshes: Vec<Placement>,
}

impl ValuesReport {
    /// The same, if what it speaks of are tensors, and placements that fit them.
    pub(crate) fn checked(mut self: Box<Self>) -> Result<Box<Self>> {
        for one in &mut self.list {
            one.meta.shape = one.meta.shape.clone().checked(one.meta.dtype)?;
            one.meshes.iter().try_for_each(|placement| placement.check(&one.meta.shape))?;
        }
        Ok(self)
    }
}

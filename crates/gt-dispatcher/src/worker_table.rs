//! The workers that are there, and which of them a session gets.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use gt_core::WorkerId;
use gt_transport::hello::WorkerInfo;
use gt_transport::report::Channels;

/// The workers, by their numbers.
#[derive(Debug, Default)]
pub struct WorkerTable {
    members: BTreeMap<WorkerId, Member>,
}

/// A worker.
#[derive(Debug)]
pub struct Member {
    /// What it told of itself.
    pub info: WorkerInfo,
    /// How many sessions have it.
    pub sessions: usize,
    /// Bytes that its values take, as it said last.
    pub used_bytes: u64,
    /// Whether nothing new goes there.
    pub is_drained: bool,
    /// Its channels to other processes, as it said last.
    pub channels: Channels,
}

impl Member {
    /// Bytes that are not in use, as far as is known.
    pub fn free_bytes(&self) -> u64 {
        self.info.memory_bytes.saturating_sub(self.used_bytes)
    }
}

impl WorkerTable {
    /// A worker is there.
    pub fn join(&mut self, worker: WorkerId, info: WorkerInfo) {
        let (sessions, used_bytes, channels) = (0, 0, Channels::default());
        let member = Member { info, sessions, used_bytes, is_drained: false, channels };
        self.members.insert(worker, member);
    }

    /// A worker is gone.
    pub fn leave(&mut self, worker: WorkerId) -> Option<Member> {
        self.members.remove(&worker)
    }

    /// A worker, if it is there.
    pub fn get(&self, worker: WorkerId) -> Option<&Member> {
        self.members.get(&worker)
    }

    /// A worker, if it is there.
    pub fn get_mut(&mut self, worker: WorkerId) -> Option<&mut Member> {
        self.members.get_mut(&worker)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// All of them.
    pub fn members(&self) -> impl Iterator<Item = (WorkerId, &Member)> {
        self.members.iter().map(|(&id, member)| (id, member))
    }

    /// Those that something new goes to.
    fn takers(&self) -> impl Iterator<Item = (WorkerId, &Member)> {
        self.members().filter(|(_, member)| !member.is_drained)
    }

    /// At most `wanted` workers for a new session: those that the fewest sessions have, in the
    /// order of their numbers.
    pub fn engage(&mut self, wanted: Option<usize>) -> Vec<WorkerId> {
        let mut by_load: Vec<WorkerId> = self.takers().map(|(id, _)| id).collect();
        if let Some(wanted) = wanted {
            by_load.sort_by_key(|id| (self.members[id].sessions, *id));
            by_load.truncate(wanted);
            by_load.sort();
        }
        for id in &by_load {
            self.members.get_mut(id).into_iter().for_each(|member| member.sessions += 1);
        }
        by_load
    }

    /// The worker that the fewest sessions have, but for these.
    pub fn least_shared(&self, but: impl Iterator<Item = WorkerId>) -> Option<WorkerId> {
        let but: Vec<WorkerId> = but.collect();
        let others = self.takers().filter(|(id, _)| !but.contains(id));
        others.min_by_key(|(id, member)| (member.sessions, *id)).map(|(id, _)| id)
    }

    /// The worker with the most memory free, but for these.
    pub fn roomiest(&self, but: impl Iterator<Item = WorkerId>) -> Option<WorkerId> {
        let but: Vec<WorkerId> = but.collect();
        let others = self.takers().filter(|(id, _)| !but.contains(id));
        others.max_by_key(|(id, member)| (member.free_bytes(), Reverse(*id))).map(|(id, _)| id)
    }

    /// A session is over, or a worker joined it.
    pub fn count(&mut self, worker: WorkerId, more: isize) {
        if let Some(member) = self.members.get_mut(&worker) {
            member.sessions = member.sessions.saturating_add_signed(more);
        }
    }
}

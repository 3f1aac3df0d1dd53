//! The workers of a session, and how much of their time and memory it gets.

use gt_core::{Result, WorkerId};
use gt_transport::share::Share;
use gt_transport::{Message, Peer};

use super::Session;
use crate::outbox::Outbox;
use crate::registry::VALUE_BYTES;
use crate::worker_table::WorkerTable;

/// About what the dispatcher keeps of a session besides its values.
const SESSION_BYTES: usize = 64 << 10;

impl Session {
    /// The workers it has, in the order in which it numbers them.
    pub fn workers(&self) -> impl Iterator<Item = WorkerId> {
        self.seats.workers()
    }

    /// The same, with the seats of those that left.
    pub fn seats(&self) -> &[Option<WorkerId>] {
        self.seats.all()
    }

    /// The worker where what is computed whole stays, once there was something.
    pub fn home(&self) -> Option<WorkerId> {
        self.home
    }

    /// Takes a worker, if it wants more; says whether it did.
    pub fn engage(&mut self, worker: WorkerId) -> bool {
        let vacancy = self.seats.vacancy();
        vacancy.into_iter().for_each(|number| self.seat(number, worker));
        vacancy.is_some()
    }

    /// Gives a place that is vacant to a worker.
    pub(super) fn seat(&mut self, number: usize, worker: WorkerId) {
        self.seats.sit(number, worker);
        self.move_scopes();
        if let Some(share) = self.share {
            let share = Message::Share { session: self.id, share };
            self.letters.push((Peer::Worker(worker), share));
        }
        if self.is_away {
            let away = Message::Away { session: self.id, is_away: true };
            self.letters.push((Peer::Worker(worker), away));
        }
        if self.checks_nan {
            let check = Message::CheckNan { session: self.id };
            self.letters.push((Peer::Worker(worker), check));
        }
    }

    /// How much of the workers' time and memory it gets.
    pub fn share(&self) -> Share {
        self.share.unwrap_or_default()
    }

    /// An error if its values take more memory of this process than it may hold on its workers.
    pub fn check_room(&self, workers: &WorkerTable) -> Result<()> {
        self.registry.check_room(|| {
            // Zero bytes means that the memory of a worker is not known.
            let memory = |worker| {
                let total = workers.get(worker).map_or(0, |member| member.info.memory_bytes);
                let total = usize::try_from(total).unwrap_or(usize::MAX);
                let total = if total == 0 { usize::MAX } else { total };
                self.share().memory.of(total).min(total) as u64
            };
            // Without workers the session waits for others, and keeps what it has named.
            self.workers().map(memory).reduce(u64::saturating_add).unwrap_or(u64::MAX)
        })
    }

    /// About how many bytes of this process it holds.
    pub fn held_bytes(&self) -> usize {
        SESSION_BYTES + self.registry.len() * VALUE_BYTES
    }

    /// It gets so much from now on, and of memory no more than it asked for; its workers are told.
    pub fn set_share(&mut self, mut share: Share, out: &mut Outbox) {
        share.memory.bytes = share.memory.bytes.min(self.wanted_bytes.unwrap_or(u64::MAX));
        if self.share.replace(share) == Some(share) {
            return;
        }
        // A letter that a worker has not got would say what held before.
        self.letters.retain(|(_, letter)| !matches!(letter, Message::Share { .. }));
        for worker in self.seats.busy() {
            out.send(Peer::Worker(worker), Message::Share { session: self.id, share });
        }
    }

    /// Nothing is heard of its client, or something is heard again; its workers are told.
    pub fn set_away(&mut self, is_away: bool, out: &mut Outbox) {
        if std::mem::replace(&mut self.is_away, is_away) == is_away {
            return;
        }
        self.letters.retain(|(_, letter)| !matches!(letter, Message::Away { .. }));
        for worker in self.seats.busy() {
            out.send(Peer::Worker(worker), Message::Away { session: self.id, is_away });
        }
    }

    /// Its workers are others than before. A session whose placements are used up goes on with
    /// values that are whole.
    pub(super) fn move_scopes(&mut self) {
        drop(self.scopes.move_to(self.seats.all(), &mut self.registry.placements));
    }
}

//! Mistakes that simulated workers can be made to make. Each is a way to wait for one another
//! without end, and tests see that a simulated cluster finds it.

use std::collections::{BTreeMap, HashMap, HashSet};

use gt_core::instruction::Command;
use gt_core::placement::pieces;
use gt_core::{SessionId, WorkerId};
use gt_transport::ticket::{Role, Ticket};
use gt_transport::transfers::{Buffer, Event};
use gt_transport::{Message, Peer};
use gt_worker::Told;

use super::calls::{Call, Calls};
use super::{Cluster, WorkerProcess};

/// A mistake in how workers wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// A worker has one credit for the values of all sessions, and lends it before a value is
    /// ready. Workers prefer different sessions.
    SharedCredit,
    /// A worker that has given its pieces of a move runs nothing until it has those that it gets.
    HeldExecutor,
}

type Waiting = (Box<Ticket>, Option<Box<dyn Buffer>>);

/// One credit for all values that come to a worker.
#[derive(Default)]
pub(super) struct Credit {
    /// The value that has it.
    lent: Option<(u64, SessionId)>,
    /// The values that wait for it, by session and age.
    waiting: BTreeMap<(SessionId, u64), Waiting>,
}

impl Credit {
    /// A transfer has ended.
    pub fn ended(&mut self, event: &Event) {
        let (Event::Arrived { tag, .. } | Event::Failed { tag, .. }) = event else { return };
        self.cancel(*tag);
    }

    fn cancel(&mut self, tag: u64) {
        self.waiting.retain(|(_, waiting), _| *waiting != tag);
        self.lent.take_if(|(lent, _)| *lent == tag);
    }

    fn forget(&mut self, session: SessionId) {
        self.waiting.retain(|(waiting, _), _| *waiting != session);
        self.lent.take_if(|(_, lent)| *lent == session);
    }

    /// The oldest value of the session that this worker prefers gets the credit, if it is free.
    fn lend(&mut self, worker: WorkerId) -> Option<Call> {
        if self.lent.is_some() {
            return None;
        }
        let mut sessions = self.waiting.keys().map(|(session, _)| *session);
        let preferred =
            if worker.0.is_multiple_of(2) { sessions.next() } else { sessions.next_back() };
        let session = preferred?;
        let (&key, _) = self.waiting.range((session, 0)..).next()?;
        let (ticket, buffer) = self.waiting.remove(&key)?;
        self.lent = Some((ticket.tag, session));
        Some(Call::Ticket(ticket, buffer))
    }
}

/// What an executor that is held waits for.
#[derive(Default)]
pub(super) struct Hold {
    /// For each piece that the worker gives those that it gets in the same move.
    gets: HashMap<u64, Vec<u64>>,
    arrived: HashSet<u64>,
    awaited: Vec<u64>,
}

impl Hold {
    /// Whether the executor runs nothing.
    pub fn is_on(&self) -> bool {
        !self.awaited.is_empty()
    }

    /// The worker is told something.
    pub fn hear(&mut self, worker: WorkerId, told: &Told) {
        match told {
            Told::Message(Message::Handover { tag, .. }) => {
                self.arrived.insert(*tag);
                self.awaited.retain(|awaited| awaited != tag);
            }
            Told::Message(Message::Commands { batch, .. }) => {
                for command in batch.commands() {
                    if let Command::Move(moved) = command.expect("the dispatcher's own") {
                        self.expect(worker, &moved);
                    }
                }
            }
            _ => {}
        }
    }

    fn expect(&mut self, worker: WorkerId, moved: &gt_core::instruction::Move) {
        let pieces = pieces(&moved.from, &moved.to, &moved.meta.shape).expect("one move");
        let travelling = pieces.into_iter().filter(|piece| piece.from != piece.to);
        let tagged: Vec<_> = (moved.tag..).zip(travelling).collect();
        let gets = tagged.iter().filter(|(_, piece)| piece.to == worker).map(|(tag, _)| *tag);
        let gets: Vec<u64> = gets.collect();
        let gives = tagged.iter().filter(|(_, piece)| piece.from == worker);
        self.gets.extend(gives.map(|(tag, _)| (*tag, gets.clone())));
    }

    /// The worker says something; if it gives a piece of a move, its executor is held.
    pub fn say(&mut self, message: &Message) {
        let Message::Handover { tag, .. } = message else { return };
        let gets = self.gets.remove(tag).into_iter().flatten();
        self.awaited.extend(gets.filter(|tag| !self.arrived.contains(tag)));
    }
}

impl Cluster {
    /// What the data plane of a process is told, less what waits for the credit.
    pub(super) fn by_credit(&mut self, peer: Peer, calls: Calls) -> Calls {
        let Peer::Worker(worker) = peer else { return calls };
        let is_it = |process: &&mut WorkerProcess| process.id == Some(worker);
        let process = self.workers.values_mut().find(is_it);
        let Some(credit) = process.and_then(|process| process.credit.as_mut()) else {
            return calls;
        };
        let mut passed = Vec::new();
        for call in calls.0 {
            match call {
                Call::Ticket(ticket, buffer) if matches!(ticket.role, Role::Receive) => {
                    credit.waiting.insert((ticket.session, ticket.tag), (ticket, buffer));
                    continue;
                }
                Call::Cancel(tag) => credit.cancel(tag),
                Call::Forget(session) => credit.forget(session),
                Call::Ticket(..) | Call::Send(..) | Call::Away(..) => {}
            }
            passed.push(call);
        }
        passed.extend(credit.lend(worker));
        Calls(passed)
    }
}

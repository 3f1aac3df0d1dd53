//! What waits for what: clients for answers, sessions for workers, workers for each other.

use std::collections::{BTreeMap, BTreeSet};

use gt_core::event::{Event, Station};
use gt_core::record::Record;
use gt_core::{SessionId, WorkerId};
use gt_transport::batch::logged;
use serde_json::{Value, json};

use crate::kind::Kind;
use crate::top::is_request;

/// So many requests and so many transfers are remembered.
const MOST: usize = 1 << 12;
/// So many of each are shown, those that have waited the longest.
const SHOWN: usize = 32;

/// Everything that is not done.
#[derive(Debug, Default)]
pub(super) struct Waits {
    /// Commands whose clients wait for an answer.
    requests: BTreeMap<(SessionId, u64), Open>,
    /// How many commands of a session a worker has to do.
    pending: BTreeMap<(SessionId, WorkerId), u64>,
    /// Commands by which values come from worker to worker.
    transfers: BTreeMap<(SessionId, u64), Transfer>,
}

/// A command that is not done.
#[derive(Debug)]
struct Open {
    since_ns: u64,
    record: Record,
}

#[derive(Debug)]
struct Transfer {
    open: Open,
    beside: Box<[u8]>,
    waiting: BTreeSet<WorkerId>,
    done: BTreeSet<WorkerId>,
}

impl Waits {
    /// Takes in an event.
    pub(super) fn take(&mut self, event: &Event, beside: &[u8]) {
        let session = SessionId(event.session);
        let command = (session, event.instruction);
        let open = || Open { since_ns: event.time_ns, record: event.record };
        match (event.station(), event.worker()) {
            (Some(Station::Received), _) if is_request(event) && self.requests.len() < MOST => {
                self.requests.insert(command, open());
            }
            (Some(Station::Answered), _) => drop(self.requests.remove(&command)),
            (Some(Station::Sent), Some(worker)) => {
                *self.pending.entry((session, worker)).or_default() += 1;
                if Kind::of_record(&event.record) == Kind::Transfer && self.transfers.len() < MOST {
                    let begin = || Transfer::begin(open(), beside);
                    let transfer = self.transfers.entry(command).or_insert_with(begin);
                    transfer.waiting.insert(worker);
                }
            }
            (Some(Station::Ended), Some(worker)) => self.end(event, command, worker),
            (Some(Station::Disconnected), None) => self.forget(|of, _| of == session),
            (Some(Station::Disconnected), Some(gone)) => {
                self.forget(|_, worker| worker == Some(gone));
            }
            _ => {}
        }
    }

    fn end(&mut self, event: &Event, command: (SessionId, u64), worker: WorkerId) {
        if let Some(count) = self.pending.get_mut(&(command.0, worker)) {
            *count = count.saturating_sub(1);
        }
        if Kind::of_record(&event.record) != Kind::Transfer {
            return;
        }
        let Some(transfer) = self.transfers.get_mut(&command) else { return };
        if transfer.waiting.remove(&worker) {
            transfer.done.insert(worker);
        }
        if transfer.waiting.is_empty() {
            self.transfers.remove(&command);
        }
    }

    /// Forgets what belongs to a session or a worker.
    fn forget(&mut self, is_gone: impl Fn(SessionId, Option<WorkerId>) -> bool) {
        self.requests.retain(|(session, _), _| !is_gone(*session, None));
        self.pending.retain(|(session, worker), _| !is_gone(*session, Some(*worker)));
        for ((session, _), transfer) in &mut self.transfers {
            transfer.waiting.retain(|worker| !is_gone(*session, Some(*worker)));
        }
        self.transfers.retain(|_, transfer| !transfer.waiting.is_empty());
    }

    /// All of it.
    pub(super) fn json(&self, now_ns: u64) -> Value {
        let mut requests: Vec<_> = self.requests.iter().collect();
        requests.sort_by_key(|(_, open)| open.since_ns);
        let requests = requests.into_iter().take(SHOWN).map(|((session, _), open)| {
            json!({
                "session": session.0,
                "command": open.text(&[]),
                "seconds": open.seconds(now_ns),
                "workers": self.workers_of(*session),
            })
        });
        let mut transfers: Vec<_> = self.transfers.iter().collect();
        transfers.sort_by_key(|(_, transfer)| transfer.open.since_ns);
        let transfers = transfers.into_iter().take(SHOWN).map(|((session, _), transfer)| {
            json!({
                "session": session.0,
                "command": transfer.open.text(&transfer.beside),
                "seconds": transfer.open.seconds(now_ns),
                "waiting": numbers(&transfer.waiting),
                "done": numbers(&transfer.done),
            })
        });
        let (requests, transfers): (Vec<_>, Vec<_>) = (requests.collect(), transfers.collect());
        json!({ "requests": requests, "transfers": transfers })
    }

    /// The workers that have something to do for a session, and for whom else they have.
    fn workers_of(&self, session: SessionId) -> Vec<Value> {
        let mine = self.pending.range((session, WorkerId(0))..=(session, WorkerId(u32::MAX)));
        let busy = mine.filter(|(_, count)| **count > 0).take(SHOWN);
        busy.map(|(&(_, worker), count)| {
            let others = self
                .pending
                .iter()
                .filter(|((other, at), count)| *at == worker && *other != session && **count > 0);
            let others = others.take(SHOWN).map(|((other, _), count)| json!([other.0, count]));
            let others: Vec<Value> = others.collect();
            json!({ "worker": worker.0, "commands": count, "others": others })
        })
        .collect()
    }
}

impl Transfer {
    fn begin(open: Open, beside: &[u8]) -> Transfer {
        Transfer { open, beside: beside.into(), waiting: BTreeSet::new(), done: BTreeSet::new() }
    }
}

impl Open {
    fn text(&self, beside: &[u8]) -> String {
        logged(&self.record, beside).map_or_else(|_| "a command".to_string(), |one| one.to_string())
    }

    fn seconds(&self, now_ns: u64) -> f64 {
        now_ns.saturating_sub(self.since_ns) as f64 / 1e9
    }
}

fn numbers(workers: &BTreeSet<WorkerId>) -> Vec<u32> {
    workers.iter().map(|worker| worker.0).collect()
}

//! What waits for what: clients for workers, and workers for each other.

use std::collections::{BTreeMap, BTreeSet};

use gt_core::event::{Event, Station};
use gt_core::record::Record;
use gt_core::{SessionId, WorkerId};
use gt_transport::batch::logged;
use serde_json::{Value, json};

use crate::kind::Kind;
use crate::requests::{Request, Requests};

/// So many transfers are remembered.
const MOST: usize = 1 << 12;
/// So many of them, and of requests, are listed, those that have waited the longest.
const SHOWN: usize = 32;

/// Everything that is not done.
#[derive(Debug, Default)]
pub(super) struct Waits {
    /// How many commands of a session a worker has to do.
    pending: BTreeMap<(SessionId, WorkerId), u64>,
    /// Commands by which values come from worker to worker.
    transfers: BTreeMap<(SessionId, u64), Transfer>,
}

#[derive(Debug)]
struct Transfer {
    since_ns: u64,
    record: Record,
    beside: Box<[u8]>,
    waiting: BTreeSet<WorkerId>,
    done: BTreeSet<WorkerId>,
}

impl Waits {
    /// Takes in an event.
    pub(super) fn take(&mut self, event: &Event, beside: &[u8]) {
        let session = SessionId(event.session);
        let command = (session, event.instruction);
        match (event.station(), event.worker()) {
            (Some(Station::Sent), Some(worker)) => {
                *self.pending.entry((session, worker)).or_default() += event.commands();
                if Kind::of_record(&event.record) == Kind::Transfer && self.transfers.len() < MOST {
                    let begin = || Transfer::begin(event, beside);
                    let transfer = self.transfers.entry(command).or_insert_with(begin);
                    transfer.waiting.insert(worker);
                }
            }
            (Some(Station::Ended), Some(worker)) => self.end(event, command, worker),
            (Some(Station::Disconnected), None) => self.forget(|of, _| of == session),
            (Some(Station::Disconnected), Some(gone)) => {
                self.forget(|_, worker| worker == gone);
            }
            _ => {}
        }
    }

    fn end(&mut self, event: &Event, command: (SessionId, u64), worker: WorkerId) {
        if let Some(count) = self.pending.get_mut(&(command.0, worker)) {
            *count = count.saturating_sub(event.commands());
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
    fn forget(&mut self, is_gone: impl Fn(SessionId, WorkerId) -> bool) {
        self.pending.retain(|(session, worker), _| !is_gone(*session, *worker));
        for ((session, _), transfer) in &mut self.transfers {
            transfer.waiting.retain(|worker| !is_gone(*session, *worker));
        }
        self.transfers.retain(|_, transfer| !transfer.waiting.is_empty());
    }

    /// All of it.
    pub(super) fn json(&self, requests: &Requests, now_ns: u64) -> Value {
        let seconds = |since_ns: u64| now_ns.saturating_sub(since_ns) as f64 / 1e9;
        let mut requests: Vec<(SessionId, &Request)> = requests.iter().collect();
        requests.sort_by_key(|(_, request)| request.since_ns);
        let requests = requests.into_iter().take(SHOWN).map(|(session, request)| {
            json!({
                "session": session.0,
                "command": text(&request.record, &[]),
                "seconds": seconds(request.since_ns),
                "workers": self.workers_of(session),
            })
        });
        let mut transfers: Vec<_> = self.transfers.iter().collect();
        // Those that some workers wait for come before those that nobody has begun with.
        transfers.sort_by_key(|(_, transfer)| (transfer.done.is_empty(), transfer.since_ns));
        let transfers = transfers.into_iter().take(SHOWN).map(|((session, _), transfer)| {
            json!({
                "session": session.0,
                "command": text(&transfer.record, &transfer.beside),
                "seconds": seconds(transfer.since_ns),
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
    fn begin(event: &Event, beside: &[u8]) -> Transfer {
        let (waiting, done) = (BTreeSet::new(), BTreeSet::new());
        let Event { time_ns: since_ns, record, .. } = *event;
        Transfer { since_ns, record, beside: beside.into(), waiting, done }
    }
}

/// A command in words.
fn text(record: &Record, beside: &[u8]) -> String {
    logged(record, beside).map_or_else(|_| "a command".to_string(), |one| one.to_string())
}

fn numbers(workers: &BTreeSet<WorkerId>) -> Vec<u32> {
    workers.iter().map(|worker| worker.0).collect()
}

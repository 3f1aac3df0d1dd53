//! What failed last.

use std::collections::VecDeque;

use gt_core::event::{Event, Outcome};
use serde_json::{Value, json};

/// So many errors are kept …
const MOST: usize = 50;
/// … and so many letters of each.
const LETTERS: usize = 600;

/// The latest errors, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Errors(VecDeque<Told>);

/// An error, as it was told.
#[derive(Debug)]
struct Told {
    time_ns: u64,
    session: u64,
    worker: Option<u32>,
    message: String,
    /// How often workers failed with it, and how often clients were told.
    counts: [u64; 2],
}

impl Errors {
    /// Takes in an event. What fails because of something else has no words of its own.
    pub(super) fn take(&mut self, event: &Event, beside: &[u8]) {
        if event.outcome() != Outcome::Failure || beside.is_empty() {
            return;
        }
        let message: String = String::from_utf8_lossy(beside).chars().take(LETTERS).collect();
        let worker = event.worker().map(|worker| worker.0);
        let is_same = |one: &&mut Told| one.session == event.session && one.message == message;
        if let Some(known) = self.0.iter_mut().find(is_same) {
            known.time_ns = event.time_ns;
            known.counts[usize::from(worker.is_none())] += 1;
            // The client may be told before the worker is done with what failed.
            known.worker = known.worker.or(worker);
            return;
        }
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        let (time_ns, session) = (event.time_ns, event.session);
        let counts = [u64::from(worker.is_some()), u64::from(worker.is_none())];
        self.0.push_back(Told { time_ns, session, worker, message, counts });
    }

    /// The latest first.
    pub(super) fn json(&self) -> Value {
        let one = |told: &Told| {
            json!({
                "at_seconds": told.time_ns as f64 / 1e9,
                "session": told.session,
                "worker": told.worker,
                "message": told.message,
                "count": told.counts[0].max(told.counts[1]),
            })
        };
        self.0.iter().rev().map(one).collect()
    }
}

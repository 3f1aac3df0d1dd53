//! How busy each worker was in each tenth of the last seconds, by kind of work.

use std::collections::BTreeMap;

use gt_core::WorkerId;
use gt_core::event::{Event, Station};
use serde_json::{Value, json};

use crate::kind::Kind;

/// How long a column is.
const COLUMN_NS: u64 = 100_000_000;
/// How many columns there are.
const COLUMNS: u64 = 150;
/// So many workers are drawn.
const MOST_WORKERS: usize = 128;

/// The last seconds.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    /// The number of the latest column.
    last: u64,
    /// Nanoseconds of work in a column, by worker; a column is at its number modulo [`COLUMNS`].
    workers: BTreeMap<WorkerId, Vec<[u32; Kind::ALL.len()]>>,
}

impl Timeline {
    /// Takes in an event.
    pub(super) fn take(&mut self, event: &Event, kind: Kind) {
        self.reach(event.time_ns);
        let Some(worker) = event.worker() else { return };
        match event.station() {
            Some(Station::Connected) if self.workers.len() < MOST_WORKERS => {
                self.workers.entry(worker).or_insert_with(empty);
            }
            Some(Station::Disconnected) => drop(self.workers.remove(&worker)),
            Some(Station::Ended) => self.work(worker, kind, event.start_ns, event.duration_ns),
            _ => {}
        }
    }

    /// The clock is there: columns that are new are empty.
    pub(super) fn reach(&mut self, now_ns: u64) {
        let now = now_ns / COLUMN_NS;
        if now <= self.last {
            return;
        }
        for column in self.last.max(now.saturating_sub(COLUMNS)) + 1..=now {
            let place = (column % COLUMNS) as usize;
            self.workers.values_mut().for_each(|columns| columns[place] = Default::default());
        }
        self.last = now;
    }

    /// A worker did something for so long. What lies before the first column is left out.
    fn work(&mut self, worker: WorkerId, kind: Kind, start_ns: u64, duration_ns: u64) {
        let Some(columns) = self.workers.get_mut(&worker) else { return };
        let first = (self.last + 1).saturating_sub(COLUMNS);
        let end_ns = start_ns.saturating_add(duration_ns).min((self.last + 1) * COLUMN_NS);
        let mut from_ns = start_ns.max(first * COLUMN_NS);
        while from_ns < end_ns {
            let column = from_ns / COLUMN_NS;
            let until_ns = end_ns.min((column + 1) * COLUMN_NS);
            let busy_ns = &mut columns[(column % COLUMNS) as usize][kind.index()];
            *busy_ns = busy_ns.saturating_add((until_ns - from_ns) as u32);
            from_ns = until_ns;
        }
    }

    /// Thousandths of each column, the oldest first, for each worker and kind that there was.
    pub(super) fn json(&self) -> Value {
        let first = (self.last + 1).saturating_sub(COLUMNS);
        let lanes = self.workers.iter().map(|(worker, columns)| {
            let kinds = Kind::ALL.iter().filter_map(|kind| {
                let share = |column: u64| {
                    columns[(column % COLUMNS) as usize][kind.index()] / (COLUMN_NS / 1000) as u32
                };
                let shares: Vec<u32> = (first..=self.last).map(share).collect();
                let is_seen = shares.iter().any(|share| *share > 0);
                is_seen.then(|| (kind.name().to_string(), json!(shares)))
            });
            let kinds: serde_json::Map<String, Value> = kinds.collect();
            json!({ "worker": worker.0, "kinds": kinds })
        });
        json!({
            "until_seconds": ((self.last + 1) * COLUMN_NS) as f64 / 1e9,
            "column_seconds": COLUMN_NS as f64 / 1e9,
            "columns": COLUMNS,
            "workers": lanes.collect::<Vec<_>>(),
        })
    }
}

fn empty() -> Vec<[u32; Kind::ALL.len()]> {
    vec![Default::default(); COLUMNS as usize]
}

#[cfg(test)]
mod tests {
    use gt_core::SessionId;

    use super::*;

    fn worked(timeline: &mut Timeline, start_ns: u64, end_ns: u64) {
        let event = Event::new(end_ns, Station::Ended, SessionId(1)).at(WorkerId(0));
        let event = Event { start_ns, duration_ns: end_ns - start_ns, ..event };
        timeline.take(&event, Kind::Matmul);
    }

    fn shares(timeline: &Timeline) -> Vec<u64> {
        let json = timeline.json();
        let shares = json["workers"][0]["kinds"]["matmul"].as_array().cloned().unwrap_or_default();
        shares.iter().filter_map(Value::as_u64).collect()
    }

    fn with_worker() -> Timeline {
        let mut timeline = Timeline::default();
        let event = Event::new(0, Station::Connected, SessionId(0)).at(WorkerId(0));
        timeline.take(&event, Kind::Control);
        timeline
    }

    #[test]
    fn work_is_divided_among_the_columns_it_lies_in() {
        let mut timeline = with_worker();
        worked(&mut timeline, 50_000_000, 225_000_000);
        assert_eq!(shares(&timeline), [500, 1000, 250]);
        worked(&mut timeline, 225_000_000, 250_000_000);
        assert_eq!(shares(&timeline), [500, 1000, 500]);
    }

    #[test]
    fn what_is_too_old_is_forgotten() {
        let mut timeline = with_worker();
        worked(&mut timeline, 0, 100_000_000);
        timeline.reach((COLUMNS - 1) * COLUMN_NS);
        assert_eq!(shares(&timeline)[0], 1000);
        timeline.reach(COLUMNS * COLUMN_NS);
        assert!(shares(&timeline).is_empty());
        // A pause that is longer than the timeline empties it, and no more.
        worked(&mut timeline, COLUMNS * COLUMN_NS, COLUMNS * COLUMN_NS + 1_000_000);
        timeline.reach(1_000 * COLUMNS * COLUMN_NS);
        assert!(shares(&timeline).is_empty());
        worked(&mut timeline, 0, 1_000 * COLUMNS * COLUMN_NS + 100_000_000);
        assert_eq!(shares(&timeline).len() as u64, COLUMNS);
        assert!(shares(&timeline)[..149].iter().all(|share| *share == 1000));
    }
}

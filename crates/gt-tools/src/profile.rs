//! A profile: what workers spent their time on, by operation and by line of the program.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use gt_core::event::{Events, Outcome, Station};
use gt_core::record::code;
use gt_core::{Provenance, ops};

use crate::InstructionLog;
use crate::kind::Kind;
use crate::log::{Places, command_of};
use crate::timeline::{Builder, Filter, write_chrome};

/// What all uses of an operation in one line come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The operation, or what else a worker was asked for.
    pub name: &'static str,
    /// What it is for.
    pub kind: Kind,
    /// The line of the program, if it is known.
    pub place: Option<String>,
    /// How often a worker was done with it.
    pub count: u64,
    /// How long that took.
    pub total_ns: u64,
    /// How many bytes that made.
    pub bytes: u64,
    /// How many of them failed.
    pub failed: u64,
}

/// The events of a while.
pub struct Profile {
    events: Vec<Arc<Events>>,
    lost: u64,
    places: Places,
}

impl Profile {
    /// A profile of events; `lost` more are missing.
    pub fn new(events: Vec<Arc<Events>>, lost: u64, places: Places) -> Self {
        let missing: u64 = events.iter().map(|some| some.lost).sum();
        Profile { events, lost: lost + missing, places }
    }

    /// How many events there are.
    pub fn events(&self) -> u64 {
        self.events.iter().map(|some| some.list.len() as u64).sum()
    }

    /// How many are missing.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// What workers were done with, by operation and line; the longest first. What was computed
    /// together counts for the operation that it ends with.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows: BTreeMap<(&'static str, u32), Row> = BTreeMap::new();
        let ended = |station| station == Some(Station::Ended);
        for event in self.events.iter().flat_map(|some| &some.list) {
            if !ended(event.station()) {
                continue;
            }
            let op = ops::by_code(event.record.op);
            let name = op.map_or_else(|| command_of(event.record.op), |op| op.name);
            let has_line = op.is_some() || event.record.op == code::UPLOAD;
            let line = if has_line { event.record.provenance } else { 0 };
            let row = rows.entry((name, line)).or_insert_with(|| Row {
                name,
                kind: Kind::of_record(&event.record),
                place: (self.places)(Provenance(line)),
                count: 0,
                total_ns: 0,
                bytes: 0,
                failed: 0,
            });
            row.count += event.commands();
            row.total_ns += event.duration_ns;
            row.bytes += event.bytes;
            row.failed += u64::from(event.outcome() == Outcome::Failure);
        }
        let mut rows: Vec<Row> = rows.into_values().collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.total_ns));
        rows
    }

    /// Writes it in the trace format of Chrome.
    pub fn write_chrome(&self, out: &mut impl Write) -> io::Result<()> {
        let mut builder = Builder::new(Filter::default());
        let mut log = InstructionLog::new(Vec::new()).with_places(self.places);
        for some in &self.events {
            log.write(some)?;
            log.flush()?;
            let text = std::mem::take(log.out());
            String::from_utf8_lossy(&text).lines().for_each(|line| builder.line(line));
        }
        write_chrome(&builder.finish(), out)
    }
}

//! Which lines of a program wait for values, and how often.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use gt_core::{Provenance, Result};
use gt_transport::lock::Mutex;

use crate::host;
use crate::provenance::{self, Place};
use crate::session::Session;

/// Whether the first wait of each line is told to the user.
static WARNS: AtomicBool = AtomicBool::new(false);

/// Tells the user of each line of this process that waits, once, or of none.
pub fn warn(on: bool) {
    WARNS.store(on, Ordering::Relaxed);
}

/// How often the lines of a program have waited.
#[derive(Debug, Default)]
pub(crate) struct Reads(Mutex<HashMap<Provenance, u64>>);

impl Reads {
    /// The line where this thread is waits for a value.
    pub(crate) fn note(&self) -> Result<()> {
        let line = provenance::current();
        let count = {
            let mut reads = self.0.lock();
            let count = reads.entry(line).or_default();
            *count += 1;
            *count
        };
        if count > 1 || line == Provenance::UNKNOWN || !WARNS.load(Ordering::Relaxed) {
            return Ok(());
        }
        host::warn(
            "the program waits here for a value (GT_WARN_SYNC); gt.debug.reads() says how often",
        )
    }
}

impl Session {
    /// How often each line of the program has waited for a value, the most frequent first. Lines
    /// that are not known are one.
    pub fn reads(&self) -> Vec<(Option<Place>, u64)> {
        let mut lines: HashMap<Option<Place>, u64> = HashMap::new();
        for (&line, &count) in &*self.0.reads.0.lock() {
            *lines.entry(provenance::place(line)).or_default() += count;
        }
        let mut lines: Vec<_> = lines.into_iter().collect();
        lines.sort_by(|(a, few), (b, many)| many.cmp(few).then_with(|| a.cmp(b)));
        lines
    }
}

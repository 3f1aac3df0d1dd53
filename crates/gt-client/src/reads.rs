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

/// So many lines are told apart; a program that makes its lines as it runs has more.
const MOST_LINES: usize = 1 << 14;

/// How often the lines of a program have waited.
#[derive(Debug, Default)]
pub(crate) struct Reads(Mutex<HashMap<Provenance, u64>>);

impl Reads {
    /// The line where this thread is waits for a value.
    pub(crate) fn note(&self) -> Result<()> {
        let (line, count) = self.count(provenance::current());
        if count > 1 || line == Provenance::UNKNOWN || !WARNS.load(Ordering::Relaxed) {
            return Ok(());
        }
        host::warn(
            "the program waits here for a value (GT_WARN_SYNC); gt.debug.reads() says how often",
        )
    }
}

impl Reads {
    /// Counts a wait; gives the line that it counts for, and how often that one has waited.
    fn count(&self, line: Provenance) -> (Provenance, u64) {
        let mut reads = self.0.lock();
        let is_told_apart = reads.len() < MOST_LINES || reads.contains_key(&line);
        let line = if is_told_apart { line } else { Provenance::UNKNOWN };
        let count = reads.entry(line).or_default();
        *count += 1;
        (line, *count)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_end_are_counted_as_one() {
        let reads = Reads::default();
        let most = MOST_LINES as u32;
        let first = Provenance(Provenance::UNKNOWN.0 + 1);
        assert_eq!(reads.count(first), (first, 1));
        for number in 0..2 * most {
            reads.count(Provenance(first.0 + 1 + number));
        }
        assert_eq!(reads.count(first), (first, 2), "a line that is known stays so");
        let (line, count) = reads.count(Provenance(first.0 + 5 * most));
        assert_eq!((line, count), (Provenance::UNKNOWN, u64::from(most) + 2));
        assert!(reads.0.lock().len() <= MOST_LINES + 1);
    }
}

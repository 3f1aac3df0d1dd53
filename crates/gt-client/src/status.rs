//! What a session is at, and who holds its memory.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use gt_core::event::EventSink;
use gt_core::{DType, Result};
use gt_transport::report::MemoryUsage;

use crate::provenance::{self, Place};
use crate::session::Session;

/// What a session is at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Where its dispatcher is, if not in this process.
    pub address: Option<String>,
    /// How many workers it has.
    pub workers: usize,
    /// How many threads large kernels use.
    pub threads: usize,
    /// How many commands were sent …
    pub commands_sent: u64,
    /// … and how many of them are done.
    pub commands_done: u64,
    /// Bytes in values.
    pub memory_bytes: usize,
    /// The most bytes that values may take.
    pub memory_limit_bytes: usize,
}

/// Who holds a session's memory. Values that share a buffer are counted once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Bytes that the workers use, those of other sessions included.
    pub used_bytes: usize,
    /// Bytes that they keep for later use.
    pub cached_bytes: usize,
    /// The most bytes that were in use at one time.
    pub peak_bytes: usize,
    /// The most bytes that may be in use.
    pub limit_bytes: usize,
    /// Bytes of this session by dtype.
    pub by_dtype: Vec<(DType, usize)>,
    /// Bytes of this session by line of the program, the largest first.
    pub by_line: Vec<Line>,
}

/// What one line of the program holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The line, if it is known.
    pub place: Option<Place>,
    /// Bytes of the values it made.
    pub bytes: usize,
}

impl Session {
    /// The socket at which its dispatcher can be watched, if that is in this process and may be.
    pub fn monitor(&self) -> Option<PathBuf> {
        self.0.link.monitor()
    }

    /// From now on the events of a session elsewhere go there. Those of one in this process go
    /// where its options say.
    pub fn observe(&self, sink: Box<dyn EventSink>) {
        self.0.link.observe(sink);
    }

    /// What the session is at. Waits for nothing.
    pub fn status(&self) -> Status {
        let inner = &self.0;
        let summary = inner.link.summary();
        Status {
            address: summary.address,
            workers: summary.workers,
            threads: summary.threads,
            commands_sent: inner.sent_commands.load(Ordering::Relaxed),
            commands_done: inner.mailbox.look(|state| state.done_commands),
            memory_bytes: summary.used_bytes,
            memory_limit_bytes: summary.limit_bytes,
        }
    }

    /// Who holds memory, after everything appended so far is done.
    pub fn memory(&self) -> Result<Memory> {
        self.synchronize()?;
        let usages = self.0.link.memory_usage()?;
        let (mut dtypes, mut lines) = (BTreeMap::new(), BTreeMap::<Option<Place>, usize>::new());
        for &(dtype, provenance, bytes) in usages.iter().flat_map(|usage| &usage.holdings) {
            *dtypes.entry(dtype).or_default() += bytes as usize;
            *lines.entry(provenance::place(provenance)).or_default() += bytes as usize;
        }
        let line = |(place, bytes)| Line { place, bytes };
        let mut by_line: Vec<Line> = lines.into_iter().map(line).collect();
        by_line.sort_by_key(|line| std::cmp::Reverse(line.bytes));
        let total = |of: fn(&MemoryUsage) -> u64| usages.iter().map(of).sum::<u64>() as usize;
        Ok(Memory {
            used_bytes: total(|usage| usage.used_bytes),
            cached_bytes: total(|usage| usage.cached_bytes),
            peak_bytes: total(|usage| usage.peak_bytes),
            limit_bytes: total(|usage| usage.limit_bytes),
            by_dtype: dtypes.into_iter().collect(),
            by_line,
        })
    }
}

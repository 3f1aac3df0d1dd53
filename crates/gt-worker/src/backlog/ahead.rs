//! What is there before it is needed: it takes memory, here or on other workers, until those that
//! were passed had their turn.

use std::collections::BTreeMap;

use crate::plan::Position;

/// What commands have made or given away that passed others.
#[derive(Debug, Default)]
pub struct Ahead {
    made: BTreeMap<Position, u64>,
    /// All of it.
    pub bytes: u64,
}

impl Ahead {
    /// A command passes others.
    pub fn pass(&mut self, position: Position, bytes: u64) {
        if bytes > 0 {
            *self.made.entry(position).or_default() += bytes;
            self.bytes += bytes;
        }
    }

    /// Nobody waits up to here, so that what was made before is no longer ahead of anybody.
    pub fn reach(&mut self, position: Position) {
        while let Some(first) = self.made.first_entry().filter(|first| *first.key() <= position) {
            self.bytes -= first.remove();
        }
    }
}

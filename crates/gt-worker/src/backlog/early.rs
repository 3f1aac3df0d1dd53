//! Parts of a value that others wait for leave as soon as the value is there, before the turn of
//! their move: the gradients of the last layers travel while those of the first are computed.

use std::collections::VecDeque;

use gt_core::Result;
use gt_core::placement::Span;

use super::{Backlog, MOST_BLOCKED, hold};
use crate::bound::{Bound, Part, Task};
use crate::names::Names;
use crate::planner::Planner;

/// At most so many bytes leave before their turn, because others have to keep them until theirs.
const MOST_BYTES_EARLY: u64 = 8 << 20;

impl Backlog {
    /// Lets what other workers get of values that are there go ahead of everything else.
    pub(super) fn give_early(&mut self, planner: &mut Planner) -> Result<()> {
        if !self.urgent.is_empty() {
            return Ok(());
        }
        while self.moves > 0 && self.admitted.len() + self.blocked.len() < MOST_BLOCKED {
            if self.end_names(planner)? {
                continue;
            }
            let Some((bound, second)) = self.bind(planner)? else { break };
            for bound in std::iter::once(bound).chain(second) {
                hold(&bound, planner.names());
                self.admitted.push_back(bound);
            }
        }
        let names = planner.names();
        if !self.admitted.iter().any(|bound| ready_bytes(bound, names).is_some()) {
            return Ok(());
        }
        let done = self.done();
        self.early.retain(|(position, _)| *position >= done);
        let mut ahead: u64 = self.early.iter().map(|(_, bytes)| bytes).sum();
        let mut waiting = VecDeque::with_capacity(self.admitted.len());
        for bound in std::mem::take(&mut self.admitted) {
            match ready_bytes(&bound, names) {
                Some(bytes) if ahead + bytes <= MOST_BYTES_EARLY => {
                    ahead += bytes;
                    self.early.push((bound.position, bytes));
                    self.urgent.push_back(bound);
                }
                _ => waiting.push_back(bound),
            }
        }
        self.admitted = waiting;
        Ok(())
    }
}

/// The bytes that a command gives to others; `None` if it gives nothing, or not yet.
fn ready_bytes(bound: &Bound, names: &Names) -> Option<u64> {
    let Task::Give(give) = &bound.task else { return None };
    let dtype = names.meta(give.value)?.dtype;
    let elements = |part: &Part| part.iter().map(Span::size).product::<usize>();
    let all: usize = give.parts.iter().map(|(.., part)| elements(part)).sum();
    Some((all * dtype.size()) as u64)
}

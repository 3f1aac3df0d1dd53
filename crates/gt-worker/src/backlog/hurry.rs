//! A read that has waited long behind other work goes ahead of it, with what it needs. Nothing is
//! computed twice: the commands before it that it does not depend on come after it.

use std::collections::HashSet;

use gt_core::Result;
use gt_transport::Batch;

use super::{Backlog, Holds, hold};
use crate::bound::Task;
use crate::names::Names;
use crate::plan::{Position, ValueId};
use crate::planner::Planner;

/// A read is looked at once its session has computed for so long in front of it.
const PATIENCE_NS: u64 = 100_000_000;

/// A read with more than this in front of it keeps its turn: finding out what it needs takes time
/// and memory for each of them.
pub(super) const MOST_BEFORE: u64 = 1 << 18;

/// A read that waits at the end of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader {
    position: Position,
    waited_ns: u64,
}

impl Reader {
    /// The read that ends a batch, if one does.
    pub(super) fn at_end_of(batch: &Batch, position: Position) -> Option<Self> {
        batch.ends_in_read().then_some(Reader { position, waited_ns: 0 })
    }

    /// Something else was computed in front of it.
    pub(super) fn wait(&mut self, busy_ns: u64) {
        self.waited_ns += busy_ns;
    }

    fn is_impatient(&self) -> bool {
        self.waited_ns >= PATIENCE_NS
    }
}

impl Backlog {
    /// Lets a read that has waited for long go ahead, unless the client would have to be told of
    /// something that is not known yet. Each is tried once.
    pub(super) fn hurry(&mut self, planner: &mut Planner) -> Result<()> {
        let Some(reader) = self.reader.take_if(|reader| reader.is_impatient()) else {
            return Ok(());
        };
        let may_have_failed = self.untold || self.sent.iter().any(|sent| sent.risky);
        let far = reader.position.0 > self.done().0 + MOST_BEFORE;
        if may_have_failed || far || !self.urgent.is_empty() {
            return Ok(());
        }
        self.bind_up_to(reader.position, planner)?;
        if let Some(chosen) = self.needed_by(reader.position, planner.names()) {
            self.urgent = self.take_chosen(&chosen);
            self.holds = Holds::default();
        }
        Ok(())
    }

    /// Binds the commands up to a position, all of which wait then.
    pub(super) fn bind_up_to(&mut self, last: Position, planner: &mut Planner) -> Result<()> {
        while self.next <= last {
            if self.end_names(planner)? {
                continue;
            }
            let Some((bound, second)) = self.bind(planner)? else { break };
            for bound in std::iter::once(bound).chain(second) {
                hold(&bound, planner.names());
                self.admitted.push_back(bound);
            }
        }
        Ok(())
    }

    /// The read at a position and the commands before it that it depends on; `None` if it is not
    /// there, if a value has not arrived or a shape is not known, or if something before the read
    /// can fail of which the client would have to be told.
    fn needed_by(&self, read: Position, names: &Names) -> Option<HashSet<Position>> {
        let waiting = self.in_order().into_iter().rev();
        let mut waiting = waiting.skip_while(|bound| bound.position > read);
        let reader = waiting.next().filter(|bound| bound.position == read)?;
        let mut needed: HashSet<ValueId> = reader.needs().into_iter().collect();
        let mut chosen = HashSet::from([read]);
        for bound in waiting {
            if bound.is_risky() || bound.awaits().is_some() {
                return None;
            }
            if !bound.makes().iter().any(|id| needed.contains(id)) {
                continue;
            }
            match &bound.task {
                Task::Apply(apply) if apply.op.data_dependent => return None,
                Task::Receive { tag, .. } if !self.arrived.values.contains_key(tag) => return None,
                Task::Get(get) if !self.arrived.have(get) => return None,
                _ => {}
            }
            needed.retain(|id| !bound.makes().contains(id));
            needed.extend(bound.needs());
            chosen.insert(bound.position);
        }
        needed.iter().all(|id| names.meta(*id).is_some()).then_some(chosen)
    }
}

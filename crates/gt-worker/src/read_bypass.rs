//! A read that has waited long behind other work is computed ahead of it. Instructions are pure, so
//! its ancestors are computed aside, for the answer alone; they are computed again in their turn,
//! and everything else happens as if nobody had looked.

use std::collections::BTreeSet;

use gt_core::instruction::Command;
use gt_core::record::code;
use gt_core::rules::risk::{Risk, row_risk};
use gt_core::{RequestId, Result, SessionId, Slot, WorkerId};
use gt_transport::Batch;

use crate::plan::{Plan, Purpose};
use crate::planner::Planner;
use crate::queue::{Arrived, Planned, plan_command};
use crate::store::{Store, Stored};

/// A read is looked at once its session has computed for so long in front of it.
const PATIENCE_NS: u64 = 100_000_000;

/// What is computed twice costs no more than this, a fifth of the wait.
const LIMIT_NS: u64 = 20_000_000;

/// A read that waits at the end of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    slot: Slot,
    request: RequestId,
    /// How many batches, counted from the first of the session, are before its own.
    batch: u64,
    waited_ns: u64,
}

impl Reader {
    /// The read that ends a batch, if one does: a client sends its batch when it reads.
    pub fn at_end_of(batch: &Batch, number: u64) -> Option<Self> {
        let record = batch.records.last().filter(|record| record.op == code::READ)?;
        let (slot, request) = (Slot(record.out), RequestId(record.provenance));
        Some(Reader { slot, request, batch: number, waited_ns: 0 })
    }

    /// Whether its batch is one of the first `gone`.
    pub fn is_before(&self, gone: u64) -> bool {
        self.batch < gone
    }

    /// Something else was computed in front of it.
    pub fn wait(&mut self, busy_ns: u64) {
        self.waited_ns += busy_ns;
    }

    /// Whether it has waited long enough.
    pub fn is_impatient(&self) -> bool {
        self.waited_ns >= PATIENCE_NS
    }
}

/// What is in front of a read.
pub struct Before<'a> {
    /// The batches of the session, the first of them maybe planned in part.
    pub batches: Vec<&'a Batch>,
    /// The number of the first batch.
    pub first: u64,
    /// How many commands of the first batch are planned already.
    pub planned: usize,
    /// The values that are there.
    pub store: &'a Store,
    /// What other workers have handed over.
    pub arrived: &'a Arrived,
}

impl Before<'_> {
    /// A plan that computes what a read needs and answers it; `None` if that is too much, or needs
    /// something that is not there.
    pub fn plan(
        &self,
        worker: WorkerId,
        session: SessionId,
        reader: Reader,
    ) -> Result<Option<Plan>> {
        let Some(last) = reader.batch.checked_sub(self.first) else { return Ok(None) };
        let mut needed = BTreeSet::from([reader.slot]);
        let Some(ancestors) = self.ancestors(last as usize, &mut needed)? else { return Ok(None) };
        let mut store = Store::default();
        for slot in needed {
            match self.store.peek(slot) {
                Some((Stored::Value(value), place)) => {
                    store.put(slot, Stored::Value(value.clone()), place);
                }
                _ => return Ok(None),
            }
        }
        let mut planner = Planner::new(worker, session, &mut store);
        for (batch, index) in ancestors.into_iter().rev() {
            let mut arrived = self.arrived_for(batch, index)?;
            let planned = plan_command(&mut planner, &mut arrived, self.batches[batch], index)?;
            if !matches!(planned, Planned::More) || planner.cost_ns() > LIMIT_NS {
                return Ok(None);
            }
        }
        planner.answer(reader.slot, reader.request, false)?;
        let mut plan = Plan { purpose: Purpose::ReadBypass, ..planner.finish(0) };
        plan.kept.clear();
        plan.mark_last_uses();
        Ok(Some(plan))
    }

    /// The commands that make what is `needed`, the last one first, and what they need that is not
    /// made by any of them; `None` if a shape among them depends on data, or if something before
    /// the read can fail of which the client would have to be told.
    fn ancestors(
        &self,
        last: usize,
        needed: &mut BTreeSet<Slot>,
    ) -> Result<Option<Vec<(usize, usize)>>> {
        let mut ancestors = Vec::new();
        for batch in (0..=last.min(self.batches.len() - 1)).rev() {
            let from = if batch == 0 { self.planned } else { 0 };
            for index in (from..self.batches[batch].len()).rev() {
                match self.batches[batch].command(index)? {
                    Command::Apply(instruction) => {
                        // The client would have to be told if this fails.
                        if row_risk(instruction.op) == Risk::Data {
                            return Ok(None);
                        }
                        if !instruction.outputs.iter().any(|slot| needed.contains(slot)) {
                            continue;
                        }
                        if instruction.op.data_dependent {
                            return Ok(None);
                        }
                        instruction.outputs.iter().for_each(|slot| {
                            needed.remove(slot);
                        });
                        needed.extend(instruction.read_slots().chain(instruction.replaces.slots()));
                    }
                    Command::Upload { out, .. } | Command::Receive { out, .. }
                        if needed.remove(&out) => {}
                    Command::Wait { .. } => return Ok(None),
                    _ => continue,
                }
                ancestors.push((batch, index));
            }
        }
        Ok(Some(ancestors))
    }

    /// What a command takes in from another worker; it stays where it is.
    fn arrived_for(&self, batch: usize, index: usize) -> Result<Arrived> {
        let Command::Receive { tag, .. } = self.batches[batch].command(index)? else {
            return Ok(Arrived::default());
        };
        let value = self.arrived.values.get(&tag);
        let values = value.map(|arrival| (tag, arrival.clone())).into_iter().collect();
        Ok(Arrived { values, ..Arrived::default() })
    }
}

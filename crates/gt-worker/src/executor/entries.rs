//! The memory that a session's values take besides their elements.

use std::collections::BTreeMap;
use std::sync::Arc;

use gt_core::{Error, Result};
use gt_transport::Failure;

use super::run::Run;
use super::store::Stored;
use crate::account::Account;
use crate::buffer::{ALIGNMENT, Pool};
use crate::engine::{Engine, EngineValue};
use crate::plan::{Compute, Origin, Plan, Register, Step};

/// What a worker keeps of one value besides its elements: an entry in each of its tables, the head
/// of a buffer, and what the allocator adds to a small block. A million values of eight bytes take
/// 414 bytes each on x86-64, 64 of which are charged as their blocks. A test compares this with the
/// sizes of the entries.
pub const ENTRY_BYTES: usize = 384;

/// The entries of one session, charged to the worker's pool and to the session's account until they
/// are dropped.
#[derive(Debug, Default)]
pub(super) struct Entries {
    count: usize,
    /// Who pays; `None` before the first plan of the session.
    payer: Option<Payer>,
}

/// What entries are charged to.
#[derive(Clone, Debug)]
pub(super) struct Payer {
    pool: Arc<Pool>,
    account: Option<Arc<Account>>,
}

/// Entries that are charged and not in the table yet. They are given back if they never are, as
/// after a panic.
#[derive(Debug)]
pub(super) struct Granted {
    payer: Payer,
    count: usize,
}

impl Payer {
    /// Charges entries, as far as there is memory for them. The error says why it is not all.
    fn charge(&self, count: usize, granted: &mut Granted) -> Result<()> {
        let (pool, account) = (&self.pool, self.account.as_deref());
        if pool.charge(count * ENTRY_BYTES, account).is_ok() {
            granted.count += count;
            return Ok(());
        }
        // What is left is for values with their elements, and not for entries alone.
        let (mut fitting, mut result) = (0, Ok(()));
        while fitting < count && result.is_ok() {
            result = pool.charge(ENTRY_BYTES + ALIGNMENT, account);
            fitting += usize::from(result.is_ok());
        }
        pool.release(fitting * ALIGNMENT, account);
        granted.count += fitting;
        result.map_err(|error| error.within("the table entry of its result"))
    }

    /// Charges entries that cannot be refused.
    fn charge_anyway(&self, count: usize) -> Granted {
        self.pool.charge_anyway(count * ENTRY_BYTES, self.account.as_deref());
        Granted { payer: self.clone(), count }
    }

    fn release(&self, count: usize) {
        if count > 0 {
            self.pool.release(count * ENTRY_BYTES, self.account.as_deref());
        }
    }
}

impl Drop for Granted {
    fn drop(&mut self) {
        self.payer.release(self.count);
    }
}

impl Entries {
    /// A plan of the session begins: from now on its entries are charged to this.
    pub(super) fn begin(&mut self, pool: &Arc<Pool>, account: Option<Arc<Account>>) -> Payer {
        if let Some(payer) = &self.payer
            && (payer.account.is_some() || account.is_none())
        {
            return payer.clone();
        }
        // Its account came after its first values.
        let payer = Payer { pool: pool.clone(), account };
        let count = std::mem::take(&mut self.count);
        let granted = payer.charge_anyway(count);
        if let Some(before) = self.payer.replace(payer.clone()) {
            before.release(count);
        }
        self.add(granted, count);
        payer
    }

    /// There are so many more entries. Those of values that have failed were not granted: they are
    /// charged whatever the limits are.
    pub(super) fn add(&mut self, mut granted: Granted, count: usize) {
        let mut refused = granted.payer.charge_anyway(count - granted.count);
        granted.count = 0;
        refused.count = 0;
        self.count += count;
    }

    /// There are fewer.
    pub(super) fn remove(&mut self, count: usize) {
        self.count -= count;
        self.payer.iter().for_each(|payer| payer.release(count));
    }
}

impl Drop for Entries {
    fn drop(&mut self) {
        self.remove(self.count);
    }
}

/// Results that are not kept, because there is no memory for their entries.
#[derive(Debug)]
pub(super) struct Refused {
    results: Vec<Register>,
    failure: Arc<Failure>,
}

impl<E: Engine + ?Sized> Run<'_, E> {
    /// Charges the entries of what the plan will keep, as far as they are more than those it has
    /// dropped. Where there is no memory for them, its last results fail, but none that takes the
    /// place of another value: an update never loses its old value and its result. The failure
    /// counts from here on, so that whatever waits for these results gets it.
    pub(super) fn charge_entries(
        &mut self,
        plan: &Plan,
        payer: &Payer,
        dropped_count: usize,
    ) -> (Granted, Option<Refused>) {
        let mut granted = payer.charge_anyway(dropped_count.min(plan.keeps.len()));
        let needed_count = plan.keeps.len() - granted.count;
        match payer.charge(needed_count, &mut granted) {
            Ok(()) => (granted, None),
            Err(error) => {
                let refused_count = plan.keeps.len() - granted.count;
                (granted, self.refuse(plan, refused_count, error))
            }
        }
    }

    /// Chooses results that fail, and tells why.
    fn refuse(&mut self, plan: &Plan, count: usize, error: Error) -> Option<Refused> {
        let origins = origins(plan);
        let kept = plan.keeps.iter().rev();
        let made = kept.filter_map(|(kept, _)| Some((*kept, *origins.get(kept)?)));
        let chosen: Vec<(Register, Origin)> = made.take(count).collect();
        let first = chosen.iter().map(|(_, origin)| *origin).min_by_key(|it| it.position)?;
        let failure = self.fail(error, first);
        Some(Refused { results: chosen.into_iter().map(|(result, _)| result).collect(), failure })
    }

    /// Lets results fail that are made by now.
    pub(super) fn drop_refused(&mut self, refused: &Refused) {
        for result in &refused.results {
            let stored = &mut self.registers[result.0 as usize];
            if let Some(Stored::Value(value)) = stored {
                *stored = Some(Stored::Failed(value.meta().clone(), refused.failure.clone()));
            }
        }
    }
}

/// Where the results of a plan come from that take the place of no other value.
fn origins(plan: &Plan) -> BTreeMap<Register, Origin> {
    let mut origins = BTreeMap::new();
    let mut note = |compute: &Compute| {
        if compute.replaces.is_none() {
            origins.extend(compute.outputs.iter().map(|&output| (output, compute.origin)));
        }
    };
    for step in &plan.steps {
        match step {
            Step::Compute(compute) => note(compute),
            Step::Fused(fused) => fused.computes.iter().for_each(&mut note),
            _ => {}
        }
    }
    let uploads = plan.steps.iter().filter_map(|step| match step {
        Step::Upload { out, origin, .. } => Some((*out, *origin)),
        _ => None,
    });
    origins.extend(uploads);
    origins
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Buffer;
    use crate::executor::store::KEPT_BYTES;
    use crate::names::KNOWN_BYTES;

    #[test]
    fn the_charge_for_a_value_covers_its_entries() {
        // The counts of an `Arc`, and what the allocator adds to it and to an aligned block.
        let (counts, head, aligned) = (16, 16, 64);
        let tables = KEPT_BYTES + KNOWN_BYTES + size_of::<Buffer>() + counts + head;
        let range = tables..=tables + 2 * aligned;
        assert!(range.contains(&ENTRY_BYTES), "the tables take {tables} bytes for a value");
    }

    #[test]
    fn entries_made_before_there_is_an_account_are_charged_to_it_once_there_is_one() {
        let (pool, account) = (Pool::new(1 << 20), Account::unlimited());
        let mut entries = Entries::default();
        let granted = entries.begin(&pool, None).charge_anyway(3);
        entries.add(granted, 3);
        let payer = entries.begin(&pool, Some(account.clone()));
        assert_eq!(account.used_bytes(), 3 * ENTRY_BYTES);
        entries.add(payer.charge_anyway(0), 1);
        drop(payer.charge_anyway(5));
        // The account is forgotten with its session, and a plan still runs.
        drop(entries.begin(&pool, None));
        assert_eq!((account.used_bytes(), pool.used_bytes()), (4 * ENTRY_BYTES, 4 * ENTRY_BYTES));
        drop(entries);
        assert_eq!((account.used_bytes(), pool.used_bytes()), (0, 0));
    }
}

//! Values that go to disk when memory is short, those first that were used longest ago, and come
//! back when they are used.

use std::sync::Arc;

use bytes::Bytes;
use gt_core::{Error, Result, SessionId, Slot};
use gt_transport::Failure;
use gt_transport::lock::Mutex;
use smallvec::SmallVec;

use super::Runner;
use super::run::Run;
use super::store::{Away, Stored, Tick};
use crate::account::Account;
use crate::buffer::{Pool, Reclaim};
use crate::engine::{Engine, EngineValue};
use crate::plan::{Origin, Position, Register, Use, ValueId};
use crate::spill::Spill;

/// A value, or what went wrong.
type Told<V> = std::result::Result<V, Arc<Failure>>;

/// Where values go, and where they come back to.
pub(super) struct Disk {
    pub(super) pool: Arc<Pool>,
    pub(super) file: Arc<Spill>,
    /// Who has memory freed at the moment: two would choose the same values.
    pub(super) turn: Mutex<()>,
}

impl Disk {
    /// Whether something is on disk, or soon will be.
    pub(super) fn is_pressed(&self) -> bool {
        self.file.used_bytes() > 0 || self.pool.is_crowded()
    }
}

/// A value that goes to disk.
struct Victim<V> {
    used: Tick,
    session: SessionId,
    id: ValueId,
    value: V,
}

impl<E: Engine + ?Sized> Runner<E> {
    /// Brings a value back, for the session of the plan that runs.
    pub(super) fn bring_back(&self, session: SessionId, away: &Away) -> Result<E::Value> {
        let pool = &self.disk.as_ref().expect("only a disk has values that are away").pool;
        let mut buffer = pool.take(away.region.bytes())?;
        away.region.read(buffer.bytes_mut().expect("a pooled buffer is writable"))?;
        let value = self.engine.upload(away.meta.clone(), Bytes::from_owner(buffer))?;
        self.within(session, |store| store.restore(away, value.clone()));
        Ok(value)
    }

    /// The values that were used longest ago, so many that they have about as many bytes.
    fn victims(&self, bytes: usize, of: Option<SessionId>) -> Vec<Victim<E::Value>> {
        let sessions = self.sessions.lock();
        let asked = sessions.iter().filter(|(session, _)| of.is_none_or(|of| of == **session));
        let mut unused: Vec<_> = asked
            .flat_map(|(&session, store)| {
                store.unused().map(move |(used, id, value)| (used, session, id, value))
            })
            .collect();
        unused.sort_unstable_by_key(|&(used, session, id, _)| (used, session, id));
        let mut freed = 0;
        let enough = unused.into_iter().take_while(|(.., value)| {
            let before = freed;
            freed += value.memory().1;
            before < bytes
        });
        let victim = |(used, session, id, value): (Tick, SessionId, ValueId, &E::Value)| Victim {
            used,
            session,
            id,
            value: value.clone(),
        };
        enough.map(victim).collect()
    }
}

impl<E: Engine + ?Sized> Run<'_, E> {
    /// Brings values back that are on disk and about to be used, and sees to it that there is
    /// memory for so many bytes of results.
    pub(super) fn recall(
        &mut self,
        registers: impl Iterator<Item = Register>,
        results: usize,
    ) -> Result<()> {
        let (runner, session) = (self.runner, self.session);
        let Some(disk) = &runner.disk else { return Ok(()) };
        let used: SmallVec<[Register; 4]> = registers.collect();
        let away = used.iter().filter_map(|used| match &self.registers[used.0 as usize] {
            Some(Stored::Away(away)) => Some(away.region.bytes()),
            _ => None,
        });
        let bytes = away.sum::<usize>() + results;
        self.make_room(disk, bytes, &used);
        for register in used {
            let place = &mut self.registers[register.0 as usize];
            if let Some(Stored::Away(away)) = place {
                *place = Some(Stored::Value(runner.bring_back(session, away)?));
            }
        }
        Ok(())
    }

    /// Has memory freed if it is short: of values that earlier plans have left, and then of those
    /// that this one has made and that the step at hand does not use.
    fn make_room(&mut self, disk: &Disk, bytes: usize, used: &[Register]) {
        let account = Account::current();
        let lacks = || account.as_ref().is_some_and(|account| account.lacks(bytes));
        let mut made = 0..self.registers.len();
        loop {
            let of = lacks().then_some(self.session);
            let is_short = of.is_some() || disk.pool.lacks(bytes);
            if !is_short {
                return;
            }
            if self.runner.reclaim(bytes, of) {
                continue;
            }
            let is_spare = |index: &usize| {
                let is_used = used.iter().any(|used| used.0 as usize == *index);
                !is_used
                    && matches!(&self.registers[*index], Some(Stored::Value(value))
                        if value.can_be_spilled(1))
            };
            let Some(index) = made.find(is_spare) else { return };
            let Some(Stored::Value(value)) = &self.registers[index] else { return };
            let Ok(region) = disk.file.write(&value.to_bytes()) else { return };
            self.registers[index] = Some(Stored::Away(Away::made(value.meta().clone(), region)));
        }
    }

    /// The value, or what went wrong, also if it is on disk and cannot be brought back.
    pub(super) fn fetch(&mut self, used: Use, position: Position) -> Told<E::Value> {
        if let Err(error) = self.recall([used.register].into_iter(), 0) {
            let failure = self.fail_recall(used.register, position, error);
            self.take_or_clone(used);
            return Err(failure);
        }
        self.use_value(used).into_result()
    }

    /// Tells the client of a value that could not be brought back.
    pub(super) fn fail_recall(
        &mut self,
        from: Register,
        position: Position,
        error: Error,
    ) -> Arc<Failure> {
        let provenance = self.places[from.0 as usize];
        let (op, slot, worker) = (None, Slot(0), self.worker);
        let error = error.within("a value that is on disk");
        self.fail(error, Origin { worker, op, slot, provenance, position })
    }
}

impl<E: Engine + ?Sized> Reclaim for Runner<E> {
    fn reclaim(&self, bytes: usize, of: Option<SessionId>) -> bool {
        let Some(disk) = &self.disk else { return false };
        let _turn = disk.turn.lock();
        let mut freed = false;
        for Victim { used, session, id, value } in self.victims(bytes, of) {
            let Ok(region) = disk.file.write(&value.to_bytes()) else { break };
            let mut sessions = self.sessions.lock();
            let store = sessions.get_mut(&session);
            let gone = store.and_then(|store| store.send_away(id, &value, region));
            drop(sessions);
            freed |= gone.is_some();
            tracing::debug!(target: "gt::worker", %session, used, meta = %value.meta(), "spilled");
        }
        freed
    }
}

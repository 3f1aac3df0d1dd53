//! Workers that the operator wants to be free: their values move to others, and nothing new goes
//! there.

use gt_core::{Error, Result, SessionId, WorkerId};

use super::Dispatcher;
use crate::context::Context;
use crate::outbox::Outbox;

impl Dispatcher {
    /// Moves everything away from a worker. Sessions go on with others.
    pub fn drain(&mut self, now_ns: u64, worker: WorkerId, out: &mut Outbox) -> Result<()> {
        self.check_drain(worker)?;
        let before = out.len();
        self.set_drained(worker, true);
        for id in self.sessions.keys().copied().collect::<Vec<_>>() {
            if let Err(error) = self.vacate(now_ns, id, worker, out) {
                self.close(now_ns, id, error, out);
            }
        }
        self.end_step(now_ns, before, out);
        Ok(())
    }

    /// Takes a worker back, for new sessions and for those that want more.
    pub fn undrain(&mut self, worker: WorkerId) -> Result<()> {
        self.find_worker(worker)?;
        self.set_drained(worker, false);
        for session in self.sessions.values_mut() {
            if session.welcome_back(worker) {
                self.worker_table.count(worker, 1);
            }
        }
        Ok(())
    }

    fn set_drained(&mut self, worker: WorkerId, is_drained: bool) {
        self.load.set_drained(worker, is_drained);
        if let Some(member) = self.worker_table.get_mut(worker) {
            member.is_drained = is_drained;
        }
    }

    fn find_worker(&self, worker: WorkerId) -> Result<()> {
        if self.worker_table.get(worker).is_some() {
            return Ok(());
        }
        Err(Error::value(format!("there is no worker {worker}; `gt status` lists them")))
    }

    /// An error if there is nobody, or not room enough, for what a worker has.
    fn check_drain(&self, worker: WorkerId) -> Result<()> {
        self.find_worker(worker)?;
        let (mut others, mut free, mut used, mut name) = (0, 0u64, 0, "");
        for (id, member) in self.worker_table.members() {
            if id == worker {
                (used, name) = (member.used_bytes, &member.info.name);
            } else if !member.is_drained {
                others += 1;
                free = free.saturating_add(member.free_bytes());
            }
        }
        if others == 0 {
            return Err(Error::value(format!(
                "{name} is the only worker that takes work, and its values have nowhere to go; \
                 start another one with `gt worker` first"
            )));
        }
        if used > free {
            return Err(Error::value(format!(
                "worker {name} holds {used} bytes, and the others have {free} free; start another \
                 one with `gt worker` first"
            )));
        }
        Ok(())
    }

    /// Has a session leave a worker.
    fn vacate(
        &mut self,
        now_ns: u64,
        id: SessionId,
        worker: WorkerId,
        out: &mut Outbox,
    ) -> Result<()> {
        let pace = self.pace(now_ns);
        let Some(session) = self.sessions.get_mut(&id).filter(|session| session.has(worker)) else {
            return Ok(());
        };
        let other = self.worker_table.roomiest(session.workers());
        let (load, next_tag, tickets) = (&mut self.load, &mut self.next_tag, self.tickets.as_mut());
        let mut context = Context { now_ns, load, next_tag, tickets };
        session.trail.reach(0);
        session.vacate(worker, other, &mut context)?;
        session.charge_load(&mut context);
        self.worker_table.count(worker, -1);
        other.into_iter().for_each(|other| self.worker_table.count(other, 1));
        self.send(id, (0, 0), pace, out);
        Ok(())
    }
}

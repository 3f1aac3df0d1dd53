//! What waits to be done for one session, in order, and what other workers have handed over.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use gt_core::instruction::Command;
use gt_core::record::code;
use gt_core::{Error, Meta, RequestId, Result, SessionId, WorkerId};
use gt_transport::{Batch, Failure};

use crate::plan::{Plan, Step, Then};
use crate::planner::Planner;
use crate::read_bypass::{Before, Reader};
use crate::store::Store;

/// How much of a queue goes into one plan.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// At most so many commands.
    pub commands: usize,
    /// No more commands once a core has so much to do.
    pub cost_ns: u64,
}

impl Default for Window {
    fn default() -> Self {
        // Slices of about two milliseconds, so that sessions take turns often enough.
        Window { commands: 4096, cost_ns: 2_000_000 }
    }
}

/// A value that another worker handed over, or why there is none.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// Its dtype and shape.
    pub meta: Meta,
    /// Its elements, row by row.
    pub result: std::result::Result<Bytes, Arc<Failure>>,
}

/// What has arrived for a session and waits for the command that uses it.
#[derive(Clone, Debug, Default)]
pub struct Arrived {
    /// Values, by the tags of their transfers.
    pub values: HashMap<u64, Arrival>,
    /// What the workers of failure barriers reported.
    pub verdicts: HashMap<u64, Option<Arc<Failure>>>,
}

impl Arrived {
    fn check(&self) -> Result<()> {
        if self.values.len() + self.verdicts.len() > MOST_ARRIVALS {
            return Err(Error::value(format!("more than {MOST_ARRIVALS} values wait to be used")));
        }
        Ok(())
    }
}

/// A session has at most so many commands waiting; a dispatcher stops long before.
const MOST_COMMANDS: u64 = 1 << 22;
/// At most so many values wait to be received.
const MOST_ARRIVALS: usize = 1 << 20;

/// One session on one worker.
#[derive(Debug, Default)]
pub struct Queue {
    batches: VecDeque<Batch>,
    /// How many commands are in them.
    commands: u64,
    /// How many batches were planned as a whole.
    gone: u64,
    /// The newest read that ends a batch.
    reader: Option<Reader>,
    /// Reads that were answered ahead of their turn.
    answered: HashSet<RequestId>,
    /// How many commands of the first batch are planned already.
    planned: usize,
    /// Its values.
    pub store: Store,
    arrived: Arrived,
    /// What has failed and was not told to the client.
    pub poison: Option<Arc<Failure>>,
    /// The workers that were handed something.
    pub neighbours: BTreeSet<WorkerId>,
    /// Whether planning panics.
    #[cfg(test)]
    pub(crate) is_broken: bool,
}

impl Queue {
    /// Appends commands.
    pub fn push(&mut self, batch: Batch) -> Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        self.commands += batch.len() as u64;
        if self.commands > MOST_COMMANDS {
            return Err(Error::value(format!("more than {MOST_COMMANDS} commands wait")));
        }
        let number = self.gone + self.batches.len() as u64;
        self.reader = Reader::at_end_of(&batch, number).or(self.reader);
        self.batches.push_back(batch);
        Ok(())
    }

    /// Takes in what another worker handed over.
    pub fn arrive(&mut self, tag: u64, arrival: Arrival) -> Result<()> {
        // What came first counts: word that it cannot come may follow a value that did.
        self.arrived.values.entry(tag).or_insert(arrival);
        self.arrived.check()
    }

    /// Takes in what the workers of a failure barrier reported.
    pub fn judge(&mut self, barrier: u64, failure: Option<Arc<Failure>>) -> Result<()> {
        self.arrived.verdicts.insert(barrier, failure);
        self.arrived.check()
    }

    /// A plan in turn took so long.
    pub fn wait(&mut self, busy_ns: u64) {
        self.reader.iter_mut().for_each(|reader| reader.wait(busy_ns));
    }

    /// A read was answered before its turn came.
    pub fn answered(&mut self, request: RequestId) {
        self.answered.insert(request);
    }

    /// A plan for a read that has waited for long; each is tried once.
    fn plan_read_bypass(&mut self, worker: WorkerId, session: SessionId) -> Result<Option<Plan>> {
        let Some(reader) = self.reader.take_if(|reader| reader.is_impatient()) else {
            return Ok(None);
        };
        if self.poison.is_some() || reader.is_before(self.gone) {
            return Ok(None);
        }
        let Queue { batches, gone, planned, store, arrived, .. } = self;
        let batches = batches.iter().collect();
        Before { batches, first: *gone, planned: *planned, store, arrived }
            .plan(worker, session, reader)
    }

    /// A plan for the next commands; `None` if there are none, or the first waits for a handover.
    pub fn plan(
        &mut self,
        worker: WorkerId,
        session: SessionId,
        window: Window,
    ) -> Result<Option<Plan>> {
        #[cfg(test)]
        assert!(!self.is_broken, "this test wants a panic");
        if let Some(plan) = self.plan_read_bypass(worker, session)? {
            return Ok(Some(plan));
        }
        let Queue { batches, commands: waiting, gone, planned, store, .. } = self;
        let (arrived, poison, answered) = (&mut self.arrived, &self.poison, &mut self.answered);
        let mut planner = Planner::new(worker, session, store);
        let mut commands = 0;
        while commands < window.commands && planner.cost_ns() < window.cost_ns {
            let Some(batch) = batches.front() else { break };
            let last_of_plan = match batch.compact(*planned) {
                Some(compact) => {
                    let (record, parts) = compact?;
                    planner.apply_record(&record, &parts)?;
                    parts.op.data_dependent
                }
                None if was_answered(batch, *planned, answered) => false,
                None => match plan_command(&mut planner, arrived, batch, *planned)? {
                    Planned::More => false,
                    Planned::Last => true,
                    Planned::Waits => break,
                },
            };
            commands += 1;
            *planned += 1;
            if *planned == batch.len() {
                *waiting -= batch.len() as u64;
                batches.pop_front();
                *gone += 1;
                *planned = 0;
            }
            if last_of_plan {
                break;
            }
        }
        let finish = || Plan { poison: poison.clone(), ..planner.finish(commands as u64) };
        Ok((commands > 0).then(finish))
    }
}

/// Whether the command is a read that was answered ahead of its turn.
fn was_answered(batch: &Batch, index: usize, answered: &mut HashSet<RequestId>) -> bool {
    let record = batch.records.get(index).filter(|record| record.op == code::READ);
    record.is_some_and(|record| answered.remove(&RequestId(record.provenance)))
}

/// What planning a command means for those after it.
pub(crate) enum Planned {
    /// Nothing.
    More,
    /// They need to know its shape, which depends on data.
    Last,
    /// It waits for a handover, and so do they.
    Waits,
}

pub(crate) fn plan_command(
    planner: &mut Planner,
    arrived: &mut Arrived,
    batch: &Batch,
    index: usize,
) -> Result<Planned> {
    if let Some(slots) = batch.freed(index) {
        slots?.iter().for_each(|&slot| planner.free(slot));
        return Ok(Planned::More);
    }
    match batch.command(index)? {
        Command::Apply(instruction) => {
            planner.apply(&instruction)?;
            if instruction.op.data_dependent {
                return Ok(Planned::Last);
            }
        }
        Command::Free(slots) => slots.iter().for_each(|&slot| planner.free(slot)),
        Command::Upload { out, meta, data, provenance } => {
            planner.upload(out, gt_transport::Value { meta, data }, provenance)?;
        }
        Command::Read { slot, request } => planner.answer(slot, request, false)?,
        Command::Describe { slot, request } => planner.answer(slot, request, true)?,
        Command::Send { slot, to, tag } => planner.hand_over(slot, to, tag)?,
        Command::Receive { out, tag, provenance } => match arrived.values.remove(&tag) {
            Some(arrival) => planner.receive(out, arrival, provenance)?,
            None => return Ok(Planned::Waits),
        },
        Command::Sync { request } => planner.push_step(Step::Sync { request }),
        Command::Report { barrier } => {
            planner.push_step(Step::Report { barrier, then: Then::Stay });
        }
        Command::Settle { barrier } => {
            planner.push_step(Step::Report { barrier, then: Then::Settle });
        }
        Command::Wait { barrier } => match arrived.verdicts.remove(&barrier) {
            Some(None) => {}
            Some(Some(failure)) => planner.push_step(Step::Poison(failure)),
            None => return Ok(Planned::Waits),
        },
        // These mean something to the dispatcher only.
        Command::Enter(_) | Command::Exit | Command::Announce { .. } => {}
    }
    Ok(Planned::More)
}

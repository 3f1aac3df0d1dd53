//! One client's stream: its names, its signals, and how its commands are rewritten for workers.

use std::collections::{HashMap, VecDeque};

use gt_core::instruction::{Command, Instruction, Operand};
use gt_core::op::{Arg, Call};
use gt_core::{Error, Meta, RequestId, Result, SessionId, Slot, WorkerId};
use gt_transport::{Batch, Peer};
use smallvec::SmallVec;

use crate::load::{Load, Needed};
use crate::outbox::Outbox;
use crate::registry::{Entry, Registry};

/// A client's session.
#[derive(Debug)]
pub struct Session {
    id: SessionId,
    /// Where its values are.
    pub registry: Registry,
    signals: Vec<Box<str>>,
    /// Shapes the client has asked for.
    described: HashMap<RequestId, Slot>,
    /// Commands for each worker that are not sent yet.
    outgoing: Vec<Batch>,
    flights: Flights,
}

/// What a rewriting needs to know of the rest of the system.
pub struct Context<'a> {
    /// The time.
    pub now_ns: u64,
    /// The workers.
    pub load: &'a mut Load,
    /// The next tag of a handover.
    pub next_tag: &'a mut u64,
}

impl Session {
    /// A session without values.
    pub fn new(id: SessionId) -> Self {
        Session {
            id,
            registry: Registry::default(),
            signals: Vec::new(),
            described: HashMap::new(),
            outgoing: Vec::new(),
            flights: Flights::default(),
        }
    }

    /// Rewrites one command into commands for workers. `sent` hears of each of them.
    pub fn rewrite(
        &mut self,
        command: Command,
        context: &mut Context,
        sent: &mut impl FnMut(WorkerId, &Command),
    ) -> Result<()> {
        match command {
            Command::Apply(instruction) => self.apply(instruction, context, sent),
            Command::Upload { out, meta, data, provenance } => {
                let cost = meta.bytes() as u64;
                let worker = self.choose(&[], cost, context)?;
                let ready_ns = context.load.assign(worker, context.now_ns, cost);
                self.insert(out, meta.clone(), true, worker, ready_ns)?;
                self.emit(worker, Command::Upload { out, meta, data, provenance }, sent);
                Ok(())
            }
            Command::Free(slots) => slots.iter().try_for_each(|&slot| self.free(slot, sent)),
            Command::Read { slot, request } => {
                let home = self.registry.get(slot)?.home;
                self.emit(home, Command::Read { slot, request }, sent);
                Ok(())
            }
            Command::Describe { slot, request } => {
                let home = self.registry.get(slot)?.home;
                self.described.insert(request, slot);
                self.emit(home, Command::Describe { slot, request }, sent);
                Ok(())
            }
            Command::Enter(name) => {
                self.signals.push(name);
                Ok(())
            }
            Command::Exit => match self.signals.pop() {
                Some(_) => Ok(()),
                None => Err(Error::bug("a signal ends that did not begin")),
            },
            Command::Send { .. } | Command::Receive { .. } => {
                Err(Error::bug("a client does not hand values over"))
            }
        }
    }

    /// The worker has told the shape of a value that depends on data.
    pub fn describe(&mut self, request: RequestId, meta: Option<&Meta>) {
        let Some(slot) = self.described.remove(&request) else { return };
        let entry = self.registry.get_mut(slot).ok().filter(|entry| !entry.described);
        if let (Some(entry), Some(meta)) = (entry, meta) {
            entry.meta = meta.clone();
            entry.described = true;
        }
    }

    /// Sends what was rewritten since the last time, as the rewriting of one batch of the client.
    pub fn flush(&mut self, commands: u64, bytes: u64, out: &mut Outbox) {
        let mut waiting = 0;
        for (worker, batch) in self.outgoing.iter_mut().enumerate() {
            if batch.is_empty() {
                continue;
            }
            waiting += 1;
            self.flights.depart(worker, batch.len() as u64);
            let to = Peer::Worker(WorkerId(worker as u32));
            out.send_commands(to, self.id, std::mem::take(batch));
        }
        self.flights.begin(Flight { commands, bytes, waiting });
    }

    /// A worker is done with so many commands; gives what the client may be told of its own.
    pub fn finish(&mut self, worker: WorkerId, commands: u64) -> Option<(u64, u64)> {
        self.flights.arrive(worker.0 as usize, commands)
    }

    fn apply(
        &mut self,
        mut instruction: Instruction,
        context: &mut Context,
        sent: &mut impl FnMut(WorkerId, &Command),
    ) -> Result<()> {
        let (outputs, cost) = self.infer(&instruction)?;
        let worker = match instruction.replaces {
            Some(replaced) => self.registry.get(replaced)?.home,
            None => self.choose(&instruction.inputs, cost, context)?,
        };
        let ready_ns = context.load.assign(worker, context.now_ns, cost);
        for index in 0..instruction.inputs.len() {
            if let Operand::Slot(slot) = instruction.inputs[index] {
                let name = self.bring(slot, worker, context, sent)?;
                instruction.inputs[index] = Operand::Slot(name);
            }
        }
        if let Some(replaced) = instruction.replaces {
            let entry = self.registry.remove(replaced)?;
            self.free_copies(&entry, sent);
        }
        let known = !instruction.op.data_dependent;
        for (&slot, meta) in instruction.outputs.iter().zip(outputs) {
            self.insert(slot, meta, known, worker, ready_ns)?;
        }
        self.emit(worker, Command::Apply(instruction), sent);
        Ok(())
    }

    /// What the results will be, and how long they take; an error if the client did not check.
    fn infer(&self, instruction: &Instruction) -> Result<(SmallVec<[Meta; 1]>, u64)> {
        let mut args: SmallVec<[Arg; 4]> = SmallVec::new();
        for input in &instruction.inputs {
            args.push(match input {
                Operand::Scalar(scalar) => Arg::Scalar(*scalar),
                Operand::Slot(slot) => {
                    let entry = self.registry.get(*slot)?;
                    if !entry.described {
                        return Err(Error::bug(format!("the shape of {slot} is not known yet")));
                    }
                    Arg::Tensor(&entry.meta)
                }
            });
        }
        let call = Call { op: instruction.op, inputs: &args, attrs: &instruction.attrs };
        let outputs = call.infer()?.outputs;
        let metas: SmallVec<[&Meta; 4]> = args
            .iter()
            .filter_map(|arg| match arg {
                Arg::Tensor(meta) => Some(*meta),
                Arg::Scalar(_) => None,
            })
            .collect();
        let cost = (instruction.op.kernel)(&call)?.cost_ns(&metas, &outputs);
        Ok((outputs, cost))
    }

    /// The worker where this ends soonest: work goes where its inputs are and the load is low.
    fn choose(&self, inputs: &[Operand], cost: u64, context: &Context) -> Result<WorkerId> {
        let slots = || {
            inputs.iter().filter_map(|input| match input {
                Operand::Slot(slot) => Some(*slot),
                Operand::Scalar(_) => None,
            })
        };
        if !context.load.has_choice() {
            let only = context.load.workers().next();
            return only.ok_or_else(|| Error::Lost("there is no worker".to_string()));
        }
        let missing = |worker: WorkerId| {
            let (mut present_ns, mut absent) = (0, None::<Needed>);
            for slot in slots() {
                let Ok(entry) = self.registry.get(slot) else { continue };
                if entry.name_on(worker, slot).is_some() {
                    present_ns = present_ns.max(entry.ready_ns);
                    continue;
                }
                let before = absent.unwrap_or(Needed { ready_ns: 0, bytes: 0 });
                let ready_ns = before.ready_ns.max(entry.ready_ns);
                absent = Some(Needed { ready_ns, bytes: before.bytes + entry.meta.bytes() });
            }
            (present_ns, absent)
        };
        let soonest = context.load.soonest(context.now_ns, cost, missing);
        soonest.ok_or_else(|| Error::Lost("there is no worker".to_string()))
    }

    /// The name of a value on `worker`, after having it handed over if it is not there.
    fn bring(
        &mut self,
        slot: Slot,
        worker: WorkerId,
        context: &mut Context,
        sent: &mut impl FnMut(WorkerId, &Command),
    ) -> Result<Slot> {
        let entry = self.registry.get(slot)?;
        if let Some(name) = entry.name_on(worker, slot) {
            return Ok(name);
        }
        let (home, tag) = (entry.home, *context.next_tag);
        *context.next_tag += 1;
        let name = self.registry.name_copy();
        self.registry.get_mut(slot)?.copies.push((worker, name));
        self.emit(home, Command::Send { slot, to: worker, tag }, sent);
        self.emit(worker, Command::Receive { out: name, tag }, sent);
        Ok(name)
    }

    fn free(&mut self, slot: Slot, sent: &mut impl FnMut(WorkerId, &Command)) -> Result<()> {
        let entry = self.registry.remove(slot)?;
        self.emit(entry.home, Command::Free(SmallVec::from_iter([slot])), sent);
        self.free_copies(&entry, sent);
        Ok(())
    }

    fn free_copies(&mut self, entry: &Entry, sent: &mut impl FnMut(WorkerId, &Command)) {
        for &(worker, name) in &entry.copies {
            self.emit(worker, Command::Free(SmallVec::from_iter([name])), sent);
        }
    }

    fn insert(
        &mut self,
        slot: Slot,
        meta: Meta,
        described: bool,
        home: WorkerId,
        ready_ns: u64,
    ) -> Result<()> {
        let copies = SmallVec::new();
        self.registry.insert(slot, Entry { meta, described, home, ready_ns, copies })
    }

    fn emit(
        &mut self,
        worker: WorkerId,
        command: Command,
        sent: &mut impl FnMut(WorkerId, &Command),
    ) {
        let index = worker.0 as usize;
        if self.outgoing.len() <= index {
            self.outgoing.resize_with(index + 1, Batch::default);
        }
        sent(worker, &command);
        self.outgoing[index].push(&command);
    }
}

/// The client's batches that workers have not finished, so that the client knows how far ahead of
/// the workers it is.
#[derive(Debug, Default)]
struct Flights {
    /// The oldest flight's number.
    first: u64,
    flights: VecDeque<Flight>,
    /// For each worker, in order: a flight's number, and how many commands are left of it there.
    legs: Vec<VecDeque<(u64, u64)>>,
}

#[derive(Debug)]
struct Flight {
    commands: u64,
    bytes: u64,
    waiting: usize,
}

impl Flights {
    /// Part of the next flight leaves for a worker.
    fn depart(&mut self, worker: usize, commands: u64) {
        if self.legs.len() <= worker {
            self.legs.resize_with(worker + 1, VecDeque::new);
        }
        let number = self.first + self.flights.len() as u64;
        self.legs[worker].push_back((number, commands));
    }

    fn begin(&mut self, flight: Flight) {
        self.flights.push_back(flight);
    }

    /// A worker finished commands; gives the commands and bytes of all flights that are over.
    fn arrive(&mut self, worker: usize, mut commands: u64) -> Option<(u64, u64)> {
        let legs = self.legs.get_mut(worker)?;
        while commands > 0 {
            let (number, left) = legs.front_mut()?;
            let finished = commands.min(*left);
            commands -= finished;
            *left -= finished;
            if *left == 0 {
                let index = (*number - self.first) as usize;
                self.flights[index].waiting -= 1;
                legs.pop_front();
            }
        }
        let mut done = (0, 0);
        while self.flights.front().is_some_and(|flight| flight.waiting == 0) {
            let flight = self.flights.pop_front()?;
            self.first += 1;
            done = (done.0 + flight.commands, done.1 + flight.bytes);
        }
        (done.0 > 0).then_some(done)
    }
}

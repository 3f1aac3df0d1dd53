//! One client's stream: its names, its signals, and how its commands are rewritten for workers.

use std::collections::HashMap;

use gt_core::attrs::{Attrs, NO_ATTRS};
use gt_core::instruction::{Command, Instruction, Operand};
use gt_core::op::{Arg, Call, Op};
use gt_core::record::Parts;
use gt_core::{Error, Meta, RequestId, Result, SessionId, Slot, WorkerId};
use gt_transport::{Batch, Peer};
use smallvec::SmallVec;

use crate::context::{Context, Witness};
use crate::flights::{Flight, Flights};
use crate::load::Needed;
use crate::outbox::Outbox;
use crate::registry::{Entry, Registry};
use crate::trust::Trust;

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
    trust: Trust,
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
            trust: Trust::default(),
        }
    }

    /// Rewrites the `index`-th command of a batch without taking it apart more than needed. Says
    /// whether it did; [`Session::rewrite`] does the same for every kind of command.
    pub fn rewrite_quickly(
        &mut self,
        batch: &Batch,
        index: usize,
        context: &mut Context,
    ) -> Result<bool> {
        let nobody = &mut Witness(None);
        if let Some(compact) = batch.compact(index) {
            let (record, Parts { op, mut operands, replaces }) = compact?;
            let outputs = [Slot(record.out)];
            let request = Request { op, outputs: &outputs, attrs: &NO_ATTRS, replaces };
            let worker = self.place(&request, &mut operands, context, nobody)?;
            self.outgoing(worker).records.push(record.renamed(&operands));
            return Ok(true);
        }
        match batch.freed(index) {
            Some(slots) => {
                slots?.iter().try_for_each(|&slot| self.free(slot, nobody)).map(|()| true)
            }
            None => Ok(false),
        }
    }

    /// Rewrites one command into commands for workers. `sent` hears of each of them.
    pub fn rewrite(
        &mut self,
        command: Command,
        context: &mut Context,
        sent: &mut Witness,
    ) -> Result<()> {
        match command {
            Command::Apply(instruction) => self.apply(instruction, context, sent),
            Command::Upload { out, meta, data, provenance } => {
                let cost = meta.bytes() as u64;
                let worker = self.choose(&[], cost, context)?;
                let ready_ns = context.load.assign(worker, context.now_ns, cost);
                self.insert(out, meta.clone(), true, worker, ready_ns)?;
                self.trust.busy(worker);
                self.emit(worker, Command::Upload { out, meta, data, provenance }, sent);
                Ok(())
            }
            Command::Free(slots) => slots.iter().try_for_each(|&slot| self.free(slot, sent)),
            Command::Read { slot, request } => {
                let home = self.registry.get(slot)?.home;
                self.settle(home, context, sent);
                self.emit(home, Command::Read { slot, request }, sent);
                Ok(())
            }
            Command::Describe { slot, request } => {
                let home = self.registry.get(slot)?.home;
                self.described.insert(request, slot);
                self.settle(home, context, sent);
                self.emit(home, Command::Describe { slot, request }, sent);
                Ok(())
            }
            Command::Sync { request } => {
                let first = context.load.workers().next();
                let worker = first.ok_or_else(|| Error::Lost("there is no worker".to_string()))?;
                self.settle(worker, context, sent);
                self.emit(worker, Command::Sync { request }, sent);
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
            Command::Send { .. }
            | Command::Receive { .. }
            | Command::Vouch { .. }
            | Command::Settle { .. }
            | Command::Heed { .. } => Err(Error::bug("a client does not speak for workers")),
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

    /// Sends what was rewritten since the last time, as the rewriting of one batch of the client;
    /// gives what the client may be told is done, because no worker has anything to do for it.
    pub fn flush(&mut self, commands: u64, bytes: u64, out: &mut Outbox) -> Option<(u64, u64)> {
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
        self.flights.land()
    }

    /// A worker is done with so many commands; gives what the client may be told of its own.
    pub fn finish(&mut self, worker: WorkerId, commands: u64) -> Option<(u64, u64)> {
        self.flights.arrive(worker.0 as usize, commands)
    }

    fn apply(
        &mut self,
        mut instruction: Instruction,
        context: &mut Context,
        sent: &mut Witness,
    ) -> Result<()> {
        let Instruction { op, outputs, inputs, attrs, replaces, .. } = &mut instruction;
        let request = Request { op, outputs, attrs, replaces: *replaces };
        let worker = self.place(&request, inputs, context, sent)?;
        self.emit(worker, Command::Apply(instruction), sent);
        Ok(())
    }

    /// Decides where an instruction runs, brings its inputs there under the names they have there,
    /// and enters its results.
    fn place(
        &mut self,
        request: &Request,
        inputs: &mut [Operand],
        context: &mut Context,
        sent: &mut Witness,
    ) -> Result<WorkerId> {
        let Estimate { metas, cost, risky } = self.infer(request, inputs)?;
        let worker = match request.replaces {
            Some(replaced) => {
                let old = self.registry.get(replaced)?;
                check_replaced(old, request.op, &metas[0])?;
                old.home
            }
            None => self.choose(inputs, cost, context)?,
        };
        let ready_ns = context.load.assign(worker, context.now_ns, cost);
        for input in inputs {
            if let Operand::Slot(slot) = *input {
                *input = Operand::Slot(self.bring(slot, worker, context, sent)?);
            }
        }
        if let Some(replaced) = request.replaces {
            self.hear(worker, context, sent);
            let entry = self.forget(replaced)?;
            self.free_copies(&entry, sent);
        }
        match risky {
            true => self.trust.risk(worker),
            false => self.trust.busy(worker),
        }
        let known = !request.op.data_dependent;
        for (&slot, meta) in request.outputs.iter().zip(metas) {
            self.insert(slot, meta, known, worker, ready_ns)?;
        }
        Ok(worker)
    }

    /// What the results will be, and how long they take; an error if the client did not check.
    fn infer(&self, request: &Request, inputs: &[Operand]) -> Result<Estimate> {
        let mut args: SmallVec<[Arg; 4]> = SmallVec::new();
        let mut metas: SmallVec<[&Meta; 4]> = SmallVec::new();
        for input in inputs {
            match input {
                Operand::Scalar(scalar) => args.push(Arg::Scalar(*scalar)),
                Operand::Slot(slot) => {
                    let entry = self.registry.get(*slot)?;
                    if !entry.described {
                        return Err(Error::bug(format!("the shape of {slot} is not known yet")));
                    }
                    args.push(Arg::Tensor(&entry.meta));
                    metas.push(&entry.meta);
                }
            }
        }
        let call = Call { op: request.op, inputs: &args, attrs: request.attrs };
        let inferred = call.infer()?;
        let kernel = (request.op.kernel)(&call)?;
        let cost = kernel.cost_ns(&metas, &inferred.outputs);
        let risky = kernel.depends_on_data(inferred.compute);
        Ok(Estimate { metas: inferred.outputs, cost, risky })
    }

    /// Before `worker` replaces a value it must know whether something has failed elsewhere.
    fn hear(&mut self, worker: WorkerId, context: &mut Context, sent: &mut Witness) {
        for other in self.trust.ask(worker) {
            let tag = context.tag();
            self.emit(other, Command::Vouch { to: worker, tag }, sent);
            self.emit(worker, Command::Heed { tag }, sent);
        }
    }

    /// The client is about to hear from `worker`, which must speak for all.
    fn settle(&mut self, worker: WorkerId, context: &mut Context, sent: &mut Witness) {
        for other in self.trust.settle(worker) {
            let tag = context.tag();
            self.emit(other, Command::Settle { to: worker, tag }, sent);
            self.emit(worker, Command::Heed { tag }, sent);
        }
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
        sent: &mut Witness,
    ) -> Result<Slot> {
        let entry = self.registry.get(slot)?;
        if let Some(name) = entry.name_on(worker, slot) {
            return Ok(name);
        }
        let (home, tag) = (entry.home, context.tag());
        let name = self.registry.name_copy();
        self.registry.get_mut(slot)?.copies.push((worker, name));
        self.emit(home, Command::Send { slot, to: worker, tag }, sent);
        self.emit(worker, Command::Receive { out: name, tag }, sent);
        Ok(name)
    }

    fn free(&mut self, slot: Slot, sent: &mut Witness) -> Result<()> {
        let entry = self.forget(slot)?;
        self.emit_free(entry.home, slot, sent);
        self.free_copies(&entry, sent);
        Ok(())
    }

    /// Takes a value's name away, and with it what was asked about it: the next value of that name
    /// must not be described by the answer.
    fn forget(&mut self, slot: Slot) -> Result<Entry> {
        let entry = self.registry.remove(slot)?;
        if !entry.described {
            self.described.retain(|_, asked| *asked != slot);
        }
        Ok(entry)
    }

    fn free_copies(&mut self, entry: &Entry, sent: &mut Witness) {
        for &(worker, name) in &entry.copies {
            self.emit_free(worker, name, sent);
        }
    }

    fn emit_free(&mut self, worker: WorkerId, slot: Slot, sent: &mut Witness) {
        sent.see(worker, || Command::Free(SmallVec::from_iter([slot])));
        self.outgoing(worker).push_free(&[slot]);
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

    fn emit(&mut self, worker: WorkerId, command: Command, sent: &mut Witness) {
        self.outgoing(worker).push(&command);
        sent.see(worker, || command);
    }

    fn outgoing(&mut self, worker: WorkerId) -> &mut Batch {
        let index = worker.0 as usize;
        if self.outgoing.len() <= index {
            self.outgoing.resize_with(index + 1, Batch::default);
        }
        &mut self.outgoing[index]
    }
}

/// An instruction apart from its inputs.
struct Request<'a> {
    op: &'static Op,
    outputs: &'a [Slot],
    attrs: &'a Attrs,
    replaces: Option<Slot>,
}

/// What an instruction will make, how long it takes, and whether data can make it fail.
struct Estimate {
    metas: SmallVec<[Meta; 1]>,
    cost: u64,
    risky: bool,
}

/// A result that fails is the value it replaces, so both must be alike for everybody who knows only
/// dtype and shape.
fn check_replaced(old: &Entry, op: &Op, result: &Meta) -> Result<()> {
    if old.described && !op.data_dependent && old.meta == *result {
        return Ok(());
    }
    let (name, old) = (op.name, &old.meta);
    Err(Error::bug(format!("{name} puts {result} in the place of {old}")))
}

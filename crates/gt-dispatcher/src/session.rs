//! One client's session: its stream is rewritten into commands for workers.
//!
//! For each command of the client, in order:
//! 1. `decide` (a pure function) chooses where an instruction runs, from its row, the placements of
//!    its inputs and the wishes of its scope;
//! 2. `commit` has it run there, on the workers of a mesh. A value that is whole on one worker is
//!    on a mesh of one, and takes the same way. Inputs that lie elsewhere are moved first
//!    (`reshard`); composites without a signature of their own are expanded into parts that are
//!    placed one by one (`expand`);
//! 3. results enter the registry, which alone knows where every value is;
//! 4. workers get commands. One worker's commands go through its [`Lane`]. What several workers of
//!    a mesh get alike is a [`Run`], encoded once; a run closes before one of its workers gets
//!    anything else, so that each worker sees the order of the stream.
//!
//! Commands wait here until they are worth a message or a client waits for one (`outgoing`), and a
//! worker has a bounded time of work in flight. Updates in place go ahead only if nothing before
//! them failed on any worker: the [`FailureBarrier`] collects reports and sends verdicts. A value
//! whose only worker is gone stays in the registry as lost, and its readers get the cause (`lose`).

use std::collections::{BTreeMap, HashMap};

use gt_core::attrs::Attrs;
use gt_core::instruction::{Command, Instruction, Replaces};
use gt_core::placement::Cuts;
use gt_core::record::Parts;
use gt_core::{Error, Provenance, RequestId, Result, SessionId, SignatureId, Slot, WorkerId};
use gt_transport::hello::Hello;
use gt_transport::report::Modifiers;
use gt_transport::share::Share;
use gt_transport::{Batch, Message, Peer};
use smallvec::SmallVec;

use self::commit::Said;
use self::lane::Lane;
use self::report::PendingMemoryQuery;
use self::run::Run;
use self::seats::Seats;
use self::trail::Trail;
use crate::context::{Context, Pace};
use crate::decide::Caches;
use crate::expected::{Expected, Reply, Way};
use crate::explanation::Explanation;
use crate::failure_barrier::{FailureBarrier, Whom};
use crate::in_flight::{BatchInFlight, InFlight};
use crate::outbox::Outbox;
use crate::placements::PlacementId;
use crate::registry::{Entry, Registry};
use crate::scopes::Scopes;
use crate::worker_map::WorkerMap;

mod ask;
mod barrier;
mod choose;
mod commit;
mod drain;
mod engage;
mod expand;
mod explain;
mod lane;
pub(crate) mod lose;
mod outgoing;
mod place;
mod read;
mod recipes;
mod report;
mod reshard;
mod run;
mod seats;
pub(crate) mod trail;
mod transfer;

/// Limit on commands in flight. A client's own flow control stops far below it; one that exceeds it
/// breaks the protocol.
const MOST_COMMANDS: u64 = 1 << 20;
/// The same for the bytes that commands in flight take between processes.
const MOST_BYTES: u64 = 256 << 20;

/// Whether a client can use sockets of the dispatcher's host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It is on the same host, and its user may.
    Local,
    /// It is not.
    Remote,
}

/// A client's session.
#[derive(Debug)]
pub struct Session {
    id: SessionId,
    /// The name of its client.
    pub name: String,
    reach: Reach,
    /// Whether copies of what it reads and replaces are compared.
    compares_copies: bool,
    /// Whether results that are not finite fail, if their inputs are.
    checks_nan: bool,
    /// Its share of the workers' time and memory, once assigned.
    share: Option<Share>,
    /// Whether its client is silent or disconnected.
    is_away: bool,
    /// The memory that the client asked for on each worker; unlimited if absent.
    wanted_bytes: Option<u64>,
    /// Its workers.
    seats: Seats,
    /// The worker where what is computed whole stays, once there was something.
    home: Option<WorkerId>,
    /// Messages that are sent before its commands.
    letters: Vec<(Peer, Message)>,
    /// Where its values are.
    pub registry: Registry,
    /// What was inferred and chosen before.
    caches: Caches,
    /// The signals around its instructions.
    pub(crate) scopes: Scopes,
    /// Values whose shape depends on data, by the client's request for it.
    described: BTreeMap<RequestId, Slot>,
    /// What each worker was given, and how far it is.
    lanes: WorkerMap<Lane>,
    /// Commands for all workers of a mesh; they follow those in the lanes.
    run: Run,
    /// The numbers of signatures that workers know.
    signatures: HashMap<(PlacementId, Cuts), SignatureId>,
    /// Since when commands are held back.
    held_since: Option<u64>,
    in_flight: InFlight,
    /// Requests for memory usage that workers have not answered.
    memory_queries: BTreeMap<RequestId, PendingMemoryQuery>,
    /// The names by which the command under way uses values on meshes.
    in_use: SmallVec<[Slot; 4]>,
    /// Those of them that are partial sums and were reduced meanwhile.
    ended_sums: SmallVec<[(PlacementId, Slot); 2]>,
    failure_barrier: FailureBarrier,
    pub(crate) trail: Trail,
    modifiers: Modifiers,
    /// Records decisions for `explain`.
    explanation: Option<Box<Explanation>>,
    /// Bytes moved between workers, by sender and receiver.
    moved: BTreeMap<(WorkerId, WorkerId), u64>,
}

impl Session {
    /// A session without values and workers.
    pub fn new(id: SessionId, hello: &Hello, reach: Reach) -> Self {
        Session {
            id,
            name: hello.name.clone(),
            reach,
            compares_copies: hello.compare_copies,
            checks_nan: hello.check_nan,
            share: None,
            is_away: false,
            wanted_bytes: hello.memory_bytes,
            seats: Seats::for_workers(hello.workers.map(|wanted| wanted as usize)),
            home: None,
            letters: Vec::new(),
            registry: Registry::default(),
            caches: Caches::default(),
            scopes: Scopes::default(),
            described: BTreeMap::new(),
            lanes: WorkerMap::default(),
            run: Run::default(),
            signatures: HashMap::new(),
            held_since: None,
            in_flight: InFlight::default(),
            memory_queries: BTreeMap::new(),
            in_use: SmallVec::new(),
            ended_sums: SmallVec::new(),
            failure_barrier: FailureBarrier::default(),
            trail: Trail::default(),
            modifiers: Modifiers::default(),
            explanation: None,
            moved: BTreeMap::new(),
        }
    }

    /// How many commands for a worker are not done.
    pub fn queued_at(&self, worker: WorkerId) -> u64 {
        self.lanes.get(worker).map_or(0, Lane::left)
    }

    /// How many commands of the client are not done.
    pub fn queued(&self) -> u64 {
        self.in_flight.commands()
    }

    /// Rewrites the `index`-th command of a batch without taking it apart more than needed. Says
    /// whether it did; [`Session::rewrite`] does the same for every kind of command.
    pub fn rewrite_quickly(
        &mut self,
        batch: &Batch,
        index: usize,
        context: &mut Context,
    ) -> Result<bool> {
        if let Some(record) = batch.compact(index) {
            let (record, Parts { op, operands: inputs, replaces }) = record?;
            let (outputs, attrs) = (SmallVec::from_slice(&[Slot(record.out)]), Attrs::none());
            let (replaces, provenance) = (Replaces::first(replaces), Provenance(record.provenance));
            let mut instruction = Instruction { op, outputs, inputs, attrs, replaces, provenance };
            self.place(Said { instruction: &mut instruction, record: Some(record) }, context)?;
            self.end_use();
            return Ok(true);
        }
        match batch.freed(index) {
            Some(slots) => slots?.iter().try_for_each(|&slot| self.free(slot)).map(|()| true),
            None => Ok(false),
        }
    }

    /// Rewrites one command into commands for workers.
    pub fn rewrite(&mut self, command: Command, context: &mut Context) -> Result<()> {
        self.rewrite_one(command, context)?;
        self.end_use();
        Ok(())
    }

    fn rewrite_one(&mut self, command: Command, context: &mut Context) -> Result<()> {
        match command {
            Command::Apply(mut instruction) => {
                self.place(Said { instruction: &mut instruction, record: None }, context)
            }
            Command::Upload { out, meta, provenance, .. } if self.is_deserted() => {
                self.insert_lost(out, meta, provenance)
            }
            Command::Upload { out, meta, data, provenance } => {
                let place = self.place_upload(out, &meta, provenance, context)?;
                self.emit_all(place, &Command::Upload { out, meta, data, provenance });
                self.spread_upload(out, context)
            }
            Command::Announce { out, meta, provenance, .. } if self.is_deserted() => {
                self.insert_lost(out, meta, provenance)
            }
            Command::Announce { out, meta, number, provenance } => {
                self.announce(out, meta, number, provenance, context)
            }
            Command::Free(slots) => slots.iter().try_for_each(|&slot| self.free(slot)),
            Command::Read { slot, request } => {
                self.make_whole(slot, context)?;
                self.read(slot, request, context)
            }
            Command::Describe { slot, request } => self.ask_shape(slot, request, context),
            Command::Sync { request } => {
                let Some(worker) = self.speaker(context) else {
                    return self.answer_lost(request, lose::no_worker(), context);
                };
                self.settle(worker, Whom::Everybody);
                self.emit(worker, &Command::Sync { request });
                self.expect_reply(worker, Reply::Answer(request), Way::Message.into())
            }
            Command::Ask { question, request } => self.answer_question(question, request),
            Command::DefineScope { scope, parent, wish, .. } => {
                self.scopes.define(scope, parent, wish)
            }
            Command::Scope(scope) => {
                self.scopes.enter(scope, self.seats.all(), &mut self.registry.placements)
            }
            Command::Receive { .. }
            | Command::Report { .. }
            | Command::Vote { .. }
            | Command::Settle { .. }
            | Command::DefineSignature { .. }
            | Command::Signature(_)
            | Command::Move(_)
            | Command::Wait { .. } => Err(Error::bug("a client does not speak for workers")),
        }
    }

    /// Panics if what is known of it contradicts itself.
    pub fn check(&self) {
        self.registry.check();
        self.lanes.iter().for_each(|(_, lane)| lane.check());
        assert!(
            self.in_use.is_empty() && self.ended_sums.is_empty(),
            "a command was left unfinished"
        );
        self.seats.check();
        let is_known = |worker: WorkerId| self.seats.busy().any(|own| own == worker);
        for (_, entry) in self.registry.values_of_first(usize::MAX) {
            let mut at =
                entry.at.iter().flat_map(|(place, _)| self.registry.placements.members(*place));
            assert!(at.all(|member| is_known(*member)), "{entry:?} is on a worker that is gone");
        }
    }

    /// An error if the client has more in flight than its flow control allows.
    pub fn check_pace(&self, batch: &Batch, context: &Context) -> Result<()> {
        let commands = self.in_flight.commands() + batch.len() as u64;
        let bytes = self.in_flight.held_bytes() + batch.bytes() as u64;
        let between_processes = context.tickets.is_some();
        if commands > MOST_COMMANDS || (between_processes && bytes > MOST_BYTES) {
            return Err(Error::value(format!(
                "{commands} commands of {bytes} bytes are under way, more than a client may send \
                 before workers are done with them"
            )));
        }
        Ok(())
    }

    /// Sends what was rewritten since the last time, as the rewriting of one batch of the client;
    /// gives what the client may be told is done, because no worker has anything to do for it.
    pub fn flush(
        &mut self,
        commands: u64,
        bytes: u64,
        pace: Pace,
        out: &mut Outbox,
    ) -> Option<(u64, u64)> {
        self.letters.drain(..).for_each(|(to, letter)| out.send(to, letter));
        let waiting = self.join_batch();
        self.send_due(pace, out);
        self.judge(out);
        self.in_flight.begin(BatchInFlight { commands, bytes, held_bytes: bytes, waiting });
        self.in_flight.land()
    }

    /// What workers were given belongs to the next batch in flight; gives how many have a part.
    fn join_batch(&mut self) -> usize {
        let (batch, shared) = (self.in_flight.next(), self.run.position());
        let members = self.run.mesh().map(|mesh| self.registry.placements.members(mesh));
        let mut waiting = 0;
        for &member in members.filter(|_| shared > 0).unwrap_or_default() {
            waiting += usize::from(self.lanes.of(member).join_batch(batch, shared));
        }
        // Those of the run have joined, and have no more.
        for (_, lane) in self.lanes.iter_mut() {
            waiting += usize::from(lane.join_batch(batch, 0));
        }
        waiting
    }

    /// Sends commands that are not to be held back any longer.
    pub fn send_due(&mut self, pace: Pace, out: &mut Outbox) {
        self.close_run_if_due(pace);
        for (worker, lane) in self.lanes.iter_mut() {
            for batch in lane.take(pace) {
                out.send_commands(Peer::Worker(worker), self.id, batch);
            }
        }
        self.note_held();
    }

    /// Finds out since when commands are held back.
    fn note_held(&mut self) {
        let held = self.lanes.iter().filter_map(|(_, lane)| lane.held_since());
        self.held_since = held.chain(self.run_held_since()).min();
    }

    /// The client no longer waits for what it asked for. Workers decide which commands need not
    /// run, so they get everything that is held back.
    pub fn cancel(&mut self, request: Option<RequestId>, pace: Pace, out: &mut Outbox) {
        self.close_run();
        self.lanes.iter_mut().for_each(|(_, lane)| lane.outgoing.release());
        self.send_due(pace, out);
        let workers: SmallVec<[WorkerId; 4]> = self.seats.busy().collect();
        for worker in workers {
            // What a worker has deferred, it runs when the client waits for everything.
            self.failure_barrier.defer(worker);
            out.send(Peer::Worker(worker), Message::Cancel { session: self.id, request });
        }
    }

    /// Since when commands are held back, if some are.
    pub fn held_since(&self) -> Option<u64> {
        self.held_since
    }

    fn free(&mut self, slot: Slot) -> Result<()> {
        for (place, name) in self.forget(slot)?.at {
            self.emit_free_all(place, name);
        }
        Ok(())
    }

    /// Takes a value's name away, and with it what was asked about it: the next value of that name
    /// must not be described by the answer.
    fn forget(&mut self, slot: Slot) -> Result<Entry> {
        let entry = self.registry.remove(slot)?;
        if !self.described.is_empty() {
            self.described.retain(|_, asked| *asked != slot);
        }
        Ok(entry)
    }

    fn emit_free(&mut self, worker: WorkerId, slot: Slot) {
        self.lane(worker).outgoing.push_free(&[slot]);
    }

    fn emit(&mut self, worker: WorkerId, command: &Command) {
        self.lane(worker).outgoing.push(command);
    }

    /// The lane of a worker that is given something next, after what it shares with others.
    fn lane(&mut self, worker: WorkerId) -> &mut Lane {
        if self.is_in_run(worker) {
            self.close_run();
        }
        let lane = self.lanes.of(worker);
        lane.mark(self.trail.instruction);
        lane
    }

    /// The last command for a worker asks it to send something.
    fn expect_reply(&mut self, worker: WorkerId, reply: Reply, what: Expected) -> Result<()> {
        let lane = self.lanes.of(worker);
        if lane.expected.expect_reply(lane.given(), reply, what) {
            return Ok(());
        }
        Err(Error::bug(format!("{reply:?} is asked for twice")))
    }
}

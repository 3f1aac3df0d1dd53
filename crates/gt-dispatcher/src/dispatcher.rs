//! The dispatcher as a machine: one message goes in, messages come out.

use std::collections::BTreeMap;

use gt_core::event::Station;
use gt_core::instruction::Command;
use gt_core::{Error, RequestId, Result, SessionId, WorkerId};
use gt_transport::hello::{Hello, WorkerInfo};
use gt_transport::report::Channels;
use gt_transport::share::Share;
use gt_transport::{Batch, Message, Peer};

use crate::context::{Context, Pace};
use crate::load::{Health, Load};
use crate::outbox::Outbox;
use crate::recording::Recording;
use crate::session::lose::failure_of_lost;
use crate::session::{Reach, Session};
use crate::tickets::Tickets;
use crate::worker_table::WorkerTable;

mod drain;
mod observe;
mod report;
mod values;

/// So many workers are given what is for them without being held back longer than told …
const FEW_WORKERS: usize = 8;
/// … and however many there are, it takes no more than so many times as long.
const MOST_TIMES_LONGER: usize = 10;

/// All sessions and all workers, as the dispatcher knows them.
#[derive(Debug)]
pub struct Dispatcher {
    sessions: BTreeMap<SessionId, Session>,
    load: Load,
    worker_table: WorkerTable,
    /// The largest number that a session had.
    last_session: SessionId,
    next_tag: u64,
    tickets: Option<Tickets>,
    /// How long commands are held back that are too few to be worth a message.
    hold_ns: u64,
    /// When the first of them have to go.
    flush_at_ns: Option<u64>,
    recording: Recording,
    /// Whether sessions are checked for contradictions after each step.
    checks: bool,
}

impl Default for Dispatcher {
    fn default() -> Self {
        Dispatcher::new()
    }
}

impl Dispatcher {
    /// A dispatcher without sessions and workers.
    pub fn new() -> Self {
        let (sessions, load, worker_table) = Default::default();
        let last_session = SessionId(0);
        Dispatcher {
            sessions,
            load,
            worker_table,
            last_session,
            next_tag: 0,
            tickets: None,
            hold_ns: 0,
            flush_at_ns: None,
            recording: Recording::default(),
            checks: cfg!(debug_assertions),
        }
    }

    /// The same, for workers and clients in processes of their own: larger values travel straight
    /// between them.
    pub fn between_processes(self, tickets: Tickets) -> Self {
        Dispatcher { tickets: Some(tickets), ..self }
    }

    /// The same, where a message costs more than the few instructions in it: what nobody waits for
    /// is joined for so long. [`Dispatcher::flush`] has to be called in time.
    pub fn holding(self, hold_ns: u64) -> Self {
        Dispatcher { hold_ns, ..self }
    }

    /// The same for simulations: it panics after a step that leaves a session in a state that
    /// contradicts itself.
    pub fn checking(self) -> Self {
        Dispatcher { checks: true, ..self }
    }

    /// When commands that are held back have to go, if some are.
    pub fn flush_at_ns(&self) -> Option<u64> {
        self.flush_at_ns
    }

    /// Sends what was held back for long enough.
    pub fn flush(&mut self, now_ns: u64, out: &mut Outbox) {
        let (pace, before) = (self.pace(now_ns), out.len());
        let due = |since: u64| since.saturating_add(pace.hold_ns);
        for session in self.sessions.values_mut() {
            if session.held_since().is_some_and(|since| due(since) <= now_ns) {
                session.send_due(pace, out);
            }
        }
        // What still waits has a worker that is busy, and goes when that is done.
        let later = self.sessions.values().filter_map(Session::held_since).map(due);
        self.flush_at_ns = later.filter(|at_ns| *at_ns > now_ns).min();
        self.end_step(now_ns, before, out);
    }

    /// What is shared out among many workers is little for each of them, and is held back longer.
    fn pace(&self, now_ns: u64) -> Pace {
        let times = (self.worker_table.len() / FEW_WORKERS).clamp(1, MOST_TIMES_LONGER);
        Pace { now_ns, hold_ns: self.hold_ns.saturating_mul(times as u64) }
    }

    /// Takes one message. A session that breaks the rules is ended; nobody else notices. A worker
    /// that breaks them is lost to those who had something there.
    pub fn step(&mut self, now_ns: u64, from: Peer, message: Message, out: &mut Outbox) {
        let before = out.len();
        match from {
            Peer::Client(session) => {
                if let Err(error) = self.step_client(now_ns, session, message, out) {
                    self.end(now_ns, session, out);
                    out.send(from, Message::Ended { session, error });
                }
            }
            Peer::Worker(worker) => {
                if let Err(error) = self.step_worker(now_ns, worker, message, out) {
                    let ended = Message::Ended { session: SessionId(0), error };
                    self.lose_worker(now_ns, worker, "broke the rules", out);
                    out.send(from, ended);
                }
            }
            Peer::Relay => {}
        }
        self.end_step(now_ns, before, out);
    }

    /// Opens a session for a client.
    pub fn open(&mut self, now_ns: u64, id: SessionId, hello: &Hello, reach: Reach) -> Result<()> {
        if self.sessions.contains_key(&id) {
            return Err(Error::bug("a session was opened twice"));
        }
        let wanted = hello.workers.map(|wanted| wanted as usize);
        let mut session = Session::new(id, hello, reach);
        for worker in self.worker_table.engage(wanted) {
            session.engage(worker);
        }
        self.sessions.insert(id, session);
        self.last_session = self.last_session.max(id);
        self.recording.peer(now_ns, Station::Connected, id, None, &hello.name);
        Ok(())
    }

    /// A session gets so much of the workers' time from now on.
    pub fn set_share(&mut self, session: SessionId, share: Share, out: &mut Outbox) {
        if let Some(open) = self.sessions.get_mut(&session) {
            open.set_share(share, out);
        }
    }

    /// Nothing is heard of the client of a session, or something is heard again.
    pub fn set_away(&mut self, session: SessionId, is_away: bool, out: &mut Outbox) {
        if let Some(open) = self.sessions.get_mut(&session) {
            open.set_away(is_away, out);
        }
    }

    /// Ends a session, if it is open, and tells its client why.
    pub fn close(&mut self, now_ns: u64, session: SessionId, error: Error, out: &mut Outbox) {
        if self.end(now_ns, session, out) {
            out.send(Peer::Client(session), Message::Ended { session, error });
        }
    }

    /// A worker is gone. Values that only it had are lost, and who asks for one gets an error.
    pub fn lose(&mut self, now_ns: u64, worker: WorkerId, why: &str, out: &mut Outbox) {
        let before = out.len();
        self.lose_worker(now_ns, worker, why, out);
        self.end_step(now_ns, before, out);
    }

    fn lose_worker(&mut self, now_ns: u64, worker: WorkerId, why: &str, out: &mut Outbox) {
        let Some(member) = self.worker_table.leave(worker) else { return };
        self.load.leave(worker);
        self.tickets.iter_mut().for_each(|tickets| tickets.forget(worker));
        let (name, host) = (&member.info.name, &member.info.host);
        let gone = Station::Disconnected;
        self.recording.peer(now_ns, gone, SessionId(0), Some(worker), name);
        let failure = failure_of_lost(format!(
            "worker {name} on {host} {why}, and this value was there; compute it again, or load \
             the last checkpoint"
        ));
        let pace = self.pace(now_ns);
        for id in self.sessions.keys().copied().collect::<Vec<_>>() {
            let Some(session) = self.sessions.get_mut(&id) else { continue };
            session.lose(worker, &failure, out);
            // Whoever asked for some of the workers gets another one for it.
            if let Some(other) = self.worker_table.least_shared(session.workers())
                && session.engage(other)
            {
                self.worker_table.count(other, 1);
            }
            // Parts that are of no use any more are freed, whether or not its client goes on.
            self.send(id, (0, 0), pace, out);
        }
    }

    /// A worker fell silent, or was heard again.
    pub fn set_health(&mut self, worker: WorkerId, health: Health) {
        self.load.set_health(worker, health);
    }

    /// The open sessions.
    pub fn sessions(&self) -> impl Iterator<Item = (SessionId, &Session)> {
        self.sessions.iter().map(|(&id, session)| (id, session))
    }

    /// The workers that are there.
    pub fn worker_table(&self) -> &WorkerTable {
        &self.worker_table
    }

    /// A worker says how many bytes its values take.
    pub fn note_memory(&mut self, worker: WorkerId, used_bytes: u64) {
        if let Some(member) = self.worker_table.get_mut(worker) {
            member.used_bytes = used_bytes;
        }
        self.load.note_memory(worker, used_bytes);
    }

    /// A worker says what travelled between it and others.
    pub fn note_channels(&mut self, worker: WorkerId, channels: Channels) {
        self.load.note_channels(worker, &channels);
        if let Some(member) = self.worker_table.get_mut(worker) {
            member.channels = channels;
        }
    }

    /// Bytes that the values on a session's workers take, those of others included.
    pub fn used_bytes(&self, session: SessionId) -> u64 {
        let workers = self.sessions.get(&session).into_iter().flat_map(Session::workers);
        let members = workers.filter_map(|worker| self.worker_table.get(worker));
        members.map(|member| member.used_bytes).fold(0, u64::saturating_add)
    }

    /// How many commands for a worker are not done.
    pub fn queued_at(&self, worker: WorkerId) -> u64 {
        self.sessions.values().map(|session| session.queued_at(worker)).sum()
    }

    /// The messages from `before` on came from one step.
    fn end_step(&mut self, now_ns: u64, before: usize, out: &Outbox) {
        if self.checks {
            self.sessions.values().for_each(Session::check);
        }
        self.record_outbox(now_ns, before, out);
    }

    /// The session, while it is open.
    pub fn session(&self, id: SessionId) -> Option<&Session> {
        self.sessions.get(&id)
    }

    fn step_client(
        &mut self,
        now_ns: u64,
        id: SessionId,
        message: Message,
        out: &mut Outbox,
    ) -> Result<()> {
        match message {
            Message::Hello(hello) => self.open(now_ns, id, &hello, Reach::Local),
            Message::Commands { session, batch } if session == id => {
                self.rewrite(now_ns, id, &batch, out)
            }
            Message::Commands { .. } => {
                Err(Error::bug("a client sent commands for the session of somebody else"))
            }
            Message::Bye => {
                self.end(now_ns, id, out);
                Ok(())
            }
            Message::MemoryQuery { request, .. } => self.query_memory(id, request, out),
            Message::Cancel { request, .. } => {
                let pace = self.pace(now_ns);
                if let Some(session) = self.sessions.get_mut(&id) {
                    session.cancel(request, pace, out);
                }
                Ok(())
            }
            _ => Err(Error::bug("a client sent what only others send")),
        }
    }

    fn rewrite(
        &mut self,
        now_ns: u64,
        id: SessionId,
        batch: &Batch,
        out: &mut Outbox,
    ) -> Result<()> {
        let pace = self.pace(now_ns);
        let Some(session) = self.sessions.get_mut(&id) else {
            return Err(Error::bug("commands came before the session was opened"));
        };
        let (load, next_tag, tickets) = (&mut self.load, &mut self.next_tag, self.tickets.as_mut());
        let mut context = Context { now_ns, load, next_tag, tickets };
        session.check_pace(batch, &context)?;
        session.check_room(&self.worker_table)?;
        let first = session.trail.begin(batch.len());
        if self.recording.is_on() {
            self.recording.receive(now_ns, id, first, batch);
        }
        let is_followed = self.recording.follows_commands();
        for index in 0..batch.len() {
            session.trail.reach(if is_followed { first + index as u64 } else { 0 });
            if session.rewrite_quickly(batch, index, &mut context)? {
                continue;
            }
            let command = batch.client_command(index)?;
            if let Command::DefineScope { scope, name, .. } = &command {
                session.trail.names.insert(*scope, name.clone());
            }
            session.rewrite(command, &mut context)?;
        }
        session.charge_load(&mut context);
        self.send(id, (batch.len() as u64, batch.bytes() as u64), pace, out);
        Ok(())
    }

    /// Sends what so many commands and bytes of a client have become, as far as it is due.
    fn send(&mut self, id: SessionId, (commands, bytes): (u64, u64), pace: Pace, out: &mut Outbox) {
        let Some(session) = self.sessions.get_mut(&id) else { return };
        let done = session.flush(commands, bytes, pace, out);
        let held = session.held_since();
        self.flush_by(held, pace);
        if let Some((commands, bytes)) = done {
            let done = Message::Done { session: id, commands, bytes, busy_ns: 0 };
            out.send(Peer::Client(id), done);
        }
    }

    /// Commands have been held back since then, if any are.
    fn flush_by(&mut self, held_since: Option<u64>, pace: Pace) {
        let due = held_since.map(|since| since.saturating_add(pace.hold_ns));
        self.flush_at_ns = self.flush_at_ns.into_iter().chain(due).min();
    }

    /// A worker is there, for new sessions and for those that want more.
    fn register(
        &mut self,
        now_ns: u64,
        worker: WorkerId,
        info: WorkerInfo,
        out: &mut Outbox,
    ) -> Result<()> {
        if self.worker_table.get(worker).is_some() {
            return Err(Error::bug(format!("{worker} is there already")));
        }
        self.load.join(worker, &info);
        if let Some(tickets) = &mut self.tickets {
            tickets.listen(worker, info.data.clone());
        }
        self.recording.peer(now_ns, Station::Connected, SessionId(0), Some(worker), &info.name);
        self.worker_table.join(worker, info);
        if self.recording.is_on() {
            out.send(Peer::Worker(worker), Message::Record { on: true });
        }
        for session in self.sessions.values_mut() {
            if session.engage(worker) {
                self.worker_table.count(worker, 1);
            }
        }
        Ok(())
    }

    /// Asks every worker of a session what it holds there.
    fn query_memory(
        &mut self,
        session: SessionId,
        request: RequestId,
        out: &mut Outbox,
    ) -> Result<()> {
        let Some(open) = self.sessions.get_mut(&session) else { return Ok(()) };
        let workers = open.begin_memory_query(request)?;
        let parts = workers.len() as u32;
        if parts == 0 {
            let usage = Box::default();
            let memory_reply = Message::MemoryReply { session, request, parts, usage };
            out.send(Peer::Client(session), memory_reply);
        }
        for worker in workers {
            out.send(Peer::Worker(worker), Message::MemoryQuery { session, request, parts });
        }
        Ok(())
    }

    /// Forgets a session everywhere; says whether it was open.
    fn end(&mut self, now_ns: u64, id: SessionId, out: &mut Outbox) -> bool {
        let Some(session) = self.sessions.remove(&id) else { return false };
        self.recording.peer(now_ns, Station::Disconnected, id, None, &session.name);
        session.workers().for_each(|worker| self.worker_table.count(worker, -1));
        self.load.move_home(session.home(), None);
        for worker in self.load.workers() {
            out.send(Peer::Worker(worker), Message::Forget { session: id });
        }
        true
    }
}

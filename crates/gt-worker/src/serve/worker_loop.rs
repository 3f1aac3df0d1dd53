//! The loop of a worker process: one connection to a dispatcher, from registration until they part.
//! It alone has sockets and the clock; decisions are the worker's (`crate::worker`), kernels run in
//! the executor's threads (`executing`), or here if they are shorter than waking a thread.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use gt_core::wire::SOME;
use gt_core::{Error, Result, SessionId, WorkerId};
use gt_transport::codec::Limits;
use gt_transport::priority::take_short_turns;
use gt_transport::reliable::{Heard, ReliableChannel, open_unsequenced, unsequenced};
use gt_transport::report::Channels;
use gt_transport::stop::Stop;
use gt_transport::transfers::DataPlane;
use gt_transport::{Message, Peer};
use gt_zmq::{Context, Dealer, DealerEvent, SendError};

use super::Options;
use super::executing::Executing;
use super::inbox::{Inbox, News, cannot_wait};
use super::pool_source::{PoolSource, open_plane};
use super::progress::Untold;
use crate::account::Accounts;
use crate::buffer::Pool;
use crate::engine::Takes;
use crate::executor::Executor;
use crate::queue::Window;
use crate::transfers::Transfers;
use crate::worker::{Action, Progress, Told, Worker};

/// The interval of heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// A dispatcher that is silent for this long is gone.
const SILENCE: Duration = Duration::from_secs(10);
/// How long to wait before sending again when the dispatcher does not keep up.
const CROWDED: Duration = Duration::from_millis(1);
/// Limit on messages taken in before they are handled. Fairness depends on seeing all of them …
const MOST_HEARD: usize = 64;
/// … and on rounds of small plans before the next look at the socket.
const ROUNDS: usize = 4;
/// Limit on commands planned at once: planning takes about a microsecond for each, and messages
/// that arrive meanwhile wait.
const MOST_PLANNED: u64 = 256;
/// How long sending the last messages may take.
const LINGER: Duration = Duration::from_millis(500);

/// A worker's connection to a dispatcher, and everything it does for it.
pub(super) struct WorkerLoop {
    dealer: Option<Dealer>,
    channel: ReliableChannel,
    worker: Option<Worker>,
    transfers: Transfers<Arc<DataPlane>>,
    executing: Executing,
    inbox: Arc<Inbox>,
    news: VecDeque<News>,
    /// Messages and outcomes that the worker has not taken yet.
    told: VecDeque<Told>,
    /// Whether the worker can plan more.
    progress: Progress,
    /// Commands that are done and not reported.
    untold: Untold,
    /// Messages that could not be sent yet.
    unsent: VecDeque<Vec<Bytes>>,
    pool: Arc<Pool>,
    /// The memory limits of sessions and users.
    accounts: Arc<Accounts>,
    /// The engine.
    engine: Arc<dyn Takes>,
    window: Window,
    heard: Instant,
    /// The bytes in use as of the last heartbeat.
    told_bytes: u64,
    told_channels: Channels,
    _context: Context,
}

/// Why the loop ended.
pub(super) enum Parting {
    /// The worker was asked to stop.
    Stopped,
    /// The dispatcher is not there, or no longer.
    Apart {
        /// The reason, for people.
        reason: String,
        /// Whether the worker had registered.
        was_registered: bool,
    },
}

impl WorkerLoop {
    /// Connects and registers.
    pub(super) fn open(options: &Options) -> Result<WorkerLoop> {
        let inbox = Arc::new(Inbox::new()?);
        let (pool, accounts) = (options.pool.clone(), Arc::<Accounts>::default());
        let source = PoolSource { pool: pool.clone(), accounts: accounts.clone() };
        let plane = open_plane(&options.data, source, &inbox)?;
        let (engine, own) = (options.engine.clone(), accounts.clone());
        let executor = match &options.spill {
            Some(spill) => Executor::spilling(engine, own, &pool, spill.clone()),
            None => Executor::charging(engine, own),
        };
        let executing = Executing::start(executor, inbox.clone())?;
        // Only for this thread and those it starts from here on: the executor's threads exist
        // already.
        take_short_turns();
        let context = Context::new().map_err(cannot_wait)?;
        // The dispatcher decides when a silent worker is lost.
        let patient = gt_zmq::Options { borne_silence: SILENCE, ..Default::default() };
        let dealer = Dealer::connect(&context, &options.endpoint, &patient)
            .map_err(|error| Error::runtime(error.to_string()))?;
        let mut info = options.info.clone();
        info.data = plane.address().clone();
        let ready = unsequenced(&Message::Register(Box::new(info)));
        let (news, told, unsent) = (VecDeque::new(), VecDeque::new(), VecDeque::from([ready]));
        Ok(WorkerLoop {
            dealer: Some(dealer),
            channel: ReliableChannel::without_replay(),
            worker: None,
            transfers: Transfers::new(plane),
            executing,
            inbox,
            news,
            told,
            progress: Progress::Finished,
            untold: Untold::default(),
            unsent,
            pool,
            accounts,
            engine: options.engine.clone(),
            window: options.window,
            heard: Instant::now(),
            told_bytes: 0,
            told_channels: Channels::default(),
            _context: context,
        })
    }

    /// Serves until the worker is stopped or the connection ends.
    pub(super) fn work(
        &mut self,
        enlisted: &mut dyn FnMut(WorkerId),
        stop: &Stop,
    ) -> Result<Parting> {
        let began = Instant::now();
        let mut next_beat = began + HEARTBEAT;
        loop {
            if stop.is_stopped() {
                self.leave();
                return Ok(Parting::Stopped);
            }
            if self.is_idle() || self.untold.is_due() {
                let untold = self.untold.take();
                untold.for_each(|done| self.say(&done));
            }
            self.send_unsent();
            let left = next_beat.saturating_duration_since(Instant::now());
            let patience = if self.unsent.is_empty() { left } else { left.min(CROWDED) };
            let patience = if self.is_idle() { patience } else { Duration::ZERO };
            let Some(dealer) = &self.dealer else { return Ok(self.apart("the server is gone")) };
            gt_zmq::wait(&[dealer], &[self.inbox.waker(), stop.waker()], patience)
                .map_err(cannot_wait)?;
            if let Some(reason) = self.hear_all(enlisted)? {
                return Ok(self.apart(&reason));
            }
            self.read_news();
            self.step();
            if Instant::now() >= next_beat {
                self.heartbeat();
                self.report_channels();
                self.pool.tick(began.elapsed());
                next_beat = Instant::now() + HEARTBEAT;
                if self.heard.elapsed() > SILENCE {
                    return Ok(self.apart("the server says nothing"));
                }
            }
        }
    }

    fn apart(&self, reason: &str) -> Parting {
        let (reason, was_registered) = (reason.to_string(), self.worker.is_some());
        Parting::Apart { reason, was_registered }
    }

    /// Says goodbye.
    fn leave(&mut self) {
        self.say(&Message::Bye);
        self.send_unsent();
        if let Some(dealer) = self.dealer.take() {
            dealer.close_after(LINGER);
        }
    }

    /// Takes in messages of the dispatcher, a bounded number; returns the reason if they part.
    fn hear_all(&mut self, enlisted: &mut dyn FnMut(WorkerId)) -> Result<Option<String>> {
        for _ in 0..MOST_HEARD {
            let Some(dealer) = &mut self.dealer else { break };
            match dealer.receive().map_err(cannot_wait)? {
                None => break,
                Some(DealerEvent::Connected) => {}
                Some(DealerEvent::Message(parts)) => {
                    self.heard = Instant::now();
                    if let Some(reason) = self.hear(parts, enlisted)? {
                        return Ok(Some(reason));
                    }
                }
                Some(DealerEvent::Refused(reason)) => {
                    return Ok(Some(format!("no server answers ({reason})")));
                }
                Some(DealerEvent::Rejected(reason)) => {
                    return Err(Error::value(format!(
                        "the server does not accept this worker's key ({reason}); copy the \
                         server's key file here and name it with --key"
                    )));
                }
                Some(DealerEvent::Gone) => return Ok(Some("the server is gone".to_string())),
            }
        }
        Ok(None)
    }

    fn hear(
        &mut self,
        parts: Vec<Bytes>,
        enlisted: &mut dyn FnMut(WorkerId),
    ) -> Result<Option<String>> {
        let message = match open_unsequenced(&parts, &Limits::CONTROL)? {
            Some(message) => message,
            None => match self.channel.hear(parts, &Limits::CONTROL) {
                Ok(Heard::New(message)) => message,
                Ok(Heard::Known) => return Ok(None),
                Err(error) => return Ok(Some(error.to_string())),
            },
        };
        match message {
            Message::Registered { worker, key } => {
                self.transfers.carrier.identify(Peer::Worker(worker), Some(key));
                self.worker = Some(Worker::new(worker, self.window, self.engine.clone()));
                enlisted(worker);
            }
            Message::Ended { error: error @ Error::Input { .. }, .. } => return Err(error),
            Message::Ended { error, .. } => return Ok(Some(error.to_string())),
            message => self.take(message),
        }
        Ok(None)
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Heartbeat { .. } => {}
            Message::Ticket(ticket) => self.transfers.take_ticket(*ticket),
            Message::Away { session, is_away } => {
                self.transfers.carrier.set_away(Peer::Client(session), is_away);
            }
            Message::MemoryQuery { session, request, parts } => {
                // The reply counts everything that came before the query.
                self.step();
                let usage = Box::new(self.executing.memory_usage(session, &self.pool));
                self.say(&Message::MemoryReply { session, request, parts, usage });
            }
            Message::Share { session, ref share } => {
                self.accounts.assign(session, share, self.pool.limit_bytes());
                self.told.push_back(Told::Message(message));
            }
            Message::Forget { session } => {
                // Outcomes of its plans must not be sent after this.
                self.step();
                self.transfers.forget(session);
                self.untold.forget(session);
                self.accounts.forget(session);
                self.told.push_back(Told::Message(message));
            }
            Message::Handover { tag, .. } => {
                self.transfers.give_up(tag);
                self.told.push_back(Told::Message(message));
            }
            message => self.told.push_back(Told::Message(message)),
        }
    }

    /// Takes in events of other threads.
    fn read_news(&mut self) {
        self.inbox.drain(&mut self.news);
        while let Some(news) = self.news.pop_front() {
            match news {
                News::Finished(outcome) => self.told.push_back(Told::Finished(outcome)),
                News::Transfer(event) => {
                    let handover = self.transfers.ended(event);
                    self.told.extend(handover.map(Told::Message));
                }
            }
        }
    }

    /// Steps the worker and carries out its actions. Outcomes of small plans that run here are fed
    /// back at once, for a few rounds.
    fn step(&mut self) {
        for _ in 0..ROUNDS {
            // Before it registers, a worker has no sessions.
            if self.worker.is_none() {
                self.told.clear();
            }
            if self.is_idle() {
                return;
            }
            let Some(worker) = &mut self.worker else { return };
            worker.press(self.executing.executor().is_pressed());
            worker.leave_room(self.pool.room_bytes() as u64);
            let mut actions = Vec::new();
            self.progress = worker.step_all(self.told.drain(..), MOST_PLANNED, &mut actions);
            for action in actions {
                match action {
                    Action::Execute(work) => self.executing.leave(work),
                    // The dispatcher sends this to every worker itself.
                    Action::Send(_, Message::Forget { .. }) => {}
                    Action::Send(_, message) => {
                        let message = self.untold.keep(message);
                        let message = message.and_then(|message| self.transfers.dispatch(message));
                        message.into_iter().for_each(|message| self.say(&message));
                    }
                }
            }
            self.send_unsent();
            if self.executing.run_small() {
                self.read_news();
            }
            if self.progress == Progress::Unfinished {
                return;
            }
        }
    }

    /// Whether the worker has nothing to do.
    fn is_idle(&self) -> bool {
        self.told.is_empty() && self.progress == Progress::Finished
    }

    /// Reports the traffic of data channels if it changed.
    fn report_channels(&mut self) {
        let list = self.transfers.carrier.traffic().into_iter().take(SOME).collect();
        let channels = Channels { list };
        if self.worker.is_some() && channels != self.told_channels {
            self.unsent.push_back(unsequenced(&Message::Channels(channels.clone())));
            self.told_channels = channels;
        }
    }

    fn heartbeat(&mut self) {
        let (received, used_bytes) = (self.channel.received(), self.pool.used_bytes() as u64);
        self.told_bytes = used_bytes;
        self.unsent.push_back(unsequenced(&Message::Heartbeat { received, used_bytes }));
    }

    /// Queues a message. If it cannot be encoded, the session it is about ends.
    fn say(&mut self, message: &Message) {
        use Message::{Answer, FailureReport, Handover};
        let is_waited_for =
            matches!(message, Answer { .. } | FailureReport { .. } | Handover { .. });
        // A client that synchronised may ask next how much memory that took.
        if is_waited_for && self.told_bytes != self.pool.used_bytes() as u64 {
            self.heartbeat();
        }
        let error = match self.channel.say(message) {
            Ok(parts) => return self.unsent.push_back(parts),
            Err(error) => error,
        };
        tracing::info!(target: "gt::worker", %error, "cannot say something");
        let Some(session) = session_of(message) else { return };
        if let Ok(parts) = self.channel.say(&Message::Ended { session, error }) {
            self.unsent.push_back(parts);
        }
    }

    fn send_unsent(&mut self) {
        let Some(dealer) = &mut self.dealer else { return };
        while let Some(parts) = self.unsent.front() {
            match dealer.send(parts) {
                Ok(()) => drop(self.unsent.pop_front()),
                // The loop sees the end of the connection after all messages before it.
                Err(SendError::Full | SendError::Gone) => return,
            }
        }
    }
}

/// The session that a message of a worker is about.
fn session_of(message: &Message) -> Option<SessionId> {
    match message {
        Message::Answer { session, .. }
        | Message::Handover { session, .. }
        | Message::MemoryReply { session, .. }
        | Message::Done { session, .. }
        | Message::Failed { session, .. } => Some(*session),
        _ => None,
    }
}

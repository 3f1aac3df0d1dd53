//! The thread that has the connection to the dispatcher.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use gt_core::{Error, Result, SessionId};
use gt_transport::codec::Limits;
use gt_transport::hello::{Resume, Token, Welcome};
use gt_transport::reliable::{Heard, ReliableChannel, open_unsequenced, unsequenced};
use gt_transport::transfers::{DataPlane, PlaneOptions};
use gt_transport::{Message, Peer};
use gt_worker::buffer::Pool;
use gt_zmq::{Dealer, DealerEvent, Sleep};
use tracing::{debug, info};

use super::Shared;
use super::connect::Door;
use super::driver::Drives;
use crate::shared;
use crate::transfers::{Answered, Transfers};

/// A batch that does not fill up is sent after this time.
const TICK: Duration = Duration::from_micros(100);
/// When the thread looks again for a batch after it found none.
const DROWSY: Duration = Duration::from_millis(1);
/// After so many looks without a new command, the thread sleeps until it is woken.
const LOOKS_BEFORE_SLEEP: u32 = 50;
/// How often the client sends a heartbeat.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// After so many messages from the dispatcher the client acknowledges them.
const CONFIRM_EVERY: u64 = 32;
/// After so long without a message from the dispatcher the client reconnects.
const SILENCE: Duration = Duration::from_secs(10);
/// How long the last messages of a session may take to leave.
const LINGER: Duration = Duration::from_millis(400);
/// So many messages are taken in before anything else is done.
const MOST_HEARD: usize = 256;
/// How long to wait when the dispatcher does not keep up.
const CROWDED: Duration = Duration::from_millis(1);

/// The connection of a session, and what is under way on it.
pub(super) struct Wire {
    shared: Arc<Shared>,
    door: Door,
    dealer: Dealer,
    session: SessionId,
    token: Token,
    channel: ReliableChannel,
    transfers: Transfers<Arc<DataPlane>>,
    memory: Arc<Pool>,
    unsent: VecDeque<Vec<Bytes>>,
    heard: Instant,
    next_beat: Instant,
    unconfirmed: u64,
    /// A thread of the program uses the connection at the moment.
    is_driven: bool,
    /// What ended such a use; the thread of the connection attends to it.
    end: Option<Result<Heed>>,
}

/// What the dispatcher's messages mean for the connection.
#[derive(Debug, PartialEq, Eq)]
enum Heed {
    GoOn,
    /// The connection has ended.
    Gone,
    /// The session has.
    Over,
}

/// How busy the program is.
#[derive(Default)]
struct Pace {
    appended: u64,
    quiet: u32,
}

/// Serves a session until it is over.
pub(super) fn run(shared: &Arc<Shared>) {
    let _ = shared.thread.set(std::thread::current().id());
    let served = serve(shared);
    // From here on no other thread has it.
    let wire = shared.wire.lock().take().expect("only this takes it");
    if let Err(error) = served {
        info!(target: "gt", session = %wire.session, %error, "lost");
        wire.deliver(Message::Ended { session: wire.session, error });
    }
    wire.transfers.carrier.close();
    wire.dealer.close_after(LINGER);
    drop(wire.door);
    shared.log.flush();
    *shared.ended.lock() = true;
    shared.end.notify_all();
}

fn serve(shared: &Arc<Shared>) -> Result<()> {
    let (mut pace, mut drives) = (Pace::default(), Drives::default());
    loop {
        let is_driven = shared.driver.is_active(&mut drives);
        let (sleep, patience) = {
            let mut wire = shared.wire.lock();
            let wire = wire.as_mut().expect("only this thread takes it");
            let Some(patience) = wire.turn(&mut pace)? else { return Ok(()) };
            (wire.sleep()?, patience)
        };
        match sleep {
            // Another thread hears what comes. This one still sends, looks for batches and beats.
            Some(_) if is_driven => Sleep::default().wait(&shared.waker, patience.min(DROWSY)),
            Some(sleep) => sleep.wait(&shared.waker, patience),
            None => Ok(()),
        }
        .map_err(broken)?;
        shared.sleeping.store(false, Ordering::SeqCst);
    }
}

impl Wire {
    pub(super) fn new(
        shared: Arc<Shared>,
        door: Door,
        dealer: Dealer,
        welcome: &Welcome,
    ) -> Result<Wire> {
        let told = shared.clone();
        let plane = DataPlane::open(PlaneOptions::default(), move |event| {
            told.transfers.lock().push_back(event);
            told.waker.wake();
        })?;
        // What is read is the program's own, and counts as its memory rather than GT's.
        let memory = Pool::new(usize::MAX);
        plane.identify(Peer::Client(welcome.session), None);
        let transfers = Transfers::new(memory.clone(), plane);
        let now = Instant::now();
        Ok(Wire {
            shared,
            door,
            dealer,
            session: welcome.session,
            token: welcome.token.clone(),
            channel: ReliableChannel::default(),
            transfers,
            memory,
            unsent: VecDeque::new(),
            heard: now,
            next_beat: now + HEARTBEAT,
            unconfirmed: 0,
            is_driven: false,
            end: None,
        })
    }

    /// Sends what was left and takes in what came, in the place of the thread of the connection.
    /// False if that thread is needed: the connection has ended, or the session is over.
    pub(super) fn exchange(&mut self) -> bool {
        if self.end.is_some() {
            return false;
        }
        self.is_driven = true;
        let heard = self.send_all().and_then(|()| self.hear_all());
        self.note_transfers();
        self.is_driven = false;
        match heard {
            Ok(Heed::GoOn) => {}
            Ok(end) => self.end = Some(Ok(end)),
            Err(error) => self.end = Some(Err(error)),
        }
        self.end.is_none()
    }

    /// A wait for what comes next; `None` if something is there.
    pub(super) fn sleep(&self) -> Result<Option<Sleep>> {
        Sleep::begin(&[&self.dealer]).map_err(broken)
    }

    /// Sends and hears what there is; gives how long to wait, or nothing if the session is over.
    fn turn(&mut self, pace: &mut Pace) -> Result<Option<Duration>> {
        let heard = match self.end.take() {
            Some(end) => end?,
            None => self.hear_all()?,
        };
        match heard {
            Heed::GoOn => {}
            Heed::Over => return Ok(None),
            Heed::Gone => self.connect_again()?,
        }
        self.note_transfers();
        self.beat_in_time()?;
        // Looked at first: what was left before the end is still sent.
        let stopped = self.shared.is_stopped();
        self.send_all()?;
        if stopped {
            return Ok(self.shared.log.linger());
        }
        let patience = self.look(pace);
        let is_full = !self.unsent.is_empty();
        Ok(Some(if is_full { patience.min(CROWDED) } else { patience }))
    }

    /// Looks for a batch that nobody completes; gives when to look again.
    fn look(&self, pace: &mut Pace) -> Duration {
        let (total, left) = self.flush_stale(pace.appended);
        pace.quiet = if total == pace.appended { pace.quiet + 1 } else { 0 };
        pace.appended = total;
        if pace.quiet < LOOKS_BEFORE_SLEEP {
            return if left { TICK } else { DROWSY };
        }
        // A heartbeat in the meantime is no reason to be awake again.
        pace.quiet = LOOKS_BEFORE_SLEEP;
        self.shared.sleeping.store(true, Ordering::SeqCst);
        // A command appended before this line is seen here; one appended after it wakes us.
        if self.flush_stale(pace.appended).0 != pace.appended {
            return Duration::ZERO;
        }
        self.next_beat.saturating_duration_since(Instant::now())
    }

    /// Sends the batch of the session if it appended nothing since the total was `before`; gives
    /// the total, and whether a batch is left.
    fn flush_stale(&self, before: u64) -> (u64, bool) {
        let Some(session) = self.shared.session() else { return (before, false) };
        let (total, left) = session.progress();
        if total == before && left {
            session.flush();
        }
        (total, left && total != before)
    }

    /// Sends what the program has left.
    fn send_all(&mut self) -> Result<()> {
        let messages = std::mem::take(&mut *self.shared.outbox.lock());
        for mut message in messages {
            if let Message::Commands { batch, .. } = &mut message {
                self.transfers.unload(Arc::make_mut(batch));
            }
            self.say(&message)?;
        }
        self.send_unsent();
        Ok(())
    }

    fn say(&mut self, message: &Message) -> Result<()> {
        let parts = self.channel.say(message)?;
        self.unsent.push_back(parts);
        Ok(())
    }

    fn send_unsent(&mut self) {
        while let Some(parts) = self.unsent.front() {
            if self.dealer.send(parts).is_err() {
                // The end of the connection is reported after every message before it.
                return;
            }
            self.unsent.pop_front();
        }
    }

    /// Brings a message to the session.
    fn deliver(&self, message: Message) {
        self.shared.deliver(message);
        self.wake_driver();
    }

    fn deliver_read(&self, answered: Answered) {
        self.shared.deliver_read(answered);
        self.wake_driver();
    }

    fn wake_driver(&self) {
        if !self.is_driven {
            self.shared.driver.wake();
        }
    }

    /// Takes in messages of the dispatcher, a while at a time.
    fn hear_all(&mut self) -> Result<Heed> {
        for _ in 0..MOST_HEARD {
            let Some(event) = self.dealer.receive().map_err(broken)? else { break };
            match event {
                DealerEvent::Connected => {}
                DealerEvent::Message(parts) => {
                    self.heard = Instant::now();
                    if self.hear(parts)? == Heed::Over {
                        return Ok(Heed::Over);
                    }
                }
                DealerEvent::Gone | DealerEvent::Refused(_) | DealerEvent::Rejected(_) => {
                    return Ok(Heed::Gone);
                }
            }
        }
        Ok(Heed::GoOn)
    }

    fn hear(&mut self, parts: Vec<Bytes>) -> Result<Heed> {
        let message = match open_unsequenced(&parts, &Limits::CONTROL)? {
            Some(message) => message,
            None => {
                self.unconfirmed += 1;
                match self.channel.hear(parts, &Limits::CONTROL)? {
                    Heard::New(message) => message,
                    Heard::Known => return Ok(Heed::GoOn),
                }
            }
        };
        match message {
            Message::Heartbeat { received, used_bytes } => {
                self.channel.confirm(received)?;
                self.shared.used_bytes.store(used_bytes, Ordering::Relaxed);
            }
            Message::Events(events) => self.shared.log.take(&events),
            Message::Ticket(ticket) => {
                let answered = self.transfers.take_ticket(*ticket);
                answered.into_iter().for_each(|answered| self.deliver_read(answered));
            }
            Message::Ended { error, .. } => {
                self.deliver(Message::Ended { session: self.session, error });
                return Ok(Heed::Over);
            }
            message => {
                match &message {
                    Message::Answer { request, result, .. }
                        if !self.transfers.answered(*request, result) =>
                    {
                        return Ok(Heed::GoOn);
                    }
                    Message::Done { commands, .. } => self.transfers.finish(*commands),
                    _ => {}
                }
                self.deliver(message);
            }
        }
        Ok(Heed::GoOn)
    }

    /// Takes in which transfers have ended.
    fn note_transfers(&mut self) {
        let events = std::mem::take(&mut *self.shared.transfers.lock());
        for event in events {
            if let Some(answered) = self.transfers.ended(event) {
                self.deliver_read(answered);
            }
        }
    }

    fn beat_in_time(&mut self) -> Result<()> {
        let now = Instant::now();
        if now >= self.next_beat || self.unconfirmed >= CONFIRM_EVERY {
            (self.next_beat, self.unconfirmed) = (now + HEARTBEAT, 0);
            self.memory.tick(shared::now());
            self.shared.driver.admit();
            let received = self.channel.received();
            // A message that waits to be sent is a sign of life as well.
            if self.unsent.is_empty() {
                let _ =
                    self.dealer.send(&unsequenced(&Message::Heartbeat { received, used_bytes: 0 }));
            }
        }
        if self.heard.elapsed() > SILENCE {
            self.connect_again()?;
        }
        Ok(())
    }

    /// Resumes over another connection, after the last message that each side has received.
    fn connect_again(&mut self) -> Result<()> {
        debug!(target: "gt::client", session = %self.session, "connection lost");
        if self.shared.is_stopped() {
            return Err(Error::Lost("the session is closed".to_string()));
        }
        // It takes seconds, in which the program must hear of Ctrl-C.
        self.shared.driver.bar();
        let received = self.channel.received();
        let resume = Resume { session: self.session, token: self.token.clone(), received };
        let shared = self.shared.clone();
        self.transfers.carrier.set_cut_off(true);
        let found = self.door.open_again(&resume, move || shared.is_stopped());
        let (dealer, welcome) = found.map_err(|error| {
            let address = self.door.address();
            error
                .within(format!("the connection to {address} was lost and could not be made again"))
        })?;
        self.transfers.carrier.set_cut_off(false);
        self.dealer = dealer;
        self.heard = Instant::now();
        self.unsent = self.channel.repeat(welcome.received)?.collect();
        self.send_unsent();
        info!(target: "gt", session = %self.session, "connected again");
        Ok(())
    }
}

fn broken(error: gt_zmq::Error) -> Error {
    Error::Lost(format!("the connection is broken: {error}"))
}

//! The thread that has the connection to the dispatcher.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use gt_core::{Error, Result, SessionId};
use gt_transport::Message;
use gt_transport::codec::Limits;
use gt_transport::hello::{Resume, Token, Welcome};
use gt_transport::reliable::{Heard, ReliableChannel, open_unsequenced, unsequenced};
use gt_zmq::{Dealer, DealerEvent};
use tracing::{debug, info};

use super::Shared;
use super::cargo::{Cargo, Ended};
use super::connect::Door;

/// A batch that nobody completes is sent after this time.
const TICK: Duration = Duration::from_micros(100);
/// When the thread looks again for a batch after it found none.
const DROWSY: Duration = Duration::from_millis(1);
/// After so many looks without a new command, the thread sleeps until it is woken.
const LOOKS_BEFORE_SLEEP: u32 = 50;
/// How often the dispatcher hears that the client is there.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// After so many messages the dispatcher hears that they have arrived.
const CONFIRM_EVERY: u64 = 32;
/// A dispatcher that says nothing for so long is looked for again.
const SILENCE: Duration = Duration::from_secs(10);
/// For so long the dispatcher keeps a session whose connection was closed.
const GRACE: Duration = Duration::from_millis(3500);
/// How long the last words may take.
const LINGER: Duration = Duration::from_millis(400);
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
    cargo: Cargo,
    unsent: VecDeque<Vec<Bytes>>,
    heard: Instant,
    next_beat: Instant,
    unconfirmed: u64,
}

impl Wire {
    pub(super) fn new(shared: Arc<Shared>, door: Door, dealer: Dealer, welcome: &Welcome) -> Wire {
        let told = shared.clone();
        let cargo = Cargo::new(move |event| {
            told.errands.lock().push_back(event);
            told.waker.wake();
        });
        let now = Instant::now();
        Wire {
            shared,
            door,
            dealer,
            session: welcome.session,
            token: welcome.token.clone(),
            channel: ReliableChannel::default(),
            cargo,
            unsent: VecDeque::new(),
            heard: now,
            next_beat: now + HEARTBEAT,
            unconfirmed: 0,
        }
    }

    /// Serves the session until it is over.
    pub(super) fn run(mut self) {
        let shared = self.shared.clone();
        let _ = shared.thread.set(std::thread::current().id());
        if let Err(error) = self.serve() {
            info!(target: "gt", session = %self.session, %error, "lost");
            self.shared.deliver(Message::Ended { session: self.session, error });
        }
        self.cargo.close();
        self.dealer.close_after(LINGER);
        drop(self.door);
        *shared.ended.lock() = true;
        shared.end.notify_all();
    }

    fn serve(&mut self) -> Result<()> {
        let (mut appended, mut quiet) = (0, 0);
        loop {
            // Looked at first: what was left before the end is still sent.
            let stopped = self.shared.is_stopped();
            self.send_all()?;
            if stopped {
                return Ok(());
            }
            let (total, left) = self.flush_stale(appended);
            quiet = if total == appended { quiet + 1 } else { 0 };
            appended = total;
            if quiet < LOOKS_BEFORE_SLEEP {
                self.wait(if left { TICK } else { DROWSY })?;
            } else {
                self.shared.sleeping.store(true, Ordering::SeqCst);
                // A command appended before this line is seen here; one appended after it wakes us.
                if self.flush_stale(appended).0 == appended && self.unsent.is_empty() {
                    self.wait(self.next_beat.saturating_duration_since(Instant::now()))?;
                }
                self.shared.sleeping.store(false, Ordering::SeqCst);
                // A heartbeat in the meantime is no reason to be awake again.
                quiet = LOOKS_BEFORE_SLEEP;
            }
            if self.hear_all()? {
                return Ok(());
            }
            self.note_errands()?;
            self.beat_in_time()?;
        }
    }

    fn wait(&mut self, patience: Duration) -> Result<()> {
        let crowded = !self.unsent.is_empty();
        let patience = if crowded { patience.min(CROWDED) } else { patience };
        gt_zmq::wait(&[&self.dealer], &[&self.shared.waker], patience).map_err(broken)
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
                self.cargo.unload(batch);
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
                // The end of the connection is heard of when everything before it was.
                return;
            }
            self.unsent.pop_front();
        }
    }

    /// Takes in what the dispatcher says. True if the session is over.
    fn hear_all(&mut self) -> Result<bool> {
        while let Some(event) = self.dealer.receive().map_err(broken)? {
            match event {
                DealerEvent::Connected => {}
                DealerEvent::Message(parts) => {
                    self.heard = Instant::now();
                    if self.hear(parts)? {
                        return Ok(true);
                    }
                }
                DealerEvent::Gone | DealerEvent::Refused(_) | DealerEvent::Rejected(_) => {
                    self.connect_again()?;
                }
            }
        }
        Ok(false)
    }

    fn hear(&mut self, parts: Vec<Bytes>) -> Result<bool> {
        let message = match open_unsequenced(&parts, &Limits::CONTROL)? {
            Some(message) => message,
            None => {
                self.unconfirmed += 1;
                match self.channel.hear(parts, &Limits::CONTROL)? {
                    Heard::New(message) => message,
                    Heard::Known => return Ok(false),
                }
            }
        };
        match message {
            Message::Heartbeat { received, used_bytes } => {
                self.channel.confirm(received)?;
                self.shared.used_bytes.store(used_bytes, Ordering::Relaxed);
            }
            Message::Ticket(ticket) => self.cargo.take_ticket(*ticket),
            Message::Ended { error, .. } => {
                self.shared.deliver(Message::Ended { session: self.session, error });
                return Ok(true);
            }
            message => {
                if let Message::Answer { request, .. } = &message {
                    self.cargo.answered(*request);
                }
                self.shared.deliver(message);
            }
        }
        Ok(false)
    }

    /// Takes in which transfers have ended.
    fn note_errands(&mut self) -> Result<()> {
        let events = std::mem::take(&mut *self.shared.errands.lock());
        for event in events {
            match self.cargo.ended(self.session, event) {
                Ended::Well => {}
                Ended::Tell(message) => self.say(&message)?,
                Ended::Here(Message::Ended { error, .. }) => return Err(error),
                Ended::Here(message) => self.shared.deliver(message),
            }
        }
        Ok(())
    }

    fn beat_in_time(&mut self) -> Result<()> {
        let now = Instant::now();
        if now >= self.next_beat || self.unconfirmed >= CONFIRM_EVERY {
            (self.next_beat, self.unconfirmed) = (now + HEARTBEAT, 0);
            let received = self.channel.received();
            // What waits to be sent is more urgent, and says as well that the client is there.
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

    /// Goes on over another connection, from where each side has heard the other.
    fn connect_again(&mut self) -> Result<()> {
        debug!(target: "gt::client", session = %self.session, "connection lost");
        if self.shared.is_stopped() {
            return Err(Error::Lost("the session is closed".to_string()));
        }
        let received = self.channel.received();
        let resume = Resume { session: self.session, token: self.token.clone(), received };
        let shared = self.shared.clone();
        let found =
            self.door.open_again(resume, Instant::now() + GRACE, move || shared.is_stopped());
        let (dealer, welcome) = found.map_err(|error| {
            let address = self.door.address();
            error
                .within(format!("the connection to {address} was lost and could not be made again"))
        })?;
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

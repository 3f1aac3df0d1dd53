//! What the clones of a session share: the stream, what came back, and how far ahead the client is.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use gt_core::{Error, RequestId, Result, SessionId, Slot};
use gt_transport::lock::Mutex;
use gt_transport::{Batch, Message};

use crate::auto::{Auto, Verdict};
use crate::config::costs::MeasuredCosts;
use crate::link::Link;
use crate::mailbox::{Mailbox, State};
use crate::named::Named;
use crate::reads::Reads;
use crate::recorder::Recorder;
use crate::stream::{BATCH_COMMANDS, Stream};
use crate::{fork, host};

/// How many commands a client may be ahead of the workers.
const COMMANDS_AHEAD: u64 = 1 << 15;
/// How many bytes of its uploads may be on their way.
const BYTES_AHEAD: u64 = 1 << 30;

/// What clones of a session share.
pub struct Inner {
    pub(crate) id: SessionId,
    pub(crate) link: Arc<dyn Link>,
    pub(crate) stream: Mutex<Stream>,
    /// Values that were dropped. Dropping one only puts it here: garbage collection may run
    /// while the stream is locked.
    pub(crate) dropped: Mutex<Vec<Slot>>,
    pub(crate) mailbox: Mailbox,
    pub(crate) sent_commands: AtomicU64,
    pub(crate) sent_bytes: AtomicU64,
    /// So much of what was sent does not count as far ahead; see [`Inner::excuse`].
    excused_commands: AtomicU64,
    excused_bytes: AtomicU64,
    pub(crate) messages: AtomicU64,
    pub(crate) waits: AtomicU64,
    pub(crate) read_bytes: AtomicU64,
    /// Which lines have waited.
    pub(crate) reads: Reads,
    /// What was sent, if somebody wants to know what became of it.
    pub(crate) recorder: OnceLock<Mutex<Recorder>>,
    /// What was measured of work and messages.
    pub(crate) measured: OnceLock<MeasuredCosts>,
    /// The first step, if what follows should be sharded automatically.
    pub(crate) auto: OnceLock<Mutex<Auto>>,
    /// Whether it is not over yet.
    pub(crate) is_auto_recording: AtomicBool,
    /// What came of it.
    pub(crate) verdict: OnceLock<Verdict>,
    /// Values of at least this many bytes are cut if no config places them.
    pub(crate) worth_cutting_bytes: AtomicUsize,
    /// The tensors that have names.
    pub(crate) named: Mutex<Named>,
    /// Whether the client should wait before it goes on.
    pub(crate) ahead: AtomicBool,
    /// Whether the program has made enough values that it should wait for their failures.
    pub(crate) memory_unchecked: AtomicBool,
    pub(crate) closed: AtomicBool,
    /// Whether the dispatcher ended it, and not the program.
    pub(crate) lost: AtomicBool,
    /// Whether every operation waits for its result.
    pub(crate) sync: bool,
    /// The process it belongs to; see [`fork`].
    generation: u32,
}

impl Inner {
    pub(crate) fn new(id: SessionId, link: Arc<dyn Link>, sync: bool) -> Self {
        Inner {
            id,
            link,
            stream: Mutex::default(),
            dropped: Mutex::default(),
            mailbox: Mailbox::default(),
            sent_commands: AtomicU64::new(0),
            sent_bytes: AtomicU64::new(0),
            excused_commands: AtomicU64::new(0),
            excused_bytes: AtomicU64::new(0),
            messages: AtomicU64::new(0),
            waits: AtomicU64::new(0),
            read_bytes: AtomicU64::new(0),
            reads: Reads::default(),
            recorder: OnceLock::new(),
            measured: OnceLock::new(),
            auto: OnceLock::new(),
            is_auto_recording: AtomicBool::new(false),
            verdict: OnceLock::new(),
            worth_cutting_bytes: AtomicUsize::new(usize::MAX),
            named: Mutex::default(),
            ahead: AtomicBool::new(false),
            memory_unchecked: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            lost: AtomicBool::new(false),
            sync,
            generation: fork::generation(),
        }
    }

    /// Takes in a message from the dispatcher.
    pub(crate) fn deliver(&self, message: Message) {
        if matches!(message, Message::Ended { .. }) && !self.closed.swap(true, Ordering::Relaxed) {
            self.lost.store(true, Ordering::Relaxed);
        }
        self.mailbox.take(message);
    }

    /// How many commands were ever appended, and whether some of them are not sent.
    pub(crate) fn progress(&self) -> (u64, bool) {
        let stream = self.stream.lock();
        (stream.appended(), !stream.is_empty() || !self.dropped.lock().is_empty())
    }

    /// Sends what was appended so far.
    pub(crate) fn flush(&self) {
        let mut stream = self.open_stream();
        if !stream.is_empty() {
            self.send(stream.take());
        }
    }

    /// The stream, after what was dropped meanwhile is freed.
    pub(crate) fn open_stream(&self) -> std::sync::MutexGuard<'_, Stream> {
        let mut stream = self.stream.lock();
        let mut dropped = self.dropped.lock();
        // No batch is larger than a dispatcher takes, however many were dropped at once.
        for some in dropped.chunks(BATCH_COMMANDS) {
            stream.free(some);
            if stream.is_full() {
                self.send(stream.take());
            }
        }
        dropped.clear();
        stream
    }

    /// Sends the batch if it is full, while the stream is locked: between taking and sending,
    /// another thread could send what was appended later, and names would be used again before
    /// they are free.
    pub(crate) fn send_full(&self, stream: &mut Stream) {
        if stream.is_full() {
            if stream.should_check_memory() {
                self.memory_unchecked.store(true, Ordering::Relaxed);
            }
            self.send(stream.take());
        } else {
            self.link.stay_awake();
        }
    }

    pub(crate) fn send(&self, batch: Batch) {
        self.record(&batch);
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.count_sent(&batch);
        self.link.send(Message::Commands { session: self.id, batch: batch.into() });
    }

    /// Sends a batch that the sender will help to deliver.
    pub(crate) fn leave(&self, batch: Batch) {
        self.record(&batch);
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.count_sent(&batch);
        self.link.leave(Message::Commands { session: self.id, batch: batch.into() });
    }

    /// Counts a batch, and looks whether the workers should catch up before the next command.
    fn count_sent(&self, batch: &Batch) {
        self.sent_commands.fetch_add(batch.len() as u64, Ordering::Relaxed);
        self.sent_bytes.fetch_add(batch.bytes() as u64, Ordering::Relaxed);
        self.ahead.store(self.mailbox.look(|state| self.is_ahead(state)), Ordering::Relaxed);
    }

    /// Whether the workers should catch up before more is sent.
    fn is_ahead(&self, state: &State) -> bool {
        let commands = self.sent_commands.load(Ordering::Relaxed);
        let bytes = self.sent_bytes.load(Ordering::Relaxed);
        let done_commands = state.done_commands.max(self.excused_commands.load(Ordering::Relaxed));
        let done_bytes = state.done_bytes.max(self.excused_bytes.load(Ordering::Relaxed));
        let far = commands.saturating_sub(done_commands) > COMMANDS_AHEAD
            || bytes.saturating_sub(done_bytes) > BYTES_AHEAD;
        far && state.ended.is_none()
    }

    /// Waits if the client is too far ahead of the workers. Called where no lock is held: while it
    /// waits, other threads of the program go on.
    pub(crate) fn keep_pace(&self) -> Result<()> {
        self.check_open()?;
        if !self.ahead.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.waits.fetch_add(1, Ordering::Relaxed);
        let caught_up = |state: &mut State| (!self.is_ahead(state)).then_some(());
        let waited = host::wait(|patience| self.mailbox.wait(patience, caught_up).is_some());
        if waited.is_err() {
            self.cancel(None);
        }
        self.ahead.store(false, Ordering::Relaxed);
        waited?;
        self.check_open()
    }

    /// Whether the program should wait for failures of the many values it has made. Says so once.
    pub(crate) fn takes_memory_check(&self) -> bool {
        let is_due = self.memory_unchecked.load(Ordering::Relaxed);
        if is_due {
            self.memory_unchecked.store(false, Ordering::Relaxed);
        }
        is_due
    }

    /// The user no longer waits for what was sent: what has not begun runs only if something needs
    /// it, and what is asked for next does not wait for it. A read may have been given up.
    pub(crate) fn cancel(&self, request: Option<RequestId>) {
        self.flush();
        self.link.send(Message::Cancel { session: self.id, request });
        let (commands, bytes) = (&self.sent_commands, &self.sent_bytes);
        self.excused_commands.store(commands.load(Ordering::Relaxed), Ordering::Relaxed);
        self.excused_bytes.store(bytes.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// An error once the session is over.
    pub(crate) fn check_open(&self) -> Result<()> {
        fork::check(self.generation)?;
        if !self.closed.load(Ordering::Relaxed) {
            return Ok(());
        }
        let error = self.mailbox.look(|state| state.ended.clone());
        Err(error.unwrap_or_else(|| Error::Lost("the session is closed".into())))
    }

    pub(crate) fn close(&self) {
        if self.generation != fork::generation() {
            // Threads that are not here hold the rest of it; taking it apart could wait for them.
            std::mem::forget(self.link.clone());
            return;
        }
        if !self.closed.swap(true, Ordering::Relaxed) {
            self.flush();
            self.link.send(Message::Bye);
            let error = Error::Lost("the session is closed".into());
            self.mailbox.take(Message::Ended { session: self.id, error });
        }
        // A session that the dispatcher has ended has threads that only this ends.
        self.link.stop();
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.close();
    }
}

//! A session: one stream of instructions, and the waits that reading a value needs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use gt_core::attrs::Attrs;
use gt_core::instruction::{Command, Instruction, Operand};
use gt_core::op::{Arg, Call, Op};
use gt_core::record::{INLINE_INPUTS, Record};
use gt_core::{Error, Meta, RequestId, Result, Scalar, SessionId, Slot};
use gt_transport::{Batch, Failure, Message, Value};
use parking_lot::Mutex;
use smallvec::SmallVec;

use crate::embedded::{Embedded, Options};
use crate::mailbox::{Mailbox, State};
use crate::stream::Stream;
use crate::tensor::{Owned, Tensor};
use crate::{host, provenance};

/// A client may be so many commands ahead of the workers …
const COMMANDS_AHEAD: u64 = 1 << 16;
/// … or so many bytes of uploads.
const BYTES_AHEAD: u64 = 1 << 30;

/// A stream of instructions to a dispatcher. Clones are the same session.
#[derive(Clone)]
pub struct Session(Arc<Inner>);

/// What clones of a session share.
pub struct Inner {
    id: SessionId,
    embedded: Arc<Embedded>,
    stream: Mutex<Stream>,
    /// Values nobody needs any more. Dropping one only puts it here: garbage collection may run
    /// while the stream is locked.
    dropped: Mutex<Vec<Slot>>,
    mailbox: Mailbox,
    sent_commands: AtomicU64,
    sent_bytes: AtomicU64,
    messages: AtomicU64,
    waits: AtomicU64,
    closed: AtomicBool,
}

/// An input of an operation.
#[derive(Clone, Copy)]
pub enum Input<'a> {
    /// A tensor.
    Tensor(&'a Tensor),
    /// A number.
    Scalar(Scalar),
}

impl<'a> From<&'a Tensor> for Input<'a> {
    fn from(tensor: &'a Tensor) -> Self {
        Input::Tensor(tensor)
    }
}

impl<T: Into<Scalar>> From<T> for Input<'_> {
    fn from(scalar: T) -> Self {
        Input::Scalar(scalar.into())
    }
}

/// What a session has done so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Messages sent to the dispatcher.
    pub messages: u64,
    /// Times the program had to wait.
    pub waits: u64,
    /// Values that workers stored; those that only lived inside a plan do not count.
    pub stored: u64,
}

impl Session {
    /// A session with a dispatcher and workers of its own in this process.
    pub fn embedded(options: Options) -> Result<Session> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = SessionId(NEXT.fetch_add(1, Ordering::Relaxed));
        let embedded = Embedded::start(options)?;
        let inner = Arc::new(Inner {
            id,
            embedded: embedded.clone(),
            stream: Mutex::default(),
            dropped: Mutex::default(),
            mailbox: Mailbox::default(),
            sent_commands: AtomicU64::new(0),
            sent_bytes: AtomicU64::new(0),
            messages: AtomicU64::new(0),
            waits: AtomicU64::new(0),
            closed: AtomicBool::new(false),
        });
        embedded.open(id, Arc::downgrade(&inner));
        Ok(Session(inner))
    }

    /// Whether two sessions are the same.
    pub fn is(&self, other: &Session) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Starts the random numbers anew.
    pub fn manual_seed(&self, seed: u64) {
        self.0.stream.lock().manual_seed(seed);
    }

    /// What the session has done so far.
    pub fn counters(&self) -> Counters {
        Counters {
            messages: self.0.messages.load(Ordering::Relaxed),
            waits: self.0.waits.load(Ordering::Relaxed),
            stored: self.0.embedded.stored(self.0.id),
        }
    }

    /// Ends the session. Its tensors can be dropped, but not used.
    pub fn close(&self) {
        self.0.close();
    }

    /// Emits one operation. Nothing waits, unless the results' shapes depend on data.
    pub fn apply(
        &self,
        op: &'static Op,
        inputs: &[Input],
        attrs: Attrs,
    ) -> Result<SmallVec<[Tensor; 1]>> {
        let held = self.hold(op, inputs)?;
        let metas = infer(op, inputs, &attrs)?;
        if let Some(value) = self.emit_record(op, &held, &attrs)? {
            let meta = metas.into_iter().next().expect("a record has one result");
            let mut tensors = SmallVec::new();
            tensors.push(Tensor::new(meta, value));
            return Ok(tensors);
        }
        let values = self.emit(op, &held, attrs, metas.len(), None)?;
        let made = values.into_iter().zip(metas);
        if op.data_dependent {
            return made.map(|(value, _)| self.described(value)).collect();
        }
        Ok(made.map(|(value, meta)| Tensor::new(meta, value)).collect())
    }

    /// The common case of [`Session::emit`]: an instruction that fits into a record.
    fn emit_record(
        &self,
        op: &'static Op,
        inputs: &[Held],
        attrs: &Attrs,
    ) -> Result<Option<Owned>> {
        let scalars = inputs.iter().filter(|input| matches!(input, Held::Scalar(_))).count();
        let fits = inputs.len() <= INLINE_INPUTS
            && scalars <= 1
            && attrs.0.is_empty()
            && op.outputs.len() == 1
            && !op.variadic
            && !op.data_dependent;
        if !fits {
            return Ok(None);
        }
        self.0.check_open()?;
        let mut record = Record::apply(op, Slot(0), provenance::current());
        for input in inputs {
            match input.operand() {
                Operand::Slot(slot) => record.push_slot(slot),
                Operand::Scalar(scalar) => record.push_scalar(scalar),
            }
        }
        let (name, full) = {
            let mut stream = self.0.open_stream();
            let name = stream.name();
            stream.push_record(Record { out: name.0, ..record });
            (name, self.0.full_batch(&mut stream))
        };
        self.0.send_if_full(full)?;
        Ok(Some(Owned::new(self.clone(), name)))
    }

    /// Emits one operation on values; its first result replaces a value if one is given.
    pub(crate) fn emit(
        &self,
        op: &'static Op,
        inputs: &[Held],
        attrs: Attrs,
        results: usize,
        replaces: Option<Slot>,
    ) -> Result<SmallVec<[Owned; 1]>> {
        self.0.check_open()?;
        let inputs = inputs.iter().map(Held::operand).collect();
        let provenance = provenance::current();
        let (names, full) = {
            let mut stream = self.0.open_stream();
            let names = stream.names(results);
            let attrs = stream.fill(op, attrs);
            let outputs = names.clone();
            let instruction = Instruction { op, outputs, inputs, attrs, replaces, provenance };
            stream.push_instruction(&instruction);
            (names, self.0.full_batch(&mut stream))
        };
        self.0.send_if_full(full)?;
        Ok(names.into_iter().map(|slot| Owned::new(self.clone(), slot)).collect())
    }

    /// A tensor from elements, row by row. They are a snapshot: the caller may go on using them.
    pub fn upload(&self, meta: Meta, data: Bytes) -> Result<Tensor> {
        if data.len() != meta.bytes() {
            let found = data.len();
            return Err(Error::value(format!("{meta} does not have {found} bytes")));
        }
        self.0.check_open()?;
        let (out, full) = {
            let mut stream = self.0.open_stream();
            let out = stream.name();
            let provenance = provenance::current();
            stream.push(&Command::Upload { out, meta: meta.clone(), data, provenance });
            (out, self.0.full_batch(&mut stream))
        };
        self.0.send_if_full(full)?;
        Ok(Tensor::new(meta, Owned::new(self.clone(), out)))
    }

    /// Waits for a value and gives its elements, row by row.
    pub(crate) fn read(&self, slot: Slot) -> Result<Value> {
        self.ask(|request| Command::Read { slot, request })
    }

    fn described(&self, value: Owned) -> Result<Tensor> {
        let slot = value.slot();
        let described = self.ask(|request| Command::Describe { slot, request })?;
        Ok(Tensor::new(described.meta, value))
    }

    fn ask(&self, command: impl FnOnce(RequestId) -> Command) -> Result<Value> {
        let inner = &*self.0;
        let (request, batch) = {
            let mut stream = inner.open_stream();
            let request = stream.request();
            stream.push(&command(request));
            (request, stream.take())
        };
        inner.messages.fetch_add(1, Ordering::Relaxed);
        inner.waits.fetch_add(1, Ordering::Relaxed);
        inner.count_sent(&batch);
        let session = inner.id;
        inner.embedded.leave(session, Message::Commands { session, batch });
        let mut answer = None;
        host::wait(|patience: Duration| {
            inner.embedded.help();
            answer = inner.mailbox.wait(patience, |state| state.answer(request));
            answer.is_some()
        })?;
        let answer = answer.expect("the wait ends with an answer")?;
        let failure = inner.mailbox.look(|state| state.failure.take());
        match (answer, failure) {
            (_, Some(failure)) | (Err(failure), None) => Err(explain(&failure)),
            (Ok(value), None) => Ok(value),
        }
    }

    /// The current values of tensors, each kept from being freed while it is held.
    pub(crate) fn hold(&self, op: &Op, inputs: &[Input]) -> Result<SmallVec<[Held; 3]>> {
        let mut held = SmallVec::new();
        for input in inputs {
            held.push(match input {
                Input::Scalar(scalar) => Held::Scalar(*scalar),
                Input::Tensor(tensor) => {
                    let value = tensor.value()?;
                    if !value.session().is(self) {
                        let message = "the tensors belong to different sessions";
                        return Err(Error::runtime(message).within(op.name));
                    }
                    Held::Value(value)
                }
            });
        }
        Ok(held)
    }

    pub(crate) fn drop_slot(&self, slot: Slot) {
        self.0.dropped.lock().push(slot);
    }
}

/// An input while it is being used.
pub(crate) enum Held {
    Value(Arc<Owned>),
    Scalar(Scalar),
}

impl Held {
    fn operand(&self) -> Operand {
        match self {
            Held::Value(value) => Operand::Slot(value.slot()),
            Held::Scalar(scalar) => Operand::Scalar(*scalar),
        }
    }
}

/// Dtypes and shapes of the results, or what is wrong with the call.
pub(crate) fn infer(
    op: &'static Op,
    inputs: &[Input],
    attrs: &Attrs,
) -> Result<SmallVec<[Meta; 1]>> {
    let mut args: SmallVec<[Arg; 4]> = SmallVec::new();
    for input in inputs {
        args.push(match input {
            Input::Tensor(tensor) => Arg::Tensor(tensor.meta()),
            Input::Scalar(scalar) => Arg::Scalar(*scalar),
        });
    }
    Ok(Call::checked(op, &args, attrs)?.infer()?.outputs)
}

/// The failure as the user's error: what happened, and where in their program.
fn explain(failure: &Failure) -> Error {
    match provenance::place(failure.provenance) {
        Some(place) => match failure.error.clone() {
            Error::Input { fault, message } => {
                Error::Input { fault, message: format!("{message} (at {place})") }
            }
            Error::OutOfMemory(message) => Error::OutOfMemory(format!("{message} (at {place})")),
            other => other.within(format!("at {place}")),
        },
        None => failure.error.clone(),
    }
}

impl Inner {
    /// Takes in a message from the dispatcher.
    pub(crate) fn deliver(&self, message: Message) {
        if matches!(message, Message::Ended { .. }) {
            self.closed.store(true, Ordering::Relaxed);
        }
        self.mailbox.take(message);
    }

    /// How many commands were ever appended.
    pub(crate) fn appended(&self) -> u64 {
        self.stream.lock().appended()
    }

    /// Sends what was appended so far.
    pub(crate) fn flush(&self) {
        let batch = {
            let mut stream = self.open_stream();
            if stream.is_empty() {
                return;
            }
            stream.take()
        };
        self.send(batch);
    }

    /// The stream, after what was dropped meanwhile is freed.
    fn open_stream(&self) -> parking_lot::MutexGuard<'_, Stream> {
        let mut stream = self.stream.lock();
        let mut dropped = self.dropped.lock();
        if !dropped.is_empty() {
            stream.free(&dropped);
            dropped.clear();
        }
        stream
    }

    fn full_batch(&self, stream: &mut Stream) -> Option<Batch> {
        if stream.is_full() {
            return Some(stream.take());
        }
        self.embedded.stay_awake();
        None
    }

    fn send_if_full(&self, batch: Option<Batch>) -> Result<()> {
        let Some(batch) = batch else { return Ok(()) };
        self.send(batch);
        self.keep_pace()
    }

    fn send(&self, batch: Batch) {
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.count_sent(&batch);
        self.embedded.send(self.id, Message::Commands { session: self.id, batch });
    }

    fn count_sent(&self, batch: &Batch) {
        self.sent_commands.fetch_add(batch.len() as u64, Ordering::Relaxed);
        self.sent_bytes.fetch_add(batch.bytes() as u64, Ordering::Relaxed);
    }

    /// Waits if the client is too far ahead of the workers.
    fn keep_pace(&self) -> Result<()> {
        let sent = self.sent_commands.load(Ordering::Relaxed);
        let bytes = self.sent_bytes.load(Ordering::Relaxed);
        let near = |state: &mut State| {
            let commands = sent.saturating_sub(state.done_commands);
            let near =
                commands <= COMMANDS_AHEAD && bytes.saturating_sub(state.done_bytes) <= BYTES_AHEAD;
            (near || state.ended.is_some()).then_some(())
        };
        if self.mailbox.look(near).is_some() {
            return Ok(());
        }
        self.waits.fetch_add(1, Ordering::Relaxed);
        host::wait(|patience| self.mailbox.wait(patience, near).is_some())
    }

    /// An error once the session is over.
    fn check_open(&self) -> Result<()> {
        if !self.closed.load(Ordering::Relaxed) {
            return Ok(());
        }
        let error = self.mailbox.look(|state| state.ended.clone());
        Err(error.unwrap_or_else(|| Error::Lost("the session is closed".into())))
    }

    fn close(&self) {
        if self.closed.swap(true, Ordering::Relaxed) {
            return;
        }
        self.embedded.send(self.id, Message::Bye);
        self.mailbox.take(Message::Ended { error: Error::Lost("the session is closed".into()) });
        self.embedded.stop();
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.close();
    }
}

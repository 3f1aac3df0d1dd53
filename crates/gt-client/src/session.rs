//! A session: one stream of instructions, and the waits that reading a value needs.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use gt_core::attrs::Attrs;
use gt_core::instruction::{Command, Instruction, Operand, Replaces};
use gt_core::op::Op;
use gt_core::record::{INLINE_INPUTS, Record};
use gt_core::{Error, Meta, RequestId, Result, Slot};
use smallvec::SmallVec;

use crate::embedded::{self, Options};
use crate::generator::RandomState;
use crate::inner::Inner;
use crate::input::{Held, Input, infer};
use crate::mailbox::{Answer, Elements, State};
use crate::remote::{self, RemoteOptions};
use crate::tensor::{Owned, Tensor};
use crate::{autocast, grad, host, provenance, scope};

/// A stream of instructions to a dispatcher. Clones are the same session.
#[derive(Clone)]
pub struct Session(pub(crate) Arc<Inner>);

/// A weak reference to a session, which does not keep it open.
#[derive(Clone)]
pub struct WeakSession(Weak<Inner>);

impl WeakSession {
    /// The session, if it is open.
    pub fn upgrade(&self) -> Option<Session> {
        self.0.upgrade().map(Session).filter(Session::is_open)
    }
}

/// What a session has done so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Messages sent to the dispatcher.
    pub messages: u64,
    /// Times the program had to wait.
    pub waits: u64,
    /// Bytes of elements that the program has read.
    pub read_bytes: u64,
    /// Values that workers stored; those that only lived inside a plan do not count.
    pub stored: u64,
}

impl Session {
    /// A session with a dispatcher and workers of its own in this process.
    pub fn embedded(options: Options) -> Result<Session> {
        embedded::open(options).map(|(inner, _)| Session(inner))
    }

    /// A session whose dispatcher and workers are other processes.
    pub fn remote(options: RemoteOptions) -> Result<Session> {
        remote::open(options).map(Session)
    }

    /// Where its dispatcher is, if not in this process.
    pub fn address(&self) -> Option<String> {
        self.0.link.summary().address
    }

    /// Whether two sessions are the same.
    pub fn is(&self, other: &Session) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The same session, without keeping it open.
    pub fn downgrade(&self) -> WeakSession {
        WeakSession(Arc::downgrade(&self.0))
    }

    /// Whether it is neither closed nor broken, and belongs to this process.
    pub fn is_open(&self) -> bool {
        self.check().is_ok()
    }

    /// Why a session with other processes is over, if the program did not end it itself.
    pub fn loss(&self) -> Option<Error> {
        let is_lost = self.0.lost.load(Ordering::Relaxed) && self.address().is_some();
        self.check().err().filter(|_| is_lost)
    }

    /// An error once the session is over, or if it belongs to the parent of this process.
    pub(crate) fn check(&self) -> Result<()> {
        self.0.check_open()
    }

    /// Where errors are wanted at their lines, waits for what was appended and raises what failed.
    pub(crate) fn synchronize_if_asked(&self) -> Result<()> {
        if self.0.sync { self.synchronize() } else { Ok(()) }
    }

    /// Starts the random numbers anew.
    pub fn manual_seed(&self, seed: u64) {
        self.0.stream.lock().manual_seed(seed);
    }

    /// Where its random numbers are.
    pub fn random_state(&self) -> RandomState {
        self.0.stream.lock().random_state()
    }

    /// Goes on with random numbers from another state.
    pub fn set_random_state(&self, state: RandomState) {
        self.0.stream.lock().set_random_state(state);
    }

    /// What the session has done so far.
    pub fn counters(&self) -> Result<Counters> {
        let usages = self.0.link.memory_usage()?;
        Ok(Counters {
            messages: self.0.messages.load(Ordering::Relaxed),
            waits: self.0.waits.load(Ordering::Relaxed),
            read_bytes: self.0.read_bytes.load(Ordering::Relaxed),
            stored: usages.iter().map(|usage| usage.stored).sum(),
        })
    }

    /// Ends the session. Its tensors can be dropped, but not used.
    pub fn close(&self) {
        tracing::info!(target: "gt", session = %self.0.id, "closed");
        self.0.close();
    }

    /// Applies one operation. Nothing waits, unless the results' shapes depend on data.
    pub fn apply(
        &self,
        op: &'static Op,
        inputs: &[Input],
        attrs: Attrs,
    ) -> Result<SmallVec<[Tensor; 1]>> {
        match autocast::mode().lower {
            Some(lower) => autocast::apply(self, op, inputs, attrs, lower),
            None => self.trace(op, inputs, attrs),
        }
    }

    /// Appends one operation on inputs in the precision they have, and adds a node to the gradient
    /// graph if one of them needs a gradient.
    pub(crate) fn trace(
        &self,
        op: &'static Op,
        inputs: &[Input],
        attrs: Attrs,
    ) -> Result<SmallVec<[Tensor; 1]>> {
        self.house_parameters(inputs)?;
        let edges = grad::edges(op, inputs)?;
        let held = self.hold(op, inputs)?;
        let Some(edges) = edges else { return self.append(op, inputs, &held, attrs) };
        let results = self.append(op, inputs, &held, attrs.clone())?;
        grad::add_node(op, inputs, &held, &attrs, edges, &results)?;
        Ok(results)
    }

    /// The first result of an operation.
    pub(crate) fn apply_one(
        &self,
        op: &'static Op,
        inputs: &[Input],
        attrs: Attrs,
    ) -> Result<Tensor> {
        let results = self.apply(op, inputs, attrs)?;
        results.into_iter().next().ok_or_else(|| Error::bug(format!("{} has no result", op.name)))
    }

    /// Infers the results of one operation and appends it to the stream.
    fn append(
        &self,
        op: &'static Op,
        inputs: &[Input],
        held: &[Held],
        attrs: Attrs,
    ) -> Result<SmallVec<[Tensor; 1]>> {
        self.keep_pace()?;
        let metas = infer(op, inputs, &attrs)?;
        if let Some(value) = self.append_record(op, held, &attrs)? {
            let meta = metas.into_iter().next().expect("a record has one result");
            let mut tensors = SmallVec::new();
            tensors.push(Tensor::new(meta, value));
            self.synchronize_if_asked()?;
            return Ok(tensors);
        }
        let cut = metas.first().filter(|_| held.is_empty()).and_then(|it| self.cut_by_itself(it));
        let append = || self.append_instruction(op, held, attrs, Replaces::default());
        let values = match &cut {
            Some(cut) => scope::within(cut, append)?,
            None => append()?,
        };
        self.synchronize_if_asked()?;
        let made = values.into_iter().zip(metas);
        if op.data_dependent {
            return made.map(|(value, _)| self.described(value)).collect();
        }
        Ok(made.map(|(value, meta)| Tensor::new(meta, value)).collect())
    }

    /// The common case of [`Session::append_instruction`]: one that fits into a record.
    fn append_record(
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
        let mut record = Record::apply(op, Slot(0), provenance::current());
        for input in inputs {
            match input.operand() {
                Operand::Slot(slot) => record.push_slot(slot),
                Operand::Scalar(scalar) => record.push_scalar(scalar),
            }
        }
        let mut stream = self.0.open_stream();
        stream.follow_scope();
        let name = stream.name();
        stream.push_record(Record { out: name.0, ..record });
        self.0.send_full(&mut stream);
        Ok(Some(Owned::new(self.clone(), name)))
    }

    /// Appends one operation on values to the stream; its results replace the values given.
    pub(crate) fn append_instruction(
        &self,
        op: &'static Op,
        inputs: &[Held],
        attrs: Attrs,
        replaces: Replaces,
    ) -> Result<SmallVec<[Owned; 1]>> {
        let inputs: SmallVec<[Operand; 3]> = inputs.iter().map(Held::operand).collect();
        let provenance = provenance::current();
        let mut stream = self.0.open_stream();
        if inputs.is_empty() && scope::is_library() {
            // It is placed where it is used; the signal's wish is about what the user creates.
            stream.leave_scopes();
        } else {
            stream.follow_scope();
        }
        let names = stream.names(op.outputs.len());
        let attrs = stream.fill(op, attrs);
        let outputs = names.clone();
        let instruction = Instruction { op, outputs, inputs, attrs, replaces, provenance };
        stream.push_instruction(&instruction);
        self.0.send_full(&mut stream);
        Ok(names.into_iter().map(|slot| Owned::new(self.clone(), slot)).collect())
    }

    /// A tensor from elements, row by row. They are a snapshot: the caller may go on using them.
    pub fn upload(&self, meta: Meta, data: Bytes) -> Result<Tensor> {
        if data.len() != meta.bytes() {
            let found = data.len();
            return Err(Error::value(format!("{meta} does not have {found} bytes")));
        }
        self.keep_pace()?;
        let append = || {
            let mut stream = self.0.open_stream();
            match scope::is_library() {
                true => stream.leave_scopes(),
                false => stream.follow_scope(),
            }
            let out = stream.name();
            let provenance = provenance::current();
            stream.push(&Command::Upload { out, meta: meta.clone(), data, provenance });
            self.0.send_full(&mut stream);
            out
        };
        let out = match self.cut_by_itself(&meta) {
            Some(cut) => scope::within(&cut, append),
            None => append(),
        };
        self.synchronize_if_asked()?;
        Ok(Tensor::new(meta, Owned::new(self.clone(), out)))
    }

    /// Waits for a value and gives its elements, row by row.
    pub(crate) fn read(&self, slot: Slot) -> Result<Elements> {
        self.0.reads.note()?;
        let elements = self.ask(|request| Command::Read { slot, request })?.1;
        self.0.read_bytes.fetch_add(elements.len() as u64, Ordering::Relaxed);
        Ok(elements)
    }

    /// Waits for everything that was appended so far, and raises what failed.
    pub fn synchronize(&self) -> Result<()> {
        self.0.reads.note()?;
        self.ask(|request| Command::Sync { request })?;
        // The dispatcher takes a read for the client's own wait. If that was interrupted, its
        // answer may still be on the way.
        let mut settled = None;
        host::wait(|patience: Duration| {
            settled = self.0.mailbox.wait(patience, State::settled);
            settled.is_some()
        })?;
        match settled.expect("the wait ends with an answer")? {
            Some(failure) => Err(self.explain(&failure)),
            None => Ok(()),
        }
    }

    /// Defers everything that was appended and has not begun: it runs only if something that is
    /// asked for later needs it, and is dropped once nothing can. Updates of values in use are not
    /// lost.
    pub fn cancel(&self) -> Result<()> {
        self.0.check_open()?;
        self.0.cancel(None);
        Ok(())
    }

    fn described(&self, value: Owned) -> Result<Tensor> {
        self.0.reads.note()?;
        let slot = value.slot();
        let (meta, _) = self.ask(|request| Command::Describe { slot, request })?;
        self.note_described(slot, &meta);
        Ok(Tensor::new(meta, value))
    }

    /// Sends a command that is answered, and waits for the answer.
    pub(crate) fn ask(
        &self,
        command: impl FnOnce(RequestId) -> Command,
    ) -> Result<(Meta, Elements)> {
        self.request(command)?.map_err(|failure| self.explain(&failure))
    }

    /// The same, with the failure as it was told.
    pub(crate) fn request(&self, command: impl FnOnce(RequestId) -> Command) -> Result<Answer> {
        let inner = &*self.0;
        inner.keep_pace()?;
        inner.waits.fetch_add(1, Ordering::Relaxed);
        let request = {
            let mut stream = inner.open_stream();
            let request = stream.request();
            stream.push(&command(request));
            inner.leave(stream.take());
            request
        };
        let mut answer = None;
        let waited = host::wait(|patience: Duration| {
            let is_answered = || inner.mailbox.look(|state| state.is_answered(request));
            inner.link.help(&is_answered, patience);
            answer = inner.mailbox.wait(patience, |state| state.answer(request));
            answer.is_some()
        });
        tracing::debug!(target: "gt::client", session = %inner.id, %request, "waited");
        if let Err(interrupted) = waited {
            inner.mailbox.look(|state| state.abandon(request));
            inner.cancel(Some(request));
            return Err(interrupted);
        }
        let answer = answer.expect("the wait ends with an answer")?;
        let failure = inner.mailbox.look(|state| state.failure.take());
        Ok(failure.map_or(answer, Err))
    }

    /// The current values of tensors, each kept from being freed while it is held.
    pub(crate) fn hold(&self, op: &Op, inputs: &[Input]) -> Result<SmallVec<[Held; 3]>> {
        let mut held = SmallVec::with_capacity(inputs.len());
        for input in inputs {
            held.push(match input {
                Input::Scalar(scalar) => Held::Scalar(*scalar),
                Input::Tensor(tensor) => {
                    let value = tensor.value()?;
                    self.check_own(op, tensor)?;
                    Held::Value(value)
                }
            });
        }
        Ok(held)
    }

    /// An error if a tensor is not one of this session.
    pub(crate) fn check_own(&self, op: &Op, tensor: &Tensor) -> Result<()> {
        if tensor.session().is(self) {
            return Ok(());
        }
        Err(Error::runtime("the tensors belong to different sessions").within(op.name))
    }

    /// Waits if the program is too far ahead of the workers; an error if the session is over. A
    /// program that makes ever more values and reads none learns here that there is no memory left.
    pub(crate) fn keep_pace(&self) -> Result<()> {
        self.0.keep_pace()?;
        match self.0.takes_memory_check() {
            true => self.ask(|request| Command::Sync { request }).map(drop),
            false => Ok(()),
        }
    }

    pub(crate) fn drop_slot(&self, slot: Slot) {
        // There is nothing to free for a session that is over, and a parent's locks are not ours.
        if self.check().is_err() {
            return;
        }
        self.0.dropped.lock().push(slot);
    }
}

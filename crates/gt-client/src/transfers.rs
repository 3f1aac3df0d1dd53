//! Larger values on their way between the client and workers.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use gt_core::{Error, Meta, Provenance, RequestId, Result, SessionId, Slot};
use gt_transport::region::Region;
use gt_transport::ticket::{Role, Ticket, TransferKind};
use gt_transport::transfers::{Carry, Event};
use gt_transport::{Batch, Failure, FailureId, Message, Value};
use gt_worker::buffer::Pool;
use smallvec::SmallVec;

use crate::host_memory::{Gathering, HostMemory};

/// What travels apart from messages.
#[derive(Debug)]
pub struct Transfers<C> {
    /// What carries them.
    pub carrier: C,
    memory: Arc<Pool>,
    numbers: u32,
    /// Uploads that wait for their tickets, by the client's numbers.
    uploads: HashMap<u32, Bytes>,
    /// Their numbers in order, with how many commands were sent when each was announced.
    announced: VecDeque<(u64, u32)>,
    /// Commands that were sent, and those of them that are done.
    sent: u64,
    done: u64,
    /// Values that are read.
    reads: HashMap<RequestId, Read>,
    /// Their parts under way, by tag, with how many elements each has.
    parts: HashMap<u64, (RequestId, usize)>,
    /// Reads that are over, of which other workers may still send an answer, and whether the part
    /// that ended them was given up: it says nothing of what failed, and another part may.
    over: BTreeMap<RequestId, bool>,
}

/// So many reads that are over are remembered.
const MOST_OVER: usize = 1 << 14;

/// A value that is read.
#[derive(Debug)]
struct Read {
    /// Where its parts are put; nothing if one of them does not come.
    gathering: Option<Gathering>,
    /// Elements of which no ticket has come.
    unannounced: usize,
}

/// What became of a read.
#[derive(Debug)]
pub enum Answered {
    /// The value is here.
    Read {
        /// Which read it was.
        request: RequestId,
        /// The dtype and shape of the value.
        meta: Meta,
        /// Its elements.
        memory: HostMemory,
    },
    /// It will not come.
    Failed {
        /// Which read it was.
        request: RequestId,
        /// Why.
        failure: Arc<Failure>,
    },
}

impl Answered {
    /// The same as a message of the dispatcher.
    pub fn into_message(self, session: SessionId) -> Message {
        let (request, result) = match self {
            Answered::Failed { request, failure } => (request, Err(failure)),
            Answered::Read { request, meta, memory } => {
                (request, Ok(Value { meta, data: Bytes::from_owner(memory) }))
            }
        };
        Message::Answer { session, request, result }
    }
}

impl<C: Carry> Transfers<C> {
    /// Nothing is under way. Values that are read are put into `memory`.
    pub fn new(memory: Arc<Pool>, carrier: C) -> Self {
        let (uploads, announced, reads, parts, over) = Default::default();
        let (numbers, sent, done) = (0, 0, 0);
        Transfers { carrier, memory, numbers, uploads, announced, sent, done, reads, parts, over }
    }

    /// Takes larger uploads out of a batch, which only announces them.
    pub fn unload(&mut self, batch: &mut Batch) {
        let numbers = &mut self.numbers;
        let detached = batch.detach(|| {
            *numbers = numbers.wrapping_add(1);
            *numbers
        });
        self.sent += batch.len() as u64;
        self.announced.extend(detached.iter().map(|(number, _)| (self.sent, *number)));
        self.uploads.extend(detached);
    }

    /// So many commands are done. Tickets come before that, so that what has none by now is taken
    /// in by nobody: there was no worker.
    pub fn finish(&mut self, commands: u64) {
        self.done += commands;
        while let Some(&(sent, number)) = self.announced.front()
            && sent <= self.done
        {
            self.announced.pop_front();
            self.uploads.remove(&number);
        }
    }

    /// How many uploads wait for their tickets.
    pub fn waiting_uploads(&self) -> usize {
        self.uploads.len()
    }

    /// The dispatcher gives leave to move a value. Gives the answer to a read that is over by that.
    pub fn take_ticket(&mut self, ticket: Ticket) -> Option<Answered> {
        match (ticket.role, ticket.kind) {
            (Role::Send, TransferKind::Upload { number, more }) => {
                let data = if more {
                    self.uploads.get(&number).cloned()
                } else {
                    self.uploads.remove(&number)
                };
                self.upload(ticket, data?);
                None
            }
            (Role::Receive, TransferKind::Answer(request)) => {
                let expected = self.expect_part(request, ticket);
                expected.err().and_then(|error| self.fail(request, error))
            }
            // The rest is for workers.
            _ => None,
        }
    }

    fn upload(&mut self, ticket: Ticket, data: Bytes) {
        let element_bytes = ticket.meta.dtype.size();
        let part = match &ticket.region {
            Some(region) if region.whole.count() * element_bytes == data.len() => {
                region.cut_from(&data, element_bytes)
            }
            Some(_) => return,
            None => data,
        };
        let tag = ticket.tag;
        self.carrier.take_ticket(ticket);
        self.carrier.send(tag, part);
    }

    /// A part of a value that is read will come, to where it belongs.
    fn expect_part(&mut self, request: RequestId, ticket: Ticket) -> Result<()> {
        let region = ticket.region.clone().unwrap_or_else(|| Region::all(&ticket.meta.shape));
        let (elements, unannounced) = (region.elements(), region.whole.count());
        let is_first = !self.reads.contains_key(&request);
        let read = self.reads.entry(request).or_insert(Read { gathering: None, unannounced });
        read.unannounced = read.unannounced.saturating_sub(elements);
        let is_last = read.unannounced == 0;
        if is_first {
            let meta = Meta { dtype: ticket.meta.dtype, shape: region.whole.clone() };
            read.gathering = Some(Gathering::new(meta, &self.memory)?);
        }
        match &mut read.gathering {
            Some(gathering) => {
                let buffer = gathering.part(region)?;
                self.parts.insert(ticket.tag, (request, elements));
                self.carrier.take_ticket_into(ticket, buffer);
            }
            // Whoever has the part hears that it is not wanted.
            None => {
                let tag = ticket.tag;
                self.carrier.take_ticket(ticket);
                self.carrier.cancel(tag);
                if is_last {
                    self.reads.remove(&request);
                }
            }
        }
        Ok(())
    }

    /// A read was answered by message, so that nothing more will come. Says whether the session has
    /// to know: each worker that has a part of the value may answer that it failed, and the first
    /// failure counts.
    pub fn answered(
        &mut self,
        request: RequestId,
        answer: &std::result::Result<Value, Arc<Failure>>,
    ) -> bool {
        let is_given_up = answer.as_ref().is_err_and(|failure| failure.is_given_up());
        match self.over.get_mut(&request) {
            Some(was_given_up) => answer.is_err() && !is_given_up && std::mem::take(was_given_up),
            None => {
                self.end(request, is_given_up);
                true
            }
        }
    }

    /// A read is over, and what is left of it is not wanted.
    fn end(&mut self, request: RequestId, is_given_up: bool) {
        let Some(read) = self.reads.get_mut(&request) else { return };
        read.gathering = None;
        if read.unannounced == 0 {
            self.reads.remove(&request);
        }
        self.over.insert(request, is_given_up);
        if self.over.len() > MOST_OVER {
            self.over.pop_first();
        }
        let tags = self.parts.iter().filter(|(_, (other, _))| *other == request);
        let mut tags: Vec<u64> = tags.map(|(tag, _)| *tag).collect();
        tags.sort_unstable();
        for tag in tags {
            self.parts.remove(&tag);
            self.carrier.cancel(tag);
        }
    }

    /// A transfer has ended: the answer to a read, if that is over by it. What became of an upload
    /// is told by its worker, to whoever needs the value.
    pub fn ended(&mut self, event: Event) -> Option<Answered> {
        match event {
            Event::Arrived { tag, .. } => {
                let (request, elements) = self.parts.remove(&tag)?;
                let gathering = &mut self.reads.get_mut(&request)?.gathering;
                let gathering = gathering.take_if(|gathering| gathering.arrive(elements))?;
                let meta = gathering.meta.clone();
                self.end(request, false);
                match gathering.finish() {
                    Ok(memory) => Some(Answered::Read { request, meta, memory }),
                    Err(error) => Some(failed(request, error)),
                }
            }
            Event::Failed { tag, error } => {
                let (request, _) = self.parts.remove(&tag)?;
                self.fail(request, error)
            }
            Event::Confirmed { .. } => None,
        }
    }

    /// A part of a value will not come, and the others are of no use.
    fn fail(&mut self, request: RequestId, error: Error) -> Option<Answered> {
        self.end(request, false);
        Some(failed(request, error.within("a value could not be brought here")))
    }
}

fn failed(request: RequestId, error: Error) -> Answered {
    let (slot, provenance, holders) = (Slot(0), Provenance::UNKNOWN, SmallVec::new());
    let (id, instruction) = (FailureId::NONE, "a transfer".to_string());
    let failure = Arc::new(Failure { id, error, instruction, slot, provenance, holders });
    Answered::Failed { request, failure }
}

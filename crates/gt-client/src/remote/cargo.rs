//! Larger values on their way between the client and workers.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use gt_core::{Error, Meta, Provenance, RequestId, SessionId, Slot};
use gt_transport::bulk::{Courier, Event, Plain};
use gt_transport::ticket::{Errand, Goods, Ticket, Wanted};
use gt_transport::{Batch, Failure, FailureId, Message, Value};
use smallvec::SmallVec;

/// What travels apart from messages.
pub(super) struct Cargo {
    courier: Arc<Courier>,
    numbers: u32,
    /// Uploads that wait for their tickets, by the client's numbers.
    waiting: HashMap<u32, Bytes>,
    /// Uploads under way, by tag.
    uploads: HashMap<u64, Upload>,
    /// Answers under way, by tag.
    fetches: HashMap<u64, (RequestId, Meta)>,
}

struct Upload {
    number: u32,
    detoured: bool,
}

/// What follows from the end of a transfer.
pub(super) enum Ended {
    /// Nothing.
    Well,
    /// Something for the dispatcher.
    Tell(Message),
    /// Something for the session.
    Here(Message),
}

impl Cargo {
    /// Nothing is under way; `ended` is called from other threads when a transfer ends.
    pub(super) fn new(ended: impl Fn(Event) + Send + Sync + 'static) -> Cargo {
        let courier = Courier::new(Arc::new(Plain), ended);
        let (waiting, uploads, fetches) = Default::default();
        Cargo { courier, numbers: 0, waiting, uploads, fetches }
    }

    /// Takes larger uploads out of a batch, which only announces them.
    pub(super) fn unload(&mut self, batch: &mut Batch) {
        let numbers = &mut self.numbers;
        let detached = batch.detach(|| {
            *numbers = numbers.wrapping_add(1);
            *numbers
        });
        self.waiting.extend(detached);
    }

    /// The dispatcher gives leave to move a value.
    pub(super) fn take_ticket(&mut self, ticket: Ticket) {
        let Ticket { tag, key, errand, .. } = ticket;
        match errand {
            Errand::Deliver(Goods::Upload(number), address) => {
                let Some(data) = self.waiting.remove(&number) else { return };
                let detoured = self.uploads.contains_key(&tag);
                self.uploads.insert(tag, Upload { number, detoured });
                self.courier.deliver(&address, tag, key, data);
            }
            Errand::Fetch(Wanted::Answer(request), meta, address) => {
                let bytes = meta.bytes();
                self.fetches.insert(tag, (request, meta));
                self.courier.fetch(&address, tag, key, bytes);
            }
            // The rest is for workers.
            _ => {}
        }
    }

    /// A read was answered by message, so nothing is there to be fetched.
    pub(super) fn answered(&mut self, request: RequestId) {
        let tag = self.fetches.iter().find(|(_, (asked, _))| *asked == request);
        if let Some((&tag, _)) = tag {
            self.fetches.remove(&tag);
            self.courier.cancel(tag);
        }
    }

    /// A transfer has ended.
    pub(super) fn ended(&mut self, session: SessionId, event: Event) -> Ended {
        match event {
            Event::Delivered { tag } => {
                self.uploads.remove(&tag);
                Ended::Well
            }
            Event::Fetched { tag, data } => match self.fetches.remove(&tag) {
                Some((request, meta)) => {
                    let result = Ok(Value { meta, data });
                    Ended::Here(Message::Answer { session, request, result })
                }
                None => Ended::Well,
            },
            Event::Unreachable { tag, data: Some(data), error } => match self.uploads.get(&tag) {
                Some(upload) if !upload.detoured => {
                    self.waiting.insert(upload.number, data);
                    Ended::Tell(Message::Unreachable { tag })
                }
                Some(_) => self.failed(session, tag, error),
                None => Ended::Well,
            },
            // The relay's ticket comes with the same request, and replaces this one.
            Event::Unreachable { tag, data: None, .. } if self.fetches.contains_key(&tag) => {
                Ended::Tell(Message::Unreachable { tag })
            }
            Event::Unreachable { tag, error, .. } | Event::Failed { tag, error } => {
                self.failed(session, tag, error)
            }
            Event::Withdrawn { tag } => {
                // The worker says why in a message of its own.
                self.uploads.remove(&tag);
                Ended::Well
            }
        }
    }

    /// Ends all transfers.
    pub(super) fn close(&self) {
        self.courier.close();
    }

    fn failed(&mut self, session: SessionId, tag: u64, error: Error) -> Ended {
        if let Some((request, _)) = self.fetches.remove(&tag) {
            let result = Err(failure(error.within("a value could not be brought here")));
            return Ended::Here(Message::Answer { session, request, result });
        }
        match (self.uploads.remove(&tag), error) {
            // The worker knows best what it has no room for, and fails what needs the value.
            (None, _) | (_, Error::OutOfMemory(_)) => Ended::Well,
            (Some(_), error) => {
                let error = error.within("a value could not be brought to its worker");
                Ended::Here(Message::Ended { session, error })
            }
        }
    }
}

/// A transfer that failed, as whoever reads the value sees it.
fn failure(error: Error) -> Arc<Failure> {
    let (slot, provenance, holders) = (Slot(0), Provenance::UNKNOWN, SmallVec::new());
    let id = FailureId::NONE;
    Arc::new(Failure { id, error, instruction: "a transfer".into(), slot, provenance, holders })
}

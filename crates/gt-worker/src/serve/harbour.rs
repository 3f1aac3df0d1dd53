//! Where larger values come and go: each by a ticket of the dispatcher, straight from or to another
//! process. Small ones and failures travel inside messages.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use gt_core::{Error, Meta, Provenance, RequestId, Result, SessionId, Slot, WorkerId};
use gt_transport::bulk::{self, Address, Courier, Depot, DepotOptions, Key, Limits};
use gt_transport::ticket::{Errand, Goods, Ticket, Wanted};
use gt_transport::{Failure, FailureId, Message, Value};
use smallvec::SmallVec;

use super::DataPlace;
use super::inbox::{Inbox, News};
use super::pool_source::PoolSource;
use crate::buffer::Pool;

/// The transfers of a worker.
pub(super) struct Harbour {
    depot: Arc<Depot>,
    courier: Arc<Courier>,
    /// Values that will arrive.
    expected: HashMap<u64, Expected>,
    /// Reads whose answers go another way than by message.
    offers: HashMap<(SessionId, RequestId), Offer>,
    /// Handovers that may leave.
    berths: HashMap<u64, Berth>,
    /// What is on its way to somebody.
    departed: HashMap<u64, Departed>,
}

struct Expected {
    session: SessionId,
    meta: Meta,
}

enum Offer {
    /// Somebody fetches it here.
    Fetched(u64),
    /// It is brought to the relay.
    Brought(u64, Berth),
}

/// Leave to bring something somewhere.
struct Berth {
    session: SessionId,
    key: Key,
    address: Address,
}

/// Something that is being brought.
struct Departed {
    session: SessionId,
    cargo: Cargo,
    /// It waits here until there is a way around.
    stranded: Option<Bytes>,
    detoured: bool,
}

enum Cargo {
    Handover { to: WorkerId, meta: Meta },
    Answer(RequestId),
}

impl Harbour {
    /// Opens the place where values arrive; news come to the inbox.
    pub(super) fn open(place: &DataPlace, pool: &Arc<Pool>, inbox: &Arc<Inbox>) -> Result<Harbour> {
        let pool_source = Arc::new(PoolSource(pool.clone()));
        let DataPlace { unix, allowed_group, tcp, advertise } = place.clone();
        let limits = Limits::default();
        let options = DepotOptions {
            unix,
            allowed_group,
            tcp,
            advertise,
            buffer_source: pool_source.clone(),
            limits,
        };
        let bring = inbox.clone();
        let arrived = move |tag, parcel| bring.bring(News::Arrived(tag, parcel));
        let depot = Depot::open(options, arrived)?;
        let bring = inbox.clone();
        let courier = Courier::new(pool_source, move |event| bring.bring(News::Errand(event)));
        let (expected, offers, berths, departed) = Default::default();
        Ok(Harbour { depot, courier, expected, offers, berths, departed })
    }

    /// Where it can be reached.
    pub(super) fn address(&self) -> &Address {
        self.depot.address()
    }

    /// The dispatcher gives leave to move a value.
    pub(super) fn take_ticket(&mut self, ticket: Ticket) {
        let Ticket { session, tag, key, errand } = ticket;
        match errand {
            Errand::Expect(meta) => {
                self.depot.expect(session.0, tag, key, meta.bytes());
                self.expected.insert(tag, Expected { session, meta });
            }
            Errand::Fetch(Wanted::Handover, meta, address) => {
                self.depot.withdraw(tag);
                self.courier.fetch(&address, tag, key, meta.bytes());
            }
            Errand::Offer(request) => {
                self.depot.offer(session.0, tag, key);
                self.offers.insert((session, request), Offer::Fetched(tag));
            }
            Errand::Deliver(Goods::Answer(request), address) => {
                self.detour_answer(tag, request, Berth { session, key, address });
            }
            Errand::Deliver(Goods::Handover, address) => {
                self.detour_handover(tag, Berth { session, key, address });
            }
            // Only clients upload, and only they want answers.
            Errand::Deliver(Goods::Upload(_), _) | Errand::Fetch(Wanted::Answer(_), ..) => {}
        }
    }

    /// Sends a message of the worker: its larger data by another way, the rest to the dispatcher.
    pub(super) fn dispatch(&mut self, message: Message) -> Option<Message> {
        match message {
            Message::Answer { session, request, result } => {
                let Some(offer) = self.offers.remove(&(session, request)) else {
                    return Some(Message::Answer { session, request, result });
                };
                match (offer, result) {
                    (Offer::Fetched(tag), Ok(Value { data, .. })) => self.depot.put(tag, data),
                    (Offer::Brought(tag, berth), Ok(Value { data, .. })) => {
                        self.depart(tag, berth, Cargo::Answer(request), data);
                    }
                    (Offer::Fetched(tag) | Offer::Brought(tag, _), Err(failure)) => {
                        self.depot.withdraw(tag);
                        return Some(Message::Answer { session, request, result: Err(failure) });
                    }
                }
                None
            }
            Message::Handover { session, to, tag, meta, result } => {
                match (self.berths.remove(&tag), result) {
                    (Some(berth), Ok(data)) => {
                        self.depart(tag, berth, Cargo::Handover { to, meta }, data);
                        None
                    }
                    (_, result) => Some(Message::Handover { session, to, tag, meta, result }),
                }
            }
            other => Some(other),
        }
    }

    /// A message hands over why a larger value does not come.
    pub(super) fn give_up(&mut self, tag: u64) {
        if self.expected.remove(&tag).is_some() {
            self.depot.withdraw(tag);
            self.courier.cancel(tag);
        }
    }

    /// A session is over: nothing of it comes or goes any more.
    pub(super) fn forget(&mut self, session: SessionId) {
        self.depot.withdraw_all(session.0);
        self.expected.retain(|_, expected| expected.session != session);
        self.offers.retain(|(owner, _), _| *owner != session);
        self.berths.retain(|_, berth| berth.session != session);
        let courier = &self.courier;
        self.departed.retain(|&tag, departed| {
            let goes_on = departed.session != session;
            if !goes_on {
                courier.cancel(tag);
            }
            goes_on
        });
    }

    /// A value arrived, or will not: the handover for the worker, unless nobody waits for it.
    pub(super) fn arrived(&mut self, tag: u64, parcel: Result<Bytes>) -> Option<Message> {
        let Expected { session, meta } = self.expected.remove(&tag)?;
        let result = parcel.map_err(failure);
        // A worker knows itself; the field is for the way between workers.
        Some(Message::Handover { session, to: WorkerId(0), tag, meta, result })
    }

    /// A delivery or a fetch ended: what to tell the dispatcher, and what has arrived here.
    pub(super) fn ended(&mut self, event: bulk::Event) -> Ended {
        use bulk::Event;
        match event {
            Event::Fetched { tag, data } => Ended::here(self.arrived(tag, Ok(data))),
            Event::Delivered { tag } => {
                self.departed.remove(&tag);
                Ended::Well
            }
            Event::Unreachable { tag, data, error } => self.strand(tag, data, error),
            Event::Withdrawn { tag } => {
                let error = Error::Lost("the other side gave a transfer up".to_string());
                self.failed(tag, error)
            }
            Event::Failed { tag, error } => self.failed(tag, error),
        }
    }

    fn depart(&mut self, tag: u64, berth: Berth, cargo: Cargo, data: Bytes) {
        let Berth { session, key, address } = berth;
        let detoured = matches!(cargo, Cargo::Answer(_));
        self.departed.insert(tag, Departed { session, cargo, stranded: None, detoured });
        self.courier.deliver(&address, tag, key, data);
    }

    fn detour_answer(&mut self, tag: u64, request: RequestId, berth: Berth) {
        let put = self.depot.withdraw(tag);
        match put {
            Some(data) => self.depart(tag, berth, Cargo::Answer(request), data),
            None => {
                // The read is not answered yet, or somebody fetches the answer at this moment.
                let waiting = self.offers.get_mut(&(berth.session, request));
                if let Some(offer) = waiting {
                    *offer = Offer::Brought(tag, berth);
                }
            }
        }
    }

    fn detour_handover(&mut self, tag: u64, berth: Berth) {
        let stranded = self.departed.get_mut(&tag).and_then(|departed| {
            departed.detoured = true;
            departed.stranded.take()
        });
        match stranded {
            Some(data) => self.courier.deliver(&berth.address, tag, berth.key, data),
            None => {
                self.berths.insert(tag, berth);
            }
        }
    }

    /// The other side cannot be reached: there may be a way around.
    fn strand(&mut self, tag: u64, data: Option<Bytes>, error: Error) -> Ended {
        match (self.departed.get_mut(&tag), data) {
            (Some(departed), Some(data)) if !departed.detoured => {
                departed.stranded = Some(data);
                Ended::Tell(Message::Unreachable { tag })
            }
            _ => self.failed(tag, error),
        }
    }

    /// A transfer failed for good; whoever waits for the value learns why.
    fn failed(&mut self, tag: u64, error: Error) -> Ended {
        match self.departed.remove(&tag) {
            Some(Departed { session, cargo: Cargo::Handover { to, meta }, .. }) => {
                let result = Err(failure(error));
                Ended::Tell(Message::Handover { session, to, tag, meta, result })
            }
            Some(Departed { session, cargo: Cargo::Answer(request), .. }) => {
                let result = Err(failure(error));
                Ended::Tell(Message::Answer { session, request, result })
            }
            None => Ended::here(self.arrived(tag, Err(error))),
        }
    }
}

impl Drop for Harbour {
    fn drop(&mut self) {
        self.courier.close();
        self.depot.close();
    }
}

/// What follows from the end of a transfer.
pub(super) enum Ended {
    /// Nothing.
    Well,
    /// Something for the dispatcher.
    Tell(Message),
    /// Something for the worker itself.
    Here(Message),
}

impl Ended {
    fn here(message: Option<Message>) -> Ended {
        message.map_or(Ended::Well, Ended::Here)
    }
}

/// A transfer that failed, as whoever waits for the value sees it.
fn failure(error: Error) -> Arc<Failure> {
    let (slot, provenance, holders) = (Slot(0), Provenance::UNKNOWN, SmallVec::new());
    let id = FailureId::NONE;
    Arc::new(Failure { id, error, instruction: "a transfer".into(), slot, provenance, holders })
}

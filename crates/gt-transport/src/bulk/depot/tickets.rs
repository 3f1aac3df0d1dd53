//! Which transfers a depot allows, and who asks for them. A ticket and a request may come in
//! either order; when both are there and the request proves the key, they meet.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use bytes::Bytes;

use super::Refusal;
use super::connection::{Connection, Grant, Order};
use super::gone::{Gone, Reason};
use crate::bulk::frame::{Frame, Kind};
use crate::bulk::ticket::{Key, Transfer, Way};

/// All tickets of a depot, and all requests that wait for one.
#[derive(Default)]
pub(super) struct Tickets {
    expected: HashMap<u64, Expected>,
    arriving: HashMap<u64, Arriving>,
    offers: HashMap<u64, Offer>,
    waiting: HashMap<(Way, u64), Vec<Request>>,
    waiting_count: usize,
    gone: Gone,
}

/// A delivery that nobody has asked for yet.
struct Expected {
    owner: u64,
    key: Key,
    bytes: usize,
}

/// A delivery that a connection has shown the key of.
struct Arriving {
    owner: u64,
    party: Party,
    key: Key,
    bytes: usize,
    void: Arc<AtomicBool>,
}

/// What may be fetched: ticket, value and fetcher come in any order.
#[derive(Default)]
struct Offer {
    owner: u64,
    key: Option<Key>,
    data: Option<Bytes>,
    fetcher: Option<Party>,
}

/// Somebody who has shown the key.
struct Party {
    connection: Arc<Connection>,
    transfer: Transfer,
}

impl Party {
    fn is(&self, connection: &Arc<Connection>, request: u64) -> bool {
        Arc::ptr_eq(&self.connection, connection) && self.transfer.request == request
    }
}

/// A request whose ticket is not there yet.
pub(super) struct Request {
    pub connection: Arc<Connection>,
    pub frame: Frame,
}

impl Tickets {
    pub fn expect(&mut self, owner: u64, tag: u64, key: Key, bytes: usize) {
        self.gone.forget(Way::Deliver, tag);
        self.expected.insert(tag, Expected { owner, key, bytes });
        self.try_waiting(Way::Deliver, tag);
    }

    pub fn offer(&mut self, owner: u64, tag: u64, key: Key) {
        self.gone.forget(Way::Fetch, tag);
        let offer = self.offers.entry(tag).or_default();
        (offer.owner, offer.key) = (owner, Some(key));
        self.try_waiting(Way::Fetch, tag);
    }

    pub fn put(&mut self, tag: u64, data: Bytes) {
        if self.gone.contains(Way::Fetch, tag) {
            return;
        }
        self.offers.entry(tag).or_default().data = Some(data);
        self.ship(tag);
    }

    /// A request arrives; it meets its ticket, is refused, or waits for at most so many others.
    pub fn request(&mut self, way: Way, request: Request, limit: usize) {
        let tag = request.frame.value;
        if self.gone.contains(way, tag) {
            return self.explain(way, &request);
        }
        if self.has(way, tag) {
            return self.meet(way, request);
        }
        // Half of the places are for those who have shown a key, whatever strangers ask for.
        let limit = if request.connection.is_proven() { limit } else { limit.div_ceil(2) };
        if self.waiting_count >= limit {
            return request.connection.order(Order::Refuse(request.frame.request, Refusal::Full));
        }
        self.waiting_count += 1;
        request.connection.expire_later(way, tag, request.frame.request);
        self.waiting.entry((way, tag)).or_default().push(request);
    }

    /// A request has waited long enough; true if it still waits.
    pub fn expire(
        &mut self,
        connection: &Arc<Connection>,
        way: Way,
        tag: u64,
        number: u64,
    ) -> bool {
        let Some(list) = self.waiting.get_mut(&(way, tag)) else { return false };
        let is_it =
            |r: &Request| Arc::ptr_eq(&r.connection, connection) && r.frame.request == number;
        let Some(at) = list.iter().position(is_it) else { return false };
        list.remove(at);
        if list.is_empty() {
            self.waiting.remove(&(way, tag));
        }
        self.waiting_count -= 1;
        true
    }

    /// Every ticket of an owner is void; of a tag that two share, one direction may stay.
    pub fn withdraw_all(&mut self, owner: u64) {
        let expected = self.expected.iter().filter(|(_, e)| e.owner == owner).map(|(tag, _)| *tag);
        let arriving = self.arriving.iter().filter(|(_, a)| a.owner == owner).map(|(tag, _)| *tag);
        let deliveries: Vec<u64> = expected.chain(arriving).collect();
        deliveries.into_iter().for_each(|tag| self.withdraw_delivery(tag));
        let is_theirs = |offer: &Offer| offer.owner == owner && offer.key.is_some();
        let offers = self.offers.iter().filter(|(_, o)| is_theirs(o)).map(|(tag, _)| *tag);
        for tag in offers.collect::<Vec<u64>>() {
            self.withdraw_offer(tag);
        }
    }

    /// The ticket is void; whoever has shown its key is told. Gives what nobody has fetched.
    pub fn withdraw(&mut self, tag: u64) -> Option<Bytes> {
        self.withdraw_delivery(tag);
        self.withdraw_offer(tag)
    }

    fn withdraw_delivery(&mut self, tag: u64) {
        if let Some(Expected { key, bytes, .. }) = self.expected.remove(&tag) {
            self.gone.add(Way::Deliver, tag, key, bytes, Reason::Withdrawn);
        }
        if let Some(arriving) = self.arriving.remove(&tag) {
            arriving.void.store(true, Relaxed);
            arriving.party.tell_withdrawn(arriving.bytes);
            self.gone.add(Way::Deliver, tag, arriving.key, arriving.bytes, Reason::Withdrawn);
        }
    }

    fn withdraw_offer(&mut self, tag: u64) -> Option<Bytes> {
        let offer = self.offers.remove(&tag)?;
        if let Some(fetcher) = offer.fetcher {
            fetcher.tell_withdrawn(0);
        }
        if let Some(key) = offer.key {
            self.gone.add(Way::Fetch, tag, key, 0, Reason::Withdrawn);
        }
        offer.data
    }

    /// A courier takes its request back. True if a delivery will not arrive for that reason.
    pub fn cancel(&mut self, connection: &Arc<Connection>, frame: &Frame) -> bool {
        let tag = frame.value;
        let is_party = |party: &Party, bytes| {
            party.is(connection, frame.request) && party.transfer.accepts(frame, bytes)
        };
        if self.arriving.get(&tag).is_some_and(|a| is_party(&a.party, a.bytes)) {
            let arriving = self.arriving.remove(&tag).expect("just seen");
            arriving.void.store(true, Relaxed);
            arriving.party.tell_withdrawn(arriving.bytes);
            self.gone.add(Way::Deliver, tag, arriving.key, arriving.bytes, Reason::Used);
            return true;
        }
        if self.offers.get(&tag).is_some_and(|o| o.fetcher.iter().any(|f| is_party(f, 0))) {
            let Offer { key, fetcher, .. } = self.offers.remove(&tag).expect("just seen");
            fetcher.expect("just seen").tell_withdrawn(0);
            self.gone.add(Way::Fetch, tag, key.expect("a fetcher met it"), 0, Reason::Used);
            return false;
        }
        for way in [Way::Deliver, Way::Fetch] {
            if self.expire(connection, way, tag, frame.request) {
                connection.order(Order::Refuse(frame.request, Refusal::NoTicket));
            }
        }
        false
    }

    /// The memory of a delivery is there: from here on its ticket is used up. False if it is void.
    pub fn begin(&mut self, tag: u64, connection: &Arc<Connection>, number: u64) -> bool {
        let Some(arriving) = self.arriving.get(&tag) else { return false };
        if !arriving.party.is(connection, number) {
            return false;
        }
        self.gone.add(Way::Deliver, tag, arriving.key.clone(), arriving.bytes, Reason::Used);
        true
    }

    /// A delivery has ended, whole or not. False if nobody waits for it any more.
    pub fn finish(&mut self, tag: u64, connection: &Arc<Connection>, number: u64) -> bool {
        let is_it = self.arriving.get(&tag).is_some_and(|a| a.party.is(connection, number));
        is_it && self.arriving.remove(&tag).is_some()
    }

    /// A value begins to leave: from here on its ticket is used up. `None` if it is void, or if
    /// somebody else has asked for it since.
    pub fn depart(&mut self, tag: u64, connection: &Arc<Connection>, number: u64) -> Option<Bytes> {
        let offer = self.offers.get(&tag)?;
        if !offer.fetcher.as_ref().is_some_and(|party| party.is(connection, number)) {
            return None;
        }
        let Offer { key, data, .. } = self.offers.remove(&tag)?;
        self.gone.add(Way::Fetch, tag, key.expect("a fetcher met it"), 0, Reason::Used);
        data
    }

    /// A connection has ended: what had not begun may be asked for again on another one.
    pub fn forget(&mut self, connection: &Arc<Connection>) {
        self.waiting.retain(|_, list| {
            list.retain(|request| !Arc::ptr_eq(&request.connection, connection));
            !list.is_empty()
        });
        self.waiting_count = self.waiting.values().map(Vec::len).sum();
        for offer in self.offers.values_mut() {
            offer.fetcher.take_if(|party| Arc::ptr_eq(&party.connection, connection));
        }
        let is_left = |(tag, a): (&u64, &Arriving)| {
            Arc::ptr_eq(&a.party.connection, connection).then_some(*tag)
        };
        let left: Vec<u64> = self.arriving.iter().filter_map(is_left).collect();
        for tag in left {
            let arriving = self.arriving.remove(&tag).expect("just listed");
            self.expect(arriving.owner, tag, arriving.key, arriving.bytes);
        }
    }

    /// Nothing is allowed any more.
    pub fn clear(&mut self) {
        *self = Tickets::default();
    }

    fn has(&self, way: Way, tag: u64) -> bool {
        match way {
            Way::Deliver => self.expected.contains_key(&tag),
            Way::Fetch => self.offers.get(&tag).is_some_and(|offer| offer.key.is_some()),
        }
    }

    fn try_waiting(&mut self, way: Way, tag: u64) {
        for request in self.waiting.remove(&(way, tag)).unwrap_or_default() {
            self.waiting_count -= 1;
            if self.has(way, tag) {
                self.meet(way, request);
            } else {
                self.explain(way, &request);
            }
        }
    }

    /// The ticket is there: does the request prove its key?
    fn meet(&mut self, way: Way, request: Request) {
        let tag = request.frame.value;
        let Request { connection, frame } = request;
        let (key, bytes) = match way {
            Way::Deliver => (self.expected[&tag].key.clone(), self.expected[&tag].bytes),
            Way::Fetch => (self.offers[&tag].key.clone().expect("`has` was asked"), 0),
        };
        let transfer = Transfer::begin(&key, way, tag, connection.link.greeting(), frame.request);
        if !transfer.accepts(&frame, bytes) {
            return connection.order(Order::Reject(frame.request));
        }
        connection.prove();
        let party = Party { connection, transfer };
        match way {
            Way::Deliver => self.grant(tag, party),
            Way::Fetch => {
                let offer = self.offers.get_mut(&tag).expect("`has` was asked");
                // A courier whose connection broke asks again before we notice the break.
                if let Some(Party { connection, transfer }) = offer.fetcher.replace(party) {
                    connection.order(Order::Refuse(transfer.request, Refusal::Used));
                }
                self.ship(tag);
            }
        }
    }

    fn grant(&mut self, tag: u64, party: Party) {
        let expected = self.expected.remove(&tag).expect("`has` was asked");
        let Expected { owner, key, bytes } = expected;
        let void = Arc::new(AtomicBool::new(false));
        let transfer = party.transfer.clone();
        party.connection.order(Order::Grant(Grant { tag, transfer, bytes, void: void.clone() }));
        self.arriving.insert(tag, Arriving { owner, party, key, bytes, void });
    }

    /// Lets a value leave if ticket, value and fetcher are there.
    fn ship(&self, tag: u64) {
        let offer = self.offers.get(&tag).filter(|offer| offer.data.is_some());
        if let Some(party) = offer.and_then(|offer| offer.fetcher.as_ref()) {
            party.connection.order(Order::Ship(tag, party.transfer.clone()));
        }
    }

    /// Says why a ticket is gone, to somebody who proves that it was theirs.
    fn explain(&self, way: Way, request: &Request) {
        let Request { connection, frame } = request;
        let Some((key, bytes, reason)) = self.gone.get(way, frame.value) else {
            return connection.order(Order::Refuse(frame.request, Refusal::NoTicket));
        };
        let transfer =
            Transfer::begin(key, way, frame.value, connection.link.greeting(), frame.request);
        if !transfer.accepts(frame, bytes) {
            return connection.order(Order::Reject(frame.request));
        }
        connection.order(match reason {
            Reason::Withdrawn => Order::Say(transfer.frame(Kind::Withdrawn, 0, bytes)),
            Reason::Used => Order::Refuse(frame.request, Refusal::Used),
        });
    }
}

impl Party {
    fn tell_withdrawn(&self, bytes: usize) {
        self.connection.order(Order::Say(self.transfer.frame(Kind::Withdrawn, 0, bytes)));
    }
}

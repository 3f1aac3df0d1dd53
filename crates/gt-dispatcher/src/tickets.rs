//! How larger values travel: each by a ticket of its own, straight between two processes.

use std::collections::{HashMap, VecDeque};

use gt_core::{Meta, RequestId, SessionId, WorkerId};
use gt_transport::ticket::{Address, Errand, Goods, Key, Secret, Ticket, Wanted};
use gt_transport::{Message, Peer};

/// For so long a transfer may be asked to go another way …
const LIFETIME_NS: u64 = 20_000_000_000;
/// … or until the session has begun so many since.
const MOST: usize = 1 << 12;

/// Makes tickets, and knows where the workers listen.
#[derive(Debug)]
pub struct Tickets {
    secret: Secret,
    addresses: HashMap<WorkerId, Address>,
    relay: Option<Address>,
    /// When each session's transfers began, and their tags.
    recent: HashMap<SessionId, VecDeque<(u64, u64)>>,
    passages: HashMap<u64, Passage>,
}

/// A value on its way.
#[derive(Clone, Debug)]
pub struct Passage {
    /// Whose value it is.
    pub session: SessionId,
    /// Its dtype and shape.
    pub meta: Meta,
    /// Who connects.
    pub connects: Peer,
    /// Whether that is on the same host and may use its sockets.
    pub local: bool,
    /// Who listens.
    pub listens: WorkerId,
    /// What travels, in the eyes of whoever connects.
    pub cargo: Cargo,
}

/// What travels.
#[derive(Clone, Copy, Debug)]
pub enum Cargo {
    /// A client's upload, by its own number.
    Upload(u32),
    /// A value for another worker.
    Handover,
    /// The answer to a read.
    Answer(RequestId),
}

impl Tickets {
    /// Tickets that nobody can guess without the secret; `relay` carries what finds no other way.
    pub fn new(secret: Secret, relay: Option<Address>) -> Self {
        let (addresses, recent, passages) = Default::default();
        Tickets { secret, addresses, relay, recent, passages }
    }

    /// A worker listens there.
    pub fn listen(&mut self, worker: WorkerId, address: Address) {
        self.addresses.insert(worker, address);
    }

    /// A worker is gone.
    pub fn forget(&mut self, worker: WorkerId) {
        self.addresses.remove(&worker);
    }

    /// Whether a worker is on the dispatcher's own host.
    pub fn is_local(&self, worker: WorkerId) -> bool {
        self.addresses.get(&worker).is_some_and(|address| address.unix.is_some())
    }

    /// Lets a value travel: the messages for both sides.
    pub fn issue(&mut self, now_ns: u64, tag: u64, passage: Passage) -> [(Peer, Message); 2] {
        let address = self.addresses.get(&passage.listens).cloned().unwrap_or_default();
        let address = address.seen_from(passage.local);
        let messages = self.messages(tag, &passage, waiting(&passage), address);
        self.remember(now_ns, tag, passage);
        messages
    }

    /// Lets a value travel by the relay, because `from` cannot reach the other side: the messages
    /// for the relay and both sides. `None` if there is no such transfer or no relay.
    pub fn detour(&mut self, from: Peer, tag: u64) -> Option<[(Peer, Message); 3]> {
        let relay = self.relay.clone()?;
        let passage = self.passages.get(&tag).filter(|passage| passage.connects == from)?.clone();
        self.passages.remove(&tag);
        let near = relay.clone().seen_from(self.is_local(passage.listens));
        let other = match passage.cargo {
            Cargo::Answer(request) => Errand::Deliver(Goods::Answer(request), near),
            _ => Errand::Fetch(Wanted::Handover, passage.meta.clone(), near),
        };
        let [first, second] = self.messages(tag, &passage, other, relay.seen_from(passage.local));
        let carry = self.ticket(tag, &passage, Errand::Expect(passage.meta.clone()));
        Some([(Peer::Relay, carry), first, second])
    }

    /// Whether a transfer is over because the worker at its other side is gone.
    pub fn is_over(&self, from: Peer, tag: u64) -> bool {
        let passage = self.passages.get(&tag).filter(|passage| passage.connects == from);
        passage.is_some_and(|passage| !self.addresses.contains_key(&passage.listens))
    }

    /// Whose transfer this is.
    pub fn session_of(&self, from: Peer, tag: u64) -> Option<SessionId> {
        let passage = self.passages.get(&tag).filter(|passage| passage.connects == from)?;
        Some(passage.session)
    }

    fn messages(
        &self,
        tag: u64,
        passage: &Passage,
        listener: Errand,
        address: Address,
    ) -> [(Peer, Message); 2] {
        let connector = match passage.cargo {
            Cargo::Upload(number) => Errand::Deliver(Goods::Upload(number), address),
            Cargo::Handover => Errand::Deliver(Goods::Handover, address),
            Cargo::Answer(request) => {
                Errand::Fetch(Wanted::Answer(request), passage.meta.clone(), address)
            }
        };
        let listener = (Peer::Worker(passage.listens), self.ticket(tag, passage, listener));
        [listener, (passage.connects, self.ticket(tag, passage, connector))]
    }

    fn ticket(&self, tag: u64, passage: &Passage, errand: Errand) -> Message {
        let (session, key): (_, Key) = (passage.session, self.secret.key(tag));
        Message::Ticket(Box::new(Ticket { session, tag, key, errand }))
    }

    fn remember(&mut self, now_ns: u64, tag: u64, passage: Passage) {
        let old = |&(since, _): &(u64, u64)| since + LIFETIME_NS < now_ns;
        let recent = self.recent.entry(passage.session).or_default();
        while recent.len() >= MOST || recent.front().is_some_and(old) {
            let Some((_, tag)) = recent.pop_front() else { break };
            self.passages.remove(&tag);
        }
        recent.push_back((now_ns, tag));
        self.passages.insert(tag, passage);
    }

    /// A session is over, and with it its transfers.
    pub fn end(&mut self, session: SessionId) {
        for (_, tag) in self.recent.remove(&session).unwrap_or_default() {
            self.passages.remove(&tag);
        }
    }
}

/// What whoever listens is told.
fn waiting(passage: &Passage) -> Errand {
    match passage.cargo {
        Cargo::Upload(_) | Cargo::Handover => Errand::Expect(passage.meta.clone()),
        Cargo::Answer(request) => Errand::Offer(request),
    }
}

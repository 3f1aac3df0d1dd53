//! How larger values travel: each by a ticket of its own, straight between two processes.

use std::collections::HashMap;

use gt_core::{Meta, SessionId, WorkerId};
use gt_transport::region::Region;
use gt_transport::ticket::{Access, Address, Key, Role, Route, Secret, Ticket};
use gt_transport::{Message, Peer};

pub use gt_transport::ticket::TransferKind;

/// Makes tickets, and knows where the workers listen.
#[derive(Debug)]
pub struct Tickets {
    secret: Secret,
    addresses: HashMap<WorkerId, Address>,
    relay: Option<Address>,
}

/// A value on its way.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// Whose value it is.
    pub session: SessionId,
    /// The dtype and shape of what travels.
    pub meta: Meta,
    /// What that is of a value which the client has whole; all of it if absent.
    pub region: Option<Region>,
    /// The client of an upload or a read, or the worker that has the value.
    pub connects: Peer,
    /// Whether that is on the same host and may use its sockets.
    pub local: bool,
    /// The worker at the other side.
    pub listens: WorkerId,
    /// What travels.
    pub kind: TransferKind,
}

impl Tickets {
    /// Tickets whose keys nobody can guess without the secret; `relay` is where those meet who
    /// cannot reach each other.
    pub fn new(secret: Secret, relay: Option<Address>) -> Self {
        Tickets { secret, addresses: HashMap::new(), relay }
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
    pub fn issue(&self, tag: u64, transfer: &Transfer) -> [(Peer, Message); 2] {
        let worker = Peer::Worker(transfer.listens);
        let (sender, receiver) = match transfer.kind {
            TransferKind::Upload { .. } | TransferKind::Handover => (transfer.connects, worker),
            TransferKind::Answer(_) => (worker, transfer.connects),
        };
        let ticket = |own: Peer, peer: Peer, role: Role| {
            let Transfer { session, meta, region, kind, .. } = transfer.clone();
            // Workers know nothing of wholes; what comes or goes is a value to them.
            let region = region.filter(|_| matches!(own, Peer::Client(_)));
            let route = self.route(own, peer, transfer);
            let ticket = Ticket { session, tag, meta, region, role, kind, peer, route };
            (own, Message::Ticket(Box::new(ticket)))
        };
        [ticket(receiver, sender, Role::Receive), ticket(sender, receiver, Role::Send)]
    }

    /// The ways from one process to another. Clients connect to workers, and of two workers the one
    /// with the lower number connects, so that a pair has one channel.
    fn route(&self, own: Peer, peer: Peer, transfer: &Transfer) -> Route {
        let is_local = match own {
            Peer::Worker(worker) => self.is_local(worker),
            Peer::Client(_) | Peer::Relay => transfer.local,
        };
        let listener = match (own, peer) {
            (Peer::Client(_), Peer::Worker(worker)) => Some(worker),
            (Peer::Worker(lower), Peer::Worker(worker)) if lower < worker => Some(worker),
            _ => None,
        };
        let access = |address: Address, key: Key| {
            Some(Access { address: address.seen_from(is_local), key: key.for_peer(own) })
        };
        let direct = listener.and_then(|worker| {
            let address = self.addresses.get(&worker).cloned().unwrap_or_default();
            access(address, self.secret.listener(peer))
        });
        let relay = self.relay.clone();
        let relay = relay.and_then(|address| access(address, self.secret.listener(Peer::Relay)));
        Route { direct, relay }
    }
}

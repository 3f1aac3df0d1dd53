//! What keys and users may do while they are connected: names for reports, and the end of what a
//! key may no longer do.

use gt_core::{Error, SessionId};
use gt_transport::reliable::unsequenced;
use gt_transport::{Message, Peer};

use super::{ConnectionId, Delivery, Gateway};
use crate::role::{Identity, Role};

impl Gateway {
    /// Whether a user has a name already.
    pub fn has_name(&self, identity: Identity) -> bool {
        self.names.contains_key(&identity)
    }

    /// Sets what reports call a user.
    pub fn set_name(&mut self, identity: Identity, name: String) {
        self.names.insert(identity, name);
    }

    /// What reports call the owner of a session.
    pub(super) fn label(&self, identity: Identity) -> String {
        match (self.names.get(&identity), identity) {
            (Some(name), _) => name.clone(),
            (None, Identity::User(user)) => format!("user {user}"),
            (None, Identity::Key(key)) => {
                let start: String = key[..4].iter().map(|byte| format!("{byte:02x}")).collect();
                format!("key {start}…")
            }
            (None, Identity::Anonymous) => "anonymous".to_string(),
        }
    }

    /// What refusals call the other end of a connection.
    pub(super) fn holder(&self, identity: Identity) -> String {
        match (self.names.get(&identity), identity) {
            (_, Identity::Key(_)) => "this key".to_string(),
            (Some(name), _) => format!("user {name}"),
            (None, Identity::User(user)) => format!("user {user}"),
            (None, Identity::Anonymous) => "this connection".to_string(),
        }
    }

    /// The list of keys has changed: ends sessions, workers and watchers whose keys no longer have
    /// the role that this takes. A client that is away cannot come back.
    pub fn revoke(
        &mut self,
        now_ns: u64,
        role: impl Fn([u8; 32]) -> Option<Role>,
        out: &mut Vec<Delivery>,
    ) {
        let lacks = |identity, suffices: fn(Role) -> bool| match identity {
            Identity::Key(key) => !role(key).is_some_and(suffices),
            Identity::User(_) | Identity::Anonymous => false,
        };
        let error = || {
            Error::Lost(
                "the key of this connection was removed, has expired or has another role".into(),
            )
        };
        let sessions = self.clients.iter();
        let sessions = sessions.filter(|(_, state)| lacks(state.identity, Role::is_client));
        for session in sessions.map(|(&session, _)| session).collect::<Vec<_>>() {
            self.refuse(now_ns, Peer::Client(session), error(), out);
        }
        let workers = self.workers.iter();
        let workers = workers.filter(|(_, state)| lacks(state.identity, Role::is_worker));
        let workers = workers.map(|(&worker, state)| (worker, state.connection));
        for (worker, connection) in workers.collect::<Vec<_>>() {
            let ended = Message::Ended { session: SessionId(0), error: error() };
            let send = |connection| Delivery::Send(connection, unsequenced(&ended));
            out.extend(connection.map(send));
            self.drop_worker(now_ns, Peer::Worker(worker), "may no longer connect", out);
        }
        let watchers = self.observers.watchers.iter();
        let over = watchers.filter(|(_, watcher)| lacks(watcher.identity, watcher.suffices()));
        for connection in over.map(|(&connection, _)| connection).collect::<Vec<ConnectionId>>() {
            self.observers.watchers.remove(&connection);
            self.turn_away(connection, error(), out);
        }
    }
}

//! Who is at the other end of a connection, and whether there is room for another one.

use gt_core::Error;
use gt_zmq::PeerId;

use super::Server;
use crate::gateway::ConnectionId;
use crate::role::{Credentials, Identity};
use crate::session::Reach;

impl Server {
    fn credentials(&self, peer: &PeerId) -> Credentials {
        let nobody = Credentials {
            reach: Reach::Remote,
            address: None,
            identity: Identity::Anonymous,
            role: None,
        };
        self.router.origin(peer).map_or(nobody, |origin| self.roles.credentials(&origin))
    }

    /// Whether there are descriptors for another connection. Its own is open already; it gets back
    /// to the system when whoever was turned away hangs up.
    pub(super) fn has_room(&self) -> bool {
        gt_zmq::descriptor_count().is_ok_and(|count| count <= self.most_descriptors)
    }

    pub(super) fn crowded(&self) -> Error {
        let most = self.most_descriptors;
        Error::Lost(format!(
            "the server has {most} descriptors in use and takes no more connections; start it \
             with a higher limit (`ulimit -n`)"
        ))
    }

    /// The number of a connection, and who is at its other end.
    pub(super) fn connection(&mut self, peer: &PeerId) -> (ConnectionId, Credentials) {
        if let Some(known) = self.connections.get(peer) {
            return *known;
        }
        let (connection, credentials) =
            (ConnectionId(self.next_connection), self.credentials(peer));
        self.next_connection += 1;
        if let Identity::User(user) = credentials.identity
            && !self.gateway.has_name(credentials.identity)
            && let Some(name) = gt_zmq::user_name(user)
        {
            self.gateway.set_name(credentials.identity, name);
        }
        self.connections.insert(peer.clone(), (connection, credentials));
        self.peers.insert(connection, peer.clone());
        (connection, credentials)
    }

    /// Ends what keys may no longer do, if the list of keys was replaced.
    pub(super) fn apply_changed_keys(&mut self) {
        if !self.roles.have_changed() {
            return;
        }
        self.connections.values_mut().for_each(|(_, credentials)| {
            if let Identity::Key(key) = credentials.identity {
                credentials.role = self.roles.of_key(key);
            }
        });
        let (mut out, now_ns) = (Vec::new(), self.now_ns());
        self.gateway.revoke(now_ns, |key| self.roles.of_key(key), &mut out);
        self.send_all(out);
    }
}

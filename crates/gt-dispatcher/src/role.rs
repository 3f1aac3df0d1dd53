//! Who is at the other end of a connection, and what they may do there.

use std::net::IpAddr;

use gt_zmq::{AllowList, Label, Origin, PublicKey};

use crate::session::Reach;

/// What a peer may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A client: it opens sessions.
    Client,
    /// A worker: it computes for sessions of others, and sees their values.
    Worker,
    /// Either.
    Both,
    /// Whoever runs the server: either, and it sees what happens in all sessions.
    Operator,
}

impl Role {
    /// Whether it may open sessions.
    pub fn is_client(self) -> bool {
        matches!(self, Role::Client | Role::Both | Role::Operator)
    }

    /// Whether it may compute for others.
    pub fn is_worker(self) -> bool {
        matches!(self, Role::Worker | Role::Both | Role::Operator)
    }
}

impl From<Role> for Label {
    fn from(role: Role) -> Label {
        Label(match role {
            Role::Client => 1,
            Role::Worker => 2,
            Role::Both => 3,
            Role::Operator => 4,
        })
    }
}

impl Role {
    fn of_label(label: Label) -> Option<Role> {
        [Role::Client, Role::Worker, Role::Both, Role::Operator]
            .into_iter()
            .find(|&role| Label::from(role) == label)
    }

    fn of_parts(client: bool, worker: bool) -> Option<Role> {
        match (client, worker) {
            (true, true) => Some(Role::Both),
            (true, false) => Some(Role::Client),
            (false, true) => Some(Role::Worker),
            (false, false) => None,
        }
    }
}

/// What the users of a host may be, besides our own user, who may be anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// Members may be clients.
    pub clients: Option<u32>,
    /// Members may be workers.
    pub workers: Option<u32>,
}

/// Who decides what a peer may be.
#[derive(Debug)]
pub(crate) struct Roles {
    pub(crate) groups: Groups,
    /// Whose keys may enter; none if nobody is asked for a key.
    pub(crate) keys: Option<AllowList>,
    /// The version of the keys that was applied to existing connections.
    pub(crate) applied: u64,
}

impl Roles {
    /// The role of a key as the list has it at the moment.
    pub(crate) fn of_key(&self, key: [u8; 32]) -> Option<Role> {
        self.keys.as_ref().and_then(|keys| Role::of_label(keys.label(PublicKey(key))?))
    }

    /// Whether the list of keys was replaced since the last call.
    pub(crate) fn have_changed(&mut self) -> bool {
        let version = self.keys.as_ref().map_or(0, AllowList::version);
        std::mem::replace(&mut self.applied, version) != version
    }

    /// What is known of the other end of a connection.
    pub(crate) fn credentials(&self, origin: &Origin) -> Credentials {
        let address = origin.address.parse().ok();
        match (origin.user, origin.key) {
            (Some((user, group)), _) => Credentials {
                reach: Reach::Local,
                address: None,
                identity: Identity::User(user),
                role: self.of_user(user, group),
            },
            (None, Some(key)) => Credentials {
                reach: Reach::Remote,
                address,
                identity: Identity::Key(key.0),
                role: self.of_key(key.0),
            },
            (None, None) => Credentials {
                reach: Reach::Remote,
                address,
                identity: Identity::Anonymous,
                role: self.keys.is_none().then_some(Role::Both),
            },
        }
    }

    fn of_user(&self, user: u32, group: u32) -> Option<Role> {
        // SAFETY: geteuid only reads a number.
        if user == unsafe { libc::geteuid() } {
            return Some(Role::Operator);
        }
        let belongs = |to: u32| group == to || gt_zmq::is_member(user, to);
        let Groups { clients, workers } = self.groups;
        Role::of_parts(clients.is_some_and(belongs), workers.is_some_and(belongs))
    }
}

/// Who a peer is, as far as it was proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Identity {
    /// Whoever owns the secret of this public key.
    Key([u8; 32]),
    /// A process of this user on the dispatcher's host.
    User(u32),
    /// Somebody who was not asked.
    Anonymous,
}

impl Identity {
    /// A text of fixed length that is different for each.
    pub(crate) fn bytes(self) -> [u8; 33] {
        let mut bytes = [0; 33];
        match self {
            Identity::Key(key) => {
                bytes[0] = 1;
                bytes[1..].copy_from_slice(&key);
            }
            Identity::User(user) => {
                bytes[0] = 2;
                bytes[1..5].copy_from_slice(&user.to_le_bytes());
            }
            Identity::Anonymous => {}
        }
        bytes
    }
}

/// What is known of whoever is at the other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credentials {
    /// Whether it can use sockets of the dispatcher's host.
    pub reach: Reach,
    /// Its host; none for a process of the dispatcher's host.
    pub address: Option<IpAddr>,
    /// Who it is.
    pub identity: Identity,
    /// What it may be; none if it may be nothing.
    pub role: Option<Role>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(user: u32, group: u32) -> Origin {
        Origin { local: true, address: String::new(), user: Some((user, group)), key: None }
    }

    fn remote(key: Option<PublicKey>) -> Origin {
        Origin { local: false, address: String::new(), user: None, key }
    }

    #[test]
    fn a_key_is_what_its_list_says() {
        let (client, worker, both) = (PublicKey([1; 32]), PublicKey([2; 32]), PublicKey([3; 32]));
        let operator = PublicKey([5; 32]);
        let listed = [
            (client, Role::Client),
            (worker, Role::Worker),
            (both, Role::Both),
            (operator, Role::Operator),
        ];
        let list = AllowList::new(listed.map(|(key, role)| (key, role.into())));
        let mut roles = Roles { groups: Groups::default(), keys: Some(list.clone()), applied: 0 };
        for (key, role) in listed {
            let credentials = roles.credentials(&remote(Some(key)));
            assert_eq!((credentials.role, credentials.reach), (Some(role), Reach::Remote));
            assert_eq!(credentials.identity, Identity::Key(key.0));
        }
        assert_eq!(roles.credentials(&remote(Some(PublicKey([4; 32])))).role, None);
        assert_eq!(roles.credentials(&remote(None)).role, None, "somebody without a key");
        assert!(!roles.have_changed());
        list.replace([(client, Label(9))]);
        assert!(roles.have_changed() && !roles.have_changed());
        assert_eq!(roles.credentials(&remote(Some(client))).role, None);
        let open = Roles { groups: Groups::default(), keys: None, applied: 0 };
        assert_eq!(open.credentials(&remote(None)).role, Some(Role::Both));
    }

    #[test]
    fn a_user_is_what_the_groups_say() {
        // SAFETY: geteuid only reads a number.
        let own = unsafe { libc::geteuid() };
        let (clients, workers) = (Some(70_001), Some(70_002));
        let roles = Roles { groups: Groups { clients, workers }, keys: None, applied: 0 };
        for (user, group, role) in [
            (own, 1, Some(Role::Operator)),
            (80_000, 70_001, Some(Role::Client)),
            (80_000, 70_002, Some(Role::Worker)),
            (80_000, 70_003, None),
        ] {
            let credentials = roles.credentials(&local(user, group));
            assert_eq!(credentials.role, role, "user {user} of group {group}");
            assert_eq!(credentials.identity, Identity::User(user));
        }
        let same = Groups { clients, workers: clients };
        let roles = Roles { groups: same, keys: None, applied: 0 };
        assert_eq!(roles.credentials(&local(80_000, 70_001)).role, Some(Role::Both));
        let nobody = Roles { groups: Groups::default(), keys: None, applied: 0 };
        assert_eq!(nobody.credentials(&local(80_000, 70_001)).role, None);
    }

    #[test]
    fn no_two_identities_read_the_same() {
        let all = [
            Identity::Anonymous,
            Identity::User(0),
            Identity::User(1),
            Identity::Key([0; 32]),
            Identity::Key([1; 32]),
        ];
        for one in all {
            let alike = all.iter().filter(|other| other.bytes() == one.bytes()).count();
            assert_eq!(alike, 1, "{one:?}");
        }
    }
}

//! What users and keys may have at most, as the operator of a server says.

use std::collections::HashMap;
use std::sync::Arc;

use gt_transport::lock::Mutex;
use gt_transport::share::{MemoryLimit, Weight};

use crate::role::Identity;

/// What somebody may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    /// Their weight among others, where time is short.
    pub weight: Weight,
    /// Sessions at the same time; any number if absent.
    pub sessions: Option<u32>,
    /// Workers of each session; all there are if absent. A client may ask for fewer.
    pub workers: Option<u32>,
    /// Memory of all their sessions together, on each worker.
    pub memory: MemoryLimit,
    /// Memory of each session, on each worker. A client may ask for less.
    pub session_memory: MemoryLimit,
}

/// What everybody may have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Who is not named.
    pub default: Allowance,
    /// Users of the server's host.
    pub users: HashMap<u32, Allowance>,
    /// Public keys.
    pub keys: HashMap<[u8; 32], Allowance>,
}

impl Policy {
    /// What somebody may have.
    pub fn of(&self, identity: Identity) -> Allowance {
        let named = match identity {
            Identity::User(user) => self.users.get(&user),
            Identity::Key(key) => self.keys.get(&key),
            Identity::Anonymous => None,
        };
        named.copied().unwrap_or(self.default)
    }
}

/// A policy on its way to a server that runs.
#[derive(Clone, Debug, Default)]
pub struct PolicyUpdate(Arc<Mutex<Option<Policy>>>);

impl PolicyUpdate {
    /// Leaves a policy, which soon takes the place of the one before.
    pub fn leave(&self, policy: Policy) {
        *self.0.lock() = Some(policy);
    }

    /// Takes the policy, if one was left.
    pub(crate) fn take(&self) -> Option<Policy> {
        self.0.lock().take()
    }
}

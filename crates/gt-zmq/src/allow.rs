//! Whose keys may enter.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::PublicKey;

/// What the owner of a list notes beside a key. It means nothing here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label(pub u8);

/// The public keys that may connect. Clones share one list, and a change holds for connections made
/// from then on; those that exist go on.
#[derive(Debug, Clone)]
pub struct AllowList(Arc<RwLock<Allowed>>);

#[derive(Debug)]
enum Allowed {
    Anyone(Label),
    Only(HashMap<PublicKey, Label>),
}

impl AllowList {
    /// Only these keys.
    pub fn new(keys: impl IntoIterator<Item = (PublicKey, Label)>) -> AllowList {
        AllowList(Arc::new(RwLock::new(Allowed::Only(keys.into_iter().collect()))))
    }

    /// Every key: connections are encrypted, and whoever knows the server's key may enter.
    pub fn anyone(label: Label) -> AllowList {
        AllowList(Arc::new(RwLock::new(Allowed::Anyone(label))))
    }

    /// Whether a key may enter.
    pub fn contains(&self, key: PublicKey) -> bool {
        self.label(key).is_some()
    }

    /// What is noted beside a key, if it may enter.
    pub fn label(&self, key: PublicKey) -> Option<Label> {
        match &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            Allowed::Anyone(label) => Some(*label),
            Allowed::Only(keys) => keys.get(&key).copied(),
        }
    }

    /// Only these keys from now on.
    pub fn replace(&self, keys: impl IntoIterator<Item = (PublicKey, Label)>) {
        let keys = Allowed::Only(keys.into_iter().collect());
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = keys;
    }
}

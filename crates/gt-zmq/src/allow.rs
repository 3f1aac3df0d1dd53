//! Whose keys may enter.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock};

use crate::PublicKey;

/// The public keys that may connect. Clones share one list, and a change holds for connections made
/// from then on; those that exist go on.
#[derive(Debug, Clone)]
pub struct AllowList(Arc<RwLock<Allowed>>);

#[derive(Debug)]
enum Allowed {
    Anyone,
    Only(HashSet<PublicKey>),
}

impl AllowList {
    /// Only these keys.
    pub fn new(keys: impl IntoIterator<Item = PublicKey>) -> AllowList {
        AllowList(Arc::new(RwLock::new(Allowed::Only(keys.into_iter().collect()))))
    }

    /// Every key: connections are encrypted, and whoever knows the server's key may enter.
    pub fn anyone() -> AllowList {
        AllowList(Arc::new(RwLock::new(Allowed::Anyone)))
    }

    /// Whether a key may enter.
    pub fn contains(&self, key: PublicKey) -> bool {
        match &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            Allowed::Anyone => true,
            Allowed::Only(keys) => keys.contains(&key),
        }
    }

    /// Only these keys from now on.
    pub fn replace(&self, keys: impl IntoIterator<Item = PublicKey>) {
        let keys = Allowed::Only(keys.into_iter().collect());
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = keys;
    }
}

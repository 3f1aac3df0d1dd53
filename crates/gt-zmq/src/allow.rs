//! Whose keys may connect.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::PublicKey;

/// What the owner of a list notes beside a key. It means nothing here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label(pub u8);

/// Public keys and their labels.
pub type LabelledKeys = Vec<(PublicKey, Label)>;

/// Reads the keys again; none if they have not changed since they were last read.
type Source = Box<dyn Fn() -> Option<LabelledKeys> + Send + Sync>;

/// The public keys that may connect. Clones share one list. A change applies to connections made
/// from then on; the owner of existing connections sees it by [`AllowList::version`].
#[derive(Debug, Clone)]
pub struct AllowList(Arc<Shared>);

struct Shared {
    allowed: RwLock<Allowed>,
    version: AtomicU64,
    /// Held until what it gives is in place, so that an older list never replaces a newer one.
    source: Mutex<Option<Source>>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AllowList").field(&self.allowed).finish()
    }
}

#[derive(Debug)]
enum Allowed {
    Anyone(Label),
    Only(HashMap<PublicKey, Label>),
}

impl AllowList {
    /// Only these keys.
    pub fn new(keys: impl IntoIterator<Item = (PublicKey, Label)>) -> AllowList {
        AllowList::of(Allowed::Only(keys.into_iter().collect()))
    }

    /// Every key: connections are encrypted, and a peer that knows the server's key may connect.
    pub fn anyone(label: Label) -> AllowList {
        AllowList::of(Allowed::Anyone(label))
    }

    fn of(allowed: Allowed) -> AllowList {
        let (version, source) = Default::default();
        AllowList(Arc::new(Shared { allowed: RwLock::new(allowed), version, source }))
    }

    /// From now on a key that is not in the list is refused only after the source, which is called
    /// on the thread that answers for keys, has been asked for a newer list.
    pub fn read_again_from(
        &self,
        source: impl Fn() -> Option<LabelledKeys> + Send + Sync + 'static,
    ) {
        *self.0.source.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(source));
    }

    /// Whether a key may connect, by the newest list that there is.
    pub fn admits(&self, key: PublicKey) -> bool {
        self.label(key).is_some() || {
            self.refresh();
            self.label(key).is_some()
        }
    }

    /// Asks the source for a newer list.
    pub fn refresh(&self) {
        let source = self.0.source.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(keys) = source.as_ref().and_then(|source| source()) {
            self.replace(keys);
        }
    }

    /// What is noted beside a key, if it may connect.
    pub fn label(&self, key: PublicKey) -> Option<Label> {
        match &*self.0.allowed.read().unwrap_or_else(PoisonError::into_inner) {
            Allowed::Anyone(label) => Some(*label),
            Allowed::Only(keys) => keys.get(&key).copied(),
        }
    }

    /// Only these keys from now on.
    pub fn replace(&self, keys: impl IntoIterator<Item = (PublicKey, Label)>) {
        let keys = Allowed::Only(keys.into_iter().collect());
        *self.0.allowed.write().unwrap_or_else(PoisonError::into_inner) = keys;
        self.0.version.fetch_add(1, Ordering::Release);
    }

    /// How often the list was replaced.
    pub fn version(&self) -> u64 {
        self.0.version.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_refused_only_after_the_list_was_read_again() {
        let (first, second, third) = (PublicKey([1; 32]), PublicKey([2; 32]), PublicKey([3; 32]));
        let list = AllowList::new([(first, Label(1))]);
        assert!(list.admits(first) && !list.admits(second));
        let calls = Arc::new(AtomicU64::new(0));
        let (count, newer) = (calls.clone(), vec![(first, Label(1)), (second, Label(2))]);
        list.read_again_from(move || {
            (count.fetch_add(1, Ordering::Relaxed) == 0).then(|| newer.clone())
        });
        assert!(list.admits(first));
        assert_eq!((calls.load(Ordering::Relaxed), list.version()), (0, 0));
        assert!(list.admits(second));
        assert_eq!((list.label(second), list.version()), (Some(Label(2)), 1));
        assert!(!list.admits(third));
        assert_eq!((calls.load(Ordering::Relaxed), list.version()), (2, 1));
    }
}

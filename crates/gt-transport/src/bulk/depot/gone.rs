//! Tickets that were used or withdrawn a while ago, so that whoever comes late is told at once.

use std::collections::{HashMap, VecDeque};

use crate::bulk::ticket::{Key, Way};

/// How many are remembered; older ones are as unknown as any other number.
const REMEMBERED: usize = 4096;

/// Why a ticket is no longer good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    Used,
    Withdrawn,
}

/// The tickets that are gone, oldest first.
#[derive(Default)]
pub(super) struct Gone {
    entries: HashMap<(Way, u64), Entry>,
    order: VecDeque<(Way, u64, u64)>,
    count: u64,
}

struct Entry {
    key: Key,
    bytes: usize,
    reason: Reason,
    number: u64,
}

impl Gone {
    pub fn add(&mut self, way: Way, tag: u64, key: Key, bytes: usize, reason: Reason) {
        self.count += 1;
        let number = self.count;
        self.entries.insert((way, tag), Entry { key, bytes, reason, number });
        self.order.push_back((way, tag, number));
        while self.order.len() > REMEMBERED {
            let (way, tag, number) = self.order.pop_front().expect("longer than the limit");
            // A ticket that was issued again has a younger entry, or none.
            if self.entries.get(&(way, tag)).is_some_and(|entry| entry.number == number) {
                self.entries.remove(&(way, tag));
            }
        }
    }

    pub fn get(&self, way: Way, tag: u64) -> Option<(&Key, usize, Reason)> {
        self.entries.get(&(way, tag)).map(|entry| (&entry.key, entry.bytes, entry.reason))
    }

    pub fn contains(&self, way: Way, tag: u64) -> bool {
        self.entries.contains_key(&(way, tag))
    }

    /// The number is used for another ticket.
    pub fn forget(&mut self, way: Way, tag: u64) {
        self.entries.remove(&(way, tag));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_latest_are_remembered() {
        let mut gone = Gone::default();
        for tag in 0..3 * REMEMBERED as u64 {
            gone.add(Way::Fetch, tag, Key([0; 32]), 0, Reason::Used);
            gone.add(Way::Fetch, 7, Key([0; 32]), 0, Reason::Withdrawn);
            assert!(gone.order.len() <= REMEMBERED && gone.entries.len() <= REMEMBERED);
        }
        assert_eq!(gone.get(Way::Fetch, 7).map(|entry| entry.2), Some(Reason::Withdrawn));
        assert!(!gone.contains(Way::Fetch, 8));
        assert!(!gone.contains(Way::Deliver, 7));
    }
}

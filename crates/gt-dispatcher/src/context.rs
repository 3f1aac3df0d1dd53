//! What is around the rewriting of a stream: the time and the workers.

use crate::load::Load;
use crate::tickets::Tickets;

/// What a rewriting needs to know of the rest of the system.
pub struct Context<'a> {
    /// The time.
    pub now_ns: u64,
    /// The workers.
    pub load: &'a mut Load,
    /// The next tag of a handover.
    pub next_tag: &'a mut u64,
    /// How larger values travel, if not inside messages.
    pub tickets: Option<&'a mut Tickets>,
}

/// The time, and how long commands may be held back that are too few to be worth a message.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The time.
    pub now_ns: u64,
    /// How long.
    pub hold_ns: u64,
}

impl Context<'_> {
    /// A name for what one worker tells another.
    pub fn tag(&mut self) -> u64 {
        self.tags(1)
    }

    /// The first of so many names.
    pub fn tags(&mut self, count: u64) -> u64 {
        *self.next_tag += count;
        *self.next_tag - count
    }
}

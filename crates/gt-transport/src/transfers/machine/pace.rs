//! How quick a connection is: one that answers nothing and carries next to nothing is as bad as
//! none, although bytes come over it.

use super::link::{Link, State};
use super::{Reach, Via};
use crate::transfers::limits::Limits;

/// What a connection has carried since the last look at it.
#[derive(Debug)]
pub(super) struct Pace {
    /// The last look, or when it began to be needed.
    since: u64,
    /// Bytes that came and went since then.
    pub moved: usize,
    /// The peer was asked whether it is there, and has answered.
    pub pinged: bool,
    pub answered: bool,
    via: Via,
    /// A direct connection was left because it was slow, and the relay was not reached since. The
    /// next one is borne however slow it is.
    is_left: bool,
}

impl Default for Pace {
    fn default() -> Self {
        let (pinged, answered, is_left) = (false, false, false);
        Pace { since: 0, moved: 0, pinged, answered, via: Via::Direct, is_left }
    }
}

impl Pace {
    /// From here on something is to travel.
    pub fn begin(&mut self, now: u64) {
        (self.since, self.moved, self.pinged, self.answered) = (now, 0, false, false);
    }

    /// There is another connection.
    pub fn raise(&mut self, now: u64, via: Via) {
        self.begin(now);
        self.via = via;
        self.is_left &= via == Via::Direct;
    }

    /// Whether it is time to ask a peer that has not been asked.
    pub fn is_ping_due(&self, now: u64, silence: u64) -> bool {
        !self.pinged && now - self.since >= silence / 2
    }

    /// Looks at it if it is time. True if it is a direct connection that should be left.
    pub fn look(&mut self, now: u64, limits: &Limits) -> bool {
        if now - self.since < limits.silence.as_millis() as u64 {
            return false;
        }
        let is_slow = self.pinged && !self.answered && self.moved < limits.least_bytes;
        self.begin(now);
        let leaves = is_slow && self.via == Via::Direct && !self.is_left;
        self.is_left |= leaves;
        leaves
    }
}

impl Link {
    /// Whether the present connection should give way to the relay. Only the side that connects
    /// decides that, so that both go there.
    pub fn is_too_slow(&mut self, now: u64, limits: &Limits) -> bool {
        let Reach { connects, relay } = self.reach;
        let is_slow = self.pace.look(now, limits) && connects && relay;
        self.leaves |= is_slow;
        is_slow
    }

    /// The direct way is left: the next one is by the relay.
    pub fn turn_to_relay(&mut self, now: u64) {
        (self.leaves, self.relay_first) = (false, true);
        self.state = State::Down { retry_at: now };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direct_connection_is_left_if_it_neither_answers_nor_carries_anything() {
        let (limits, mut pace) = (Limits::default(), Pace::default());
        let silence = limits.silence.as_millis() as u64;
        let look = |pace: &mut Pace, moved: usize, answered: bool| {
            let later = pace.since;
            assert!(!pace.is_ping_due(later, silence));
            assert!(!pace.look(later + silence - 1, &limits));
            assert!(pace.is_ping_due(later + silence / 2, silence));
            (pace.pinged, pace.answered, pace.moved) = (true, answered, moved);
            pace.look(later + silence, &limits)
        };
        assert!(!look(&mut pace, 0, true));
        assert!(!look(&mut pace, limits.least_bytes, false));
        assert!(look(&mut pace, limits.least_bytes - 1, false));
        // There is no relay: a slow way is better than none.
        assert!(!look(&mut pace, 0, false));
        pace.raise(pace.since + 5, Via::Relay);
        assert!(!look(&mut pace, 0, false));
        pace.raise(pace.since + 5, Via::Direct);
        assert!(look(&mut pace, 0, false));
    }
}

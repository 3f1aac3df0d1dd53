//! How often somebody may ask how things are. An answer costs the dispatcher as long as many
//! instructions, and it is the same thread that serves everybody.

use std::collections::BTreeMap;

use crate::role::Identity;

/// So many questions of one user or key are answered …
const MOST: u32 = 100;
/// … in this time. Further ones are not; whoever watches asks again.
const PERIOD_NS: u64 = 1_000_000_000;

/// What was asked lately.
#[derive(Debug, Default)]
pub(super) struct Questions {
    since_ns: u64,
    asked: BTreeMap<Identity, u32>,
}

impl Questions {
    /// Whether somebody who asks is answered.
    pub(super) fn may_ask(&mut self, now_ns: u64, identity: Identity) -> bool {
        if now_ns.saturating_sub(self.since_ns) >= PERIOD_NS {
            self.since_ns = now_ns;
            self.asked.clear();
        }
        let asked = self.asked.entry(identity).or_default();
        *asked = asked.saturating_add(1);
        *asked <= MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_too_often_waits_and_harms_nobody_else() {
        let mut questions = Questions::default();
        let (ann, bob) = (Identity::User(1), Identity::User(2));
        let answered = |questions: &mut Questions, now_ns, who| {
            (0..1000).filter(|_| questions.may_ask(now_ns, who)).count()
        };
        assert_eq!(answered(&mut questions, 5, ann), MOST as usize);
        assert_eq!(answered(&mut questions, 6, ann), 0);
        assert_eq!(answered(&mut questions, 7, bob), MOST as usize);
        assert_eq!(answered(&mut questions, 5 + PERIOD_NS, ann), MOST as usize);
    }
}

//! What becomes of connections for data: some are cut, and of the rest nobody is told.

use gt_transport::transfers::ConnectionId;

use super::DataNetwork;
use crate::dice::Dice;

/// Nothing comes for so long at most.
const DELAY_MS: usize = 2000;
/// What is wrong with one end of a connection, and nobody is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    None,
    /// What it says is lost.
    Mute,
    /// It reads a byte or two at a time.
    Slow,
    /// It reads nothing until then.
    Late(u64),
}

/// What may become of connections, and how often.
#[derive(Clone, Copy, Debug)]
pub struct Troubles {
    /// They are cut at any byte.
    pub cuts: usize,
    /// They lead nowhere from any byte on, and one side at most learns of it.
    pub half_open: usize,
    /// One of their ends reads a byte or two at a time.
    pub slow: usize,
    /// Nothing comes for a while.
    pub delays: usize,
    /// Who is asked for one takes it and does not answer.
    pub unanswered: usize,
}

impl Troubles {
    /// Nothing goes wrong.
    pub const NONE: Troubles =
        Troubles { cuts: 0, half_open: 0, slow: 0, delays: 0, unanswered: 0 };
}

impl DataNetwork {
    /// Lets one of the things go wrong that may.
    pub fn trouble(&mut self, now: u64, troubles: &mut Troubles, dice: &mut Dice) {
        let Troubles { cuts, half_open, slow, delays, unanswered } = troubles;
        let counts = [cuts, half_open, slow, delays, unanswered];
        let left: Vec<usize> = (0..counts.len()).filter(|&kind| *counts[kind] > 0).collect();
        if left.is_empty() {
            return;
        }
        let kind = *dice.choose(&left);
        *counts[kind] -= 1;
        if kind == 4 {
            self.unanswered += 1;
            return;
        }
        let Some(id) = self.some_end(dice) else { return };
        match kind {
            0 => self.cut(now, id, dice),
            1 => self.leave_half_open(now, id, dice),
            2 => self.set_trouble(now, id, Trouble::Slow),
            _ => self.set_trouble(now, id, Trouble::Late(now + dice.below(DELAY_MS) as u64)),
        }
    }

    fn set_trouble(&mut self, now: u64, id: ConnectionId, trouble: Trouble) {
        self.note(now, || format!("{}: {trouble:?}", id.0));
        let end = self.ends.get_mut(&id).filter(|end| end.trouble != Trouble::Mute);
        end.into_iter().for_each(|end| end.trouble = trouble);
    }

    /// Nothing that either end says arrives any more; at times one of them is told.
    fn leave_half_open(&mut self, now: u64, id: ConnectionId, dice: &mut Dice) {
        let Some(other) = self.ends.get(&id).map(|end| end.other) else { return };
        let is_told = dice.once_in(2);
        for at in [id, other] {
            self.set_trouble(now, at, Trouble::Mute);
            if let Some(end) = self.ends.get_mut(&at) {
                end.arriving.truncate(dice.below(end.arriving.len() + 1));
                end.cut |= is_told && at == id;
            }
        }
    }
}

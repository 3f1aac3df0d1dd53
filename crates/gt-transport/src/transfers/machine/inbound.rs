//! What is known of the values that a peer has offered, by its numbers for them.

use super::receive::{answer, is_large};
use super::{Action, Event, Reason, Transfers, Violation, reason_error};
use crate::Peer;

/// What is known of a value that a peer has offered.
pub(super) enum Inbound {
    /// Nobody has said that it is wanted.
    Early {
        tag: u64,
        since: u64,
        offer: Result<u64, Reason>,
        data: Vec<u8>,
        arrived: bool,
        /// It was offered on the present connection.
        fresh: bool,
    },
    /// It is wanted.
    Active { tag: u64, granted: bool },
    /// It has arrived, or was refused; the answer is given again if it is offered again.
    Settled(Result<(), Reason>),
}

impl Inbound {
    /// The connection is gone, and with it what was under way.
    pub fn pause(&mut self) {
        match self {
            Inbound::Active { granted, .. } => *granted = false,
            Inbound::Early { data, arrived, fresh, .. } => {
                *fresh = false;
                if !*arrived {
                    data.clear();
                }
            }
            Inbound::Settled(_) => {}
        }
    }
}

impl Transfers {
    /// The peer's greeting. If it has begun to count anew, its old numbers mean nothing.
    pub(super) fn greeted(&mut self, peer: Peer, epoch: u64, oldest: u64) -> Result<(), Violation> {
        let Some(link) = self.links.get_mut(&peer) else { return Ok(()) };
        link.greeted = true;
        if link.peer_epoch == Some(epoch) {
            return self.release(peer, oldest);
        }
        link.peer_epoch = Some(epoch);
        link.peer_oldest = oldest;
        link.early.clear();
        link.early_bytes = 0;
        link.waiting.clear();
        for inbound in std::mem::take(&mut link.inbound).into_values() {
            if let Inbound::Active { tag, .. } = inbound
                && let Some(incoming) = self.receives.get_mut(&tag)
            {
                incoming.seq = None;
            }
        }
        Ok(())
    }

    /// The peer has settled everything before a number.
    pub(super) fn release(&mut self, peer: Peer, oldest: u64) -> Result<(), Violation> {
        let Some(link) = self.links.get_mut(&peer) else { return Ok(()) };
        if oldest < link.peer_oldest {
            return Err(Violation("what was released comes back"));
        }
        link.peer_oldest = oldest;
        let kept = link.inbound.split_off(&oldest);
        for (seq, inbound) in std::mem::replace(&mut link.inbound, kept) {
            link.stop_reading(seq);
            match inbound {
                Inbound::Early { tag, data, .. } => {
                    link.early.remove(&tag);
                    link.early_bytes -= data.capacity();
                }
                Inbound::Active { tag, granted } => {
                    let Some(incoming) = self.receives.remove(&tag) else { continue };
                    if granted {
                        link.count_grant(is_large(&incoming), -1);
                    }
                    link.wanted -= 1;
                    let error = reason_error(Reason::Withdrawn, tag, peer, None);
                    self.actions.push(Action::Tell(Event::Failed { tag, error }));
                }
                Inbound::Settled(_) => {}
            }
        }
        Ok(())
    }

    /// Refuses what was offered and of which nobody said that it is wanted.
    pub(super) fn expire_early(&mut self, now: u64, peer: Peer) {
        let wait = self.limits.ticket_wait.as_millis() as u64;
        let Some(link) = self.links.get_mut(&peer) else { return };
        if link.early.is_empty() {
            return;
        }
        let mut expired = Vec::new();
        for (&seq, inbound) in &link.inbound {
            if let Inbound::Early { tag, since, data, .. } = inbound
                && now - since >= wait
            {
                expired.push((seq, *tag, data.capacity()));
            }
        }
        for (seq, tag, held) in expired {
            link.early.remove(&tag);
            link.early_bytes -= held;
            link.stop_reading(seq);
            let outcome = Err(Reason::NobodyWaits);
            link.inbound.insert(seq, Inbound::Settled(outcome));
            link.say(answer(seq, outcome));
        }
    }
}

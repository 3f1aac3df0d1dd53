//! The receiving side of a transfer.

use gt_core::{Error, SessionId};

use super::inbound::Inbound;
use super::link::Link;
use super::{CHUNK_BYTES, ConnectionId, Event, Order, Reason, Transfers, Violation, WINDOW};
use crate::Peer;
use crate::transfers::buffer_source::{Buffer, land};
use crate::transfers::frame::Frame;

/// Values of more than a chunk that are granted at once for each peer, and smaller ones.
const MOST_LARGE: usize = 4;
const MOST_SMALL: usize = 64;

/// A value that is to come.
pub(super) struct Incoming {
    pub session: SessionId,
    pub peer: Peer,
    bytes: usize,
    filled: usize,
    buffer: Option<Box<dyn Buffer>>,
    pub seq: Option<u64>,
}

impl Transfers {
    /// A value of so many bytes will come.
    pub fn expect(&mut self, now: u64, order: Order, bytes: usize) {
        self.expect_into(now, order, bytes, None);
    }

    /// A value of so many bytes will come, into memory that is there, or else is taken from the
    /// source when the value is offered.
    pub fn expect_into(
        &mut self,
        now: u64,
        order: Order,
        bytes: usize,
        buffer: Option<Box<dyn Buffer>>,
    ) {
        let Order { tag, session, peer, reach } = order;
        if self.receives.contains_key(&tag) {
            return;
        }
        let is_long_enough = buffer.as_ref().is_none_or(|buffer| buffer.size() == bytes);
        assert!(is_long_enough, "whoever gives memory knows the length of the value");
        let incoming = Incoming { session, peer, bytes, filled: 0, buffer, seq: None };
        self.receives.insert(tag, incoming);
        self.want(now, peer, reach);
        let Some(link) = self.links.get_mut(&peer) else { return };
        let Some(seq) = link.early.remove(&tag) else { return };
        let early = link.inbound.remove(&seq);
        let Some(Inbound::Early { offer, data, arrived, fresh, .. }) = early else { return };
        link.early_bytes -= data.capacity();
        link.stop_reading(seq);
        if !fresh && !arrived {
            // It is granted when it is offered again.
            link.inbound.insert(seq, Inbound::Active { tag, granted: false });
            if let Some(incoming) = self.receives.get_mut(&tag) {
                incoming.seq = Some(seq);
            }
            return;
        }
        let eager = (offer.is_ok() && arrived).then_some(data);
        self.meet(now, peer, seq, tag, offer, eager.is_some());
        if let Some(data) = eager {
            let Some(incoming) = self.receives.get_mut(&tag) else { return };
            let Some(buffer) = &mut incoming.buffer else { return };
            let Some(space) = buffer.space(0, data.len()) else { return };
            space.copy_from_slice(&data);
            self.filled(now, peer, seq, data.len());
        }
    }

    /// Something is offered, or it is said that it does not come.
    pub(super) fn offered(
        &mut self,
        now: u64,
        peer: Peer,
        seq: u64,
        tag: u64,
        offer: Result<(u64, bool), Reason>,
    ) -> Result<(), Violation> {
        let Some(link) = self.links.get_mut(&peer) else { return Ok(()) };
        if seq < link.peer_oldest || seq >= link.peer_oldest.saturating_add(WINDOW) {
            return Err(Violation("it offers more than was agreed on"));
        }
        let bytes = offer.map(|(bytes, _)| bytes);
        match link.inbound.get_mut(&seq) {
            Some(Inbound::Settled(outcome)) => {
                let answer = answer(seq, *outcome);
                link.say(answer);
                Ok(())
            }
            Some(Inbound::Early { tag: own, offer, fresh, .. }) if *own == tag => {
                (*offer, *fresh) = (bytes, true);
                Ok(())
            }
            Some(Inbound::Active { tag: own, granted })
                if *own == tag && (!*granted || bytes.is_err()) =>
            {
                self.meet(now, peer, seq, tag, bytes, false);
                Ok(())
            }
            Some(_) => Err(Violation("two values have one number")),
            None if self.receives.get(&tag).is_some_and(|r| r.peer == peer && r.seq.is_none()) => {
                self.meet(now, peer, seq, tag, bytes, offer.is_ok_and(|(_, eager)| eager));
                Ok(())
            }
            None => {
                if link.early.contains_key(&tag) {
                    return Err(Violation("one value has two numbers"));
                }
                link.early.insert(tag, seq);
                let (since, data, arrived, fresh) = (now, Vec::new(), false, true);
                let early = Inbound::Early { tag, since, offer: bytes, data, arrived, fresh };
                link.inbound.insert(seq, early);
                Ok(())
            }
        }
    }

    /// An offer and the word that it is wanted meet.
    fn meet(
        &mut self,
        now: u64,
        peer: Peer,
        seq: u64,
        tag: u64,
        offer: Result<u64, Reason>,
        eager: bool,
    ) {
        let Some(incoming) = self.receives.get_mut(&tag) else { return };
        incoming.seq = Some(seq);
        let expected = incoming.bytes as u64;
        let granted = eager;
        if let (Some(link), Ok(_)) = (self.links.get_mut(&peer), offer) {
            link.inbound.insert(seq, Inbound::Active { tag, granted });
        }
        match offer {
            Err(reason) => {
                self.fail(tag, peer, reason);
                self.end_receive_as(tag, Ok(()));
            }
            Ok(bytes) if bytes != expected => {
                self.fail(tag, peer, Reason::WrongLength);
                self.end_receive(now, tag, Reason::WrongLength);
            }
            Ok(0) => self.filled(now, peer, seq, 0),
            Ok(_) if eager => {
                self.allocate(now, tag);
                if let Some(link) = self.links.get_mut(&peer)
                    && link.inbound.get(&seq).is_some_and(|i| matches!(i, Inbound::Active { .. }))
                {
                    link.count_grant(expected > CHUNK_BYTES as u64, 1);
                }
            }
            Ok(_) => {
                if let Some(link) = self.links.get_mut(&peer)
                    && !link.waiting.contains(&seq)
                {
                    link.waiting.push_back(seq);
                }
                self.grant(now, peer);
            }
        }
    }

    /// Memory for a value; without any, it is refused. Says whether it is there.
    fn allocate(&mut self, now: u64, tag: u64) -> bool {
        let Some(incoming) = self.receives.get_mut(&tag) else { return false };
        if incoming.buffer.is_some() {
            return true;
        }
        match land(&*self.source, incoming.session, incoming.bytes) {
            Ok(buffer) => {
                incoming.buffer = Some(buffer);
                true
            }
            Err(error) => {
                self.refuse(now, tag, error);
                false
            }
        }
    }

    fn refuse(&mut self, now: u64, tag: u64, error: Error) {
        self.tell(Event::Failed { tag, error });
        self.end_receive(now, tag, Reason::NoMemory);
    }

    /// Lets values come, as many as may come at once.
    fn grant(&mut self, now: u64, peer: Peer) {
        loop {
            let Some(link) = self.links.get_mut(&peer) else { return };
            let (large, small) = (link.granted_large < MOST_LARGE, link.granted_small < MOST_SMALL);
            let fits = |seq: &u64| match link.inbound.get(seq) {
                Some(Inbound::Active { tag, .. }) => self
                    .receives
                    .get(tag)
                    .is_none_or(|incoming| if is_large(incoming) { large } else { small }),
                _ => true,
            };
            let Some(at) = link.waiting.iter().position(fits) else { return };
            let seq = link.waiting.remove(at).expect("just found");
            let Some(Inbound::Active { tag, granted: false }) = link.inbound.get(&seq) else {
                continue;
            };
            let tag = *tag;
            if !self.allocate(now, tag) {
                continue;
            }
            let (Some(incoming), Some(link)) = (self.receives.get(&tag), self.links.get_mut(&peer))
            else {
                return;
            };
            let offset = incoming.filled as u64;
            link.count_grant(is_large(incoming), 1);
            link.inbound.insert(seq, Inbound::Active { tag, granted: true });
            link.say(Frame::Grant { seq, offset });
        }
    }

    /// The head of a chunk came; says whether it may follow.
    pub(super) fn chunk_begins(
        &mut self,
        peer: Peer,
        seq: u64,
        offset: u64,
        bytes: usize,
    ) -> Result<(), Violation> {
        if bytes > CHUNK_BYTES || bytes == 0 {
            return Err(Violation("a chunk of a length that was not agreed on"));
        }
        let Some(link) = self.links.get_mut(&peer) else { return Ok(()) };
        match link.inbound.get_mut(&seq) {
            Some(Inbound::Active { tag, granted: true }) => {
                let incoming = self.receives.get(tag).expect("what is active is expected");
                let rest = incoming.bytes - incoming.filled;
                if offset != incoming.filled as u64 || bytes > rest {
                    return Err(Violation("a chunk that was not granted"));
                }
                link.reading = Some(seq);
                Ok(())
            }
            Some(Inbound::Early { offer: Ok(whole), data, arrived, .. }) => {
                // What does not fit is read away, and granted when it is known to be wanted.
                if offset == 0 && *whole == bytes as u64 && !*arrived && data.capacity() == 0 {
                    let fits = bytes <= self.limits.eager
                        && link.early_bytes + bytes <= self.limits.eager_total;
                    if fits {
                        *data = vec![0; bytes];
                        link.early_bytes += data.capacity();
                        link.reading = Some(seq);
                    }
                }
                Ok(())
            }
            // What was given up meanwhile is read away.
            Some(_) => Ok(()),
            None if seq < link.peer_oldest => Ok(()),
            None => Err(Violation("a chunk of nothing that was offered")),
        }
    }

    /// Where the bytes of a chunk go; `None` if nobody wants them.
    pub fn memory(
        &mut self,
        connection: ConnectionId,
        seq: u64,
        offset: u64,
        bytes: usize,
    ) -> Option<&mut [u8]> {
        let peer = *self.connections.get(&connection)?;
        let link = self.links.get_mut(&peer)?;
        let offset = usize::try_from(offset).ok()?;
        if link.reading != Some(seq) {
            return None;
        }
        match link.inbound.get_mut(&seq)? {
            Inbound::Active { tag, granted: true } => {
                self.receives.get_mut(tag)?.buffer.as_mut()?.space(offset, bytes)
            }
            Inbound::Early { data, arrived: false, .. } => data.get_mut(offset..offset + bytes),
            _ => None,
        }
    }

    /// The bytes of a chunk are where they belong.
    pub fn chunk_done(&mut self, now: u64, connection: ConnectionId, seq: u64, bytes: usize) {
        let Some(link) = self.up(connection) else { return };
        if link.reading.take() == Some(seq) {
            link.progress = true;
            let peer = link.peer;
            self.filled(now, peer, seq, bytes);
        }
    }

    fn filled(&mut self, now: u64, peer: Peer, seq: u64, bytes: usize) {
        let Some(link) = self.links.get_mut(&peer) else { return };
        link.heard = now;
        let tag = match link.inbound.get_mut(&seq) {
            Some(Inbound::Active { tag, .. }) => *tag,
            Some(Inbound::Early { data, arrived, .. }) => {
                *arrived = !data.is_empty();
                return;
            }
            _ => return,
        };
        let Some(incoming) = self.receives.get_mut(&tag) else { return };
        incoming.filled += bytes;
        incoming.buffer.iter_mut().for_each(|buffer| buffer.advance(bytes));
        if incoming.filled < incoming.bytes {
            return;
        }
        if !self.allocate(now, tag) {
            return;
        }
        let Some(incoming) = self.receives.get_mut(&tag) else { return };
        let buffer = incoming.buffer.take().expect("just allocated");
        self.end_receive_as(tag, Ok(()));
        self.tell(Event::Arrived { tag, data: buffer.freeze() });
        self.grant(now, peer);
    }

    /// A value is not wanted any more, and whoever offers it is told.
    pub(super) fn end_receive(&mut self, now: u64, tag: u64, reason: Reason) {
        let Some(peer) = self.receives.get(&tag).map(|incoming| incoming.peer) else { return };
        self.end_receive_as(tag, Err(reason));
        self.grant(now, peer);
    }

    fn end_receive_as(&mut self, tag: u64, outcome: Result<(), Reason>) {
        let Some(incoming) = self.receives.remove(&tag) else { return };
        self.unwant(incoming.peer);
        let Some(link) = self.links.get_mut(&incoming.peer) else { return };
        let Some(seq) = incoming.seq else { return };
        if let Some(Inbound::Active { granted: true, .. }) = link.inbound.get(&seq) {
            link.count_grant(is_large(&incoming), -1);
        }
        link.stop_reading(seq);
        link.inbound.insert(seq, Inbound::Settled(outcome));
        link.say(answer(seq, outcome));
    }
}

impl Link {
    pub fn count_grant(&mut self, is_large: bool, by: isize) {
        let count = if is_large { &mut self.granted_large } else { &mut self.granted_small };
        *count = count.saturating_add_signed(by);
    }
}

pub(super) fn is_large(incoming: &Incoming) -> bool {
    incoming.bytes > CHUNK_BYTES
}

pub(super) fn answer(seq: u64, outcome: Result<(), Reason>) -> Frame {
    match outcome {
        Ok(()) => Frame::Done { seq },
        Err(reason) => Frame::Refuse { seq, reason },
    }
}

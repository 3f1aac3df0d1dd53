//! The sending side of a transfer.

use bytes::Bytes;
use gt_core::SessionId;

use super::link::Link;
use super::{ConnectionId, Event, Order, Outbound, Reason, Transfers, Violation, WINDOW};
use crate::Peer;
use crate::transfers::frame::Frame;

/// A value that is to leave.
pub(super) struct Outgoing {
    pub session: SessionId,
    pub peer: Peer,
    content: Content,
    /// Its number, once it was offered.
    seq: Option<u64>,
    /// How much was sent over the present connection.
    next: usize,
    eager: bool,
}

enum Content {
    /// It is not there yet.
    Awaited,
    Data(Bytes),
    /// It will not come, and the other side has yet to hear it.
    Failed(Reason),
}

impl Outgoing {
    /// Whether its value may still arrive.
    pub fn is_alive(&self) -> bool {
        !matches!(self.content, Content::Failed(_))
    }
}

impl Link {
    pub fn may_offer(&self) -> bool {
        self.greeted && self.next_seq < self.oldest() + WINDOW
    }
}

impl Transfers {
    /// A value will be sent, as soon as it is there.
    pub fn permit(&mut self, now: u64, order: Order) {
        let Order { tag, session, peer, reach } = order;
        if self.sends.contains_key(&tag) {
            return;
        }
        let content = Content::Awaited;
        self.sends
            .insert(tag, Outgoing { session, peer, content, seq: None, next: 0, eager: false });
        self.want(now, peer, reach);
    }

    /// Here is a value that is to be sent. Nothing happens if nobody wants it any more.
    pub fn send(&mut self, tag: u64, data: Bytes) {
        let Some(send) = self.sends.get_mut(&tag) else { return };
        if matches!(send.content, Content::Awaited) {
            send.content = Content::Data(data);
            if let Some(link) = self.links.get_mut(&send.peer) {
                link.unoffered.push_back(tag);
            }
        }
    }

    /// A value is not sent any more. The other side hears it, if it knows of the value.
    pub(super) fn end_send(&mut self, tag: u64, reason: Reason) {
        let Some(send) = self.sends.get(&tag) else { return };
        if send.seq.is_some() {
            return self.end_send_with_notice(tag, reason);
        }
        if send.is_alive() {
            self.unwant(send.peer);
        }
        self.sends.remove(&tag);
    }

    /// A value is not sent any more, and the other side hears it in any case.
    pub(super) fn end_send_with_notice(&mut self, tag: u64, reason: Reason) {
        let Some(send) = self.sends.get_mut(&tag) else { return };
        if !send.is_alive() {
            return;
        }
        let was_queued = matches!(send.content, Content::Data(_));
        if let (true, Content::Data(data)) = (send.eager, &send.content)
            && let Some(link) = self.links.get_mut(&send.peer)
        {
            link.eager_bytes -= data.len();
        }
        send.eager = false;
        send.content = Content::Failed(reason);
        let (peer, seq) = (send.peer, send.seq);
        self.unwant(peer);
        let Some(link) = self.links.get_mut(&peer) else { return };
        match seq {
            Some(seq) => link.say(Frame::Fail { seq, tag, reason }),
            None if !was_queued => link.unoffered.push_back(tag),
            None => {}
        }
    }

    /// The receiver has memory.
    pub(super) fn granted(&mut self, peer: Peer, seq: u64, offset: u64) -> Result<(), Violation> {
        let Some(link) = self.links.get_mut(&peer) else { return Ok(()) };
        let Some(send) = link.offered.get(&seq).and_then(|tag| self.sends.get_mut(tag)) else {
            return Ok(());
        };
        if let Content::Data(data) = &send.content {
            let offset = usize::try_from(offset).ok().filter(|offset| *offset <= data.len());
            send.next = offset.ok_or(Violation("it wants more than there is"))?;
            if !link.turns.contains(&seq) {
                link.turns.push_back(seq);
            }
        }
        Ok(())
    }

    /// The receiver has a value, or does not take it.
    pub(super) fn settled(
        &mut self,
        peer: Peer,
        seq: u64,
        outcome: Result<(), Reason>,
    ) -> Result<(), Violation> {
        let Some(link) = self.links.get_mut(&peer) else { return Ok(()) };
        let Some(tag) = link.offered.remove(&seq) else { return Ok(()) };
        link.turns.retain(|other| *other != seq);
        link.again.retain(|other| *other != seq);
        let oldest = link.oldest();
        if let Some(Frame::Release { oldest: last }) = link.control.back_mut() {
            *last = oldest;
        } else {
            link.say(Frame::Release { oldest });
        }
        let Some(send) = self.sends.remove(&tag) else { return Ok(()) };
        let Content::Data(data) = send.content else { return Ok(()) };
        if send.eager {
            link.eager_bytes -= data.len();
        }
        self.unwant(peer);
        match outcome {
            Ok(()) => self.tell(Event::Confirmed { tag }),
            Err(reason) => self.fail(tag, peer, reason),
        }
        Ok(())
    }

    pub(super) fn next_of(&mut self, connection: ConnectionId) -> Option<Outbound> {
        let peer = *self.connections.get(&connection)?;
        let link = self.links.get_mut(&peer)?;
        if let Some(frame) = link.control.pop_front() {
            return Some((frame, Bytes::new()));
        }
        while let Some(seq) = link.again.pop_front() {
            let Some(&tag) = link.offered.get(&seq) else { continue };
            let Some(send) = self.sends.get(&tag) else { continue };
            return Some((offer(seq, tag, &send.content, false), Bytes::new()));
        }
        while link.may_offer() {
            let Some(tag) = link.unoffered.pop_front() else { break };
            let Some(send) = self.sends.get_mut(&tag) else { continue };
            let seq = link.next_seq;
            link.next_seq += 1;
            link.offered.insert(seq, tag);
            send.seq = Some(seq);
            if let Content::Data(data) = &send.content
                && data.len() <= self.limits.eager.min(self.limits.chunk)
                && link.eager_bytes + data.len() <= self.limits.eager_total
            {
                send.eager = true;
                link.eager_bytes += data.len();
                link.turns.push_front(seq);
            }
            return Some((offer(seq, tag, &send.content, send.eager), Bytes::new()));
        }
        while let Some(seq) = link.turns.pop_front() {
            let Some(send) = link.offered.get(&seq).and_then(|tag| self.sends.get_mut(tag)) else {
                continue;
            };
            let Content::Data(data) = &send.content else { continue };
            let end = data.len().min(send.next + self.limits.chunk);
            let (offset, chunk) = (send.next as u64, data.slice(send.next..end));
            if chunk.is_empty() {
                continue;
            }
            send.next = end;
            if end < data.len() {
                link.turns.push_back(seq);
            }
            let bytes = chunk.len() as u32;
            return Some((Frame::Chunk { seq, offset, bytes, slot: 0 }, chunk));
        }
        None
    }
}

fn offer(seq: u64, tag: u64, content: &Content, eager: bool) -> Frame {
    match content {
        Content::Data(data) => Frame::Offer { seq, tag, bytes: data.len() as u64, eager },
        Content::Failed(reason) => Frame::Fail { seq, tag, reason: *reason },
        Content::Awaited => unreachable!("only what is there is offered"),
    }
}

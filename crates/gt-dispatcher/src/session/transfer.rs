//! Values that travel apart from messages: uploads, and what the client reads.

use gt_core::instruction::Command;
use gt_core::rules::risk::Risk;
use gt_core::{Error, Meta, Provenance, RequestId, Result, Slot, WorkerId};
use gt_transport::Peer;
use gt_transport::batch::INLINE_BYTES;

use super::{Reach, Session};
use crate::context::{Context, Observer};
use crate::expected::Way;
use crate::tickets::{Cargo, Passage};

impl Session {
    /// A client's upload whose elements travel apart.
    pub(super) fn announce(
        &mut self,
        out: Slot,
        meta: Meta,
        number: u32,
        provenance: Provenance,
        context: &mut Context,
        sent: &mut Observer,
    ) -> Result<()> {
        if context.tickets.is_none() {
            return Err(Error::bug("elements travel apart between processes only"));
        }
        let cost = meta.bytes() as u64;
        self.announced = self.announced.saturating_add(cost);
        let worker = self.choose(&[], cost, context)?;
        let ready_ns = context.load.assign(worker, context.now_ns, cost);
        self.insert(out, meta.clone(), true, worker, ready_ns)?;
        self.failure_barrier.assign(worker, Risk::Memory, meta.bytes());
        let tag = context.tag();
        let passage = self.passage(meta, worker, Cargo::Upload(number));
        self.send_off(tag, passage, context);
        self.emit(worker, Command::Receive { out, tag, provenance }, sent);
        Ok(())
    }

    /// A larger value that is read goes straight to the client; gives the way it takes.
    pub(super) fn offer(
        &mut self,
        slot: Slot,
        request: RequestId,
        context: &mut Context,
    ) -> Result<Way> {
        if context.tickets.is_none() {
            return Ok(Way::Message);
        }
        let entry = self.registry.get(slot)?;
        if !entry.described {
            return Err(Error::bug(format!("the shape of {slot} is not known yet")));
        }
        if entry.meta.bytes() > INLINE_BYTES {
            let meta = entry.meta.clone();
            let (home, _) = entry.home().map_err(|failure| failure.error.clone())?;
            let passage = self.passage(meta, home, Cargo::Answer(request));
            let tag = context.tag();
            self.send_off(tag, passage, context);
            return Ok(Way::Apart);
        }
        Ok(Way::Message)
    }

    /// A way between the client and a worker.
    fn passage(&self, meta: Meta, listens: WorkerId, cargo: Cargo) -> Passage {
        let (session, connects) = (self.id, Peer::Client(self.id));
        let local = self.reach == Reach::Local;
        Passage { session, meta, connects, local, listens, cargo }
    }

    /// Lets a value travel apart.
    pub(super) fn send_off(&mut self, tag: u64, passage: Passage, context: &mut Context) {
        if let Some(tickets) = &mut context.tickets {
            self.letters.extend(tickets.issue(context.now_ns, tag, passage));
        }
    }
}

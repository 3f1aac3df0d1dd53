//! Values that travel apart from messages: uploads, and what the client reads.

use gt_core::instruction::Command;
use gt_core::placement::Layout;
use gt_core::rules::risk::Risk;
use gt_core::{Error, Meta, Provenance, RequestId, Result, SignatureId, Slot, WorkerId};
use gt_transport::Peer;
use gt_transport::batch::INLINE_BYTES;

use super::place::Target;
use super::{Reach, Session};
use crate::context::{Context, Observer};
use crate::decide::{Decision, Place, signal};
use crate::expected::Way;
use crate::registry::Copies;
use crate::scopes::Wanted;
use crate::tickets::{Cargo, Passage};

impl Session {
    /// Enters a client's upload where its scope wants it, else where the load is low.
    pub(super) fn place_upload(
        &mut self,
        out: Slot,
        meta: &Meta,
        context: &mut Context,
    ) -> Result<Target> {
        let cost_ns = meta.bytes() as u64;
        let copied =
            signal(&self.scopes).filter(|wish| wish.layout(meta.shape.rank()) == Layout::Replicate);
        if let Some(Wanted { mesh, .. }) = copied {
            let (metas, place) = ([meta.clone()].into_iter().collect(), Place::On(mesh));
            let copies = Copies::default();
            let (risk, accumulates) = (Risk::Memory, false);
            let decision = Decision { metas, place, cost_ns, risk, copies, accumulates };
            self.commit_on_mesh(mesh, &[out], &[mesh], decision, context)?;
            return Ok(Target::Mesh(mesh, SignatureId::NONE));
        }
        self.charge_load(context);
        let worker = self.choose(&[], cost_ns, context)?;
        let ready_ns = context.load.assign(worker, context.now_ns, cost_ns);
        self.insert(out, meta.clone(), true, worker, ready_ns)?;
        self.failure_barrier.assign(worker, Risk::Memory, meta.bytes());
        Ok(Target::Worker(worker))
    }

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
        self.charge_load(context);
        let worker = self.choose(&[], cost, context)?;
        let ready_ns = context.load.assign(worker, context.now_ns, cost);
        self.insert(out, meta.clone(), true, worker, ready_ns)?;
        self.failure_barrier.assign(worker, Risk::Memory, meta.bytes());
        let tag = context.tag();
        let passage = self.passage(meta, worker, Cargo::Upload(number));
        self.send_off(tag, passage, context);
        self.emit(worker, Command::Receive { out, tag, provenance }, sent);
        self.spread_upload(out, context, sent)
    }

    /// Cuts an upload as its scope wants it; the worker that took it in keeps only its part.
    pub(super) fn spread_upload(
        &mut self,
        out: Slot,
        context: &mut Context,
        sent: &mut Observer,
    ) -> Result<()> {
        let Some(wish) = signal(&self.scopes) else { return Ok(()) };
        let layout = wish.layout(self.registry.get(out)?.meta.shape.rank());
        if layout == Layout::Replicate {
            return Ok(());
        }
        let place = self.registry.placements.with_layout(wish.mesh, &layout)?;
        self.bring_as(out, place, context, sent)?;
        let wholes = std::mem::take(&mut self.registry.get_mut(out)?.holders);
        for (worker, name) in wholes {
            self.registry.end_copy(name);
            self.emit_free(worker, name, sent);
        }
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
            let (home, _) = self.registry.home(entry).map_err(|failure| failure.error.clone())?;
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
            self.letters.extend(tickets.issue(tag, &passage));
        }
    }
}

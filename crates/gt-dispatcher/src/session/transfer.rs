//! Values that travel apart from messages: uploads, and what the client reads.

use gt_core::instruction::Command;
use gt_core::placement::{Layout, OnUse, Span, pieces};
use gt_core::rules::risk::Risk;
use gt_core::{Error, Meta, Provenance, RequestId, Result, Slot, WorkerId};
use gt_transport::Peer;
use gt_transport::batch::INLINE_BYTES;
use gt_transport::region::Region;
use smallvec::SmallVec;

use super::{Reach, Session};
use crate::context::Context;
use crate::decide::signal;
use crate::expected::Way;
use crate::placements::PlacementId;
use crate::registry::{Copies, Entry, Places};
use crate::scopes::Wanted;
use crate::tickets::{Transfer, TransferKind};

impl Session {
    /// Enters a client's upload where its scope wants it, else where the load is low.
    pub(super) fn place_upload(
        &mut self,
        out: Slot,
        meta: &Meta,
        provenance: Provenance,
        context: &mut Context,
    ) -> Result<PlacementId> {
        let copied = signal(&self.scopes).filter(|wish| !is_cut(&wish.layouts(meta.shape.rank())));
        let place = match copied {
            Some(Wanted { mesh, .. }) => mesh,
            None => {
                self.charge_load(context);
                // The program's data goes home, however busy that is: it is used there.
                let worker = self.choose(&[], (0, meta.bytes() as u64), context)?;
                self.registry.placements.whole(worker)?
            }
        };
        self.enter_upload(out, meta, place, provenance, context)?;
        Ok(place)
    }

    /// Enters an upload, whose workers take it in.
    fn enter_upload(
        &mut self,
        out: Slot,
        meta: &Meta,
        place: PlacementId,
        provenance: Provenance,
        context: &mut Context,
    ) -> Result<()> {
        let (mesh, bytes) = (self.registry.placements.mesh(place), meta.bytes());
        self.note_run_on(mesh);
        // It travels for a while, and its workers compute nothing for it.
        let mut ready_ns = self.charge(mesh, 0, (self.risk(Risk::Memory), bytes), context);
        if let Some(worker) = self.registry.placements.alone(mesh) {
            ready_ns = context.load.assign(worker, context.now_ns, bytes as u64);
        }
        let at = Places::from_slice(&[(place, out)]);
        let entry = Entry { provenance, ready_ns, at, ..Entry::new(meta.clone()) };
        self.registry.insert(out, entry)
    }

    /// A client's upload whose elements travel apart.
    pub(super) fn announce(
        &mut self,
        out: Slot,
        meta: Meta,
        number: u32,
        provenance: Provenance,
        context: &mut Context,
    ) -> Result<()> {
        if context.tickets.is_none() {
            return Err(Error::bug("elements travel apart between processes only"));
        }
        let cost = meta.bytes() as u64;
        self.in_flight.announce(cost);
        let wish = signal(&self.scopes);
        if let Some(wanted) = wish
            && let layouts = wanted.layouts(meta.shape.rank())
            && is_cut(&layouts)
        {
            let place = self.registry.placements.with_layouts(wanted.mesh, &layouts)?;
            let placement = self.registry.placements.get(place);
            if pieces(placement, placement, &meta.shape).is_some() {
                let upload = (out, number, provenance);
                return self.announce_parts(upload, meta, place, context);
            }
        }
        // Whoever passes copies on has one.
        let wish = wish.map(|wish| wish.mesh);
        self.charge_load(context);
        let worker = match wish {
            Some(mesh) => self.registry.placements.members(mesh)[0],
            None => self.choose(&[], (0, cost), context)?,
        };
        let place = self.registry.placements.whole(worker)?;
        self.enter_upload(out, &meta, place, provenance, context)?;
        let tag = context.tag();
        let kind = TransferKind::Upload { number, more: false };
        let transfer = self.client_transfer(meta, None, worker, kind);
        self.send_off(tag, &transfer, context);
        self.emit(worker, &Command::Receive { out, tag, provenance });
        self.spread_upload(out, context)
    }

    /// A client's upload that is cut: each worker gets its part from the client.
    fn announce_parts(
        &mut self,
        (out, number, provenance): (Slot, u32, Provenance),
        meta: Meta,
        place: PlacementId,
        context: &mut Context,
    ) -> Result<()> {
        let name = self.registry.name_copy();
        let placement = self.registry.placements.get(place).clone();
        let members = placement.mesh().workers();
        for (index, &member) in members.iter().enumerate() {
            let (whole, part) = (meta.shape.clone(), placement.part(&meta.shape, index));
            let shape = part.iter().map(Span::size).collect();
            let (region, more) = (Some(Region { whole, part }), index + 1 < members.len());
            let (meta, kind) =
                (Meta { dtype: meta.dtype, shape }, TransferKind::Upload { number, more });
            let transfer = self.client_transfer(meta, region, member, kind);
            let tag = context.tag();
            self.send_off(tag, &transfer, context);
            self.emit(member, &Command::Receive { out: name, tag, provenance });
        }
        self.enter_upload(out, &meta, place, provenance, context)?;
        // What came is a value of its own until a move says what it is a part of.
        self.emit_move(&meta, (place, name), (placement, out), context)?;
        self.emit_free_all(place, name);
        self.registry.end_copy(name);
        Ok(())
    }

    /// Brings a value to where its scope wants it, and keeps it nowhere else.
    pub(crate) fn settle_value(&mut self, slot: Slot, context: &mut Context) -> Result<()> {
        let Some(wish) = signal(&self.scopes) else { return Ok(()) };
        let copies = Copies { whole: wish.on_use == OnUse::Replicate, kept: wish.keep };
        self.spread_upload(slot, context)?;
        self.registry.get_mut(slot)?.copies = copies;
        Ok(())
    }

    /// Brings an upload to where its scope wants it; the worker that took it in keeps only what it
    /// has there.
    pub(super) fn spread_upload(&mut self, out: Slot, context: &mut Context) -> Result<()> {
        let Some(wish) = signal(&self.scopes) else { return Ok(()) };
        let layouts = wish.layouts(self.registry.get(out)?.meta.shape.rank());
        let place = self.registry.placements.with_layouts(wish.mesh, &layouts)?;
        self.bring(out, place, context)?;
        let elsewhere = self.registry.get(out)?.at.iter().map(|&(there, _)| there);
        let placements = &self.registry.placements;
        let is_left = |there: &PlacementId| {
            placements.alone(*there).is_some() && !placements.covers(*there, place)
        };
        let left: SmallVec<[PlacementId; 1]> = elsewhere.filter(is_left).collect();
        left.into_iter().try_for_each(|there| self.drop_copy(out, there))
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
        if entry.is_awaited() {
            return Err(Error::bug(format!("the shape of {slot} is not known yet")));
        }
        if entry.meta.bytes() > INLINE_BYTES {
            let meta = entry.meta.clone();
            let (home, _) = self.registry.home(entry).map_err(|failure| failure.error.clone())?;
            let transfer = self.client_transfer(meta, None, home, TransferKind::Answer(request));
            let tag = context.tag();
            self.send_off(tag, &transfer, context);
            return Ok(Way::Apart);
        }
        Ok(Way::Message)
    }

    /// A way between the client and a worker.
    pub(super) fn client_transfer(
        &self,
        meta: Meta,
        region: Option<Region>,
        listens: WorkerId,
        kind: TransferKind,
    ) -> Transfer {
        let (session, connects) = (self.id, Peer::Client(self.id));
        let local = self.reach == Reach::Local;
        Transfer { session, meta, region, connects, local, listens, kind }
    }

    /// Lets a value travel apart.
    pub(super) fn send_off(&mut self, tag: u64, transfer: &Transfer, context: &mut Context) {
        if let Some(tickets) = &mut context.tickets {
            self.letters.extend(tickets.issue(tag, transfer));
        }
    }
}

/// Whether values that lie so are nowhere whole.
fn is_cut(layouts: &[Layout]) -> bool {
    layouts.iter().any(|layout| *layout != Layout::Replicate)
}

//! Values that the client reads.

use gt_core::instruction::Command;
use gt_core::{RequestId, Result, Slot};

use super::Session;
use crate::context::{Context, Observer};
use crate::expected::Reply;
use crate::failure_barrier::Whom;

impl Session {
    /// The client reads a value. If nobody has all of it, one worker is given it for that.
    pub(super) fn read(
        &mut self,
        slot: Slot,
        request: RequestId,
        context: &mut Context,
        sent: &mut Observer,
    ) -> Result<()> {
        let gathered = self.keep_whole(slot, context, sent)?;
        let (home, name, way) = match self.registry.home(self.registry.get(slot)?) {
            Ok((home, name)) => (home, name, self.offer(slot, request, context)?),
            Err(failure) => return self.answer_lost(request, failure),
        };
        self.settle(home, Whom::ThoseAtRisk, sent);
        self.emit(home, Command::Read { slot: name, request }, sent);
        self.expect_reply(home, Reply::Answer(request), way.into())?;
        if gathered {
            self.registry.get_mut(slot)?.holders.clear();
            self.registry.end_copy(name);
            self.emit_free(home, name, sent);
        }
        Ok(())
    }

    /// Has all of a value on one worker, if it is cut or to be summed up; says whether it was.
    pub(super) fn keep_whole(
        &mut self,
        slot: Slot,
        context: &mut Context,
        sent: &mut Observer,
    ) -> Result<bool> {
        let entry = self.registry.get(slot)?;
        let parted = entry.lost.is_none() && !self.registry.is_whole(entry);
        if parted {
            let first = self.registry.placements.members(entry.spreads[0].0)[0];
            self.gather(slot, first, context, sent)?;
        }
        Ok(parted)
    }
}

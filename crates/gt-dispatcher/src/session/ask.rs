//! What a client asks the dispatcher: where a value is, and what moved between workers.

use std::cmp::Reverse;
use std::fmt::Write as _;

use bytes::Bytes;
use gt_core::instruction::{Command, Question};
use gt_core::{DType, Meta, RequestId, Result, Slot, WorkerId};
use gt_transport::batch::INLINE_BYTES;
use gt_transport::report::Modifiers;
use gt_transport::{Message, Peer, Value};

use super::Session;
use crate::context::Context;
use crate::decide::Place;
use crate::expected::{Reply, Way};
use crate::failure_barrier::Whom;

impl Session {
    /// Answers a question, after everything that was asked before it.
    pub(super) fn answer_question(&mut self, question: Question, request: RequestId) -> Result<()> {
        let text = match question {
            Question::Placement(slot) => self.locate(slot)?,
            Question::Moved => self.moved_bytes(),
            Question::Stats => self.stats(),
            Question::Lost => self.list_lost(),
        };
        let data = Bytes::from(text);
        let (session, meta) = (self.id, Meta::new(DType::U8, [data.len()]));
        let answer = Message::Answer { session, request, result: Ok(Value { meta, data }) };
        self.letters.push((Peer::Client(session), answer));
        Ok(())
    }

    /// Asks a worker for the shape of a value that depends on data.
    pub(super) fn ask_shape(
        &mut self,
        slot: Slot,
        request: RequestId,
        context: &mut Context,
    ) -> Result<()> {
        self.make_whole(slot, context)?;
        self.keep_whole(slot, context)?;
        let (home, name) = match self.registry.home(self.registry.get(slot)?) {
            Ok(home) => home,
            Err(failure) => return self.answer_lost(request, failure, context),
        };
        self.described.insert(request, slot);
        self.settle(home, Whom::ThoseAtRisk);
        self.emit(home, &Command::Describe { slot: name, request });
        self.expect_reply(home, Reply::Answer(request), Way::Message.into())
    }

    /// Where a value is, with the numbers that the session has for its workers.
    fn locate(&self, slot: Slot) -> Result<String> {
        let entry = self.registry.get(slot)?;
        if entry.loss().is_some() {
            return Ok("lost".to_string());
        }
        if entry.recipe().is_some() {
            return Ok("nowhere before its first use".to_string());
        }
        let (place, _) = entry.at[0];
        let mut text = format!("{} on", self.registry.placements.get(place).describe());
        for &member in self.registry.placements.members(place) {
            write!(text, " {}", self.number(member)).expect("memory takes all of it");
        }
        Ok(text)
    }

    /// How many values are lost, and the largest of them.
    fn list_lost(&self) -> String {
        let mut lost: Vec<_> = self.registry.lost_values().collect();
        lost.sort_by_key(|(slot, entry)| (Reverse(entry.meta.bytes()), *slot));
        let mut text = format!("{}\n", lost.len());
        for (slot, entry) in lost {
            let line = format!("{} {} {}\n", slot.0, entry.provenance.0, entry.meta);
            if text.len() + line.len() > INLINE_BYTES {
                break;
            }
            text += &line;
        }
        text
    }

    fn moved_bytes(&self) -> String {
        let line = |(&(from, to), bytes): (&(WorkerId, WorkerId), &u64)| {
            format!("{} {} {bytes}\n", self.number(from), self.number(to))
        };
        self.moved.iter().map(line).collect()
    }

    /// The number that the session has for a worker.
    fn number(&self, worker: WorkerId) -> usize {
        self.seats.number(worker).unwrap_or(usize::MAX)
    }

    /// So many bytes go from one worker to another.
    pub(super) fn count_moved(&mut self, from: WorkerId, to: WorkerId, bytes: usize) {
        *self.moved.entry((from, to)).or_default() += bytes as u64;
        if let Some(explanation) = &mut self.explanation {
            explanation.send(from, to, bytes as u64);
        }
        self.modifiers.reshard_moves += 1;
        self.modifiers.reshard_bytes += bytes as u64;
    }

    /// Counts what `signal` and `shard` have decided of an instruction.
    pub(super) fn count_decision(&mut self, place: &Place) {
        self.modifiers.signal_placed += u64::from(self.scopes.wish().is_some());
        let counter = match place {
            Place::Shared(shared) if shared.chosen.is_cut() => &mut self.modifiers.shard_cut,
            Place::On(mesh) if self.registry.placements.alone(*mesh).is_none() => {
                &mut self.modifiers.shard_copied
            }
            Place::Shared(_) => &mut self.modifiers.shard_copied,
            Place::Anywhere | Place::On(_) => &mut self.modifiers.shard_whole,
            // What it is made of is counted when that is placed.
            Place::Parts(_) | Place::Lost(_) => return,
        };
        *counter += 1;
    }

    /// What the modifiers of the stream have done so far.
    pub fn modifiers(&self) -> Modifiers {
        self.modifiers
    }

    /// How many commands each worker was given, and what the modifiers have done.
    fn stats(&mut self) -> String {
        self.close_run();
        let mut text = String::new();
        for worker in self.seats.workers() {
            let (number, given) = (self.number(worker), self.lanes.of(worker).given());
            writeln!(text, "worker {number} commands {given}").expect("memory takes all of it");
        }
        for (modifier, what, count) in self.modifiers.list() {
            writeln!(text, "{modifier} {what} {count}").expect("memory takes all of it");
        }
        text
    }
}

//! Decisions in words, for whoever asks the dispatcher why a value is where it is.

use std::fmt::Write as _;

use gt_core::instruction::Operand;
use gt_core::placement::Layouts;
use gt_core::{Result, Slot};
use tracing::debug;

use super::Session;
use crate::decide::{Chosen, Decision, Place, Request};
use crate::registry::Entry;

impl Session {
    /// Tells of a decision: the operation and its line, where its inputs are, how it is shared, and
    /// what has to move for it.
    pub(super) fn tell_decision(&self, request: &Request, decision: &Decision) -> Result<()> {
        let mut inputs = String::new();
        for slot in slots(request) {
            let place = self.describe_entry(self.registry.get(slot)?);
            write!(inputs, " {slot} ({place})").expect("memory takes all of it");
        }
        let (name, line) = (request.op.name, request.provenance.0);
        let way = self.describe_place(request, &decision.place)?;
        let results: Vec<String> = request.outputs.iter().map(Slot::to_string).collect();
        let results = results.join(", ");
        debug!(target: "gt::dispatcher", line, "{results} := {name}{inputs}: {way}");
        Ok(())
    }

    /// Where a value is.
    pub(super) fn describe_entry(&self, entry: &Entry) -> String {
        if entry.lost.is_some() {
            return "lost".to_string();
        }
        if entry.recipe.is_some() {
            return "nowhere before its first use".to_string();
        }
        match (entry.holders.first(), entry.spreads.first()) {
            (Some((worker, _)), _) => format!("whole on {worker}"),
            (None, Some(&(place, _))) => self.registry.placements.get(place).to_string(),
            (None, None) => "nowhere".to_string(),
        }
    }

    fn describe_place(&self, request: &Request, place: &Place) -> Result<String> {
        let placements = &self.registry.placements;
        Ok(match place {
            Place::Anywhere => "whole, on the worker that is done soonest".to_string(),
            Place::At(worker) => format!("whole on {worker}"),
            Place::On(mesh) => format!("all of it {}", placements.get(*mesh)),
            Place::Parts(_) => "taken apart".to_string(),
            Place::Lost(_) => "lost, as one of its inputs is".to_string(),
            Place::Shared(shared) => {
                let Chosen { mesh, cuts, outputs, .. } = &shared.chosen;
                let letters: Vec<String> =
                    cuts.iter().flatten().map(|(letter, _)| letter.to_string()).collect();
                let mut way = match letters.as_slice() {
                    [] => "all of it".to_string(),
                    [letter] => format!("index {letter} is cut,"),
                    letters => format!("indices {} are cut,", letters.join(" ")),
                };
                let described = |layouts: &Layouts| {
                    placements.get(*mesh).with_layouts(layouts.iter().cloned()).describe()
                };
                let results = outputs.iter().zip(&shared.finals);
                for (made, last) in results.map(|(made, last)| (described(made), described(last))) {
                    write!(way, " gives {made}").expect("memory takes all of it");
                    if made != last {
                        write!(way, " and then {last}").expect("memory takes all of it");
                    }
                }
                let workers = placements.members(*mesh).iter();
                let workers: Vec<String> = workers.map(|worker| worker.to_string()).collect();
                let moves = self.describe_moves(request, &shared.chosen)?;
                format!("{way} on {}; {moves}", workers.join(" "))
            }
        })
    }

    fn describe_moves(&self, request: &Request, chosen: &Chosen) -> Result<String> {
        let placements = &self.registry.placements;
        let mut moves = Vec::new();
        for (input, layouts) in request.inputs.iter().zip(&chosen.inputs) {
            let Operand::Slot(slot) = input else { continue };
            let entry = self.registry.get(*slot)?;
            let is_there = entry.spreads.iter().any(|&(place, _)| {
                let same_mesh = placements.mesh(place) == chosen.mesh;
                let copies = placements.layouts(chosen.mesh);
                same_mesh && placements.layouts(place) == &layouts[..]
                    || placements.covers(place, chosen.mesh) && copies == &layouts[..]
            });
            if !is_there {
                let verb = if entry.recipe.is_some() { "is made" } else { "moves to" };
                let target = placements.get(chosen.mesh).with_layouts(layouts.iter().cloned());
                moves.push(format!("{slot} {verb} {}", target.describe()));
            }
        }
        Ok(if moves.is_empty() { "nothing moves".to_string() } else { moves.join(", ") })
    }
}

fn slots(request: &Request) -> impl Iterator<Item = Slot> {
    request.inputs.iter().filter_map(|input| match input {
        Operand::Slot(slot) => Some(*slot),
        Operand::Scalar(_) => None,
    })
}

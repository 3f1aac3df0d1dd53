//! Decisions in words, for whoever asks the dispatcher why a value is where it is.

use std::fmt::Write as _;

use gt_core::instruction::{Instruction, Operand};
use gt_core::placement::{Layout, Layouts};
use gt_core::{Meta, Result, Slot};
use tracing::debug;

use super::Session;
use super::run::Run;
use crate::costs::Costs;
use crate::decide::{Chosen, Decision, Place};
use crate::explanation::{Decided, Explanation, Row, RunnerUp};
use crate::in_flight::InFlight;
use crate::placements::{PlacementId, Placements};
use crate::registry::{Entry, State};
use crate::worker_map::WorkerMap;

impl Session {
    /// Tells of a decision: the operation and its line, where its inputs are, how it is shared, and
    /// what has to move for it.
    pub(super) fn tell_decision(&self, request: &Instruction, decision: &Decision) -> Result<()> {
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
    pub(crate) fn describe_entry(&self, entry: &Entry) -> String {
        let placements = &self.registry.placements;
        match (&entry.state, entry.at.first()) {
            (State::Lost(_), _) => "lost".to_string(),
            (State::Deferred(_), _) => "nowhere before its first use".to_string(),
            (_, None) => "nowhere".to_string(),
            (_, Some(&(place, _))) => placements.get(place).to_string(),
        }
    }

    fn describe_place(&self, request: &Instruction, place: &Place) -> Result<String> {
        let placements = &self.registry.placements;
        Ok(match place {
            Place::Anywhere => "whole, on the worker that is done soonest".to_string(),
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

    fn describe_moves(&self, request: &Instruction, chosen: &Chosen) -> Result<String> {
        let placements = &self.registry.placements;
        let mut moves = Vec::new();
        for (input, layouts) in request.inputs.iter().zip(&chosen.inputs) {
            let Operand::Slot(slot) = input else { continue };
            let entry = self.registry.get(*slot)?;
            let is_there = entry.at.iter().any(|&(place, _)| {
                let same_mesh = placements.mesh(place) == chosen.mesh;
                let copies = placements.layouts(chosen.mesh);
                same_mesh && placements.layouts(place) == &layouts[..]
                    || placements.covers(place, chosen.mesh) && copies == &layouts[..]
            });
            if !is_there {
                let verb = if entry.recipe().is_some() { "is made" } else { "moves to" };
                let target = placements.get(chosen.mesh).with_layouts(layouts.iter().cloned());
                moves.push(format!("{slot} {verb} {}", target.describe()));
            }
        }
        Ok(if moves.is_empty() { "nothing moves".to_string() } else { moves.join(", ") })
    }
}

/// What is kept for somebody who wants to know what is decided.
impl Session {
    /// From here on what is decided is kept.
    pub(crate) fn begin_explaining(&mut self, costs: Costs) {
        self.explanation = Some(Box::new(Explanation::new(costs)));
        self.caches.memo.compares = true;
    }

    /// What was decided since this was last asked, and how many decisions there was no room for.
    pub(crate) fn take_explanation(&mut self) -> (Vec<Row>, u64) {
        self.explanation.as_mut().map(|explanation| explanation.take()).unwrap_or_default()
    }

    /// What follows is no instruction.
    pub(crate) fn begin_row(&mut self, decided: Decided) {
        if let Some(explanation) = &mut self.explanation {
            explanation.begin(decided, 0);
        }
    }

    /// About how long everybody was at it since this was last asked.
    pub(crate) fn take_explained_ns(&mut self) -> u64 {
        self.explanation.as_mut().map_or(0, |explanation| explanation.take_ns())
    }

    /// The workers of a mesh were given what was decided last.
    pub(super) fn note_run_on(&mut self, mesh: PlacementId) {
        if let Some(explanation) = &mut self.explanation {
            explanation.run(self.registry.placements.members(mesh));
        }
    }

    /// What is given to workers next was decided without a client's asking.
    pub(super) fn note_made(&mut self, decision: &Decision) {
        let Some(mut explanation) = self.explanation.take() else { return };
        explanation.expect(self.compute_ns(decision, explanation.costs()));
        self.explanation = Some(explanation);
    }

    /// Keeps a decision.
    pub(super) fn note_decision(&mut self, request: &Instruction, decision: &Decision) {
        let Some(mut explanation) = self.explanation.take() else { return };
        let compute_ns = self.compute_ns(decision, explanation.costs());
        let decided = self.decided(request, decision);
        explanation.begin(decided, compute_ns);
        self.explanation = Some(explanation);
    }

    /// What is sent next is sent for this.
    pub(super) fn note_move(&mut self, what: impl FnOnce(&Placements) -> String) {
        if let Some(explanation) = &mut self.explanation {
            explanation.begin_move(what(&self.registry.placements));
        }
    }

    /// About how long each worker computes that an instruction is given to.
    fn compute_ns(&self, decision: &Decision, costs: &Costs) -> u64 {
        let placements = &self.registry.placements;
        let workers = match &decision.place {
            Place::Parts(_) | Place::Lost(_) => return 0,
            Place::Anywhere => 1,
            Place::On(mesh) => placements.members(*mesh).len(),
            Place::Shared(shared) => placements.members(shared.chosen.mesh).len(),
        };
        costs.compute_ns(decision.work, workers, decision.shares as usize)
    }

    fn decided(&mut self, request: &Instruction, decision: &Decision) -> Decided {
        let compared = self.caches.memo.compared.take();
        let placements = &self.registry.placements;
        let all = |place: &str| {
            let metas = decision.metas.iter().map(|meta| format!("{meta} {place}"));
            metas.collect::<Vec<_>>().join(", ")
        };
        let (mut way, mut runner_up) = (None, None);
        let results = match &decision.place {
            Place::Anywhere => all("whole, where it is done soonest"),
            Place::On(mesh) => all(&named(*mesh, placements.layouts(*mesh), placements)),
            Place::Parts(_) => all("taken apart"),
            Place::Lost(_) => all("lost"),
            Place::Shared(shared) => {
                let mesh = &shared.chosen.mesh;
                way = Some(described(&shared.chosen, request, placements));
                runner_up = compared.and_then(|compared| {
                    let (cost, second) = compared.second?;
                    let way = described(&second, request, placements);
                    Some(RunnerUp { way, cost, chosen_cost: compared.cost })
                });
                let results = decision.metas.iter().zip(&shared.finals);
                let results = results
                    .map(|(meta, last)| format!("{meta} {}", named(*mesh, last, placements)));
                results.collect::<Vec<_>>().join(", ")
            }
        };
        let scope = self.trail.names.get(&self.scopes.current()).cloned();
        let (op, provenance) = (request.op.name, request.provenance);
        Decided { op, provenance, scope, results, way, runner_up }
    }

    /// Adds what values take to that of each worker; gives how many parts of values there are.
    pub(crate) fn add_held(&self, held: &mut [u64]) -> usize {
        let mut parts = 0;
        let mut add = |worker: u32, bytes: usize| {
            parts += 1;
            if let Some(held) = held.get_mut(worker as usize) {
                *held += bytes as u64;
            }
        };
        for (_, entry) in self.registry.values_of_first(usize::MAX) {
            for &(place, _) in &entry.at {
                let placement = self.registry.placements.get(place);
                let dtype = placement.part_dtype(entry.meta.dtype);
                for (index, worker) in placement.mesh().workers().iter().enumerate() {
                    let shape = placement.part_shape(&entry.meta.shape, index);
                    add(worker.0, Meta { dtype, shape }.bytes());
                }
            }
        }
        parts
    }

    /// Where there are no workers, what they were asked for counts as done.
    pub(crate) fn pretend_done(&mut self) {
        self.note_risk();
        self.letters.clear();
        self.run = Run::default();
        self.lanes = WorkerMap::default();
        self.in_flight = InFlight::default();
        self.failure_barrier.pass();
    }
}

/// How values lie on a mesh, and its workers.
fn named(mesh: PlacementId, layouts: &[Layout], placements: &Placements) -> String {
    let placement = placements.get(mesh).with_layouts(layouts.iter().cloned());
    let workers = placement.mesh().workers().iter().map(|worker| worker.0.to_string());
    format!("{} on {}", placement.describe(), workers.collect::<Vec<_>>().join(" "))
}

/// How inputs and results lie while workers share an instruction.
fn described(chosen: &Chosen, request: &Instruction, placements: &Placements) -> String {
    let words = |layouts: &Layouts| {
        let words = placements.get(chosen.mesh).with_layouts(layouts.iter().cloned()).describe();
        if layouts.len() > 1 { format!("({words})") } else { words }
    };
    let tensors = request.inputs.iter().zip(&chosen.inputs);
    let tensors = tensors.filter(|(input, _)| matches!(input, Operand::Slot(_)));
    let inputs: Vec<String> = tensors.map(|(_, layouts)| words(layouts)).collect();
    let outputs: Vec<String> = chosen.outputs.iter().map(words).collect();
    format!("{} -> {}", inputs.join(" × "), outputs.join(" × "))
}

fn slots(request: &Instruction) -> impl Iterator<Item = Slot> {
    request.inputs.iter().filter_map(|input| match input {
        Operand::Slot(slot) => Some(*slot),
        Operand::Scalar(_) => None,
    })
}

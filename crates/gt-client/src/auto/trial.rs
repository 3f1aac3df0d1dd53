//! One strategy, tried on what was recorded.

use std::fmt;

use gt_core::Result;
use gt_core::placement::Wish;
use gt_dispatcher::costs::Costs;
use gt_dispatcher::explanation::Row;
use gt_dispatcher::rehearsal::Rehearsal;

use super::candidates::Candidate;
use super::{Root, RootParam, unplayable};
use crate::config::{Config, Resolved};
use crate::recorder::{Tape, Taped, play};

/// How many bytes of values there is room for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    bytes: u64,
    is_shared: bool,
}

impl Memory {
    /// On each worker.
    pub(super) fn of_each(bytes: u64) -> Self {
        Memory { bytes, is_shared: false }
    }

    /// On all workers together, which are in one process.
    pub(super) fn of_all(bytes: u64) -> Self {
        Memory { bytes, is_shared: true }
    }

    /// How many there is room for on one worker, if each has room of its own.
    pub(super) fn each(&self) -> Option<u64> {
        (!self.is_shared).then_some(self.bytes)
    }

    fn fits(&self, peaks: &[u64]) -> bool {
        match self.is_shared {
            true => peaks.iter().sum::<u64>() <= self.bytes,
            false => peaks.iter().all(|&peak| peak <= self.bytes),
        }
    }
}

/// What a step would cost under one strategy.
#[derive(Clone, Debug)]
pub struct Trial {
    /// What the strategy is called.
    pub name: &'static str,
    /// About how long a step takes.
    pub seconds: f64,
    /// How many bytes go from worker to worker.
    pub bytes: u64,
    /// In how many messages.
    pub messages: u64,
    /// The most bytes of values on one worker.
    pub peak_bytes: u64,
    /// Whether they fit.
    pub fits: bool,
    /// Why it could not be tried.
    pub problem: Option<String>,
}

impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(problem) = &self.problem {
            return write!(f, "'{}': {problem}", self.name);
        }
        let Trial { name, seconds, bytes, messages, peak_bytes, .. } = self;
        let (ms, moved, peak) = (seconds * 1e3, *bytes as f64 / 1e6, *peak_bytes as f64 / 1e6);
        let fits = if self.fits { "" } else { ", which does not fit" };
        write!(f, "'{name}': {ms:.3} ms, {moved:.3} MB in {messages} messages, {peak:.1} MB{fits}")
    }
}

/// Tries every strategy; gives what each costs, and its config.
pub(super) fn try_all(
    tape: &Tape,
    roots: &[Root],
    all: Vec<Candidate>,
    (workers, costs, memory): (usize, Costs, Memory),
) -> (Vec<Trial>, Vec<Config>) {
    let mut tried = (Vec::new(), Vec::new());
    for (name, config) in all {
        let resolved =
            Resolved { config: config.clone(), workers: workers as u32, ..Resolved::default() };
        let mut rehearsal = Rehearsal::new(workers, costs);
        let step = rehearse(&mut rehearsal, tape, roots, &resolved);
        let (_, peaks) = rehearsal.memory();
        let (peak_bytes, fits) = (peaks.iter().copied().max().unwrap_or(0), memory.fits(peaks));
        let problem = step.as_ref().err().map(unplayable);
        let step = step.unwrap_or_default();
        let seconds = step.ns as f64 * 1e-9;
        let fits = fits && problem.is_none();
        let (bytes, messages) = (step.bytes, step.messages);
        tried.0.push(Trial { name, seconds, bytes, messages, peak_bytes, fits, problem });
        tried.1.push(config);
    }
    tried
}

/// What a step comes to, without what it takes to get there.
#[derive(Default)]
struct Step {
    ns: u64,
    bytes: u64,
    messages: u64,
}

impl Step {
    fn add(&mut self, rehearsal: &mut Rehearsal) {
        self.ns += rehearsal.take_ns();
        let (rows, _) = rehearsal.take_rows();
        self.bytes += rows.iter().map(Row::bytes).sum::<u64>();
        self.messages += rows.iter().map(Row::messages).sum::<u64>();
    }
}

/// Decides over the recorded step as if its modules and parameters had been configured so from the
/// beginning.
fn rehearse(
    rehearsal: &mut Rehearsal,
    tape: &Tape,
    roots: &[Root],
    resolved: &Resolved,
) -> Result<Step> {
    for root in roots {
        let shard = resolved.config.shard(&[&root.name]);
        if let Some(wish) = shard.and_then(|(_, shard)| resolved.wish(shard)) {
            rehearsal.assume(&root.name, &wish)?;
        }
    }
    let mut step = Step::default();
    for taped in tape.iter() {
        let &Taped::Called(root) = taped else {
            play(rehearsal, taped)?;
            continue;
        };
        match root {
            0 => drop((rehearsal.take_rows(), rehearsal.take_ns())),
            _ => step.add(rehearsal),
        }
        for param in &roots[root].params {
            if let Some(wish) = param.wish(resolved) {
                rehearsal.settle(param.slot, &wish)?;
            }
        }
        // What it takes to get there is paid once.
        drop((rehearsal.take_rows(), rehearsal.take_ns()));
        if root == 0 {
            rehearsal.forget_peak();
        }
    }
    step.add(rehearsal);
    Ok(step)
}

impl RootParam {
    /// Where a strategy wants it, if nobody else has a say.
    fn wish(&self, resolved: &Resolved) -> Option<Wish> {
        let param = resolved.config.param(&[&self.name]).filter(|_| !self.is_placed);
        param.and_then(|(_, param)| resolved.param_wish(param, &[]))
    }
}

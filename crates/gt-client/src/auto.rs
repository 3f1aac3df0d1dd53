//! Automatic sharding: the first step of a program is recorded and rehearsed under several
//! strategies, and the cheapest that fits becomes the config of what follows. It is decided once,
//! so that no bit changes from step to step afterwards.

mod candidates;
mod trial;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use gt_core::placement::Wish;
use gt_core::{Error, Meta, Result, Slot};
use gt_transport::Batch;
use gt_transport::lock::Mutex;

use self::candidates::{ALONE, Candidate, WHOLE, candidates, smallest};
pub use self::trial::Trial;
use self::trial::{Memory, try_all};
use crate::config::{Config, Resolved};
use crate::recorder::{Tape, Taped};
use crate::scope::{self, Current};
use crate::session::Session;
use crate::tensor::Tensor;

/// A first step of more commands is not rehearsed, because that would take seconds.
const MOST_COMMANDS: usize = 1 << 16;
/// A program that learns may call its model so often before it updates a parameter.
const MOST_CALLS: usize = 64;
/// What trains needs room for each parameter, its gradient, and two values of the optimiser.
const COPIES_IN_TRAINING: u64 = 4;
/// Cutting is worth it if not to cut takes so many times as long.
const WORTH_CUTTING: f64 = 1.05;
/// Of strategies that cut, a plainer one may take so many times as long as the best.
const ALIKE: f64 = 1.02;

/// What is known of a program before anything is decided.
pub(crate) struct Auto {
    memory: Memory,
    tape: Tape,
    roots: Vec<Root>,
    /// How often a module was called by itself.
    calls: usize,
    phase: Phase,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Recording,
    Decided,
}

/// A module that was called by itself.
pub(crate) struct Root {
    name: String,
    params: Vec<RootParam>,
}

struct RootParam {
    /// Its name, with that of the root in front.
    name: String,
    slot: Slot,
    meta: Meta,
    /// Whether the program or its config has said where it should be.
    is_placed: bool,
}

/// What was decided, and between what.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// What was chosen.
    pub chosen: &'static str,
    /// What was tried.
    pub trials: Vec<Trial>,
}

impl Auto {
    fn new(memory: Memory) -> Self {
        let tape = Tape::default();
        Auto { memory, tape, roots: Vec::new(), calls: 0, phase: Phase::Recording }
    }

    /// Takes in what is about to be sent.
    pub(crate) fn take(&mut self, batch: &Arc<Batch>) {
        if self.phase == Phase::Recording {
            self.tape.add(Taped::Batch(batch.clone()));
        }
    }

    pub(crate) fn describe(&mut self, slot: Slot, meta: &Meta) {
        if self.phase == Phase::Recording {
            self.tape.add(Taped::Described(slot, meta.clone()));
        }
    }

    fn root(&self, name: &str) -> Option<&Root> {
        self.roots.iter().find(|root| root.name == name)
    }

    /// Ends the recording; gives what was recorded.
    fn close(&mut self) -> (Tape, Vec<Root>) {
        self.phase = Phase::Decided;
        (std::mem::take(&mut self.tape), std::mem::take(&mut self.roots))
    }
}

/// What a module's call comes to while its program is recorded.
enum Next {
    /// It goes on being recorded.
    Record,
    /// Enough is known.
    Decide,
    /// The parameters of what is called do not fit one worker.
    Shrink,
}

impl Session {
    /// From here on the first step is recorded, if there is more than one worker and nothing was
    /// said yet.
    pub fn begin_auto_shard(&self) {
        let inner = &self.0;
        let summary = inner.link.summary();
        let mut stream = inner.stream.lock();
        if summary.workers < 2 || stream.appended() > 0 {
            return;
        }
        let workers = summary.workers as u64;
        let room = |all: u64| match summary.address {
            Some(_) => Memory::of_each(all / workers),
            None => Memory::of_all(all),
        };
        let measured = inner.measured.get().and_then(|costs| costs.worker_memory_bytes);
        let memory = measured.map_or_else(
            || room(summary.limit_bytes as u64),
            |bytes| Memory::of_each(bytes as u64),
        );
        let worth = self.costs().worth_cutting_bytes(summary.workers).unwrap_or(f64::INFINITY);
        let worth = worth.min(memory.each().map_or(f64::INFINITY, |bytes| bytes as f64));
        inner.worth_cutting_bytes.store(worth as usize, Ordering::Relaxed);
        stream.scopes().name_roots(true);
        let _ = inner.auto.set(Mutex::new(Auto::new(memory)));
        inner.is_auto_recording.store(true, Ordering::Relaxed);
    }

    /// Whether the first step is being recorded.
    pub fn is_auto_recording(&self) -> bool {
        self.0.is_auto_recording.load(Ordering::Relaxed)
    }

    /// What was decided, if something was.
    pub fn auto_verdict(&self) -> Option<Verdict> {
        self.0.verdict.get().cloned()
    }

    /// The module at the root `name` is about to be called, with these parameters and buffers by
    /// name; `learns` if what it computes has gradients. Says whether it was decided over what
    /// follows.
    pub fn auto_shard_before(
        &self,
        name: &str,
        params: &[(String, Tensor)],
        learns: bool,
    ) -> Result<bool> {
        let Some(auto) = self.0.auto.get().filter(|_| self.is_auto_recording()) else {
            return Ok(false);
        };
        let params = self.looked_up(name, params)?;
        self.0.flush();
        let mut auto = auto.lock();
        if auto.phase == Phase::Decided {
            // Another thread has been quicker.
            return Ok(false);
        }
        let next = auto.next(name, params, learns);
        if matches!(next, Next::Record) {
            return Ok(false);
        }
        let memory = auto.memory;
        let (tape, roots) = auto.close();
        self.0.is_auto_recording.store(false, Ordering::Relaxed);
        // What decides also appends, which looks at the recording.
        drop(auto);
        let verdict = match next {
            Next::Shrink => shrunk(&roots),
            _ if tape.is_full() || tape.commands() > MOST_COMMANDS => {
                tracing::info!(target: "gt", session = %self.0.id, "auto-shard: the first step is \
                    too long to be compared, and everything stays as it is");
                (Verdict { chosen: WHOLE, trials: vec![] }, Config::default())
            }
            _ => self.compare(&tape, &roots, memory),
        };
        self.install(verdict);
        Ok(true)
    }

    /// What is known of parameters at the moment.
    fn looked_up(&self, root: &str, params: &[(String, Tensor)]) -> Result<Vec<RootParam>> {
        let resolved = self.config();
        let mut found = Vec::new();
        for (name, tensor) in params.iter().filter(|(_, tensor)| tensor.session().is(self)) {
            let full = format!("{root}.{name}");
            let path = name.rsplit_once('.').map_or("", |(path, _)| path);
            let around = scope::module_scope(root, path);
            let is_placed = resolved.config.param(&[name, &full]).is_some()
                || self.configured_wish(&around).is_some();
            let (slot, meta) = (tensor.value()?.slot(), tensor.meta().clone());
            found.push(RootParam { name: full, slot, meta, is_placed });
        }
        Ok(found)
    }

    /// Rehearses what was recorded under every strategy and gives the best.
    fn compare(&self, tape: &Tape, roots: &[Root], memory: Memory) -> (Verdict, Config) {
        let workers = self.0.link.summary().workers;
        let names: Vec<String> = roots.iter().map(|root| root.name.clone()).collect();
        let params = roots.iter().flat_map(|root| &root.params);
        let params: Vec<_> = params.map(|param| (param.name.clone(), param.meta.clone())).collect();
        let all = candidates(&names, &params, workers as u32);
        let (trials, configs) = try_all(tape, roots, all, (workers, self.costs(), memory));
        let best = choose(&trials);
        let chosen = best.map_or(WHOLE, |best| trials[best].name);
        let config = best.map(|best| configs[best].clone()).unwrap_or_default();
        (Verdict { chosen, trials }, config)
    }

    /// From here on the strategy holds, as a config does.
    fn install(&self, (verdict, config): (Verdict, Config)) {
        let trials: Vec<String> = verdict.trials.iter().map(Trial::to_string).collect();
        tracing::info!(target: "gt", session = %self.0.id, chosen = verdict.chosen,
            "auto-shard: {}", trials.join("; "));
        let before = self.config();
        let auto = (!config.is_empty())
            .then(|| Arc::new(Resolved { config, workers: before.workers, ..Resolved::default() }));
        let (config, workers, strict) = (before.config.clone(), before.workers, before.strict);
        self.0.stream.lock().scopes().name_roots(false);
        self.configure(Arc::new(Resolved { config, workers, strict, auto }));
        let _ = self.0.verdict.set(verdict);
    }
}

impl Auto {
    /// A module is called: it is new, or this is the second step.
    fn next(&mut self, name: &str, params: Vec<RootParam>, learns: bool) -> Next {
        self.calls += 1;
        let Some(known) = self.root(name) else {
            let bytes: u64 = params.iter().map(|param| param.meta.bytes() as u64).sum();
            let copies = if learns { COPIES_IN_TRAINING } else { 1 };
            self.tape.add(Taped::Called(self.roots.len()));
            self.roots.push(Root { name: name.to_string(), params });
            let fits = self.memory.each().is_none_or(|room| copies * bytes <= room);
            return if fits { Next::Record } else { Next::Shrink };
        };
        let was_updated = known.params.iter().zip(&params).any(|(old, new)| old.slot != new.slot);
        match !learns || was_updated || self.calls > MOST_CALLS || self.tape.is_full() {
            true => Next::Decide,
            false => Next::Record,
        }
    }
}

/// The strategy of parameters that do not fit one worker, whatever it costs.
fn shrunk(roots: &[Root]) -> (Verdict, Config) {
    let names: Vec<String> = roots.iter().map(|root| root.name.clone()).collect();
    let (chosen, config): Candidate = smallest(&names);
    (Verdict { chosen, trials: vec![] }, config)
}

/// The cheapest that fits; things are left alone if nothing is worth the change. If nothing fits,
/// what needs the least memory.
fn choose(trials: &[Trial]) -> Option<usize> {
    let fitting = || trials.iter().enumerate().filter(|(_, trial)| trial.fits);
    let is_uncut = |trial: &Trial| trial.name == WHOLE || trial.name == ALONE;
    let least = |a: &(usize, &Trial), b: &(usize, &Trial)| a.1.seconds.total_cmp(&b.1.seconds);
    let Some((_, best)) = fitting().min_by(least) else {
        let smallest = trials.iter().enumerate().min_by_key(|(_, trial)| trial.peak_bytes);
        return smallest.map(|(index, _)| index);
    };
    let uncut = fitting().filter(|(_, trial)| is_uncut(trial)).min_by(least);
    if let Some((index, _)) = uncut.filter(|it| it.1.seconds <= best.seconds * WORTH_CUTTING) {
        return Some(index);
    }
    let is_alike = |trial: &Trial| !is_uncut(trial) && trial.seconds <= best.seconds * ALIKE;
    fitting().find(|(_, trial)| is_alike(trial)).map(|(index, _)| index)
}

/// Where a value is cut that the program makes outside of all signals and modules, and that is
/// large: along its first axis that has something for everybody.
impl Session {
    pub(crate) fn cut_by_itself(&self, meta: &Meta) -> Option<Current> {
        let worth = self.0.worth_cutting_bytes.load(Ordering::Relaxed);
        if meta.bytes() < worth || !scope::is_outside() || scope::is_library() {
            return None;
        }
        let workers = self.0.link.summary().workers;
        let axis = meta.shape.iter().position(|&size| size >= workers)?;
        Some(scope::placing("auto", Wish::sharded(i32::try_from(axis).ok()?, [])))
    }
}

impl Verdict {
    /// In words, for whoever asks what was decided.
    pub fn notes(&self) -> Vec<String> {
        let all = self.trials.iter().map(|trial| format!("auto-shard tried {trial}"));
        std::iter::once(format!("auto-shard chose '{}'", self.chosen)).chain(all).collect()
    }
}

/// An error that a rehearsal has no name for.
fn unplayable(error: &Error) -> String {
    format!("it cannot be rehearsed: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(name: &'static str, seconds: f64, peak_bytes: u64, fits: bool) -> Trial {
        Trial { name, seconds, bytes: 0, messages: 0, peak_bytes, fits, problem: None }
    }

    #[test]
    fn things_are_left_alone_unless_it_is_worth_it_or_they_do_not_fit() {
        let whole = |fits| trial(WHOLE, 1.0, 100, fits);
        let small = |seconds| trial("data", seconds, 60, true);
        assert_eq!(choose(&[whole(true), small(0.97)]), Some(0));
        assert_eq!(choose(&[whole(true), small(0.9)]), Some(1));
        let alike = [whole(true), small(0.5), trial("fully sharded", 0.495, 50, true)];
        assert_eq!(choose(&alike), Some(1));
        assert_eq!(choose(&[whole(false), small(40.0)]), Some(1));
        let none = [whole(false), trial("data", 9.0, 60, false)];
        assert_eq!(choose(&none), Some(1));
        assert_eq!(choose(&[]), None);
    }
}

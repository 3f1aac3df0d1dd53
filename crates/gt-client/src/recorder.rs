//! What a session has said, for a program that wants to know what became of it. The same decisions
//! are made again in a rehearsal, so that nobody else has to keep account of them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use gt_core::placement::Wish;
use gt_core::{Error, Meta, Result, Slot};
use gt_dispatcher::costs::Costs;
use gt_dispatcher::explanation::Row;
use gt_dispatcher::rehearsal::{Held, Rehearsal};
use gt_transport::Batch;
use gt_transport::lock::Mutex;

use crate::config::costs::MeasuredCosts;
use crate::session::Session;
use crate::tensor::Tensor;

/// So many commands are kept for other workers than those that there are …
const MOST_COMMANDS: usize = 1 << 18;
/// … unless they take more bytes than this.
const MOST_BYTES: usize = 64 << 20;

/// A session's stream, as it was sent.
#[derive(Default)]
pub(crate) struct Tape {
    taped: Vec<Taped>,
    commands: usize,
    bytes: usize,
    /// Whether something was left out for want of room.
    is_full: bool,
}

/// The tape, and what becomes of it with as many workers as there are.
pub(crate) struct Recorder {
    rehearsal: Rehearsal,
    tape: Tape,
    /// What was on the tape when somebody last asked.
    asked: usize,
    /// What went wrong with the rehearsal.
    error: Option<Error>,
}

pub(crate) enum Taped {
    Batch(Arc<Batch>),
    /// A worker has told a shape that depends on data.
    Described(Slot, Meta),
    /// A module is called by itself for the first time.
    Called(usize),
}

impl Tape {
    /// Adds something, if there is room.
    pub(crate) fn add(&mut self, taped: Taped) {
        let (commands, bytes) = match &taped {
            Taped::Batch(batch) => (batch.len(), batch.bytes()),
            Taped::Described(..) | Taped::Called(_) => (1, size_of::<Taped>()),
        };
        self.commands += commands;
        self.bytes += bytes;
        self.is_full |= self.commands > MOST_COMMANDS || self.bytes > MOST_BYTES;
        if !self.is_full {
            self.taped.push(taped);
        }
    }

    /// Whether something was left out for want of room.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// How many commands were added.
    pub(crate) fn commands(&self) -> usize {
        self.commands
    }

    /// What was added, in its order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Taped> {
        self.taped.iter()
    }
}

/// What was decided, and what it costs.
pub struct Explanation {
    /// How many workers it is about.
    pub workers: usize,
    /// The decisions.
    pub rows: Vec<Row>,
    /// About how long all of it takes.
    pub seconds: f64,
    /// How many there was no room for.
    pub left_out: u64,
    /// Bytes that values take on each worker.
    pub held_bytes: Vec<u64>,
    /// The most that was seen.
    pub peak_bytes: Vec<u64>,
    /// Where tensors are; `None` for those of other sessions.
    pub places: Vec<Option<Held>>,
    /// What does not fit so many workers.
    pub notes: Vec<String>,
}

impl Recorder {
    fn new(workers: usize, costs: Costs) -> Self {
        let (rehearsal, tape) = (Rehearsal::new(workers, costs), Tape::default());
        Recorder { rehearsal, tape, asked: 0, error: None }
    }

    fn add(&mut self, taped: Taped) {
        if self.error.is_none() {
            self.error = play(&mut self.rehearsal, &taped).err();
        }
        self.tape.add(taped);
    }

    /// The same decisions for another number of workers.
    fn rehearse(&self, workers: usize, costs: Costs) -> Result<Rehearsal> {
        let mut rehearsal = Rehearsal::new(workers, costs);
        for (index, taped) in self.tape.taped.iter().enumerate() {
            if index == self.asked {
                rehearsal.take_rows();
                rehearsal.take_ns();
                rehearsal.forget_peak();
            }
            play(&mut rehearsal, taped)?;
        }
        Ok(rehearsal)
    }
}

/// Has a rehearsal decide over what is on a tape.
pub(crate) fn play(rehearsal: &mut Rehearsal, taped: &Taped) -> Result<()> {
    match taped {
        Taped::Called(_) => Ok(()),
        Taped::Batch(batch) => rehearsal.take(batch),
        Taped::Described(slot, meta) => {
            rehearsal.describe(*slot, meta);
            Ok(())
        }
    }
}

impl Session {
    /// Keeps what the session says from now on, before it has said anything. Says whether it does:
    /// what was said before cannot be known any more.
    pub fn begin_explaining(&self) -> bool {
        let inner = &self.0;
        let stream = inner.stream.lock();
        if inner.recorder.get().is_none() && stream.appended() == 0 {
            let workers = inner.link.summary().workers;
            let _ = inner.recorder.set(Mutex::new(Recorder::new(workers, self.costs())));
        }
        inner.recorder.get().is_some()
    }

    /// What was decided since this was last asked; with a number, what would be decided if there
    /// were so many workers. And where tensors are, or would be.
    pub fn explanation(&self, workers: Option<usize>, tensors: &[Tensor]) -> Result<Explanation> {
        let values = tensors.iter().map(|tensor| match tensor.session().is(self) {
            true => tensor.value().map(Some),
            false => Ok(None),
        });
        let values: Vec<_> = values.collect::<Result<_>>()?;
        self.0.flush();
        let Some(recorder) = self.0.recorder.get() else {
            return self.decided_explanation(tensors.len());
        };
        let mut recorder = recorder.lock();
        if let Some(error) = &recorder.error {
            return Err(error.clone());
        }
        let rehearse = |workers| recorder.rehearse(workers, self.costs_of(workers));
        let mut other = workers.map(rehearse).transpose()?;
        let mut notes = self.auto_verdict().map_or_else(Vec::new, |verdict| verdict.notes());
        if let Some(rehearsal) = &other {
            notes.extend(misfits(rehearsal.wishes(), rehearsal.workers() as u32));
            if recorder.tape.is_full {
                let kept = recorder.tape.taped.len();
                notes.push(format!("only the first {kept} batches of the session were kept"));
            }
        }
        let rehearsal = other.as_mut().unwrap_or(&mut recorder.rehearsal);
        let seconds = rehearsal.take_ns() as f64 * 1e-9;
        let (rows, left_out) = rehearsal.take_rows();
        let (held, peak) = rehearsal.memory();
        let (held_bytes, peak_bytes) = (held.to_vec(), peak.to_vec());
        let place = |value: &Option<_>| value.as_ref().map(|value| locate(rehearsal, value));
        let places = values.iter().map(place).map(Option::transpose).collect::<Result<_>>()?;
        let workers = rehearsal.workers();
        if other.is_none() {
            recorder.rehearsal.forget_peak();
            recorder.asked = recorder.tape.taped.len();
        }
        let (held, peak) = (held_bytes, peak_bytes);
        Ok(Explanation {
            workers,
            rows,
            seconds,
            left_out,
            held_bytes: held,
            peak_bytes: peak,
            places,
            notes,
        })
    }

    /// All there is to say if only automatic sharding has kept account.
    fn decided_explanation(&self, tensors: usize) -> Result<Explanation> {
        let begun = || Error::runtime("explain: what this session has done was not kept");
        let notes = self.auto_verdict().ok_or_else(begun)?.notes();
        Ok(Explanation {
            workers: self.0.link.summary().workers,
            rows: Vec::new(),
            seconds: 0.0,
            left_out: 0,
            held_bytes: Vec::new(),
            peak_bytes: Vec::new(),
            places: vec![None; tensors],
            notes,
        })
    }

    /// What work and messages cost here.
    pub(crate) fn costs(&self) -> Costs {
        self.costs_of(self.0.link.summary().workers)
    }

    /// The same if there were so many workers like those that there are.
    fn costs_of(&self, workers: usize) -> Costs {
        let summary = self.0.link.summary();
        let supposed = match summary.address {
            Some(_) => Costs::apart(workers, summary.threads / summary.workers.max(1)),
            None => Costs::together(summary.threads),
        };
        self.0.measured.get().map_or(supposed, |measured| measured.over(supposed))
    }

    /// From here on costs are what was measured.
    pub fn set_costs(&self, measured: MeasuredCosts) {
        let _ = self.0.measured.set(measured);
    }

    /// Keeps what is about to be sent, if somebody wants to know.
    pub(crate) fn note_described(&self, slot: Slot, meta: &Meta) {
        if let Some(recorder) = self.0.recorder.get() {
            recorder.lock().add(Taped::Described(slot, meta.clone()));
        }
        if let Some(auto) = self.0.auto.get() {
            auto.lock().describe(slot, meta);
        }
    }
}

impl crate::inner::Inner {
    /// Keeps what is about to be sent, if somebody wants to know.
    pub(crate) fn record(&self, batch: &Batch) {
        let auto = self.auto.get().filter(|_| self.is_auto_recording.load(Ordering::Relaxed));
        if self.recorder.get().is_none() && auto.is_none() {
            return;
        }
        // The elements of larger uploads are of no interest.
        let mut batch = batch.clone();
        batch.detach(|| 0);
        let batch = Arc::new(batch);
        if let Some(recorder) = self.recorder.get() {
            recorder.lock().add(Taped::Batch(batch.clone()));
        }
        if let Some(auto) = auto {
            auto.lock().take(&batch);
        }
    }
}

fn locate(rehearsal: &Rehearsal, value: &Arc<crate::tensor::Owned>) -> Result<Held> {
    rehearsal.locate(value.slot())
}

/// What of the wishes does not grow or shrink with the number of workers.
fn misfits(wishes: &[(Box<str>, Wish)], workers: u32) -> Vec<String> {
    let mut notes = Vec::new();
    for (entry, wish) in wishes {
        let sizes: Vec<String> =
            wish.mesh.iter().map(|(name, size)| format!("{name}: {size}")).collect();
        let what = match sizes.is_empty() {
            true => format!("'{entry}' names its workers"),
            false => format!("'{entry}' is on the mesh {{{}}}", sizes.join(", ")),
        };
        let absent = wish.workers.iter().filter(|&&worker| worker >= workers).count();
        let note = match (absent, wish.workers.len()) {
            (_, 0) => continue,
            (0, named) if named as u32 == workers => continue,
            (0, named) => format!("{what}: it uses {named} of {workers} workers"),
            (absent, _) if sizes.is_empty() => format!("{what}: {absent} of them do not exist"),
            _ => format!("{what}: it does not fit {workers} workers and is ignored"),
        };
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

//! What a session has said, for a program that wants to know what became of it. The same decisions
//! are made again in a rehearsal, so that nobody else has to keep account of them.

use std::sync::Arc;

use gt_core::placement::Wish;
use gt_core::{Error, Meta, Result, Slot};
use gt_dispatcher::explanation::Row;
use gt_dispatcher::rehearsal::{Held, Rehearsal};
use gt_transport::Batch;
use gt_transport::lock::Mutex;

use crate::session::Session;
use crate::tensor::Tensor;

/// So many commands are kept for other workers than those that there are …
const MOST_COMMANDS: usize = 1 << 18;
/// … unless they take more bytes than this.
const MOST_BYTES: usize = 64 << 20;

/// A session's stream, as it was sent.
pub(crate) struct Recorder {
    /// The same with as many workers as there are.
    rehearsal: Rehearsal,
    tape: Vec<Taped>,
    commands: usize,
    bytes: usize,
    /// Whether something was left out for want of room.
    is_full: bool,
    /// What was on the tape when somebody last asked.
    asked: usize,
    /// What went wrong with the rehearsal.
    error: Option<Error>,
}

#[derive(Clone)]
enum Taped {
    Batch(Arc<Batch>),
    Described(Slot, Meta),
}

/// What was decided, and what it costs.
pub struct Explanation {
    /// How many workers it is about.
    pub workers: usize,
    /// The decisions.
    pub rows: Vec<Row>,
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
    fn new(workers: usize) -> Self {
        let (rehearsal, tape, error) = (Rehearsal::new(workers), Vec::new(), None);
        let (commands, bytes, is_full, asked) = (0, 0, false, 0);
        Recorder { rehearsal, tape, commands, bytes, is_full, asked, error }
    }

    /// Takes in what is about to be sent, without the elements of larger uploads.
    fn take(&mut self, batch: &Batch) {
        let mut batch = batch.clone();
        batch.detach(|| 0);
        self.add(batch.len(), batch.bytes(), Taped::Batch(batch.into()));
    }

    fn add(&mut self, commands: usize, bytes: usize, taped: Taped) {
        if self.error.is_none() {
            self.error = play(&mut self.rehearsal, &taped).err();
        }
        self.commands += commands;
        self.bytes += bytes;
        self.is_full |= self.commands > MOST_COMMANDS || self.bytes > MOST_BYTES;
        if !self.is_full {
            self.tape.push(taped);
        }
    }

    /// The same decisions for another number of workers.
    fn rehearse(&self, workers: usize) -> Result<Rehearsal> {
        let mut rehearsal = Rehearsal::new(workers);
        for (index, taped) in self.tape.iter().enumerate() {
            if index == self.asked {
                rehearsal.take_rows();
                rehearsal.forget_peak();
            }
            play(&mut rehearsal, taped)?;
        }
        Ok(rehearsal)
    }
}

fn play(rehearsal: &mut Rehearsal, taped: &Taped) -> Result<()> {
    match taped {
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
            let _ = inner.recorder.set(Mutex::new(Recorder::new(workers)));
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
        let begun = || Error::runtime("explain: what this session has done was not kept");
        let mut recorder = self.0.recorder.get().ok_or_else(begun)?.lock();
        if let Some(error) = &recorder.error {
            return Err(error.clone());
        }
        let mut other = workers.map(|workers| recorder.rehearse(workers)).transpose()?;
        let mut notes = Vec::new();
        if let Some(rehearsal) = &other {
            notes = misfits(rehearsal.wishes(), rehearsal.workers() as u32);
            if recorder.is_full {
                let kept = recorder.tape.len();
                notes.push(format!("only the first {kept} batches of the session were kept"));
            }
        }
        let rehearsal = other.as_mut().unwrap_or(&mut recorder.rehearsal);
        let (rows, left_out) = rehearsal.take_rows();
        let (held, peak) = rehearsal.memory();
        let (held_bytes, peak_bytes) = (held.to_vec(), peak.to_vec());
        let place = |value: &Option<_>| value.as_ref().map(|value| locate(rehearsal, value));
        let places = values.iter().map(place).map(Option::transpose).collect::<Result<_>>()?;
        let workers = rehearsal.workers();
        if other.is_none() {
            recorder.rehearsal.forget_peak();
            recorder.asked = recorder.tape.len();
        }
        Ok(Explanation { workers, rows, left_out, held_bytes, peak_bytes, places, notes })
    }

    /// Keeps what is about to be sent, if somebody wants to know.
    pub(crate) fn note_described(&self, slot: Slot, meta: &Meta) {
        if let Some(recorder) = self.0.recorder.get() {
            recorder.lock().add(1, size_of::<Taped>(), Taped::Described(slot, meta.clone()));
        }
    }
}

impl crate::inner::Inner {
    /// Keeps what is about to be sent, if somebody wants to know.
    pub(crate) fn record(&self, batch: &Batch) {
        if let Some(recorder) = self.recorder.get() {
            recorder.lock().take(batch);
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

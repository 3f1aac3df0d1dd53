//! The frees that a worker is sent together, or is done with together, as one event. A third of
//! all commands are frees, and when exactly each of them was sent tells nobody anything.

use gt_core::event::{Event, MOST_EXTRA, Recorder};
use gt_core::record::Record;

/// Frees that are not recorded yet.
#[derive(Debug, Default)]
pub(super) struct Frees {
    /// The first of them.
    event: Option<Event>,
    /// The values of the others; see [`gt_transport::batch::logged`].
    slots: Vec<u8>,
}

impl Frees {
    /// Adds one; `first` makes the event if there is none yet.
    pub(super) fn add(
        &mut self,
        record: &Record,
        recorder: &mut Recorder,
        first: impl FnOnce() -> Event,
    ) {
        let more = 4 * usize::from(record.arity);
        let is_full =
            |event: &Event| event.joined == u16::MAX || self.slots.len() + more > MOST_EXTRA;
        if self.event.as_ref().is_some_and(is_full) {
            self.record(recorder);
        }
        let bytes = size_of::<Record>() as u64;
        let Some(event) = &mut self.event else {
            self.event = Some(Event { bytes, ..first() });
            return;
        };
        event.joined += 1;
        event.bytes += bytes;
        let slots = [record.out].into_iter().chain(record.inputs);
        for slot in slots.take(usize::from(record.arity)) {
            self.slots.extend_from_slice(&slot.to_le_bytes());
        }
    }

    /// Records them, if there are any.
    pub(super) fn record(&mut self, recorder: &mut Recorder) {
        if let Some(event) = self.event.take() {
            recorder.record(event, &self.slots);
            self.slots.clear();
        }
    }
}

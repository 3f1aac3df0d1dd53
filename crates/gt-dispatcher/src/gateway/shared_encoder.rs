//! Encodes messages that go to several workers once.

use std::sync::Arc;

use gt_transport::codec::{self, Frames};
use gt_transport::{Batch, Message};

/// What was encoded and is shared.
#[derive(Default)]
pub(super) struct SharedEncoder {
    shared: Vec<(Arc<Batch>, Frames)>,
}

impl SharedEncoder {
    /// The message as it travels.
    pub(super) fn encode(&mut self, message: &Message) -> Frames {
        let Message::Commands { batch, .. } = message else { return codec::encode(message) };
        let mut shared = self.shared.iter();
        if let Some((_, frames)) = shared.find(|(known, _)| Arc::ptr_eq(known, batch)) {
            return frames.clone();
        }
        let frames = codec::encode(message);
        if Arc::strong_count(batch) > 1 {
            self.shared.push((batch.clone(), frames.clone()));
        }
        frames
    }
}

#[cfg(test)]
mod tests {
    use gt_core::SessionId;

    use super::*;

    #[test]
    fn what_goes_to_several_workers_is_encoded_once() {
        let mut encoder = SharedEncoder::default();
        let shared = Arc::new(Batch::default());
        let message =
            |batch: &Arc<Batch>| Message::Commands { session: SessionId(1), batch: batch.clone() };
        let [first, second] = [0; 2].map(|_| encoder.encode(&message(&shared)).head);
        assert_eq!(first.as_ptr(), second.as_ptr());
        let own = encoder.encode(&message(&Arc::default())).head;
        assert_eq!((&own, own.as_ptr() == first.as_ptr()), (&first, false));
    }
}

//! What a client is told of a plan that went wrong.

use std::sync::Arc;

use gt_core::Error;
use gt_transport::{Failure, FailureId, Holder, Message};
use smallvec::SmallVec;

use super::Runs;
use super::run::Run;
use super::store::Stored;
use crate::engine::Engine;
use crate::memory::{NAMED, held, largest};
use crate::plan::{Origin, Position};

impl<E: Engine + ?Sized> Run<'_, E> {
    /// Tells the client of a first cause; what depends on it fails in silence.
    pub(super) fn fail(&mut self, error: Error, origin: Origin) -> Arc<Failure> {
        let mut failure = origin.failure(error);
        if matches!(failure.error, Error::OutOfMemory(_)) {
            failure.holders.clone_from(self.holders());
        }
        let failure = Arc::new(failure);
        self.tell(origin.position, failure.clone());
        failure
    }

    /// Tells the client of an update that does not happen because a worker or a transfer was lost.
    /// That loss is not the failure of an instruction, so nobody else reports it; without a
    /// failure of its own, the update would be missing in silence.
    pub(super) fn tell_of_update(&mut self, failure: Arc<Failure>, origin: Origin) -> Arc<Failure> {
        match failure.id {
            FailureId::NONE => {
                let error = failure.error.clone().within("an input is lost, the old value stays");
                self.fail(error, origin)
            }
            _ => failure,
        }
    }

    pub(super) fn tell(&mut self, position: Position, failure: Arc<Failure>) {
        self.untold.entry(position).or_insert_with(|| failure.clone());
        self.messages.push(Message::Failed { session: self.session, failure });
    }

    /// The lines that hold the most memory: in the plan, and in the session besides.
    fn holders(&mut self) -> &SmallVec<[Holder; NAMED]> {
        let Run { runner, session, registers, places, holders, .. } = self;
        holders.get_or_insert_with(|| {
            let values = registers.iter().zip(places).filter_map(|(stored, place)| match stored {
                Some(Stored::Value(value)) => Some((value, *place)),
                _ => None,
            });
            let mut holdings = held(values);
            holdings.extend(runner.holdings(*session));
            largest(&holdings)
        })
    }
}

//! How the inputs of an instruction come to a worker that has not got them. Values that go from one
//! placement on a mesh to another are moved by `session/moves.rs`.

use gt_core::{Result, Slot, WorkerId};

use crate::registry::{Entry, Registry};

/// Where a worker gets an input from.
pub(crate) enum Source {
    /// It has it, under this name.
    Here(Slot),
    /// From another worker, where it has this name.
    From(WorkerId, Slot),
}

/// How an input comes to a worker.
pub(crate) fn reshard(entry: &Entry, worker: WorkerId, registry: &Registry) -> Result<Source> {
    if let Some(name) = registry.name_on(entry, worker) {
        return Ok(Source::Here(name));
    }
    let (home, name) = registry.home(entry).map_err(|failure| failure.error.clone())?;
    Ok(Source::From(home, name))
}

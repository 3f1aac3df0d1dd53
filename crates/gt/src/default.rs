//! The session that programs use without saying so: it starts with the first operation.

use std::hash::{BuildHasher, RandomState};

use gt_client::Session;
use gt_core::{Error, Result};
use parking_lot::Mutex;

use crate::settings::Settings;

struct Default {
    session: Option<Session>,
    workers: usize,
}

static DEFAULT: Mutex<Default> = Mutex::new(Default { session: None, workers: 1 });

/// The default session; it starts now if it has not.
pub fn session() -> Result<Session> {
    let mut default = DEFAULT.lock();
    if let Some(session) = &default.session {
        return Ok(session.clone());
    }
    let options = Settings::from_environment()?.embedded(default.workers)?;
    let session = Session::embedded(options)?;
    // As in PyTorch, numbers differ from run to run until a program chooses its seed.
    session.manual_seed(RandomState::new().hash_one(std::process::id()));
    default.session = Some(session.clone());
    Ok(session)
}

/// Asks for so many workers, before the first operation.
pub fn workers(count: usize) -> Result<()> {
    let mut default = DEFAULT.lock();
    if count == 0 {
        return Err(Error::value("workers: at least one is needed"));
    }
    if default.session.is_some() && default.workers != count {
        return Err(Error::runtime("workers: must be called before the first operation"));
    }
    default.workers = count;
    Ok(())
}

/// Ends the default session, if there is one. The next operation starts another.
pub fn close() {
    let session = DEFAULT.lock().session.take();
    if let Some(session) = session {
        session.close();
    }
}

//! Profiles of a program by itself.

use gt_client::{Observation, Session};
use gt_core::Result;
pub use gt_tools::profile::{Profile, Row};

use crate::log_file::place_name;

/// A profile that is under way.
pub struct Profiling(Observation);

/// Begins to profile a session, once everything before is done.
pub fn start(session: &Session) -> Result<Profiling> {
    session.watch().map(Profiling)
}

impl Profiling {
    /// Ends it, after everything that was asked for meanwhile is done.
    pub fn finish(self) -> Result<Profile> {
        let (events, lost) = self.0.finish()?;
        Ok(Profile::new(events, lost, place_name))
    }
}

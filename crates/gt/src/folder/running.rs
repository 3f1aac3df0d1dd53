//! Which dispatchers of this user run on this host, in servers and inside programs.

use std::fs;
use std::path::PathBuf;

use gt_core::Result;

use super::{Folder, Record, check_private, claim, leftover, own_paths};
use crate::settings;

/// A dispatcher that can be watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Running {
    /// A server.
    Server {
        /// Its port.
        port: u16,
        /// What it tells of itself.
        record: Option<Record>,
    },
    /// A session inside a program.
    Process {
        /// The program's process.
        pid: u32,
        /// Where it can be watched.
        socket: PathBuf,
    },
}

impl Folder {
    /// The dispatchers that run, servers first, in the order of their numbers.
    pub fn running() -> Result<Vec<Running>> {
        // A folder that somebody has named and that is not used deserves a word.
        if let Some(path) = settings::runtime_folder()?.filter(|path| path.exists()) {
            check_private(&path)?;
        }
        let mut found = Vec::new();
        for path in own_paths()?.into_iter().filter(|path| check_private(path).is_ok()) {
            for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let name = name.to_str().unwrap_or_default();
                if let Some(port) = name.strip_suffix(".json").and_then(|port| port.parse().ok()) {
                    if claim::is_held(&path, port) {
                        let record = claim::read(&entry.path());
                        found.push(Running::Server { port, record });
                    }
                } else if let Some(pid) = pid_in(name) {
                    if leftover::is_dead(pid) {
                        leftover::remove_socket(&entry.path());
                    } else {
                        found.push(Running::Process { pid, socket: entry.path() });
                    }
                }
            }
        }
        found.sort_by_key(|running| match running {
            Running::Server { port, .. } => (0, u32::from(*port), PathBuf::new()),
            Running::Process { pid, socket } => (1, *pid, socket.clone()),
        });
        found.dedup();
        Ok(found)
    }
}

/// The process whose socket this is.
fn pid_in(name: &str) -> Option<u32> {
    let (pid, number) = name.strip_suffix(".process")?.split_once('-')?;
    number.parse::<u64>().ok()?;
    pid.parse().ok()
}

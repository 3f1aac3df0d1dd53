//! A port that a server has taken in a runtime folder: its sockets, and the file that says who it
//! is. The server holds a lock on that file while it runs, so that a file left behind by one that
//! was killed is known for what it is, whatever became of its number.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use gt_core::{Error, Result};
use serde::{Deserialize, Serialize};

use super::Folder;

/// Whoever only looks holds the lock for a moment; nobody but a server holds it longer.
const GLANCE: Duration = Duration::from_millis(300);

/// What a server tells of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Its process.
    pub pid: u32,
    /// Where it listens for other hosts.
    pub address: Option<String>,
    /// The version of GT that it runs.
    pub version: String,
    /// When it was started, in seconds since 1970.
    pub started: u64,
}

/// The sockets of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sockets {
    /// Where clients and workers connect.
    pub control: PathBuf,
    /// Where those connect who only watch.
    pub monitor: PathBuf,
    /// Where tensor data passes that finds no other way.
    pub relay: PathBuf,
}

/// A port that is ours until this is dropped.
#[derive(Debug)]
pub struct Claim {
    file: File,
    path: PathBuf,
    port: u16,
}

impl Folder {
    /// The sockets of the server at a port.
    pub fn sockets(&self, port: u16) -> Result<Sockets> {
        Ok(Sockets {
            control: self.socket(&format!("{port}.ipc"))?,
            monitor: self.socket(&format!("{port}.watch"))?,
            relay: self.socket(&format!("{port}.relay"))?,
        })
    }

    /// What the server at a port tells of itself, if it does.
    pub fn record(&self, port: u16) -> Option<Record> {
        let text = fs::read(record_path(self.path(), port)).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Takes a port, if no server has it. What dead processes left behind is removed.
    pub fn claim(&self, port: u16) -> Result<Claim> {
        self.remove_leftovers();
        let path = record_path(self.path(), port);
        let wrong = |error: std::io::Error| {
            Error::runtime(format!("{} cannot be written: {error}", path.display()))
        };
        let deadline = Instant::now() + GLANCE;
        loop {
            let mode = if self.group().is_some() { 0o640 } else { 0o600 };
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .mode(mode)
                .custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC)
                .open(&path)
                .map_err(wrong)?;
            match file.try_lock() {
                // Whoever had it before may have removed it meanwhile; then this is no place at
                // all.
                Ok(()) if !is_at(&file, &path) => continue,
                Ok(()) => {
                    file.set_permissions(Permissions::from_mode(mode)).map_err(wrong)?;
                    fchown(&file, None, self.group()).map_err(wrong)?;
                    return Ok(Claim { file, path, port });
                }
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    thread::sleep(Duration::from_millis(5));
                }
                Err(TryLockError::WouldBlock) => return Err(self.taken(port)),
                Err(TryLockError::Error(error)) => return Err(wrong(error)),
            }
        }
    }

    fn taken(&self, port: u16) -> Error {
        let who = self.record(port).map_or(String::new(), |record| format!(" ({})", record.pid));
        Error::runtime(format!(
            "a server{who} listens at port {port} already; end it, or choose another port with -p"
        ))
    }

    /// Removes what processes that are gone have left here.
    fn remove_leftovers(&self) {
        for entry in fs::read_dir(self.path()).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let parts: Vec<&str> = name.to_str().unwrap_or_default().split('.').collect();
            match parts.as_slice() {
                [port, "json"] => self.remove_dead_server(port, &entry.path()),
                [_, pid, "data"] if is_dead(pid) => drop(fs::remove_file(entry.path())),
                _ => {}
            }
        }
    }

    fn remove_dead_server(&self, port: &str, record: &Path) {
        let Ok(file) = File::open(record) else { return };
        if file.try_lock().is_err() || !is_at(&file, record) {
            return;
        }
        for end in ["ipc", "watch", "relay", "json"] {
            let _ = fs::remove_file(self.path().join(format!("{port}.{end}")));
        }
    }
}

impl Claim {
    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Tells others who has the port.
    pub fn publish(&mut self, record: &Record) -> Result<()> {
        let text = serde_json::to_vec(record).map_err(Error::bug)?;
        let mut write = || {
            self.file.set_len(0)?;
            self.file.rewind()?;
            self.file.write_all(&text)?;
            self.file.write_all(b"\n")
        };
        write().map_err(|error| {
            Error::runtime(format!("{} cannot be written: {error}", self.path.display()))
        })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Nobody can have taken its place: the lock is still ours.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether a server has taken a port in the folder at a path.
pub(super) fn is_held(folder: &Path, port: u16) -> bool {
    let Ok(file) = File::open(record_path(folder, port)) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

fn record_path(folder: &Path, port: u16) -> PathBuf {
    folder.join(format!("{port}.json"))
}

fn is_at(file: &File, path: &Path) -> bool {
    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(there)) => identity(open) == identity(there),
        _ => false,
    }
}

pub(super) fn is_dead(pid: &str) -> bool {
    let Ok(pid) = pid.parse::<i32>() else { return false };
    // SAFETY: the signal 0 is not sent; the call only tells whether there is somebody to get it.
    let status = unsafe { libc::kill(pid, 0) };
    let code = std::io::Error::last_os_error().raw_os_error();
    pid > 0 && status != 0 && code == Some(libc::ESRCH)
}

//! A port that a server has taken in a runtime folder: its sockets, and its record, the file that
//! says which process it is. The server holds a lock on the record while it runs, so that the
//! record of a server that was killed is recognised even if its process id is in use again.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use gt_core::{Error, Result};
use serde::{Deserialize, Serialize};

use super::Folder;
use super::leftover::{self, Contents, Signature};

/// A process that looks for servers holds the lock for a moment; only a server holds it longer.
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

/// A record as it is written.
#[derive(Serialize)]
struct Published<'a> {
    format: &'static str,
    #[serde(flatten)]
    record: &'a Record,
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
        read(&record_path(self.path(), port))
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
                .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC)
                .open(&path)
                .map_err(wrong)?;
            match file.try_lock() {
                // The server that had the port may have removed its record since it was opened.
                Ok(()) if !is_at(&file, &path) => continue,
                Ok(()) if leftover::contents(&file) == Contents::Foreign => {
                    return Err(Error::runtime(format!(
                        "{} is in the way and is not the record of a server; move it, or choose \
                         another port with -p",
                        path.display()
                    )));
                }
                Ok(()) => {
                    file.set_permissions(Permissions::from_mode(mode)).map_err(wrong)?;
                    fchown(&file, None, self.group()).map_err(wrong)?;
                    let mut claim = Claim { file, path, port };
                    // There is no socket of a server without a record that says whose it is.
                    claim.write(&Signature::own())?;
                    return Ok(claim);
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
            let number = |text: &str| text.parse::<u32>().ok();
            match parts.as_slice() {
                [port, "json"] if is_port(port) => self.remove_dead_server(port, &entry.path()),
                [port, pid, "data"]
                    if is_port(port) && number(pid).is_some_and(leftover::is_dead) =>
                {
                    leftover::remove_socket(&entry.path());
                }
                _ => {}
            }
        }
    }

    fn remove_dead_server(&self, port: &str, record: &Path) {
        let Some(file) = leftover::open(record) else { return };
        if file.try_lock().is_err() || !is_at(&file, record) {
            return;
        }
        let Contents::Record { pid } = leftover::contents(&file) else { return };
        if !leftover::is_dead(pid) {
            return;
        }
        for end in ["ipc", "watch", "relay"] {
            leftover::remove_socket(&self.path().join(format!("{port}.{end}")));
        }
        let _ = fs::remove_file(record);
    }
}

impl Claim {
    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Tells others who has the port.
    pub fn publish(&mut self, record: &Record) -> Result<()> {
        self.write(&Published { format: leftover::FORMAT, record })
    }

    fn write(&mut self, record: &impl Serialize) -> Result<()> {
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
    let Some(file) = leftover::open(&record_path(folder, port)) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

/// The record in a file, if there is one.
pub(super) fn read(path: &Path) -> Option<Record> {
    serde_json::from_slice(&leftover::text(&leftover::open(path)?)?).ok()
}

/// Whether a name is a port as it is written in names of files.
fn is_port(name: &str) -> bool {
    name.parse::<u16>().is_ok_and(|port| port.to_string() == name)
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

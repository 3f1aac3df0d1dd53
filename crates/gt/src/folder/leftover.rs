//! Files that processes left behind when they were killed. A runtime folder may be one that the
//! user named and keeps other things in, so a file is removed only if it is provably GT's: by its
//! name, its type, its owner, its contents, and the death of the process that made it.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::user_number;

/// What a server's record begins with.
pub(super) const FORMAT: &str = "GT server record";
/// No record is longer. A longer file is not read.
const RECORD_BYTES: u64 = 1 << 12;

/// What marks a record as one of GT's.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Signature {
    format: String,
    /// The process that wrote it.
    pid: u32,
}

impl Signature {
    /// The signature of this process.
    pub(super) fn own() -> Signature {
        Signature { format: FORMAT.to_string(), pid: std::process::id() }
    }
}

/// What is at the place of a record.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Contents {
    /// Nothing yet: a server that was killed while it started may leave this.
    Empty,
    /// A record, written by this process.
    Record { pid: u32 },
    /// Something that is not GT's.
    Foreign,
}

/// Opens a file for reading without following a link or waiting for the other end of a pipe.
pub(super) fn open(path: &Path) -> Option<File> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC;
    OpenOptions::new().read(true).custom_flags(flags).open(path).ok()
}

/// The text of a record; none for a file that is too long to be one.
pub(super) fn text(file: &File) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    file.take(RECORD_BYTES + 1).read_to_end(&mut text).ok()?;
    (text.len() as u64 <= RECORD_BYTES).then_some(text)
}

/// What a file is that has the name of a record.
pub(super) fn contents(file: &File) -> Contents {
    let is_own = file.metadata().is_ok_and(|found| found.is_file() && is_own(&found));
    let Some(text) = is_own.then(|| text(file)).flatten() else { return Contents::Foreign };
    if text.is_empty() {
        return Contents::Empty;
    }
    match serde_json::from_slice::<Signature>(&text) {
        Ok(Signature { format, pid }) if format == FORMAT => Contents::Record { pid },
        _ => Contents::Foreign,
    }
}

/// Removes a socket of ours at which no process listens any more. Other files stay.
pub(super) fn remove_socket(path: &Path) {
    let Ok(found) = fs::symlink_metadata(path) else { return };
    if !found.file_type().is_socket() || !is_own(&found) {
        return;
    }
    let answer = UnixStream::connect(path);
    if answer.is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused) {
        // If it cannot be removed, the next server tries again.
        let _ = fs::remove_file(path);
    }
}

/// Whether a process is gone.
pub(super) fn is_dead(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid).ok().filter(|pid| *pid > 0) else { return false };
    // SAFETY: the signal 0 is not sent; the call only reports whether there is a process to get it.
    let status = unsafe { libc::kill(pid, 0) };
    let code = std::io::Error::last_os_error().raw_os_error();
    status != 0 && code == Some(libc::ESRCH)
}

fn is_own(found: &Metadata) -> bool {
    found.uid() == user_number()
}

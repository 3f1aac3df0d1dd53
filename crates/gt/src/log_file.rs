//! The instruction log in a file.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gt_core::event::Event;
use gt_core::event::EventSink;
use gt_core::{Error, Result};
use gt_tools::InstructionLog;

/// A log, and whether its reader was told that it cannot be written.
struct LogFile {
    log: InstructionLog<File>,
    path: PathBuf,
    has_complained: bool,
}

/// A log at the end of the file at `path`, which is made if it is not there. What others write
/// there meanwhile stays whole, and so does what was there.
pub fn create(path: &Path) -> Result<Box<dyn EventSink>> {
    let file = OpenOptions::new().append(true).create(true).open(path).map_err(|error| {
        let path = path.display();
        Error::value(format!("GT_INSTRUCTION_LOG: cannot write {path}: {error}"))
    })?;
    let (log, path) = (InstructionLog::new(file), path.to_path_buf());
    Ok(Box::new(LogFile { log, path, has_complained: false }))
}

impl LogFile {
    /// A full disk must not end the program whose log this is; but it is told, once.
    fn note(&mut self, written: io::Result<()>) {
        let Err(error) = written else { return };
        if !std::mem::replace(&mut self.has_complained, true) {
            let path = self.path.display();
            let _ = writeln!(
                io::stderr(),
                "GT_INSTRUCTION_LOG: {path} cannot be written, lines are missing: {error}"
            );
        }
    }
}

impl EventSink for LogFile {
    fn take(&mut self, event: &Event) {
        let written = self.log.write(std::iter::once(event));
        self.note(written);
    }

    fn flush(&mut self) {
        let written = self.log.flush();
        self.note(written);
    }
}

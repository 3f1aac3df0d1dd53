//! The instruction log in a file.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use gt_core::event::Event;
use gt_core::event::EventSink;
use gt_core::{Error, Result};
use gt_tools::InstructionLog;

struct LogFile(InstructionLog<BufWriter<File>>);

/// A log in the file at `path`, which is written anew.
pub fn create(path: &PathBuf) -> Result<Box<dyn EventSink>> {
    let file = File::create(path).map_err(|error| {
        let path = path.display();
        Error::value(format!("GT_INSTRUCTION_LOG: cannot write {path}: {error}"))
    })?;
    Ok(Box::new(LogFile(InstructionLog::new(BufWriter::new(file)))))
}

impl EventSink for LogFile {
    fn take(&mut self, event: &Event) {
        // A full disk must not end the program whose log this is.
        let _ = self.0.write(std::iter::once(event));
    }

    fn flush(&mut self) {
        let _ = self.0.flush();
    }
}

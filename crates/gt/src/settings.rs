//! The environment variables, read in one place when a session starts.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use gt_client::{EventSink, Options};
use gt_core::event::Event;
use gt_core::{Error, Result};
use gt_tools::InstructionLog;
use gt_worker::Window;

/// What the environment asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// `GT_INSTRUCTION_LOG`: where to write a line for each event.
    pub instruction_log: Option<PathBuf>,
    /// `GT_THREADS`: how many threads large kernels use; all cores if zero.
    pub threads: usize,
    /// `GT_WORKER_BATCH_SIZE`: how many commands go into one plan; automatic if zero.
    pub worker_batch_size: usize,
}

impl Settings {
    /// What the environment of this process asks for.
    pub fn from_environment() -> Result<Self> {
        let number = |name: &str| match std::env::var(name) {
            Ok(text) if !text.is_empty() => text
                .parse()
                .map_err(|_| Error::value(format!("{name} must be a whole number, not '{text}'"))),
            _ => Ok(0),
        };
        let log = std::env::var_os("GT_INSTRUCTION_LOG").filter(|path| !path.is_empty());
        Ok(Settings {
            instruction_log: log.map(PathBuf::from),
            threads: number("GT_THREADS")?,
            worker_batch_size: number("GT_WORKER_BATCH_SIZE")?,
        })
    }

    /// How to set up an embedded system with so many workers.
    pub fn embedded(&self, workers: usize) -> Result<Options> {
        let automatic = Window::default();
        let window = match self.worker_batch_size {
            0 => automatic,
            commands => Window { commands, ..automatic },
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if self.threads == 0 { cores } else { self.threads };
        let sink = match &self.instruction_log {
            Some(path) => Some(LogFile::create(path)?),
            None => None,
        };
        Ok(Options { workers, threads, memory: memory_limit(), window, sink })
    }
}

/// Most of the memory this process may use.
fn memory_limit() -> usize {
    // SAFETY: sysconf only reads a number.
    let (pages, size) =
        unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGE_SIZE)) };
    let total = usize::try_from(pages).unwrap_or(0) * usize::try_from(size).unwrap_or(0);
    if total == 0 { usize::MAX } else { total / 10 * 8 }
}

/// The instruction log in a file.
struct LogFile(InstructionLog<BufWriter<File>>);

impl LogFile {
    fn create(path: &PathBuf) -> Result<Box<dyn EventSink>> {
        let file = File::create(path).map_err(|error| {
            let path = path.display();
            Error::value(format!("GT_INSTRUCTION_LOG: cannot write {path}: {error}"))
        })?;
        Ok(Box::new(LogFile(InstructionLog::new(BufWriter::new(file)))))
    }
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

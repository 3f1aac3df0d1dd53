//! The instruction log in a file. A thread of its own writes it, so that nobody waits for a disk
//! unless the disk falls far behind.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use gt_core::event::{EventSink, Events};
use gt_core::{Error, Provenance, Result};
use gt_tools::InstructionLog;
use gt_transport::event_queue::EventQueue;
pub use gt_transport::event_queue::Overflow;
use gt_transport::priority::give_way;

/// What comes within this time is written together. Lines reach the file within 100 ms.
const GATHER: Duration = Duration::from_millis(40);
/// So many events may wait to be written; whoever brings more waits …
const MOST_WAITING: usize = 1 << 18;
/// … for so long, if it is the program itself: its log is complete, but nobody at a server waits
/// for the disk of another. A disk that hangs costs lines, which is said, but not the session.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// Where to write, and when to begin another file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPlace {
    /// The file.
    pub path: PathBuf,
    /// A file that is larger is renamed, with `.1` at its end, and another one is begun.
    pub most_bytes: Option<usize>,
}

/// A log that a thread writes.
struct LogFile {
    queue: Arc<EventQueue>,
}

/// A log at the end of a file, which is made if it is not there. What others write there meanwhile
/// stays whole, and so does what was there.
pub fn create(place: &LogPlace, overflow: Overflow) -> Result<Box<dyn EventSink>> {
    let wrong = |error: io::Error| {
        let path = place.path.display();
        Error::value(format!("GT_INSTRUCTION_LOG: cannot write {path}: {error}"))
    };
    let file = append(&place.path).map_err(wrong)?;
    let queue = Arc::new(EventQueue::with_room(MOST_WAITING, overflow));
    let mut writer = Writer {
        queue: queue.clone(),
        log: InstructionLog::new(file).with_places(place_name),
        place: place.clone(),
        has_complained: false,
        has_told_gap: false,
    };
    let thread = thread::Builder::new().name("gt-log".to_string());
    thread.spawn(move || writer.run()).map_err(wrong)?;
    Ok(Box::new(LogFile { queue }))
}

fn append(path: &Path) -> io::Result<File> {
    // It says what sessions compute, those of others at a server included.
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

/// The line of the user's program, if it is this process.
pub(crate) fn place_name(provenance: Provenance) -> Option<String> {
    let place = gt_client::provenance::place(provenance)?;
    Some(format!("{}:{}", place.file, place.line))
}

impl EventSink for LogFile {
    fn take(&mut self, events: &Arc<Events>) {
        self.queue.offer(events);
    }

    fn flush(&mut self) {
        self.queue.flush(PATIENCE);
    }
}

impl Drop for LogFile {
    fn drop(&mut self) {
        self.queue.close();
    }
}

/// The thread that writes.
struct Writer {
    queue: Arc<EventQueue>,
    log: InstructionLog<File>,
    place: LogPlace,
    has_complained: bool,
    has_told_gap: bool,
}

impl Writer {
    fn run(&mut self) {
        give_way();
        loop {
            let batch = self.queue.next_gathered(Duration::from_secs(3600), GATHER);
            if batch.is_empty() && self.queue.is_closed() {
                return;
            }
            for events in &batch {
                self.tell_gap(events.lost);
                let written = self.log.write(events).and_then(|()| self.rotate());
                self.note(written);
            }
            let lost = self.queue.take_lost();
            self.tell_gap(lost);
            if lost > 0 {
                let written = self.log.note(format_args!("{lost} events are missing here"));
                self.note(written);
            }
            let flushed = self.log.flush();
            self.note(flushed);
            self.queue.finish();
        }
    }

    /// Begins another file if this one is full. The one before the last is replaced.
    fn rotate(&mut self) -> io::Result<()> {
        let Some(most) = self.place.most_bytes else { return Ok(()) };
        self.log.flush()?;
        let file = self.log.out();
        if file.metadata()?.len() < most as u64 {
            return Ok(());
        }
        let mut older = self.place.path.clone().into_os_string();
        older.push(".1");
        fs::rename(&self.place.path, older)?;
        *self.log.out() = append(&self.place.path)?;
        Ok(())
    }

    /// Events were left out because there was no room for them: the log has a remark at each such
    /// place, and the user is told once.
    fn tell_gap(&mut self, lost: u64) {
        if lost > 0 && !std::mem::replace(&mut self.has_told_gap, true) {
            let path = self.place.path.display();
            let _ = writeln!(
                io::stderr(),
                "GT_INSTRUCTION_LOG: {path} is written too slowly, and {lost} events are missing; \
                 the log says where"
            );
        }
    }

    /// A full disk must not end the program whose log this is; but it is told, once.
    fn note(&mut self, written: io::Result<()>) {
        let Err(error) = written else { return };
        if !std::mem::replace(&mut self.has_complained, true) {
            let path = self.place.path.display();
            let _ = writeln!(
                io::stderr(),
                "GT_INSTRUCTION_LOG: {path} cannot be written, lines are missing: {error}"
            );
        }
    }
}

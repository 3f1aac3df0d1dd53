//! The instruction log in a file. A thread of its own writes it, so that nobody waits for a disk
//! unless the disk falls far behind.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use gt_core::event::{EventSink, Events};
use gt_core::{Error, Provenance, Result};
use gt_tools::InstructionLog;
use gt_transport::lock::{Condvar, Mutex};

/// Lines reach the file within this time.
const FLUSH: Duration = Duration::from_millis(40);
/// So many events may wait to be written; whoever brings more waits …
const MOST_WAITING: usize = 1 << 18;
/// … for so long, if it may. A disk that hangs costs lines, which is said, but not the session.
const PATIENCE: Duration = Duration::from_secs(5);

/// What becomes of events that a disk is too slow for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// Whoever brings them waits: the log of one program is complete.
    Waits,
    /// They are left out and counted: nobody at a server waits for the disk of another.
    IsCounted,
}

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
    queue: Arc<Queue>,
    overflow: Overflow,
}

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Arc<Events>>,
    /// How many events wait, with those that are being written.
    events: usize,
    /// How many could not wait.
    lost: u64,
    is_flushed: bool,
    is_closed: bool,
}

/// A log at the end of a file, which is made if it is not there. What others write there meanwhile
/// stays whole, and so does what was there.
pub fn create(place: &LogPlace, overflow: Overflow) -> Result<Box<dyn EventSink>> {
    let wrong = |error: io::Error| {
        let path = place.path.display();
        Error::value(format!("GT_INSTRUCTION_LOG: cannot write {path}: {error}"))
    };
    let file = append(&place.path).map_err(wrong)?;
    let queue = Arc::new(Queue::default());
    let mut writer = Writer {
        queue: queue.clone(),
        log: InstructionLog::new(file).with_places(place_name),
        place: place.clone(),
        has_complained: false,
    };
    let thread = thread::Builder::new().name("gt-log".to_string());
    thread.spawn(move || writer.run()).map_err(wrong)?;
    Ok(Box::new(LogFile { queue, overflow }))
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

/// The line of the user's program, if it is this process.
pub(crate) fn place_name(provenance: Provenance) -> Option<String> {
    let place = gt_client::provenance::place(provenance)?;
    Some(format!("{}:{}", place.file, place.line))
}

impl EventSink for LogFile {
    fn take(&mut self, events: &Arc<Events>) {
        let deadline = Instant::now() + PATIENCE;
        let mut state = self.queue.state.lock();
        while state.events >= MOST_WAITING {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || self.overflow == Overflow::IsCounted {
                state.lost += events.list.len() as u64;
                return;
            }
            state = self.queue.changed.wait_for(state, left);
        }
        state.events += events.list.len();
        state.is_flushed = false;
        state.waiting.push_back(events.clone());
        drop(state);
        self.queue.changed.notify_all();
    }

    fn flush(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        let mut state = self.queue.state.lock();
        while state.events > 0 || !state.is_flushed {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || state.is_closed {
                return;
            }
            self.queue.changed.notify_all();
            state = self.queue.changed.wait_for(state, left);
        }
    }
}

impl Drop for LogFile {
    fn drop(&mut self) {
        self.queue.state.lock().is_closed = true;
        self.queue.changed.notify_all();
    }
}

/// Lets the threads that compute go first: lines may be written when there is nothing else to do.
fn give_way() {
    // SAFETY: it changes how this thread is scheduled and nothing else; if that is refused, the
    // thread runs as others do.
    #[cfg(target_os = "linux")]
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, 10);
    }
}

/// The thread that writes.
struct Writer {
    queue: Arc<Queue>,
    log: InstructionLog<File>,
    place: LogPlace,
    has_complained: bool,
}

impl Writer {
    fn run(&mut self) {
        give_way();
        while let Some((batch, lost)) = self.next() {
            let count: usize = batch.iter().map(|events| events.list.len()).sum();
            for events in &batch {
                let written = self.log.write(events);
                self.note(written);
            }
            if lost > 0 {
                let written = self.log.note(format_args!("{lost} events are missing here"));
                self.note(written);
            }
            let flushed = self.log.flush();
            self.note(flushed);
            let rotated = self.rotate();
            self.note(rotated);
            let mut state = self.queue.state.lock();
            state.events -= count;
            state.is_flushed = state.waiting.is_empty();
            drop(state);
            self.queue.changed.notify_all();
        }
    }

    /// What waits, all at once; none when the log is closed.
    fn next(&self) -> Option<(VecDeque<Arc<Events>>, u64)> {
        let mut state = self.queue.state.lock();
        while state.waiting.is_empty() {
            if state.is_closed {
                return None;
            }
            state.is_flushed = true;
            self.queue.changed.notify_all();
            state = self.queue.changed.wait_for(state, Duration::from_secs(3600));
        }
        // What comes shortly after is written together with it.
        if !state.is_closed && state.events < MOST_WAITING / 2 {
            state = self.queue.changed.wait_for(state, FLUSH / 4);
        }
        Some((std::mem::take(&mut state.waiting), std::mem::take(&mut state.lost)))
    }

    /// Begins another file if this one is full. The one before the last is replaced.
    fn rotate(&mut self) -> io::Result<()> {
        let Some(most) = self.place.most_bytes else { return Ok(()) };
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

#[cfg(test)]
mod tests {
    use gt_core::SessionId;
    use gt_core::event::{Event, Station};

    use super::*;

    #[test]
    fn nobody_at_a_server_waits_for_its_disk() {
        // Nobody writes, as if the disk hung.
        let queue = Arc::new(Queue::default());
        let mut log = LogFile { queue: queue.clone(), overflow: Overflow::IsCounted };
        let some = |count: usize| {
            let event = Event::new(0, Station::Received, SessionId(1));
            Arc::new(Events { list: vec![event; count], ..Events::default() })
        };
        let start = Instant::now();
        log.take(&some(MOST_WAITING));
        log.take(&some(3));
        log.take(&some(4));
        assert!(start.elapsed() < PATIENCE);
        let state = queue.state.lock();
        assert_eq!((state.events, state.lost), (MOST_WAITING, 7));
    }
}

//! The monitor socket of an embedded system: whoever may enter the runtime folder can connect and
//! sees what happens. While nobody does, it is one thread that sleeps.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use gt_core::event::{Detail, Events};
use gt_transport::event_queue::{EventQueue, Overflow};
use gt_transport::priority::give_way;
use gt_transport::report::{Report, ValuesReport};
use gt_transport::{Message, framed};

/// How many may watch at a time.
const MOST_WATCHERS: usize = 8;
/// Events that wait for somebody who is slow; more are left out and counted.
const MOST_WAITING: usize = 1 << 18;
/// What comes within this time is sent together: waking costs more than sending.
const GATHER: Duration = Duration::from_millis(100);
/// How often somebody who watches is told how things are.
const REPORT: Duration = Duration::from_millis(500);
/// How long they may take to say what they want, and to take what they are sent.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a monitor shows.
pub(super) trait Monitored: Send + Sync + 'static {
    /// Whether it has ended.
    fn is_over(&self) -> bool;
    /// How things are.
    fn report(&self) -> Report;
    /// Where values are.
    fn values(&self) -> ValuesReport;
    /// Somebody watches from now on; gives who is there.
    fn watch(&self, watcher: &Arc<EventQueue>) -> Events;
    /// Somebody watches no more.
    fn look_away(&self);
}

/// A socket that is removed with this.
pub(super) struct Monitor {
    path: PathBuf,
}

impl Monitor {
    /// Begins to listen.
    pub(super) fn open(path: &Path, shown: Arc<dyn Monitored>) -> io::Result<Monitor> {
        // A file that is there is of a process that had our number before.
        let _ = fs::remove_file(path);
        let listener = UnixListener::bind(path)?;
        let monitor = Monitor { path: path.to_path_buf() };
        let thread = thread::Builder::new().name("gt-monitor".to_string());
        thread.spawn(move || listen(&listener, &shown))?;
        Ok(monitor)
    }

    /// Where it listens.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Ends the thread that listens, once what it shows is over.
    pub(super) fn close(&self) {
        let woken = UnixStream::connect(&self.path);
        let _ = fs::remove_file(&self.path);
        drop(woken);
    }
}

fn listen(listener: &UnixListener, shown: &Arc<dyn Monitored>) {
    let mut watchers: Vec<Arc<()>> = Vec::new();
    while let Ok((stream, _)) = listener.accept() {
        if shown.is_over() {
            return;
        }
        watchers.retain(|watcher| Arc::strong_count(watcher) > 1);
        if watchers.len() >= MOST_WATCHERS {
            continue;
        }
        let (shown, alive) = (shown.clone(), Arc::new(()));
        watchers.push(alive.clone());
        let thread = thread::Builder::new().name("gt-watcher".to_string());
        // Whoever cannot be served sees the connection close.
        let _ = thread.spawn(move || {
            give_way();
            let _ = attend(stream, &*shown);
            drop(alive);
        });
    }
}

/// Tells somebody how things are, once or again and again with everything that happens.
fn attend(mut stream: UnixStream, shown: &dyn Monitored) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let detail = match framed::read(&mut stream) {
        Ok(Message::Observe { detail, .. }) => detail,
        Ok(Message::StatusRequest) => {
            return framed::write(&mut stream, &Message::Report(Box::new(shown.report())));
        }
        Ok(Message::ValuesRequest) => {
            return framed::write(&mut stream, &Message::Values(Box::new(shown.values())));
        }
        _ => return Ok(()),
    };
    let watcher = EventQueue::with_room(MOST_WAITING, Overflow::IsCounted).in_detail(detail);
    let watcher = Arc::new(watcher);
    let introduction = shown.watch(&watcher);
    let shown_all = show(&mut stream, introduction, &watcher, shown);
    watcher.close();
    shown.look_away();
    shown_all
}

fn show(
    stream: &mut UnixStream,
    introduction: Events,
    watcher: &EventQueue,
    shown: &dyn Monitored,
) -> io::Result<()> {
    framed::write(stream, &Message::Events(Arc::new(introduction)))?;
    let mut next_report = Instant::now();
    while !shown.is_over() {
        if Instant::now() >= next_report {
            framed::write(stream, &Message::Report(Box::new(shown.report())))?;
            next_report = Instant::now() + REPORT;
        }
        let patience = next_report.saturating_duration_since(Instant::now());
        tell(stream, watcher.next_gathered(patience, GATHER), watcher.detail())?;
        watcher.finish();
    }
    // What happened last is shown too.
    tell(stream, watcher.next(Duration::ZERO), watcher.detail())
}

/// Sends events in the detail that somebody wants.
fn tell(stream: &mut UnixStream, lists: VecDeque<Arc<Events>>, detail: Detail) -> io::Result<()> {
    let lists = match detail {
        _ if lists.is_empty() => lists,
        Detail::Each => lists,
        Detail::Sums => VecDeque::from([Arc::new(Events::summed(lists.iter().map(|one| &**one)))]),
    };
    for events in lists {
        for piece in Arc::unwrap_or_clone(events).split() {
            framed::write(stream, &Message::Events(Arc::new(piece)))?;
        }
    }
    Ok(())
}

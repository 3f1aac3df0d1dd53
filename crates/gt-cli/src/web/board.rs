//! The board that requests are answered from, and the thread that keeps it up to date.

use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use gt_core::Result;
use gt_core::event::Detail;
use gt_tools::board::Board;
use gt_transport::lock::Mutex;

use super::Target;
use super::access::Access;
use crate::source::{Seen, Source};

/// How often rates change.
const TURN: Duration = Duration::from_millis(250);
/// How often it is asked where values are, while somebody looks.
const ASK_VALUES: Duration = Duration::from_secs(1);
/// Whoever has asked for nothing for so long does not look.
const LOOKS: Duration = Duration::from_secs(3);
/// A dispatcher that was not heard of for so long is not well.
const SILENCE: Duration = Duration::from_secs(5);
/// How long until a server is looked for again.
const RETRY: Duration = Duration::from_secs(1);

/// What the threads share.
pub struct Shared {
    /// Who may see the page.
    pub access: Access,
    /// What is shown.
    pub board: Mutex<Board>,
    heard: Mutex<Option<Instant>>,
    looked: Mutex<Option<Instant>>,
}

impl Shared {
    /// A board of something that was not seen yet.
    pub fn of(target: &Target, access: Access) -> Shared {
        let name = match target {
            Target::Server(address, _) => address.to_string(),
            Target::Session(_) => format!("process {}", std::process::id()),
        };
        let board = Mutex::new(Board::of(name));
        Shared { access, board, heard: Mutex::default(), looked: Mutex::default() }
    }

    /// Somebody looks at the page.
    pub fn look(&self) {
        *self.looked.lock() = Some(Instant::now());
    }

    /// Why the dispatcher is not well, if it is not.
    pub fn complaint(&self) -> Option<String> {
        match *self.heard.lock() {
            None => Some("the dispatcher has not been heard of yet".to_string()),
            Some(heard) if heard.elapsed() < SILENCE => None,
            Some(heard) => {
                let seconds = heard.elapsed().as_secs();
                Some(format!("the dispatcher has not been heard of for {seconds} s"))
            }
        }
    }

    fn is_looked_at(&self) -> bool {
        self.looked.lock().is_some_and(|looked| looked.elapsed() < LOOKS)
    }
}

/// Watches until it is told to end, or what it watches is over for good.
pub fn watch(target: &Target, shared: &Shared, ended: &Receiver<()>) {
    loop {
        let watched = open(target).and_then(|source| follow(source, shared, ended));
        let has_ended = watched.is_ok() || matches!(target, Target::Session(_));
        if has_ended || ended.recv_timeout(RETRY) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}

fn open(target: &Target) -> Result<Source> {
    match target {
        Target::Server(address, trust) => Source::of_server(address.clone(), trust, Detail::Each),
        Target::Session(socket) => Source::of_process(std::process::id(), socket, Detail::Each),
    }
}

/// Takes in what a dispatcher says; an error if it says no more.
fn follow(mut source: Source, shared: &Shared, ended: &Receiver<()>) -> Result<()> {
    let (mut turned, mut asked) = (Instant::now(), None::<Instant>);
    while ended.try_recv() == Err(TryRecvError::Empty) {
        if shared.is_looked_at() && asked.is_none_or(|asked| asked.elapsed() >= ASK_VALUES) {
            asked = Some(Instant::now());
            source.ask_values();
        }
        let seen = source.next(turned + TURN)?;
        if seen.is_some() {
            *shared.heard.lock() = Some(Instant::now());
        }
        let mut board = shared.board.lock();
        match seen {
            Some(Seen::Events(events)) => board.take_events(&events),
            Some(Seen::Report(report)) => board.take_report(&report),
            Some(Seen::Values(values)) => board.take_values(*values),
            None => {}
        }
        if turned.elapsed() >= TURN {
            board.turn(turned.elapsed().as_secs_f64());
            turned = Instant::now();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dispatcher_is_well_while_it_is_heard_of() {
        let access = Access::new(1, []);
        let shared = Shared::of(&Target::Session("nowhere".into()), access);
        assert!(shared.complaint().is_some_and(|words| words.ends_with("yet")));
        *shared.heard.lock() = Some(Instant::now());
        assert_eq!(shared.complaint(), None);
        *shared.heard.lock() = Instant::now().checked_sub(SILENCE + RETRY);
        assert!(shared.complaint().is_some_and(|words| words.ends_with("for 6 s")));
    }
}

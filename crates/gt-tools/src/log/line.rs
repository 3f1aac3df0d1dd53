//! An event as a line of the log.

use std::io::Write as _;

use gt_core::event::{Event, Outcome, Station};

use super::digits::{pad, push_number, push_pair, push_size};
use super::phrases::Words;

/// An event, and what is known of its command.
pub(super) struct Line<'a> {
    pub(super) event: &'a Event,
    pub(super) station: Station,
    pub(super) words: &'a Words,
    pub(super) beside: &'a [u8],
    pub(super) moment: &'a Moment,
    /// The signal around it, and its name if that is known.
    pub(super) signal: Option<Option<&'a str>>,
}

/// When events happened, in the words of lines. Those that are recorded together have one time.
#[derive(Debug, Default)]
pub(super) struct Moment {
    time_ns: Option<u64>,
    /// The beginning of the line.
    seconds: Vec<u8>,
    nanoseconds: Vec<u8>,
}

impl Moment {
    /// It is this time.
    pub(super) fn reach(&mut self, time_ns: u64) {
        if self.time_ns.replace(time_ns) == Some(time_ns) {
            return;
        }
        self.seconds.clear();
        // Milliseconds are cut, not rounded, so that a line never tells of a later second.
        push_number(&mut self.seconds, time_ns / 1_000_000_000, 0);
        self.seconds.push(b'.');
        push_number(&mut self.seconds, time_ns / 1_000_000 % 1000, 3);
        self.seconds.extend_from_slice(b"s | #");
        self.nanoseconds.clear();
        push_pair(&mut self.nanoseconds, " ns=", time_ns);
    }
}

impl Line<'_> {
    /// Appends the line and its end.
    pub(super) fn push_to(&self, out: &mut Vec<u8>) {
        let Event { number, bytes, .. } = *self.event;
        out.extend_from_slice(&self.moment.seconds);
        push_number(out, number, 4);
        out.extend_from_slice(b" | ");
        self.column(out, 12, |out| out.extend_from_slice(event_name(self.station).as_bytes()));
        self.column(out, 28, |out| self.source(out));
        self.column(out, 19, |out| {
            out.extend_from_slice(if self.is_at_worker() { "Worker" } else { "" }.as_bytes());
            out.extend_from_slice(self.words.name.as_bytes());
        });
        push_size(out, bytes, 10);
        out.extend_from_slice(b" |");
        if self.is_at_worker() {
            push_pair(out, " session=s", self.event.session);
        }
        out.extend_from_slice(&self.words.details);
        self.numbers(out);
        out.extend_from_slice(&self.words.place);
        self.remarks(out);
        out.extend_from_slice(&self.words.text);
        out.push(b'\n');
    }

    /// Appends what is written into a column of a width, and the end of the column.
    fn column(&self, out: &mut Vec<u8>, width: usize, write: impl FnOnce(&mut Vec<u8>)) {
        let from = out.len();
        write(out);
        pad(out, from, width);
        out.extend_from_slice(b" | ");
    }

    fn is_at_worker(&self) -> bool {
        matches!(self.station, Station::Sent | Station::Ended)
    }

    fn source(&self, out: &mut Vec<u8>) {
        match self.event.worker() {
            Some(worker) => push_pair(out, "WORKER w", u64::from(worker.0)),
            None => push_pair(out, "CLIENT s", self.event.session),
        }
    }

    /// Numbers, times and what came of it.
    fn numbers(&self, out: &mut Vec<u8>) {
        let Event { instruction, start_ns, duration_ns, .. } = *self.event;
        let Event { share, shares, fused, .. } = *self.event;
        if instruction > 0 {
            push_pair(out, " i=", instruction);
        }
        if shares > 0 {
            push_pair(out, " shard=", u64::from(share));
            push_pair(out, "/", u64::from(shares));
        }
        match self.signal {
            // Writing to memory does not fail.
            Some(Some(name)) => drop(write!(out, " signal={name:?}")),
            Some(None) => push_pair(out, " signal=scope", u64::from(self.event.scope)),
            None => {}
        }
        match self.event.outcome() {
            Outcome::Open => {}
            Outcome::Success => out.extend_from_slice(b" success=True"),
            Outcome::Failure => out.extend_from_slice(b" success=False"),
        }
        out.extend_from_slice(&self.moment.nanoseconds);
        if duration_ns > 0 {
            push_pair(out, " start_ns=", start_ns);
            push_pair(out, " took_ns=", duration_ns);
        }
        if fused > 1 {
            push_pair(out, " fused=", u64::from(fused));
        }
        if self.event.joined > 0 {
            push_pair(out, " commands=", self.event.commands());
        }
    }

    /// What went wrong, or who it is. Quoted, because a message may have several lines and the log
    /// has one for each event.
    fn remarks(&self, out: &mut Vec<u8>) {
        if self.beside.is_empty() {
            return;
        }
        let beside = || String::from_utf8_lossy(self.beside);
        // Writing to memory does not fail.
        if self.event.outcome() == Outcome::Failure {
            let _ = write!(out, " ERROR={:?}", beside());
        } else if !self.event.has_command() {
            let _ = write!(out, " name={:?}", beside());
        }
    }
}

fn event_name(station: Station) -> &'static str {
    match station {
        Station::Connected => "CONNECT",
        Station::Disconnected => "DISCONNECT",
        Station::Received => "RECV",
        Station::Sent => "WORKER_SEND",
        Station::Ended => "WORKER_RECV",
        Station::Answered => "SEND",
    }
}

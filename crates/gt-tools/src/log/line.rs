//! An event as a line of the log.

use std::fmt::{self, Display, Write as _};

use gt_core::event::{Event, Outcome, Station};
use gt_core::instruction::Command;
use gt_core::record::code;
use gt_core::{SessionId, ops};

use super::names::{Details, command_name, op_name, record_name};

/// An event, and what is known of its command.
pub(super) struct Line<'a> {
    pub(super) event: &'a Event,
    pub(super) station: Station,
    /// Absent if it is about a peer, or what stood beside its record is not there.
    pub(super) command: Option<&'a Command>,
    pub(super) beside: &'a [u8],
    /// The signal around it, and its name if that is known.
    pub(super) signal: Option<Option<&'a str>>,
    pub(super) place: Option<String>,
}

impl Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Event { time_ns, number, bytes, .. } = self.event;
        // Milliseconds are cut, not rounded, so that a line never tells of a later second.
        let (seconds, millis) = (time_ns / 1_000_000_000, time_ns / 1_000_000 % 1000);
        write!(f, "{seconds}.{millis:03}s | #{number:04} | {:<12} | ", event_name(self.station))?;
        write!(f, "{:<28} | {:<19} | {:>10} |", self.source(), self.name(), Size(*bytes))?;
        if self.is_at_worker() {
            write!(f, " session={}", SessionId(self.event.session))?;
        }
        self.parts(f)?;
        self.numbers(f)?;
        self.text(f)
    }
}

impl Line<'_> {
    fn is_at_worker(&self) -> bool {
        matches!(self.station, Station::Sent | Station::Ended)
    }

    fn source(&self) -> String {
        match self.event.worker() {
            Some(worker) => format!("WORKER {worker}"),
            None => format!("CLIENT {}", SessionId(self.event.session)),
        }
    }

    fn name(&self) -> String {
        if !self.event.has_command() {
            return String::new();
        }
        let name = match self.command {
            _ if self.event.record.op == code::UPLOAD => "CreateTensor",
            Some(command) => command_name(command),
            None => ops::by_code(self.event.record.op)
                .map_or_else(|| record_name(self.event.record.op), op_name),
        };
        format!("{}{name}", if self.is_at_worker() { "Worker" } else { "" })
    }

    /// What the command is made of.
    fn parts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.command, ops::by_code(self.event.record.op)) {
            (Some(command), _) => write!(f, "{}", Details(command)),
            (None, Some(op)) if self.event.has_command() => {
                write!(f, " op={} result={}", op.name, self.event.record.out)
            }
            _ => Ok(()),
        }
    }

    /// Numbers, times and what came of it.
    fn numbers(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Event { time_ns, instruction, start_ns, duration_ns, .. } = *self.event;
        let Event { share, shares, fused, .. } = *self.event;
        if instruction > 0 {
            write!(f, " i={instruction}")?;
        }
        if shares > 0 {
            write!(f, " shard={share}/{shares}")?;
        }
        match self.signal {
            Some(Some(name)) => write!(f, " signal={name:?}")?,
            Some(None) => write!(f, " signal=scope{}", self.event.scope)?,
            None => {}
        }
        match self.event.outcome() {
            Outcome::Open => {}
            Outcome::Success => f.write_str(" success=True")?,
            Outcome::Failure => f.write_str(" success=False")?,
        }
        write!(f, " ns={time_ns}")?;
        if duration_ns > 0 {
            write!(f, " start_ns={start_ns} took_ns={duration_ns}")?;
        }
        if fused > 1 {
            write!(f, " fused={fused}")?;
        }
        self.place.iter().try_for_each(|place| write!(f, " at={place:?}"))
    }

    /// What went wrong, who it is, or the command in its text form.
    fn text(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let beside = || String::from_utf8_lossy(self.beside);
        match self.command {
            // Quoted, because a message may have several lines and the log has one for each event.
            _ if self.event.outcome() == Outcome::Failure && !self.beside.is_empty() => {
                write!(f, " ERROR={:?}", beside())?;
            }
            None if !self.event.has_command() && !self.beside.is_empty() => {
                write!(f, " name={:?}", beside())?;
            }
            _ => {}
        }
        match self.command {
            Some(Command::Announce { out, meta, .. }) if self.event.record.op == code::UPLOAD => {
                write!(f, " {out} := upload {meta} ({} bytes)", meta.bytes())
            }
            Some(command) => write!(f, " {command}"),
            None => Ok(()),
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

/// A number of bytes as people write it.
pub fn size(bytes: u64) -> String {
    let mut text = String::new();
    // Writing to memory does not fail.
    let _ = write!(text, "{}", Size(bytes));
    text
}

/// A number of bytes for people: `117B`, `4.0KB`.
pub(super) struct Size(pub(super) u64);

impl Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = ["KB", "MB", "GB", "TB", "PB", "EB"];
        if self.0 < 1024 {
            return f.pad(&format!("{}B", self.0));
        }
        let mut value = self.0 as f64 / 1024.0;
        let mut unit = 0;
        // From here on, one digit after the point would round up to the next unit.
        while value >= 1023.95 && unit + 1 < units.len() {
            value /= 1024.0;
            unit += 1;
        }
        f.pad(&format!("{value:.1}{}", units[unit]))
    }
}

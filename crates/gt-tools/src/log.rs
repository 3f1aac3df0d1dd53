//! The instruction log: one line of text for each event.
//!
//! ```text
//! 1.608s | #0011 | RECV         | CLIENT s1                    | BinaryOp            |       117B
//! ```
//! and then, on the same line, `op=add result=2 left=0 right=1 i=3 ns=1608123456 t2 := add t0 t1`.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use gt_core::Provenance;
use gt_core::event::{Event, Events, Station};
use gt_core::instruction::Command;
use gt_transport::batch::logged;

use self::line::Line;

mod line;
mod names;

pub use line::size;
pub use names::record_name as command_of;

/// What is buffered before it is written.
const BUFFER: usize = 1 << 16;

/// Finds the text of a place in the user's program.
pub type Places = fn(Provenance) -> Option<String>;

/// Writes events as lines. It buffers; call [`InstructionLog::flush`] when readers should see them.
pub struct InstructionLog<W: Write> {
    out: W,
    buffer: String,
    /// What the signals of sessions are called.
    signals: HashMap<(u64, u32), Box<str>>,
    places: Option<Places>,
    lines: u64,
    bytes: u64,
}

impl<W: Write> InstructionLog<W> {
    /// A log that goes to `out`.
    pub fn new(out: W) -> Self {
        let (buffer, signals) = (String::with_capacity(2 * BUFFER), HashMap::new());
        InstructionLog { out, buffer, signals, places: None, lines: 0, bytes: 0 }
    }

    /// The same, with the lines of the user's program.
    pub fn with_places(self, places: Places) -> Self {
        InstructionLog { places: Some(places), ..self }
    }

    /// How many lines it has.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// How many bytes were appended.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What it goes to.
    pub fn out(&mut self) -> &mut W {
        &mut self.out
    }

    /// Appends a line for each event, and one that says how many are missing if some are.
    pub fn write(&mut self, events: &Events) -> io::Result<()> {
        if events.lost > 0 {
            self.note(format_args!("{} events are missing here", events.lost))?;
        }
        for (event, beside) in events.iter() {
            self.line(event, beside);
            if self.buffer.len() >= BUFFER {
                self.hand_on()?;
            }
        }
        Ok(())
    }

    /// Appends a remark, which no event has.
    pub fn note(&mut self, text: std::fmt::Arguments) -> io::Result<()> {
        writeln!(self.buffer, "# {text}").map_err(io::Error::other)?;
        self.hand_on()
    }

    /// Hands on what was buffered.
    pub fn flush(&mut self) -> io::Result<()> {
        self.hand_on()?;
        self.out.flush()
    }

    fn hand_on(&mut self) -> io::Result<()> {
        self.bytes += self.buffer.len() as u64;
        let written = self.out.write_all(self.buffer.as_bytes());
        self.buffer.clear();
        written
    }

    fn line(&mut self, event: &Event, beside: &[u8]) {
        let Some(station) = event.station() else { return };
        let has_failed = event.outcome() == gt_core::event::Outcome::Failure;
        let command = match event.has_command() {
            true => logged(&event.record, if has_failed { &[] } else { beside }).ok(),
            false => None,
        };
        if let (Station::Received, Some(Command::DefineScope { scope, name, .. })) =
            (station, &command)
        {
            self.signals.insert((event.session, scope.0), name.clone());
        }
        let signal = match event.scope {
            0 => None,
            scope => Some(self.signals.get(&(event.session, scope)).map(|name| &**name)),
        };
        let place = self.places.and_then(|places| place(event, command.as_ref(), places));
        let line = Line { event, station, command: command.as_ref(), beside, signal, place };
        self.lines += 1;
        // Writing to memory does not fail.
        let _ = writeln!(self.buffer, "{line}");
    }
}

/// The line of the user's program that a command came from.
fn place(event: &Event, command: Option<&Command>, places: Places) -> Option<String> {
    let has_place = matches!(
        command,
        Some(Command::Apply(_) | Command::Upload { .. } | Command::Announce { .. })
    );
    places(Provenance(event.record.provenance)).filter(|_| has_place)
}

#[cfg(test)]
mod tests;

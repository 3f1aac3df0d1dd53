//! The instruction log: one line of text for each event.
//!
//! ```text
//! 1.608s | #0011 | RECV         | CLIENT s1                    | BinaryOp            |       117B
//! ```
//! and then, on the same line, `op=add result=2 left=0 right=1 i=3 ns=1608123456 t2 := add t0 t1`.

use std::collections::HashMap;
use std::io::{self, Write};

use gt_core::Provenance;
use gt_core::event::{Event, Events, Station};
use gt_core::instruction::Command;
use gt_core::record::code;
use gt_transport::batch::logged;

use self::line::{Line, Moment};
use self::phrases::Phrases;

mod digits;
mod line;
mod names;
mod phrases;

pub use digits::size;
pub use names::record_name as command_of;

/// What is buffered before it is written.
const BUFFER: usize = 1 << 16;

/// Finds the text of a place in the user's program.
pub type Places = fn(Provenance) -> Option<String>;

/// Writes events as lines. It buffers; call [`InstructionLog::flush`] when readers should see them.
pub struct InstructionLog<W: Write> {
    out: W,
    buffer: Vec<u8>,
    /// What the signals of sessions are called.
    signals: HashMap<(u64, u32), Box<str>>,
    phrases: Phrases,
    moment: Moment,
    lines: u64,
    /// Of these, how many were handed on or given up.
    settled: u64,
    /// Lines that could not be written since the last that could.
    missing: u64,
    bytes: u64,
}

impl<W: Write> InstructionLog<W> {
    /// A log that goes to `out`.
    pub fn new(out: W) -> Self {
        let (buffer, signals) = (Vec::with_capacity(2 * BUFFER), HashMap::new());
        let phrases = Phrases::default();
        let moment = Moment::default();
        let (lines, settled, missing, bytes) = (0, 0, 0, 0);
        InstructionLog { out, buffer, signals, phrases, moment, lines, settled, missing, bytes }
    }

    /// The same, with the lines of the user's program.
    pub fn with_places(self, places: Places) -> Self {
        InstructionLog { phrases: Phrases::with_places(places), ..self }
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
        writeln!(self.buffer, "# {text}")?;
        self.hand_on()
    }

    /// Hands on what was buffered.
    pub fn flush(&mut self) -> io::Result<()> {
        self.hand_on()?;
        self.out.flush()
    }

    /// What cannot be written is given up, and the next lines that can be follow a remark on how
    /// many are missing.
    fn hand_on(&mut self) -> io::Result<()> {
        if self.missing > 0 {
            // Part of a line may have been written.
            let gap = format!("\n# {} events are missing here\n", self.missing);
            self.buffer.splice(0..0, gap.into_bytes());
        }
        self.bytes += self.buffer.len() as u64;
        let written = self.out.write_all(&self.buffer);
        let lines = self.lines - std::mem::replace(&mut self.settled, self.lines);
        self.missing = if written.is_ok() { 0 } else { self.missing + lines };
        self.buffer.clear();
        written
    }

    fn line(&mut self, event: &Event, beside: &[u8]) {
        let Some(station) = event.station() else { return };
        if station == Station::Received
            && event.record.op == code::DEFINE_SCOPE
            && let Ok(Command::DefineScope { scope, name, .. }) = logged(&event.record, beside)
        {
            self.signals.insert((event.session, scope.0), name);
        }
        let signal = match event.scope {
            0 => None,
            scope => Some(self.signals.get(&(event.session, scope)).map(|name| &**name)),
        };
        self.lines += 1;
        let words = self.phrases.of(event, beside);
        self.moment.reach(event.time_ns);
        let moment = &self.moment;
        Line { event, station, words, beside, moment, signal }.push_to(&mut self.buffer);
    }
}

#[cfg(test)]
mod tests;

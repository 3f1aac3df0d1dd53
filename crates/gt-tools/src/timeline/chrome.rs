//! The timeline in the trace format of Chrome, which Perfetto and others read.

use std::io::{self, Write};

use serde_json::json;

use super::entry::Event;
use super::model::{Mark, Model, Span, Transfer};

/// The "processes" of the trace.
const CLIENTS: u32 = 1;
const DISPATCHER: u32 = 2;
const WORKERS: u32 = 3;

/// Writes the model as one JSON object.
pub fn write_chrome(model: &Model, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
    let mut events = Events { out, is_first: true };
    for (pid, name) in [(CLIENTS, "clients"), (DISPATCHER, "dispatcher"), (WORKERS, "workers")] {
        events.name("process_name", pid, 0, name)?;
    }
    for (index, name) in model.clients.iter().enumerate() {
        events.name("thread_name", CLIENTS, index + 1, &format!("client {name}"))?;
    }
    events.name("thread_name", DISPATCHER, 1, "dispatcher")?;
    for (index, name) in model.workers.iter().enumerate() {
        events.name("thread_name", WORKERS, index + 1, &format!("worker {name}"))?;
    }
    model.spans.iter().try_for_each(|span| events.span(model, span))?;
    model.marks.iter().try_for_each(|mark| events.mark(mark))?;
    for (number, transfer) in model.transfers.iter().enumerate() {
        events.transfer(number, transfer)?;
    }
    out.write_all(b"\n]}\n")
}

struct Events<'a, W: Write> {
    out: &'a mut W,
    is_first: bool,
}

/// Microseconds, as the format wants them.
fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}

impl<W: Write> Events<'_, W> {
    fn put(&mut self, event: &serde_json::Value) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_first, false) {
            self.out.write_all(b",\n")?;
        }
        serde_json::to_writer(&mut *self.out, event).map_err(io::Error::other)
    }

    fn name(&mut self, what: &str, pid: u32, tid: usize, name: &str) -> io::Result<()> {
        self.put(&json!({"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": name}}))
    }

    fn span(&mut self, model: &Model, span: &Span) -> io::Result<()> {
        self.put(&json!({
            "ph": "X",
            "name": model.labels[span.label as usize],
            "cat": span.kind.name(),
            "pid": WORKERS,
            "tid": span.lane + 1,
            "ts": us(span.start_ns),
            "dur": us(span.end_ns - span.start_ns),
            "args": {
                "instruction": span.instruction,
                "bytes": span.bytes,
                "success": !span.has_failed,
            },
        }))
    }

    fn mark(&mut self, mark: &Mark) -> io::Result<()> {
        let Mark { time_ns, bytes, instruction, lane, event, kind } = *mark;
        let (pid, tid) = match event {
            Event::Recv | Event::Send => (CLIENTS, lane + 1),
            Event::WorkerSend | Event::WorkerRecv => (DISPATCHER, 1),
            Event::Connect | Event::Disconnect => return Ok(()),
        };
        self.put(&json!({
            "ph": "i",
            "s": "t",
            "name": event.name(),
            "cat": kind.name(),
            "pid": pid,
            "tid": tid,
            "ts": us(time_ns),
            "args": {"instruction": instruction, "bytes": bytes},
        }))
    }

    fn transfer(&mut self, number: usize, transfer: &Transfer) -> io::Result<()> {
        let Transfer { start_ns, end_ns, lanes, .. } = *transfer;
        for (phase, time_ns, lane) in [("s", start_ns, lanes.0), ("f", end_ns, lanes.1)] {
            self.put(&json!({
                "ph": phase,
                "bp": "e",
                "name": "transfer",
                "cat": "transfer",
                "id": number,
                "pid": WORKERS,
                "tid": lane + 1,
                "ts": us(time_ns),
            }))?;
        }
        Ok(())
    }
}

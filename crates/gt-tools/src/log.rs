//! The instruction log: one line of text for each event.
//!
//! ```text
//! 1.608s | #0011 | RECV         | CLIENT s1                    | BinaryOp            |       117B
//! ```
//! and then, on the same line, `op=add result=2 left=0 right=1 t2 := add t0 t1`.

use std::fmt::{self, Display, Write as _};
use std::io::{self, BufWriter, Write};

use gt_core::attrs::AttrKind;
use gt_core::event::{Event, Station};
use gt_core::instruction::{Command, Instruction, Operand};
use gt_core::op::{Op, Role};
use gt_core::slot::Slot;

/// Writes events as lines. It buffers; call [`InstructionLog::flush`] when readers should see them.
#[derive(Debug)]
pub struct InstructionLog<W: Write> {
    out: BufWriter<W>,
}

impl<W: Write> InstructionLog<W> {
    /// A log that goes to `out`.
    pub fn new(out: W) -> Self {
        InstructionLog { out: BufWriter::with_capacity(1 << 16, out) }
    }

    /// Appends a line for each event.
    pub fn write<'a>(&mut self, events: impl Iterator<Item = &'a Event>) -> io::Result<()> {
        for event in events {
            writeln!(self.out, "{}", Line(event))?;
        }
        Ok(())
    }

    /// Hands on what was buffered.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// An event as a line of the log.
struct Line<'a>(&'a Event);

impl Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Event { time_ns, number, station, session, worker, bytes, command, error } = self.0;
        let at_worker = matches!(station, Station::Sent | Station::Ended);
        let source = match worker {
            Some(worker) if at_worker || is_about_peer(*station) => format!("WORKER {worker}"),
            _ => format!("CLIENT {session}"),
        };
        let prefix = if at_worker { "Worker" } else { "" };
        let name = command.as_ref().map_or("", command_name);
        // Milliseconds are cut, not rounded, so that a line never tells of a later second.
        let (seconds, millis) = (time_ns / 1_000_000_000, time_ns / 1_000_000 % 1000);
        let mut line = String::new();
        write!(line, "{seconds}.{millis:03}s | #{number:04} | {:<12} | ", event_name(*station))?;
        write!(line, "{source:<28} | {:<19} | {:>10} |", format!("{prefix}{name}"), Size(*bytes))?;
        if at_worker {
            write!(line, " session={session}")?;
        }
        if let Some(command) = command {
            write!(line, "{}", Details(command))?;
        }
        if let Some(error) = error {
            // Quoted, because a message may have several lines and the log has one for each event.
            write!(line, " ERROR={error:?}")?;
        }
        if let Some(command) = command {
            write!(line, " {command}")?;
        }
        f.write_str(&line)
    }
}

fn is_about_peer(station: Station) -> bool {
    matches!(station, Station::Connected | Station::Disconnected)
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

/// The word by which people search the log for commands of one sort.
fn command_name(command: &Command) -> &'static str {
    match command {
        Command::Apply(instruction) => op_name(instruction.op),
        Command::Free(_) => "FreeTensor",
        Command::Upload { .. } | Command::Announce { .. } => "CreateTensor",
        Command::Read { .. } => "GetData",
        Command::Describe { .. } => "GetShape",
        Command::Ask { .. } => "Ask",
        Command::DefineScope { .. } => "DefineSignal",
        Command::Scope(_) => "EnterSignal",
        Command::Send { .. } => "SendTensor",
        Command::Receive { .. } => "ReceiveTensor",
        Command::DefineSignature { .. } => "DefineSignature",
        Command::Signature(_) => "Signature",
        Command::Move(_) => "MoveTensor",
        Command::Sync { .. } => "Synchronize",
        Command::Report { .. } => "Report",
        Command::Vote { .. } => "Vote",
        Command::Settle { .. } => "Settle",
        Command::Wait { .. } => "Wait",
    }
}

/// Shapes are not known here, so a row cannot be asked for its kernel; what it takes says as much.
fn op_name(op: &Op) -> &'static str {
    let takes = |kind: AttrKind| op.attrs.iter().any(|spec| spec.kind == kind);
    let moves = op.inputs.len() == 1 && op.inputs[0].role == Role::Any;
    match op.inputs.len() {
        _ if op.variadic => "ConcatOp",
        0 => "CreateTensor",
        _ if takes(AttrKind::Ranges) => "SliceOp",
        1 if moves && (takes(AttrKind::Sizes) || takes(AttrKind::Axes)) => "ReshapeOp",
        1 => "UnaryOp",
        2 => "BinaryOp",
        _ => "TernaryOp",
    }
}

/// The parts of a command as `key=value`, each with a space in front.
struct Details<'a>(&'a Command);

impl Display for Details<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Command::Apply(instruction) => instruction_details(f, instruction),
            Command::Free(slots) => write!(f, " tensor_id={}", Ids(slots)),
            Command::Upload { out, .. }
            | Command::Announce { out, .. }
            | Command::Receive { out, .. } => write!(f, " result={}", out.0),
            Command::Read { slot, .. }
            | Command::Describe { slot, .. }
            | Command::Send { slot, .. } => write!(f, " tensor_id={}", slot.0),
            Command::Move(moved) => {
                write!(f, " result={} tensor_id={}", moved.out.0, moved.slot.0)
            }
            Command::Ask { .. }
            | Command::DefineScope { .. }
            | Command::Scope(_)
            | Command::DefineSignature { .. }
            | Command::Signature(_)
            | Command::Sync { .. }
            | Command::Report { .. }
            | Command::Vote { .. }
            | Command::Settle { .. }
            | Command::Wait { .. } => Ok(()),
        }
    }
}

fn instruction_details(f: &mut fmt::Formatter<'_>, instruction: &Instruction) -> fmt::Result {
    write!(f, " op={} result={}", instruction.op.name, Ids(&instruction.outputs))?;
    match instruction.inputs.as_slice() {
        [input] => write!(f, " tensor_id={}", Id(input)),
        [left, right] => write!(f, " left={} right={}", Id(left), Id(right)),
        _ => Ok(()),
    }
}

/// The number of a value, or the number itself.
struct Id<'a>(&'a Operand);

impl Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Operand::Slot(slot) => write!(f, "{}", slot.0),
            Operand::Scalar(scalar) => write!(f, "{scalar}"),
        }
    }
}

/// The numbers of values: `1,2`.
struct Ids<'a>(&'a [Slot]);

impl Display for Ids<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, slot) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            write!(f, "{separator}{}", slot.0)?;
        }
        Ok(())
    }
}

/// A number of bytes for people: `117B`, `4.0KB`.
struct Size(u64);

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

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use gt_core::placement::Wish;
    use gt_core::text::parse_instruction;
    use gt_core::{DType, Meta, Provenance, RequestId, ScopeId, SessionId, WorkerId, ops};

    fn apply(line: &str) -> Option<Command> {
        Some(Command::Apply(parse_instruction(line).unwrap()))
    }

    fn event(station: Station, worker: Option<u32>, command: Option<Command>) -> Event {
        Event {
            time_ns: 1_608_999_999,
            number: 11,
            station,
            session: SessionId(1),
            worker: worker.map(WorkerId),
            bytes: 117,
            command,
            error: None,
        }
    }

    fn lines(events: &[Event]) -> String {
        let mut text = Vec::new();
        let mut log = InstructionLog::new(&mut text);
        log.write(events.iter()).unwrap();
        log.flush().unwrap();
        drop(log);
        String::from_utf8(text).unwrap()
    }

    /// Everything from the name of the command on.
    fn what(command: Command) -> String {
        let line = lines(&[event(Station::Received, None, Some(command))]);
        let (_, what) = line.split_once("CLIENT s1                    | ").unwrap();
        what.replacen(" |       117B |", " |", 1).trim_end().to_string()
    }

    #[test]
    fn a_command_is_followed_from_the_client_to_a_worker_and_back() {
        let add = || apply("t2 := add t0 t1");
        let read = Command::Read { slot: Slot(2), request: RequestId(7) };
        let failed = Event {
            error: Some("out of memory:\n4 GB".into()),
            ..event(Station::Ended, Some(0), apply("t3 := exp t2"))
        };
        let events = [
            Event { time_ns: 0, number: 0, bytes: 0, ..event(Station::Connected, Some(0), None) },
            Event { time_ns: 0, number: 1, bytes: 0, ..event(Station::Connected, None, None) },
            event(Station::Received, None, add()),
            event(Station::Sent, Some(0), add()),
            Event { bytes: 4096, ..event(Station::Ended, Some(0), add()) },
            Event { number: 12345, ..event(Station::Answered, Some(0), Some(read)) },
            failed,
            event(Station::Disconnected, None, None),
        ];
        let expected = "\
0.000s | #0000 | CONNECT      | WORKER w0                    |                     |         0B |
0.000s | #0001 | CONNECT      | CLIENT s1                    |                     |         0B |
1.608s | #0011 | RECV         | CLIENT s1                    | BinaryOp            |       117B | \
op=add result=2 left=0 right=1 t2 := add t0 t1
1.608s | #0011 | WORKER_SEND  | WORKER w0                    | WorkerBinaryOp      |       117B | \
session=s1 op=add result=2 left=0 right=1 t2 := add t0 t1
1.608s | #0011 | WORKER_RECV  | WORKER w0                    | WorkerBinaryOp      |      4.0KB | \
session=s1 op=add result=2 left=0 right=1 t2 := add t0 t1
1.608s | #12345 | SEND         | CLIENT s1                    | GetData             |       117B | \
tensor_id=2 read t2 as r7
1.608s | #0011 | WORKER_RECV  | WORKER w0                    | WorkerUnaryOp       |       117B | \
session=s1 op=exp result=3 tensor_id=2 ERROR=\"out of memory:\\n4 GB\" t3 := exp t2
1.608s | #0011 | DISCONNECT   | CLIENT s1                    |                     |       117B |
";
        assert_eq!(lines(&events), expected);
    }

    #[test]
    fn commands_have_the_names_people_search_for() {
        let apply = |line: &str| what(Command::Apply(parse_instruction(line).unwrap()));
        let cases = [
            (
                apply("t0 := zeros shape=[2] dtype=float32"),
                "CreateTensor        | op=zeros result=0 t0 := zeros shape=[2] dtype=float32",
            ),
            (
                apply("t2 := matmul t0 t1"),
                "BinaryOp            | op=matmul result=2 left=0 right=1 t2 := matmul t0 t1",
            ),
            (
                apply("t2 := sub 1.5 t1"),
                "BinaryOp            | op=sub result=2 left=1.5 right=1 t2 := sub 1.5 t1",
            ),
            (
                apply("t2 := sum t0 dim=[1]"),
                "UnaryOp             | op=sum result=2 tensor_id=0 t2 := sum t0 dim=[1]",
            ),
            (
                apply("t2, t3 := topk t0 k=2"),
                "UnaryOp             | op=topk result=2,3 tensor_id=0 t2, t3 := topk t0 k=2",
            ),
            (
                apply("t2 := where t0 t1 0.5"),
                "TernaryOp           | op=where result=2 t2 := where t0 t1 0.5",
            ),
        ];
        for (line, expected) in cases {
            assert_eq!(line, expected);
        }
    }

    #[test]
    fn rows_that_only_move_elements_are_told_apart() {
        let name = |name: &str| op_name(ops::by_name(name).unwrap());
        assert_eq!(["reshape", "permute", "expand"].map(name), ["ReshapeOp"; 3]);
        assert_eq!(["slice", "slice_write"].map(name), ["SliceOp"; 2]);
        assert_eq!(["cast", "nonzero", "softmax", "mean"].map(name), ["UnaryOp"; 4]);
        assert_eq!(["gather", "conv2d", "eq"].map(name), ["BinaryOp"; 3]);
        assert_eq!(["full", "arange", "randn"].map(name), ["CreateTensor"; 3]);
        assert_eq!(name("cat"), "ConcatOp");
    }

    #[test]
    fn commands_that_compute_nothing_have_names_too() {
        let (slot, request, scope) = (Slot(3), RequestId(4), ScopeId(1));
        let upload = Command::Upload {
            out: slot,
            meta: Meta::new(DType::U8, [2]),
            data: Bytes::from_static(&[1, 2]),
            provenance: Provenance::UNKNOWN,
        };
        let cases = [
            (upload, "CreateTensor        | result=3 t3 := upload uint8[2] (2 bytes)"),
            (
                Command::Free([1, 2].map(Slot).as_slice().into()),
                "FreeTensor          | tensor_id=1,2 free t1 t2",
            ),
            (
                Command::Describe { slot, request },
                "GetShape            | tensor_id=3 describe t3 as r4",
            ),
            (
                Command::DefineScope {
                    scope,
                    parent: ScopeId::ROOT,
                    name: "a\nb".into(),
                    wish: Some(Wish::replicated([0, 2])),
                },
                "DefineSignal        | scope1 := \"a\\nb\" in scope0 replicated 0 2",
            ),
            (Command::Scope(scope), "EnterSignal         | in scope1"),
            (
                Command::Send { slot, to: WorkerId(1), tag: 9 },
                "SendTensor          | tensor_id=3 send t3 to w1 as #9",
            ),
            (
                Command::Receive { out: slot, tag: 9, provenance: Provenance::UNKNOWN },
                "ReceiveTensor       | result=3 t3 := receive #9",
            ),
            (Command::Sync { request }, "Synchronize         | sync as r4"),
            (Command::Wait { barrier: 9 }, "Wait                | wait #9"),
        ];
        for (command, expected) in cases {
            assert_eq!(what(command), expected);
        }
    }

    #[test]
    fn names_of_commands_fit_their_column() {
        for op in ops::ALL {
            let name = format!("Worker{}", op_name(op));
            assert!(name.len() <= 19, "{name}");
        }
    }

    #[test]
    fn sizes_are_for_people() {
        let sizes = [0, 1023, 1024, 1_048_523, 1_048_575, 3 << 30, u64::MAX];
        let expected = ["0B", "1023B", "1.0KB", "1023.9KB", "1.0MB", "3.0GB", "16.0EB"];
        assert_eq!(sizes.map(|size| Size(size).to_string()), expected);
    }
}

//! Lines of the log, word by word.

use bytes::Bytes;
use gt_core::event::{Event, Events, Outcome, Station};
use gt_core::instruction::Command;
use gt_core::placement::Wish;
use gt_core::slot::Slot;
use gt_core::text::parse_instruction;
use gt_core::{DType, Meta, Provenance, RequestId, ScopeId, SessionId, WorkerId, ops};
use gt_transport::Batch;

use super::names::op_name;
use super::*;

fn apply(line: &str) -> Command {
    Command::Apply(parse_instruction(line).expect("an instruction"))
}

fn event(station: Station, worker: Option<u32>) -> Event {
    let event = Event::new(1_608_999_999, station, SessionId(1));
    let event = Event { number: 11, bytes: 117, ..event };
    worker.map_or(event, |worker| event.at(WorkerId(worker)))
}

/// An event about a command, as the dispatcher records it.
fn about(events: &mut Events, event: Event, command: &Command) {
    let mut batch = Batch::default();
    batch.push(command);
    let error = event.outcome() == Outcome::Failure;
    let beside = if error { &b"out of memory:\n4 GB"[..] } else { batch.beside(0).0 };
    events.push(event.about(3, batch.records[0]), beside);
}

/// A disk that is full for some writes.
#[derive(Default)]
struct Disk {
    written: Vec<u8>,
    /// Bytes that there is room for.
    room: usize,
}

impl Write for Disk {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let count = data.len().min(self.room);
        if count == 0 && !data.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.room -= count;
        self.written.extend_from_slice(&data[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_log_says_where_lines_could_not_be_written() {
    let mut events = Events::default();
    events.push(event(Station::Connected, Some(0)), b"left");
    let mut log = InstructionLog::new(Disk { room: 1 << 20, ..Disk::default() });
    let append = |log: &mut InstructionLog<Disk>| log.write(&events).and_then(|()| log.flush());
    append(&mut log).expect("there is room");
    let line = log.out().written.len();
    log.out().room = line + line / 2;
    append(&mut log).expect("there is room");
    append(&mut log).expect_err("half of the line fits");
    append(&mut log).expect_err("nothing fits");
    log.out().room = 1 << 20;
    append(&mut log).expect("there is room again");
    let text = String::from_utf8(std::mem::take(&mut log.out().written)).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    let [first, second, torn, gap, last] = lines[..] else { panic!("{text}") };
    assert_eq!((first, last, gap), (second, second, "# 2 events are missing here"));
    assert!(first.starts_with(torn) && torn.len() < first.len(), "{text}");
}

fn lines(events: &Events) -> String {
    let mut text = Vec::new();
    let mut log = InstructionLog::new(&mut text);
    log.write(events).expect("memory takes it");
    log.flush().expect("memory takes it");
    drop(log);
    String::from_utf8(text).expect("text")
}

/// Everything from the name of the command on, without what all lines have.
fn what(command: &Command) -> String {
    let mut events = Events::default();
    about(&mut events, event(Station::Received, None), command);
    let line = lines(&events);
    let (_, what) = line.split_once("CLIENT s1                    | ").expect("a line");
    let what = what.replacen(" |       117B |", " |", 1);
    what.replacen(" i=3 ns=1608999999", "", 1).trim_end().to_string()
}

#[test]
fn a_command_is_followed_from_the_client_to_a_worker_and_back() {
    let mut events = Events::default();
    let nothing = |event| Event { time_ns: 0, number: 0, bytes: 0, ..event };
    events.push(nothing(Event { session: 0, ..event(Station::Connected, Some(0)) }), b"gpu0");
    events.push(nothing(event(Station::Connected, None)), b"");
    let add = apply("t2 := add t0 t1");
    about(&mut events, event(Station::Received, None), &add);
    let shared = Event { share: 1, shares: 2, ..event(Station::Sent, Some(0)) };
    about(&mut events, shared, &add);
    let ended = event(Station::Ended, Some(0)).with(Outcome::Success);
    let took = Event { bytes: 4096, start_ns: 1_608_000_000, duration_ns: 42, fused: 3, ..ended };
    about(&mut events, took, &add);
    let read = Command::Read { slot: Slot(2), request: RequestId(7) };
    let answered = event(Station::Answered, None).with(Outcome::Success);
    about(&mut events, Event { number: 12345, ..answered }, &read);
    about(&mut events, ended.with(Outcome::Failure), &apply("t3 := exp t2"));
    about(&mut events, ended.with(Outcome::Failure), &apply("t3 := sum t2 dim=[1]"));
    events.push(event(Station::Disconnected, None), b"");
    let expected = "\
0.000s | #0000 | CONNECT      | WORKER w0                    |                     |         0B | \
ns=0 name=\"gpu0\"
0.000s | #0000 | CONNECT      | CLIENT s1                    |                     |         0B | \
ns=0
1.608s | #0011 | RECV         | CLIENT s1                    | BinaryOp            |       117B | \
op=add result=2 left=0 right=1 i=3 ns=1608999999 t2 := add t0 t1
1.608s | #0011 | WORKER_SEND  | WORKER w0                    | WorkerBinaryOp      |       117B | \
session=s1 op=add result=2 left=0 right=1 i=3 shard=1/2 ns=1608999999 t2 := add t0 t1
1.608s | #0011 | WORKER_RECV  | WORKER w0                    | WorkerBinaryOp      |      4.0KB | \
session=s1 op=add result=2 left=0 right=1 i=3 success=True ns=1608999999 start_ns=1608000000 \
took_ns=42 fused=3 t2 := add t0 t1
1.608s | #12345 | SEND         | CLIENT s1                    | GetData             |       117B | \
tensor_id=2 i=3 success=True ns=1608999999 read t2 as r7
1.608s | #0011 | WORKER_RECV  | WORKER w0                    | WorkerUnaryOp       |       117B | \
session=s1 op=exp result=3 tensor_id=2 i=3 success=False ns=1608999999 \
ERROR=\"out of memory:\\n4 GB\" t3 := exp t2
1.608s | #0011 | WORKER_RECV  | WORKER w0                    | WorkerUnaryOp       |       117B | \
session=s1 op=sum result=3 i=3 success=False ns=1608999999 ERROR=\"out of memory:\\n4 GB\"
1.608s | #0011 | DISCONNECT   | CLIENT s1                    |                     |       117B | \
ns=1608999999
";
    assert_eq!(lines(&events), expected);
}

#[test]
fn frees_that_were_joined_are_one_line_and_counted() {
    let mut batch = Batch::default();
    batch.push_free(&[Slot(1), Slot(12)]);
    let slots = [7_u32, 9, 4_000_000_000].map(u32::to_le_bytes).concat();
    let mut events = Events::default();
    let sent = event(Station::Sent, Some(0)).about(3, batch.records[0]);
    events.push(Event { joined: 2, ..sent }, &slots);
    // A length that makes no sense is that of fewer values.
    events.push(sent, &slots[..6]);
    let text = lines(&events);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains("| WorkerFreeTensor    |"), "{text}");
    let what = "session=s1 tensor_id=1,12,7,9,4000000000 i=3 ns=1608999999 commands=3 \
        free t1 t12 t7 t9 t4000000000";
    assert!(lines[0].ends_with(what), "{text}");
    assert!(lines[1].ends_with("tensor_id=1,12,7 i=3 ns=1608999999 free t1 t12 t7"), "{text}");
    let freed = logged(&batch.records[0], &slots).expect("a command");
    assert_eq!(freed.to_string(), "free t1 t12 t7 t9 t4000000000");
}

#[test]
fn signals_have_their_names_and_what_is_missing_is_said() {
    let mut events = Events { lost: 5, ..Events::default() };
    let (scope, parent, name) = (ScopeId(4), ScopeId::ROOT, "forward".into());
    let define = Command::DefineScope { scope, parent, name, wish: None };
    about(&mut events, event(Station::Received, None), &define);
    for scope in [4, 9] {
        let inside = Event { scope, ..event(Station::Received, None) };
        about(&mut events, inside, &apply("t2 := exp t0"));
    }
    let text = lines(&events);
    let words = [
        "# 5 events are missing here",
        "scope4 := \"forward\"",
        "signal=\"forward\"",
        "signal=scope9",
    ];
    for (line, word) in text.lines().zip(words) {
        assert!(line.contains(word), "{line}");
    }
}

#[test]
fn lines_of_the_program_are_named_where_they_are_known() {
    let mut events = Events::default();
    about(&mut events, event(Station::Received, None), &apply("t2 := exp t0"));
    let mut text = Vec::new();
    let mut log = InstructionLog::new(&mut text).with_places(|_| Some("train.py:12".to_string()));
    log.write(&events).unwrap();
    log.flush().unwrap();
    drop(log);
    assert!(String::from_utf8(text).unwrap().contains(" at=\"train.py:12\" t2 := exp t0"));
}

#[test]
fn commands_have_the_names_people_search_for() {
    let apply = |line: &str| what(&apply(line));
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
            Command::Receive { out: slot, tag: 9, provenance: Provenance::UNKNOWN },
            "ReceiveTensor       | result=3 t3 := receive #9",
        ),
        (Command::Sync { request }, "Synchronize         | sync as r4"),
        (Command::Wait { barrier: 9 }, "Wait                | wait #9"),
    ];
    for (command, expected) in cases {
        assert_eq!(what(&command), expected);
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
    assert_eq!(sizes.map(size), expected);
}

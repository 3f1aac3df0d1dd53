//! What `gt top` makes of events, and how it looks in a small terminal.

use gt_core::event::{Event, Events, Outcome, Station};
use gt_core::instruction::Command;
use gt_core::text::parse_instruction;
use gt_core::{RequestId, SessionId, Slot, WorkerId};
use gt_tools::top::{Sort, State, draw, json};
use gt_transport::Batch;
use gt_transport::hello::WorkerInfo;
use gt_transport::report::{ChannelTraffic, Modifiers, Report, Road, SessionReport, WorkerReport};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

/// A worker is done with an operation that took so long.
fn ended(events: &mut Events, (session, worker): (u64, u32), line: &str, duration_ns: u64) {
    let mut batch = Batch::default();
    batch.push(&Command::Apply(parse_instruction(line).expect("an instruction")));
    let event = Event::new(0, Station::Ended, SessionId(session)).at(WorkerId(worker));
    let event = event.with(Outcome::Success).about(1, batch.records[0]);
    events.push(Event { duration_ns, bytes: 1 << 20, ..event }, &[]);
}

fn worker(id: u32, bytes_in: u64) -> WorkerReport {
    let info =
        WorkerInfo { name: format!("node-{id}"), memory_bytes: 64 << 30, ..WorkerInfo::default() };
    let peer = gt_transport::Peer::Worker(WorkerId(1 - id));
    let channel = ChannelTraffic { bytes_in, ..ChannelTraffic::new(peer, Road::Memory) };
    WorkerReport {
        id: WorkerId(id),
        info,
        silent_ns: 0,
        used_bytes: u64::from(id) << 30,
        queued: 7,
        is_drained: false,
        channels: vec![channel],
    }
}

fn report(bytes_in: u64) -> Report {
    let session = |id| SessionReport {
        id: SessionId(id),
        name: format!("somebody-{id}@a-host-with-a-long-name:123456"),
        user: String::new(),
        host: "localhost".to_string(),
        age_ns: 0,
        share: Default::default(),
        connected: true,
        silent_ns: 0,
        workers: vec![],
        values: 3,
        queued: id,
        modifiers: Modifiers::default(),
    };
    Report {
        version: "0.1.0".to_string(),
        workers: vec![worker(0, bytes_in), worker(1, bytes_in)],
        sessions: vec![session(1), session(2)],
        ..Report::default()
    }
}

/// A client reads a value, and is answered.
fn read(station: Station, instruction: u64) -> Events {
    let mut batch = Batch::default();
    batch.push(&Command::Read { slot: Slot(1), request: RequestId(5) });
    let event = Event::new(0, station, SessionId(1)).about(instruction, batch.records[0]);
    let mut events = Events::default();
    events.push(event, &[]);
    events
}

#[test]
fn a_session_waits_until_it_is_answered() {
    let mut state = state();
    let waits = |state: &State| json(state)["sessions"][0]["waiting"].as_bool();
    state.take_events(&read(Station::Received, 7));
    assert_eq!(waits(&state), Some(true));
    state.take_events(&read(Station::Answered, 7));
    assert_eq!(waits(&state), Some(false));
    state.take_events(&read(Station::Received, 8));
    // The answer was among what was missed.
    state.take_events(&Events { lost: 3, ..Events::default() });
    assert_eq!(waits(&state), Some(false));
}

/// A second in which one worker was busy for half of it, and the other for a tenth.
fn state() -> State {
    let mut state = State::of("localhost:12345");
    state.take_report(&report(1 << 20));
    let mut events = Events::default();
    for _ in 0..10 {
        ended(&mut events, (1, 0), "t2 := matmul t0 t1", 40_000_000);
        ended(&mut events, (2, 0), "t2 := add t0 t1", 10_000_000);
        ended(&mut events, (2, 1), "t2 := exp t0", 10_000_000);
    }
    state.take_events(&events);
    state.take_report(&report(3 << 20));
    state.turn(1.0);
    state
}

fn screen(state: &State, (width, height): (u16, u16), has_colours: bool) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen");
    terminal.draw(|frame| draw(frame, state, has_colours)).expect("it is drawn");
    let buffer = terminal.backend().buffer();
    let cells = buffer.content.chunks(width as usize);
    cells.map(|row| row.iter().map(|cell| cell.symbol()).collect()).collect()
}

#[test]
fn bars_are_made_of_what_workers_do() {
    let lines = screen(&state(), (80, 24), false);
    let row = |name: &str| lines.iter().find(|line| line.starts_with(name)).unwrap().clone();
    let count = |name: &str, letter: char| row(name).chars().filter(|one| *one == letter).count();
    // The bar has 26 columns.
    assert_eq!((count("node-0", 'M'), count("node-0", 'E')), (10, 3), "{}", row("node-0"));
    assert_eq!((count("node-1", 'M'), count("node-1", 'E')), (0, 3), "{}", row("node-1"));
    assert!(row("node-0").contains(" 50%") && row("node-1").contains(" 90%"));
    assert!(row("s1").contains("67%") && row("s2").contains("33%"), "{lines:#?}");
}

#[test]
fn everything_fits_into_a_small_terminal() {
    let state = state();
    let lines = screen(&state, (80, 24), true);
    let text = lines.join("\n");
    for word in
        ["gt top  localhost:12345", "node-1", "QUEUE", "STATE", "runs", "LINK", "2.0MB/s", "q quit"]
    {
        assert!(text.contains(word), "{word}:\n{text}");
    }
    // Nobody minds a terminal that is smaller still.
    for size in [(20, 5), (1, 1), (200, 60)] {
        screen(&state, size, true);
    }
}

#[test]
fn rates_are_smooth_and_fade() {
    let mut state = state();
    let busy = |state: &State| state.workers[&WorkerId(0)].share();
    let mut before = busy(&state);
    assert!((before - 0.5).abs() < 1e-9);
    for _ in 0..10 {
        state.turn(0.25);
        assert!(busy(&state) < before && busy(&state) > 0.0);
        before = busy(&state);
    }
    assert!(before < 0.15);
}

#[test]
fn lists_are_sorted_and_filtered() {
    let mut state = state();
    let order = |state: &State| -> Vec<u32> {
        state.shown_workers().into_iter().map(|(id, _)| id.0).collect()
    };
    assert_eq!(order(&state), [0, 1]);
    state.sort = Sort::Memory;
    assert_eq!(order(&state), [1, 0]);
    state.filter = "node-0".to_string();
    assert_eq!(order(&state), [0]);
    let all: Vec<Sort> =
        std::iter::successors(Some(Sort::Number), |sort| Some(sort.next())).take(5).collect();
    assert_eq!(all[4], Sort::Number);
}

#[test]
fn programs_read_the_same_numbers() {
    let shown = json(&state());
    let matmul = shown["workers"][0]["kinds"]["matmul"].as_f64().unwrap();
    assert!((matmul - 0.4).abs() < 1e-9);
    assert_eq!(shown["workers"][0]["commands_per_second"], 20.0);
    assert_eq!(shown["sessions"][1]["commands_per_second"], 0.0);
    assert_eq!(shown["links"][0]["bytes_per_second"], f64::from(2 << 20));
    assert_eq!(shown["events"], 30);
}

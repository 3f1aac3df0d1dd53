//! One list of events, seen by every view: they count the same.

use std::sync::Arc;

use gt_core::event::{Event, Events, Outcome, Station};
use gt_core::instruction::Command;
use gt_core::text::parse_instruction;
use gt_core::{RequestId, SessionId, Slot, WorkerId};
use gt_tools::InstructionLog;
use gt_tools::profile::Profile;
use gt_tools::timeline::summary::by_time;
use gt_tools::timeline::{Builder, Filter};
use gt_tools::top::State;
use gt_tools::why::{Facts, explain};
use gt_transport::Batch;

/// So many instructions of each sort.
const TIMES: u64 = 50;

/// What three workers do for two sessions within a second.
fn events() -> Events {
    let mut events = Events::default();
    let lines = ["t2 := matmul t0 t1", "t3 := sum t2 dim=[1]", "t4 := mul t3 2.5"];
    let mut commands: Vec<Command> =
        lines.iter().map(|line| Command::Apply(parse_instruction(line).expect("a line"))).collect();
    commands.push(Command::Read { slot: Slot(4), request: RequestId(9) });
    commands.push(Command::Free([Slot(2), Slot(3)].as_slice().into()));
    let mut number = 0;
    for instruction in 1..=TIMES * commands.len() as u64 {
        let command = &commands[instruction as usize % commands.len()];
        let mut batch = Batch::default();
        batch.push(command);
        let (session, worker) = (SessionId(1 + instruction % 2), WorkerId(instruction as u32 % 3));
        let time_ns = instruction * 2_000_000;
        let is_read = matches!(command, Command::Read { .. });
        let stations = [Station::Received, Station::Sent, Station::Ended, Station::Answered];
        for station in stations.into_iter().take(if is_read { 4 } else { 3 }) {
            let event = Event::new(time_ns, station, session);
            let event = match station {
                Station::Sent => event.at(worker),
                Station::Ended => Event {
                    start_ns: time_ns + 10_000,
                    duration_ns: 1_000 * instruction,
                    bytes: 100,
                    ..event.at(worker).with(Outcome::Success)
                },
                _ => event,
            };
            let event = Event { number, ..event.about(instruction, batch.records[0]) };
            events.push(event, batch.beside(0).0);
            number += 1;
        }
    }
    free_together(&mut events, number);
    events
}

/// Frees that a worker was sent together are one event.
fn free_together(events: &mut Events, number: u64) {
    let mut batch = Batch::default();
    batch.push_free(&[Slot(8)]);
    let slots = [9_u32, 10, 11].map(u32::to_le_bytes).concat();
    for (place, station) in [Station::Sent, Station::Ended].into_iter().enumerate() {
        let event = Event::new(900_000_000, station, SessionId(1)).at(WorkerId(0));
        let event = event.with(Outcome::Success).about(1, batch.records[0]);
        events.push(Event { number: number + place as u64, joined: 3, ..event }, &slots);
    }
}

#[test]
fn all_views_count_the_same() {
    let events = events();
    let mut log = InstructionLog::new(Vec::new());
    log.write(&events).and_then(|()| log.flush()).expect("memory takes it");
    let text = String::from_utf8(std::mem::take(log.out())).expect("text");
    let (mut builder, mut facts) = (Builder::new(Filter::default()), Facts::default());
    for line in text.lines() {
        builder.line(line);
        facts.line(line);
    }
    let (model, mut top) = (builder.finish(), State::of("here"));
    top.take_events(&events);
    top.turn(1.0);
    let mut of_sums = State::of("here");
    of_sums.take_events(&Events::summed([&events]));
    of_sums.turn(1.0);
    let seen = |state: &State| {
        let workers = state.workers.values();
        let busy = workers.map(|one| one.busy.map(|rate| (rate.per_second() * 1e9).round()));
        let commands = state.workers.values().map(|one| one.commands.per_second());
        let sessions = state.sessions.values();
        let bytes = sessions.map(|one| (one.commands.per_second(), one.bytes.per_second()));
        (busy.collect::<Vec<_>>(), commands.collect::<Vec<_>>(), bytes.collect::<Vec<_>>())
    };
    assert_eq!(seen(&top), seen(&of_sums), "sums tell top the same as every event");
    let profile = Profile::new(vec![Arc::new(events.clone())], 0, |_| None);

    let all = events.list.len() as u64;
    let counts = [log.lines(), text.lines().count() as u64, model.events, facts.events, top.events];
    assert_eq!(counts, [all; 5]);
    assert_eq!((profile.events(), profile.lost(), model.missing, top.lost), (all, 0, 0, 0));

    let rows = profile.rows();
    for used in by_time(&model) {
        let row = rows.iter().find(|row| row.name == used.name).expect("both have it");
        assert_eq!((row.count, row.total_ns, row.bytes), (used.count, used.total_ns, used.bytes));
        assert_eq!(used.count, TIMES, "{}", used.name);
    }
    let total_ns: u64 = rows.iter().map(|row| row.total_ns).sum();
    let seconds: f64 = top.sessions.values().map(|session| session.busy.per_second()).sum();
    assert!((seconds - total_ns as f64 / 1e9).abs() < 1e-9);
    let done: f64 = top.workers.values().map(|worker| worker.commands.per_second()).sum();
    assert_eq!(done.round() as u64, rows.iter().map(|row| row.count).sum::<u64>());
    let reads: usize = explain(&facts).iter().map(|one| one.reads).sum();
    assert_eq!(reads as u64, TIMES);
}

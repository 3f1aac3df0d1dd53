//! What the board of the web page and the metrics make of events and reports.

use std::collections::BTreeSet;

use gt_core::event::{Event, Events, Outcome, Station};
use gt_core::instruction::{Command, Move};
use gt_core::placement::{Cut, Layout, Mesh, Placement};
use gt_core::text::parse_instruction;
use gt_core::{DType, Meta, RequestId, SessionId, Shape, Slot, WorkerId};
use gt_tools::board::Board;
use gt_transport::hello::WorkerInfo;
use gt_transport::report::{
    ChannelTraffic, Report, Road, SessionReport, ValueReport, ValuesReport, WorkerReport,
};
use gt_transport::{Batch, Peer};
use serde_json::{Value, json};

const MS: u64 = 1_000_000;

/// Something that happens to a command of session 1 at a time.
fn command(station: Station, time_ns: u64, instruction: u64, command: &Command) -> Event {
    let mut batch = Batch::default();
    batch.push(command);
    Event::new(time_ns, station, SessionId(1)).about(instruction, batch.records[0])
}

fn apply(line: &str) -> Command {
    Command::Apply(parse_instruction(line).expect("an instruction"))
}

fn read() -> Command {
    Command::Read { slot: Slot(2), request: RequestId(7) }
}

fn of(list: &[(Event, &[u8])]) -> Events {
    let mut events = Events::default();
    list.iter().for_each(|(event, beside)| events.push(*event, beside));
    events
}

/// A worker and a client come; a product is computed and another one fails; the client waits.
fn events() -> Events {
    let product = apply("t2 := matmul t0 t1");
    let at = WorkerId(0);
    let ended = |instruction, outcome| {
        let event = command(Station::Ended, 60 * MS, instruction, &product).at(at).with(outcome);
        Event { start_ns: 10 * MS, duration_ns: 50 * MS, bytes: 4096, ..event }
    };
    of(&[
        (Event::new(0, Station::Connected, SessionId(0)).at(at), b"left"),
        (Event::new(0, Station::Connected, SessionId(1)), b"ada"),
        (command(Station::Received, MS, 1, &product), b""),
        (command(Station::Received, MS, 2, &product), b""),
        (command(Station::Received, MS, 3, &read()), b""),
        (command(Station::Sent, 2 * MS, 1, &product).at(at), b""),
        (command(Station::Sent, 2 * MS, 2, &product).at(at), b""),
        (command(Station::Sent, 2 * MS, 3, &read()).at(at), b""),
        (ended(1, Outcome::Success), b""),
        (ended(2, Outcome::Failure), b"it does not fit"),
    ])
}

fn report() -> Report {
    let info = WorkerInfo { name: "left".to_string(), memory_bytes: 1 << 30, ..Default::default() };
    let road = Road::Tcp;
    let channel = ChannelTraffic {
        bytes_in: 100,
        bytes_out: 30,
        ..ChannelTraffic::new(Peer::Worker(WorkerId(1)), road)
    };
    let worker = WorkerReport {
        id: WorkerId(0),
        info,
        silent_ns: 0,
        used_bytes: 1 << 20,
        queued: 1,
        is_drained: false,
        channels: vec![channel],
    };
    let session = SessionReport {
        id: SessionId(1),
        name: "ada \"the first\"\n".to_string(),
        user: String::new(),
        host: "localhost".to_string(),
        age_ns: 0,
        share: Default::default(),
        connected: true,
        silent_ns: 0,
        workers: vec![],
        values: 3,
        queued: 1,
        modifiers: Default::default(),
    };
    let version = "0.1.0".to_string();
    let (workers, sessions) = (vec![worker], vec![session]);
    Report { version, uptime_ns: 1000 * MS, workers, sessions, ..Report::default() }
}

fn board() -> Board {
    let mut board = Board::of("localhost:12345");
    board.take_events(&events());
    board.take_report(&report());
    board.turn(1.0);
    board
}

/// The value of a series in a text of metrics.
fn value(text: &str, series: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' ')?.parse().ok())
}

#[test]
fn metrics_count_what_events_tell() {
    let text = board().totals.text();
    let expected = [
        ("gt_events_total", 10.0),
        ("gt_events_lost_total", 0.0),
        ("gt_commands_received_total{kind=\"matmul\"}", 2.0),
        ("gt_commands_received_total{kind=\"data\"}", 1.0),
        ("gt_commands_sent_total{worker=\"w0\"}", 3.0),
        ("gt_commands_done_total{worker=\"w0\",kind=\"matmul\"}", 2.0),
        ("gt_commands_failed_total{worker=\"w0\"}", 1.0),
        ("gt_made_bytes_total{worker=\"w0\"}", 4096.0),
        ("gt_busy_seconds_total{worker=\"w0\",kind=\"matmul\"}", 0.1),
        ("gt_command_duration_seconds_bucket{le=\"0.01\",kind=\"matmul\"}", 0.0),
        ("gt_command_duration_seconds_bucket{le=\"0.1\",kind=\"matmul\"}", 2.0),
        ("gt_command_duration_seconds_count{kind=\"matmul\"}", 2.0),
        ("gt_transfer_bytes_total{road=\"tcp\",direction=\"in\"}", 100.0),
        ("gt_transfer_bytes_total{road=\"tcp\",direction=\"out\"}", 30.0),
        ("gt_worker_memory_bytes{worker=\"w0\"}", 1_048_576.0),
        ("gt_sessions", 1.0),
        ("gt_sessions_waiting", 1.0),
        ("gt_values", 3.0),
    ];
    for (series, expected) in expected {
        assert_eq!(value(&text, series), Some(expected), "{series} in\n{text}");
    }
    assert!(text.ends_with("# EOF\n"));
}

#[test]
fn an_answer_ends_a_wait_and_is_timed() {
    let mut board = board();
    let answered = command(Station::Answered, 21 * MS, 3, &read()).with(Outcome::Success);
    board.take_events(&of(&[(answered, b"")]));
    let text = board.totals.text();
    assert_eq!(value(&text, "gt_sessions_waiting"), Some(0.0));
    assert_eq!(value(&text, "gt_answers_total{outcome=\"success\"}"), Some(1.0));
    assert_eq!(value(&text, "gt_answer_wait_seconds_sum"), Some(0.02));
    assert_eq!(board.json()["waits"]["requests"], json!([]));
}

#[test]
fn what_is_joined_counts_as_often_as_it_was() {
    let mut board = board();
    let free = Command::Free([Slot(1)].as_slice().into());
    let at = |station| {
        let event = command(station, 41 * MS, 4, &free).at(WorkerId(0)).with(Outcome::Success);
        Event { joined: 6, ..event }
    };
    let slots = [2_u32, 3, 4, 5, 6, 7].map(u32::to_le_bytes).concat();
    board.take_events(&of(&[(at(Station::Sent), &slots), (at(Station::Ended), &slots)]));
    let text = board.totals.text();
    assert_eq!(value(&text, "gt_commands_sent_total{worker=\"w0\"}"), Some(10.0));
    let done = "gt_commands_done_total{worker=\"w0\",kind=\"control\"}";
    assert_eq!(value(&text, done), Some(7.0));
}

#[test]
fn what_a_worker_did_stays_counted_when_it_goes() {
    let mut board = board();
    let gone = Event::new(70 * MS, Station::Disconnected, SessionId(0)).at(WorkerId(0));
    board.take_events(&of(&[(gone, b"left")]));
    board.take_report(&Report { workers: vec![], ..report() });
    let text = board.totals.text();
    let done = |worker| format!("gt_commands_done_total{{worker=\"{worker}\",kind=\"matmul\"}}");
    assert_eq!(value(&text, &done("w0")), None);
    assert_eq!(value(&text, &done("others")), Some(2.0));
    assert!(!text.contains("w0"), "{text}");
}

#[test]
fn there_is_an_end_to_series_however_many_come() {
    let mut board = board();
    let sessions = board.totals.text().lines().count();
    let mut many = Events::default();
    for number in 0..2000 {
        let event = command(Station::Ended, 60 * MS, 1, &apply("t2 := exp t0"));
        many.push(event.at(WorkerId(number)), b"");
        let event = Event::new(0, Station::Connected, SessionId(u64::from(number) + 10));
        many.push(event, format!("session {number}").as_bytes());
    }
    board.take_events(&many);
    let text = board.totals.text();
    assert!(text.lines().count() < sessions + 256 * 5, "{}", text.lines().count());
    let done = |line: &&str| line.starts_with("gt_commands_done_total") && line.contains("elem");
    let values = text.lines().filter(done).filter_map(|line| line.rsplit(' ').next());
    assert_eq!(values.map(|value| value.parse::<u64>().expect("a number")).sum::<u64>(), 2000);
    assert!(!text.contains("session 1"));
}

#[test]
fn what_was_missed_is_told_and_nobody_waits_for_it() {
    let mut board = board();
    board.take_events(&Events { lost: 5, ..Events::default() });
    assert_eq!(value(&board.totals.text(), "gt_events_lost_total"), Some(5.0));
    assert_eq!(value(&board.totals.text(), "gt_sessions_waiting"), Some(0.0));
    let shown = board.json();
    assert_eq!((&shown["events_lost"], &shown["waits"]["requests"]), (&json!(5), &json!([])));
}

#[test]
fn the_board_tells_what_waits_for_what() {
    let shown = board().json();
    let waits = &shown["waits"]["requests"];
    assert_eq!(waits[0]["command"], "read t2 as r7");
    assert_eq!(waits[0]["seconds"], 0.999);
    // The read itself is left of what was sent.
    let behind = json!([{ "worker": 0, "commands": 1, "others": [] }]);
    assert_eq!(waits[0]["workers"], behind);
    let error = &shown["errors"][0];
    assert_eq!((&error["message"], &error["worker"]), (&json!("it does not fit"), &json!(0)));
    assert_eq!(shown["timeline"]["workers"][0]["kinds"]["matmul"][0], 1000);
}

#[test]
fn an_error_that_a_client_is_told_of_is_one_error() {
    let mut board = board();
    let told = |time_ns| {
        let event = command(Station::Answered, time_ns, 3, &read()).with(Outcome::Failure);
        of(&[(event, b"it does not fit")])
    };
    board.take_events(&told(70 * MS));
    assert_eq!(board.json()["errors"][0]["count"], 1);
    board.take_events(&told(80 * MS));
    let errors = board.json()["errors"].clone();
    assert_eq!((&errors[0]["count"], &errors[0]["at_seconds"]), (&json!(2), &json!(0.08)));
    assert_eq!(errors.as_array().map(Vec::len), Some(1));
}

#[test]
fn a_transfer_waits_until_all_workers_have_done_their_part() {
    let mut board = board();
    let (from, to) = (Placement::on(WorkerId(0)), Placement::on(WorkerId(1)));
    let (meta, slot, out) = (Meta::new(DType::F32, [2]), Slot(0), Slot(9));
    let moved = Command::Move(Box::new(Move { out, slot, meta, from, to, tag: 7 }));
    let sent = |one: &Command, at| command(Station::Sent, 70 * MS, 4, one).at(WorkerId(at));
    let mut batch = Batch::default();
    batch.push(&moved);
    board.take_events(&of(&[(sent(&moved, 0), &batch.extra), (sent(&moved, 1), &batch.extra)]));
    let ended =
        |one: &Command, at| of(&[(command(Station::Ended, 80 * MS, 4, one).at(WorkerId(at)), b"")]);
    board.take_events(&ended(&moved, 0));
    let transfers = board.json()["waits"]["transfers"].clone();
    assert_eq!(transfers[0]["command"], "t9 := move t0 from whole on w0 to whole on w1 as #7");
    assert_eq!((&transfers[0]["waiting"], &transfers[0]["done"]), (&json!([1]), &json!([0])));
    board.take_events(&ended(&moved, 1));
    assert_eq!(board.json()["waits"]["transfers"], json!([]));
}

#[test]
fn parts_of_values_lie_over_their_mesh() {
    let shape = Shape::from([10, 4]);
    let mesh = || Mesh::group([WorkerId(0), WorkerId(1)]);
    let cut = Placement::new(mesh(), [Layout::Shard(Cut::even(0))], &shape).expect("it fits");
    let one = ValueReport {
        session: SessionId(1),
        slot: Slot(5),
        meta: Meta::new(DType::F32, shape),
        whole: vec![],
        meshes: vec![cut, Placement::replicated(mesh())],
    };
    let mut board = board();
    board.take_values(ValuesReport { list: vec![one], left_out: 3 });
    let values = board.json()["values"].clone();
    let value = &values["list"][0];
    assert_eq!((&value["name"], &value["bytes"]), (&json!("t5"), &json!(160)));
    let parts = json!([
        { "worker": 0, "cuts": [[0, 1, 10, 0, 5]] },
        { "worker": 1, "cuts": [[0, 1, 10, 5, 10]] },
    ]);
    assert_eq!(
        (&value["meshes"][0]["layout"], &value["meshes"][0]["parts"]),
        (&json!("shard(0)"), &parts)
    );
    assert_eq!(value["meshes"][1]["parts"][1], json!({ "worker": 1, "cuts": [] }));
    assert_eq!(values["left_out"], 3);
}

/// The words of a query that are names of metrics, and those that are names of labels.
fn names(query: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = query.split(|c: char| !is_part(c)).map(str::to_string);
    let metrics = words.filter(|word| word.starts_with("gt_")).collect();
    let mut labels = BTreeSet::new();
    for piece in query.split("by (").skip(1) {
        let list = piece.split(')').next().unwrap_or_default();
        labels.extend(list.split(',').map(|label| label.trim().to_string()));
    }
    (metrics, labels)
}

/// All texts under a key, however deep.
fn texts(value: &Value, key: &str) -> Vec<String> {
    match value {
        Value::Object(map) => map
            .iter()
            .flat_map(|(name, inner)| match inner.as_str().filter(|_| name == key) {
                Some(text) => vec![text.to_string()],
                None => texts(inner, key),
            })
            .collect(),
        Value::Array(list) => list.iter().flat_map(|inner| texts(inner, key)).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn the_dashboard_of_grafana_asks_for_metrics_that_exist() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/grafana.json");
    let dashboard: Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("it is there")).expect("JSON");
    let text = board().totals.text();
    let series: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let with_name = |name: &str| -> Vec<&&str> {
        let is_it = |line: &&&str| line.split(['{', ' ']).next() == Some(name);
        series.iter().filter(is_it).collect()
    };
    let queries = texts(&dashboard, "expr");
    assert!(queries.len() >= 10, "{queries:?}");
    for query in queries {
        let (metrics, labels) = names(&query);
        assert!(!metrics.is_empty(), "{query}");
        for metric in metrics {
            let found = with_name(&metric);
            assert!(!found.is_empty(), "no {metric}, for which {query} asks");
            for label in &labels {
                assert!(found[0].contains(&format!("{label}=\"")), "{metric} has no {label}");
            }
        }
    }
}

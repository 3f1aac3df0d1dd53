//! Causes that were planted in a trace are found, and nothing else is blamed.

use gt_tools::why::{Facts, explain, json, sentence, text};
use serde_json::Value;

/// A trace that is written line by line; times are in microseconds.
#[derive(Default)]
struct Trace {
    lines: Vec<(u64, String)>,
    instructions: u64,
}

impl Trace {
    fn event(&mut self, us: u64, event: &str, source: &str, command: &str, details: &str) {
        let ns = us * 1000;
        let line = format!(
            "{:.3}s | #0001 | {event:<12} | {source:<28} | {command:<19} | 4.0KB | {details} \
             ns={ns}",
            us as f64 / 1e6
        );
        self.lines.push((us, line));
    }

    /// A command that comes, is sent, and is computed in a time.
    fn job(
        &mut self,
        (session, worker): (&str, &str),
        (come, sent): (u64, u64),
        (start, took): (u64, u64),
        op: &str,
    ) {
        self.instructions += 1;
        let number = self.instructions;
        let (client, at) = (format!("CLIENT {session}"), format!("WORKER {worker}"));
        self.event(come, "RECV", &client, "BinaryOp", &format!("op={op} i={number}"));
        self.at_worker(
            (session, &at),
            (sent, start, took),
            &format!("op={op} i={number}"),
            "BinaryOp",
        );
    }

    fn at_worker(
        &mut self,
        (session, at): (&str, &str),
        (sent, start, took): (u64, u64, u64),
        details: &str,
        command: &str,
    ) {
        let command = format!("Worker{command}");
        let details = format!("session={session} {details}");
        self.event(sent, "WORKER_SEND", at, &command, &details);
        let times = format!("{details} start_ns={} took_ns={}", start * 1000, took * 1000);
        self.event(start + took, "WORKER_RECV", at, &command, &times);
    }

    /// A read that comes and is answered.
    fn read(&mut self, session: &str, come: u64, answered: u64) {
        self.instructions += 1;
        let (client, details) = (format!("CLIENT {session}"), format!("i={}", self.instructions));
        self.event(come, "RECV", &client, "GetData", &details);
        self.event(answered, "SEND", &client, "GetData", &details);
    }

    fn facts(&mut self) -> Facts {
        // Lines of one moment stay in the order in which they were written.
        self.lines.sort_by_key(|(us, _)| *us);
        let mut facts = Facts::default();
        self.lines.iter().for_each(|(_, line)| facts.line(line));
        facts
    }

    /// What is said of a session.
    fn verdict(&mut self, session: &str) -> Value {
        let facts = self.facts();
        let found = explain(&facts);
        let one = found.iter().find(|one| one.session == session).expect("it has commands");
        let sum: u64 = one.causes.values().sum();
        assert!(sum <= one.total_ns && sum + 1000 > one.total_ns, "all of the time is explained");
        json(&facts, one)
    }
}

/// What is blamed, and for how much of the time.
fn blamed(verdict: &Value) -> (String, f64) {
    let name = verdict["name"].as_str().expect("something is to blame").to_string();
    let shares = verdict["causes"].as_array().expect("causes");
    let share = shares.iter().find(|cause| cause["name"] == name.as_str());
    (name, share.expect("it is listed")["share"].as_f64().expect("a number"))
}

#[test]
fn a_client_that_sends_too_little_is_blamed() {
    let mut trace = Trace::default();
    for step in 0..20 {
        let at = step * 10_000;
        trace.job(("s1", "w0"), (at, at + 10), (at + 20, 1000), "matmul");
        trace.read("s1", at + 30, at + 1050);
    }
    let (name, share) = blamed(&trace.verdict("s1"));
    assert_eq!(name, "client");
    assert!((0.85..0.91).contains(&share), "{share}");
    let facts = trace.facts();
    let said = sentence(&facts, &explain(&facts)[0]);
    assert_eq!(
        said,
        "The client holds s1 up: for 87 % of 191.05 ms its program had sent nothing to compute."
    );
}

#[test]
fn many_reads_are_blamed_and_not_the_client() {
    let mut trace = Trace::default();
    for step in 0..200 {
        let at = step * 150;
        trace.job(("s1", "w0"), (at, at + 10), (at + 30, 15), "add");
        trace.read("s1", at + 5, at + 70);
    }
    let verdict = trace.verdict("s1");
    assert_eq!((blamed(&verdict).0.as_str(), &verdict["reads"]), ("reads", &Value::from(200)));
    assert!(blamed(&verdict).1 > 0.8);
}

#[test]
fn a_dispatcher_that_is_slow_is_blamed() {
    let mut trace = Trace::default();
    for step in 0..20 {
        let at = step * 10_000;
        trace.job(("s1", "w0"), (at, at + 8000), (at + 8010, 1500), "add");
    }
    let (name, share) = blamed(&trace.verdict("s1"));
    assert_eq!(name, "dispatcher");
    assert!(share > 0.75, "{share}");
}

#[test]
fn a_slow_worker_is_named() {
    let mut trace = Trace::default();
    for step in 0..20 {
        let at = step * 10_000;
        for (worker, took) in [("w0", 1000), ("w1", 9000), ("w2", 1500)] {
            trace.job(("s1", worker), (at, at + 10), (at + 20, took), "matmul");
        }
    }
    let verdict = trace.verdict("s1");
    assert_eq!(blamed(&verdict).0, "worker w1");
    let said = verdict["sentence"].as_str().unwrap();
    assert!(said.starts_with("Worker w1 holds s1 up") && said.contains("matmul"), "{said}");
}

#[test]
fn workers_that_are_all_busy_are_not_to_blame() {
    let mut trace = Trace::default();
    for step in 0..20 {
        let at = step * 1000;
        for worker in ["w0", "w1", "w2", "w3"] {
            trace.job(("s1", worker), (at, at), (at + 10, 980), "conv2d");
        }
    }
    let verdict = trace.verdict("s1");
    assert_eq!(verdict["cause"], "worker");
    let said = verdict["sentence"].as_str().unwrap();
    assert!(said.starts_with("The work itself takes that long: for 98 % of"), "{said}");
}

#[test]
fn a_link_on_which_much_travels_is_named() {
    let mut trace = Trace::default();
    for step in 0..10 {
        let at = step * 10_000;
        trace.job(("s1", "w0"), (at, at + 5), (at + 10, 500), "add");
        let moved = format!("i={} t9 := move t1 to w2 as #{step}", trace.instructions);
        // The tag comes last, after the time.
        for (worker, command, details, (start, took)) in [
            ("WORKER w0", "MoveTensor", moved.clone(), (at + 520, 8000)),
            ("WORKER w2", "MoveTensor", moved, (at + 8520, 100)),
        ] {
            let (head, tail) = details.split_at(details.find(' ').unwrap());
            let command = format!("Worker{command}");
            let mut put = |us: u64, event: &str, times: &str| {
                let ns = us * 1000;
                let line = format!(
                    "0.0s | #0001 | {event} | {worker} | {command} | 1.0MB | session=s1 {head} \
                     ns={ns}{times}{tail}"
                );
                trace.lines.push((us, line));
            };
            put(at + 15, "WORKER_SEND", "");
            let times = format!(" start_ns={} took_ns={}", start * 1000, took * 1000);
            put(start + took, "WORKER_RECV", &times);
        }
    }
    let verdict = trace.verdict("s1");
    let (name, share) = blamed(&verdict);
    assert_eq!((name.as_str(), &verdict["cause"]), ("link w0-w2", &Value::from("link")));
    assert!(share > 0.7, "{share}");
    assert_eq!(verdict["moved_bytes"], 20 << 20);
}

#[test]
fn a_session_that_has_the_workers_is_named() {
    let mut trace = Trace::default();
    for step in 0..20 {
        let at = step * 10_000;
        trace.job(("s2", "w0"), (at, at + 10), (at + 20, 8900), "conv2d");
        trace.job(("s1", "w0"), (at + 30, at + 40), (at + 8950, 300), "add");
        trace.read("s1", at + 50, at + 9300);
    }
    let verdict = trace.verdict("s1");
    assert_eq!(
        (blamed(&verdict).0.as_str(), &verdict["cause"]),
        ("session s2", &"fairness".into())
    );
    assert!(blamed(&verdict).1 > 0.8);
    let facts = trace.facts();
    let all = explain(&facts);
    assert_eq!(all[0].session, "s1", "whoever waits longest comes first");
    let said = text(&facts, &all[0]);
    assert!(said.starts_with("Session s2 holds s1 up: for 8"), "{said}");
    assert!(said.lines().nth(1).is_some_and(|row| row.trim_start().starts_with("session s2")));
    assert_eq!(trace.verdict("s2")["cause"], "worker");
}

#[test]
fn a_worker_that_was_busy_before_the_trace_began_is_not_called_free() {
    let mut trace = Trace::default();
    for step in 0..20 {
        let at = step * 10_000;
        trace.job(("s1", "w0"), (at, at + 10), (at + 8900, 300), "add");
        trace.read("s1", at + 20, at + 9300);
    }
    let verdict = trace.verdict("s1");
    let (name, share) = blamed(&verdict);
    assert_eq!((&*name, &verdict["cause"]), ("held at w0", &"held".into()));
    assert!(share > 0.8, "{share}");
}

#[test]
fn a_request_without_an_answer_names_the_command_that_it_waits_for() {
    let mut trace = Trace::default();
    trace.job(("s1", "w0"), (0, 10), (20, 300), "add");
    for (us, event, source, command, details) in [
        (
            1000,
            "RECV",
            "CLIENT s1",
            "BinaryOp",
            "op=add i=7 ns=1000000 t3 := add t1 t2 replaces t1",
        ),
        (1001, "RECV", "CLIENT s1", "GetData", "tensor_id=3 i=8 ns=1001000 read t3 as r4"),
        (1010, "WORKER_SEND", "WORKER w0", "WorkerWait", "session=s1 i=7 ns=1010000 wait #1"),
        (
            1010,
            "WORKER_SEND",
            "WORKER w0",
            "WorkerBinaryOp",
            "session=s1 i=7 ns=1010000 t3 := add t1",
        ),
        (
            1010,
            "WORKER_SEND",
            "WORKER w0",
            "WorkerGetData",
            "session=s1 i=8 ns=1010000 read t3 as r4",
        ),
        (9_001_000, "CONNECT", "CLIENT s2", "", "ns=9001000000"),
    ] {
        let line = format!("0.0s | #0001 | {event} | {source} | {command} | 32B | {details}");
        trace.lines.push((us, line));
    }
    let verdict = trace.verdict("s1");
    assert_eq!((&verdict["cause"], &verdict["name"]), (&"held".into(), &"held at w0".into()));
    let facts = trace.facts();
    let said = text(&facts, &explain(&facts)[0]);
    let last = said.lines().last().expect("a line");
    let expected = "  `read t3 as r4` had no answer after 9.00 s: the oldest command that is not \
                    finished is `wait #1` at w0.";
    assert_eq!(last, expected);
}

#[test]
fn a_trace_that_begins_in_the_middle_says_the_same() {
    let mut trace = Trace::default();
    for step in 0..200 {
        let at = step * 1000;
        trace.job(("s1", "w0"), (at, at + 10), (at + 20, 900), "matmul");
    }
    let whole = blamed(&trace.verdict("s1"));
    trace.lines.drain(..301);
    trace.lines.push((0, "# 301 events are missing here".to_string()));
    let part = blamed(&trace.verdict("s1"));
    assert_eq!((&*part.0, trace.facts().missing), (&*whole.0, 301));
    assert!((part.1 - whole.1).abs() < 0.02, "{part:?} {whole:?}");
    assert!(explain(&Facts::default()).is_empty());
}

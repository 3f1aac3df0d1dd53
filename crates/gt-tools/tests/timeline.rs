//! Timelines that are drawn from logs: each form is parsed again.

use gt_tools::timeline::summary::{by_time, utilisation};
use gt_tools::timeline::{Builder, Filter, Model, png, svg, write_chrome, write_page};

/// A log of so many steps on so many workers: a product, an addition and a transfer in each.
fn log(steps: u64, workers: u64) -> Vec<String> {
    let mut lines =
        vec!["0.000s | #0000 | CONNECT | CLIENT s1 |  | 0B | ns=0 name=\"a <b> & c\"".to_string()];
    for step in 0..steps {
        let (now, i) = (step * 100_000, 3 * step + 1);
        for (n, op) in ["matmul", "add"].into_iter().enumerate() {
            let (time, i) = (now + 1_000 * n as u64, i + n as u64);
            let signal = if n == 0 { " signal=\"forward\"" } else { "" };
            lines.push(line(
                time,
                "RECV",
                "CLIENT s1",
                "BinaryOp",
                &format!("op={op} i={i}{signal}"),
            ));
            for worker in 0..workers {
                let source = format!("WORKER w{worker}");
                let share = format!("shard={}/{workers}{signal}", worker + 1);
                let command = format!("session=s1 op={op} i={i} {share}");
                lines.push(line(time, "WORKER_SEND", &source, "WorkerBinaryOp", &command));
                let start = now + 20_000 + 30_000 * n as u64;
                let done = format!("{command} success=True start_ns={start} took_ns=25000");
                lines.push(line(start + 26_000, "WORKER_RECV", &source, "WorkerBinaryOp", &done));
            }
        }
        let moved = "t1 := move t1 from whole on w0 to whole on w1";
        for (start, worker) in [(now + 70_000, "WORKER w0"), (now + 80_000, "WORKER w1")] {
            let times = format!("start_ns={start} took_ns=9");
            let details = format!("session=s1 i={} {times} {moved} as #{step}", i + 2);
            lines.push(line(start + 9, "WORKER_RECV", worker, "WorkerMoveTensor", &details));
        }
    }
    lines
}

fn line(time: u64, event: &str, source: &str, command: &str, details: &str) -> String {
    let seconds = time as f64 / 1e9;
    format!("{seconds:.3}s | #1 | {event} | {source} | {command} | 4.0KB | ns={time} {details}")
}

fn model(lines: &[String], filter: Filter) -> Model {
    let mut builder = Builder::new(filter);
    lines.iter().for_each(|line| builder.line(line));
    builder.finish()
}

#[test]
fn a_log_becomes_lanes_spans_transfers_and_signals() {
    let model = model(&log(10, 2), Filter::default());
    assert_eq!((model.clients.len(), model.workers.len()), (1, 2));
    assert_eq!((model.spans.len(), model.transfers.len()), (60, 10));
    assert_eq!(model.bands.len(), 10);
    assert!(model.spans.iter().filter(|span| span.sent_ns.is_some()).count() >= 40);
    let used = by_time(&model);
    let names: Vec<&str> = used.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["add", "matmul", "MoveTensor"]);
    assert_eq!((used[0].count, used[0].total_ns, used[0].bytes), (20, 500_000, 20 << 12));
    let shares = utilisation(&model);
    assert!(shares.iter().all(|share| (0.4..0.6).contains(share)), "{shares:?}");
}

#[test]
fn a_filter_leaves_out_what_is_not_wanted() {
    let lines = log(10, 2);
    let some = Filter { from_ns: Some(200_000), to_ns: Some(499_999), ..Filter::default() };
    let some = model(&lines, some);
    assert!((200_000..=499_999).contains(&some.from_ns) && some.to_ns <= 499_999);
    let one = model(&lines, Filter { worker: Some("w1".into()), ..Filter::default() });
    assert_eq!(one.workers, ["w1"]);
    let none = model(&lines, Filter { session: Some("s9".into()), ..Filter::default() });
    assert_eq!(none.events, 0);
}

#[test]
fn pictures_have_everything_and_are_pictures() {
    let drawn = svg(&model(&log(10, 2), Filter::default()));
    for word in ["client s1", "dispatcher", "worker w1", "matmul", "Utilisation", "forward", "#1<"]
    {
        assert!(drawn.contains(word), "{word}");
    }
    let points = png(&drawn, 96).unwrap();
    assert_eq!(&points[..8], b"\x89PNG\r\n\x1a\n");
    let width = u32::from_be_bytes(points[16..20].try_into().unwrap());
    assert_eq!(width, 1600);
    let larger = png(&drawn, 192).unwrap();
    assert_eq!(u32::from_be_bytes(larger[16..20].try_into().unwrap()), 3200);
    assert!(png(&drawn, 100_000).is_err());
}

#[test]
fn a_trace_for_other_viewers_keeps_to_its_format() {
    let mut text = Vec::new();
    write_chrome(&model(&log(10, 2), Filter::default()), &mut text).unwrap();
    let trace: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let of = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
    assert_eq!((of("X"), of("s"), of("f")), (60, 10, 10));
    assert!(of("M") >= 7 && of("i") > 0);
    for event in events {
        assert!(event["pid"].is_u64() && event["tid"].is_u64() && event["name"].is_string());
        assert!(event["ph"] == "M" || event["ts"].is_number(), "{event}");
        assert!(event["ph"] != "X" || event["dur"].as_f64().is_some_and(|took| took >= 0.0));
    }
}

#[test]
fn a_page_holds_its_data_and_asks_nobody_else() {
    let mut lines = log(3, 2);
    lines.push(line(5, "RECV", "CLIENT s1", "BinaryOp", "op=</script> i=9"));
    let mut page = Vec::new();
    write_page(&model(&lines, Filter::default()), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert_eq!(page.matches("</script>").count(), 1);
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("/*DATA*/"));
    let data = page.split_once("const data = ").unwrap().1.split_once(";\n").unwrap().0;
    let data: serde_json::Value = serde_json::from_str(&data.replace("<\\/", "</")).unwrap();
    assert_eq!(data["spans"].as_array().unwrap().len(), 18);
}

#[test]
fn a_million_events_make_a_picture_that_is_no_larger() {
    let lines = log(100_000, 2);
    assert!(lines.len() > 1_000_000);
    let model = model(&lines, Filter::default());
    assert_eq!(model.events, lines.len() as u64);
    let drawn = svg(&model);
    assert!(drawn.len() < 8 << 20, "{} bytes", drawn.len());
    assert!(png(&drawn, 96).unwrap().len() < 4 << 20);
}

#[test]
fn what_is_missing_is_said() {
    let mut lines = log(2, 1);
    lines.insert(3, "# 17 events are missing here".to_string());
    assert!(svg(&model(&lines, Filter::default())).contains("17 events are missing"));
}

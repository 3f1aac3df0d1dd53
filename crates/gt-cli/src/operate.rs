//! `gt sessions`, and what only the operator of a server may do: `gt kill`, `gt pause`, `gt resume`
//! and `gt drain`.

use std::thread;
use std::time::{Duration, Instant};

use gt_core::{Error, Result, SessionId, WorkerId};
use gt_transport::Message;
use gt_transport::order::Order;
use gt_transport::report::{Report, SessionReport, WorkerReport};
use gt_transport::share::MemoryLimit;
use serde_json::Value;

use crate::place::{Target, Which};
use crate::say::say;
use crate::status::{inquire, session_json};
use crate::table::{duration, size, table};

/// How often a worker that is to be free is looked at.
const DRAINING: Duration = Duration::from_millis(200);

/// What `gt sessions` is told.
#[derive(clap::Args)]
pub struct Sessions {
    #[command(flatten)]
    which: Which,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What a command about one session is told.
#[derive(clap::Args)]
pub struct One {
    /// The number of the session, as `gt sessions` shows it.
    session: u64,
    #[command(flatten)]
    which: Which,
}

/// What `gt drain` is told.
#[derive(clap::Args)]
pub struct Drain {
    /// The worker whose values move to others, by its number or name in `gt status`. The command
    /// ends when it holds nothing, and the worker can be ended without a loss.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    worker: Option<String>,
    /// Take no more sessions at all; those that are there go on until they end.
    #[arg(long)]
    all: bool,
    /// Use the worker, or take sessions, again.
    #[arg(long)]
    undo: bool,
    /// How many seconds to wait until the worker holds nothing. It goes on being drained then.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    timeout: u64,
    #[command(flatten)]
    which: Which,
}

/// Prints the sessions of a server.
pub fn sessions(args: &Sessions) -> Result<()> {
    let report = inquire(&args.which.find()?, &Message::StatusRequest)?;
    if args.json {
        let list: Vec<Value> = report.sessions.iter().map(session_json).collect();
        say(format_args!("{:#}", Value::from(list)));
    } else {
        say(as_text(&report));
    }
    Ok(())
}

/// Ends a session.
pub fn kill(args: &One) -> Result<()> {
    give(&args.which.find()?, Order::Kill(SessionId(args.session)))
}

/// Computes nothing more for a session until it is resumed.
pub fn pause(args: &One) -> Result<()> {
    give(&args.which.find()?, Order::Pause(SessionId(args.session)))
}

/// Goes on with a session.
pub fn resume(args: &One) -> Result<()> {
    give(&args.which.find()?, Order::Resume(SessionId(args.session)))
}

/// Frees a worker or takes no more sessions, or the reverse.
pub fn drain(args: &Drain) -> Result<()> {
    let target = &args.which.find()?;
    let Some(name) = &args.worker else {
        return give(target, if args.undo { Order::Undrain } else { Order::Drain });
    };
    let report = inquire(target, &Message::StatusRequest)?;
    let WorkerReport { id, info, .. } = find_worker(&report, name)?;
    let (id, name) = (*id, &info.name);
    if args.undo {
        inquire(target, &Message::Order(Order::UndrainWorker(id)))?;
        say(format_args!("worker {name} is used again"));
        return Ok(());
    }
    let mut report = inquire(target, &Message::Order(Order::DrainWorker(id)))?;
    let (mut told, began) = (None, Instant::now());
    loop {
        let Some(worker) = report.workers.iter().find(|worker| worker.id == id) else {
            return Err(Error::Lost(format!("worker {name} is gone")));
        };
        if worker.used_bytes == 0 && worker.queued == 0 {
            say(format_args!("worker {name} holds nothing any more and can be ended"));
            return Ok(());
        }
        if told.replace(worker.used_bytes) != Some(worker.used_bytes) {
            say(format_args!("worker {name} still holds {}", size(worker.used_bytes)));
        }
        if began.elapsed() >= Duration::from_secs(args.timeout) {
            return Err(Error::Lost(format!(
                "worker {name} still holds {} and has {} commands to do after {} s; its values go \
                 on moving away: wait for longer with --timeout, or take it back with --undo",
                size(worker.used_bytes),
                worker.queued,
                args.timeout
            )));
        }
        thread::sleep(DRAINING);
        report = inquire(target, &Message::StatusRequest)?;
    }
}

/// The worker of this number or name.
fn find_worker<'a>(report: &'a Report, name: &str) -> Result<&'a WorkerReport> {
    let is_number = |id: WorkerId| id.to_string() == name || id.0.to_string() == name;
    let by_number = report.workers.iter().find(|worker| is_number(worker.id));
    let mut named = report.workers.iter().filter(|worker| worker.info.name == name);
    match (by_number, named.next(), named.next()) {
        (Some(worker), ..) | (None, Some(worker), None) => Ok(worker),
        (None, None, _) => {
            Err(Error::value(format!("there is no worker {name}; `gt status` lists them")))
        }
        (None, Some(_), Some(_)) => Err(Error::value(format!(
            "several workers are called {name}; say its number, which `gt status` shows"
        ))),
    }
}

/// Gives an order, and prints the sessions that are there then.
fn give(target: &Target, order: Order) -> Result<()> {
    say(as_text(&inquire(target, &Message::Order(order))?));
    Ok(())
}

fn as_text(report: &Report) -> String {
    if report.sessions.is_empty() {
        return "no sessions".to_string();
    }
    let rows: Vec<_> = report.sessions.iter().map(row).collect();
    let headings = [
        "id", "name", "user", "host", "age", "weight", "memory", "workers", "values", "queued",
        "state",
    ];
    table(headings, &rows)
}

/// The most memory on a worker, in words.
fn limit(limit: MemoryLimit) -> String {
    match limit {
        _ if limit.is_none() => "any".to_string(),
        MemoryLimit { bytes: u64::MAX, percent } => format!("{percent} %"),
        MemoryLimit { bytes, percent } if percent >= 100 => size(bytes),
        MemoryLimit { bytes, percent } => format!("{}, {percent} %", size(bytes)),
    }
}

fn row(session: &SessionReport) -> [String; 11] {
    let state = match session {
        SessionReport { share, .. } if share.paused => "paused".to_string(),
        SessionReport { connected: true, .. } => "connected".to_string(),
        SessionReport { silent_ns, .. } => format!("away for {}", duration(*silent_ns)),
    };
    [
        session.id.0.to_string(),
        session.name.clone(),
        session.user.clone(),
        session.host.clone(),
        duration(session.age_ns),
        session.share.user_weight.get().to_string(),
        limit(session.share.memory),
        session.workers.iter().flatten().count().to_string(),
        session.values.to_string(),
        session.queued.to_string(),
        state,
    ]
}

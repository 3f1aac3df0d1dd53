//! `gt sessions`, and what only the operator of a server may do: `gt kill`, `gt pause`, `gt resume`
//! and `gt drain`.

use gt_core::{Result, SessionId};
use gt_transport::Message;
use gt_transport::order::Order;
use gt_transport::report::{Report, SessionReport};
use gt_transport::share::MemoryLimit;
use serde_json::Value;

use crate::place::Place;
use crate::say::say;
use crate::status::{inquire, session_json};
use crate::table::{duration, size, table};

/// What `gt sessions` is told.
#[derive(clap::Args)]
pub struct Sessions {
    #[command(flatten)]
    place: Place,
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
    place: Place,
}

/// What `gt drain` is told.
#[derive(clap::Args)]
pub struct Drain {
    /// Take no more sessions; those that are there go on until they end.
    #[arg(long, required = true)]
    all: bool,
    /// Take sessions again.
    #[arg(long)]
    undo: bool,
    #[command(flatten)]
    place: Place,
}

/// Prints the sessions of a server.
pub fn sessions(args: &Sessions) -> Result<()> {
    let report = inquire(&args.place, &Message::StatusRequest)?;
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
    give(&args.place, Order::Kill(SessionId(args.session)))
}

/// Computes nothing more for a session until it is resumed.
pub fn pause(args: &One) -> Result<()> {
    give(&args.place, Order::Pause(SessionId(args.session)))
}

/// Goes on with a session.
pub fn resume(args: &One) -> Result<()> {
    give(&args.place, Order::Resume(SessionId(args.session)))
}

/// Takes no more sessions, or takes them again.
pub fn drain(args: &Drain) -> Result<()> {
    give(&args.place, if args.undo { Order::Undrain } else { Order::Drain })
}

/// Gives an order, and prints the sessions that are there then.
fn give(place: &Place, order: Order) -> Result<()> {
    say(as_text(&inquire(place, &Message::Order(order))?));
    Ok(())
}

fn as_text(report: &Report) -> String {
    if report.sessions.is_empty() {
        return "no sessions".to_string();
    }
    let rows: Vec<_> = report.sessions.iter().map(row).collect();
    let headings =
        ["id", "name", "user", "weight", "memory", "workers", "values", "queued", "state"];
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

fn row(session: &SessionReport) -> [String; 9] {
    let state = match session {
        SessionReport { share, .. } if share.paused => "paused".to_string(),
        SessionReport { connected: true, .. } => "connected".to_string(),
        SessionReport { silent_ns, .. } => format!("away for {}", duration(*silent_ns)),
    };
    [
        session.id.0.to_string(),
        session.name.clone(),
        session.user.clone(),
        session.share.user_weight.get().to_string(),
        limit(session.share.memory),
        session.workers.iter().flatten().count().to_string(),
        session.values.to_string(),
        session.queued.to_string(),
        state,
    ]
}

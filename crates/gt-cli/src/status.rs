//! `gt status`: who is connected to a server, and what waits.

use std::time::{Duration, Instant};

use bytes::Bytes;
use gt::address::Address;
use gt_core::{Error, Result};
use gt_transport::Message;
use gt_transport::codec::Limits;
use gt_transport::reliable::{open_unsequenced, unsequenced};
use gt_transport::report::{ChannelTraffic, Report, Road, SessionReport, WorkerReport};
use gt_transport::share::MemoryLimit;
use gt_zmq::{Context, Dealer, DealerEvent, Options};
use serde_json::{Value, json};

use crate::place::{Target, Which};
use crate::say::say;
use crate::table::{duration, size, table};

/// How long a server may take to connect and to answer, all together.
const PATIENCE: Duration = Duration::from_millis(2_500);

/// More channels than these are summed: n workers have n² of them.
const CHANNEL_LINES: usize = 16;

/// What `gt status` is told.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Print a line for each pair of processes that exchange tensor data, however many there are.
    #[arg(long)]
    channels: bool,
}

/// Asks a server and prints what it says.
pub fn run(args: &Args) -> Result<()> {
    let target = args.which.find()?;
    let report = inquire(&target, &Message::StatusRequest)?;
    if args.json {
        say(format_args!("{:#}", as_json(&report)));
    } else {
        let most = if args.channels { usize::MAX } else { CHANNEL_LINES };
        say(as_text(&target.address, &report, most));
    }
    Ok(())
}

/// Says something to a server that answers with a report.
pub(crate) fn inquire(target: &Target, message: &Message) -> Result<Report> {
    let Target { address, trust } = target;
    let endpoint = address.endpoint(trust)?;
    let options = Options { connect_timeout: PATIENCE, ..Options::default() };
    let context = Context::new().map_err(Error::runtime)?;
    let mut dealer = Dealer::connect(&context, &endpoint, &options).map_err(Error::runtime)?;
    dealer.send(&unsequenced(message)).map_err(Error::runtime)?;
    let deadline = Instant::now() + PATIENCE;
    let mut connected = false;
    while Instant::now() < deadline {
        let left = deadline.saturating_duration_since(Instant::now());
        gt_zmq::wait(&[&dealer], &[], left).map_err(Error::runtime)?;
        while let Some(event) = dealer.receive().map_err(Error::runtime)? {
            match event {
                DealerEvent::Connected => connected = true,
                DealerEvent::Message(parts) => return understand(address, &parts),
                DealerEvent::Refused(reason) => return Err(nobody(address, &reason)),
                DealerEvent::Rejected(reason) => return Err(rejected(address, &reason)),
                DealerEvent::Gone => return Err(closed(address)),
            }
        }
    }
    Err(silent(address, connected))
}

fn understand(address: &Address, parts: &[Bytes]) -> Result<Report> {
    let message = open_unsequenced(parts, &Limits::CONTROL);
    match message.map_err(|error| error.within(format_args!("what answers at {address}")))? {
        Some(Message::Report(report)) => Ok(*report),
        Some(Message::Ended { error, .. }) => Err(error.within(address)),
        _ => Err(Error::Lost(format!("{address} answers something else than a report"))),
    }
}

pub(crate) fn nobody(address: &Address, reason: &str) -> Error {
    let port = address.port();
    let others = address.servers_here();
    Error::Lost(format!(
        "there is no server at {address} ({reason}){others}; start one there with \
         `gt server -p {port}`, with --bind if it is another host"
    ))
}

pub(crate) fn rejected(address: &Address, reason: &str) -> Error {
    Error::Lost(format!(
        "the server at {address} refuses this key ({reason}); copy the server's cluster.key, or a \
         file made there with `gt keys new`, and name it with --key or GT_KEY"
    ))
}

pub(crate) fn closed(address: &Address) -> Error {
    Error::Lost(format!(
        "the server at {address} has closed the connection; it ends, or admits other users only"
    ))
}

fn silent(address: &Address, connected: bool) -> Error {
    let found =
        if connected { "a server is there, but busy or stopped" } else { "nothing was heard" };
    Error::Lost(format!("{address} does not answer within {} ms: {found}", PATIENCE.as_millis()))
}

/// What is there, with a line for each channel if there are no more than these.
fn as_text(address: &Address, report: &Report, most_channels: usize) -> String {
    let Report { version, uptime_ns, workers, sessions, traffic } = report;
    let up = duration(*uptime_ns);
    let worker_rows: Vec<_> = workers.iter().map(worker_row).collect();
    let session_rows: Vec<_> = sessions.iter().map(session_row).collect();
    let of_workers =
        ["id", "name", "engine", "device", "threads", "memory", "limit", "queued", "state"];
    let of_sessions =
        ["id", "name", "user", "host", "age", "connected", "workers", "values", "queued"];
    let mut parts = vec![format!("GT {version} at {address}, up for {up}")];
    parts.push(section("workers", of_workers, &worker_rows));
    parts.push(section("sessions", of_sessions, &session_rows));
    let rows = channel_rows(workers, most_channels);
    if !rows.is_empty() {
        let of_channels = ["worker", "with", "by", "in", "out"];
        parts.push(section("channels for tensor data", of_channels, &rows));
    }
    parts.push(format!(
        "traffic: {} messages, {} commands, {} refused, {} payloads (largest {}), {} relayed",
        traffic.messages,
        traffic.commands,
        traffic.refused,
        traffic.payloads,
        size(traffic.largest_payload),
        size(traffic.relayed_bytes),
    ));
    parts.join("\n\n")
}

fn section<const N: usize>(name: &str, headings: [&str; N], rows: &[[String; N]]) -> String {
    match rows {
        [] => format!("no {name}"),
        rows => format!("{name}\n{}", table(headings, rows)),
    }
}

fn worker_row(worker: &WorkerReport) -> [String; 9] {
    let WorkerReport { id, info, used_bytes, queued, is_drained, .. } = worker;
    [
        id.to_string(),
        info.name.clone(),
        info.engine.clone(),
        info.device.clone(),
        info.threads.to_string(),
        size(*used_bytes),
        size(info.memory_bytes),
        queued.to_string(),
        if *is_drained { "drained" } else { "in use" }.to_string(),
    ]
}

/// A line for each channel; or, if there are more than `most`, one for each worker and way.
fn channel_rows(workers: &[WorkerReport], most: usize) -> Vec<[String; 5]> {
    let row = |worker: &WorkerReport, with: String, road, bytes_in, bytes_out| {
        let road = road_name(road).to_string();
        [worker.id.to_string(), with, road, size(bytes_in), size(bytes_out)]
    };
    let count: usize = workers.iter().map(|worker| worker.channels.len()).sum();
    let mut rows = Vec::new();
    for worker in workers {
        if count <= most {
            rows.extend(worker.channels.iter().map(|channel| {
                let ChannelTraffic { peer, road, bytes_in, bytes_out, .. } = *channel;
                row(worker, peer.to_string(), road, bytes_in, bytes_out)
            }));
            continue;
        }
        for road in [Road::Memory, Road::Tcp, Road::Relay] {
            let those = || worker.channels.iter().filter(|channel| channel.road == road);
            let sum =
                |bytes: fn(&ChannelTraffic) -> u64| those().map(bytes).fold(0, u64::saturating_add);
            let with = match those().count() {
                0 => continue,
                1 => "1 process".to_string(),
                count => format!("{count} processes"),
            };
            let (bytes_in, bytes_out) = (sum(|one| one.bytes_in), sum(|one| one.bytes_out));
            rows.push(row(worker, with, road, bytes_in, bytes_out));
        }
    }
    rows
}

fn road_name(road: Road) -> &'static str {
    match road {
        Road::Memory => "shared memory",
        Road::Tcp => "TCP",
        Road::Relay => "the relay",
    }
}

fn session_row(session: &SessionReport) -> [String; 9] {
    let SessionReport { id, name, user, host, connected, workers, values, queued, .. } = session;
    let (silent, age) = (duration(session.silent_ns), duration(session.age_ns));
    let connected = if *connected { "yes".to_string() } else { format!("no, for {silent}") };
    let workers: Vec<String> = workers
        .iter()
        .map(|worker| worker.map_or("vacant".to_string(), |worker| worker.to_string()))
        .collect();
    let workers = workers.join(",");
    let (id, values, queued) = (id.to_string(), values.to_string(), queued.to_string());
    [id, name.clone(), user.clone(), host.clone(), age, connected, workers, values, queued]
}

fn as_json(report: &Report) -> Value {
    let channel = |channel: &ChannelTraffic| {
        json!({
            "with": channel.peer.to_string(),
            "by": road_name(channel.road),
            "bytes_in": channel.bytes_in,
            "bytes_out": channel.bytes_out,
        })
    };
    let worker = |worker: &WorkerReport| {
        json!({
            "id": worker.id.0,
            "name": worker.info.name,
            "host": worker.info.host,
            "pid": worker.info.pid,
            "engine": worker.info.engine,
            "device": worker.info.device,
            "threads": worker.info.threads,
            "memory_bytes": worker.used_bytes,
            "memory_limit_bytes": worker.info.memory_bytes,
            "queued": worker.queued,
            "drained": worker.is_drained,
            "silent_seconds": seconds(worker.silent_ns),
            "channels": worker.channels.iter().map(channel).collect::<Vec<_>>(),
        })
    };
    let traffic = &report.traffic;
    json!({
        "version": report.version,
        "uptime_seconds": seconds(report.uptime_ns),
        "workers": report.workers.iter().map(worker).collect::<Vec<_>>(),
        "sessions": report.sessions.iter().map(session_json).collect::<Vec<_>>(),
        "traffic": {
            "messages": traffic.messages,
            "commands": traffic.commands,
            "refused": traffic.refused,
            "payloads": traffic.payloads,
            "largest_payload_bytes": traffic.largest_payload,
            "relayed_bytes": traffic.relayed_bytes,
        },
    })
}

/// A session as JSON.
pub(crate) fn session_json(session: &SessionReport) -> Value {
    let workers: Vec<_> = session.workers.iter().map(|worker| worker.map(|id| id.0)).collect();
    let mut modifiers = json!({});
    for (modifier, what, count) in session.modifiers.list() {
        modifiers[modifier][what] = count.into();
    }
    json!({
        "modifiers": modifiers,
        "id": session.id.0,
        "name": session.name,
        "user": session.user,
        "host": session.host,
        "age_seconds": seconds(session.age_ns),
        "weight": session.share.user_weight.get(),
        "paused": session.share.paused,
        "memory_limit": limit_json(session.share.memory),
        "user_memory_limit": limit_json(session.share.user_memory),
        "connected": session.connected,
        "workers": workers,
        "values": session.values,
        "queued": session.queued,
        "silent_seconds": seconds(session.silent_ns),
    })
}

/// What is limited of memory on a worker, if anything is.
fn limit_json(limit: MemoryLimit) -> Value {
    let bytes = (limit.bytes < u64::MAX).then_some(limit.bytes);
    let percent = (limit.percent < 100).then_some(limit.percent);
    if limit.is_none() { Value::Null } else { json!({"bytes": bytes, "percent": percent}) }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use gt_core::WorkerId;
    use gt_transport::Peer;

    use super::*;

    fn worker(id: u32, others: u32) -> WorkerReport {
        let peers = (0..others).map(|other| Peer::Worker(WorkerId(other)));
        let channel = |peer| {
            let road = if peer == Peer::Worker(WorkerId(0)) { Road::Relay } else { Road::Memory };
            ChannelTraffic { bytes_in: 1024, ..ChannelTraffic::new(peer, road) }
        };
        WorkerReport {
            id: WorkerId(id),
            info: Default::default(),
            silent_ns: 0,
            used_bytes: 0,
            queued: 0,
            is_drained: false,
            channels: peers.map(channel).collect(),
        }
    }

    #[test]
    fn many_channels_are_summed_by_worker_and_way() {
        let few = [worker(1, 2), worker(2, 3)];
        assert_eq!(channel_rows(&few, CHANNEL_LINES).len(), 5);
        let many: Vec<WorkerReport> = (1..65).map(|id| worker(id, 64)).collect();
        let rows = channel_rows(&many, CHANNEL_LINES);
        assert_eq!(rows.len(), 2 * 64);
        let of_first = ["w1", "63 processes", "shared memory", "63.0 KiB", "0 B"];
        assert_eq!(rows[0], of_first);
        assert_eq!(rows[1], ["w1", "1 process", "the relay", "1.0 KiB", "0 B"]);
        assert_eq!(channel_rows(&many, usize::MAX).len(), 64 * 64);
    }
}

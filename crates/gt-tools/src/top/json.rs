//! The same for programs.

use serde_json::{Value, json};

use super::state::State;
use crate::kind::Kind;

/// What is shown, as JSON.
pub fn json(state: &State) -> Value {
    let workers = state.shown_workers().into_iter().map(|(id, worker)| {
        let kinds = Kind::ALL.iter().zip(&worker.busy);
        let kinds = kinds.map(|(kind, rate)| (kind.name().to_string(), json!(rate.per_second())));
        json!({
            "id": id.0,
            "name": worker.name,
            "busy": worker.share(),
            "idle": 1.0 - worker.share(),
            "kinds": kinds.collect::<serde_json::Map<_, _>>(),
            "commands_per_second": worker.commands.per_second(),
            "memory_bytes": worker.memory.0,
            "memory_limit_bytes": worker.memory.1,
            "queued": worker.queued,
        })
    });
    let workers: Vec<Value> = workers.collect();
    let all: f64 = state.sessions.values().map(|session| session.busy.per_second()).sum();
    let sessions = state.shown_sessions().into_iter().map(|(id, session)| {
        json!({
            "id": id.0,
            "name": session.name,
            "share": if all > 0.0 { session.busy.per_second() / all } else { 0.0 },
            "commands_per_second": session.commands.per_second(),
            "bytes_per_second": session.bytes.per_second(),
            "queued": session.queued,
            "values": session.values,
            "waiting": state.is_waiting(id),
        })
    });
    let sessions: Vec<Value> = sessions.collect();
    let links = state.links.iter().map(|((worker, peer), link)| {
        json!({
            "worker": worker.0,
            "with": peer.to_string(),
            "bytes_per_second": link.bytes.per_second(),
        })
    });
    json!({
        "source": state.source,
        "version": state.version,
        "uptime_seconds": state.uptime_ns as f64 / 1e9,
        "workers": workers,
        "sessions": sessions,
        "links": links.collect::<Vec<_>>(),
        "events": state.events,
        "events_lost": state.lost,
    })
}

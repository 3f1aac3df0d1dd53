//! What was found, for people and for programs.

use serde_json::{Value, json as object};

use super::facts::{Facts, Unanswered};
use super::sweep::{Cause, Explanation};
use crate::log::size;
use crate::timeline::duration;

/// A worker holds others up if it computes so many times as long as they do.
const SLOW: f64 = 1.5;
/// What takes less than this part of the time is not listed.
const SMALL: f64 = 0.001;

/// What held a session up most, in one sentence.
pub fn sentence(facts: &Facts, explanation: &Explanation) -> String {
    let Explanation { session, total_ns, reads, moved_bytes, .. } = explanation;
    let Some(cause) = explanation.largest() else {
        return format!("Nothing is known of what {session} waits for.");
    };
    let ns = explanation.causes[&cause];
    let of = |ns: u64| {
        let part = 100.0 * ns as f64 / *total_ns as f64;
        format!("{part:.0} % of {}", duration(*total_ns as f64))
    };
    let part = of(ns);
    match cause {
        Cause::Client => format!(
            "The client holds {session} up: for {part} its program had sent nothing to compute."
        ),
        Cause::Reads => format!(
            "Reads hold {session} up: {reads} of them took {part}, about {} each, in which nothing \
             was computed; read less often, or later.",
            duration(ns as f64 / (*reads).max(1) as f64)
        ),
        Cause::Dispatcher => format!(
            "The dispatcher holds {session} up: for {part} it had commands that it had not sent \
             to a worker."
        ),
        Cause::Held(worker) => format!(
            "Worker {} holds {session} up: for {part} it had commands of {session} and the trace \
             shows no work there. They waited for values or for a failure barrier, or the worker \
             was busy with work that it was given before the trace began.",
            facts.workers.list[worker as usize]
        ),
        Cause::Link(first, last) => format!(
            "The link between {} and {} holds {session} up: for {part} values were on their way \
             ({} in all) and nothing was computed.",
            facts.workers.list[first as usize],
            facts.workers.list[last as usize],
            size(*moved_bytes)
        ),
        Cause::Session(rival) => format!(
            "Session {} holds {session} up: for {part} workers computed for it while commands of \
             {session} waited there.",
            facts.sessions[rival as usize].name
        ),
        Cause::Worker(worker) => working(facts, explanation, worker, &of),
    }
}

/// Workers compute most of the time: one of them alone, or all of them.
fn working(
    facts: &Facts,
    explanation: &Explanation,
    worker: u16,
    of: &dyn Fn(u64) -> String,
) -> String {
    let (session, ns) = (&explanation.session, explanation.causes[&Cause::Worker(worker)]);
    let name = &facts.workers.list[worker as usize];
    let most = explanation.longest.get(&worker).map_or("work", String::as_str);
    let others = explanation.causes.keys().filter(|cause| matches!(cause, Cause::Worker(_)));
    let others = others.count().saturating_sub(1);
    let rest_ns = explanation.computed_ns() - ns;
    if others > 0 && ns as f64 > SLOW * rest_ns as f64 / others as f64 {
        return format!(
            "Worker {name} holds {session} up: for {} it computed while others waited for it or \
             had less to do; most of its time went into {most}.",
            of(ns)
        );
    }
    format!(
        "The work itself takes that long: for {} workers computed for {session}; most of the time \
         of {name} went into {most}.",
        of(explanation.computed_ns())
    )
}

/// The causes that matter, the largest first.
fn listed(explanation: &Explanation) -> Vec<(Cause, u64)> {
    let is_large = |ns: u64| ns as f64 >= SMALL * explanation.total_ns as f64;
    let causes = explanation.causes.iter().map(|(cause, ns)| (*cause, *ns));
    let mut listed: Vec<(Cause, u64)> = causes.filter(|(_, ns)| is_large(*ns)).collect();
    listed.sort_by_key(|(_, ns)| std::cmp::Reverse(*ns));
    listed
}

fn name(facts: &Facts, cause: Cause) -> String {
    match cause {
        Cause::Client => "client".to_string(),
        Cause::Reads => "reads".to_string(),
        Cause::Dispatcher => "dispatcher".to_string(),
        Cause::Held(worker) => format!("held at {}", facts.workers.list[worker as usize]),
        Cause::Worker(worker) => format!("worker {}", facts.workers.list[worker as usize]),
        Cause::Link(first, last) => {
            format!(
                "link {}-{}",
                facts.workers.list[first as usize], facts.workers.list[last as usize]
            )
        }
        Cause::Session(session) => format!("session {}", facts.sessions[session as usize].name),
    }
}

/// What kind of cause it is.
fn kind(cause: Cause) -> &'static str {
    match cause {
        Cause::Client => "client",
        Cause::Reads => "reads",
        Cause::Dispatcher => "dispatcher",
        Cause::Held(_) => "held",
        Cause::Worker(_) => "worker",
        Cause::Link(..) => "link",
        Cause::Session(_) => "fairness",
    }
}

/// The request without an answer when the trace ended, and what it waits for.
fn unanswered(facts: &Facts, explanation: &Explanation) -> Option<String> {
    let Unanswered { request, waited_ns, worker, command } = explanation.unanswered.as_ref()?;
    let waited = duration(*waited_ns as f64);
    let reason = match worker {
        Some(worker) => {
            let worker = &facts.workers.list[*worker as usize];
            format!("the oldest command that is not finished is `{command}` at {worker}")
        }
        None => "no worker has a command of it".to_string(),
    };
    Some(format!("  `{request}` had no answer after {waited}: {reason}."))
}

/// The sentence and a table below it.
pub fn text(facts: &Facts, explanation: &Explanation) -> String {
    let mut text = sentence(facts, explanation);
    for (cause, ns) in listed(explanation) {
        let part = 100.0 * ns as f64 / explanation.total_ns as f64;
        text +=
            &format!("\n  {:<20} {:>10} {part:>6.1} %", name(facts, cause), duration(ns as f64));
    }
    if let Some(line) = unanswered(facts, explanation) {
        text += "\n";
        text += &line;
    }
    text
}

/// The same for programs.
pub fn json(facts: &Facts, explanation: &Explanation) -> Value {
    let total = explanation.total_ns as f64;
    let causes = listed(explanation).into_iter().map(|(cause, ns)| {
        object!({
            "cause": kind(cause),
            "name": name(facts, cause),
            "seconds": ns as f64 / 1e9,
            "share": ns as f64 / total,
        })
    });
    object!({
        "session": explanation.session,
        "seconds": total / 1e9,
        "cause": explanation.largest().map(kind),
        "name": explanation.largest().map(|cause| name(facts, cause)),
        "sentence": sentence(facts, explanation),
        "reads": explanation.reads,
        "moved_bytes": explanation.moved_bytes,
        "unanswered": explanation.unanswered.as_ref().map(|open| object!({
            "request": open.request,
            "seconds": open.waited_ns as f64 / 1e9,
            "worker": open.worker.map(|worker| &facts.workers.list[worker as usize]),
            "command": open.command,
        })),
        "causes": causes.collect::<Vec<_>>(),
    })
}

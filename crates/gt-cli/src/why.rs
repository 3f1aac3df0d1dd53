//! `gt why`: what a program in a log or trace waits for.

use std::path::PathBuf;

use gt_core::{Error, Result};
use gt_tools::why::{Explanation, Facts, explain, explain_session, json, text};
use serde_json::json as object;

use crate::say::say;
use crate::visualize::read_lines;

/// What `gt why` is told.
#[derive(clap::Args)]
pub struct Args {
    /// Instruction logs, and what `gt trace` wrote.
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// Speak of one session only, such as s1.
    #[arg(long)]
    session: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Explains each session, the one that waited longest first.
pub fn run(args: &Args) -> Result<()> {
    let mut facts = Facts::default();
    read_lines(&args.traces, |line| facts.line(line))?;
    let found: Vec<Explanation> = match &args.session {
        Some(name) => explain_session(&facts, name).into_iter().collect(),
        None => explain(&facts),
    };
    if found.is_empty() {
        let whose = args.session.as_deref().unwrap_or("a session");
        return Err(Error::value(format!("there are no commands of {whose} to speak of")));
    }
    if args.json {
        let sessions: Vec<_> = found.iter().map(|one| json(&facts, one)).collect();
        let (events, missing, known) = (facts.events, facts.missing, facts.session_count());
        let all = object!({
            "sessions": sessions, "known_sessions": known, "events": events, "missing": missing,
        });
        say(format_args!("{all:#}"));
        return Ok(());
    }
    let mut parts: Vec<String> = found.iter().map(|one| text(&facts, one)).collect();
    let others = facts.session_count().saturating_sub(found.len());
    if others > 0 && args.session.is_none() {
        parts.push(format!("{others} more sessions lasted shorter; --session speaks of one."));
    }
    if facts.missing > 0 {
        parts.push(format!("{} events are missing, so that this may be wrong.", facts.missing));
    }
    say(parts.join("\n\n"));
    Ok(())
}

//! `gt why`: what a program in a log or trace waits for.

use std::path::PathBuf;

use gt_core::{Error, Result};
use gt_tools::why::{Explanation, Facts, explain, json, text};
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
    let is_wanted = |one: &Explanation| args.session.as_ref().is_none_or(|id| *id == one.session);
    let found: Vec<Explanation> = explain(&facts).into_iter().filter(is_wanted).collect();
    if found.is_empty() {
        let whose = args.session.as_deref().unwrap_or("a session");
        return Err(Error::value(format!("there are no commands of {whose} to speak of")));
    }
    if args.json {
        let sessions: Vec<_> = found.iter().map(|one| json(&facts, one)).collect();
        let (events, missing) = (facts.events, facts.missing);
        let all = object!({"sessions": sessions, "events": events, "missing": missing});
        say(format_args!("{all:#}"));
        return Ok(());
    }
    let mut parts: Vec<String> = found.iter().map(|one| text(&facts, one)).collect();
    if facts.missing > 0 {
        parts.push(format!("{} events are missing, so that this may be wrong.", facts.missing));
    }
    say(parts.join("\n\n"));
    Ok(())
}

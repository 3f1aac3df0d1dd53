//! `gt measure`: what work and messages cost here, as a file for `GT_COSTS`.

use std::path::PathBuf;
use std::time::Instant;

use gt::config::costs::MeasuredCosts;
use gt::placement::Wish;
use gt::settings::Settings;
use gt::{ConnectOptions, Ops, Session, Tensor};
use gt_core::{Error, Result};

use crate::say::say;

/// What `gt measure` is told.
#[derive(clap::Args)]
pub struct Args {
    /// The file to write; without one it is printed.
    file: Option<PathBuf>,
    /// How many workers to measure; all of the server at GT_SERVER, or two within this process.
    #[arg(long)]
    workers: Option<usize>,
}

/// Side of the matrices that are multiplied.
const SIDE: i64 = 1024;
/// Elements of what is added and handed over.
const ELEMENTS: i64 = 1 << 22;
/// How often each is measured; the quickest counts, as nothing makes work quicker than it is.
const TIMES: usize = 5;
/// So many messages are timed together.
const MESSAGES: usize = 20;

/// Measures, and writes what was found.
pub fn run(args: &Args) -> Result<()> {
    let is_alone = Settings::from_environment()?.server.is_none();
    let workers = args.workers.or(is_alone.then_some(2));
    let session = gt::connect(&ConnectOptions { workers, new: true, ..ConnectOptions::default() })?;
    let found = measure(&session)?;
    let text = format!(
        "# What {} workers do in a second, and what a message costs; by gt measure.\n{}",
        session.status().workers,
        found.to_yaml()
    );
    match &args.file {
        None => say(text.trim_end()),
        Some(path) => std::fs::write(path, text)
            .map_err(|error| Error::value(format!("cannot write '{}': {error}", path.display())))?,
    }
    Ok(())
}

fn measure(session: &Session) -> Result<MeasuredCosts> {
    let workers = session.status().workers;
    let matrices = on_each(workers, || gt::randn(&[SIDE, SIDE]))?;
    let product = |of: &[Tensor]| -> Result<()> {
        let results = of.iter().map(|one| one.matmul(one)).collect::<Result<Vec<_>>>()?;
        session.synchronize()?;
        drop(results);
        Ok(())
    };
    let alone = seconds(|| product(&matrices[..1]))?;
    let together = seconds(|| product(&matrices))?;
    let rows = on_each(1, || gt::ones(&[ELEMENTS]))?;
    let added = seconds(|| {
        let sum = rows[0].add(&rows[0])?;
        session.synchronize()?;
        drop(sum);
        Ok(())
    })?;
    let floats = SIDE as f64;
    let mut found = MeasuredCosts {
        flops: Some(2.0 * floats.powi(3) / alone),
        memory_bytes: Some(12.0 * ELEMENTS as f64 / added),
        workers_at_once: Some((workers as f64 * alone / together).clamp(1.0, workers as f64)),
        ..MeasuredCosts::default()
    };
    if workers > 1 {
        let small = on_each(1, || gt::ones(&[1]))?;
        let message = seconds(|| hand_over(session, &small[0], MESSAGES))? / MESSAGES as f64;
        let value = seconds(|| hand_over(session, &rows[0], 1))?;
        found.message_seconds = Some(message);
        found.link_bytes = Some(4.0 * ELEMENTS as f64 / (value - message).max(1e-9));
    }
    Ok(found)
}

/// A value of its own on each of the first workers.
fn on_each(workers: usize, make: impl Fn() -> Result<Tensor>) -> Result<Vec<Tensor>> {
    (0..workers as u32)
        .map(|worker| make()?.place_in("measure", Wish::replicated([worker])))
        .collect()
}

/// Hands a value to the second worker, and what came of it back, so many times in a row.
fn hand_over(session: &Session, value: &Tensor, times: usize) -> Result<()> {
    let mut value = value.add(0.0)?;
    for turn in 0..times as u32 {
        value = value.place_in("measure", Wish::replicated([1 - turn % 2]))?.add(0.0)?;
    }
    session.synchronize()?;
    drop(value);
    Ok(())
}

/// How long something takes at best.
fn seconds(mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    run()?;
    let mut best = f64::INFINITY;
    for _ in 0..TIMES {
        let begun = Instant::now();
        run()?;
        best = best.min(begun.elapsed().as_secs_f64());
    }
    Ok(best.max(1e-9))
}

//! `gt trace`: what happens at a running dispatcher for a while, as an instruction log.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use gt_core::event::{Detail, Event, Events};
use gt_core::{Error, Result};
use gt_tools::InstructionLog;
use gt_tools::timeline::many;
use gt_transport::stop::Stop;

use crate::say::say;
use crate::signals::Attention;
use crate::source::{Seen, Source, Which};

/// How often Ctrl-C is looked for.
const LOOK: Duration = Duration::from_millis(100);

/// A program tells of what happened together, so late.
const LATE: Duration = Duration::from_millis(150);

/// How long a trace may last.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);

/// What `gt trace` is told.
#[derive(clap::Args)]
pub struct Args {
    /// How long to capture.
    #[arg(short, long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Duration,
    /// Stop after so many events.
    #[arg(short = 'n', long, value_name = "EVENTS")]
    max_events: Option<u64>,
    /// The folder for the trace.
    #[arg(long, default_value = ".")]
    dir: PathBuf,
    #[command(flatten)]
    which: Which,
}

fn seconds(text: &str) -> std::result::Result<Duration, String> {
    let wrong = || "a number of seconds above zero is needed, such as 2 or 0.5".to_string();
    let seconds = text.parse::<f64>().map_err(|_| wrong())?;
    if seconds > LONGEST.as_secs_f64() {
        return Err(format!("a trace lasts {} seconds at most, a week", LONGEST.as_secs()));
    }
    Duration::try_from_secs_f64(seconds).ok().filter(|one| !one.is_zero()).ok_or_else(wrong)
}

/// What was captured.
#[derive(Default)]
struct Captured {
    events: u64,
    lost: u64,
    sessions: BTreeSet<u64>,
    workers: BTreeSet<u32>,
}

/// Captures, and says what.
pub fn run(args: &Args) -> Result<()> {
    let stop = Stop::new()?;
    let _attention = Attention::pay(&stop)?;
    let mut source = args.which.open(Detail::Each)?;
    let path = args.dir.join(file_name());
    let mut log = InstructionLog::new(create(&args.dir, &path)?);
    let start = Instant::now();
    let mut captured = Captured::default();
    let end = capture(&mut source, &mut log, args, &stop, &mut captured);
    log.flush().map_err(|error| cannot_write(&path, &error))?;
    let Captured { events, lost, sessions, workers } = &captured;
    let ended = match end {
        Ok(()) => String::new(),
        // What was captured before it ended is worth having.
        Err(error) if *events > 0 => format!("; {error}"),
        Err(error) => {
            let _ = fs::remove_file(&path);
            return Err(error);
        }
    };
    let missing = if *lost > 0 { format!(", {lost} are missing") } else { String::new() };
    let (path, seconds) = (path.display(), start.elapsed().min(args.seconds).as_secs_f64());
    say(format_args!(
        "captured {} of {} and {} of {} in {seconds:.1} s\
         {missing}{ended}\n{path}\n  gt visualize {path} --output timeline.png",
        many(*events, "event"),
        many(sessions.len() as u64, "session"),
        many(workers.len() as u64, "worker"),
        source.name,
    ));
    Ok(())
}

fn capture(
    source: &mut Source,
    log: &mut InstructionLog<File>,
    args: &Args,
    stop: &Stop,
    captured: &mut Captured,
) -> Result<()> {
    let deadline = Instant::now() + args.seconds + LATE;
    let most = args.max_events.unwrap_or(u64::MAX);
    while Instant::now() < deadline && !stop.is_stopped() && captured.events < most {
        let look = deadline.min(Instant::now() + LOOK);
        if let Some(Seen::Events(events)) = source.next(look)? {
            let events = captured.take(&events, most);
            let written = log.write(&events).and_then(|()| log.flush());
            written.map_err(|error| cannot_write(&args.dir, &error))?;
        }
    }
    Ok(())
}

impl Captured {
    /// Counts events, and gives those that are still wanted. Who was there before is no event.
    fn take(&mut self, events: &Events, most: u64) -> Events {
        let mut taken = Events { lost: events.lost, ..Events::default() };
        self.lost += events.lost;
        for (event, beside) in events.iter() {
            if self.events >= most {
                break;
            }
            let Event { session, .. } = *event;
            self.sessions.extend((session > 0).then_some(session));
            self.workers.extend(event.worker().map(|worker| worker.0));
            self.events += 1;
            taken.push(*event, beside);
        }
        taken
    }
}

fn create(folder: &Path, path: &Path) -> Result<File> {
    fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    file.map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Error {
    Error::runtime(format!("{} cannot be written: {error}", path.display()))
}

/// A name that no other trace has, and that sorts by time.
fn file_name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("trace_{}_{:03}_{}.log", now.as_secs(), now.subsec_millis(), std::process::id())
}

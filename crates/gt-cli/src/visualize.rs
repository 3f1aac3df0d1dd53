//! `gt visualize`: instruction logs and traces as a picture, a page, or a trace for other viewers.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use gt_core::{Error, Result};
use gt_tools::timeline::{Builder, Filter, Model, many, png, svg, write_chrome, write_page};

use crate::say::say;

/// No line of a log has so many bytes.
const MOST_LINE: u64 = 16 << 20;

/// What `gt visualize` is told.
#[derive(clap::Args)]
pub struct Args {
    /// Instruction logs, and what `gt trace` wrote.
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Where to write: a .png, .svg, .html or .json file; .json is read by Chrome and Perfetto.
    #[arg(short, long, default_value = "timeline.png", value_name = "FILE")]
    output: PathBuf,
    /// The dots per inch of a .png file.
    #[arg(long, default_value_t = 150, value_parser = clap::value_parser!(u32).range(10..=1200))]
    dpi: u32,
    /// Leave out what was before, in seconds since the dispatcher's start.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    from: Option<u64>,
    /// Leave out what came after.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    to: Option<u64>,
    /// Draw one session only, such as s1.
    #[arg(long)]
    session: Option<String>,
    /// Draw one worker only, such as w0.
    #[arg(long)]
    worker: Option<String>,
}

fn seconds(text: &str) -> std::result::Result<u64, String> {
    let seconds = text.trim_end_matches('s').parse::<f64>().ok().filter(|one| *one >= 0.0);
    seconds.map(|one| (one * 1e9) as u64).ok_or_else(|| format!("'{text}' is no number of seconds"))
}

/// Draws, and says what.
pub fn run(args: &Args) -> Result<()> {
    let form = Form::of(&args.output)?;
    let model = read(args)?;
    if model.events == 0 {
        let logs: Vec<String> = args.logs.iter().map(|log| log.display().to_string()).collect();
        return Err(Error::value(format!(
            "{} has no events to draw; GT_INSTRUCTION_LOG and `gt trace` write them",
            logs.join(", ")
        )));
    }
    let wrong = |error: std::io::Error| {
        Error::runtime(format!("{} cannot be written: {error}", args.output.display()))
    };
    let contents = match form {
        Form::Png => png(&svg(&model), args.dpi)?,
        Form::Svg => svg(&model).into_bytes(),
        Form::Html | Form::Json => Vec::new(),
    };
    let mut out = BufWriter::new(File::create(&args.output).map_err(wrong)?);
    match form {
        Form::Png | Form::Svg => out.write_all(&contents),
        Form::Html => write_page(&model, &mut out),
        Form::Json => write_chrome(&model, &mut out),
    }
    .and_then(|()| out.flush())
    .map_err(wrong)?;
    let Model { events, workers, missing, left_out, .. } = &model;
    let lacks = match missing + left_out {
        0 => String::new(),
        lacks => format!(" ({lacks} more are missing or too many)"),
    };
    let (events, workers) = (many(*events, "event"), many(workers.len() as u64, "worker"));
    say(format_args!("{}: {events} of {workers}{lacks}", args.output.display()));
    Ok(())
}

/// What is written.
#[derive(Clone, Copy)]
enum Form {
    Png,
    Svg,
    Html,
    Json,
}

impl Form {
    fn of(path: &Path) -> Result<Form> {
        match path.extension().and_then(OsStr::to_str) {
            Some("png") => Ok(Form::Png),
            Some("svg") => Ok(Form::Svg),
            Some("html" | "htm") => Ok(Form::Html),
            Some("json") => Ok(Form::Json),
            _ => Err(Error::value(format!(
                "--output {}: the name must end in .png, .svg, .html or .json",
                path.display()
            ))),
        }
    }
}

fn read(args: &Args) -> Result<Model> {
    let mut builder = Builder::new(Filter {
        from_ns: args.from,
        to_ns: args.to,
        session: args.session.clone(),
        worker: args.worker.clone(),
    });
    read_lines(&args.logs, |line| builder.line(line))?;
    Ok(builder.finish())
}

/// Reads logs line by line. What is longer than any line of a log is read as several.
pub(crate) fn read_lines(logs: &[PathBuf], mut take: impl FnMut(&str)) -> Result<()> {
    for log in logs {
        let wrong = |error| Error::value(format!("{} cannot be read: {error}", log.display()));
        let mut lines = BufReader::with_capacity(1 << 20, File::open(log).map_err(wrong)?);
        let mut line = Vec::new();
        while lines.by_ref().take(MOST_LINE).read_until(b'\n', &mut line).map_err(wrong)? > 0 {
            take(String::from_utf8_lossy(&line).trim_end());
            line.clear();
        }
    }
    Ok(())
}

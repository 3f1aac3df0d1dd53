//! `gt top`: who works on what at the moment.

use std::io::{IsTerminal, stdout};
use std::time::{Duration, Instant};

use gt_core::event::Detail;
use gt_core::{Error, Result};
use gt_tools::top::{State, draw, json};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};

use crate::say::is_heard;
use crate::source::{Seen, Source, Which};

/// How often the screen changes.
const TURN: Duration = Duration::from_millis(250);
/// How long `--once` looks.
const LOOK: Duration = Duration::from_millis(1_000);

/// What `gt top` is told.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// Look for a second, print what was seen, and end.
    #[arg(long)]
    once: bool,
    /// Print JSON; with --once once, else a line each second.
    #[arg(long)]
    json: bool,
    /// Use letters and not colours; NO_COLOR does the same.
    #[arg(long)]
    no_colour: bool,
}

/// Shows it until somebody has enough.
pub fn run(args: &Args) -> Result<()> {
    let mut source = args.which.open(Detail::Sums)?;
    let mut state = State::of(source.name.clone());
    if args.once || args.json || !stdout().is_terminal() {
        return print(&mut source, &mut state, args);
    }
    let has_colours = !args.no_colour && gt::settings::wants_colours();
    let mut terminal = ratatui::try_init()
        .map_err(|error| Error::runtime(format!("this terminal cannot be used: {error}")))?;
    let shown = show(&mut terminal, &mut source, &mut state, has_colours);
    ratatui::restore();
    shown
}

/// Looks for a while, and prints.
fn print(source: &mut Source, state: &mut State, args: &Args) -> Result<()> {
    loop {
        let start = Instant::now();
        watch(source, state, start + LOOK)?;
        state.turn(start.elapsed().as_secs_f64());
        let is_heard = match args.json {
            true if args.once => is_heard(format_args!("{:#}", json(state))),
            true => is_heard(json(state)),
            false => is_heard(screen(state)?),
        };
        if args.once || !args.json || !is_heard {
            return Ok(());
        }
    }
}

/// What the screen would show, as text.
fn screen(state: &State) -> Result<String> {
    let rows = 10 + state.workers.len() + state.sessions.len();
    let backend = ratatui::backend::TestBackend::new(100, u16::try_from(rows).unwrap_or(500));
    let wrong = |error| Error::bug(format!("nothing can be drawn: {error}"));
    let mut terminal = ratatui::Terminal::new(backend).map_err(wrong)?;
    terminal.draw(|frame| draw(frame, state, false)).map_err(wrong)?;
    let buffer = terminal.backend().buffer();
    let width = buffer.area.width as usize;
    let row = |cells: &[ratatui::buffer::Cell]| {
        let text: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
        text.trim_end().to_string()
    };
    let mut lines: Vec<String> = buffer.content.chunks(width).map(row).collect();
    // The last line has the keys, which nobody presses here.
    lines.pop();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    Ok(lines.join("\n"))
}

fn watch(source: &mut Source, state: &mut State, deadline: Instant) -> Result<()> {
    while Instant::now() < deadline {
        match source.next(deadline)? {
            Some(Seen::Events(events)) if !state.is_paused => state.take_events(&events),
            Some(Seen::Report(report)) if !state.is_paused => state.take_report(&report),
            Some(_) | None => {}
        }
    }
    Ok(())
}

fn show(
    terminal: &mut ratatui::DefaultTerminal,
    source: &mut Source,
    state: &mut State,
    has_colours: bool,
) -> Result<()> {
    let wrong = |error: std::io::Error| Error::runtime(format!("the terminal is gone: {error}"));
    let mut turned = Instant::now();
    loop {
        terminal.draw(|frame| draw(frame, state, has_colours)).map_err(wrong)?;
        let next = Instant::now() + TURN;
        while Instant::now() < next {
            while event::poll(Duration::ZERO).map_err(wrong)? {
                if !obey(state, &event::read().map_err(wrong)?) {
                    return Ok(());
                }
                terminal.draw(|frame| draw(frame, state, has_colours)).map_err(wrong)?;
            }
            watch(source, state, (Instant::now() + Duration::from_millis(100)).min(next))?;
        }
        if !state.is_paused {
            state.turn(turned.elapsed().as_secs_f64());
        }
        turned = Instant::now();
    }
}

/// Does what a key means; false if that is the end.
fn obey(state: &mut State, event: &Event) -> bool {
    let Event::Key(key) = event else { return true };
    if key.kind == KeyEventKind::Release {
        return true;
    }
    let is_interrupt =
        key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
    if is_interrupt {
        return false;
    }
    if state.is_typing {
        match key.code {
            KeyCode::Enter => state.is_typing = false,
            KeyCode::Esc => (state.is_typing, state.filter) = (false, String::new()),
            KeyCode::Backspace => drop(state.filter.pop()),
            KeyCode::Char(letter) => state.filter.push(letter),
            _ => {}
        }
        return true;
    }
    match key.code {
        KeyCode::Char('q') | KeyCode::Esc => return false,
        KeyCode::Char('p' | ' ') => state.is_paused = !state.is_paused,
        KeyCode::Char('s') => state.sort = state.sort.next(),
        KeyCode::Char('/' | 'f') => (state.is_typing, state.filter) = (true, String::new()),
        _ => {}
    }
    true
}

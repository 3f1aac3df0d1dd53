//! The screen of `gt top`.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::state::{SessionState, State, WorkerState};
use crate::kind::Kind;
use crate::log::size;

/// Columns of a worker's row beside its bar.
const WORKER_COLUMNS: u16 = 54;
const SHORTEST_BAR: u16 = 12;

/// Draws everything. Without colours, letters say what bars are made of.
pub fn draw(frame: &mut Frame, state: &State, has_colours: bool) {
    let links = state.links.values().filter(|link| link.bytes.per_second() > 0.0).count();
    let link_rows = if links > 0 { links.min(4) as u16 + 2 } else { 0 };
    let worker_rows = u16::try_from(state.workers.len().max(1) + 1).unwrap_or(u16::MAX);
    let session_rows = state.sessions.len().clamp(1, 6) as u16 + 2;
    let areas = Layout::vertical([
        Constraint::Length(3),
        Constraint::Max(worker_rows),
        Constraint::Length(session_rows),
        Constraint::Length(link_rows),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .split(frame.area());
    head(frame, areas[0], state, has_colours);
    workers(frame, areas[1], state, has_colours);
    sessions(frame, areas[2], state);
    links_of(frame, areas[3], state);
    foot(frame, areas[5], state);
}

fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

fn style(kind: Kind, has_colours: bool) -> Style {
    let (red, green, blue) = kind.colour();
    if has_colours { Style::new().fg(Color::Rgb(red, green, blue)) } else { Style::new() }
}

fn head(frame: &mut Frame, area: Rect, state: &State, has_colours: bool) {
    let up = state.uptime_ns / 1_000_000_000;
    let lost = match state.lost {
        0 => String::new(),
        lost => format!("  {lost} events missed"),
    };
    let paused = if state.is_paused { "  PAUSED" } else { "" };
    let title = format!("gt top  {}", state.source);
    let rest = format!(
        "  GT {}  up {}:{:02}:{:02}{lost}",
        state.version,
        up / 3600,
        up / 60 % 60,
        up % 60
    );
    let title = Line::from(vec![
        Span::styled(title, bold()),
        Span::raw(rest),
        Span::styled(paused, bold()),
    ]);
    let mut kinds = Vec::new();
    for kind in Kind::ALL {
        let sign = if has_colours { '█' } else { kind.letter() };
        kinds.push(Span::styled(sign.to_string(), style(kind, has_colours)));
        kinds.push(Span::raw(format!("{} ", kind.short())));
    }
    frame.render_widget(Paragraph::new(vec![title, Line::from(kinds)]), area);
}

fn workers(frame: &mut Frame, area: Rect, state: &State, has_colours: bool) {
    let bar = area.width.saturating_sub(WORKER_COLUMNS).max(SHORTEST_BAR) as usize;
    let heading = format!(
        "{:<12} {:<width$} {:>5} {:>8} {:>16} {:>6}",
        "WORKER",
        "BUSY",
        "IDLE",
        "OPS/S",
        "MEMORY",
        "QUEUE",
        width = bar
    );
    let mut lines = vec![Line::styled(heading, bold())];
    let shown = state.shown_workers();
    let room = (area.height as usize).saturating_sub(1);
    for (id, worker) in shown.iter().take(room) {
        let name = if worker.name.is_empty() { id.to_string() } else { worker.name.clone() };
        lines.push(worker_line(&name, worker, bar, has_colours));
    }
    if shown.is_empty() {
        lines.push(Line::raw("no workers"));
    } else if shown.len() > room && room > 0 {
        let rest = shown.len() - room + 1;
        *lines.last_mut().expect("there is a row") = Line::raw(format!("and {rest} more"));
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn worker_line<'a>(name: &str, worker: &WorkerState, width: usize, has_colours: bool) -> Line<'a> {
    let mut spans = vec![Span::raw(format!("{:<12} ", cut(name, 12)))];
    let mut used = 0;
    let mut share = 0.0;
    for (kind, rate) in Kind::ALL.into_iter().zip(&worker.busy) {
        share += rate.per_second();
        let until = ((share.min(1.0) * width as f64).round() as usize).max(used);
        let sign = if has_colours { '█' } else { kind.letter() };
        let piece: String = std::iter::repeat_n(sign, until - used).collect();
        spans.push(Span::styled(piece, style(kind, has_colours)));
        used = until;
    }
    spans.push(Span::raw(std::iter::repeat_n('·', width - used).collect::<String>()));
    let (used, limit) = worker.memory;
    spans.push(Span::raw(format!(
        " {:>4.0}% {:>8} {:>16} {:>6}",
        (1.0 - worker.share()) * 100.0,
        count(worker.commands.per_second()),
        format!("{}/{}", size(used), size(limit)),
        count(worker.queued as f64),
    )));
    Line::from(spans)
}

fn sessions(frame: &mut Frame, area: Rect, state: &State) {
    let heading = format!(
        "{:<7} {:<20} {:>6} {:>8} {:>10} {:>6} {:>6} {}",
        "SESSION", "NAME", "SHARE", "OPS/S", "BYTES/S", "QUEUE", "VALUES", "STATE"
    );
    let all: f64 = state.sessions.values().map(|one| one.busy.per_second()).sum();
    let mut lines = vec![Line::raw(""), Line::styled(heading, bold())];
    for (id, session) in state.shown_sessions() {
        let SessionState { name, busy, commands, bytes, queued, values, .. } = session;
        let share = if all > 0.0 { busy.per_second() / all * 100.0 } else { 0.0 };
        let what = match (state.is_waiting(id), *queued) {
            (true, _) => "waits",
            (false, 0) => "idle",
            (false, _) => "runs",
        };
        lines.push(Line::raw(format!(
            "{:<7} {:<20} {:>5.0}% {:>8} {:>10} {:>6} {:>6} {what}",
            id.to_string(),
            cut(name, 20),
            share,
            count(commands.per_second()),
            size(bytes.per_second() as u64),
            count(*queued as f64),
            count(*values as f64),
        )));
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn links_of(frame: &mut Frame, area: Rect, state: &State) {
    let mut links: Vec<_> = state.links.iter().collect();
    links.sort_by(|(_, a), (_, b)| b.bytes.per_second().total_cmp(&a.bytes.per_second()));
    let mut lines = vec![Line::raw(""), Line::styled("LINK", bold())];
    for ((worker, peer), link) in links.into_iter().filter(|(_, one)| one.bytes.per_second() > 0.0)
    {
        let rate = size(link.bytes.per_second() as u64);
        lines.push(Line::raw(format!("{worker} with {:<26} {rate:>10}/s", peer.to_string())));
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn foot(frame: &mut Frame, area: Rect, state: &State) {
    let words = if state.is_typing {
        format!("filter: {}_   Enter: done  Esc: all", state.filter)
    } else {
        let filter = match state.filter.as_str() {
            "" => String::new(),
            filter => format!("  [filter: {filter}]"),
        };
        format!("q quit  p pause  s sort: {}  / filter{filter}", state.sort.name())
    };
    let style = Style::new().add_modifier(Modifier::REVERSED);
    let width = area.width as usize;
    frame.render_widget(Paragraph::new(Line::styled(format!("{words:<width$}"), style)), area);
}

/// The beginning of a text.
fn cut(text: &str, most: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(most).collect()
}

/// A number that takes few letters.
fn count(number: f64) -> String {
    match number {
        number if number >= 1e9 => format!("{:.1}G", number / 1e9),
        number if number >= 1e6 => format!("{:.1}M", number / 1e6),
        number if number >= 1e4 => format!("{:.1}k", number / 1e3),
        number => format!("{number:.0}"),
    }
}

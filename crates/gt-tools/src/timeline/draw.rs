//! The timeline as SVG: lanes from top to bottom, time from left to right.

use super::model::{Model, Span};
use super::{marks, summary};
use crate::kind::Kind;

/// Appends a piece of SVG. Writing to memory does not fail.
macro_rules! put {
    ($out:expr, $($word:tt)*) => {{
        use std::fmt::Write as _;
        let _ = writeln!($out, $($word)*);
    }};
}
pub(super) use put;

/// How wide a picture is.
pub(super) const WIDTH: f64 = 1600.0;
pub(super) const LEFT: f64 = 132.0;
pub(super) const RIGHT: f64 = 28.0;
/// Where the lanes begin.
const TOP: f64 = 122.0;
const CLIENT_HEIGHT: f64 = 34.0;
const DISPATCHER_HEIGHT: f64 = 46.0;
const GAP: f64 = 14.0;
/// More clients than this share one lane.
const MOST_CLIENTS: usize = 6;
/// A lane with more spans is drawn column by column.
const MANY_SPANS: usize = 4000;
/// So many signals and moves are drawn.
const MOST_BOXES: usize = 3000;
/// An axis has about so many steps.
const STEPS: f64 = 10.0;
/// The width of a letter of the smallest size.
const LETTER: f64 = 5.6;

pub(super) const INK: &str = "#22262b";
pub(super) const PALE: &str = "#6b737c";

/// Where things are.
pub(super) struct Layout<'a> {
    pub(super) model: &'a Model,
    clients: usize,
    worker_height: f64,
    worker_gap: f64,
}

impl<'a> Layout<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        let worker_height = match model.workers.len() {
            0..=8 => 48.0,
            9..=24 => 28.0,
            _ => 14.0,
        };
        let clients = model.clients.len().clamp(1, MOST_CLIENTS);
        Layout { model, clients, worker_height, worker_gap: worker_height / 3.5 }
    }

    /// The place of a time.
    pub(super) fn x(&self, time_ns: u64) -> f64 {
        let Model { from_ns, to_ns, .. } = *self.model;
        let time_ns = time_ns.clamp(from_ns, to_ns);
        let part = (time_ns - from_ns) as f64 / (to_ns - from_ns).max(1) as f64;
        LEFT + part * (WIDTH - LEFT - RIGHT)
    }

    /// The middle of a client's lane.
    pub(super) fn client(&self, lane: u16) -> f64 {
        let lane = (lane as usize).min(self.clients - 1);
        TOP + lane as f64 * CLIENT_HEIGHT + CLIENT_HEIGHT / 2.0
    }

    /// The middle of the dispatcher's lane.
    pub(super) fn dispatcher(&self) -> f64 {
        TOP + self.clients as f64 * CLIENT_HEIGHT + GAP + DISPATCHER_HEIGHT / 2.0
    }

    /// The upper end of a worker's lane.
    pub(super) fn worker(&self, lane: u16) -> f64 {
        let first = self.dispatcher() + DISPATCHER_HEIGHT / 2.0 + 2.0 * GAP;
        first + f64::from(lane) * (self.worker_height + self.worker_gap)
    }

    pub(super) fn worker_height(&self) -> f64 {
        self.worker_height
    }

    /// Where the lanes end.
    pub(super) fn bottom(&self) -> f64 {
        self.worker(self.model.workers.len().max(1) as u16)
    }

    fn in_view(&self, start_ns: u64, end_ns: u64) -> bool {
        end_ns >= self.model.from_ns && start_ns <= self.model.to_ns
    }
}

/// A picture of the model.
pub fn svg(model: &Model) -> String {
    let layout = Layout::new(model);
    let summary_top = layout.bottom() + 46.0;
    let height = summary_top + summary::height(model);
    let mut out = String::with_capacity(1 << 20);
    put!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" \
         width=\"{WIDTH}\" height=\"{height:.0}\" font-family=\"DejaVu Sans, sans-serif\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
    );
    title(&mut out, model);
    legend(&mut out);
    axis(&mut out, &layout);
    bands(&mut out, &layout);
    lanes(&mut out, &layout);
    collectives(&mut out, &layout);
    spans(&mut out, &layout);
    marks::draw(&mut out, &layout);
    summary::draw(&mut out, model, summary_top);
    out.push_str("</svg>\n");
    out
}

/// A text.
pub(super) fn text(out: &mut String, (x, y): (f64, f64), size: f64, colour: &str, words: &str) {
    anchored(out, (x, y), size, colour, "start", words);
}

pub(super) fn anchored(
    out: &mut String,
    (x, y): (f64, f64),
    size: f64,
    colour: &str,
    anchor: &str,
    words: &str,
) {
    put!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{colour}\" \
         text-anchor=\"{anchor}\">{}</text>",
        escaped(words)
    );
}

/// A text inside XML.
pub(super) fn escaped(words: &str) -> String {
    let plain = words.chars().filter(|c| !c.is_control());
    let mut safe = String::with_capacity(words.len());
    for letter in plain {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            other => safe.push(other),
        }
    }
    safe
}

/// A colour as SVG writes it.
pub(super) fn colour(kind: Kind) -> String {
    let (red, green, blue) = kind.colour();
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// How many of something there are, for people.
pub fn many(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A time for people.
pub fn duration(ns: f64) -> String {
    match ns {
        ns if ns >= 1e9 => format!("{:.2} s", ns / 1e9),
        ns if ns >= 1e6 => format!("{:.2} ms", ns / 1e6),
        ns if ns >= 1e3 => format!("{:.1} µs", ns / 1e3),
        ns => format!("{ns:.0} ns"),
    }
}

fn title(out: &mut String, model: &Model) {
    text(out, (LEFT, 36.0), 20.0, INK, "Instruction timeline");
    let Model { events, missing, left_out, .. } = *model;
    let span = duration((model.to_ns - model.from_ns) as f64);
    let mut words = format!(
        "{} · {} · {} · {span}",
        many(events, "event"),
        many(model.clients.len() as u64, "session"),
        many(model.workers.len() as u64, "worker")
    );
    if missing > 0 {
        words += &format!(" · {missing} events are missing");
    }
    if left_out > 0 {
        words += &format!(" · {left_out} events are not drawn");
    }
    text(out, (LEFT, 56.0), 12.0, PALE, &words);
}

fn legend(out: &mut String) {
    let mut x = LEFT;
    for kind in Kind::ALL {
        put!(
            out,
            "<rect x=\"{x:.1}\" y=\"70\" width=\"12\" height=\"12\" rx=\"2\" fill=\"{}\"/>",
            colour(kind)
        );
        text(out, (x + 17.0, 80.0), 11.0, INK, kind.name());
        x += 34.0 + 6.8 * kind.name().len() as f64;
    }
    marks::legend(out, x + 14.0);
}

/// A round step for an axis of this length.
fn step(length: u64) -> f64 {
    let rough = (length as f64 / STEPS).max(1.0);
    let power = 10_f64.powf(rough.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().find(|round| round * power >= rough);
    round.unwrap_or(10.0) * power
}

fn axis(out: &mut String, layout: &Layout) {
    let Model { from_ns, to_ns, .. } = *layout.model;
    let step = step(to_ns - from_ns);
    let (top, bottom) = (TOP - 12.0, layout.bottom());
    // Counted in whole nanoseconds: a step is less than the accuracy of a time that is very late.
    let first = from_ns.div_ceil(step as u64).saturating_mul(step as u64);
    for time in (first..=to_ns).step_by(step as usize) {
        let x = layout.x(time);
        put!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{top:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" \
             stroke=\"#e3e7eb\" stroke-width=\"1\"/>"
        );
        let words = if time == 0 { "0".to_string() } else { axis_words(time as f64, step) };
        anchored(out, (x, bottom + 16.0), 11.0, PALE, "middle", &words);
    }
    anchored(out, (WIDTH - RIGHT, bottom + 34.0), 11.0, PALE, "end", "time since the start");
}

/// A time on an axis, as exactly as its steps are.
fn axis_words(time: f64, step: f64) -> String {
    let (unit, name) = match step {
        step if step >= 1e8 => (1e9, "s"),
        step if step >= 1e5 => (1e6, "ms"),
        _ => (1e3, "µs"),
    };
    let digits = (-(step / unit).log10()).ceil().max(0.0) as usize;
    format!("{:.digits$} {name}", time / unit)
}

/// Signals, as coloured grounds with their names.
fn bands(out: &mut String, layout: &Layout) {
    let (top, bottom) = (TOP - 14.0, layout.bottom());
    let mut free = LEFT;
    for band in layout.model.bands.iter().take(MOST_BOXES) {
        let (x, end) = (layout.x(band.start_ns), layout.x(band.end_ns));
        let width = (end - x).max(1.0);
        let hue = f64::from(band.label) * 137.5 % 360.0;
        put!(
            out,
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\" \
             fill=\"hsl({hue:.0},60%,55%)\" fill-opacity=\"0.10\"/>\
             <rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"4\" \
             fill=\"hsl({hue:.0},60%,45%)\"/>",
            bottom - top
        );
        let name = &layout.model.labels[band.label as usize];
        if x >= free {
            text(out, (x + 1.0, top - 4.0), 10.0, PALE, name);
            free = x + LETTER * 1.2 * name.len() as f64 + 8.0;
        }
    }
}

fn lane(out: &mut String, y: f64, height: f64, name: &str, fill: &str) {
    let width = WIDTH - LEFT - RIGHT;
    put!(
        out,
        "<rect x=\"{LEFT}\" y=\"{y:.1}\" width=\"{width}\" height=\"{height:.1}\" rx=\"3\" \
         fill=\"{fill}\" fill-opacity=\"0.75\"/>"
    );
    let short: String = name.chars().take(18).collect();
    let size = (height * 0.8).clamp(8.0, 12.0);
    anchored(out, (LEFT - 10.0, y + height / 2.0 + size / 3.0), size, INK, "end", &short);
}

fn lanes(out: &mut String, layout: &Layout) {
    let model = layout.model;
    for index in 0..layout.clients {
        let name = match model.clients.get(index) {
            Some(_) if index + 1 == layout.clients && model.clients.len() > layout.clients => {
                "other clients".to_string()
            }
            Some(name) => format!("client {name}"),
            None => "client".to_string(),
        };
        let y = layout.client(index as u16) - CLIENT_HEIGHT / 2.0 + 3.0;
        lane(out, y, CLIENT_HEIGHT - 6.0, &name, "#f4f6f8");
    }
    let y = layout.dispatcher() - DISPATCHER_HEIGHT / 2.0;
    lane(out, y, DISPATCHER_HEIGHT, "dispatcher", "#eef1f6");
    for (index, name) in model.workers.iter().enumerate() {
        // What is not covered by work was idle, and is shaded.
        let y = layout.worker(index as u16);
        lane(out, y, layout.worker_height(), &format!("worker {name}"), "#e9ebee");
    }
}

/// Values that all workers between two of them exchange.
fn collectives(out: &mut String, layout: &Layout) {
    let model = layout.model;
    let shown = model.transfers.iter().filter(|one| one.is_collective);
    for one in shown.filter(|one| layout.in_view(one.start_ns, one.end_ns)).take(MOST_BOXES) {
        let (x, end) = (layout.x(one.start_ns), layout.x(one.end_ns));
        let (top, bottom) = (layout.worker(one.lanes.0), layout.worker(one.lanes.1));
        put!(
            out,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"3\" \
             fill=\"{colour}\" fill-opacity=\"0.10\" stroke=\"{colour}\" stroke-opacity=\"0.55\" \
             stroke-width=\"0.8\"/>",
            top - 3.0,
            (end - x).max(1.5),
            bottom - top + layout.worker_height() + 6.0,
            colour = colour(Kind::Transfer),
        );
    }
}

fn spans(out: &mut String, layout: &Layout) {
    let model = layout.model;
    let mut by_lane: Vec<Vec<&Span>> = vec![Vec::new(); model.workers.len()];
    for span in model.spans.iter().filter(|span| layout.in_view(span.start_ns, span.end_ns)) {
        by_lane[span.lane as usize].push(span);
    }
    for (lane, spans) in by_lane.into_iter().enumerate() {
        match spans.len() > MANY_SPANS {
            true => columns(out, layout, lane as u16, &spans),
            false => spans.into_iter().for_each(|span| one_span(out, layout, span)),
        }
    }
}

fn one_span(out: &mut String, layout: &Layout, span: &Span) {
    let (x, end) = (layout.x(span.start_ns), layout.x(span.end_ns));
    let (y, width, height) = (layout.worker(span.lane), end - x, layout.worker_height());
    let edge = if span.has_failed { " stroke=\"#b00020\" stroke-width=\"2\"" } else { "" };
    put!(
        out,
        "<rect x=\"{x:.2}\" y=\"{y:.1}\" width=\"{:.2}\" height=\"{height}\" fill=\"{}\"{edge}/>",
        width.max(0.7),
        colour(span.kind)
    );
    let name = &layout.model.labels[span.label as usize];
    if height >= 24.0 && width > LETTER * name.len() as f64 + 6.0 {
        text(out, (x + 4.0, y + height / 2.0 - 1.0), 10.0, "#ffffff", name);
        let number = format!("#{}", span.instruction);
        if span.instruction > 0 && width > LETTER * number.len() as f64 + 6.0 {
            text(out, (x + 4.0, y + height / 2.0 + 12.0), 9.0, "#ffffff", &number);
        }
    }
}

/// Many spans: for each column, how much of its time went into which kind of work.
fn columns(out: &mut String, layout: &Layout, lane: u16, spans: &[&Span]) {
    let width = (WIDTH - LEFT - RIGHT) as usize;
    let mut busy = vec![[0.0_f64; Kind::ALL.len()]; width + 1];
    for span in spans {
        let kind = Kind::ALL.iter().position(|kind| *kind == span.kind).unwrap_or(0);
        let (start, end) = (layout.x(span.start_ns) - LEFT, layout.x(span.end_ns) - LEFT);
        let (first, last) = (start as usize, (end as usize).min(width));
        for (column, shares) in busy.iter_mut().enumerate().take(last + 1).skip(first) {
            let (left, right) = (column as f64, column as f64 + 1.0);
            shares[kind] += (end.min(right) - start.max(left)).max(0.0);
        }
    }
    let (top, height) = (layout.worker(lane), layout.worker_height());
    for (column, shares) in busy.iter().enumerate() {
        let total: f64 = shares.iter().sum();
        let scale = height / total.max(1.0);
        let mut bottom = top + height;
        for (kind, share) in Kind::ALL.into_iter().zip(shares).filter(|(_, share)| **share > 0.004)
        {
            bottom -= share * scale;
            put!(
                out,
                "<rect x=\"{:.0}\" y=\"{bottom:.2}\" width=\"1.05\" height=\"{:.2}\" \
                 fill=\"{}\"/>",
                LEFT + column as f64,
                share * scale,
                colour(kind)
            );
        }
    }
}

//! Events of the timeline as marks and arrows. Where there are many, one stands for all of its kind
//! that would lie on top of each other.

use std::collections::HashMap;

use super::draw::{INK, Layout, PALE, RIGHT, WIDTH, colour, put, text};
use super::entry::Event;
use super::model::{Mark, Transfer};
use crate::kind::Kind;

/// Marks that are closer than this are one.
const NEAR: f64 = 5.0;
/// Arrows that are closer than this are one.
const NEAR_ARROWS: f64 = 14.0;
/// Numbers are written where the last one ended.
const DIGIT: f64 = 5.6;

/// Marks of one kind at one place.
struct Group {
    x: f64,
    bytes: u64,
    count: u64,
}

/// What a mark looks like.
fn shape(out: &mut String, event: Event, (x, y): (f64, f64), size: f64, fill: &str) {
    let edge = "stroke=\"#ffffff\" stroke-width=\"0.7\"";
    let half = size;
    match event {
        Event::Recv => put!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{half:.1}\" fill=\"{fill}\" {edge}/>"
        ),
        Event::WorkerSend => put!(
            out,
            "<path d=\"M{:.1} {:.1}h{:.1}l{:.1} {:.1}z\" fill=\"{fill}\" {edge}/>",
            x - half,
            y - half,
            2.0 * half,
            -half,
            2.0 * half
        ),
        Event::WorkerRecv => put!(
            out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{fill}\" \
             {edge}/>",
            x - half,
            y - half,
            2.0 * half,
            2.0 * half
        ),
        Event::Send => put!(
            out,
            "<path d=\"M{x:.1} {:.1}l{half:.1} {half:.1}l{:.1} {half:.1}l{:.1} {:.1}z\" \
             fill=\"{fill}\" {edge}/>",
            y - half,
            -half,
            -half,
            -half
        ),
        Event::Connect | Event::Disconnect => put!(
            out,
            "<path d=\"M{:.1} {:.1}l{d:.1} {d:.1}m0 -{d:.1}l-{d:.1} {d:.1}\" stroke=\"{INK}\" \
             stroke-width=\"1.6\" fill=\"none\"/>",
            x - half,
            y - half,
            d = 2.0 * half
        ),
    }
}

/// The shapes and what they mean.
pub(super) fn legend(out: &mut String, mut x: f64) {
    for event in [Event::Recv, Event::WorkerSend, Event::WorkerRecv, Event::Send] {
        shape(out, event, (x, 76.0), 5.0, "#6b737c");
        text(out, (x + 10.0, 80.0), 11.0, INK, event.name());
        x += 34.0 + 7.4 * event.name().len() as f64;
    }
    text(out, (x, 80.0), 11.0, PALE, "larger: more bytes");
}

/// A size for so many bytes, between that of an empty command and that of a gigabyte.
fn size(bytes: u64) -> f64 {
    2.4 + 0.42 * (bytes.max(16) as f64 / 16.0).log2().min(26.0) / 2.0
}

/// Draws arrows and then the marks upon them.
pub(super) fn draw(out: &mut String, layout: &Layout) {
    arrows(out, layout);
    transfers(out, layout);
    put!(out, "<g>");
    let mut groups: HashMap<(u64, EventKey, Kind), Vec<Group>> = HashMap::new();
    for mark in layout.model.marks.iter().filter(|mark| in_view(layout, mark)) {
        let x = layout.x(mark.time_ns);
        for (y, event) in places(layout, mark) {
            let key = ((y * 10.0) as u64, EventKey(event), mark.kind);
            let groups = groups.entry(key).or_default();
            match groups.last_mut().filter(|group| (group.x - x).abs() < NEAR) {
                Some(group) => {
                    group.bytes = group.bytes.max(mark.bytes);
                    group.count += 1;
                }
                None => groups.push(Group { x, bytes: mark.bytes, count: 1 }),
            }
        }
    }
    let mut all: Vec<_> = groups.into_iter().collect();
    // What computes lies on top of what does not.
    all.sort_by_key(|((y, event, kind), _)| (*y, event.0.name(), std::cmp::Reverse(*kind)));
    for ((y, event, kind), groups) in all {
        for group in groups {
            let more = (group.count as f64).log2() * 0.25;
            let size = (size(group.bytes) + more).min(9.0);
            shape(out, event.0, (group.x, y as f64 / 10.0), size, &colour(kind));
        }
    }
    put!(out, "</g>");
    numbers(out, layout);
}

/// An event that can be a key.
#[derive(Clone, Copy, PartialEq, Eq)]
struct EventKey(Event);

impl std::hash::Hash for EventKey {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.name().hash(state);
    }
}

fn in_view(layout: &Layout, mark: &Mark) -> bool {
    (layout.model.from_ns..=layout.model.to_ns).contains(&mark.time_ns)
}

/// The heights at which a mark is drawn: in the dispatcher's lane, and at the other end.
fn places(layout: &Layout, mark: &Mark) -> Vec<(f64, Event)> {
    let Mark { event, lane, kind, .. } = *mark;
    let dispatcher = layout.dispatcher();
    match event {
        Event::Recv => vec![(layout.client(lane), event), (dispatcher - 14.0, event)],
        Event::Send => vec![(layout.client(lane), event), (dispatcher - 14.0, event)],
        // What workers are told that is no work would hide what is.
        Event::WorkerSend | Event::WorkerRecv if kind == Kind::Control => vec![],
        Event::WorkerSend => vec![(dispatcher + 2.0, event), (layout.worker(lane) - 4.0, event)],
        Event::WorkerRecv => vec![(dispatcher + 15.0, event)],
        Event::Connect | Event::Disconnect => vec![],
    }
}

/// Commands between lanes, and what comes back.
fn arrows(out: &mut String, layout: &Layout) {
    let mut last: HashMap<(u16, u8), f64> = HashMap::new();
    let dispatcher = layout.dispatcher();
    put!(out, "<g stroke-width=\"0.9\" fill=\"none\">");
    for mark in layout.model.marks.iter().filter(|mark| in_view(layout, mark)) {
        let x = layout.x(mark.time_ns);
        let (from, to, way) = match mark.event {
            Event::Recv => (layout.client(mark.lane), dispatcher - 18.0, 0),
            Event::Send => (dispatcher - 18.0, layout.client(mark.lane), 1),
            Event::WorkerSend => (dispatcher + 6.0, layout.worker(mark.lane) - 8.0, 2),
            _ => continue,
        };
        if mark.kind == Kind::Control && way == 2 {
            continue;
        }
        let free = last.entry((mark.lane, way)).or_insert(f64::MIN);
        if x - *free < NEAR_ARROWS {
            continue;
        }
        *free = x;
        arrow(out, (x, from), (x, to), &colour(mark.kind), 0.5);
    }
    returns(out, layout, &mut last);
    put!(out, "</g>");
}

/// From the end of work to the dispatcher that hears of it.
fn returns(out: &mut String, layout: &Layout, last: &mut HashMap<(u16, u8), f64>) {
    for span in &layout.model.spans {
        let shown = span.kind == Kind::Data;
        let x = layout.x(span.end_ns);
        let free = last.entry((span.lane, 3)).or_insert(f64::MIN);
        if shown && x - *free >= NEAR_ARROWS && span.end_ns <= layout.model.to_ns {
            *free = x;
            let from = (x, layout.worker(span.lane));
            arrow(out, from, (x, layout.dispatcher() + 20.0), &colour(span.kind), 0.35);
        }
    }
}

fn arrow(out: &mut String, from: (f64, f64), to: (f64, f64), colour: &str, opacity: f64) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length * 5.0, dy / length * 5.0);
    put!(
        out,
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}\" \
         stroke=\"{colour}\" stroke-opacity=\"{opacity}\"/>",
        from.0,
        from.1,
        to.0,
        to.1,
        to.0 - ux - uy * 0.5,
        to.1 - uy + ux * 0.5,
        to.0,
        to.1,
        to.0 - ux + uy * 0.5,
        to.1 - uy - ux * 0.5,
    );
}

/// Values from one worker to another.
fn transfers(out: &mut String, layout: &Layout) {
    put!(out, "<g stroke-width=\"1.4\" fill=\"none\">");
    let (from_ns, to_ns) = (layout.model.from_ns, layout.model.to_ns);
    let single = layout.model.transfers.iter().filter(|one| !one.is_collective);
    for one in single.filter(|one| one.end_ns >= from_ns && one.start_ns <= to_ns).take(3000) {
        let Transfer { start_ns, end_ns, lanes, .. } = *one;
        let (down, height) = (lanes.1 > lanes.0, layout.worker_height());
        let (from, to) = (layout.worker(lanes.0), layout.worker(lanes.1));
        let from = from + if down { height } else { 0.0 };
        let to = to + if down { 0.0 } else { height };
        let (from, to) = ((layout.x(start_ns), from), (layout.x(end_ns), to));
        arrow(out, from, to, &colour(Kind::Transfer), 0.9);
    }
    put!(out, "</g>");
}

/// Numbers of instructions, where there is room for them.
fn numbers(out: &mut String, layout: &Layout) {
    let mut free = f64::MIN;
    let received = layout.model.marks.iter().filter(|mark| mark.event == Event::Recv);
    for mark in received.filter(|mark| mark.instruction > 0 && in_view(layout, mark)) {
        let (x, words) = (layout.x(mark.time_ns), format!("#{}", mark.instruction));
        let has_room = x + DIGIT * words.len() as f64 + 8.0 < WIDTH - RIGHT;
        if x >= free && has_room {
            text(out, (x + 5.0, layout.dispatcher() - 7.0), 8.5, PALE, &words);
            free = x + DIGIT * words.len() as f64 + 14.0;
        }
    }
}

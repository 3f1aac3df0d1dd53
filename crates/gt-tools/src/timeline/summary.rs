//! What a timeline comes to in numbers: how busy workers were, and with what.

use std::collections::HashMap;

use super::draw::{INK, LEFT, PALE, RIGHT, WIDTH, anchored, colour, duration, put, text};
use super::model::{Model, Span};
use crate::kind::Kind;
use crate::log::size;

/// Operations that are listed.
const MOST_OPS: usize = 8;
/// Workers that are listed.
const MOST_WORKERS: usize = 16;
const ROW: f64 = 17.0;

/// An operation, and what all of its uses come to.
#[derive(Clone, Debug)]
pub struct Used {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub kind: Kind,
    /// How often it ran.
    pub count: u64,
    /// How long all of that took.
    pub total_ns: u64,
    /// How many bytes that made.
    pub bytes: u64,
}

/// The part of the time in which each worker was at something.
pub fn utilisation(model: &Model) -> Vec<f64> {
    let mut busy = vec![(0_u64, 0_u64); model.workers.len()];
    let mut spans: Vec<&Span> = model.spans.iter().collect();
    spans.sort_unstable_by_key(|span| span.start_ns);
    for span in spans {
        let (total, until) = &mut busy[span.lane as usize];
        // Spans of one worker may overlap where pieces of a command were joined.
        let start = span.start_ns.max(*until).max(model.from_ns);
        let end = span.end_ns.min(model.to_ns);
        *total += end.saturating_sub(start);
        *until = (*until).max(span.end_ns);
    }
    let all = (model.to_ns - model.from_ns).max(1) as f64;
    busy.into_iter().map(|(total, _)| total as f64 / all).collect()
}

/// Operations by the time they took, the longest first.
pub fn by_time(model: &Model) -> Vec<Used> {
    let mut used: HashMap<u16, Used> = HashMap::new();
    for span in &model.spans {
        let one = used.entry(span.label).or_insert_with(|| Used {
            name: model.labels[span.label as usize].clone(),
            kind: span.kind,
            count: 0,
            total_ns: 0,
            bytes: 0,
        });
        one.count += 1;
        one.total_ns = one.total_ns.saturating_add(span.end_ns - span.start_ns);
        one.bytes = one.bytes.saturating_add(span.bytes);
    }
    let mut used: Vec<Used> = used.into_values().collect();
    used.sort_by(|a, b| b.total_ns.cmp(&a.total_ns).then_with(|| a.name.cmp(&b.name)));
    used
}

/// How much room the summary needs.
pub(super) fn height(model: &Model) -> f64 {
    let rows = MOST_OPS.max(model.workers.len().min(MOST_WORKERS));
    58.0 + ROW * rows as f64
}

/// Draws it below the lanes.
pub(super) fn draw(out: &mut String, model: &Model, top: f64) {
    put!(
        out,
        "<line x1=\"{LEFT}\" y1=\"{top:.1}\" x2=\"{:.1}\" y2=\"{top:.1}\" stroke=\"#d4d9de\"/>",
        WIDTH - RIGHT
    );
    busy(out, model, top + 26.0);
    operations(out, model, top + 26.0);
}

fn busy(out: &mut String, model: &Model, top: f64) {
    text(out, (LEFT, top), 13.0, INK, "Utilisation");
    let shares = utilisation(model);
    for (index, (name, share)) in model.workers.iter().zip(&shares).take(MOST_WORKERS).enumerate() {
        let y = top + 20.0 + ROW * index as f64;
        text(out, (LEFT, y), 11.0, INK, &format!("worker {name}"));
        put!(
            out,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"260\" height=\"9\" rx=\"2\" fill=\"#e9ebee\"/>\
             <rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"9\" rx=\"2\" \
             fill=\"#3b6fb6\"/>",
            y - 9.0,
            y - 9.0,
            260.0 * share.min(1.0),
            x = LEFT + 110.0,
        );
        let words = format!("{:.1} %", share * 100.0);
        anchored(out, (LEFT + 428.0, y), 11.0, INK, "end", &words);
    }
    if model.workers.len() > MOST_WORKERS {
        let rest = model.workers.len() - MOST_WORKERS;
        let y = top + 20.0 + ROW * MOST_WORKERS as f64;
        text(out, (LEFT, y), 11.0, PALE, &format!("and {rest} more"));
    }
}

fn operations(out: &mut String, model: &Model, top: f64) {
    let left = LEFT + 560.0;
    let columns = [left + 330.0, left + 460.0, left + 590.0, left + 720.0];
    text(out, (left, top), 13.0, INK, "Where the time went");
    let headings = ["times", "total", "mean", "bytes made"];
    for (x, heading) in columns.into_iter().zip(headings) {
        anchored(out, (x, top), 11.0, PALE, "end", heading);
    }
    let used = by_time(model);
    let longest = used.first().map_or(1, |one| one.total_ns.max(1)) as f64;
    for (index, one) in used.iter().take(MOST_OPS).enumerate() {
        let y = top + 20.0 + ROW * index as f64;
        let width = 120.0 * one.total_ns as f64 / longest;
        put!(
            out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"9\" rx=\"2\" \
             fill=\"{}\"/>",
            left + 150.0,
            y - 9.0,
            colour(one.kind)
        );
        text(out, (left, y), 11.0, INK, &one.name);
        let mean = one.total_ns as f64 / one.count.max(1) as f64;
        let words =
            [one.count.to_string(), duration(one.total_ns as f64), duration(mean), size(one.bytes)];
        for (x, words) in columns.into_iter().zip(words) {
            anchored(out, (x, y), 11.0, INK, "end", &words);
        }
    }
}

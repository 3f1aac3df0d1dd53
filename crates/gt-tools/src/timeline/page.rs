//! The timeline as one page that needs nothing else: to zoom, to move and to search.

use std::io::{self, Write};

use serde_json::json;

use super::draw::colour;
use super::entry::Event;
use super::model::Model;
use super::summary;
use crate::kind::Kind;

/// The page has so many spans at most, the longest, and as many events.
const MOST: usize = 300_000;

const PAGE: &str = include_str!("page.html");

/// Where the data goes.
const PLACE: &str = "/*DATA*/null";

/// Writes the page.
pub fn write_page(model: &Model, out: &mut impl Write) -> io::Result<()> {
    let (before, after) = PAGE.split_once(PLACE).expect("the page has a place for its data");
    out.write_all(before.as_bytes())?;
    // A text that ends the script early would be read as part of the page.
    let data = data(model).to_string().replace("</", "<\\/");
    out.write_all(data.as_bytes())?;
    out.write_all(after.as_bytes())
}

fn data(model: &Model) -> serde_json::Value {
    let mut spans: Vec<_> = model.spans.iter().collect();
    if spans.len() > MOST {
        spans.sort_unstable_by_key(|span| std::cmp::Reverse(span.end_ns - span.start_ns));
        spans.truncate(MOST);
    }
    spans.sort_unstable_by_key(|span| span.start_ns);
    let kind = |kind: Kind| Kind::ALL.iter().position(|one| *one == kind).unwrap_or(0);
    let spans: Vec<_> = spans
        .into_iter()
        .map(|span| {
            let failed = u8::from(span.has_failed);
            json!([
                span.start_ns.saturating_sub(model.from_ns),
                span.end_ns - span.start_ns,
                span.lane,
                kind(span.kind),
                span.label,
                span.instruction,
                span.bytes,
                failed
            ])
        })
        .collect();
    let lane_of = |event: Event| match event {
        Event::Recv | Event::Send => Some(0),
        Event::WorkerSend | Event::WorkerRecv => Some(1),
        Event::Connect | Event::Disconnect => None,
    };
    let shown = model.marks.iter().filter_map(|mark| Some((mark, lane_of(mark.event)?)));
    let marks: Vec<_> = shown
        .take(MOST)
        .map(|(mark, at)| {
            let time = mark.time_ns.saturating_sub(model.from_ns);
            json!([time, at, mark.lane, kind(mark.kind), mark.event.name(), mark.instruction])
        })
        .collect();
    let transfers = model.transfers.iter().take(MOST).map(|one| {
        let start = one.start_ns.saturating_sub(model.from_ns);
        let end = one.end_ns.saturating_sub(model.from_ns);
        json!([start, end, one.lanes.0, one.lanes.1, u8::from(one.is_collective)])
    });
    let bands = model.bands.iter().take(MOST).map(|band| {
        let since = |ns: u64| ns.saturating_sub(model.from_ns);
        json!([since(band.start_ns), since(band.end_ns), band.label])
    });
    json!({
        "bands": bands.collect::<Vec<_>>(),
        "clients": model.clients,
        "workers": model.workers,
        "labels": model.labels,
        "kinds": Kind::ALL.map(|kind| json!([kind.name(), colour(kind)])),
        "spans": spans,
        "marks": marks,
        "transfers": transfers.collect::<Vec<_>>(),
        "length": model.to_ns - model.from_ns,
        "events": model.events,
        "missing": model.missing,
        "left_out": model.left_out + model.spans.len().saturating_sub(MOST) as u64,
        "utilisation": summary::utilisation(model),
    })
}

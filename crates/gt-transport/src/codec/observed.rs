//! Events and spans travel as they lie in memory, so that none costs more there than on the wire.

use std::sync::Arc;

use gt_core::event::{Event, Events, Span, Spans};
use gt_core::{Error, Result, SessionId};
use serde::{Deserialize, Serialize};
use zerocopy::{FromBytes, IntoBytes};

use super::{Frames, frames, kind};
use crate::message::Message;

/// The body of a message with spans.
#[derive(Serialize, Deserialize)]
pub(super) struct SpansBody<'a> {
    session: SessionId,
    clock_ns: u64,
    lost: u64,
    #[serde(with = "crate::batch::rest::bytes")]
    list: &'a [u8],
}

/// The body of a message with events.
#[derive(Serialize, Deserialize)]
pub(super) struct EventsBody<'a> {
    lost: u64,
    #[serde(with = "crate::batch::rest::bytes")]
    list: &'a [u8],
    #[serde(with = "crate::batch::rest::bytes")]
    extra: &'a [u8],
}

pub(super) fn spans(session: SessionId, spans: &Spans) -> Frames {
    let Spans { clock_ns, lost, list } = spans;
    let (clock_ns, lost, list) = (*clock_ns, *lost, list.as_slice().as_bytes());
    frames(kind::SPANS, &SpansBody { session, clock_ns, lost, list })
}

pub(super) fn events(events: &Events) -> Frames {
    let Events { lost, list, extra } = events;
    let list = list.as_slice().as_bytes();
    frames(kind::EVENTS, &EventsBody { lost: *lost, list, extra })
}

pub(super) fn read_spans(body: SpansBody) -> Result<Message> {
    let SpansBody { session, clock_ns, lost, list } = body;
    let list = items::<Span, { size_of::<Span>() }>(list)?;
    Ok(Message::Spans { session, spans: Box::new(Spans { clock_ns, list, lost }) })
}

pub(super) fn read_events(body: EventsBody) -> Result<Message> {
    let EventsBody { lost, list, extra } = body;
    let list = items::<Event, { size_of::<Event>() }>(list)?;
    Ok(Message::Events(Arc::new(Events { lost, list, extra: extra.to_vec() })))
}

/// The items that lie in these bytes.
fn items<T: FromBytes, const SIZE: usize>(bytes: &[u8]) -> Result<Vec<T>> {
    let (items, rest) = bytes.as_chunks::<SIZE>();
    if !rest.is_empty() {
        return Err(Error::bug(format!("{} bytes of an item of {SIZE}", rest.len())));
    }
    let read = |item: &[u8; SIZE]| T::read_from_bytes(item).expect("it has the size of an item");
    Ok(items.iter().map(read).collect())
}

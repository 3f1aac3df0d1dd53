//! Messages as bytes: a header, what the message says, and beside it the elements of tensors, which
//! are not copied. Whatever is decoded is checked first; nothing in it is believed.

use std::sync::Arc;

use bytes::Bytes;
use gt_core::record::Record;
use gt_core::wire::few;
use gt_core::{Error, Meta, Result, SessionId};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use zerocopy::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::batch::rest::{checked, ended, read};
use crate::batch::{Batch, INLINE_BYTES};
use crate::message::{Checksum, Failure, Message, Value};
use crate::report::ValuesReport;
use crate::ticket::Ticket;

mod kind;
mod observed;

/// Changes when older peers could misread a message.
pub const MAJOR: u16 = 8;
/// Changes when there is more to say. The version before is understood too.
pub const MINOR: u16 = 0;

const MAGIC: [u8; 4] = *b"GTmx";

const _: () = assert!(cfg!(target_endian = "little"), "records travel as they lie in memory");

/// A message as it travels: one part for what it says, one for each larger piece of data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    /// The header and what the message says.
    pub head: Bytes,
    /// The elements of tensors.
    pub payloads: Vec<Bytes>,
}

/// How large a message may be before it is refused unread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// All of its bytes.
    pub message_bytes: usize,
    /// The commands in a batch.
    pub records: usize,
    /// The pieces of data beside it.
    pub payloads: usize,
    /// Each of them.
    pub payload_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            message_bytes: 1 << 30,
            records: 1 << 16,
            payloads: 1 << 12,
            payload_bytes: 1 << 30,
        }
    }
}

impl Limits {
    /// Between processes, where larger pieces of data travel apart.
    pub const CONTROL: Limits = Limits {
        message_bytes: 16 << 20,
        records: 1 << 16,
        payloads: 1,
        payload_bytes: INLINE_BYTES,
    };
}

/// What every message begins with.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Header {
    magic: [u8; 4],
    major: U16,
    minor: U16,
    kind: U16,
    /// Zero, so that it can mean something later.
    reserved: U16,
    payloads: U32,
}

/// What a batch begins with; its records and then its other part follow.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct BatchHeader {
    session: U64,
    records: U32,
    extra: U32,
}

/// The message as it travels.
pub fn encode(message: &Message) -> Frames {
    use Message as M;
    match message {
        M::Hello(hello) => frames(kind::HELLO, hello),
        M::Welcome(welcome) => frames(kind::WELCOME, welcome),
        M::Bye => frames(kind::BYE, &()),
        M::Register(info) => frames(kind::REGISTER, &**info),
        M::Registered { worker, key } => frames(kind::REGISTERED, &(worker, key)),
        M::Heartbeat { received, used_bytes } => frames(kind::HEARTBEAT, &(received, used_bytes)),
        M::Ticket(ticket) => frames(kind::TICKET, &**ticket),
        M::Channels(channels) => frames(kind::CHANNELS, channels),
        M::MemoryQuery { session, request, parts } => {
            frames(kind::MEMORY_QUERY, &(session, request, parts))
        }
        M::MemoryReply { session, request, parts, usage } => {
            frames(kind::MEMORY_REPLY, &(session, request, parts, &**usage))
        }
        M::CheckNan { session } => frames(kind::CHECK_NAN, session),
        M::Cancel { session, request } => frames(kind::CANCEL, &(session, request)),
        M::Order(order) => frames(kind::ORDER, order),
        M::Share { session, share } => frames(kind::SHARE, &(session, share)),
        M::Away { session, is_away } => frames(kind::AWAY, &(session, is_away)),
        M::Record { on } => frames(kind::RECORD, on),
        M::Spans { session, spans } => observed::spans(*session, spans),
        M::Observe { messages, detail } => frames(kind::OBSERVE, &(messages, detail)),
        M::Events(events) => observed::events(events),
        M::StatusRequest => frames(kind::STATUS_REQUEST, &()),
        M::Report(report) => frames(kind::REPORT, &**report),
        M::ValuesRequest => frames(kind::VALUES_REQUEST, &()),
        M::Values(values) => frames(kind::VALUES, &**values),
        M::Commands { session, batch } => batch_frames(*session, batch),
        M::Answer { session, request, result } => {
            let described = result.as_ref().map(|value| &value.meta).map_err(|failure| &**failure);
            let data = result.as_ref().ok().map(|value| &value.data);
            with_data(kind::ANSWER, &(session, request, described), data)
        }
        M::Failed { session, failure } => frames(kind::FAILED, &(session, &**failure)),
        M::FailureReport { session, barrier, failure, checksums } => {
            frames(kind::FAILURE_REPORT, &(session, barrier, failure.as_deref(), &checksums[..]))
        }
        M::FailureVerdict { session, barrier, failure, told } => {
            frames(kind::FAILURE_VERDICT, &(session, barrier, failure.as_deref(), told))
        }
        M::Done { session, commands, bytes, busy_ns } => {
            frames(kind::DONE, &(session, commands, bytes, busy_ns))
        }
        M::Handover { session, to, tag, meta, result } => {
            let failed = result.as_ref().map(|_| ()).map_err(|failure| &**failure);
            let data = result.as_ref().ok();
            with_data(kind::HANDOVER, &(session, to, tag, meta, failed), data)
        }
        M::Forget { session } => frames(kind::FORGET, session),
        M::Ended { session, error } => frames(kind::ENDED, &(session, error)),
    }
}

fn header(kind: u16, payloads: usize) -> Header {
    let (major, minor, reserved) = (MAJOR.into(), MINOR.into(), 0.into());
    let payloads = u32::try_from(payloads).expect("fewer payloads than a batch has records");
    Header { magic: MAGIC, major, minor, kind: kind.into(), reserved, payloads: payloads.into() }
}

fn frames<T: Serialize + ?Sized>(kind: u16, body: &T) -> Frames {
    with_data(kind, body, None)
}

fn with_data<T: Serialize + ?Sized>(kind: u16, body: &T, data: Option<&Bytes>) -> Frames {
    let payloads: Vec<Bytes> = data.into_iter().cloned().collect();
    let head = header(kind, payloads.len()).as_bytes().to_vec();
    let head = postcard::to_extend(body, head).expect("memory takes all of it").into();
    Frames { head, payloads }
}

fn batch_frames(session: SessionId, batch: &Batch) -> Frames {
    let length = |len: usize| U32::new(u32::try_from(len).expect("a batch is flushed long before"));
    let batch_header = BatchHeader {
        session: session.0.into(),
        records: length(batch.len()),
        extra: length(batch.extra.len()),
    };
    let header = header(kind::COMMANDS, batch.payloads.len());
    let parts =
        [header.as_bytes(), batch_header.as_bytes(), batch.records.as_bytes(), &batch.extra];
    Frames { head: parts.concat().into(), payloads: batch.payloads.clone() }
}

/// The message that arrived, or what is wrong with it. The commands of a batch are checked one by
/// one when they are asked for; what is checked here is that asking costs no more than they weigh.
pub fn decode(frames: Frames, limits: &Limits) -> Result<Message> {
    let Frames { head, payloads } = frames;
    let bytes = payloads.iter().map(Bytes::len).fold(head.len(), usize::saturating_add);
    within("bytes in a message", bytes, limits.message_bytes)?;
    within("payloads in a message", payloads.len(), limits.payloads)?;
    let largest = payloads.iter().map(Bytes::len).max().unwrap_or(0);
    within("bytes of data in a message", largest, limits.payload_bytes)?;
    let (header, body) = Header::read_from_prefix(&head)
        .map_err(|_| Error::bug(format!("a message of {} bytes has no header", head.len())))?;
    check_header(&header, payloads.len())?;
    Ok(match header.kind.get() {
        kind::COMMANDS => commands(body, payloads, limits)?,
        kind::ANSWER => {
            let (session, request, described) = whole(body)?;
            let result = match described {
                Ok(meta) => Ok(described_value(meta, payloads)?),
                Err(failure) => failed(failure, payloads)?,
            };
            Message::Answer { session, request, result }
        }
        kind::HANDOVER => {
            let (session, to, tag, Meta { dtype, shape }, arrived) = whole(body)?;
            let meta = Meta { dtype, shape: shape.checked(dtype)? };
            let result = match arrived {
                Ok(()) => Ok(value(meta.clone(), payloads)?.data),
                Err(failure) => failed(failure, payloads)?,
            };
            Message::Handover { session, to, tag, meta, result }
        }
        kind => without_data(kind, body, payloads)?,
    })
}

/// A message that has no tensor data beside it.
fn without_data(kind: u16, body: &[u8], payloads: Vec<Bytes>) -> Result<Message> {
    Ok(match kind {
        kind::HELLO => Message::Hello(all(body, payloads)?),
        kind::WELCOME => Message::Welcome(all(body, payloads)?),
        kind::BYE => all(body, payloads).map(|()| Message::Bye)?,
        kind::REGISTER => Message::Register(all(body, payloads)?),
        kind::REGISTERED => {
            let (worker, key) = all(body, payloads)?;
            Message::Registered { worker, key }
        }
        kind::HEARTBEAT => {
            let (received, used_bytes) = all(body, payloads)?;
            Message::Heartbeat { received, used_bytes }
        }
        kind::FAILED | kind::FAILURE_REPORT | kind::FAILURE_VERDICT => {
            about_failures(kind, body, payloads)?
        }
        kind::DONE => {
            let (session, commands, bytes, busy_ns) = all(body, payloads)?;
            Message::Done { session, commands, bytes, busy_ns }
        }
        kind::TICKET => Message::Ticket(all::<Box<Ticket>>(body, payloads)?.checked()?),
        kind::CHANNELS => Message::Channels(all(body, payloads)?),
        kind::MEMORY_QUERY => {
            let (session, request, parts) = all(body, payloads)?;
            Message::MemoryQuery { session, request, parts }
        }
        kind::MEMORY_REPLY => {
            let (session, request, parts, usage) = all(body, payloads)?;
            Message::MemoryReply { session, request, parts, usage }
        }
        kind::CHECK_NAN => Message::CheckNan { session: all(body, payloads)? },
        kind::CANCEL => {
            let (session, request) = all(body, payloads)?;
            Message::Cancel { session, request }
        }
        kind::ORDER => Message::Order(all(body, payloads)?),
        kind::SHARE => {
            let (session, share) = all(body, payloads)?;
            Message::Share { session, share }
        }
        kind::AWAY => {
            let (session, is_away) = all(body, payloads)?;
            Message::Away { session, is_away }
        }
        kind::RECORD => Message::Record { on: all(body, payloads)? },
        kind::SPANS => observed::read_spans(all(body, payloads)?)?,
        kind::OBSERVE => {
            let (messages, detail) = all(body, payloads)?;
            Message::Observe { messages, detail }
        }
        kind::EVENTS => observed::read_events(all(body, payloads)?)?,
        kind::STATUS_REQUEST => all(body, payloads).map(|()| Message::StatusRequest)?,
        kind::REPORT => Message::Report(all(body, payloads)?),
        kind::VALUES_REQUEST => all(body, payloads).map(|()| Message::ValuesRequest)?,
        kind::VALUES => Message::Values(all::<Box<ValuesReport>>(body, payloads)?.checked()?),
        kind::FORGET => Message::Forget { session: all(body, payloads)? },
        kind::ENDED => {
            let (session, error) = all(body, payloads)?;
            Message::Ended { session, error }
        }
        other => return Err(Error::bug(format!("no message is of kind {other}"))),
    })
}

/// A message that tells of failures.
fn about_failures(kind: u16, body: &[u8], payloads: Vec<Bytes>) -> Result<Message> {
    Ok(match kind {
        kind::FAILED => {
            let (session, failure) = all(body, payloads)?;
            Message::Failed { session, failure: Arc::<Failure>::new(failure) }
        }
        kind::FAILURE_REPORT => {
            let (session, barrier, failure, Checksums(checksums)): (_, _, Option<Failure>, _) =
                all(body, payloads)?;
            let failure = failure.map(Arc::new);
            Message::FailureReport { session, barrier, failure, checksums }
        }
        kind::FAILURE_VERDICT => {
            let (session, barrier, failure, told): (_, _, Option<Failure>, _) =
                all(body, payloads)?;
            Message::FailureVerdict { session, barrier, failure: failure.map(Arc::new), told }
        }
        other => return Err(Error::bug(format!("kind {other} tells of no failure"))),
    })
}

/// A bounded list of checksums.
#[derive(Deserialize)]
struct Checksums(#[serde(deserialize_with = "few")] SmallVec<[Checksum; 3]>);

fn within(what: &str, found: usize, limit: usize) -> Result<()> {
    if found <= limit {
        return Ok(());
    }
    Err(Error::value(format!("{found} {what} are more than the limit of {limit}")))
}

fn check_header(header: &Header, payloads: usize) -> Result<()> {
    if header.magic != MAGIC {
        return Err(Error::bug(format!("{:02x?} does not begin a message of GT", header.magic)));
    }
    let (major, minor) = (header.major.get(), header.minor.get());
    let understood = minor == MINOR || minor.checked_add(1) == Some(MINOR);
    if major != MAJOR || !understood {
        return Err(Error::value(format!(
            "a message of version {major}.{minor} came to version {MAJOR}.{MINOR}; install the \
             same version of GT on both sides"
        )));
    }
    if header.reserved.get() != 0 {
        return Err(Error::bug(format!("a header with {:#06x} reserved", header.reserved.get())));
    }
    let expected = header.payloads.get();
    if expected as usize != payloads {
        return Err(Error::bug(format!("a message with {payloads} payloads, not {expected}")));
    }
    Ok(())
}

/// A body that has nothing after it and nothing beside it.
fn all<'a, T: Deserialize<'a>>(body: &'a [u8], payloads: Vec<Bytes>) -> Result<T> {
    if !payloads.is_empty() {
        let count = payloads.len();
        return Err(Error::bug(format!("{count} payloads beside a message that has no data")));
    }
    whole(body)
}

/// A body that has nothing after it.
fn whole<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T> {
    let (value, rest) = read(body)?;
    ended(rest)?;
    Ok(value)
}

/// A value whose elements are the one payload.
fn value(meta: Meta, mut payloads: Vec<Bytes>) -> Result<Value> {
    match (payloads.pop(), payloads.len()) {
        (Some(data), 0) => Ok(Value { meta: checked(meta, data.len())?, data }),
        _ => Err(Error::bug("a value with too few or too many payloads")),
    }
}

/// As [`value`], but the elements may be absent: whoever asked for dtype and shape gets no more.
fn described_value(meta: Meta, payloads: Vec<Bytes>) -> Result<Value> {
    if let [data] = payloads.as_slice()
        && data.is_empty()
    {
        let Meta { dtype, shape } = meta;
        let meta = Meta { dtype, shape: shape.checked(dtype)? };
        return Ok(Value { meta, data: Bytes::new() });
    }
    value(meta, payloads)
}

/// A value that failed, which has no elements.
fn failed<T>(
    failure: Failure,
    payloads: Vec<Bytes>,
) -> Result<std::result::Result<T, Arc<Failure>>> {
    if payloads.is_empty() {
        return Ok(Err(Arc::new(failure)));
    }
    Err(Error::bug("a value that failed and yet has payloads"))
}

fn commands(body: &[u8], payloads: Vec<Bytes>, limits: &Limits) -> Result<Message> {
    let (header, rest) = BatchHeader::read_from_prefix(body)
        .map_err(|_| Error::bug(format!("a batch of {} bytes has no header", body.len())))?;
    let (count, extra_len) = (header.records.get() as usize, header.extra.get() as usize);
    within("commands in a batch", count, limits.records)?;
    let expected = count.checked_mul(size_of::<Record>()).and_then(|n| n.checked_add(extra_len));
    if expected != Some(rest.len()) {
        return Err(Error::bug(format!(
            "a batch of {count} records and {extra_len} other bytes, in {} bytes",
            rest.len()
        )));
    }
    let (records, extra) = rest.split_at(rest.len() - extra_len);
    let (records, _) = records.as_chunks::<{ size_of::<Record>() }>();
    let batch = Arc::new(Batch {
        records: records.iter().map(|record| zerocopy::transmute!(*record)).collect(),
        extra: extra.to_vec(),
        payloads,
    });
    batch.check_parts()?;
    Ok(Message::Commands { session: SessionId(header.session.get()), batch })
}

//! Everything that reads what others have written, as functions of bytes. The fuzz targets call
//! these, and so does `crates/gt-cli/tests/decoders.rs`, with a small corpus and mutations of it.

use std::sync::Arc;

use bytes::Bytes;
use gt_client::config::Config;
use gt_core::text::parse_instruction;
use gt_core::{DType, Meta, SessionId, WorkerId};
use gt_dispatcher::Dispatcher;
use gt_dispatcher::gateway::{ConnectionId, Delivery, Gateway, Timeouts};
use gt_dispatcher::role::{Credentials, Identity, Role};
use gt_dispatcher::session::Reach;
use gt_dispatcher::tickets::Tickets;
use gt_tools::timeline::{Builder, Filter, svg, write_chrome, write_page};
use gt_tools::why::{Facts, explain, text};
use gt_transport::codec::{Frames, Limits, decode, encode};
use gt_transport::hello::Hello;
use gt_transport::reliable::{ReliableChannel, open_unsequenced, unsequenced};
use gt_transport::ticket::{self, Route, Secret, Ticket, TransferKind};
use gt_transport::transfers::{self, Plain, Protection, Reader, Transfers};
use gt_transport::{Message, Peer, framed};

/// Something that reads what others have written.
pub struct Decoder {
    /// What its target and its corpus are called.
    pub name: &'static str,
    /// Reads; a panic is a fault of ours.
    pub run: fn(&[u8]),
}

/// All of them.
pub static ALL: &[Decoder] = &[
    Decoder { name: "message", run: message },
    Decoder { name: "channel", run: channel },
    Decoder { name: "stream", run: stream },
    Decoder { name: "gateway", run: gateway },
    Decoder { name: "data_plane", run: data_plane },
    Decoder { name: "instruction", run: instruction },
    Decoder { name: "config", run: config },
    Decoder { name: "log", run: log },
    Decoder { name: "address", run: address },
];

/// The parts that bytes stand for: the length of each in two bytes, and then the part.
pub fn parts(mut bytes: &[u8]) -> Vec<Bytes> {
    let mut parts = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<2>() {
        let length = (u16::from_le_bytes(*length) as usize).min(rest.len());
        parts.push(Bytes::copy_from_slice(&rest[..length]));
        bytes = &rest[length..];
    }
    parts
}

/// The bytes that stand for parts.
#[allow(dead_code, reason = "only what writes a corpus needs it")]
pub fn joined(parts: &[Bytes]) -> Vec<u8> {
    let joined = |part: &Bytes| [&(part.len() as u16).to_le_bytes(), &part[..]].concat();
    parts.iter().flat_map(joined).collect()
}

/// A message, and every command in it, as a dispatcher and a log look at them.
fn message(bytes: &[u8]) {
    let mut parts = parts(bytes).into_iter();
    let Some(head) = parts.next() else { return };
    let frames = Frames { head, payloads: parts.collect() };
    let _ = decode(frames.clone(), &Limits::CONTROL);
    let Ok(message) = decode(frames, &Limits::default()) else { return };
    match &message {
        Message::Commands { batch, .. } => {
            for index in 0..batch.len() {
                let _ = batch.client_command(index).map(|command| command.to_string());
                let (beside, _) = batch.beside(index);
                let logged = gt_transport::batch::logged(&batch.records[index], beside);
                let _ = logged.map(|command| command.to_string());
            }
        }
        Message::Events(events) => {
            for (event, beside) in events.iter() {
                let logged = gt_transport::batch::logged(&event.record, beside);
                let _ = logged.map(|command| command.to_string());
            }
        }
        _ => {}
    }
    let again = decode(encode(&message), &Limits::default());
    assert!(again.is_ok(), "what was decoded cannot be sent on: {again:?}");
}

/// Messages of a channel, one after another.
fn channel(bytes: &[u8]) {
    let mut channel = ReliableChannel::default();
    for message in parts(bytes).chunks(3) {
        let _ = open_unsequenced(message, &Limits::CONTROL);
        let _ = channel.hear(message.to_vec(), &Limits::CONTROL);
    }
}

/// Messages over a stream, as a monitor socket has them.
fn stream(mut bytes: &[u8]) {
    while framed::read(&mut bytes).is_ok() {}
}

const WORKER: u64 = 1;
const CLIENT: u64 = 2;
const OTHER: u64 = 3;

/// A dispatcher with a worker and two clients. The first byte of each part says who speaks, and
/// whether with the number that is expected; the rest is what they say. One client says nothing:
/// whatever the others do, its session stays.
fn gateway(bytes: &[u8]) {
    let secret = Secret::known(7);
    let dispatcher = Dispatcher::new().between_processes(Tickets::new(secret.clone(), None));
    let mut gateway = Gateway::new(dispatcher, secret, Timeouts::default());
    gateway.record_all();
    let mut out = Vec::new();
    let identity = Identity::User(1000);
    let own = Credentials { reach: Reach::Local, address: None, identity, role: Some(Role::Both) };
    let mut hear = |gateway: &mut Gateway, who: u64, parts: Vec<Bytes>| {
        gateway.hear(0, ConnectionId(who), own, parts, &mut out);
        gateway.flush(0, &mut out);
        gateway.publish_events(0, &mut out);
        for delivery in out.drain(..) {
            let Delivery::Send(_, parts) = delivery else { continue };
            let panicked = parts.iter().any(|part| part.windows(8).any(|word| word == b"panicked"));
            assert!(!panicked, "a message made a step panic");
        }
    };
    hear(&mut gateway, WORKER, unsequenced(&Message::Register(Box::default())));
    for client in [CLIENT, OTHER] {
        hear(&mut gateway, client, unsequenced(&Message::Hello(Hello::named("somebody"))));
    }
    let mut numbers = [0_u64; 8];
    for part in parts(bytes) {
        let Some((&first, head)) = part.split_first() else { continue };
        let who = u64::from(first & 7);
        if who == OTHER {
            continue;
        }
        let number = match first & 0x80 {
            0 => numbers[who as usize],
            _ => u64::MAX,
        };
        numbers[who as usize] += u64::from(number != u64::MAX);
        let said =
            vec![Bytes::copy_from_slice(&number.to_le_bytes()), Bytes::copy_from_slice(head)];
        hear(&mut gateway, who, said);
    }
    let there = gateway.report(0).sessions.iter().any(|session| session.id == SessionId(2));
    assert!(there, "somebody has ended the session of somebody else");
}

/// Frames of the data plane, of a peer that has shown its key. Two values of it are waited for.
fn data_plane(bytes: &[u8]) {
    let limits = transfers::Limits::default();
    let mut machine = Transfers::new(limits, Arc::new(Plain), 1);
    let (connection, peer) = (transfers::ConnectionId(1), Peer::Worker(WorkerId(3)));
    for (tag, bytes) in [(7, 32_usize), (8, 16)] {
        let (session, role, route) = (SessionId(1), ticket::Role::Receive, Route::default());
        let (meta, kind) = (Meta::new(DType::U8, [bytes]), TransferKind::Handover);
        let ticket = Ticket { session, tag, meta, region: None, role, kind, peer, route };
        machine.take_ticket(0, &ticket, None);
    }
    machine.accepted(0, peer, connection);
    let mut reader = Reader::new(Protection::Plain);
    let mut rest = bytes;
    while !rest.is_empty() {
        let space = reader.space(&mut machine, connection);
        let count = space.len().min(rest.len());
        space[..count].copy_from_slice(&rest[..count]);
        rest = &rest[count..];
        if reader.advance(0, &mut machine, connection, count).is_err() {
            return;
        }
        machine.actions();
    }
}

/// An instruction as text.
fn instruction(bytes: &[u8]) {
    for line in String::from_utf8_lossy(bytes).lines() {
        if let Ok(instruction) = parse_instruction(line) {
            let again = instruction.to_string();
            assert_eq!(parse_instruction(&again), Ok(instruction), "{line}");
        }
    }
}

/// A config.
fn config(bytes: &[u8]) {
    let _ = Config::default().read(&String::from_utf8_lossy(bytes), "signals.yaml");
}

/// A log or a trace, as everything that reads one does.
fn log(bytes: &[u8]) {
    let (mut builder, mut facts) = (Builder::new(Filter::default()), Facts::default());
    for line in String::from_utf8_lossy(bytes).lines() {
        builder.line(line);
        facts.line(line);
    }
    for explanation in explain(&facts) {
        text(&facts, &explanation);
    }
    let model = builder.finish();
    svg(&model);
    write_page(&model, &mut std::io::sink()).expect("nothing is written");
    write_chrome(&model, &mut std::io::sink()).expect("nothing is written");
}

/// The address of a server, and keys.
fn address(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = text.parse::<gt::address::Address>();
    let _ = text.parse::<gt_zmq::PublicKey>();
    let _ = text.parse::<gt_zmq::SecretKey>();
    let _ = gt::settings::parse_bytes(&text);
}

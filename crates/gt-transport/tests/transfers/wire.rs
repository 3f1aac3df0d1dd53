//! What somebody on the wire between two hosts can see, change, replay or cut.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use bytes::Bytes;
use gt_transport::ticket::Address;
use gt_transport::transfers::{CHUNK_BYTES, Event, Limits};

use crate::common::{Dice, Pair, WORKER, Way as Road};
use crate::proxy::{Fault, Proxy, Way};

/// What the two say before their first frame.
const HANDSHAKE_BYTES: usize = 128;

/// Nothing waits long in these tests.
fn hasty() -> Limits {
    let short = Duration::from_secs(1);
    Limits { silence: short, handshake: short, ..Limits::default() }
}

/// A pair whose client goes through a proxy.
fn through(fault: Fault) -> (Pair, Proxy) {
    let mut pair = Pair::with_limits(Road::Tcp, hasty());
    let proxy = Proxy::open(&pair.to, fault);
    pair.to = proxy.address();
    (pair, proxy)
}

fn contains(text: &[u8], piece: &[u8]) -> bool {
    text.windows(piece.len()).any(|window| window == piece)
}

#[test]
fn nothing_of_a_value_or_its_key_can_be_read_on_the_wire() {
    let (pair, proxy) = through(Fault::None);
    let data = Bytes::from(b"secret! ".repeat(2 * CHUNK_BYTES / 8 + 1));
    pair.carry(&pair.client, &pair.worker, 1, &data);
    pair.worker.arrived(1, &data);
    pair.client.confirmed(1);
    pair.carry(&pair.worker, &pair.client, 2, &data);
    pair.client.arrived(2, &data);
    pair.worker.confirmed(2);
    let (up, down) = (proxy.seen(0, Way::Up), proxy.seen(0, Way::Down));
    let key = pair.worker.key.for_peer(pair.client.own);
    for seen in [&up, &down] {
        assert!(seen.len() > data.len());
        assert!(!contains(seen, b"secret") && !contains(seen, &key.0[..8]));
        let middle = seen.len() / 2;
        assert_ne!(seen[middle - 64..middle - 32], seen[middle..middle + 32]);
    }
    assert_ne!(up[HANDSHAKE_BYTES..][..1000], down[HANDSHAKE_BYTES..][..1000]);
}

/// Values in both directions, the first connection of which is spoilt: they arrive, each once.
fn carry_spoilt(fault: Fault) {
    let (pair, _proxy) = through(fault.clone());
    let mut dice = Dice(9);
    let values: Vec<Bytes> = [77, 70_000, 2 * CHUNK_BYTES + 77].map(|b| dice.value(b)).into();
    for (tag, data) in (0..).zip(&values) {
        pair.carry(&pair.client, &pair.worker, tag, data);
        pair.carry(&pair.worker, &pair.client, 10 + tag, data);
    }
    for (side, sent) in [(&pair.client, 0), (&pair.worker, 10)] {
        let events = side.events.take(6);
        assert_eq!(events.len(), 6, "{fault:?}: {events:?}");
        for event in events {
            match event {
                Event::Confirmed { tag } => assert!((sent..sent + 3).contains(&tag)),
                Event::Arrived { tag, data } => {
                    assert!(data == values[(tag % 10) as usize], "{fault:?}: {tag}");
                }
                other => panic!("{fault:?}: {other:?}"),
            }
        }
    }
    pair.client.plane.close();
    pair.worker.plane.close();
    assert_eq!((pair.client.events.len(), pair.worker.events.len()), (0, 0), "{fault:?}");
}

#[test]
fn a_changed_byte_is_refused_and_the_value_arrives_nevertheless() {
    let mut dice = Dice(10);
    let places = (0..8).map(|_| dice.below(2 * CHUNK_BYTES as u64) as usize);
    for at in [3, 40, 79, 127, 150, 200, 400].into_iter().chain(places) {
        carry_spoilt(Fault::Flip(Way::Up, at));
        carry_spoilt(Fault::Flip(Way::Down, at));
    }
}

#[test]
fn a_connection_cut_at_any_byte_is_resumed() {
    let mut dice = Dice(11);
    let places = (0..8).map(|_| dice.below(2 * CHUNK_BYTES as u64) as usize);
    for at in [0, 31, 80, 128, 191, 192, 300].into_iter().chain(places) {
        carry_spoilt(Fault::Cut(Way::Up, at));
        carry_spoilt(Fault::Cut(Way::Down, at));
    }
}

#[test]
fn somebody_who_answers_in_the_place_of_a_worker_is_not_believed() {
    for at in [0, 80, 128] {
        carry_spoilt(Fault::Answer(at, Dice(14).value(80).to_vec()));
        carry_spoilt(Fault::Answer(at, vec![0; 500]));
    }
}

#[test]
fn a_peer_that_stops_in_the_middle_is_left_and_found_again() {
    for way in [Way::Up, Way::Down] {
        for at in [100, 500, CHUNK_BYTES] {
            let (pair, proxy) = through(Fault::Hold(way, at));
            let data = Dice(13).value(3 * CHUNK_BYTES);
            pair.carry(&pair.client, &pair.worker, 1, &data);
            pair.carry(&pair.worker, &pair.client, 2, &data);
            proxy.wait_until_held();
            assert_eq!(
                (pair.client.events.take(2).len(), pair.worker.events.take(2).len()),
                (2, 2)
            );
        }
    }
}

#[test]
fn a_recorded_conversation_is_good_for_nothing() {
    let (pair, proxy) = through(Fault::None);
    let data = Dice(12).value(1000);
    pair.carry(&pair.client, &pair.worker, 1, &data);
    pair.worker.arrived(1, &data);
    pair.client.confirmed(1);
    pair.carry(&pair.worker, &pair.client, 2, &data);
    pair.client.arrived(2, &data);
    pair.worker.confirmed(2);

    pair.expect(crate::common::SESSION, &pair.client, &pair.worker, 1, data.len());
    let listens = pair.worker.plane.address().tcp.clone().expect("a port");
    let mut thief = TcpStream::connect(listens).expect("the worker listens");
    thief.write_all(&proxy.seen(0, Way::Up)).expect("the worker reads");
    let mut answer = Vec::new();
    // The worker hangs up while we still talk, which the system may call a reset.
    let _ = thief.read_to_end(&mut answer);
    assert!(answer.len() <= 80, "nothing but the second words of a handshake");
    assert_eq!(pair.worker.events.len(), 0);

    let recorded = proxy.seen(0, Way::Down);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let tcp = Some(listener.local_addr().expect("just bound").to_string());
    let player = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().expect("the client");
        let _ = socket.write_all(&recorded);
        let mut heard = Vec::new();
        let _ = socket.read_to_end(&mut heard);
        heard
    });
    let limits = Limits { give_up: Duration::from_millis(300), ..hasty() };
    let mut other = Pair::with_limits(Road::Tcp, limits);
    other.to = Address { unix: None, tcp };
    other.permit(crate::common::SESSION, &other.client, &other.worker, 2, data.len());
    other.client.failed(2, "no way between the two");
    assert_eq!(other.worker.own, WORKER);
    assert_eq!(player.join().expect("the player ends").len(), 80, "only its first words");
}

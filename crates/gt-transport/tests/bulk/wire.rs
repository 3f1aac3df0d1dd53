//! What somebody on the wire between two hosts can see, change, replay or cut.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use bytes::Bytes;
use gt_transport::bulk::{Address, Event, Key, Limits};

use crate::common::{CHUNK, Dice, FRAME, HELLO, Pair, Road, frame};
use crate::proxy::{Fault, Proxy, Way};

/// Nothing waits long in these tests.
fn hasty() -> Limits {
    let short = Duration::from_millis(300);
    Limits { ticket_wait: short, stall: short, ..Limits::default() }
}

/// A pair whose courier goes through a proxy.
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
fn nothing_of_a_parcel_or_its_ticket_can_be_read_on_the_wire() {
    let (pair, proxy) = through(Fault::None);
    let (key, data) = (Key::random(), Bytes::from(b"secret! ".repeat(2 * CHUNK / 8 + 1)));
    pair.depot.expect(1, 1, key.clone(), data.len());
    pair.deliver(1, &key, &data);
    assert!(matches!(pair.events.one(), Event::Delivered { .. }));
    pair.depot.offer(1, 2, key.clone());
    pair.depot.put(2, data.clone());
    pair.fetch(2, &key, data.len());
    assert!(matches!(pair.events.one(), Event::Fetched { .. }));

    let (up, down) = (proxy.seen(0, Way::Up), proxy.seen(1, Way::Down));
    for seen in [&up, &down] {
        assert!(seen.len() > data.len());
        assert!(!contains(seen, b"secret") && !contains(seen, &key.0[..8]));
        let chunk = |index| &seen[HELLO + 2 * FRAME + index * (FRAME + CHUNK)..][..CHUNK];
        assert_ne!(chunk(0), chunk(1), "equal chunks look different");
    }
    assert_ne!(up[HELLO + 2 * FRAME..], down[HELLO + 2 * FRAME..], "and equal parcels too");
}

/// One delivery and one fetch, the first connection of which is spoilt. Whatever happens, each
/// ends in one event, and nothing arrives but the parcel itself.
fn carry_spoilt(fault: &Fault, is_delivery: bool) -> (Event, Option<bool>) {
    let (pair, _proxy) = through(fault.clone());
    let (key, data) = (Key::random(), Dice(9).parcel(2 * CHUNK + 77));
    if is_delivery {
        pair.depot.expect(1, 7, key.clone(), data.len());
        pair.deliver(7, &key, &data);
    } else {
        pair.depot.offer(1, 7, key.clone());
        pair.depot.put(7, data.clone());
        pair.fetch(7, &key, data.len());
    }
    let event = pair.events.one();
    if let Event::Fetched { data: fetched, .. } = &event {
        assert!(*fetched == data, "{fault:?}");
    }
    pair.courier.close();
    pair.depot.close();
    assert_eq!(pair.events.len(), 0, "{fault:?}: a second event");
    let arrived = pair.arrived.take(0);
    assert!(arrived.len() <= 1, "{fault:?}: arrived twice");
    let arrived = arrived.into_iter().next().map(|(_, parcel)| {
        parcel.is_ok_and(|parcel| {
            assert!(parcel == data, "{fault:?}: something else arrived");
            true
        })
    });
    assert!(!matches!(event, Event::Delivered { .. }) || arrived == Some(true), "{fault:?}");
    (event, arrived)
}

#[test]
fn a_changed_byte_is_refused() {
    let first = HELLO + FRAME;
    let chunks = [first + 30, first + FRAME, first + FRAME + CHUNK - 1, first + 2 * FRAME + CHUNK];
    for at in chunks {
        let (event, arrived) = carry_spoilt(&Fault::Flip(Way::Up, at), true);
        assert!(matches!(event, Event::Failed { .. }), "{at}: {event:?}");
        assert_eq!(arrived, Some(false), "{at}");
        let (event, _) = carry_spoilt(&Fault::Flip(Way::Down, at + FRAME), false);
        assert!(matches!(event, Event::Failed { .. }), "{at}: {event:?}");
    }
    // Hello, request, `Ready`, `Done`: some are repaired by a second connection, none is believed.
    for at in [10, HELLO + 5, HELLO + 9, HELLO + 17, HELLO + 30] {
        carry_spoilt(&Fault::Flip(Way::Up, at), true);
        carry_spoilt(&Fault::Flip(Way::Up, at), false);
        carry_spoilt(&Fault::Flip(Way::Down, at), true);
        carry_spoilt(&Fault::Flip(Way::Down, at), false);
        carry_spoilt(&Fault::Flip(Way::Down, at + FRAME), true);
    }
}

#[test]
fn a_forged_withdrawal_is_not_believed() {
    for is_delivery in [true, false] {
        let fault = Fault::Answer(HELLO, frame(7, 1, 0).to_vec());
        let (event, _) = carry_spoilt(&fault, is_delivery);
        assert!(matches!(event, Event::Delivered { .. } | Event::Fetched { .. }), "{event:?}");
    }
}

#[test]
fn a_recorded_conversation_is_good_for_nothing() {
    let (pair, proxy) = through(Fault::None);
    let (key, data) = (Key::random(), Dice(10).parcel(1000));
    pair.depot.expect(1, 1, key.clone(), data.len());
    pair.deliver(1, &key, &data);
    assert!(matches!(pair.events.one(), Event::Delivered { .. }));
    assert!(pair.arrived.one().1.is_ok());
    pair.depot.offer(1, 2, key.clone());
    pair.depot.put(2, data.clone());
    pair.fetch(2, &key, data.len());
    assert!(matches!(pair.events.one(), Event::Fetched { .. }));

    // Even the same ticket once more does not make the old words true.
    pair.depot.expect(1, 1, key.clone(), data.len());
    let mut thief = TcpStream::connect(pair.depot.address().tcp.as_ref().expect("a port"))
        .expect("the depot listens");
    thief.write_all(&proxy.seen(0, Way::Up)).expect("the depot reads");
    let mut answer = Vec::new();
    // The depot hangs up while we still talk, which the system may call a reset.
    let _ = thief.read_to_end(&mut answer);
    assert!(answer.len() <= HELLO + FRAME, "no second answer");
    assert!(answer.get(HELLO + 5).is_none_or(|kind| *kind == 8), "nothing but `Refused`");
    assert_eq!(pair.arrived.len(), 0);

    let recorded = proxy.seen(1, Way::Down);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let tcp = Some(listener.local_addr().expect("just bound").to_string());
    let player = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().expect("the courier");
        socket.write_all(&recorded).expect("the courier reads");
        // Until the courier hangs up.
        let _ = socket.read_to_end(&mut Vec::new());
    });
    pair.courier.fetch(&Address { unix: None, tcp }, 2, key, data.len());
    let event = pair.events.one();
    assert!(matches!(event, Event::Failed { .. } | Event::Unreachable { .. }), "{event:?}");
    player.join().expect("the player ends");
}

#[test]
fn a_cut_connection_leaves_one_event_per_parcel_and_nothing_partial() {
    let mut dice = Dice(11);
    for round in 0..12 {
        let way = if dice.below(2) == 0 { Way::Up } else { Way::Down };
        let at = match dice.below(2) {
            0 => dice.below(4 * FRAME as u64),
            _ => dice.below(3 << 20),
        };
        let (pair, _proxy) = through(Fault::Cut(way, at as usize));
        let parcels: HashMap<u64, Bytes> =
            (1..=6).map(|tag| (tag, dice.parcel(1 << (2 * tag + 9)))).collect();
        let key = Key::random();
        for (tag, data) in &parcels {
            pair.depot.expect(1, *tag, key.clone(), data.len());
            pair.deliver(*tag, &key, data);
            pair.depot.offer(1, 10 + tag, key.clone());
            pair.depot.put(10 + tag, data.clone());
            pair.fetch(10 + tag, &key, data.len());
        }
        let events = pair.events.take(12);
        pair.courier.close();
        pair.depot.close();
        assert_eq!((events.len(), pair.events.len()), (12, 0), "round {round}: {way:?} {at}");
        let mut arrived = HashMap::new();
        for (tag, parcel) in pair.arrived.take(0) {
            assert!(parcel.as_ref().map_or(true, |parcel| *parcel == parcels[&tag]));
            assert!(arrived.insert(tag, parcel.is_ok()).is_none(), "{tag} arrived twice");
        }
        for event in events {
            match event {
                Event::Delivered { tag } => assert_eq!(arrived.get(&tag), Some(&true)),
                Event::Fetched { tag, data } => assert!(data == parcels[&(tag - 10)]),
                // A connection that is cut in its first words was never there.
                Event::Failed { .. } | Event::Unreachable { .. } => {}
                other @ Event::Withdrawn { .. } => panic!("round {round}: {other:?}"),
            }
        }
    }
}

#[test]
fn what_was_queued_behind_a_cut_is_fetched_again_or_withdrawn() {
    let (pair, proxy) = through(Fault::Hold(Way::Down, 1 << 20));
    let (key, data) = (Key::random(), Dice(12).parcel(32 << 20));
    for tag in 1..=3 {
        pair.depot.offer(1, tag, key.clone());
        pair.fetch(tag, &key, if tag == 1 { data.len() } else { 1000 });
    }
    pair.depot.put(2, data.slice(..1000));
    assert!(matches!(pair.events.one(), Event::Fetched { tag: 2, .. }));
    // The requests for 1 and 3 were heard around the one for 2; the first fills the wire.
    pair.depot.put(1, data.clone());
    proxy.wait_until_held();
    pair.depot.offer(1, 4, key.clone());
    pair.depot.put(3, data.slice(1000..2000));
    pair.depot.put(4, data.slice(..10));
    assert!(pair.depot.withdraw(3).is_some_and(|value| value == data.slice(1000..2000)));
    pair.fetch(4, &key, 10);
    proxy.cut();
    let mut ends = HashMap::new();
    for event in pair.events.take(3) {
        match event {
            Event::Failed { tag, .. } => ends.insert(tag, "failed"),
            Event::Withdrawn { tag } => ends.insert(tag, "withdrawn"),
            Event::Fetched { tag, .. } => ends.insert(tag, "fetched"),
            other => panic!("{other:?}"),
        };
    }
    assert_eq!(ends, HashMap::from([(1, "failed"), (3, "withdrawn"), (4, "fetched")]));
}

#[test]
fn a_peer_that_stops_in_the_middle_is_given_up_while_others_are_served() {
    for way in [Way::Up, Way::Down] {
        let (pair, proxy) = through(Fault::Hold(way, 1 << 20));
        let (key, data) = (Key::random(), Dice(13).parcel(16 << 20));
        pair.depot.expect(1, 1, key.clone(), data.len());
        pair.depot.offer(1, 2, key.clone());
        pair.depot.put(2, data.clone());
        match way {
            Way::Up => pair.deliver(1, &key, &data),
            Way::Down => pair.fetch(2, &key, data.len()),
        }
        proxy.wait_until_held();
        pair.depot.expect(1, 3, key.clone(), 10);
        pair.courier.deliver(pair.depot.address(), 3, key.clone(), data.slice(..10));
        let delivered = |event: &Event| matches!(event, Event::Delivered { tag: 3 });
        let failed = |event: &Event| matches!(event, Event::Failed { tag: 1 | 2, .. });
        let events = pair.events.take(2);
        assert!(events.iter().any(delivered) && events.iter().any(failed), "{events:?}");
        let arrived = pair.arrived.take(if way == Way::Up { 2 } else { 1 });
        assert!(arrived.iter().all(|(tag, parcel)| parcel.is_ok() == (*tag == 3)));
    }
}

//! A relay carries what finds no other way, and cannot read it.

use std::time::{Duration, Instant};

use gt_transport::report::Road;
use gt_transport::ticket::Address;
use gt_transport::transfers::{Event, Limits};

use crate::common::{Dice, Pair, Way, until};
use crate::proxy::{self, Fault, Proxy};

/// A pair whose direct way leads nowhere.
fn apart() -> Pair {
    let limits = Limits { connect: Duration::from_millis(100), ..Limits::default() };
    let mut pair = Pair::with_limits(Way::Tcp, limits).with_relay();
    // Nobody listens at this port.
    pair.to = Address { unix: None, tcp: Some("127.0.0.1:9".into()) };
    pair
}

#[test]
fn a_relay_carries_both_ways() {
    let pair = apart();
    let data = Dice(1).value(9_000_001);
    pair.carry(&pair.client, &pair.worker, 1, &data);
    pair.carry(&pair.worker, &pair.client, 2, &data.slice(1..));
    pair.worker.events.take(2);
    pair.client.events.take(2);
    pair.carry(&pair.client, &pair.worker, 3, &data);
    pair.worker.arrived(3, &data);
    pair.client.confirmed(3);
    let relay = pair.relay.as_ref().expect("there is one");
    assert!(relay.plane.relayed_bytes() > 3 * data.len() as u64);
    until("the count", || {
        let traffic = pair.client.plane.traffic();
        traffic.iter().any(|t| t.road == Road::Relay && t.bytes_out > data.len() as u64)
    });
}

#[test]
fn nothing_can_be_read_on_the_way_to_a_relay_or_in_it() {
    let mut pair = apart();
    let relay = pair.relay.take().expect("there is one");
    let proxy = Proxy::open(&relay.plane.address().clone().seen_from(false), Fault::None);
    let seen_through = proxy.address();
    let data: bytes::Bytes = b"secret! ".repeat(100_000).into();
    let relay_route = |own: &crate::common::Side| {
        let access = relay.access(own.own, seen_through.clone());
        let direct = pair.worker.access(own.own, pair.to.clone());
        let direct = (own.own == crate::common::CLIENT).then_some(direct);
        gt_transport::ticket::Route { direct, relay: Some(access) }
    };
    use gt_transport::ticket::Role;
    let (client, worker) = (&pair.client, &pair.worker);
    let ticket = |role, own, peer| {
        crate::common::ticket(crate::common::SESSION, 1, data.len(), role, peer, relay_route(own))
    };
    worker.plane.take_ticket(ticket(Role::Receive, worker, client.own));
    client.plane.take_ticket(ticket(Role::Send, client, worker.own));
    client.plane.send(1, data.clone());
    worker.arrived(1, &data);
    client.confirmed(1);
    for connection in 0..2 {
        for way in [proxy::Way::Up, proxy::Way::Down] {
            let seen = proxy.seen(connection, way);
            assert!(!seen.windows(6).any(|window| window == b"secret"));
        }
    }
}

/// What is carried both ways arrives by the relay.
fn relays(pair: &Pair) {
    let data = Dice(3).value(3_000_000);
    pair.carry(&pair.client, &pair.worker, 1, &data);
    pair.carry(&pair.worker, &pair.client, 2, &data);
    for side in [&pair.client, &pair.worker] {
        for event in side.events.take(2) {
            assert!(!matches!(event, Event::Failed { .. }), "{event:?}");
        }
    }
    let relay = pair.relay.as_ref().expect("there is one");
    // The way back may be a good one, by which a value arrives before anybody looks for another.
    assert!(relay.plane.relayed_bytes() > data.len() as u64 / 2);
}

#[test]
fn somebody_who_takes_a_connection_and_does_not_answer_is_not_waited_for() {
    let mut pair = apart();
    // The system takes connections for it, and nobody else does anything.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let tcp = Some(silent.local_addr().expect("just bound").to_string());
    pair.to = Address { unix: None, tcp };
    let begin = Instant::now();
    relays(&pair);
    assert!(begin.elapsed() < Limits::default().handshake, "{:?}", begin.elapsed());
}

#[test]
fn a_direct_way_that_trickles_gives_way_to_the_relay() {
    for way in [proxy::Way::Up, proxy::Way::Down] {
        let (connect, silence) = (Duration::from_millis(100), Duration::from_secs(1));
        let limits = Limits { connect, silence, ..Limits::default() };
        let mut pair = Pair::with_limits(Way::Tcp, limits).with_relay();
        let proxy = Proxy::open(&pair.to, Fault::Trickle(way, 1000));
        pair.to = proxy.address();
        relays(&pair);
    }
}

#[test]
fn without_any_way_both_sides_are_told_in_time() {
    let limits = Limits {
        connect: Duration::from_millis(100),
        give_up: Duration::from_millis(700),
        ..Limits::default()
    };
    let mut pair = Pair::with_limits(Way::Tcp, limits).with_relay();
    pair.to = Address { unix: None, tcp: Some("127.0.0.1:9".into()) };
    pair.relay.as_ref().expect("there is one").plane.close();
    let (begin, data) = (Instant::now(), Dice(2).value(5000));
    pair.carry(&pair.client, &pair.worker, 1, &data);
    pair.carry(&pair.worker, &pair.client, 2, &data);
    assert_eq!((pair.client.events.take(2).len(), pair.worker.events.take(2).len()), (2, 2));
    assert!(begin.elapsed() < Duration::from_secs(20));
}

//! A ticket is good for one transfer of one length between two processes, until it is given up.

use std::time::Duration;

use gt_core::{SessionId, WorkerId};
use gt_transport::Peer;
use gt_transport::ticket::{Key, Role, Route};
use gt_transport::transfers::{Limits, PlaneOptions};

use crate::common::{CLIENT, Dice, Pair, SESSION, Side, WAYS, ticket};

fn hasty() -> Limits {
    Limits {
        ticket_wait: Duration::from_millis(300),
        give_up: Duration::from_millis(600),
        connect: Duration::from_millis(200),
        ..Limits::default()
    }
}

#[test]
fn whoever_does_not_know_the_key_of_the_pair_gets_and_brings_nothing() {
    for way in WAYS {
        let pair = Pair::with_limits(way, hasty());
        let data = Dice(1).value(5000);
        let mut access = pair.worker.access(CLIENT, pair.to.clone());
        access.key = Key::random();
        let route = Route { direct: Some(access), relay: None };
        let (own, worker) = (&pair.client, &pair.worker);
        pair.expect(SESSION, own, worker, 1, data.len());
        own.plane.take_ticket(ticket(SESSION, 1, data.len(), Role::Send, worker.own, route));
        own.plane.send(1, data.clone());
        own.failed(1, "no way between the two");
        worker.failed(1, "no way between the two");
    }
}

#[test]
fn nobody_passes_for_somebody_else() {
    for way in WAYS {
        let pair = Pair::with_limits(way, hasty());
        let data = Dice(2).value(5000);
        // Another process has a key of its own, and the tag of a transfer that is not its own.
        let other = Peer::Worker(WorkerId(7));
        let options = PlaneOptions { limits: hasty(), ..PlaneOptions::default() };
        let thief = Side::open(other, options);
        let access = pair.worker.access(other, pair.to.clone());
        let route = Route { direct: Some(access), relay: None };
        pair.expect(SESSION, &pair.client, &pair.worker, 1, data.len());
        let forged = ticket(SESSION, 1, data.len(), Role::Send, pair.worker.own, route);
        thief.plane.take_ticket(forged);
        thief.plane.send(1, Dice(3).value(5000));
        thief.failed(1, "nobody waits for it");
        pair.worker.failed(1, "no way between the two");
        // With the key of one peer nobody is another one.
        let access = pair.worker.access(other, pair.to.clone());
        let route = Route { direct: Some(access), relay: None };
        let forged = ticket(SESSION, 2, data.len(), Role::Send, pair.worker.own, route);
        pair.client.plane.take_ticket(forged);
        pair.client.failed(2, "no way between the two");
    }
}

#[test]
fn two_lengths_of_one_value_fail_on_both_sides() {
    for way in WAYS {
        let pair = Pair::open(way);
        for (tag, bytes) in [(1, 100), (2, 3_000_000)] {
            let data = Dice(4).value(bytes);
            pair.expect(SESSION, &pair.client, &pair.worker, tag, bytes + 1);
            pair.permit(SESSION, &pair.client, &pair.worker, tag, bytes);
            pair.client.plane.send(tag, data);
            pair.client.failed(tag, "different lengths");
            pair.worker.failed(tag, "different lengths");
        }
    }
}

#[test]
fn a_ticket_is_good_once() {
    for way in WAYS {
        let pair = Pair::with_limits(way, hasty());
        let data = Dice(5).value(100);
        pair.carry(&pair.client, &pair.worker, 1, &data);
        pair.worker.arrived(1, &data);
        pair.client.confirmed(1);
        pair.permit(SESSION, &pair.client, &pair.worker, 1, data.len());
        pair.client.plane.send(1, data);
        pair.client.failed(1, "nobody waits for it");
        assert_eq!(pair.worker.events.len(), 0);
    }
}

#[test]
fn what_one_side_gives_up_the_other_is_told() {
    for way in WAYS {
        let pair = Pair::open(way);
        let data = Dice(6).value(30 << 20);
        let (client, worker) = (&pair.client, &pair.worker);
        pair.permit(SESSION, client, worker, 1, data.len());
        client.plane.send(1, data.clone());
        pair.carry(client, worker, 2, &data.slice(..10));
        worker.arrived(2, &data.slice(..10));
        client.confirmed(2);
        // The first was offered before the second; each side gives up one that the other knows.
        client.plane.cancel(1);
        pair.expect(SESSION, client, worker, 1, data.len());
        worker.failed(1, "gave it up");

        pair.expect(SESSION, worker, client, 3, data.len());
        pair.permit(SESSION, worker, client, 3, data.len());
        client.plane.cancel(3);
        // What the client is told after it shows that it has heard this.
        pair.carry(worker, client, 5, &data.slice(..10));
        client.arrived(5, &data.slice(..10));
        worker.confirmed(5);
        worker.plane.send(3, data.clone());
        pair.carry(worker, client, 4, &data.slice(..10));
        client.arrived(4, &data.slice(..10));
        let events = worker.events.take(1);
        assert_eq!(events.len(), 1, "the first waits to be wanted: {events:?}");
    }
}

#[test]
fn the_transfers_of_one_session_end_and_no_others() {
    for way in WAYS {
        let pair = Pair::open(way);
        let data = Dice(8).value(100);
        let (client, worker) = (&pair.client, &pair.worker);
        for (session, tag) in [(SessionId(5), 1), (SessionId(6), 2)] {
            pair.expect(session, client, worker, tag, data.len());
            pair.permit(session, client, worker, tag, data.len());
        }
        worker.plane.forget(SessionId(5));
        client.plane.forget(SessionId(5));
        client.plane.send(1, data.clone());
        client.plane.send(2, data.clone());
        worker.arrived(2, &data);
        client.confirmed(2);
        assert_eq!((worker.events.len(), client.events.len()), (0, 0));
    }
}

#[test]
fn a_value_waits_for_its_receiver_but_not_for_ever() {
    for way in WAYS {
        let pair = Pair::with_limits(way, hasty());
        for (tag, bytes) in [(1, 100), (2, 3_000_000)] {
            let data = Dice(9).value(bytes);
            pair.permit(SESSION, &pair.client, &pair.worker, tag, data.len());
            pair.client.plane.send(tag, data);
            pair.client.failed(tag, "nobody waits for it");
        }
    }
}

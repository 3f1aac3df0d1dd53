//! A relay carries parcels between couriers that cannot reach each other, and holds only so much.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use gt_core::Error;
use gt_transport::bulk::{Address, Courier, Event, Key, Limits, Plain, Relay, RelayOptions};

use crate::common::{Dice, Folder, Journal, until};

/// A relay and two couriers, one on its host and one elsewhere.
struct Trio {
    relay: Relay,
    near: Arc<Courier>,
    far: Arc<Courier>,
    events: [Journal<Event>; 2],
    addresses: [Address; 2],
    _folder: Folder,
}

const NEAR: usize = 0;
const FAR: usize = 1;

impl Trio {
    fn open(bytes: usize) -> Trio {
        let folder = Folder::make();
        let options = RelayOptions {
            unix: Some(folder.socket()),
            allowed_group: None,
            tcp: Some("127.0.0.1:0".into()),
            advertise: None,
            limits: Limits::default(),
            bytes,
        };
        let relay = Relay::open(options).expect("a free port");
        let events = [Journal::default(), Journal::default()];
        let [near, far] = events.clone().map(|journal: Journal<Event>| {
            Courier::new(Arc::new(Plain), move |event| journal.write(event))
        });
        let address = relay.address().clone();
        let addresses = [address.clone(), address.seen_from(false)];
        Trio { relay, near, far, events, addresses, _folder: folder }
    }

    fn courier(&self, who: usize) -> &Courier {
        if who == NEAR { &self.near } else { &self.far }
    }

    fn deliver(&self, who: usize, tag: u64, key: &Key, data: &Bytes) {
        self.courier(who).deliver(&self.addresses[who], tag, key.clone(), data.clone());
    }

    fn fetch(&self, who: usize, tag: u64, key: &Key, bytes: usize) {
        self.courier(who).fetch(&self.addresses[who], tag, key.clone(), bytes);
    }

    fn is_held(&self, parcels: u64) -> bool {
        let counters = self.relay.counters();
        counters.unix.parcels_in + counters.tcp.parcels_in == parcels
    }
}

#[test]
fn a_relay_carries_both_ways() {
    let trio = Trio::open(64 << 20);
    for (tag, from, to) in [(1, NEAR, FAR), (2, FAR, NEAR), (3, FAR, FAR), (4, NEAR, NEAR)] {
        let (key, data) = (Key::random(), Dice(tag).parcel(3_000_000));
        // Every other parcel is asked for before it is there.
        if tag % 2 == 0 {
            trio.fetch(to, tag, &key, data.len());
        }
        trio.relay.carry(1, tag, key.clone(), data.len());
        trio.deliver(from, tag, &key, &data);
        if tag % 2 == 1 {
            until("the parcel", || trio.is_held(tag));
            trio.fetch(to, tag, &key, data.len());
        }
        until("an event of each side", || trio.events.iter().map(Journal::len).sum::<usize>() == 2);
        let events = [trio.events[NEAR].take(0), trio.events[FAR].take(0)].concat();
        let is_whole = |e: &Event| matches!(e, Event::Fetched { data: got, .. } if *got == data);
        assert!(events.iter().any(is_whole), "{tag}: {events:?}");
        let is_delivered = |e: &Event| matches!(e, Event::Delivered { tag: t } if *t == tag);
        assert!(events.iter().any(is_delivered), "{tag}: {events:?}");
    }
}

#[test]
fn a_relay_refuses_what_it_can_never_hold_and_tells_both_sides() {
    let trio = Trio::open(1 << 20);
    let (key, data) = (Key::random(), Dice(1).parcel((1 << 20) + 1));
    trio.relay.carry(1, 1, key.clone(), data.len());
    trio.fetch(FAR, 1, &key, data.len());
    trio.deliver(NEAR, 1, &key, &data);
    let event = trio.events[NEAR].one();
    assert!(matches!(event, Event::Failed { error: Error::OutOfMemory(_), .. }), "{event:?}");
    assert!(matches!(trio.events[FAR].one(), Event::Withdrawn { .. }));
}

#[test]
fn a_parcel_waits_for_room_until_another_is_fetched_or_withdrawn() {
    let trio = Trio::open(1 << 20);
    let (key, data) = (Key::random(), Dice(2).parcel(700_000));
    for (owner, tag) in [(1, 1), (2, 2), (3, 3)] {
        trio.relay.carry(owner, tag, key.clone(), data.len());
    }
    trio.deliver(NEAR, 1, &key, &data);
    assert!(matches!(trio.events[NEAR].one(), Event::Delivered { tag: 1 }));
    trio.deliver(NEAR, 2, &key, &data);
    trio.fetch(FAR, 1, &key, data.len());
    assert!(matches!(trio.events[FAR].one(), Event::Fetched { tag: 1, .. }));
    assert!(matches!(trio.events[NEAR].one(), Event::Delivered { tag: 2 }));
    trio.deliver(NEAR, 3, &key, &data);
    trio.relay.withdraw_all(2);
    assert!(matches!(trio.events[NEAR].one(), Event::Delivered { tag: 3 }));
    trio.fetch(FAR, 2, &key, data.len());
    assert!(matches!(trio.events[FAR].one(), Event::Withdrawn { tag: 2 }));
    trio.fetch(FAR, 3, &key, data.len());
    assert!(matches!(trio.events[FAR].one(), Event::Fetched { tag: 3, .. }));
}

#[test]
fn a_relay_closes_while_a_parcel_waits_for_room() {
    let trio = Trio::open(1 << 20);
    let (key, data) = (Key::random(), Dice(3).parcel(700_000));
    trio.relay.carry(1, 1, key.clone(), data.len());
    trio.relay.carry(1, 2, key.clone(), data.len());
    trio.deliver(NEAR, 1, &key, &data);
    until("the first parcel", || trio.is_held(1));
    trio.deliver(NEAR, 2, &key, &data);
    // When somebody else was answered, the second has been heard and waits.
    trio.deliver(FAR, 1, &key, &data);
    assert!(matches!(trio.events[FAR].one(), Event::Failed { .. }));
    let begin = Instant::now();
    trio.relay.close();
    assert!(begin.elapsed() < Duration::from_secs(5), "nobody waits for room that never comes");
}

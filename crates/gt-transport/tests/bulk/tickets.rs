//! A ticket is good for one transfer of one length with one key, until it is withdrawn.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gt_core::Result;
use gt_transport::bulk::{Buffer, BufferSource, Event, Key, Limits, Plain};

use crate::common::{Dice, Pair, ROADS};

fn assert_failed(pair: &Pair, tag: u64, why: &str) {
    let event = pair.events.one();
    let Event::Failed { tag: failed, error } = event else { panic!("{tag}: {event:?}") };
    assert!(failed == tag && error.to_string().contains(why), "{failed}: {error}");
}

fn assert_withdrawn(pair: &Pair, tag: u64) {
    let event = pair.events.one();
    assert!(matches!(event, Event::Withdrawn { tag: t } if t == tag), "{tag}: {event:?}");
}

fn assert_delivered(pair: &Pair, tag: u64) {
    let event = pair.events.one();
    assert!(matches!(event, Event::Delivered { tag: t } if t == tag), "{tag}: {event:?}");
    let (arrived, parcel) = pair.arrived.one();
    assert!(arrived == tag && parcel.is_ok());
}

fn assert_fetched(pair: &Pair, tag: u64) {
    let event = pair.events.one();
    assert!(matches!(event, Event::Fetched { tag: t, .. } if t == tag), "{tag}: {event:?}");
}

#[test]
fn a_wrong_key_or_length_is_refused_and_the_ticket_stays_good() {
    for road in ROADS {
        let pair = Pair::open(road);
        let (key, data) = (Key::random(), Dice(1).parcel(5000));
        pair.depot.expect(1, 7, key.clone(), data.len());
        pair.depot.offer(1, 8, key.clone());
        pair.depot.put(8, data.clone());
        let why = "key or its length";
        pair.deliver(7, &Key::random(), &data);
        assert_failed(&pair, 7, why);
        pair.deliver(7, &key, &data.slice(1..));
        assert_failed(&pair, 7, why);
        pair.fetch(8, &Key::random(), data.len());
        assert_failed(&pair, 8, why);
        assert_eq!(pair.arrived.len(), 0);
        pair.deliver(7, &key, &data);
        assert_delivered(&pair, 7);
        pair.fetch(8, &key, data.len());
        assert_fetched(&pair, 8);

        pair.depot.offer(1, 9, key.clone());
        pair.depot.put(9, data.clone());
        pair.fetch(9, &key, data.len() - 1);
        assert_failed(&pair, 9, "another length");
    }
}

#[test]
fn a_ticket_is_good_once() {
    for road in ROADS {
        let pair = Pair::open(road);
        let (key, data) = (Key::random(), Dice(2).parcel(100));
        pair.depot.expect(1, 1, key.clone(), data.len());
        pair.deliver(1, &key, &data);
        assert_delivered(&pair, 1);
        pair.deliver(1, &key, &data);
        assert_failed(&pair, 1, "used before");

        pair.depot.offer(1, 2, key.clone());
        pair.fetch(2, &key, data.len());
        pair.fetch(2, &key, data.len());
        // When the next has come, both were heard.
        pair.depot.offer(1, 3, key.clone());
        pair.depot.put(3, data.clone());
        pair.fetch(3, &key, data.len());
        let is_next = |event: &Event| matches!(event, Event::Fetched { tag: 3, .. });
        let mut events = pair.events.take(1);
        while !events.iter().any(is_next) {
            events.extend(pair.events.take(1));
        }
        events.retain(|event| !is_next(event));
        pair.depot.put(2, data.clone());
        while events.len() < 2 {
            events.extend(pair.events.take(1));
        }
        let is_fetched = |event: &&Event| matches!(event, Event::Fetched { .. });
        assert_eq!(events.iter().filter(is_fetched).count(), 1, "{events:?}");
        pair.fetch(2, &key, data.len());
        assert_failed(&pair, 2, "used before");
    }
}

#[test]
fn a_withdrawn_ticket_is_void_and_an_unfetched_value_comes_back() {
    for road in ROADS {
        let pair = Pair::open(road);
        let (key, data) = (Key::random(), Dice(3).parcel(100));
        pair.depot.expect(1, 1, key.clone(), data.len());
        assert_eq!(pair.depot.withdraw(1), None);
        pair.deliver(1, &key, &data);
        assert_withdrawn(&pair, 1);

        pair.depot.offer(1, 2, key.clone());
        pair.depot.put(2, data.clone());
        assert_eq!(pair.depot.withdraw(2), Some(data.clone()));
        pair.depot.put(2, data.clone());
        assert_eq!(pair.depot.withdraw(2), None, "a late value is not kept");
        pair.fetch(2, &key, data.len());
        assert_withdrawn(&pair, 2);
        assert_eq!(pair.arrived.len(), 0);
    }
}

#[test]
fn one_owners_tickets_are_withdrawn_and_no_others() {
    for road in ROADS {
        let pair = Pair::open(road);
        let (key, data) = (Key::random(), Dice(4).parcel(100));
        // Tag 5 belongs to one owner as a delivery and to the other as an offer.
        for (owner, delivery, offer) in [(1, 1, 2), (2, 3, 4), (1, 5, 6), (2, 7, 5)] {
            pair.depot.expect(owner, delivery, key.clone(), data.len());
            pair.depot.offer(owner, offer, key.clone());
            pair.depot.put(offer, data.clone());
        }
        pair.depot.put(8, data.clone());
        pair.depot.withdraw_all(1);
        pair.depot.withdraw_all(0);
        for tag in [1, 5] {
            pair.deliver(tag, &key, &data);
            assert_withdrawn(&pair, tag);
        }
        for tag in [2, 6] {
            pair.fetch(tag, &key, data.len());
            assert_withdrawn(&pair, tag);
        }
        for tag in [3, 7] {
            pair.deliver(tag, &key, &data);
            assert_delivered(&pair, tag);
        }
        pair.depot.offer(2, 8, key.clone());
        for tag in [4, 5, 8] {
            pair.fetch(tag, &key, data.len());
            assert_fetched(&pair, tag);
        }
    }
}

#[test]
fn a_ticket_may_come_after_its_request_but_not_never() {
    for road in ROADS {
        let limits = Limits { ticket_wait: Duration::from_millis(300), ..Limits::default() };
        let pair = Pair::with_limits(road, limits);
        let (key, data) = (Key::random(), Dice(5).parcel(100));
        pair.deliver(1, &key, &data);
        assert_failed(&pair, 1, "nobody waits for it");
        pair.fetch(2, &key, data.len());
        assert_failed(&pair, 2, "nobody waits for it");

        let pair = Pair::open(road);
        pair.deliver(1, &key, &data);
        pair.fetch(2, &key, data.len());
        // Whatever comes between has been heard after the two.
        pair.depot.expect(1, 3, key.clone(), data.len());
        pair.deliver(3, &key, &data);
        assert_delivered(&pair, 3);
        pair.depot.expect(1, 1, key.clone(), data.len());
        assert_delivered(&pair, 1);
        pair.depot.put(2, data.clone());
        pair.depot.offer(1, 2, key.clone());
        assert_fetched(&pair, 2);
    }
}

/// Memory that is given when the test says so.
struct Gate {
    asked: Sender<()>,
    open: Mutex<Receiver<()>>,
}

impl BufferSource for Gate {
    fn take(&self, bytes: usize) -> Result<Box<dyn Buffer>> {
        self.asked.send(()).expect("the test listens");
        self.open.lock().expect("no test panics here").recv().expect("the test opens it");
        Plain.take(bytes)
    }
}

#[test]
fn a_delivery_that_has_begun_can_be_taken_back_by_either_side() {
    for road in ROADS {
        let ((asked, was_asked), (opener, open)) = (channel(), channel());
        let gate = Arc::new(Gate { asked, open: Mutex::new(open) });
        let pair = Pair::with(road, Limits::default(), gate, Arc::new(Plain));
        let (key, data) = (Key::random(), Dice(6).parcel(3 << 20));
        for tag in 1..=3 {
            pair.depot.expect(1, tag, key.clone(), data.len());
            pair.deliver(tag, &key, &data);
            was_asked.recv().expect("memory is asked for");
            match tag {
                1 => drop(pair.depot.withdraw(tag)),
                2 => pair.courier.cancel(tag),
                _ => {}
            }
            opener.send(()).expect("the gate waits");
            match tag {
                1 => assert_withdrawn(&pair, tag),
                2 => {
                    assert_withdrawn(&pair, tag);
                    let (arrived, parcel) = pair.arrived.one();
                    assert!(arrived == tag && parcel.is_err());
                }
                _ => assert_delivered(&pair, tag),
            }
        }
        pair.courier.close();
        pair.depot.close();
        assert_eq!((pair.events.len(), pair.arrived.len()), (0, 0), "{road:?}");
    }
}

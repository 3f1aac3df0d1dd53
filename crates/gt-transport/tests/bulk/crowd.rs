//! Many parcels at once, and an end in the middle of them.

use std::collections::HashMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::time::Duration;

use bytes::Bytes;
use gt_transport::bulk::{Address, Counters, Courier, Event, Key, Plain, Traffic};

use crate::common::{Dice, Journal, Pair, ROADS, Road};

fn hash(data: &Bytes) -> u64 {
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    hasher.finish()
}

fn size(dice: &mut Dice) -> usize {
    let limit = [10, 5_000, 300_000, 3_000_000][dice.below(4) as usize];
    dice.below(limit) as usize
}

/// Sends parcels both ways; their hashes by tag, the even ones delivered, the odd ones fetched.
fn send_many(pair: &Pair, dice: &mut Dice, count: u64) -> HashMap<u64, (u64, usize)> {
    let mut sent = HashMap::new();
    for tag in 0..count {
        let (key, bytes) = (Key::random(), size(dice));
        let data = dice.parcel(bytes);
        sent.insert(tag, (hash(&data), bytes));
        let mut steps = [0, 1, 2];
        (1..3).for_each(|i| steps.swap(i, dice.below(i as u64 + 1) as usize));
        for step in steps {
            match (step, tag % 2) {
                (0, 0) => pair.depot.expect(1, tag, key.clone(), bytes),
                (1, 0) => pair.deliver(tag, &key, &data),
                (0, _) => pair.depot.offer(1, tag, key.clone()),
                (1, _) => pair.fetch(tag, &key, bytes),
                (2, 1) => pair.depot.put(tag, data.clone()),
                _ => {}
            }
        }
    }
    sent
}

#[test]
fn hundreds_of_parcels_in_both_directions_arrive_whole() {
    const COUNT: u64 = 300;
    for road in ROADS {
        let mut dice = Dice(20);
        println!("{road:?}, seed {}", dice.0);
        let pair = Pair::open(road);
        let sent = send_many(&pair, &mut dice, COUNT);
        let (mut got, mut delivered) = (HashMap::new(), 0);
        while delivered + got.len() < COUNT as usize {
            for event in pair.events.take(1) {
                match event {
                    Event::Delivered { .. } => delivered += 1,
                    Event::Fetched { tag, data } => {
                        assert!(got.insert(tag, (hash(&data), data.len())).is_none(), "{tag}");
                    }
                    other => panic!("{road:?}: {other:?}"),
                }
            }
        }
        pair.courier.close();
        pair.depot.close();
        for (tag, parcel) in pair.arrived.take(0) {
            let parcel = parcel.expect("a whole parcel");
            assert!(got.insert(tag, (hash(&parcel), parcel.len())).is_none(), "{tag}");
        }
        assert!(got == sent && pair.events.len() == 0, "{road:?}");

        let count = |odd| sent.iter().filter(move |(tag, _)| **tag % 2 == odd);
        let bytes = |odd| count(odd).map(|(_, (_, bytes))| *bytes as u64).sum();
        let (parcels_in, parcels_out) = (count(0).count() as u64, count(1).count() as u64);
        let depot = Traffic { parcels_in, bytes_in: bytes(0), parcels_out, bytes_out: bytes(1) };
        let courier = Traffic {
            parcels_in: depot.parcels_out,
            bytes_in: depot.bytes_out,
            parcels_out: depot.parcels_in,
            bytes_out: depot.bytes_in,
        };
        let own = |counters: Counters| match road {
            Road::Unix => (counters.unix, counters.tcp),
            Road::Tcp => (counters.tcp, counters.unix),
        };
        assert_eq!(own(pair.depot.counters()), (depot, Traffic::default()));
        assert_eq!(own(pair.courier.counters()), (courier, Traffic::default()));
    }
}

#[test]
fn closing_in_the_middle_ends_all_threads() {
    // In a process of its own, where all threads of this kind are those of one test.
    let own = std::env::current_exe().expect("this test runs");
    let test = "crowd::alone_closing_in_the_middle_leaves_no_thread_and_no_file";
    let output = Command::new(own).args(["--exact", test, "--ignored"]).output();
    let output = output.expect("it can be started again");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
#[ignore = "runs in a process of its own, started by the test above"]
fn alone_closing_in_the_middle_leaves_no_thread_and_no_file() {
    for (round, road) in (0..6).flat_map(|round| ROADS.map(|road| (round, road))) {
        let mut dice = Dice(round);
        let pair = Pair::open(road);
        let path = pair.depot.address().unix.clone().expect("a path");
        assert!(path.exists());
        send_many(&pair, &mut dice, 60);
        let enough = dice.below(30) as usize;
        drop(pair.events.take(enough));
        assert!(threads() > 0);
        if round % 2 == 0 {
            pair.courier.close();
            pair.depot.close();
        } else {
            pair.depot.close();
            pair.courier.close();
        }
        // A thread that was counted out may need a moment to be gone for the system.
        crate::common::until("the end of all threads", || threads() == 0);
        assert!(!path.exists());
        let told = (pair.events.len(), pair.arrived.len());
        std::thread::yield_now();
        assert_eq!((pair.events.len(), pair.arrived.len()), told, "nobody is left to tell");
    }
}

#[test]
fn an_errand_for_a_lane_that_is_just_ending_keeps_it() {
    let (pair, mut dice) = (Pair::open(Road::Unix), Dice(21));
    let path = pair.depot.address().unix.clone().expect("a path");
    let away = path.with_extension("away");
    let to = Address { unix: Some(path.clone()), tcp: None };
    for round in 0..400 {
        fs::rename(&path, &away).expect("the socket is there");
        let (back, fetched) = (Arc::new(AtomicBool::new(false)), Journal::default());
        let (told, journal, files) = (back.clone(), fetched.clone(), (away.clone(), path.clone()));
        let courier = Courier::new(Arc::new(Plain), move |event| match event {
            Event::Unreachable { .. } => {
                fs::rename(&files.0, &files.1).expect("the socket was put away");
                told.store(true, SeqCst);
            }
            event => journal.write(event),
        });
        let key = Key::random();
        courier.fetch(&to, round, key.clone(), 0);
        // The lane ends within microseconds of its event; the next errand hits any of them.
        while !back.load(SeqCst) {
            std::hint::spin_loop();
        }
        (0..dice.below(200)).for_each(|_| std::hint::spin_loop());
        pair.depot.offer(1, round, key.clone());
        pair.depot.put(round, Bytes::new());
        courier.fetch(&to, round, key, 0);
        assert!(matches!(fetched.one(), Event::Fetched { .. }));
        let (closing, closed) = (courier.clone(), channel());
        std::thread::spawn(move || {
            closing.close();
            closed.0.send(())
        });
        let ended = closed.1.recv_timeout(Duration::from_secs(20));
        ended.expect("a lane that the courier has forgotten never ends");
    }
}

/// How many threads of the data plane this process has.
fn threads() -> usize {
    let tasks = fs::read_dir("/proc/self/task").expect("this is Linux").flatten();
    let names = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.starts_with("gt-bulk")).count()
}

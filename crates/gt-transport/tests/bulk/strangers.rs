//! Peers that say nothing, or nonsense: they are sent away, cost little, and disturb nobody.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use gt_transport::bulk::{Address, Courier, Event, Key, Limits, Plain};

use crate::common::{Dice, FRAME, HELLO, Journal, Pair, ROADS, Road, frame};

/// A connection of nobody in particular.
enum Stranger {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Stranger {
    fn connect(to: &Address) -> Stranger {
        let patience = Some(Duration::from_secs(20));
        match (&to.unix, &to.tcp) {
            (Some(path), _) => {
                let socket = UnixStream::connect(path).expect("the depot listens");
                socket.set_read_timeout(patience).expect("a timeout");
                Stranger::Unix(socket)
            }
            (None, host) => {
                let host = host.as_ref().expect("one of the two");
                let socket = TcpStream::connect(host).expect("the depot listens");
                socket.set_read_timeout(patience).expect("a timeout");
                Stranger::Tcp(socket)
            }
        }
    }

    /// Says something; a depot that has hung up does not listen.
    fn say(&mut self, bytes: &[u8]) {
        let _ = match self {
            Stranger::Unix(socket) => socket.write_all(bytes),
            Stranger::Tcp(socket) => socket.write_all(bytes),
        };
    }

    /// So many bytes of the depot, or fewer if it hangs up before.
    fn hear(&mut self, bytes: usize) -> Vec<u8> {
        let mut heard = Vec::new();
        let mut byte = [0];
        while heard.len() < bytes {
            let read = match self {
                Stranger::Unix(socket) => socket.read(&mut byte),
                Stranger::Tcp(socket) => socket.read(&mut byte),
            };
            match read {
                Ok(1..) => heard.push(byte[0]),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    panic!("the depot neither speaks nor hangs up")
                }
                Ok(0) | Err(_) => return heard,
            }
        }
        heard
    }
}

fn hello() -> Vec<u8> {
    let mut hello = vec![7; HELLO];
    hello[..8].copy_from_slice(b"GTbk\x01\0\0\0");
    hello
}

fn assert_served(pair: &Pair, tag: u64) {
    let (key, data) = (Key::random(), Dice(tag).parcel(100_000));
    pair.depot.expect(1, tag, key.clone(), data.len());
    pair.deliver(tag, &key, &data);
    let event = pair.events.one();
    assert!(matches!(event, Event::Delivered { .. }), "{event:?}");
    assert_eq!(pair.arrived.one().1.expect("a whole parcel"), data);
    pair.depot.offer(1, tag, key.clone());
    pair.depot.put(tag, data.clone());
    pair.fetch(tag, &key, data.len());
    let event = pair.events.one();
    assert!(matches!(event, Event::Fetched { .. }), "{event:?}");
}

#[test]
fn nonsense_ends_its_own_connection_and_no_other() {
    for road in ROADS {
        let short = Duration::from_millis(500);
        let limits = Limits { ticket_wait: short, stall: short, ..Limits::default() };
        let pair = Pair::with_limits(road, limits);
        assert_served(&pair, 1);
        let garbage = Dice(1).parcel(10_000).to_vec();
        let with_hello = |rest: &[u8]| [&hello(), rest].concat();
        let request = |kind, value| with_hello(&frame(kind, 1, value));
        let words: Vec<Vec<u8>> = vec![
            Vec::new(),
            garbage.clone(),
            hello()[..HELLO / 2].to_vec(),
            hello(),
            with_hello(&garbage),
            with_hello(&frame(1, 1, 99)[..FRAME / 2]),
            // A chunk, a ring, a slot and a segment that nobody has, of the largest numbers.
            request(5, u64::MAX),
            request(9, u64::MAX),
            request(10, u64::MAX),
            request(12, u64::MAX),
            // Requests for a ticket that never comes, with the largest tag; one of them twice.
            request(1, u64::MAX),
            request(2, u64::MAX),
            [request(1, 5), frame(1, 1, 5).to_vec()].concat(),
            // What only depots say, and what nobody says.
            request(4, 0),
            request(200, 0),
        ];
        let mut strangers: Vec<Stranger> = Vec::new();
        for words in &words {
            let mut stranger = Stranger::connect(&pair.to);
            stranger.say(words);
            strangers.push(stranger);
        }
        assert_served(&pair, 2);
        for (stranger, words) in strangers.iter_mut().zip(&words) {
            let heard = stranger.hear(usize::MAX);
            let head = &words[..words.len().min(HELLO + 6)];
            assert!(heard.len() <= HELLO + FRAME, "{head:?}");
            assert!(heard.get(HELLO + 5).is_none_or(|kind| *kind == 8), "refused: {head:?}");
        }
        assert_served(&pair, 3);
        assert_eq!((pair.events.len(), pair.arrived.len()), (0, 0));
    }
}

#[test]
fn only_so_many_strangers_are_heard_at_once_and_none_stays() {
    for road in ROADS {
        let wait = Duration::from_secs(1);
        let limits = Limits { strangers: 4, ticket_wait: wait, ..Limits::default() };
        let pair = Pair::with_limits(road, limits);
        assert_served(&pair, 1);
        let mut strangers: Vec<Stranger> = (0..10).map(|_| Stranger::connect(&pair.to)).collect();
        for newest in &mut strangers[6..] {
            assert_eq!(newest.hear(HELLO).len(), HELLO, "{road:?}: the oldest goes first");
        }
        for oldest in &mut strangers[..6] {
            assert!(oldest.hear(HELLO + 1).len() <= HELLO);
        }
        assert_served(&pair, 2);
        for stranger in &mut strangers[6..] {
            assert!(stranger.hear(1).is_empty());
        }
        let mut late = Stranger::connect(&pair.to);
        assert_eq!(late.hear(HELLO).len(), HELLO, "there is room again");
    }
}

#[test]
fn silent_strangers_keep_nobody_with_a_key_out() {
    for road in ROADS {
        // Far longer than the test takes: nobody is let in because others have left.
        let limits = Limits { ticket_wait: Duration::from_secs(600), ..Limits::default() };
        let pair = Pair::with_limits(road, limits);
        let mut strangers: Vec<Stranger> = (0..80).map(|_| Stranger::connect(&pair.to)).collect();
        assert_eq!(strangers[79].hear(HELLO).len(), HELLO, "all were accepted");
        assert_served(&pair, 1);
        // One address has some places, and not all of them.
        let limit = Limits::default().strangers_of_one;
        for oldest in &mut strangers[..80 - limit] {
            assert!(oldest.hear(HELLO + 1).len() <= HELLO, "{road:?}");
        }
        // Those who have shown a key do not pay for the next crowd.
        let (key, data) = (Key::random(), Dice(5).parcel(10));
        pair.fetch(5, &key, data.len());
        let mut crowd: Vec<Stranger> = (0..80).map(|_| Stranger::connect(&pair.to)).collect();
        assert_eq!(crowd[79].hear(HELLO).len(), HELLO, "all were accepted");
        pair.depot.offer(1, 5, key);
        pair.depot.put(5, data);
        let event = pair.events.one();
        assert!(matches!(event, Event::Fetched { tag: 5, .. }), "{event:?}");
        assert_served(&pair, 2);
    }
}

#[test]
fn a_depot_has_only_so_many_connections() {
    for road in ROADS {
        let limits = Limits { connections: 2, ..Limits::default() };
        let pair = Pair::with_limits(road, limits);
        assert_served(&pair, 1);
        let events: Journal<Event> = Journal::default();
        let journal = events.clone();
        let other = Courier::new(Arc::new(Plain), move |event| journal.write(event));
        let (key, data) = (Key::random(), Dice(2).parcel(10));
        pair.depot.expect(1, 2, key.clone(), data.len());
        other.deliver(&pair.to, 2, key.clone(), data.clone());
        let Event::Unreachable { data: Some(back), .. } = events.one() else {
            panic!("a third connection")
        };
        assert_eq!(back, data);
        assert_served(&pair, 3);
        // The two lanes of the first courier make room.
        pair.courier.close();
        crate::common::until("room for another", || {
            other.deliver(&pair.to, 2, key.clone(), data.clone());
            matches!(events.one(), Event::Delivered { .. })
        });
    }
}

#[test]
fn strangers_cannot_take_all_places_of_those_who_wait() {
    let pair = Pair::with_limits(Road::Tcp, Limits { requests: 6, ..Limits::default() });
    assert_served(&pair, 1);
    let mut stranger = Stranger::connect(&pair.to);
    stranger.say(&hello());
    (1..=4).for_each(|request| stranger.say(&frame(2, request, 1000 + request)));
    let heard = stranger.hear(HELLO + FRAME);
    assert_eq!((heard[HELLO + 5], heard[HELLO + 16]), (8, 5), "refused: too many others wait");
    let (key, data) = (Key::random(), Dice(2).parcel(10));
    pair.fetch(2, &key, data.len());
    pair.fetch(3, &key, data.len());
    assert_served_delivery(&pair);
    for tag in [2, 3] {
        pair.depot.offer(1, tag, key.clone());
        pair.depot.put(tag, data.clone());
        let event = pair.events.one();
        assert!(matches!(event, Event::Fetched { tag: t, .. } if t == tag), "{event:?}");
    }
}

fn assert_served_delivery(pair: &Pair) {
    let (key, data) = (Key::random(), Dice(3).parcel(10));
    pair.depot.expect(1, 9, key.clone(), data.len());
    pair.deliver(9, &key, &data);
    assert!(matches!(pair.events.one(), Event::Delivered { tag: 9 }));
}

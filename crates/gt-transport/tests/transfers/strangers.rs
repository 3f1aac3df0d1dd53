//! Peers that say nothing, or nonsense: they are sent away, cost little, and disturb nobody.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use gt_core::WorkerId;
use gt_transport::Peer;
use gt_transport::ticket::{Address, Role, Route};
use gt_transport::transfers::{Limits, PlaneOptions};

use crate::common::{Dice, Pair, SESSION, Side, WAYS, ticket};

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
                let socket = UnixStream::connect(path).expect("the worker listens");
                socket.set_read_timeout(patience).expect("a timeout");
                Stranger::Unix(socket)
            }
            (None, host) => {
                let host = host.as_ref().expect("one of the two");
                let socket = TcpStream::connect(host).expect("the worker listens");
                socket.set_read_timeout(patience).expect("a timeout");
                Stranger::Tcp(socket)
            }
        }
    }

    /// Says something; a worker that has hung up does not listen.
    fn say(&mut self, bytes: &[u8]) {
        let _ = match self {
            Stranger::Unix(socket) => socket.write_all(bytes),
            Stranger::Tcp(socket) => socket.write_all(bytes),
        };
    }

    /// What the worker says until it hangs up.
    fn hear(&mut self) -> Vec<u8> {
        let (mut heard, mut byte) = (Vec::new(), [0]);
        loop {
            let read = match self {
                Stranger::Unix(socket) => socket.read(&mut byte),
                Stranger::Tcp(socket) => socket.read(&mut byte),
            };
            match read {
                Ok(1..) => heard.push(byte[0]),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    panic!("the worker does not hang up")
                }
                Ok(0) | Err(_) => return heard,
            }
        }
    }
}

/// The first words of somebody who is nobody: 80 bytes, the first 32 of which say who it is.
fn words(from: Peer, to: Peer) -> Vec<u8> {
    let mut words = vec![7; 80];
    words[..5].copy_from_slice(b"GTdp\x02");
    words[5..14].copy_from_slice(&from.to_bytes());
    words[14..23].copy_from_slice(&to.to_bytes());
    words[23..32].fill(0);
    words
}

fn assert_served(pair: &Pair, tag: u64) {
    let data = Dice(tag).value(100_000);
    pair.carry(&pair.client, &pair.worker, tag, &data);
    pair.worker.arrived(tag, &data);
    pair.client.confirmed(tag);
}

#[test]
fn nonsense_ends_its_own_connection_and_no_other() {
    for way in WAYS {
        let limits = Limits { handshake: Duration::from_millis(500), ..Limits::default() };
        let pair = Pair::with_limits(way, limits);
        assert_served(&pair, 1);
        let garbage = Dice(1).value(10_000).to_vec();
        let says: Vec<Vec<u8>> = vec![
            Vec::new(),
            garbage,
            words(pair.client.own, pair.worker.own)[..40].to_vec(),
            words(pair.client.own, pair.worker.own),
            words(pair.client.own, Peer::Worker(WorkerId(u32::MAX))),
            words(pair.worker.own, pair.worker.own),
            words(Peer::Relay, pair.worker.own),
            words(pair.client.own, Peer::Relay),
        ];
        let mut strangers: Vec<Stranger> = Vec::new();
        for words in &says {
            let mut stranger = Stranger::connect(&pair.to);
            stranger.say(words);
            strangers.push(stranger);
        }
        assert_served(&pair, 2);
        for stranger in &mut strangers {
            assert_eq!(stranger.hear(), [], "nobody is told anything");
        }
        assert_served(&pair, 3);
        assert_eq!((pair.worker.events.len(), pair.client.events.len()), (0, 0));
    }
}

#[test]
fn silent_strangers_keep_nobody_with_a_key_out_and_the_oldest_go_first() {
    for way in WAYS {
        // Far longer than the test takes: nobody is let in because others have left.
        let limits = Limits { handshake: Duration::from_secs(600), ..Limits::default() };
        let pair = Pair::with_limits(way, limits);
        let mut strangers: Vec<Stranger> = (0..80).map(|_| Stranger::connect(&pair.to)).collect();
        assert_served(&pair, 1);
        // One address has some places, and not all of them.
        let places = Limits::default().strangers_of_one;
        for oldest in &mut strangers[..80 - places] {
            assert_eq!(oldest.hear(), []);
        }
        // Those who have shown a key do not pay for the next crowd.
        let _crowd: Vec<Stranger> = (0..80).map(|_| Stranger::connect(&pair.to)).collect();
        assert_served(&pair, 2);
    }
}

#[test]
fn a_worker_has_only_so_many_connections() {
    for way in WAYS {
        let limits =
            Limits { connections: 1, give_up: Duration::from_millis(500), ..Limits::default() };
        let pair = Pair::with_limits(way, limits.clone());
        assert_served(&pair, 1);
        let peer = Peer::Worker(WorkerId(0));
        let other = Side::open(peer, PlaneOptions { limits, ..PlaneOptions::default() });
        let data = Dice(2).value(10);
        let route = || {
            let access = pair.worker.access(peer, pair.to.clone());
            Route { direct: Some(access), relay: None }
        };
        let send = |tag| {
            let own = ticket(SESSION, tag, data.len(), Role::Send, pair.worker.own, route());
            let theirs = ticket(SESSION, tag, data.len(), Role::Receive, peer, Route::default());
            pair.worker.plane.take_ticket(theirs);
            other.plane.take_ticket(own);
            other.plane.send(tag, data.clone());
        };
        send(2);
        other.failed(2, "no way between the two");
        pair.worker.failed(2, "no way between the two");
        assert_served(&pair, 3);
        // The first client makes room.
        pair.client.plane.close();
        send(4);
        pair.worker.arrived(4, &data);
        other.confirmed(4);
    }
}

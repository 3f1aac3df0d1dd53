//! What libzmq does by itself and nobody expects: each trap, and that nobody falls into it.

mod common;

use std::time::{Duration, Instant};

use bytes::Bytes;
use common::{
    Folder, PATIENCE, arrival, connected, dealer, event, frames, insecure, ipc, message, router,
    until,
};
use gt_zmq::{
    AllowList, Arrival, ClientSecurity, Context, Dealer, DealerEvent, Endpoint, Error, KeyPair,
    Label, Options, PeerId, Router, SendError, TcpSecurity, Waker, wait,
};

/// A router at a free port of loopback, and its address.
fn tcp_router(context: &Context, security: TcpSecurity) -> (Router, String) {
    let mut router = Router::new(context, &Options::default()).expect("it works here");
    let address = router.bind_tcp("127.0.0.1:0", security).expect("it works here");
    (router, address)
}

fn curve(server: &KeyPair, allowed: AllowList) -> TcpSecurity {
    TcpSecurity::Curve { secret: server.secret.clone(), public: server.public, allowed }
}

fn with_keys(address: &str, server: &KeyPair, own: &KeyPair) -> Endpoint {
    let (public, secret) = (own.public, own.secret.clone());
    let security = ClientSecurity::Curve { server: server.public, public, secret };
    Endpoint::Tcp { address: address.to_string(), security }
}

#[test]
fn a_peer_that_goes_is_reported_at_once() {
    let (context, folder) = (Context::new().unwrap(), Folder::new());
    let mut router = router(&context, &folder, &Options::default());
    let mut leaving = dealer(&context, &ipc(&folder));
    leaving.send(&frames(&["hello"])).unwrap();
    let (from, _) = message(&mut router);
    let start = Instant::now();
    drop(leaving);
    assert_eq!(arrival(&mut router), Arrival::Gone { from });
    // Heartbeats would need seconds for it.
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}

#[test]
fn what_a_peer_does_not_take_in_is_counted_in_bytes() {
    let (context, folder) = (Context::new().unwrap(), Folder::new());
    let options = Options { send_high_water: 1 << 17, ..Options::default() };
    let mut router = router(&context, &folder, &options);
    let few = Options { receive_high_water: 1, ..Options::default() };
    let mut peer = Dealer::connect(&context, &ipc(&folder), &few).unwrap();
    peer.send(&frames(&["hello"])).unwrap();
    let (from, _) = message(&mut router);
    let frame = [Bytes::from(vec![7; 4000]), Bytes::from(vec![8; 9000])];
    for _ in 0..2000 {
        router.send(&from, &frame).unwrap();
    }
    // Some of it is in buffers of the system.
    assert!(router.waiting_bytes(&from) > 20_000_000, "{}", router.waiting_bytes(&from));
    let mut heard = 0;
    until(&mut peer, |peer| {
        while let Some(event) = peer.receive().unwrap() {
            heard += usize::from(matches!(event, DealerEvent::Message(_)));
        }
        (heard == 2000).then_some(())
    });
    assert!(router.waiting_bytes(&from) < 200_000, "{}", router.waiting_bytes(&from));
    drop(peer);
    assert_eq!(arrival(&mut router), Arrival::Gone { from: from.clone() });
    assert_eq!(router.waiting_bytes(&from), 0);
}

#[test]
fn a_router_that_goes_is_reported_after_what_it_said() {
    let (context, folder) = (Context::new().unwrap(), Folder::new());
    let mut router = router(&context, &folder, &Options::default());
    let mut asking = dealer(&context, &ipc(&folder));
    asking.send(&frames(&["hello"])).unwrap();
    let (from, _) = message(&mut router);
    router.send(&from, &frames(&["one"])).unwrap();
    assert_eq!(event(&mut asking), DealerEvent::Connected);
    assert_eq!(event(&mut asking), DealerEvent::Message(frames(&["one"])));
    drop(router);
    assert_eq!(event(&mut asking), DealerEvent::Gone);
    assert_eq!(asking.send(&frames(&["anybody?"])), Err(SendError::Gone));
}

#[test]
fn a_peer_at_a_unix_socket_is_known_by_its_process() {
    let (context, folder) = (Context::new().unwrap(), Folder::new());
    let mut router = router(&context, &folder, &Options::default());
    let mut peer = dealer(&context, &ipc(&folder));
    peer.send(&frames(&["hello"])).unwrap();
    let (from, _) = message(&mut router);
    let origin = router.origin(&from).expect("it is there");
    // SAFETY: these only look.
    let (user, group) = unsafe { (libc::getuid(), libc::getgid()) };
    let expected = format!("{user}:{group}:{}", std::process::id());
    assert_eq!((origin.local, origin.address), (true, expected));
}

#[test]
fn a_peer_at_a_port_is_not_local() {
    let context = Context::new().unwrap();
    let (mut router, address) = tcp_router(&context, TcpSecurity::Insecure);
    let mut peer = dealer(&context, &insecure(&address));
    peer.send(&frames(&["hello"])).unwrap();
    let (from, _) = message(&mut router);
    let origin = router.origin(&from).expect("it is there");
    assert_eq!((origin.local, origin.address.as_str()), (false, "127.0.0.1"));
}

#[test]
fn whoever_comes_again_is_somebody_else() {
    let (context, folder) = (Context::new().unwrap(), Folder::new());
    let mut router = router(&context, &folder, &Options::default());
    let mut peers: Vec<PeerId> = Vec::new();
    for _ in 0..3 {
        let mut dealer = dealer(&context, &ipc(&folder));
        dealer.send(&frames(&["hello"])).unwrap();
        let (from, _) = message(&mut router);
        assert!(!peers.contains(&from));
        peers.push(from.clone());
        drop(dealer);
        assert_eq!(arrival(&mut router), Arrival::Gone { from });
    }
    // Nothing is sent into the void: it is refused.
    for peer in &peers {
        assert_eq!(router.send(peer, &frames(&["?"])), Err(SendError::Gone));
        assert_eq!(router.origin(peer), None);
    }
}

#[test]
fn nobody_waits_for_a_peer_that_does_not_listen() {
    let (context, folder) = (Context::new().unwrap(), Folder::new());
    let few = Options { send_high_water: 10, receive_high_water: 10, ..Options::default() };
    let mut router = router(&context, &folder, &few);
    let mut deaf = dealer(&context, &ipc(&folder));
    deaf.send(&frames(&["hello"])).unwrap();
    let (from, _) = message(&mut router);
    let large = [Bytes::from(vec![7u8; 1 << 20])];
    let start = Instant::now();
    let refused = (0..100_000).find_map(|_| router.send(&from, &large).err());
    assert_eq!(refused, Some(SendError::Full));
    assert!(start.elapsed() < PATIENCE, "a send waited");
}

#[test]
fn what_is_too_large_never_arrives() {
    let (context, folder) = (Context::new().unwrap(), Folder::new());
    let small = Options { max_message_bytes: 1000, ..Options::default() };
    let mut router = router(&context, &folder, &small);
    let mut rude = dealer(&context, &ipc(&folder));
    rude.send(&frames(&["hello"])).unwrap();
    let (from, _) = message(&mut router);
    rude.send(&[Bytes::from(vec![0u8; 1001])]).unwrap();
    assert_eq!(arrival(&mut router), Arrival::Gone { from });
    assert_eq!(event(&mut rude), DealerEvent::Connected);
    assert_eq!(event(&mut rude), DealerEvent::Gone);
}

#[test]
fn a_message_is_bounded_as_a_whole() {
    let (context, folder) = (Context::new().unwrap(), Folder::new());
    let options = Options { max_message_bytes: 1000, ..Options::default() };
    let mut router = router(&context, &folder, &options);
    let parts = |count: usize, bytes: usize| vec![Bytes::from(vec![0u8; bytes]); count];
    let mut polite = dealer(&context, &ipc(&folder));
    for message in [parts(64, 1), parts(1, 1000), parts(10, 100), parts(64, 0)] {
        polite.send(&message).unwrap();
        assert_eq!(common::message(&mut router).1, message);
    }
    for rude in [parts(65, 0), parts(11, 100), parts(2, 501)] {
        let mut dealer = dealer(&context, &ipc(&folder));
        dealer.send(&frames(&["hello"])).unwrap();
        let (from, _) = message(&mut router);
        dealer.send(&rude).unwrap();
        assert_eq!(arrival(&mut router), Arrival::Gone { from }, "{} parts", rude.len());
    }
    polite.send(&parts(2, 500)).unwrap();
    assert_eq!(message(&mut router).1.len(), 2, "whoever keeps to the bounds goes on");
}

#[test]
fn a_message_without_an_end_is_not_waited_for() {
    use std::io::{Read, Write};
    let (context, folder) = (Context::new().unwrap(), Folder::new());
    let options = Options { max_message_bytes: 1 << 20, ..Options::default() };
    let mut router = router(&context, &folder, &options);
    let mut peer = std::os::unix::net::UnixStream::connect(folder.socket()).unwrap();
    peer.set_read_timeout(Some(PATIENCE)).unwrap();
    // The greeting of ZMTP 3.0 without a mechanism, and the words of a dealer.
    let mut greeting = [0u8; 64];
    greeting[0] = 0xff;
    (greeting[9], greeting[10]) = (0x7f, 3);
    greeting[12..16].copy_from_slice(b"NULL");
    peer.write_all(&greeting).unwrap();
    let ready = b"\x05READY\x0bSocket-Type\0\0\0\x06DEALER";
    peer.write_all(&[&[4, ready.len() as u8], &ready[..]].concat()).unwrap();
    // Frames of which each says that another one follows.
    let frame = [&[3, 0, 0, 0, 0, 0, 0, 0x40, 0], &[0u8; 1 << 14][..]].concat();
    let sent = (0..1000).take_while(|_| peer.write_all(&frame).is_ok()).count();
    assert!(sent < 1000, "it has taken everything");
    let mut rest = Vec::new();
    let _ = peer.read_to_end(&mut rest);
    assert_eq!(router.receive(), Ok(None), "nothing was whole");
}

#[test]
fn keys_decide_who_enters_a_port() {
    let context = Context::new().unwrap();
    let (server, friend, stranger) =
        (KeyPair::generate(), KeyPair::generate(), KeyPair::generate());
    let allowed = AllowList::new([(friend.public, Label(1))]);
    let (mut router, address) = tcp_router(&context, curve(&server, allowed.clone()));

    let mut welcome = dealer(&context, &with_keys(&address, &server, &friend));
    welcome.send(&frames(&["hello"])).unwrap();
    let (from, _) = message(&mut router);
    assert_eq!(router.origin(&from).and_then(|origin| origin.key), Some(friend.public));

    let refused = |endpoint: &Endpoint| {
        let mut dealer = dealer(&context, endpoint);
        let _ = dealer.send(&frames(&["let me in"]));
        event(&mut dealer)
    };
    let rejected = |event: &DealerEvent| matches!(event, DealerEvent::Rejected(_));
    let event = refused(&with_keys(&address, &server, &stranger));
    assert!(rejected(&event), "not on the list: {event:?}");
    let event = refused(&with_keys(&address, &stranger, &friend));
    assert!(rejected(&event), "another server's key: {event:?}");
    let event = refused(&insecure(&address));
    assert!(rejected(&event), "no key: {event:?}");
    assert_eq!(router.receive(), Ok(None), "somebody got in");

    allowed.replace([(stranger.public, Label(2))]);
    assert_eq!(allowed.label(stranger.public), Some(Label(2)));
    assert_eq!(allowed.label(friend.public), None);
    connected(&context, &with_keys(&address, &server, &stranger));
    let event = refused(&with_keys(&address, &server, &friend));
    assert!(rejected(&event), "no longer on the list: {event:?}");
}

#[test]
fn a_connection_that_is_given_up_holds_up_no_other() {
    let context = Context::new().unwrap();
    let server = KeyPair::generate();
    let (_router, address) = tcp_router(&context, curve(&server, AllowList::anyone(Label(0))));
    // Refused ones are dropped at their first event; a second is on its way.
    for _ in 0..200 {
        let mut refused = dealer(&context, &insecure(&address));
        event(&mut refused);
    }
    connected(&context, &with_keys(&address, &server, &KeyPair::generate()));
}

#[test]
fn nobody_listening_is_told_from_somebody_who_refuses() {
    let (context, folder) = (Context::new().unwrap(), Folder::new());
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for endpoint in [ipc(&folder), insecure(&free.to_string())] {
        let mut dealer = dealer(&context, &endpoint);
        let event = event(&mut dealer);
        assert!(matches!(event, DealerEvent::Refused(_)), "{endpoint}: {event:?}");
    }
}

#[test]
fn a_waker_ends_a_wait() {
    let waker = Waker::new().unwrap();
    let other = waker.clone();
    let start = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(move || other.wake());
        wait(&[], &[&waker], PATIENCE).unwrap();
    });
    assert!(start.elapsed() < PATIENCE);
}

#[test]
fn a_forked_child_harms_nobody() {
    let (context, folder) = (Context::new().unwrap(), Folder::new());
    let mut router = router(&context, &folder, &Options::default());
    let mut parents = dealer(&context, &ipc(&folder));
    parents.send(&frames(&["before"])).unwrap();
    let (from, _) = message(&mut router);
    // SAFETY: the child calls nothing that needs other threads, and ends without unwinding.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let sent = parents.send(&frames(&["from the child"]));
        let heard = router.receive();
        drop((parents, router, context));
        let well = sent == Err(SendError::Gone) && heard == Err(Error::Forked);
        // SAFETY: ends the child here.
        unsafe { libc::_exit(if well { 0 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: the status is a place of ours.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert!(libc::WIFEXITED(status), "the child was killed: {status}");
    parents.send(&frames(&["after"])).unwrap();
    assert_eq!(message(&mut router), (from.clone(), frames(&["after"])));
    router.send(&from, &frames(&["still here"])).unwrap();
    let answer = until(&mut parents, |dealer| match dealer.receive().unwrap() {
        Some(DealerEvent::Message(frames)) => Some(frames),
        _ => None,
    });
    assert_eq!(answer, frames(&["still here"]));
    assert_eq!(libc::WEXITSTATUS(status), 0, "the child could use what is the parent's");
}

#[test]
fn somebody_quiet_is_heard_beside_somebody_who_is_not() {
    let (context, folder) = (Context::new().unwrap(), Folder::new());
    let mut router = router(&context, &folder, &Options::default());
    let [mut loud, mut quiet] = [0; 2].map(|_| dealer(&context, &ipc(&folder)));
    quiet.send(&frames(&["hello"])).unwrap();
    let (quiet_id, _) = message(&mut router);
    let word = frames(&["more"; 3]);
    (0..200).for_each(|_| loud.send(&word).unwrap());
    message(&mut router);
    quiet.send(&frames(&["please"])).unwrap();
    // Each message takes a while, in which what was said arrives.
    let mut before = 0;
    while message(&mut router).0 != quiet_id {
        before += 1;
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(before < 10, "{before} messages of somebody else came first");
}

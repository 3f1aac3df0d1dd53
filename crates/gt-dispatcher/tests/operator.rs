//! What the operator of a server decides: how much users may have, and who is paused or ended.

mod harness;

use gt_core::{Error, SessionId, WorkerId};
use gt_dispatcher::gateway::Delivery;
use gt_dispatcher::policy::{Allowance, Policy};
use gt_dispatcher::role::{Credentials, Identity, Role};
use gt_transport::Message;
use gt_transport::hello::Hello;
use gt_transport::order::Order;
use gt_transport::reliable::unsequenced;
use gt_transport::share::{MemoryLimit, Share, Weight};
use harness::{Harness, OWN, refusal, welcome, with_key, words};

/// Who may give orders.
const OPERATOR: Credentials = Credentials { role: Some(Role::Operator), ..OWN };

/// A server with a worker.
fn operated() -> Harness {
    let mut harness = Harness::open();
    harness.add_worker(1);
    harness
}

fn order(harness: &mut Harness, who: Credentials, order: Order) -> Result<Vec<Delivery>, Error> {
    let out = harness.hear_from(who, 99, unsequenced(&Message::Order(order)));
    harness.gone(99);
    let refused = words(&out).into_iter().find_map(|(connection, message)| match message {
        Message::Ended { error, .. } if connection == 99 => Some(error),
        _ => None,
    });
    refused.map_or(Ok(out), Err)
}

/// What the worker is told of shares.
fn shares(out: &[Delivery]) -> Vec<(SessionId, Share)> {
    let share = |(connection, message)| match (connection, message) {
        (1, Message::Share { session, share }) => Some((session, share)),
        _ => None,
    };
    words(out).into_iter().filter_map(share).collect()
}

fn arrive(harness: &mut Harness, who: Credentials, connection: u64) -> Vec<Delivery> {
    let hello = Message::Hello(Hello { workers: Some(2), ..Hello::named("somebody") });
    harness.hear_from(who, connection, unsequenced(&hello))
}

#[test]
fn workers_are_told_whose_a_session_is_and_what_weight_that_user_has() {
    let mut harness = operated();
    let (ada, weight) = (with_key(1, Role::Client), Weight::new(3).expect("it is not zero"));
    let allowance = Allowance { weight, ..Allowance::default() };
    let keys = [([1; 32], allowance)].into_iter().collect();
    harness.gateway.set_policy(0, Policy { keys, ..Policy::default() }, &mut Vec::new());
    let own = shares(&arrive(&mut harness, OWN, 2));
    let [first, second] = [3, 4].map(|connection| shares(&arrive(&mut harness, ada, connection)));
    assert_eq!([own.len(), first.len(), second.len()], [1, 1, 1]);
    assert_eq!((own[0].1.user_weight, first[0].1.user_weight), (Weight::ONE, weight));
    assert_eq!(first[0].1.user, second[0].1.user, "they are the same user's");
    assert_ne!(first[0].1.user, own[0].1.user);
    // A policy that is read again counts for sessions that are there.
    let mut out = Vec::new();
    harness.gateway.set_policy(0, Policy::default(), &mut out);
    let weights: Vec<Weight> = shares(&out).iter().map(|(_, share)| share.user_weight).collect();
    assert_eq!(weights, [Weight::ONE; 2], "those of the key, and nobody else's");
}

#[test]
fn nobody_has_more_sessions_or_workers_than_the_policy_allows() {
    let mut harness = operated();
    harness.add_worker(11);
    let default = Allowance { sessions: Some(2), workers: Some(1), ..Allowance::default() };
    harness.gateway.set_policy(0, Policy { default, ..Policy::default() }, &mut Vec::new());
    for connection in [2, 3] {
        let welcome = welcome(&arrive(&mut harness, OWN, connection)).expect("there is room");
        assert_eq!(welcome.workers, 1, "it has asked for two");
    }
    let refused = refusal(&arrive(&mut harness, OWN, 4)).expect("there are two");
    assert!(refused.to_string().contains("allows 2 sessions"), "{refused}");
    assert!(welcome(&arrive(&mut harness, with_key(1, Role::Client), 5)).is_some());
}

#[test]
fn a_session_gets_the_memory_that_it_asks_for_and_no_more_than_the_policy_allows() {
    let mut harness = operated();
    let session_memory = MemoryLimit { bytes: 700, ..MemoryLimit::NONE };
    let memory = MemoryLimit { percent: 50, ..MemoryLimit::NONE };
    let default = Allowance { session_memory, memory, ..Allowance::default() };
    harness.gateway.set_policy(0, Policy { default, ..Policy::default() }, &mut Vec::new());
    for (connection, memory_bytes, given) in
        [(2, Some(500), 500), (3, Some(900), 700), (4, None, 700)]
    {
        let hello = Message::Hello(Hello { memory_bytes, ..Hello::named("somebody") });
        let told = shares(&harness.hear_from(OWN, connection, unsequenced(&hello)));
        assert_eq!(told[0].1.memory.of(10_000), given);
        assert_eq!(told[0].1.user_memory.of(10_000), 5_000);
    }
    // What a session asked for stays when the policy is read again.
    let mut out = Vec::new();
    harness.gateway.set_policy(0, Policy::default(), &mut out);
    let mut given: Vec<usize> =
        shares(&out).iter().map(|(_, share)| share.memory.of(800)).collect();
    given.sort_unstable();
    assert_eq!(given, [500, 900, usize::MAX]);
}

#[test]
fn the_operator_pauses_resumes_and_ends_sessions() {
    let mut harness = operated();
    let session = harness.add_client(2).session;
    let out = order(&mut harness, OPERATOR, Order::Pause(session)).expect("it is the operator");
    assert!(matches!(shares(&out)[..], [(of, share)] if of == session && share.paused));
    assert!(harness.gateway.report(0).sessions[0].share.paused);
    let out = order(&mut harness, OPERATOR, Order::Resume(session)).expect("it is the operator");
    assert!(matches!(shares(&out)[..], [(of, share)] if of == session && !share.paused));
    let out = order(&mut harness, OPERATOR, Order::Kill(session)).expect("it is the operator");
    let is_end = |(connection, message): &(u64, Message)| {
        *connection == 2 && matches!(message, Message::Ended { error: Error::Lost(_), .. })
    };
    assert!(words(&out).iter().any(is_end), "{out:?}");
    assert_eq!(harness.sessions(), 0);
    let error = order(&mut harness, OPERATOR, Order::Kill(session)).expect_err("it is gone");
    assert!(error.to_string().contains("there is no session"), "{error}");
}

/// Two workers and a session that is paused, of which the first worker is drained.
fn paused_and_drained() -> (Harness, SessionId) {
    let mut harness = operated();
    harness.add_worker(11);
    let session = harness.add_client(2).session;
    for what in [Order::Pause(session), Order::DrainWorker(WorkerId(0))] {
        order(&mut harness, OPERATOR, what).expect("it is the operator");
    }
    (harness, session)
}

#[test]
fn a_drained_worker_goes_on_when_the_session_does() {
    let (mut harness, session) = paused_and_drained();
    let out = order(&mut harness, OPERATOR, Order::Resume(session)).expect("it is the operator");
    assert!(matches!(shares(&out)[..], [(of, share)] if of == session && !share.paused));
}

#[test]
fn a_worker_that_is_taken_back_hears_nothing_that_does_not_hold_any_more() {
    let (mut harness, session) = paused_and_drained();
    let mut told = Vec::new();
    for what in [
        Order::UndrainWorker(WorkerId(0)),
        Order::Resume(session),
        // What waits for the next message of the session goes with this one.
        Order::DrainWorker(WorkerId(1)),
    ] {
        told.extend(shares(&order(&mut harness, OPERATOR, what).expect("it is the operator")));
    }
    assert!(told.last().is_some_and(|(_, share)| !share.paused), "{told:?}");
}

#[test]
fn nobody_else_gives_orders() {
    let mut harness = operated();
    let session = harness.add_client(2).session;
    let other = Credentials { identity: Identity::User(1), ..OWN };
    for who in [other, with_key(1, Role::Both)] {
        for what in [Order::Kill(session), Order::DrainWorker(WorkerId(0)), Order::Drain] {
            let error = order(&mut harness, who, what).expect_err("it is not the operator");
            assert!(error.to_string().contains("only the operator"), "{error}");
        }
    }
    assert_eq!(harness.sessions(), 1);
    assert!(welcome(&arrive(&mut harness, other, 3)).is_some(), "nothing is drained");
}

#[test]
fn a_server_that_is_drained_takes_no_sessions_and_keeps_those_it_has() {
    let mut harness = operated();
    harness.add_client(2);
    order(&mut harness, OPERATOR, Order::Drain).expect("it is the operator");
    let refused = refusal(&arrive(&mut harness, OWN, 3)).expect("it is drained");
    assert!(refused.to_string().contains("drained"), "{refused}");
    assert_eq!(harness.sessions(), 1);
    order(&mut harness, OPERATOR, Order::Undrain).expect("it is the operator");
    assert!(welcome(&arrive(&mut harness, OWN, 4)).is_some());
}

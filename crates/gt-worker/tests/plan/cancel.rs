//! What becomes of commands that the client no longer waits for.

use gt_core::{Error, RequestId, SessionId};
use gt_transport::Message;

use super::bench::{Bench, ONE};

const SESSION: SessionId = SessionId(1);

fn cancel(request: Option<u32>) -> Message {
    Message::Cancel { session: SESSION, request: request.map(RequestId) }
}

/// A worker that was given some commands and has planned the first two of them.
fn begun(lines: &[&str]) -> Bench {
    let mut bench = Bench::new(ONE);
    bench.say(SESSION, &["t0 := full shape=[2] fill_value=3.0"]);
    bench.run();
    bench.say(SESSION, lines);
    bench
}

#[test]
fn what_is_cancelled_runs_when_it_is_needed_and_not_before() {
    let mut bench = begun(&[
        "t1 := neg t0",
        "t2 := neg t1",
        "t3 := neg t2",
        "t4 := exp t3",
        "t5 := relu t3",
        "read t4 as r1",
    ]);
    bench.tell(cancel(Some(1)));
    bench.run();
    assert_eq!(bench.seen().len(), 3, "{:?}", bench.seen());
    let answer = bench.answer(SESSION, 1).expect_err("no value");
    assert_eq!(answer.error, Error::Interrupted);
    assert_eq!(bench.done(SESSION), 7, "cancelled commands count as done");
    // What is read next overtakes everything.
    bench.say(SESSION, &["t6 := add t0 1.0", "read t6 as r2"]);
    bench.run();
    assert_eq!(bench.read(SESSION, 2), [4.0; 2]);
    assert_eq!(bench.seen().len(), 4, "{:?}", bench.seen());
    bench.say(SESSION, &["read t5 as r3"]);
    bench.run();
    assert_eq!(bench.read(SESSION, 3), [0.0; 2]);
    let is_exponential = |(kernel, _): &(String, bool)| kernel.contains("Exp");
    assert!(!bench.seen().iter().any(is_exponential), "nothing asks for it");
    bench.say(SESSION, &["sync as r4"]);
    bench.run();
    assert!(bench.seen().iter().any(is_exponential));
    assert!(bench.is_answered(SESSION, 4));
    assert_eq!(bench.done(SESSION), 11);
}

#[test]
fn cancelled_values_without_a_name_are_dropped_and_updates_are_not() {
    let mut bench = begun(&[
        "t1 := neg t0",
        "t2 := neg t1",
        "t3 := exp t2",
        "t4 := add t0 t0 replaces t0",
        "t5 := exp t3",
    ]);
    bench.tell(cancel(None));
    bench.run();
    let before = bench.seen().len();
    bench.say(SESSION, &["free t3", "free t5", "sync as r1"]);
    bench.run();
    assert!(bench.is_answered(SESSION, 1));
    // Only the update is left.
    assert_eq!(bench.seen().len(), before + 1, "{:?}", bench.seen());
    bench.say(SESSION, &["read t4 as r2"]);
    bench.run();
    assert_eq!(bench.read(SESSION, 2), [6.0; 2]);
}

#[test]
fn what_data_can_make_fail_is_not_deferred_and_harms_updates_after_it() {
    let mut bench = begun(&[
        "t1 := neg t0",
        "t2 := neg t1",
        "t3 := full shape=[2] fill_value=6 dtype=int64",
        "t4 := gather t0 t3 dim=0",
        "t5 := neg t0 replaces t0",
    ]);
    bench.tell(cancel(None));
    bench.run();
    assert_eq!(bench.failures(SESSION).len(), 1, "6 is out of bounds");
    bench.say(SESSION, &["read t5 as r1"]);
    bench.run();
    let told = bench.answer(SESSION, 1).expect_err("the failure");
    assert_eq!(told.instruction, "t4 := gather");
    bench.say(SESSION, &["read t5 as r2"]);
    bench.run();
    assert_eq!(bench.read(SESSION, 2), [3.0; 2], "the client was not told before the update");
}

#[test]
fn a_cancelled_value_that_an_update_replaces_is_computed() {
    let mut bench = begun(&["t1 := neg t0", "t2 := neg t1", "t3 := add t2 t2"]);
    bench.tell(cancel(None));
    bench.run();
    bench.say(SESSION, &["t4 := add t3 t3 replaces t3", "read t4 as r1"]);
    bench.run();
    assert_eq!(bench.read(SESSION, 1), [12.0; 2]);
}

#[test]
fn a_synchronisation_that_is_given_up_runs_nothing() {
    let lines = ["t1 := neg t0", "t2 := neg t1", "t3 := neg t2", "t4 := exp t3", "sync as r1"];
    let mut bench = begun(&lines);
    bench.tell(cancel(Some(1)));
    // Another one before the worker has looked at the first.
    bench.tell(cancel(None));
    bench.run();
    let answer = bench.answer(SESSION, 1).expect_err("no value");
    assert_eq!(answer.error, Error::Interrupted);
    assert!(!bench.seen().iter().any(|(kernel, _)| kernel.contains("Exp")), "{:?}", bench.seen());
}

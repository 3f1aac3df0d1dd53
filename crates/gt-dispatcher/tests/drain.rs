//! Workers that are to be free: what they are told, and where their values go, as tapes.

mod tape;

use tape::check;

#[test]
fn what_only_a_drained_worker_had_goes_to_another_one() {
    check(
        "
        workers 2
        t0 := upload [4]
        t1 := upload [64, 4]
        # The second worker has a copy of the first value.
        t2 := add t0 t1
        t3 := exp t0
        send
        w0 drained
        t4 := add t3 t0
        read t4 as r1
        ---
        x
        ",
    );
}

#[test]
fn another_worker_takes_the_place_of_a_drained_one_with_its_parts() {
    check(
        "
        wants 2
        workers 3
        scope1 := \"rows\" in scope0 shard(0) 0 1
        in scope1
        t0 := upload [8]
        scope2 := \"copies\" in scope1 replicated 0 1
        in scope2
        t1 := upload [4]
        send
        w0 drained
        in scope1
        t2 := exp t0
        free t0
        free t1
        ---
        x
        ",
    );
}

#[test]
fn without_another_worker_parts_go_to_those_that_are_left() {
    check(
        "
        workers 3
        scope1 := \"rows\" in scope0 shard(0)
        in scope1
        t0 := upload [6]
        send
        w1 drained
        t1 := exp t0
        ---
        x
        ",
    );
}

#[test]
fn a_worker_that_is_alone_is_not_drained_and_one_that_is_taken_back_is_used() {
    check(
        "
        workers 2
        w0 drained
        w1 drained
        t0 := upload [4]
        send
        w0 undrained
        w1 drained
        t1 := exp t0
        ---
        x
        ",
    );
}

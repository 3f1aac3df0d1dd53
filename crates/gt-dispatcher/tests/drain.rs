//! Workers that are to be free: what they are told, and where their values go, as tapes.

mod tape;

use tape::check;

#[test]
fn what_only_a_drained_worker_had_goes_to_another_one() {
    check(
        "
        workers 2
        t0 := upload [4]
        on w1
        t1 := upload [64, 4]
        # The second worker has a copy of the first value.
        on any
        t2 := add t0 t1
        t3 := exp t0
        send
        w0 drained
        t4 := add t3 t0
        read t4 as r1
        ---
        w0   t0 := upload float32[4] (16 bytes)
        w1   t1 := upload float32[64, 4] (1024 bytes)
        w0   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w0   t3 := exp t0
        w1   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w1   t2 := add t2147483648 t1
        w0   free t0
        w0   t2147483649 := move t3 from whole on w0 to whole on w1 as #1
        w0   free t3
        w1   t2147483649 := move t3 from whole on w0 to whole on w1 as #1
        w1   t4 := add t2147483649 t2147483648
        w1   read t4 as r1
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
        w0   t0 := upload float32[8] (32 bytes)
        w0   t2147483648 := move t0 from whole on w0 to shard(0) on w0 w1 as #0
        w0   free t0
        w0   t1 := upload float32[4] (16 bytes)
        w1   t2147483648 := move t0 from whole on w0 to shard(0) on w0 w1 as #0
        w1   t1 := upload float32[4] (16 bytes)
        w0   t2147483649 := move t2147483648 from shard(0) on w0 w1 to shard(0) on w2 w1 as #1
        w0   free t2147483648
        w0   t2147483648 := move t1 from whole on w0 to whole on w2 as #2
        w1   t2147483649 := move t2147483648 from shard(0) on w0 w1 to shard(0) on w2 w1 as #1
        w1   free t2147483648
        w1   t2147483648 := cast t1 dtype=float32
        w2   t2147483649 := move t2147483648 from shard(0) on w0 w1 to shard(0) on w2 w1 as #1
        w2   t2147483648 := move t1 from whole on w0 to whole on w2 as #2
        w0   free t1
        w1   free t1
        w1   d1 := cut 0 on w2 w1
        w1   by d1
        w1   t2 := exp t2147483649
        w1   free t2147483649
        w1   free t2147483648
        w2   d1 := cut 0 on w2 w1
        w2   by d1
        w2   t2 := exp t2147483649
        w2   free t2147483649
        w2   free t2147483648
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
        ---
        w0   t0 := upload float32[6] (24 bytes)
        w0   t2147483648 := move t0 from whole on w0 to shard(0) on w0 w1 w2 as #0
        w0   free t0
        w1   t2147483648 := move t0 from whole on w0 to shard(0) on w0 w1 w2 as #0
        w2   t2147483648 := move t0 from whole on w0 to shard(0) on w0 w1 w2 as #0
        w0   t2147483649 := move t2147483648 from shard(0) on w0 w1 w2 to shard(0) on w0 w2 as #2
        w0   free t2147483648
        w1   t2147483649 := move t2147483648 from shard(0) on w0 w1 w2 to shard(0) on w0 w2 as #2
        w1   free t2147483648
        w2   t2147483649 := move t2147483648 from shard(0) on w0 w1 w2 to shard(0) on w0 w2 as #2
        w2   free t2147483648
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
        operator is the only worker that takes work, and its values have nowhere to go
        w1   t0 := upload float32[4] (16 bytes)
        w0   t2147483648 := move t0 from whole on w1 to whole on w0 as #0
        w1   t2147483648 := move t0 from whole on w1 to whole on w0 as #0
        w1   free t0
        w0   t1 := exp t2147483648
        ",
    );
}

#[test]
fn a_sum_is_put_together_before_one_of_its_parts_moves() {
    check(
        "
        wants 2
        workers 3
        scope1 := \"rows\" in scope0 shard(0) 0 1
        in scope1
        t0 := upload [8]
        t1 := sum t0
        free t0
        send
        w0 drained
        read t1 as r1
        ---
        w0   t0 := upload float32[8] (32 bytes)
        w0   t2147483648 := move t0 from whole on w0 to shard(0) on w0 w1 as #0
        w0   free t0
        w0   d1 := cut 0 on w0 w1
        w0   by d1
        w0   t1 := sum t2147483648
        w0   free t2147483648
        w1   t2147483648 := move t0 from whole on w0 to shard(0) on w0 w1 as #0
        w1   d1 := cut 0 on w0 w1
        w1   by d1
        w1   t1 := sum t2147483648
        w1   free t2147483648
        w0   t2147483648 := move t1 from partial(sum) on w0 w1 to replicate on w0 w1 as #1
        w0   free t1
        w0   t2147483649 := move t2147483648 from whole on w0 to whole on w2 as #3
        w1   t2147483648 := move t1 from partial(sum) on w0 w1 to replicate on w0 w1 as #1
        w1   free t1
        w2   t2147483649 := move t2147483648 from whole on w0 to whole on w2 as #3
        # What else is for those that have enough to do waits for that.
        w2   read t2147483649 as r1
        ",
    );
}

#[test]
fn a_drained_worker_that_is_gone_takes_with_it_what_it_had_not_sent() {
    check(
        "
        workers 2
        t0 := upload [4]
        t1 := exp t0
        send
        w0 drained
        # It was to send both values, and has sent none.
        w0 gone
        read t1 as r1
        free t0
        free t1
        ---
        w0   t0 := upload float32[4] (16 bytes)
        w0   t1 := exp t0
        w0   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w0   free t0
        w0   t2147483649 := move t1 from whole on w0 to whole on w1 as #1
        w0   free t1
        w1   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w1   t2147483649 := move t1 from whole on w0 to whole on w1 as #1
        w1   handover #0: worker on was lost
        w1   handover #1: worker on was lost
        client done 2
        w1   read t2147483649 as r1
        w1   free t2147483648
        w1   free t2147483649
        ",
    );
}

#[test]
fn a_worker_that_is_gone_while_its_parts_move_leaves_nothing_behind() {
    check(
        "
        wants 2
        workers 3
        scope1 := \"rows\" in scope0 shard(0) 0 1
        in scope1
        t0 := upload [8]
        send
        w0 drained
        w0 gone
        free t0
        ---
        w0   t0 := upload float32[8] (32 bytes)
        w0   t2147483648 := move t0 from whole on w0 to shard(0) on w0 w1 as #0
        w0   free t0
        w1   t2147483648 := move t0 from whole on w0 to shard(0) on w0 w1 as #0
        w0   t2147483649 := move t2147483648 from shard(0) on w0 w1 to shard(0) on w2 w1 as #1
        w0   free t2147483648
        w1   t2147483649 := move t2147483648 from shard(0) on w0 w1 to shard(0) on w2 w1 as #1
        w1   free t2147483648
        w2   t2147483649 := move t2147483648 from shard(0) on w0 w1 to shard(0) on w2 w1 as #1
        w1   handover #0: worker on was lost
        w2   handover #1: worker on was lost
        w1   free t2147483649
        w2   free t2147483649
        ",
    );
}

#[test]
fn a_worker_that_is_taken_back_without_a_seat_is_not_asked_after_it_is_gone() {
    check(
        "
        wants 2
        workers 3
        t0 := upload [4]
        t1 := exp t0
        send
        w0 drained
        w0 undrained
        w0 gone
        sync as r1
        ---
        w0   t0 := upload float32[4] (16 bytes)
        w0   t1 := exp t0
        w0   t2147483648 := move t0 from whole on w0 to whole on w2 as #0
        w0   free t0
        w0   t2147483649 := move t1 from whole on w0 to whole on w2 as #1
        w0   free t1
        w2   t2147483648 := move t0 from whole on w0 to whole on w2 as #0
        w2   t2147483649 := move t1 from whole on w0 to whole on w2 as #1
        w2   handover #0: worker on was lost
        w2   handover #1: worker on was lost
        client done 2
        w2   sync as r1
        ",
    );
}

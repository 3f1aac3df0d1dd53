//! Where the dispatcher sends work, as tapes.

mod tape;

use tape::check;

#[test]
fn one_worker_gets_the_stream_as_it_is() {
    check(
        "
        workers 1
        t0 := upload [2, 2]
        t1 := exp t0
        free t0
        t0 := sum t1 dim=[0]
        read t0 as r1
        ---
        w0 t0 := upload float32[2, 2] (16 bytes)
        w0 t1 := exp t0
        w0 free t0
        w0 t0 := sum t1 dim=[0]
        w0 read t0 as r1
        ",
    );
}

#[test]
fn work_goes_where_its_inputs_are() {
    check(
        "
        # The second upload finds the first worker busy; each chain stays with its upload.
        workers 2
        t0 := upload [8, 8]
        on w1
        t1 := upload [8, 8]
        on any
        t2 := exp t1
        t3 := exp t0
        t4 := relu t2
        t5 := relu t3
        ---
        w0   t0 := upload float32[8, 8] (256 bytes)
        w1   t1 := upload float32[8, 8] (256 bytes)
        w0   t3 := exp t0
        w0   t5 := relu t3
        w1   t2 := exp t1
        w1   t4 := relu t2
        ",
    );
}

#[test]
fn small_work_stays_at_home_however_busy_that_is() {
    check(
        "
        workers 3
        t0 := zeros shape=[1000, 1000]
        t1 := zeros shape=[10]
        t2 := exp t0
        t3 := upload [10]
        t4 := add t1 t3
        ---
        w0   t0 := zeros shape=[1000, 1000]
        w0   t1 := zeros shape=[10]
        w0   t2 := exp t0
        w0   t3 := upload float32[10] (40 bytes)
        w0   t4 := add t1 t3
        ",
    );
}

#[test]
fn operands_on_different_workers_meet_where_the_larger_one_is() {
    check(
        "
        workers 2
        t0 := upload [4]
        on w1
        t1 := upload [64, 4]
        on any
        t2 := add t0 t1
        ---
        w0   t0 := upload float32[4] (16 bytes)
        w1   t1 := upload float32[64, 4] (1024 bytes)
        w0   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w1   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w1   t2 := add t2147483648 t1
        ",
    );
}

#[test]
fn a_value_that_was_moved_is_not_moved_again() {
    check(
        "
        workers 2
        t0 := upload [4]
        on w1
        t1 := upload [64, 4]
        on any
        w0 done 1
        w1 done 1
        t2 := add t0 t1
        t3 := mul t1 t0
        send
        t4 := sub t0 t1
        ---
        w0   t0 := upload float32[4] (16 bytes)
        w1   t1 := upload float32[64, 4] (1024 bytes)
        client done 1
        client done 1
        w0   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w1   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w1   t2 := add t2147483648 t1
        w1   t3 := mul t1 t2147483648
        w1   t4 := sub t2147483648 t1
        ",
    );
}

#[test]
fn a_free_frees_copies_too_and_their_names_are_used_again() {
    check(
        "
        workers 2
        t0 := upload [4]
        on w1
        t1 := upload [64, 4]
        on any
        t2 := add t0 t1
        free t0
        t0 := upload [4]
        t3 := add t0 t1
        ---
        w0   t0 := upload float32[4] (16 bytes)
        w1   t1 := upload float32[64, 4] (1024 bytes)
        w0   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w0   free t0
        w0   t0 := upload float32[4] (16 bytes)
        w0   t2147483648 := move t0 from whole on w0 to whole on w1 as #1
        w1   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w1   t2 := add t2147483648 t1
        w1   free t2147483648
        w1   t2147483648 := move t0 from whole on w0 to whole on w1 as #1
        w1   t3 := add t2147483648 t1
        ",
    );
}

#[test]
fn a_replacement_stays_at_home_and_ends_the_copies_of_the_old_value() {
    check(
        "
        # t0 is smaller than t1, but its place is with the first worker.
        workers 2
        t0 := upload [64]
        on w1
        t1 := upload [64, 64]
        on any
        t2 := add t0 t1
        t3 := sum t1 dim=[0]
        t4 := add t0 t3 replaces t0
        t5 := add t4 t1
        ---
        w0   t0 := upload float32[64] (256 bytes)
        w1   t1 := upload float32[64, 64] (16384 bytes)
        w0   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w0   t2147483649 := move t3 from whole on w1 to whole on w0 as #1
        w0   t4 := add t0 t2147483649 replaces t0
        w0   t2147483648 := move t4 from whole on w0 to whole on w1 as #2
        w1   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w1   t2 := add t2147483648 t1
        w1   t3 := sum t1 dim=[0]
        w1   t2147483649 := move t3 from whole on w1 to whole on w0 as #1
        w1   free t2147483648
        w1   t2147483648 := move t4 from whole on w0 to whole on w1 as #2
        w1   t5 := add t2147483648 t1
        ",
    );
}

#[test]
fn heavy_work_moves_to_an_idle_worker_and_what_depends_on_it_stays_there() {
    check(
        "
        # Each product takes far longer than handing its input over.
        workers 2
        t0 := zeros shape=[512, 512]
        t1 := matmul t0 t0
        t2 := matmul t0 t0
        t3 := matmul t1 t1
        t4 := matmul t2 t2
        ---
        w0   t0 := zeros shape=[512, 512]
        w0   t1 := matmul t0 t0
        w0   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w0   t3 := matmul t1 t1
        w1   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w1   t2 := matmul t2147483648 t2147483648
        w1   t4 := matmul t2 t2
        ",
    );
}

#[test]
fn light_work_does_not_move_however_much_of_it_there_is() {
    check(
        "
        workers 2
        t0 := upload [4]
        t1 := exp t0
        t2 := exp t0
        t3 := exp t0
        t4 := exp t3
        ---
        w0   t0 := upload float32[4] (16 bytes)
        w0   t1 := exp t0
        w0   t2 := exp t0
        w0   t3 := exp t0
        w0   t4 := exp t3
        ",
    );
}

#[test]
fn a_worker_is_idle_again_when_its_work_should_be_done() {
    check(
        "
        workers 2
        t0 := zeros shape=[1000, 1000]
        send
        # A second later nobody is busy, and the first worker comes first.
        at 1000000000
        t1 := zeros shape=[10]
        ---
        w0   t0 := zeros shape=[1000, 1000]
        w0   t1 := zeros shape=[10]
        ",
    );
}

#[test]
fn a_batch_is_done_when_every_worker_is_done_with_its_part() {
    check(
        "
        workers 2
        t0 := upload [4]
        on w1
        t1 := upload [64, 4]
        on any
        t2 := add t0 t1
        send
        t3 := exp t0
        send
        # The first worker is done with its part of a batch before the second is.
        w0 done 2
        w1 done 2
        w1 done 1
        w0 done 1
        ---
        w0   t0 := upload float32[4] (16 bytes)
        w1   t1 := upload float32[64, 4] (1024 bytes)
        w0   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w1   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w1   t2 := add t2147483648 t1
        w0   t3 := exp t0
        client done 1
        client done 1
        client done 1
        client done 1
        ",
    );
}

#[test]
fn done_is_told_for_batches_in_order() {
    check(
        "
        workers 2
        t0 := upload [4]
        send
        on w1
        t1 := upload [4]
        on any
        send
        w1 done 1
        w0 done 1
        ---
        w0   t0 := upload float32[4] (16 bytes)
        w1   t1 := upload float32[4] (16 bytes)
        client done 2
        ",
    );
}

#[test]
fn a_shape_that_depends_on_data_is_used_after_it_was_told() {
    check(
        "
        workers 1
        t0 := upload [4, 2]
        t1 := nonzero t0
        describe t1 as r1
        send
        w0 describes r1 as [3, 2]
        w0 done 3
        t2 := reshape t1 shape=[6]
        send
        # It still has three rows: eight numbers are too many.
        t3 := reshape t1 shape=[8]
        ---
        w0   t0 := upload float32[4, 2] (32 bytes)
        w0   t1 := nonzero t0
        w0   describe t1 as r1
        client answer r1
        client done 3
        w0   t2 := reshape t1 shape=[6]
        w0   forget
        client ended: reshape: shape [8] is invalid for input of size 6
        ",
    );
}

#[test]
fn goodbye_is_told_to_every_worker() {
    check(
        "
        workers 2
        t0 := upload [4]
        send
        bye
        ---
        w0 t0 := upload float32[4] (16 bytes)
        w0 forget
        w1 forget
        ",
    );
}

#[test]
fn a_read_asks_nobody_where_nothing_can_fail_because_of_data() {
    check(
        "
        workers 2
        t0 := upload [4]
        on w1
        t1 := upload [4]
        on any
        t2 := exp t1
        read t0 as r1
        ---
        w0   t0 := upload float32[4] (16 bytes)
        w1   t1 := upload float32[4] (16 bytes)
        w0   read t0 as r1
        w1   t2 := exp t1
        ",
    );
}

#[test]
fn updates_wait_for_one_barrier_and_a_read_settles_it() {
    check(
        "
        # Only the second worker can fail; both updates of the first wait for the same word.
        workers 2
        t0 := upload [4]
        on w1
        t1 := upload [4]
        on any
        t2 := bernoulli t1 seed=0 rng_index=0
        t3 := exp t0 replaces t0
        t4 := exp t3 replaces t3
        send
        w1 reports #1 failed
        # The first worker was told of it, so that it settles as well.
        read t1 as r1
        send
        w0 reports #2
        w1 answers r1 failed
        # Nothing is asked again.
        t5 := exp t4 replaces t4
        read t5 as r2
        ---
        w0   t0 := upload float32[4] (16 bytes)
        w1   t1 := upload float32[4] (16 bytes)
        w0   wait #1
        w0   t3 := exp t0 replaces t0
        w0   t4 := exp t3 replaces t3
        w1   t2 := bernoulli t1 seed=0 rng_index=0
        w1   report #1
        w0   verdict #1: it went wrong
        w0   settle #2
        w1   wait #2
        w1   read t1 as r1
        w1   verdict #2: it went wrong
        client answer r1: it went wrong
        w0   t5 := exp t4 replaces t4
        w0   read t5 as r2
        ",
    );
}

#[test]
fn a_synchronisation_asks_everybody_who_was_given_something() {
    check(
        "
        # Even if it cannot fail: the client is told when everything is done.
        workers 2
        t0 := upload [4]
        on w1
        t1 := upload [4]
        on any
        sync as r1
        ---
        w0   t0 := upload float32[4] (16 bytes)
        w1   t1 := upload float32[4] (16 bytes)
        w0   wait #1
        w0   sync as r1
        w1   settle #1 after everything
        ",
    );
}

#[test]
fn a_synchronisation_asks_every_worker_that_may_have_deferred_something() {
    check(
        "
        workers 2
        t0 := upload [4]
        on w1
        t1 := upload [4]
        on any
        t2 := exp t0
        t3 := exp t1
        cancel
        # Its answer settles the second worker, which still defers what nothing has asked for.
        read t1 as r1
        sync as r2
        send
        w1 reports #1
        # From here on nobody defers anything.
        sync as r3
        ---
        w0  t0 := upload float32[4] (16 bytes)
        w1  t1 := upload float32[4] (16 bytes)
        w0  t2 := exp t0
        w1  t3 := exp t1
        w0  cancel
        w1  cancel
        w0  wait #1
        w0  sync as r2
        w1  read t1 as r1
        w1  settle #1 after everything
        w0  verdict #1
        w0  sync as r3
        ",
    );
}

#[test]
fn who_was_poisoned_by_what_the_client_was_told_settles_at_once() {
    check(
        "
        # A worker runs out of memory, of which nobody could know; the client hears of it through
        # a value that depends on it.
        workers 2
        t0 := upload [4]
        on w1
        t1 := upload [4]
        on any
        t2 := exp t1
        read t0 as r1
        send
        w1 failed
        w0 answers r1 failed
        ---
        w0   t0 := upload float32[4] (16 bytes)
        w1   t1 := upload float32[4] (16 bytes)
        w0   read t0 as r1
        w1   t2 := exp t1
        w1   settle #1
        client answer r1: it went wrong
        ",
    );
}

#[test]
fn what_a_lost_worker_had_is_lost_and_what_others_have_is_not() {
    check(
        "
        workers 2
        t0 := upload [4]
        on w1
        t1 := upload [64, 4]
        on any
        t2 := add t0 t1
        t3 := exp t0
        read t3 as r1
        send
        # The first worker owes a value to the second and an answer to the client.
        w0 gone
        # t0 has a copy on the second worker, t3 has none, and what depends on it has none.
        t4 := add t0 t1
        t5 := neg t3
        read t5 as r2
        free t5
        ---
        w0   t0 := upload float32[4] (16 bytes)
        w1   t1 := upload float32[64, 4] (1024 bytes)
        w0   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w0   t3 := exp t0
        w0   read t3 as r1
        w1   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w1   t2 := add t2147483648 t1
        client answer r1: worker on was lost
        w1   handover #0: worker on was lost
        client done 1
        w1   t4 := add t2147483648 t1
        w1   wait #2
        w1   sync as r2
        w1   verdict #2: worker on was lost
        ",
    );
}

#[test]
fn an_update_that_needs_a_lost_value_keeps_the_old_one() {
    check(
        "
        workers 2
        t0 := upload [64]
        on w1
        t1 := upload [64, 64]
        on any
        send
        w1 gone
        t2 := sum t1 dim=[0]
        t3 := add t0 t2 replaces t0
        read t3 as r1
        ---
        w0   t0 := upload float32[64] (256 bytes)
        w1   t1 := upload float32[64, 64] (16384 bytes)
        w0   t3 := cast t0 dtype=float32 replaces t0
        w0   wait #2
        w0   read t3 as r1
        w0   verdict #2: add: an input is lost
        ",
    );
}

#[test]
fn an_update_that_needs_a_lost_value_leaves_copies_their_names() {
    check(
        "
        # What is cut and its whole copy are two values on each worker.
        workers 3
        scope1 := \"rows\" in scope0 shard(0) 0 1
        scope2 := \"third\" in scope0 replicated 2
        in scope1
        t0 := ones shape=[8]
        in scope2
        t1 := upload [8]
        in scope0
        t2 := cumsum t0 dim=0
        send
        w0 done 5
        w1 done 5
        w2 gone
        t3 := add t0 t1 replaces t0
        t4 := cumsum t3 dim=0
        ---
        w0  d1 := cut 0 on w0 w1
        w0  by d1
        w0  t0 := ones shape=[8]
        w0  t2147483648 := move t0 from shard(0) on w0 w1 to replicate on w0 w1 as #0
        w0  t2 := cumsum t2147483648 dim=0
        w1  d1 := cut 0 on w0 w1
        w1  by d1
        w1  t0 := ones shape=[8]
        w1  t2147483648 := move t0 from shard(0) on w0 w1 to replicate on w0 w1 as #0
        w1  t2 := cumsum t2147483648 dim=0
        w2  t1 := upload float32[8] (32 bytes)
        client done 8
        w0  by d1
        w0  t3 := cast t0 dtype=float32 replaces t0
        w0  by d0
        w0  t4 := cumsum t2147483648 dim=0
        w1  by d1
        w1  t3 := cast t0 dtype=float32 replaces t0
        w1  by d0
        w1  t4 := cumsum t2147483648 dim=0
        ",
    );
}

#[test]
fn a_value_that_takes_the_place_of_a_lost_one_is_cut_as_that_was() {
    check(
        "
        workers 2
        scope1 := \"rows\" in scope0 shard(0)
        in scope1
        t0 := ones shape=[8]
        send
        w0 gone
        w2 joins
        in scope0
        t1 := upload [8]
        t2 := cast t1 dtype=float32 replaces t0
        ---
        w0  d1 := cut 0 on w0 w1
        w0  by d1
        w0  t0 := ones shape=[8]
        w1  d1 := cut 0 on w0 w1
        w1  by d1
        w1  t0 := ones shape=[8]
        w1  free t0
        w1  t2147483648 := move t1 from whole on w2 to shard(0) on w2 w1 as #0
        w1  d2 := cut 0 on w2 w1
        w1  by d2
        w1  t2 := cast t2147483648 dtype=float32
        w1  vote #1 t2
        w2  t1 := upload float32[8] (32 bytes)
        w2  t2147483648 := move t1 from whole on w2 to shard(0) on w2 w1 as #0
        w2  d2 := cut 0 on w2 w1
        w2  by d2
        w2  t2 := cast t2147483648 dtype=float32
        w2  vote #1 t2
        ",
    );
}

#[test]
fn values_that_are_replaced_together_come_under_names_of_their_own() {
    check(
        "
        # The averages are on the other worker, and not even inputs.
        workers 2
        t0 := upload [64]
        on w1
        t1 := upload [64]
        on any
        t2 := exp t1
        t3 := exp t1
        t4, t5, t6 := adam t0 t0 t0 t0 1 1 1 1 1 1 replaces t0 t2 t3
        read t5 as r1
        ---
        w0   t0 := upload float32[64] (256 bytes)
        w1   t1 := upload float32[64] (256 bytes)
        w0   t2147483648 := move t2 from whole on w1 to whole on w0 as #0
        w0   t2147483649 := move t3 from whole on w1 to whole on w0 as #1
        w0   t4, t5, t6 := adam t0 t0 t0 t0 1 1 1 1 1 1 replaces t0 t2147483648 t2147483649
        w0   read t5 as r1
        w1   t2 := exp t1
        w1   t3 := exp t1
        w1   t2147483648 := move t2 from whole on w1 to whole on w0 as #0
        w1   t2147483649 := move t3 from whole on w1 to whole on w0 as #1
        w1   free t2
        w1   free t3
        ",
    );
}

//! What the workers of a mesh are told when values are cut, as tapes.

mod tape;

use tape::check;

#[test]
fn what_is_made_in_a_signal_is_cut_where_it_is_made() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := zeros shape=[7, 4]
        t1 := exp t0
        t2 := add t0 t1
        free t0
        ---
        w0   d1 := cut 0 on w0 w1
        w0   by d1
        w0   t0 := zeros shape=[7, 4]
        w0   t1 := exp t0
        w0   t2 := add t0 t1
        w0   free t0
        w1   d1 := cut 0 on w0 w1
        w1   by d1
        w1   t0 := zeros shape=[7, 4]
        w1   t1 := exp t0
        w1   t2 := add t0 t1
        w1   free t0
        ",
    );
}

#[test]
fn a_cut_operand_times_a_replicated_one_needs_nothing_moved() {
    check(
        "
        # What comes from outside comes as the cheapest signature wants it.
        workers 2
        scope1 := \"copies\" in scope0 replicated 0 1
        scope2 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := zeros shape=[4, 8]
        in scope2
        t1 := zeros shape=[6, 4]
        t2 := matmul t1 t0
        ---
        w0   t0 := zeros shape=[4, 8]
        w0   d1 := cut 0 on w0 w1
        w0   by d1
        w0   t1 := zeros shape=[6, 4]
        w0   d2 := cut 100 on w0 w1
        w0   by d2
        w0   t2 := matmul t1 t0
        w1   t0 := zeros shape=[4, 8]
        w1   d1 := cut 0 on w0 w1
        w1   by d1
        w1   t1 := zeros shape=[6, 4]
        w1   d2 := cut 100 on w0 w1
        w1   by d2
        w1   t2 := matmul t1 t0
        ",
    );
}

#[test]
fn a_contraction_of_cut_axes_is_a_sum_that_waits_until_somebody_needs_it() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := zeros shape=[6, 4]
        t1 := sum t0
        t2 := mul t1 2.0
        t3 := exp t2
        read t0 as r1
        ---
        w0   d1 := cut 0 on w0 w1
        w0   by d1
        w0   t0 := zeros shape=[6, 4]
        w0   t1 := sum t0
        w0   by d0
        w0   t2 := mul t1 2.0
        w0   t2147483648 := move t2 from partial(sum) on w0 w1 to replicate on w0 w1 as #0
        w0   free t2
        w0   t3 := exp t2147483648
        w0   t2147483649 := move t0 from shard(0) on w0 w1 to whole on w0 as #2
        w0   read t2147483649 as r1
        w0   free t2147483649
        w1   d1 := cut 0 on w0 w1
        w1   by d1
        w1   t0 := zeros shape=[6, 4]
        w1   t1 := sum t0
        w1   by d0
        w1   t2 := mul t1 2.0
        w1   t2147483648 := move t2 from partial(sum) on w0 w1 to replicate on w0 w1 as #0
        w1   free t2
        w1   t3 := exp t2147483648
        w1   t2147483649 := move t0 from shard(0) on w0 w1 to whole on w0 as #2
        ",
    );
}

#[test]
fn updates_of_parts_are_made_on_all_workers_or_on_none() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := zeros shape=[6]
        t1 := ones shape=[6]
        t2 := add t0 t1 replaces t0
        ---
        w0   d1 := cut 0 on w0 w1
        w0   by d1
        w0   t0 := zeros shape=[6]
        w0   t1 := ones shape=[6]
        w0   t2 := add t0 t1
        w0   vote #1 t2
        w0   t2147483648 := cast t2 dtype=float32 replaces t0
        w0   free t2
        w1   d1 := cut 0 on w0 w1
        w1   by d1
        w1   t0 := zeros shape=[6]
        w1   t1 := ones shape=[6]
        w1   t2 := add t0 t1
        w1   vote #1 t2
        w1   t2147483648 := cast t2 dtype=float32 replaces t0
        w1   free t2
        ",
    );
}

#[test]
fn an_upload_is_cut_and_its_worker_keeps_only_a_part() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := upload [6]
        t1 := exp t0
        ---
        w0   t0 := upload float32[6] (24 bytes)
        w0   t2147483648 := move t0 from whole on w0 to shard(0) on w0 w1 as #0
        w0   free t0
        w0   d1 := cut 0 on w0 w1
        w0   by d1
        w0   t1 := exp t2147483648
        w1   t2147483648 := move t0 from whole on w0 to shard(0) on w0 w1 as #0
        w1   d1 := cut 0 on w0 w1
        w1   by d1
        w1   t1 := exp t2147483648
        ",
    );
}

#[test]
fn a_sum_is_put_together_before_another_value_takes_its_place() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := zeros shape=[6, 4]
        t1 := sum t0
        t2 := sum t0
        t3 := add t1 t2 replaces t1
        ---
        w0   d1 := cut 0 on w0 w1
        w0   by d1
        w0   t0 := zeros shape=[6, 4]
        w0   t1 := sum t0
        w0   t2 := sum t0
        w0   t2147483648 := move t1 from partial(sum) on w0 w1 to replicate on w0 w1 as #0
        w0   free t1
        w0   t2147483649 := move t2 from partial(sum) on w0 w1 to replicate on w0 w1 as #2
        w0   free t2
        w0   t3 := add t2147483648 t2147483649
        w0   vote #1 t3
        w0   t2147483650 := cast t3 dtype=float32 replaces t2147483648
        w0   free t3
        w1   d1 := cut 0 on w0 w1
        w1   by d1
        w1   t0 := zeros shape=[6, 4]
        w1   t1 := sum t0
        w1   t2 := sum t0
        w1   t2147483648 := move t1 from partial(sum) on w0 w1 to replicate on w0 w1 as #0
        w1   free t1
        w1   t2147483649 := move t2 from partial(sum) on w0 w1 to replicate on w0 w1 as #2
        w1   free t2
        w1   t3 := add t2147483648 t2147483649
        w1   vote #1 t3
        w1   t2147483650 := cast t3 dtype=float32 replaces t2147483648
        w1   free t3
        ",
    );
}

#[test]
fn a_composite_whose_signatures_do_not_fit_is_taken_apart() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := zeros shape=[6, 4]
        t1 := softmax t0 dim=0
        ---
        w0   d1 := cut 0 on w0 w1
        w0   by d1
        w0   t0 := zeros shape=[6, 4]
        w0   t2147483649 := move t0 from shard(0) on w0 w1 to shard(1) on w0 w1 as #0
        w0   d2 := cut 1 on w0 w1
        w0   by d2
        w0   t2147483648 := amax t2147483649 dim=[0] keepdim=true
        w0   t2147483650 := sub t2147483649 t2147483648
        w0   t2147483651 := exp t2147483650
        w0   t2147483652 := sum t2147483651 dim=[0] keepdim=true
        w0   t2147483653 := div t2147483651 t2147483652
        w0   free t2147483648
        w0   free t2147483650
        w0   free t2147483651
        w0   free t2147483652
        w1   d1 := cut 0 on w0 w1
        w1   by d1
        w1   t0 := zeros shape=[6, 4]
        w1   t2147483649 := move t0 from shard(0) on w0 w1 to shard(1) on w0 w1 as #0
        w1   d2 := cut 1 on w0 w1
        w1   by d2
        w1   t2147483648 := amax t2147483649 dim=[0] keepdim=true
        w1   t2147483650 := sub t2147483649 t2147483648
        w1   t2147483651 := exp t2147483650
        w1   t2147483652 := sum t2147483651 dim=[0] keepdim=true
        w1   t2147483653 := div t2147483651 t2147483652
        w1   free t2147483648
        w1   free t2147483650
        w1   free t2147483651
        w1   free t2147483652
        ",
    );
}

#[test]
fn what_is_used_whole_is_gathered_for_each_use_and_dropped_after_it() {
    check(
        "
        # Fully sharded: the parameter is cut at rest, the batch decides what is computed.
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        scope2 := \"params\" in scope0 shard(0) 0 1 replicated-on-use dropped
        t0 := zeros shape=[4, 4]
        in scope2
        t1 := place t0
        in scope1
        t2 := zeros shape=[6, 4]
        t3 := matmul t2 t1
        ---
        w0   d1 := cut 0 on w0 w1
        w0   by d1
        w0   t0 := zeros shape=[4, 4]
        w0   t1 := place t0
        w0   t2 := zeros shape=[6, 4]
        w0   t2147483648 := move t1 from shard(0) on w0 w1 to replicate on w0 w1 as #0
        w0   d2 := cut 100 on w0 w1
        w0   by d2
        w0   t3 := matmul t2 t2147483648
        w0   free t2147483648
        w1   d1 := cut 0 on w0 w1
        w1   by d1
        w1   t0 := zeros shape=[4, 4]
        w1   t1 := place t0
        w1   t2 := zeros shape=[6, 4]
        w1   t2147483648 := move t1 from shard(0) on w0 w1 to replicate on w0 w1 as #0
        w1   d2 := cut 100 on w0 w1
        w1   by d2
        w1   t3 := matmul t2 t2147483648
        w1   free t2147483648
        ",
    );
}

#[test]
fn a_sum_that_is_two_inputs_of_an_instruction_is_there_for_both() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := zeros shape=[6, 4]
        t1 := sum t0 dim=[0]
        in scope0
        t2 := zeros shape=[4] dtype=int64
        in scope1
        t3 := scatter_add t1 t2 t1 dim=0
        t4 := mul t1 t1
        ---
        w0   d1 := cut 0 on w0 w1
        w0   by d1
        w0   t0 := zeros shape=[6, 4]
        w0   t1 := sum t0 dim=[0]
        w0   by d0
        w0   t2 := zeros shape=[4] dtype=int64
        w0   t3 := scatter_add t1 t2 t1 dim=0
        w0   t2147483648 := move t1 from partial(sum) on w0 w1 to shard(0) on w0 w1 as #0
        w0   free t1
        w0   by d1
        w0   t4 := mul t2147483648 t2147483648
        w1   d1 := cut 0 on w0 w1
        w1   by d1
        w1   t0 := zeros shape=[6, 4]
        w1   t1 := sum t0 dim=[0]
        w1   by d0
        w1   t2 := zeros shape=[4] dtype=int64
        w1   t3 := scatter_add t1 t2 t1 dim=0
        w1   t2147483648 := move t1 from partial(sum) on w0 w1 to shard(0) on w0 w1 as #0
        w1   free t1
        w1   by d1
        w1   t4 := mul t2147483648 t2147483648
        ",
    );
}

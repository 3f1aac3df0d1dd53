//! What the workers of a mesh are told, as tapes.

mod tape;

use tape::{check, told_after};

#[test]
fn what_is_made_in_a_signal_is_made_on_every_worker_of_its_mesh() {
    check(
        "
        workers 3
        scope1 := \"pair\" in scope0 replicated 0 1
        in scope1
        t0 := zeros shape=[4]
        t1 := upload [4]
        t2 := add t0 t1
        free t0
        read t2 as r1
        ---
        w0   t0 := zeros shape=[4]
        w0   t1 := upload float32[4] (16 bytes)
        w0   t2 := add t0 t1
        w0   free t0
        w0   read t2 as r1
        w1   t0 := zeros shape=[4]
        w1   t1 := upload float32[4] (16 bytes)
        w1   t2 := add t0 t1
        w1   free t0
        ",
    );
}

#[test]
fn a_value_from_outside_comes_to_every_worker_once_and_under_one_name() {
    check(
        "
        workers 2
        t0 := upload [4]
        scope1 := \"pair\" in scope0 replicated 0 1
        in scope1
        t1 := exp t0
        t2 := add t0 t1
        free t0
        ---
        w0   t0 := upload float32[4] (16 bytes)
        w0   t2147483648 := cast t0 dtype=float32
        w0   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w0   t1 := exp t2147483648
        w0   t2 := add t2147483648 t1
        w0   free t0
        w0   free t2147483648
        w1   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w1   t1 := exp t2147483648
        w1   t2 := add t2147483648 t1
        w1   free t2147483648
        ",
    );
}

#[test]
fn outside_of_signals_work_goes_where_its_largest_input_is() {
    check(
        "
        workers 3
        scope1 := \"pair\" in scope0 replicated 0 1
        in scope1
        t0 := zeros shape=[64]
        in scope0
        t1 := exp t0
        # The first is on a mesh and larger, the second is whole and larger.
        t2 := upload [1]
        t3 := add t0 t2
        t4 := upload [64, 64]
        t5 := add t4 t0
        ---
        w0   t0 := zeros shape=[64]
        w0   t1 := exp t0
        w0   t2 := upload float32[1] (4 bytes)
        w0   t2147483648 := cast t2 dtype=float32
        w0   t2147483648 := move t2 from whole on w0 to whole on w1 as #0
        w0   t3 := add t0 t2147483648
        w0   t4 := upload float32[64, 64] (16384 bytes)
        w0   t5 := add t4 t0
        w1   t0 := zeros shape=[64]
        w1   t1 := exp t0
        w1   t2147483648 := move t2 from whole on w0 to whole on w1 as #0
        w1   t3 := add t0 t2147483648
        ",
    );
}

#[test]
fn an_inner_signal_without_a_wish_has_that_of_the_outer_one() {
    check(
        "
        workers 2
        scope1 := \"pair\" in scope0 replicated 0 1
        scope2 := \"layer\" in scope1
        scope3 := \"layer\" in scope0
        in scope2
        t0 := zeros shape=[1]
        in scope3
        t1 := upload [1]
        ---
        w0   t0 := zeros shape=[1]
        w0   t1 := upload float32[1] (4 bytes)
        w1   t0 := zeros shape=[1]
        ",
    );
}

#[test]
fn copies_are_replaced_on_all_workers_or_on_none() {
    check(
        "
        workers 2
        scope1 := \"pair\" in scope0 replicated 0 1
        in scope1
        t0 := zeros shape=[4]
        t1 := ones shape=[4]
        t2 := add t0 t1 replaces t0
        send
        w0 reports #1
        w1 reports #1 failed
        ---
        w0   t0 := zeros shape=[4]
        w0   t1 := ones shape=[4]
        w0   t2 := add t0 t1
        w0   vote #1 t2
        w0   t2147483648 := cast t2 dtype=float32 replaces t0
        w0   free t2
        w1   t0 := zeros shape=[4]
        w1   t1 := ones shape=[4]
        w1   t2 := add t0 t1
        w1   vote #1 t2
        w1   t2147483648 := cast t2 dtype=float32 replaces t0
        w1   free t2
        w0   verdict #1: it went wrong
        w1   verdict #1: it went wrong
        ",
    );
}

#[test]
fn a_shape_that_depends_on_data_is_told_by_one_worker() {
    check(
        "
        workers 2
        scope1 := \"pair\" in scope0 replicated 0 1
        in scope1
        t0 := zeros shape=[4]
        t1 := nonzero t0
        describe t1 as r1
        send
        w0 describes r1 as [2, 1]
        w0 done 3
        t2 := add t1 1
        ---
        w0   t0 := zeros shape=[4]
        w0   t1 := nonzero t0
        w0   describe t1 as r1
        w1   t0 := zeros shape=[4]
        client   answer r1
        w0   t2147483648 := cast t1 dtype=int64
        w0   t2147483648 := move t1 from whole on w0 to whole on w1 as #0
        w0   t2 := add t2147483648 1
        w1   t2147483648 := move t1 from whole on w0 to whole on w1 as #0
        w1   t2 := add t2147483648 1
        ",
    );
}

#[test]
fn what_is_on_a_mesh_outlives_each_of_its_workers_but_the_last() {
    check(
        "
        workers 2
        scope1 := \"all\" in scope0 replicated
        in scope1
        t0 := zeros shape=[4]
        send
        w0 gone
        t1 := exp t0
        send
        w1 gone
        read t1 as r1
        ---
        w0   t0 := zeros shape=[4]
        w1   t0 := zeros shape=[4]
        w1   t1 := exp t0
        client   done 4
        client   answer r1: worker on was lost
        client   done 1
        ",
    );
}

#[test]
fn a_batch_for_a_mesh_is_done_when_all_its_workers_are() {
    check(
        "
        workers 2
        scope1 := \"pair\" in scope0 replicated 0 1
        in scope1
        t0 := zeros shape=[4]
        t1 := exp t0
        send
        w0 done 2
        w1 done 1
        w1 done 1
        ---
        w0   t0 := zeros shape=[4]
        w0   t1 := exp t0
        w1   t0 := zeros shape=[4]
        w1   t1 := exp t0
        client   done 4
        ",
    );
}

#[test]
fn results_that_are_replaced_together_do_not_take_each_others_names() {
    check(
        "
        workers 2
        scope1 := \"pair\" in scope0 replicated 0 1
        in scope1
        t0 := zeros shape=[4]
        t1 := ones shape=[4]
        t2 := ones shape=[4]
        t3, t4, t5 := adam t0 t1 t2 t0 1 1 1 1 1 1 replaces t0 t1 t2
        t6, t7, t8 := adam t3 t4 t5 t3 1 1 1 1 1 1 replaces t3 t4 t5
        ---
        w0   t0 := zeros shape=[4]
        w0   t1 := ones shape=[4]
        w0   t2 := ones shape=[4]
        w0   t3, t4, t5 := adam t0 t1 t2 t0 1 1 1 1 1 1
        w0   vote #1 t3 t4 t5
        w0   t2147483648 := cast t3 dtype=float32 replaces t0
        w0   free t3
        w0   t2147483649 := cast t4 dtype=float32 replaces t1
        w0   free t4
        w0   t2147483650 := cast t5 dtype=float32 replaces t2
        w0   free t5
        w0   t6, t7, t8 := adam t2147483648 t2147483649 t2147483650 t2147483648 1 1 1 1 1 1
        w0   vote #2 t6 t7 t8
        w0   t2147483651 := cast t6 dtype=float32 replaces t2147483648
        w0   free t6
        w0   t2147483652 := cast t7 dtype=float32 replaces t2147483649
        w0   free t7
        w0   t2147483653 := cast t8 dtype=float32 replaces t2147483650
        w0   free t8
        w1   t0 := zeros shape=[4]
        w1   t1 := ones shape=[4]
        w1   t2 := ones shape=[4]
        w1   t3, t4, t5 := adam t0 t1 t2 t0 1 1 1 1 1 1
        w1   vote #1 t3 t4 t5
        w1   t2147483648 := cast t3 dtype=float32 replaces t0
        w1   free t3
        w1   t2147483649 := cast t4 dtype=float32 replaces t1
        w1   free t4
        w1   t2147483650 := cast t5 dtype=float32 replaces t2
        w1   free t5
        w1   t6, t7, t8 := adam t2147483648 t2147483649 t2147483650 t2147483648 1 1 1 1 1 1
        w1   vote #2 t6 t7 t8
        w1   t2147483651 := cast t6 dtype=float32 replaces t2147483648
        w1   free t6
        w1   t2147483652 := cast t7 dtype=float32 replaces t2147483649
        w1   free t7
        w1   t2147483653 := cast t8 dtype=float32 replaces t2147483650
        w1   free t8
        ",
    );
}

#[test]
fn parts_of_a_value_that_is_lost_are_freed_on_the_workers_that_are_left() {
    check(
        "
        workers 3
        scope1 := \"rows\" in scope0 shard(0) 0 1
        in scope1
        t0 := zeros shape=[4]
        t1 := upload [8]
        send
        w1 done 4
        # At once: its client may say nothing for a long time.
        w0 gone
        # Their names may be given again.
        free t0
        free t1
        t0 := zeros shape=[4]
        ---
        w0   d1 := cut 0 on w0 w1
        w0   by d1
        w0   t0 := zeros shape=[4]
        w0   t1 := upload float32[8] (32 bytes)
        w0   t2147483648 := move t1 from whole on w0 to shard(0) on w0 w1 as #0
        w0   free t1
        w1   d1 := cut 0 on w0 w1
        w1   by d1
        w1   t0 := zeros shape=[4]
        w1   t2147483648 := move t1 from whole on w0 to shard(0) on w0 w1 as #0
        w1   handover #0: worker on was lost
        client done 4
        w1   free t0
        w1   free t2147483648
        w1   t0 := zeros shape=[4]
        ",
    );
}

#[test]
fn copies_of_what_is_replaced_are_freed_on_all_workers() {
    check(
        "
        workers 2
        scope1 := \"one\" in scope0 shard(0) 1
        in scope1
        t0 := upload [4]
        scope2 := \"both\" in scope0 replicated 0 1
        in scope2
        t1 := zeros shape=[4]
        t2 := add t1 t0 replaces t1
        in scope1
        t1 := neg t0 replaces t0
        ---
        w0   t0 := upload float32[4] (16 bytes)
        w0   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w0   free t0
        w0   t1 := zeros shape=[4]
        w0   t2147483649 := move t2147483648 from whole on w1 to whole on w0 as #1
        w0   t2 := add t1 t2147483649
        w0   vote #1 t2
        w0   t2147483650 := cast t2 dtype=float32 replaces t1
        w0   free t2
        w0   free t2147483649
        w1   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w1   t1 := zeros shape=[4]
        w1   t2147483649 := cast t2147483648 dtype=float32
        w1   t2147483649 := move t2147483648 from whole on w1 to whole on w0 as #1
        w1   t2 := add t1 t2147483649
        w1   vote #1 t2
        w1   t2147483650 := cast t2 dtype=float32 replaces t1
        w1   free t2
        w1   t1 := neg t2147483648 replaces t2147483648
        w1   free t2147483649
        ",
    );
}

#[test]
fn a_copy_for_one_worker_does_not_decide_where_its_value_is_replaced() {
    let told = told_after(
        "
        workers 2
        scope1 := \"both\" in scope0 shard(0) 0 1
        in scope1
        t0 := upload [4]
        scope2 := \"one\" in scope0 replicated 0
        in scope2
        t1 := exp t0
        in scope1
        t2 := neg t0 replaces t0
        ",
    );
    let done = |line: &str| told.iter().filter(|told| told.contains(line)).count();
    assert_eq!((done("t1 := exp"), done("t2 := neg")), (1, 2), "{}", told.join("\n"));
}

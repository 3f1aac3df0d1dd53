//! Values that are made at their first use, as tapes. `rule_n` is rule n of sharding.

mod tape;

use tape::check;

#[test]
fn rule_4_what_has_no_inputs_is_made_where_it_is_used_and_as_the_use_wants_it() {
    check(
        "
        # The batch is cut, so the weight is copied and the mask is cut like the batch.
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        t0 := randn shape=[4, 8] seed=0 rng_index=0
        t1 := ones shape=[6, 8]
        in scope1
        t2 := upload [6, 4]
        t3 := matmul t2 t0
        t4 := add t3 t1
        ---
        w0   t2 := upload float32[6, 4] (96 bytes)
        all  t2147483648 := move t2 from whole on w0 to shard(0) on w0 w1 as #0
        w0   free t2
        all  t0 := randn shape=[4, 8] seed=0 rng_index=0
        all  d1 := cut 100 on w0 w1
        all  by d1
        all  t3 := matmul t2147483648 t0
        all  d2 := cut 0 on w0 w1
        all  by d2
        all  t1 := ones shape=[6, 8]
        all  t4 := add t3 t1
        ",
    );
}

#[test]
fn rule_4_what_nobody_uses_is_never_made() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        t0 := zeros shape=[4, 8]
        free t0
        ---
        client   done 3
        ",
    );
}

#[test]
fn rule_4_what_is_read_is_made_on_one_worker() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        t0 := ones shape=[4, 8]
        read t0 as r1
        free t0
        ---
        w0   t0 := ones shape=[4, 8]
        w0   read t0 as r1
        w0   free t0
        ",
    );
}

#[test]
fn rule_4_without_a_wish_everything_is_made_at_once() {
    check(
        "
        workers 2
        scope1 := \"layer\" in scope0
        in scope1
        t0 := zeros shape=[4]
        ---
        w0   t0 := zeros shape=[4]
        ",
    );
}

#[test]
fn rule_4_what_cannot_be_made_in_parts_is_made_by_everybody_who_keeps_a_part() {
    check(
        "
        # Sums of fractions would be rounded differently in each part.
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        t0 := arange start=0 end=1 step=0.25
        in scope1
        t1 := upload [4]
        t2 := add t1 t0
        ---
        w0   t1 := upload float32[4] (16 bytes)
        all  t2147483648 := move t1 from whole on w0 to shard(0) on w0 w1 as #0
        w0   free t1
        all  t0 := arange start=0 end=1 step=0.25
        all  t2147483649 := move t0 from replicate on w0 w1 to shard(0) on w0 w1 as #1
        all  free t0
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t2 := add t2147483648 t2147483649
        ",
    );
}

#[test]
fn rule_4_a_parameter_is_cut_from_the_start() {
    check(
        "
        workers 2
        scope1 := \"params\" in scope0 shard(1) 0 1
        t0 := randn shape=[4, 8] seed=0 rng_index=0
        t1 := mul t0 0.02
        free t0
        in scope1
        t2 := place t1
        free t1
        ---
        all  d1 := cut 1 on w0 w1
        all  by d1
        all  t2147483648 := randn shape=[4, 8] seed=0 rng_index=0
        all  t1 := mul t2147483648 0.02
        all  free t2147483648
        all  t2 := place t1
        all  free t1
        ",
    );
}

#[test]
fn rule_4_what_several_go_on_from_is_made_once() {
    check(
        "
        workers 1
        scope1 := \"data\" in scope0 replicated 0
        t0 := randn shape=[4] seed=0 rng_index=0
        t1 := mul t0 2.0
        t2 := mul t0 3.0
        t3 := mul t0 4.0
        ---
        all  t0 := randn shape=[4] seed=0 rng_index=0
        all  t2 := mul t0 3.0
        all  t3 := mul t0 4.0
        ",
    );
}

#[test]
fn rule_4_a_sum_takes_what_is_made_at_its_first_use_once() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        t0 := ones shape=[]
        in scope1
        t1 := upload [6]
        t2 := sum t1
        t3 := add t2 t0
        ---
        w0   t1 := upload float32[6] (24 bytes)
        all  t2147483648 := move t1 from whole on w0 to shard(0) on w0 w1 as #0
        w0   free t1
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t2 := sum t2147483648
        all  by d0
        all  t0 := ones shape=[]
        all  t2147483649 := move t0 from replicate on w0 w1 to partial(sum) on w0 w1 as #1
        all  t3 := add t2 t2147483649
        ",
    );
}

#[test]
fn rule_5_what_reads_only_a_shape_follows_the_recipe() {
    check(
        "
        # As layers begin: memory, then numbers in place, then the name of the parameter.
        workers 2
        scope1 := \"params\" in scope0 shard(0) 0 1
        t0 := zeros shape=[4, 8]
        t1 := uniform t0 low=-0.5 to=0.5 seed=0 rng_index=0 replaces t0
        in scope1
        t2 := place t1
        free t1
        t3 := zeros_like t2
        ---
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t2147483648 := zeros shape=[4, 8] dtype=float32
        all  t1 := uniform t2147483648 low=-0.5 to=0.5 seed=0 rng_index=0
        all  free t2147483648
        all  t2 := place t1
        all  free t1
        all  t3 := zeros_like t2
        ",
    );
}

#[test]
fn rule_5_what_is_written_everywhere_follows_the_recipe() {
    check(
        "
        workers 2
        scope1 := \"params\" in scope0 shard(0) 0 1
        t0 := zeros shape=[8]
        t1 := full shape=[] fill_value=1.0 dtype=float32
        t2 := expand t1 shape=[8]
        t3 := cast t2 dtype=float32 replaces t0
        free t1 t2
        in scope1
        t4 := place t3
        ---
        all  t2147483649 := full shape=[] fill_value=1.0 dtype=float32
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t2147483648 := expand t2147483649 shape=[8]
        all  free t2147483649
        all  t3 := cast t2147483648 dtype=float32
        all  free t2147483648
        all  t4 := place t3
        ",
    );
}

#[test]
fn a_recipe_is_not_replaced_before_a_failure_is_told() {
    check(
        "
        workers 2
        scope1 := \"other\" in scope0 replicated 1
        t0 := upload [4]
        in scope1
        t1 := upload [4]
        in scope0
        t2 := cast t1 dtype=int64
        t3 := take t0 t2
        t4 := zeros shape=[4]
        t5 := uniform t4 low=-0.5 to=0.5 seed=0 rng_index=0 replaces t4
        ---
        w0   t0 := upload float32[4] (16 bytes)
        w0   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w0   t4 := zeros shape=[4]
        w0   wait #1
        w0   t5 := uniform t4 low=-0.5 to=0.5 seed=0 rng_index=0 replaces t4
        w1   t1 := upload float32[4] (16 bytes)
        w1   t2 := cast t1 dtype=int64
        w1   t2147483648 := move t0 from whole on w0 to whole on w1 as #0
        w1   t3 := take t2147483648 t2
        w1   report #1
        ",
    );
}

#[test]
fn a_lost_worker_takes_no_recipe_with_it() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        t0 := ones shape=[4]
        in scope1
        t1 := upload [4]
        in scope0
        send
        w0 gone
        t2 := mul t0 t0
        read t2 as r1
        ---
        w0   t1 := upload float32[4] (16 bytes)
        all  t2147483648 := move t1 from whole on w0 to shard(0) on w0 w1 as #0
        w0   free t1
        w1   handover #0: worker on was lost
        w1   free t2147483648
        w1   t0 := ones shape=[4]
        w1   t2 := mul t0 t0
        w1   read t2 as r1
        ",
    );
}

#[test]
fn what_cannot_be_computed_leaves_the_recipe_that_it_would_replace() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        t0 := ones shape=[4]
        in scope1
        t1 := upload [4]
        in scope0
        send
        w0 gone
        t2 := add t0 t1 replaces t0
        read t2 as r1
        ---
        w0   t1 := upload float32[4] (16 bytes)
        w0   t2147483648 := move t1 from whole on w0 to shard(0) on w0 w1 as #0
        w0   free t1
        w1   t2147483648 := move t1 from whole on w0 to shard(0) on w0 w1 as #0
        w1   handover #0: worker on was lost
        w1   free t2147483648
        w1   t2 := ones shape=[4]
        w1   wait #2
        w1   read t2 as r1
        w1   verdict #2: add: an input is lost
        ",
    );
}

#[test]
fn a_composite_takes_the_place_of_what_was_never_made() {
    check(
        "
        # Its name is free afterwards, as that of every value that was replaced.
        workers 2
        scope1 := \"layer\" in scope0 shard(0) 0 1
        t0 := ones shape=[3]
        in scope1
        t1 := upload [4, 3]
        t2 := std t1 dim=[0] replaces t0
        t0 := exp t2
        ---
        w0   t1 := upload float32[4, 3] (48 bytes)
        all  t2147483648 := move t1 from whole on w0 to shard(0) on w0 w1 as #0
        w0   free t1
        all  t2147483649 := move t2147483648 from shard(0) on w0 w1 to shard(1) on w0 w1 as #1
        all  d1 := cut 1 on w0 w1
        all  d2 := cut 0 on w0 w1
        all  by d2
        all  t0 := ones shape=[3]
        all  by d1
        all  t2 := std t2147483649 dim=[0]
        all  vote #1 t2
        all  by d2
        all  t2147483650 := cast t2 dtype=float32 replaces t0
        all  free t2
        all  t0 := exp t2147483650
        ",
    );
}

//! What the workers of a mesh of several axes are told, as tapes.

mod tape;

use tape::check;

#[test]
fn data_and_model_parallel_cut_two_indices_at_once() {
    check(
        "
        # The batch is cut along dp, the width along tp: the product needs nothing moved.
        workers 4
        scope1 := \"data\" in scope0 dp/2=0 tp/2 0 1 2 3
        scope2 := \"width\" in scope0 dp/2 tp/2=1 0 1 2 3
        in scope1
        t0 := zeros shape=[6, 4]
        in scope2
        t1 := zeros shape=[4, 8]
        in scope1
        t2 := matmul t0 t1
        ---
        all  d1 := cut 0 none on w0 w1 w2 w3
        all  by d1
        all  t0 := zeros shape=[6, 4]
        all  d2 := cut none 1 on w0 w1 w2 w3
        all  by d2
        all  t1 := zeros shape=[4, 8]
        all  d3 := cut 100 101 on w0 w1 w2 w3
        all  by d3
        all  t2 := matmul t0 t1
        ",
    );
}

#[test]
fn a_contraction_is_summed_up_within_one_axis_of_the_mesh() {
    check(
        "
        workers 4
        scope1 := \"both\" in scope0 dp/2=0 tp/2=1 0 1 2 3
        in scope1
        t0 := zeros shape=[6, 4]
        t1 := sum t0 dim=[1]
        t2 := exp t1
        t3 := sum t0
        t4 := exp t3
        ---
        all  d1 := cut 0 1 on w0 w1 w2 w3
        all  by d1
        all  t0 := zeros shape=[6, 4]
        all  t1 := sum t0 dim=[1]
        all  t2147483648 := move t1 from dp: shard(0), tp: partial(sum) on w0 w1 w2 w3 \
             to dp: shard(0), tp: replicate on w0 w1 w2 w3 as #0
        all  free t1
        all  d2 := cut 0 none on w0 w1 w2 w3
        all  by d2
        all  t2 := exp t2147483648
        all  by d1
        all  t3 := sum t0
        all  t2147483649 := move t3 from dp: partial(sum), tp: partial(sum) on w0 w1 w2 w3 \
             to dp: replicate, tp: partial(sum) on w0 w1 w2 w3 as #4
        all  free t3
        all  t2147483650 := move t2147483649 from dp: replicate, tp: partial(sum) \
             on w0 w1 w2 w3 to dp: replicate, tp: replicate on w0 w1 w2 w3 as #8
        all  free t2147483649
        all  t4 := exp t2147483650
        ",
    );
}

#[test]
fn what_is_whole_while_it_is_used_is_gathered_along_its_own_axis() {
    check(
        "
        workers 4
        scope1 := \"batch\" in scope0 dp/2=0 fsdp/2 0 1 2 3
        scope2 := \"weight\" in scope0 dp/2 fsdp/2=0 0 1 2 3 replicated-on-use dropped
        t0 := zeros shape=[4, 8]
        in scope2
        t1 := place t0
        in scope1
        t2 := zeros shape=[6, 4]
        t3 := matmul t2 t1
        ---
        all  d1 := cut none 0 on w0 w1 w2 w3
        all  by d1
        all  t0 := zeros shape=[4, 8]
        all  t1 := place t0
        all  d2 := cut 0 none on w0 w1 w2 w3
        all  by d2
        all  t2 := zeros shape=[6, 4]
        all  t2147483648 := move t1 from dp: replicate, fsdp: shard(0) on w0 w1 w2 w3 \
             to dp: replicate, fsdp: replicate on w0 w1 w2 w3 as #0
        all  d3 := cut 100 none on w0 w1 w2 w3
        all  by d3
        all  t3 := matmul t2 t2147483648
        all  free t2147483648
        ",
    );
}

#[test]
fn a_mesh_without_its_workers_is_ignored() {
    check(
        "
        workers 3
        scope1 := \"both\" in scope0 dp/2=0 tp/2=1 0 1 2 3
        in scope1
        t0 := zeros shape=[6, 4]
        read t0 as r1
        ---
        w0   t0 := zeros shape=[6, 4]
        w0   read t0 as r1
        ",
    );
}

#[test]
fn values_go_from_mesh_to_mesh_with_the_overlapping_blocks() {
    check(
        "
        workers 4
        scope1 := \"first\" in scope0 shard(0) 0 1
        scope2 := \"second\" in scope0 shard(0) 2 3
        in scope1
        t0 := zeros shape=[6, 4]
        in scope2
        t1 := exp t0
        ---
        w0   d1 := cut 0 on w0 w1
        w0   by d1
        w0   t0 := zeros shape=[6, 4]
        w0   t2147483648 := move t0 from shard(0) on w0 w1 to shard(0) on w2 w3 as #0
        w1   d1 := cut 0 on w0 w1
        w1   by d1
        w1   t0 := zeros shape=[6, 4]
        w1   t2147483648 := move t0 from shard(0) on w0 w1 to shard(0) on w2 w3 as #0
        w2   t2147483648 := move t0 from shard(0) on w0 w1 to shard(0) on w2 w3 as #0
        w2   d2 := cut 0 on w2 w3
        w2   by d2
        w2   t1 := exp t2147483648
        w3   t2147483648 := move t0 from shard(0) on w0 w1 to shard(0) on w2 w3 as #0
        w3   d2 := cut 0 on w2 w3
        w3   by d2
        w3   t1 := exp t2147483648
        ",
    );
}

#[test]
fn what_has_copies_along_an_axis_outlives_a_worker() {
    check(
        "
        workers 4
        scope1 := \"width\" in scope0 dp/2 tp/2=0 0 1 2 3
        in scope1
        t0 := zeros shape=[6, 4]
        t1 := exp t0
        send
        w3 gone
        in scope0
        t2 := exp t1
        read t2 as r1
        ---
        all  d1 := cut none 0 on w0 w1 w2 w3
        all  by d1
        all  t0 := zeros shape=[6, 4]
        all  t1 := exp t0
        then
        w2   free t0
        w2   free t1
        then
        w0   d2 := cut none 0 on w0 w1
        w0   by d2
        w0   t2 := exp t1
        w0   t2147483648 := move t2 from dp: replicate, tp: shard(0) on w0 w1 \
             to whole on w0 as #0
        w0   read t2147483648 as r1
        w0   free t2147483648
        w1   d2 := cut none 0 on w0 w1
        w1   by d2
        w1   t2 := exp t1
        w1   t2147483648 := move t2 from dp: replicate, tp: shard(0) on w0 w1 \
             to whole on w0 as #0
        ",
    );
}

//! The patterns of sharding that the guide shows, as tapes: what the workers are told for one
//! layer under each strategy.

mod tape;

use tape::check;

#[test]
fn data_parallel() {
    check(
        "
        # The batch is cut, the weight copied; its gradient is a sum that is put together once.
        workers 2
        scope1 := \"forward\" in scope0 shard(0) 0 1
        scope2 := \"weight\" in scope0 replicated 0 1
        t0 := randn shape=[8, 4] seed=0 rng_index=0
        in scope1
        t1 := randn shape=[16, 8] seed=0 rng_index=1
        in scope2
        t2 := place t0
        free t0
        in scope1
        t3 := matmul t1 t2
        t4 := sum t3
        t5 := ones_like t3
        t6 := transpose t1 dim0=0 dim1=1
        t7 := matmul t6 t5
        t8 := place_like t7 t2
        in scope0
        t9 := sub_scaled t2 t8 0.5 replaces t2
        read t4 as r1
        ---
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t1 := randn shape=[16, 8] seed=0 rng_index=1
        all  by d0
        all  t0 := randn shape=[8, 4] seed=0 rng_index=0
        all  t2 := place t0
        all  free t0
        all  d2 := cut 100 on w0 w1
        all  by d2
        all  t3 := matmul t1 t2
        all  by d1
        all  t4 := sum t3
        all  t5 := ones_like t3
        all  t6 := transpose t1 dim0=0 dim1=1
        all  d3 := cut 102 on w0 w1
        all  by d3
        all  t7 := matmul t6 t5
        all  by d0
        all  t8 := place_like t7 t2
        all  t2147483648 := move t8 from partial(sum) on w0 w1 to replicate on w0 w1 as #0
        all  free t8
        all  t9 := sub_scaled t2 t2147483648 0.5
        all  vote #1 t9
        all  t2147483649 := cast t9 dtype=float32 replaces t2
        all  free t9
        all  t2147483650 := move t4 from partial(sum) on w0 w1 to whole on w0 as #2
        w0   wait #2
        w0   read t2147483650 as r1
        w0   free t2147483650
        w1   settle #2
        ",
    );
}

#[test]
fn model_parallel() {
    check(
        "
        # Columns of the first weight and rows of the second: one sum at the end, nothing between.
        workers 2
        scope1 := \"columns\" in scope0 shard(1) 0 1
        scope2 := \"rows\" in scope0 shard(0) 0 1
        scope3 := \"forward\" in scope0 replicated 0 1
        t0 := randn shape=[8, 16] seed=0 rng_index=0
        t1 := randn shape=[16, 8] seed=0 rng_index=1
        in scope1
        t2 := place t0
        in scope2
        t3 := place t1
        free t0 t1
        in scope3
        t4 := upload [4, 8]
        t5 := matmul t4 t2
        t6 := relu t5
        t7 := matmul t6 t3
        t8 := exp t7
        ---
        all  d1 := cut 1 on w0 w1
        all  by d1
        all  t0 := randn shape=[8, 16] seed=0 rng_index=0
        all  t2 := place t0
        all  d2 := cut 0 on w0 w1
        all  by d2
        all  t1 := randn shape=[16, 8] seed=0 rng_index=1
        all  t3 := place t1
        all  free t0
        all  free t1
        all  t4 := upload float32[4, 8] (128 bytes)
        all  d3 := cut 101 on w0 w1
        all  by d3
        all  t5 := matmul t4 t2
        all  by d1
        all  t6 := relu t5
        all  d4 := cut 102 on w0 w1
        all  by d4
        all  t7 := matmul t6 t3
        all  t2147483648 := move t7 from partial(sum) on w0 w1 to shard(0) on w0 w1 as #0
        all  free t7
        all  by d2
        all  t8 := exp t2147483648
        ",
    );
}

#[test]
fn pipeline_parallel() {
    check(
        "
        # Forward on workers 0 and 1, backward on workers 2 and 3.
        workers 4
        scope1 := \"stage\" in scope0 shard(0) 0 1
        scope2 := \"stage_backward\" in scope0 shard(0) 2 3
        in scope1
        t0 := randn shape=[8, 4] seed=0 rng_index=0
        t1 := tanh t0
        in scope2
        t2 := mul t1 t1
        t3 := rsub t2 1.0
        ---
        w0   d1 := cut 0 on w0 w1
        w0   by d1
        w0   t0 := randn shape=[8, 4] seed=0 rng_index=0
        w0   t1 := tanh t0
        w1   d1 := cut 0 on w0 w1
        w1   by d1
        w1   t0 := randn shape=[8, 4] seed=0 rng_index=0
        w1   t1 := tanh t0
        all  t2147483648 := move t1 from shard(0) on w0 w1 to shard(0) on w2 w3 as #0
        w2   d2 := cut 0 on w2 w3
        w2   by d2
        w2   t2 := mul t2147483648 t2147483648
        w2   t3 := rsub t2 1.0
        w3   d2 := cut 0 on w2 w3
        w3   by d2
        w3   t2 := mul t2147483648 t2147483648
        w3   t3 := rsub t2 1.0
        ",
    );
}

#[test]
fn replicated_parameters() {
    check(
        "
        workers 2
        scope1 := \"shared\" in scope0 replicated 0 1
        scope2 := \"forward\" in scope0 shard(0) 0 1
        in scope1
        t0 := randn shape=[8, 4] seed=0 rng_index=0
        in scope2
        t1 := randn shape=[16, 8] seed=0 rng_index=1
        t2 := matmul t1 t0
        t3 := mean t2
        read t3 as r1
        ---
        all  t0 := randn shape=[8, 4] seed=0 rng_index=0
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t1 := randn shape=[16, 8] seed=0 rng_index=1
        all  d2 := cut 100 on w0 w1
        all  by d2
        all  t2 := matmul t1 t0
        all  by d1
        all  t3 := mean t2
        all  t2147483648 := move t3 from partial(sum) on w0 w1 to whole on w0 as #0
        w0   read t2147483648 as r1
        w0   free t2147483648
        ",
    );
}

#[test]
fn another_strategy_per_layer() {
    check(
        "
        # The first layer is cut by the batch over four workers, the second by features over two.
        workers 4
        scope1 := \"layer1_data_parallel\" in scope0 shard(0) 0 1 2 3
        scope2 := \"layer2_model_parallel\" in scope0 shard(1) 0 1
        in scope1
        t0 := randn shape=[8, 4] seed=0 rng_index=0
        t1 := relu t0
        in scope2
        t2 := randn shape=[4, 6] seed=0 rng_index=1
        t3 := matmul t1 t2
        ---
        all  d1 := cut 0 on w0 w1 w2 w3
        all  by d1
        all  t0 := randn shape=[8, 4] seed=0 rng_index=0
        all  t1 := relu t0
        w0   d2 := cut 1 on w0 w1
        w0   by d2
        w0   t2 := randn shape=[4, 6] seed=0 rng_index=1
        w1   d2 := cut 1 on w0 w1
        w1   by d2
        w1   t2 := randn shape=[4, 6] seed=0 rng_index=1
        all  t2147483648 := move t1 from shard(0) on w0 w1 w2 w3 to replicate on w0 w1 as #0
        w0   d3 := cut 101 on w0 w1
        w0   by d3
        w0   t3 := matmul t2147483648 t2
        w1   d3 := cut 101 on w0 w1
        w1   by d3
        w1   t3 := matmul t2147483648 t2
        ",
    );
}

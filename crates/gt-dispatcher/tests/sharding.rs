//! The rules of sharding, by their numbers, as tapes. Rules about names and gradients are kept by
//! the client, and tested there; rules 4 and 5 are in `recipes.rs`.

mod tape;

use tape::check;

#[test]
fn rule_3_an_axis_that_a_value_does_not_have_means_copies() {
    check(
        "
        workers 2
        scope1 := \"columns\" in scope0 shard(1) 0 1
        in scope1
        t0 := zeros shape=[6]
        t1 := zeros shape=[]
        ---
        all  t0 := zeros shape=[6]
        all  t1 := zeros shape=[]
        ",
    );
}

#[test]
fn rule_3_fewer_rows_than_workers_means_empty_parts() {
    check(
        "
        workers 3
        scope1 := \"data\" in scope0 shard(0) 0 1 2
        in scope1
        t0 := zeros shape=[2, 4]
        t1 := exp t0
        ---
        all  d1 := cut 0 on w0 w1 w2
        all  by d1
        all  t0 := zeros shape=[2, 4]
        all  t1 := exp t0
        ",
    );
}

#[test]
fn rule_6_place_moves_a_value_to_where_the_scope_wants_it() {
    check(
        "
        workers 2
        scope1 := \"params\" in scope0 shard(1) 0 1
        t0 := upload [4, 4]
        in scope1
        t1 := place t0
        free t0
        ---
        w0   t0 := upload float32[4, 4] (64 bytes)
        all  t2147483648 := move t0 from whole on w0 to shard(1) on w0 w1 as #0
        all  d1 := cut 1 on w0 w1
        all  by d1
        all  t1 := place t2147483648
        w0   free t0
        all  free t2147483648
        ",
    );
}

#[test]
fn rule_8_what_nobody_places_is_whole() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        t0 := upload [4]
        t1 := exp t0
        ---
        w0   t0 := upload float32[4] (16 bytes)
        w0   t1 := exp t0
        ",
    );
}

#[test]
fn rule_9_in_a_signal_every_op_runs_on_its_mesh() {
    check(
        "
        # What is whole on a worker comes as the cheapest signature asks.
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        t0 := upload [64, 16]
        t1 := upload [16]
        in scope1
        t2 := add t0 t1
        t3 := exp t1
        ---
        w0   t0 := upload float32[64, 16] (4096 bytes)
        w0   t1 := upload float32[16] (64 bytes)
        w0   t2147483648 := move t0 from whole on w0 to shard(1) on w0 w1 as #0
        w0   t2147483649 := move t1 from whole on w0 to shard(0) on w0 w1 as #1
        w0   d1 := cut 1 on w0 w1
        w0   by d1
        w0   t2 := add t2147483648 t2147483649
        w0   d2 := cut 0 on w0 w1
        w0   by d2
        w0   t3 := exp t2147483649
        w1   t2147483648 := move t0 from whole on w0 to shard(1) on w0 w1 as #0
        w1   t2147483649 := move t1 from whole on w0 to shard(0) on w0 w1 as #1
        w1   d1 := cut 1 on w0 w1
        w1   by d1
        w1   t2 := add t2147483648 t2147483649
        w1   d2 := cut 0 on w0 w1
        w1   by d2
        w1   t3 := exp t2147483649
        ",
    );
}

#[test]
fn rule_9_outside_of_signals_an_op_runs_on_the_mesh_of_its_largest_input() {
    check(
        "
        workers 3
        scope1 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := zeros shape=[6, 4]
        in scope0
        t1 := upload [4]
        t2 := add t0 t1
        ---
        w0   d1 := cut 0 on w0 w1
        w0   by d1
        w0   t0 := zeros shape=[6, 4]
        w0   t1 := upload float32[4] (16 bytes)
        w0   t2147483648 := cast t1 dtype=float32
        w0   t2147483648 := move t1 from whole on w0 to whole on w1 as #0
        w0   by d1
        w0   t2 := add t0 t2147483648
        w1   d1 := cut 0 on w0 w1
        w1   by d1
        w1   t0 := zeros shape=[6, 4]
        w1   t2147483648 := move t1 from whole on w0 to whole on w1 as #0
        w1   by d1
        w1   t2 := add t0 t2147483648
        ",
    );
}

#[test]
fn rule_10_copies_of_all_inputs_give_copies() {
    check(
        "
        # The signal wants parts, but everybody has all that is needed.
        workers 2
        scope1 := \"copies\" in scope0 replicated 0 1
        scope2 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := zeros shape=[6, 4]
        in scope2
        t1 := exp t0
        ---
        all  t0 := zeros shape=[6, 4]
        all  t1 := exp t0
        ",
    );
}

#[test]
fn rule_10_the_smaller_operand_travels() {
    check(
        "
        # Both are cut along axis 0: the second is gathered, the result keeps the first one's cut.
        workers 2
        scope1 := \"both\" in scope0 shard(0) 0 1
        in scope1
        t0 := zeros shape=[128, 64]
        t1 := zeros shape=[64, 32]
        t2 := matmul t0 t1
        ---
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t0 := zeros shape=[128, 64]
        all  t1 := zeros shape=[64, 32]
        all  t2147483648 := move t1 from shard(0) on w0 w1 to replicate on w0 w1 as #0
        all  d2 := cut 100 on w0 w1
        all  by d2
        all  t2 := matmul t0 t2147483648
        ",
    );
}

#[test]
fn rule_11_other_random_numbers_change_no_signature() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := randn shape=[6] seed=0 rng_index=0
        t1 := randn shape=[6] seed=7 rng_index=9
        ---
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t0 := randn shape=[6] seed=0 rng_index=0
        all  t1 := randn shape=[6] seed=7 rng_index=9
        ",
    );
}

#[test]
fn rule_12_a_batch_that_lies_on_one_worker_is_cut_again() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := zeros shape=[64, 4]
        t1 := slice t0 ranges=[0:8:1, 0:4:1]
        t2 := exp t1
        ---
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t0 := zeros shape=[64, 4]
        all  t1 := slice t0 ranges=[0:8:1, 0:4:1]
        all  t2147483648 := move t1 from shard(0 at 0 8 8) on w0 w1 to shard(0) on w0 w1 as #0
        all  free t1
        all  by d1
        all  t2 := exp t2147483648
        ",
    );
}

#[test]
fn rule_12_a_slice_of_which_everybody_has_enough_stays_where_it_is() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := zeros shape=[64, 4]
        t1 := slice t0 ranges=[8:56:1, 0:4:1]
        ---
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t0 := zeros shape=[64, 4]
        all  t1 := slice t0 ranges=[8:56:1, 0:4:1]
        ",
    );
}

#[test]
fn rule_12_outside_of_signals_a_slice_stays_where_it_is() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := zeros shape=[64, 4]
        in scope0
        t1 := slice t0 ranges=[0:8:1, 0:4:1]
        ---
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t0 := zeros shape=[64, 4]
        all  t1 := slice t0 ranges=[0:8:1, 0:4:1]
        ",
    );
}

#[test]
fn rule_13_the_result_of_an_update_lies_where_the_old_value_lay() {
    check(
        "
        workers 2
        scope1 := \"rows\" in scope0 shard(0) 0 1
        scope2 := \"columns\" in scope0 shard(1) 0 1
        in scope1
        t0 := zeros shape=[4, 4]
        in scope2
        t1 := ones shape=[4, 4]
        t2 := add t0 t1 replaces t0
        t3 := exp t2
        ---
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t0 := zeros shape=[4, 4]
        all  d2 := cut 1 on w0 w1
        all  by d2
        all  t1 := ones shape=[4, 4]
        all  t2147483648 := move t1 from shard(1) on w0 w1 to shard(0) on w0 w1 as #0
        all  by d1
        all  t2 := add t0 t2147483648
        all  vote #1 t2
        all  t2147483649 := cast t2 dtype=float32 replaces t0
        all  free t2
        all  t3 := exp t2147483649
        ",
    );
}

#[test]
fn rule_16_gradients_of_copies_are_added_up_as_sums_and_put_together_once() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        scope2 := \"params\" in scope0 replicated 0 1
        in scope2
        t0 := zeros shape=[4]
        in scope1
        t1 := ones shape=[6, 4]
        t2 := sum t1 dim=[0]
        t3 := place_like t2 t0
        t4 := sum t1 dim=[0]
        t5 := add t3 t4 replaces t3
        in scope0
        t6 := sub_scaled t0 t5 0.5 replaces t0
        ---
        all  t0 := zeros shape=[4]
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t1 := ones shape=[6, 4]
        all  t2 := sum t1 dim=[0]
        all  by d0
        all  t3 := place_like t2 t0
        all  by d1
        all  t4 := sum t1 dim=[0]
        all  by d0
        all  t5 := add t3 t4
        all  vote #1 t5
        all  t2147483648 := cast t5 dtype=float32 replaces t3
        all  free t5
        all  t2147483649 := move t2147483648 from partial(sum) on w0 w1 to replicate on w0 w1 as #0
        all  free t2147483648
        all  t6 := sub_scaled t0 t2147483649 0.5
        all  vote #2 t6
        all  t2147483648 := cast t6 dtype=float32 replaces t0
        all  free t6
        ",
    );
}

#[test]
fn rule_16_the_gradient_of_a_cut_parameter_is_cut_at_once() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := zeros shape=[4]
        t1 := ones shape=[6, 4]
        t2 := sum t1 dim=[0]
        t3 := place_like t2 t0
        ---
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t0 := zeros shape=[4]
        all  t1 := ones shape=[6, 4]
        all  t2 := sum t1 dim=[0]
        all  t2147483648 := move t2 from partial(sum) on w0 w1 to shard(0) on w0 w1 as #0
        all  free t2
        all  by d1
        all  t3 := place_like t2147483648 t0
        ",
    );
}

#[test]
fn rule_17_what_an_optimiser_keeps_is_like_its_parameter() {
    check(
        "
        workers 2
        scope1 := \"params\" in scope0 shard(1) 0 1
        t0 := zeros shape=[4, 4]
        in scope1
        t1 := place t0
        free t0
        in scope0
        t2 := zeros_like t1
        ---
        all  d1 := cut 1 on w0 w1
        all  by d1
        all  t0 := zeros shape=[4, 4]
        all  t1 := place t0
        all  free t0
        all  t2 := zeros_like t1
        ",
    );
}

#[test]
fn rule_19_what_depends_on_data_is_whole_and_then_comes_to_the_mesh() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := zeros shape=[4]
        t1 := nonzero t0
        describe t1 as r1
        send
        w0 describes r1 as [2, 1]
        w0 done 5
        w1 done 4
        t2 := add t1 1
        ---
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t0 := zeros shape=[4]
        all  t2147483648 := move t0 from shard(0) on w0 w1 to whole on w0 as #0
        w0   t1 := nonzero t2147483648
        w0   describe t1 as r1
        client   answer r1
        then
        all  t2147483649 := move t1 from whole on w0 to shard(0) on w0 w1 as #1
        all  by d1
        all  t2 := add t2147483649 1
        ",
    );
}

#[test]
fn rule_20_a_sum_is_put_together_on_one_worker_for_a_read() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := ones shape=[6]
        t1 := sum t0
        read t1 as r1
        ---
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t0 := ones shape=[6]
        all  t1 := sum t0
        all  t2147483648 := move t1 from partial(sum) on w0 w1 to whole on w0 as #0
        w0   read t2147483648 as r1
        w0   free t2147483648
        ",
    );
}

#[test]
fn rule_22_two_uses_of_a_sum_cost_one_exchange() {
    check(
        "
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := ones shape=[6]
        t1 := sum t0
        t2 := exp t1
        t3 := log t1
        ---
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t0 := ones shape=[6]
        all  t1 := sum t0
        all  t2147483648 := move t1 from partial(sum) on w0 w1 to replicate on w0 w1 as #0
        all  free t1
        all  t2 := exp t2147483648
        all  t3 := log t2147483648
        ",
    );
}

#[test]
fn rule_22_sums_wait_in_linear_rows_only() {
    check(
        "
        # Twice a sum is a sum, and so are two of them; a product of two is not.
        workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := ones shape=[6]
        t1 := sum t0
        t2 := mul t1 2.0
        t3 := add t1 t2
        t4 := mul t1 t3
        ---
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t0 := ones shape=[6]
        all  t1 := sum t0
        all  by d0
        all  t2 := mul t1 2.0
        all  t3 := add t1 t2
        all  t2147483648 := move t3 from partial(sum) on w0 w1 to replicate on w0 w1 as #0
        all  free t3
        all  t4 := mul t1 t2147483648
        ",
    );
}

#[test]
fn rule_22_a_sum_that_inputs_move_for_costs_its_reduction() {
    check(
        "
        # To cut the contracted index, both would have to move, and for a larger sum.
        workers 4
        scope1 := \"rows\" in scope0 shard(0)
        scope2 := \"columns\" in scope0 shard(1)
        in scope1
        t0 := ones shape=[384, 64]
        in scope2
        t1 := ones shape=[64, 256]
        in scope0
        t2 := matmul t0 t1
        ---
        all  d1 := cut 0 on w0 w1 w2 w3
        all  by d1
        all  t0 := ones shape=[384, 64]
        all  d2 := cut 1 on w0 w1 w2 w3
        all  by d2
        all  t1 := ones shape=[64, 256]
        all  t2147483648 := move t1 from shard(1) on w0 w1 w2 w3 to replicate on w0 w1 w2 w3 as #0
        all  d3 := cut 100 on w0 w1 w2 w3
        all  by d3
        all  t2 := matmul t0 t2147483648
        ",
    );
}

#[test]
fn rule_22_a_sum_that_nothing_moves_for_is_free() {
    check(
        "
        # The gradient of a weight, as data parallelism has it: to gather both would move less.
        workers 4
        scope1 := \"rows\" in scope0 shard(0)
        in scope1
        t0 := ones shape=[64, 256]
        t1 := ones shape=[64, 256]
        in scope0
        t2 := permute t0 dims=[1, 0]
        t3 := matmul t2 t1
        ---
        all  d1 := cut 0 on w0 w1 w2 w3
        all  by d1
        all  t0 := ones shape=[64, 256]
        all  t1 := ones shape=[64, 256]
        all  t2 := permute t0 dims=[1, 0]
        all  d2 := cut 102 on w0 w1 w2 w3
        all  by d2
        all  t3 := matmul t2 t1
        ",
    );
}

#[test]
fn rule_22_a_sum_is_charged_where_it_begins() {
    check(
        "
        # The product is as much of a sum as its first input.
        workers 2
        scope1 := \"rows\" in scope0 shard(0)
        in scope1
        t0 := ones shape=[8, 4000]
        t1 := sum t0 dim=[0]
        in scope0
        t2 := upload [4000]
        t3 := mul t1 t2
        ---
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t0 := ones shape=[8, 4000]
        all  t1 := sum t0 dim=[0]
        w0   t2 := upload float32[4000] (16000 bytes)
        w0   t2147483648 := cast t2 dtype=float32
        w0   t2147483648 := move t2 from whole on w0 to whole on w1 as #0
        w1   t2147483648 := move t2 from whole on w0 to whole on w1 as #0
        all  t3 := mul t1 t2147483648
        ",
    );
}

#[test]
fn rule_23_values_stay_where_they_are_when_another_wish_comes() {
    check(
        "
        workers 2
        scope1 := \"rows\" in scope0 shard(0) 0 1
        scope2 := \"rows\" in scope0 shard(1) 0 1
        in scope1
        t0 := ones shape=[4, 4]
        in scope2
        t1 := exp t0
        t2 := ones shape=[4, 4]
        ---
        all  d1 := cut 0 on w0 w1
        all  by d1
        all  t0 := ones shape=[4, 4]
        all  t1 := exp t0
        all  d2 := cut 1 on w0 w1
        all  by d2
        all  t2 := ones shape=[4, 4]
        ",
    );
}

#[test]
fn the_largest_of_an_empty_part_is_nothing() {
    check(
        "
        # One worker would have no rows: somebody else has to say what is largest. It tells the two
        # others that it has not failed, which takes two tags.
        workers 3
        scope1 := \"data\" in scope0 shard(0) 0 1 2
        in scope1
        t0 := ones shape=[2, 400]
        t1 := amax t0 dim=[0, 1]
        t2 := ones shape=[3, 400]
        t3 := amax t2 dim=[0, 1]
        ---
        all  d1 := cut 0 on w0 w1 w2
        all  by d1
        all  t0 := ones shape=[2, 400]
        all  t2147483648 := move t0 from shard(0) on w0 w1 w2 to replicate on w0 w1 w2 as #0
        all  t1 := amax t2147483648 dim=[0, 1]
        all  by d1
        all  t2 := ones shape=[3, 400]
        all  t3 := amax t2 dim=[0, 1]
        all  t2147483649 := move t3 from partial(max) on w0 w1 w2 to replicate on w0 w1 w2 as #6
        all  free t3
        ",
    );
}

#[test]
fn where_the_config_wishes_something_load_places_nothing() {
    check(
        "
        # Without a wish the second upload would go to another worker.
        workers 3
        scope1 := \"data\" in scope0 shard(0) 0 1
        t0 := upload [300, 1]
        t1 := upload [1, 200]
        t2 := add t0 1.0
        ---
        w0  t0 := upload float32[300, 1] (1200 bytes)
        w0  t1 := upload float32[1, 200] (800 bytes)
        w0  t2 := add t0 1.0
        ",
    );
}

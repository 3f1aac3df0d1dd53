//! What a worker makes of its queues: plans, turns, waits, and what is left of failures.

mod plan {
    pub mod bench;
    mod cancel;
}

use std::sync::Arc;

use gt_core::instruction::{After, Command};
use gt_core::{DType, Error, Meta, Provenance, SessionId, Slot, WorkerId};
use gt_transport::{Batch, Failure, FailureId, Message, Peer, Value};
use gt_worker::Window;
use plan::bench::{Bench, ONE, UNLIMITED, command, numbers};

const FIRST: SessionId = SessionId(1);
const SECOND: SessionId = SessionId(2);

#[test]
fn values_freed_within_a_window_are_never_stored() {
    let chain = [
        "t0 := full shape=[8] fill_value=2.0",
        "t1 := exp t0",
        "free t0",
        "t0 := add t1 t1",
        "free t1",
        "t1 := relu t0",
        "read t1 as r1",
        "free t0",
    ];
    let stored = |window: Window| {
        let mut bench = Bench::new(window);
        bench.say(FIRST, &chain);
        bench.run();
        assert_eq!(bench.read(FIRST, 1), vec![2.0 * 2f32.exp(); 8]);
        bench.executor.stored(FIRST)
    };
    assert_eq!(stored(UNLIMITED), 1, "only what outlives the plan");
    assert_eq!(stored(ONE), 4, "every value, once");
}

#[test]
fn a_value_that_lived_and_died_within_a_window_can_still_be_read() {
    let mut bench = Bench::new(UNLIMITED);
    bench.say(FIRST, &["t0 := full shape=[2] fill_value=3.0", "read t0 as r1", "free t0"]);
    bench.run();
    assert_eq!((bench.read(FIRST, 1), bench.executor.stored(FIRST)), (vec![3.0, 3.0], 0));
}

#[test]
fn the_last_use_of_a_value_gives_its_buffer_away() {
    let mut bench = Bench::new(UNLIMITED);
    bench.say(
        FIRST,
        &[
            "t0 := full shape=[4096] fill_value=1.0",
            "t1 := exp t0",
            "free t0",
            "t2 := neg t1",
            // Read once more below, so its buffer must stay.
            "t3 := neg t2",
            "t4 := add t2 t3",
            "read t4 as r1",
        ],
    );
    bench.run();
    let seen: Vec<(String, bool)> = bench.seen();
    let given_away = |name: &str| {
        let found = seen.iter().find(|(kernel, _)| kernel.contains(name));
        found.unwrap_or_else(|| panic!("no {name} in {seen:?}")).1
    };
    assert!(given_away("Exp"), "t0 is freed after it");
    let negations: Vec<bool> =
        seen.iter().filter(|(kernel, _)| kernel.contains("Neg")).map(|(_, last)| *last).collect();
    assert_eq!(negations, [false, false], "t1 and t2 have names when the plan ends");
    assert_eq!(bench.read(FIRST, 1), vec![0.0; 4096]);
}

#[test]
fn a_long_chain_needs_two_buffers() {
    let mut bench = Bench::new(UNLIMITED);
    let bytes = 4 * 4096;
    let mut lines = vec!["t0 := full shape=[4096] fill_value=1.0".to_string()];
    for step in 0..50 {
        let (old, result) = (step % 2, (step + 1) % 2);
        lines.push(format!("t{result} := relu t{old}"));
        lines.push(format!("free t{old}"));
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    bench.say(FIRST, &lines);
    bench.run();
    let peak = bench.pool.peak_bytes();
    assert!(peak <= 2 * bytes, "{peak} bytes for values of {bytes}");
}

#[test]
fn what_nobody_uses_is_not_created() {
    let bytes = 4 * 4096;
    let mut bench = Bench::new(UNLIMITED);
    let mut lines = Vec::new();
    for slot in 0..4 {
        lines.push("t9 := full shape=[4096] fill_value=1.0".to_string());
        lines.push(format!("t{slot} := uniform t9 low=0.0 to=0.0 seed=1 rng_index={slot}"));
        lines.push("free t9".to_string());
    }
    lines.push("read t3 as r1".to_string());
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    bench.say(FIRST, &lines);
    bench.run();
    let peak = bench.pool.peak_bytes();
    // Random numbers are made beside the last of them, which is scaled.
    assert!(peak <= 5 * bytes, "{peak} bytes for four values of {bytes}");
    assert_eq!(bench.read(FIRST, 1), vec![0.0; 4096]);
}

#[test]
fn a_replacement_that_fails_keeps_the_old_value() {
    for window in [ONE, UNLIMITED] {
        let mut bench = Bench::new(window);
        bench.say(
            FIRST,
            &[
                "t0 := full shape=[3] fill_value=7.0",
                "t1 := arange start=5 end=8 step=1",
                "t2 := gather t0 t1 dim=0 replaces t0",
                "t3 := add t2 1.0",
                "sync as r9",
                "read t3 as r1",
            ],
        );
        bench.run();
        assert!(bench.answer(FIRST, 9).is_err(), "the client is told once");
        assert_eq!(bench.read(FIRST, 1), [8.0; 3]);
        let failures = bench.failures(FIRST);
        assert_eq!(failures.len(), 1);
        assert!(failures[0].error.to_string().contains("gather: index 5 is out of bounds"));
    }
}

#[test]
fn an_update_whose_input_was_lost_keeps_the_old_value_and_is_told() {
    let session = FIRST;
    let lost = Arc::new(Failure {
        id: FailureId::NONE,
        error: Error::WorkerLost("worker 1 is gone".to_string()),
        instruction: "a value that was lost".to_string(),
        slot: Slot(0),
        provenance: Provenance::UNKNOWN,
        holders: Default::default(),
    });
    let one = &["t1 := add t0 t2147483648 replaces t0", "sync as r9", "read t1 as r1"][..];
    // Of several results that are replaced together.
    let adam = "t4, t5, t6 := adam t0 t2147483648 t2 t3 0.5 1.0 1.0 0.5 0.5 0.25 replaces t0 t2 t3";
    let several = &[
        "t2 := full shape=[2] fill_value=3.0",
        "t3 := full shape=[2] fill_value=4.0",
        adam,
        "sync as r9",
        "read t4 as r1",
    ][..];
    for (window, update) in [(ONE, one), (UNLIMITED, one), (ONE, several), (UNLIMITED, several)] {
        let mut bench = Bench::new(window);
        bench.say(session, &["t0 := full shape=[2] fill_value=7.0", "receive 7"]);
        bench.say(session, update);
        let (to, tag, meta) = (WorkerId(0), 7, Meta::new(DType::F32, [2]));
        bench.tell(Message::Handover { session, to, tag, meta, result: Err(lost.clone()) });
        bench.run();
        let told = bench.answer(session, 9).expect_err("the update is missing");
        assert!(matches!(told.error, Error::WorkerLost(_)), "{told:?}");
        assert!(told.error.to_string().contains("the old value stays"), "{told:?}");
        assert_eq!(bench.failures(session).len(), 1);
        assert_eq!(bench.read(session, 1), [7.0; 2]);
    }
}

#[test]
fn a_replacement_that_finds_no_memory_keeps_the_old_value() {
    // The view shares the buffer, so that the update cannot be made in place.
    let mut bench = Bench::with_memory(UNLIMITED, 60_000);
    bench.say(
        FIRST,
        &[
            "t0 := full shape=[4096] fill_value=1.0",
            "t1 := slice t0 ranges=[0:2:1]",
            "t5 := full shape=[4096] fill_value=1.0",
            "t6 := full shape=[4096] fill_value=1.0",
        ],
    );
    bench.run();
    bench.say(FIRST, &["t2 := neg t0 replaces t0", "t3 := slice t2 ranges=[0:2:1]"]);
    bench.run();
    bench.say(FIRST, &["sync as r9", "read t3 as r1", "read t1 as r2"]);
    bench.run();
    assert_eq!(bench.failures(FIRST).len(), 1, "there is no memory for a result");
    let failure = bench.answer(FIRST, 9).expect_err("there is no memory for a result");
    let held: u64 = failure.holders.iter().map(|holder| holder.bytes).sum();
    let buffers = 3 * 4096 * 4;
    assert!((buffers..buffers + 4096).contains(&held), "a buffer that is shared is held once");
    assert_eq!(bench.read(FIRST, 1), [1.0, 1.0], "the old value");
    assert_eq!(bench.read(FIRST, 2), [1.0, 1.0], "the view");
}

#[test]
fn of_several_results_only_the_first_falls_back_on_the_value_it_replaces() {
    let mut bench = Bench::new(UNLIMITED);
    bench.say(
        FIRST,
        &[
            "t0 := full shape=[3] fill_value=7.0",
            "t1 := arange start=5 end=8 step=1",
            "t2 := gather t0 t1 dim=0",
            "t3, t4 := topk t2 k=3 replaces t0",
            "sync as r9",
            "read t3 as r1",
            "read t4 as r2",
        ],
    );
    bench.run();
    assert_eq!(bench.read(FIRST, 1), [7.0; 3]);
    let second = bench.answer(FIRST, 2).expect_err("positions that were never found");
    assert!(second.instruction.contains("gather"), "{}", second.instruction);
}

#[test]
fn a_panic_in_a_kernel_fails_what_depends_on_it_and_nothing_else() {
    let mut bench = Bench::new(UNLIMITED);
    bench.say(
        FIRST,
        &[
            "t0 := full shape=[2] fill_value=1.0",
            // The engine of these tests panics here.
            "t1 := tanh t0",
            "t2 := add t1 t0",
            "t3 := add t0 t0",
            "read t2 as r1",
            "read t3 as r2",
        ],
    );
    bench.say(SECOND, &["t0 := full shape=[2] fill_value=5.0", "read t0 as r1"]);
    bench.run();
    let failure = bench.answer(FIRST, 1).expect_err("it depends on the panic");
    assert!(failure.error.to_string().contains("a kernel panicked: not today"));
    assert_eq!((failure.slot.0, failure.instruction.as_str()), (1, "t1 := tanh"));
    assert_eq!(bench.failures(FIRST).len(), 1, "told once");
    assert_eq!(bench.read(FIRST, 2), [2.0, 2.0]);
    assert_eq!(bench.read(SECOND, 1), [5.0, 5.0]);
}

#[test]
fn what_waits_for_a_handover_does_not_hold_up_other_sessions() {
    let mut bench = Bench::new(UNLIMITED);
    bench.say(
        FIRST,
        &[
            "t0 := full shape=[2] fill_value=1.0",
            "receive 7",
            "t1 := add t0 t2147483648",
            "read t1 as r1",
        ],
    );
    bench.say(SECOND, &["t0 := full shape=[2] fill_value=5.0", "read t0 as r1"]);
    bench.run();
    assert_eq!(bench.answers(FIRST), 0, "it waits");
    assert_eq!(bench.read(SECOND, 1), [5.0, 5.0]);
    let data: Vec<u8> = [2f32, 3.0].iter().flat_map(|number| number.to_le_bytes()).collect();
    let meta = Meta::new(DType::F32, [2]);
    let (session, to, tag) = (FIRST, WorkerId(0), 7);
    bench.tell(Message::Handover { session, to, tag, meta, result: Ok(data.into()) });
    bench.run();
    assert_eq!(bench.read(FIRST, 1), [3.0, 4.0]);
}

#[test]
fn a_handover_may_come_before_the_command_that_takes_it() {
    let mut bench = Bench::new(UNLIMITED);
    let data: Vec<u8> = [2f32, 3.0].iter().flat_map(|number| number.to_le_bytes()).collect();
    let meta = Meta::new(DType::F32, [2]);
    let (session, to, tag) = (FIRST, WorkerId(0), 7);
    bench.tell(Message::Handover { session, to, tag, meta, result: Ok(data.into()) });
    bench.say(FIRST, &["receive 7", "t1 := neg t2147483648", "read t1 as r1"]);
    bench.run();
    assert_eq!(bench.read(FIRST, 1), [-2.0, -3.0]);
}

#[test]
fn who_is_to_report_after_everything_waits_for_what_has_not_arrived() {
    let settle = |after: After| {
        let mut bench = Bench::new(UNLIMITED);
        let mut batch = Batch::default();
        batch.push(&command("receive 7"));
        batch.push(&Command::Settle { barrier: 1, after });
        bench.tell(Message::Commands { session: FIRST, batch: batch.into() });
        bench.run();
        let before = bench.reports();
        bench.tell(handover());
        bench.run();
        (before, bench.reports())
    };
    assert_eq!(settle(After::Risks), (1, 1));
    assert_eq!(settle(After::Everything), (0, 1));
}

#[test]
fn a_vote_waits_for_what_may_fail_and_not_for_the_verdicts_of_others() {
    let vote = |barrier: u64, slot: u32| Command::Vote {
        barrier,
        slots: [Slot(slot)].into_iter().collect(),
        compare: false,
    };
    let votes = |between: &[&str]| {
        let mut bench = Bench::new(UNLIMITED);
        let mut batch = Batch::default();
        for text in ["t0 := full shape=[2] fill_value=1.0", "t1 := neg t0", "t2 := exp t0"] {
            batch.push(&command(text));
        }
        batch.push(&vote(1, 1));
        batch.push(&command("t3 := cast t1 dtype=float32 replaces t0"));
        between.iter().for_each(|text| batch.push(&command(text)));
        batch.push(&vote(2, 2));
        bench.tell(Message::Commands { session: FIRST, batch: batch.into() });
        bench.run();
        bench.reports()
    };
    assert_eq!(votes(&[]), 2);
    assert_eq!(votes(&["receive 7"]), 1);
    // What depends on the verdict may fail after it.
    assert_eq!(votes(&["t4 := neg t3"]), 1);
}

/// A value of two elements that another worker hands over as 7.
fn handover() -> Message {
    let data: Vec<u8> = [2f32, 3.0].iter().flat_map(|number| number.to_le_bytes()).collect();
    let meta = Meta::new(DType::F32, [2]);
    Message::Handover { session: FIRST, to: WorkerId(0), tag: 7, meta, result: Ok(data.into()) }
}

#[test]
fn what_waits_for_a_handover_holds_up_only_what_depends_on_it() {
    for window in [ONE, UNLIMITED] {
        let mut bench = Bench::new(window);
        bench.say(
            FIRST,
            &[
                "t0 := full shape=[2] fill_value=1.0",
                "receive 7",
                "t1 := add t0 t2147483648",
                "free t0",
                "t0 := full shape=[2] fill_value=5.0",
                "t2 := neg t0",
                "send t2 1 9",
                "send t1 1 10",
                "read t0 as r1",
            ],
        );
        bench.run();
        assert_eq!(bench.handovers().count(), 1, "t2 goes, t1 waits");
        assert_eq!(bench.read(FIRST, 1), [5.0, 5.0]);
        assert_eq!(bench.done(FIRST), 1, "all before the first that waits");
        bench.tell(handover());
        bench.run();
        let (_, sum) = bench.handovers().nth(1).expect("it has arrived");
        let meta = Meta::new(DType::F32, [2]);
        let data = sum.expect("it has elements");
        assert_eq!(numbers(&Value { meta, data }), [3.0, 4.0], "with the t0 of its time");
        assert_eq!(bench.done(FIRST), 9);
    }
}

#[test]
fn without_room_nothing_is_made_before_what_waits_longer() {
    let mut bench = Bench::new(UNLIMITED);
    bench.leave_room(0);
    let lines = [
        "t0 := full shape=[2] fill_value=5.0",
        "receive 7",
        "t1 := neg t0",
        "send t0 1 9",
        "send t1 1 10",
    ];
    bench.say(FIRST, &lines);
    bench.run();
    assert_eq!((bench.handovers().count(), bench.done(FIRST)), (0, 1));
    bench.tell(handover());
    bench.run();
    assert_eq!((bench.handovers().count(), bench.done(FIRST)), (2, 5));
    // With room for one value one is made, and none is given away after it.
    bench.leave_room(8);
    bench.say(FIRST, &["free t1", "free t2147483648", "receive 8", "t1 := neg t0", "send t1 1 9"]);
    bench.run();
    assert_eq!(bench.handovers().count(), 2);
    assert_eq!(bench.seen().len(), 3, "{:?}", bench.seen());
}

#[test]
fn failures_keep_the_order_of_the_stream_when_their_commands_do_not() {
    let mut bench = Bench::new(UNLIMITED);
    bench.say(
        FIRST,
        &[
            "t0 := full shape=[2] fill_value=1.0",
            "receive 7",
            // It waits, and what fails after it comes first.
            "t1 := add t0 t2147483648 replaces t0",
            "t2 := full shape=[2] fill_value=1.0",
            "t3 := tanh t2",
            "t4 := neg t2 replaces t2",
            "read t1 as r1",
            "read t4 as r2",
        ],
    );
    bench.run();
    assert_eq!((bench.answers(FIRST), bench.failures(FIRST).len()), (0, 1));
    bench.tell(handover());
    bench.run();
    assert!(bench.answer(FIRST, 1).is_err(), "the client is told of t3");
    assert_eq!(bench.read(FIRST, 2), [1.0, 1.0], "t4 comes after the failure");
    bench.say(FIRST, &["read t1 as r3"]);
    bench.run();
    assert_eq!(bench.read(FIRST, 3), [3.0, 4.0], "t1 comes before the failure");
}

#[test]
fn a_verdict_that_is_awaited_holds_up_what_is_replaced_and_what_is_told() {
    let mut bench = Bench::new(UNLIMITED);
    bench.say(
        FIRST,
        &[
            "t0 := full shape=[2] fill_value=1.0",
            "wait 3",
            "t1 := neg t0",
            "send t1 1 9",
            "t2 := neg t0 replaces t0",
            "read t2 as r1",
            "sync as r2",
        ],
    );
    bench.run();
    assert_eq!((bench.handovers().count(), bench.answers(FIRST)), (1, 0));
    bench.tell(Message::FailureVerdict { session: FIRST, barrier: 3, failure: None, told: false });
    bench.run();
    assert_eq!((bench.read(FIRST, 1), bench.answers(FIRST)), (vec![-1.0; 2], 2));
}

#[test]
fn a_plan_is_made_while_another_runs() {
    let mut bench = Bench::new(ONE);
    let lines = ["t0 := full shape=[2] fill_value=1.0", "t1 := neg t0", "read t1 as r1"];
    bench.say(FIRST, &lines);
    assert_eq!(bench.waiting(), 2, "one runs and one waits");
    bench.run();
    assert_eq!(bench.read(FIRST, 1), [-1.0, -1.0]);
}

#[test]
fn a_failed_value_is_handed_over_as_its_failure() {
    let mut bench = Bench::new(UNLIMITED);
    bench.say(
        FIRST,
        &["t0 := full shape=[2] fill_value=1.0", "t1 := tanh t0", "send t1 1 9", "send t0 1 10"],
    );
    bench.run();
    let handed: Vec<_> = bench.handovers().collect();
    let [(first, failed), (second, good)] = handed.as_slice() else { panic!("{handed:?}") };
    assert_eq!((*first, *second), (Peer::Worker(WorkerId(1)), Peer::Worker(WorkerId(1))));
    let failure = failed.as_ref().expect_err("the kernel panicked");
    assert_eq!(failure.slot.0, 1);
    let meta = Meta::new(DType::F32, [2]);
    let data = good.as_ref().expect("it has elements").clone();
    assert_eq!(numbers(&Value { meta, data }), [1.0, 1.0]);
}

#[test]
fn a_shape_that_depends_on_data_ends_a_plan() {
    let mut bench = Bench::new(UNLIMITED);
    bench.say(
        FIRST,
        &[
            "t0 := arange start=0 end=3 step=1",
            "t1 := nonzero t0",
            "t2 := add t1 t1",
            "t3 := cast t2 dtype=float32",
            "read t3 as r1",
        ],
    );
    bench.run();
    assert_eq!(bench.plans, [(FIRST, 2), (FIRST, 3)]);
    assert_eq!(bench.read(FIRST, 1), [2.0, 4.0], "two of three, not the most there could be");
}

#[test]
fn sessions_take_turns() {
    let mut bench = Bench::new(Window { commands: 4, cost_ns: u64::MAX });
    bench.busy_ns = 1_000_000;
    let ones = "t0 := full shape=[4096] fill_value=1.0";
    let work = [ones, "t1 := add t0 t0", "free t0", "free t1"].repeat(3);
    // Its first two plans are made before the others are there, and yet the second waits for them.
    bench.say(FIRST, &work);
    bench.say(SECOND, &work);
    bench.say(SessionId(3), &work[..4]);
    bench.run();
    let turns: Vec<u64> = bench.plans.iter().map(|(session, _)| session.0).collect();
    assert_eq!(turns, [1, 2, 3, 1, 2, 1, 2]);
}

#[test]
fn a_costly_instruction_ends_a_plan_where_others_may_want_a_turn() {
    let window = Window { commands: usize::MAX, cost_ns: 10_000 };
    let little = "t2 := full shape=[2] fill_value=1.0";
    let program = ["t0 := full shape=[100000] fill_value=1.0", "t1 := neg t0", little];
    let mut bench = Bench::new(window);
    bench.say(FIRST, &program);
    bench.run();
    assert!(bench.plans.len() < program.len(), "{:?}", bench.plans);

    let mut bench = Bench::new(window);
    bench.say(SessionId(9), &["t0 := full shape=[2] fill_value=1.0"]);
    bench.run();
    bench.say(FIRST, &program);
    bench.run();
    assert_eq!(bench.plans[1..], [(FIRST, 1), (FIRST, 1), (FIRST, 1)]);
}

#[test]
fn a_session_that_is_forgotten_while_its_plan_runs_leaves_nothing() {
    let mut bench = Bench::new(UNLIMITED);
    bench.say(FIRST, &["t0 := full shape=[1000] fill_value=1.0"]);
    bench.tell(Message::Forget { session: FIRST });
    bench.run();
    assert_eq!(bench.pool.used_bytes(), 0);
    assert!(format!("{:?}", bench.worker).contains("queues: {}"));
}

#[test]
fn entries_of_small_values_count_against_the_memory_limit() {
    let memory = 64 << 10;
    for window in [ONE, UNLIMITED] {
        let mut bench = Bench::with_memory(window, memory);
        let make = |slot: usize| format!("t{slot} := full shape=[2] fill_value={slot}.0");
        let lines: Vec<String> = (0..1000).map(make).collect();
        bench.say(FIRST, &lines.iter().map(String::as_str).collect::<Vec<_>>());
        bench.say(FIRST, &["sync as r1"]);
        bench.run();
        let error = bench.answer(FIRST, 1).expect_err("1000 values do not fit").error.to_string();
        assert!(error.contains("out of memory"), "{error}");
        // The first values are there. An update needs no further entry, so it does not fail.
        bench
            .say(FIRST, &["t1000 := mul t3 2.0 replaces t3", "read t1000 as r2", "read t99 as r3"]);
        bench.say(FIRST, &["sync as r4"]);
        bench.run();
        assert_eq!(bench.read(FIRST, 2), [6.0, 6.0]);
        assert_eq!(bench.read(FIRST, 3), [99.0, 99.0]);
        bench.answer(FIRST, 4).expect("the failure was told");
        let frees: Vec<String> =
            (0..=1000).filter(|slot| *slot != 3).map(|slot| format!("free t{slot}")).collect();
        bench.say(FIRST, &frees.iter().map(String::as_str).collect::<Vec<_>>());
        bench.run();
        assert_eq!(bench.pool.used_bytes(), 2 * 64, "the two answers");
    }
}

#[test]
fn windows_of_one_and_of_many_give_the_same_bits() {
    let program = [
        "t0 := randn shape=[5, 7] seed=3 rng_index=0",
        "t1 := randn shape=[7, 5] seed=3 rng_index=1",
        "t2 := matmul t0 t1",
        "t3 := softmax t2 dim=1",
        "t4 := transpose t3 dim0=0 dim1=1",
        "t5 := add t2 t4 replaces t2",
        "t6, t7 := topk t5 k=2",
        "t8 := gather t5 t7 dim=1",
        "free t3",
        "t3 := slice t5 ranges=[4:3:-2, 0:5:1]",
        "t9 := slice_write t5 t3 ranges=[0:3:1, 0:5:1] replaces t5",
        "t10 := sum t9 dim=[0]",
        "t11 := mul t10 t9",
        "read t6 as r1",
        "read t8 as r2",
        "read t11 as r3",
    ];
    let bits = |commands: usize| {
        let mut bench = Bench::new(Window { commands, cost_ns: u64::MAX });
        bench.say(FIRST, &program);
        bench.run();
        [1, 2, 3].map(|request| bench.answer(FIRST, request).expect("it has a value"))
    };
    let alone = bits(1);
    for commands in [2, 3, 5, usize::MAX] {
        assert_eq!(bits(commands), alone, "windows of {commands}");
    }
}

#[test]
fn until_a_failure_is_told_nothing_is_replaced() {
    for window in [ONE, UNLIMITED] {
        let mut bench = Bench::new(window);
        bench.say(
            FIRST,
            &[
                "t0 := full shape=[3] fill_value=7.0",
                "t1 := arange start=5 end=8 step=1",
                "t2 := gather t0 t1 dim=0",
                "t3 := full shape=[2] fill_value=1.0",
                "t4 := add t3 t3 replaces t3",
                "t5 := add t4 t4",
                "read t4 as r1",
                "read t4 as r2",
                "read t5 as r3",
                "t6 := add t4 t4 replaces t4",
                "read t6 as r4",
            ],
        );
        bench.run();
        let told = bench.answer(FIRST, 1).expect_err("the gather before it failed");
        assert_eq!(told.instruction, "t2 := gather");
        assert_eq!(bench.read(FIRST, 2), [1.0, 1.0], "it was not replaced");
        assert_eq!(bench.read(FIRST, 3), [2.0, 2.0], "what replaces nothing is computed");
        assert_eq!(bench.read(FIRST, 4), [2.0, 2.0], "the failure was told");
    }
}

#[test]
fn a_read_that_has_waited_long_is_answered_before_its_turn() {
    let mut bench = Bench::new(ONE);
    bench.busy_ns = 60_000_000;
    bench.say(FIRST, &["t0 := full shape=[2] fill_value=3.0", "t1 := add t0 t0"]);
    let heavy: Vec<String> = (2..40).map(|slot| format!("t{slot} := neg t{}", slot - 1)).collect();
    bench.say(FIRST, &heavy.iter().map(String::as_str).collect::<Vec<_>>());
    bench.say(FIRST, &["t50 := add t1 t0", "free t1", "t1 := exp t50", "read t50 as r1"]);
    bench.run_until(|bench| bench.answers(FIRST) == 1);
    assert_eq!(bench.read(FIRST, 1), [9.0, 9.0]);
    assert!(bench.plans.len() < 10, "{} plans came before it", bench.plans.len());
    bench.say(FIRST, &["read t39 as r2", "read t50 as r3"]);
    bench.run();
    assert_eq!(bench.answers(FIRST), 3, "nothing is answered twice");
    assert_eq!((bench.read(FIRST, 2), bench.read(FIRST, 3)), (vec![6.0; 2], vec![9.0; 2]));
}

#[test]
fn a_composite_that_the_engine_takes_whole_is_not_expanded() {
    let program =
        ["t0 := full shape=[2, 2] fill_value=1.0", "t1 := softmax t0 dim=1", "read t1 as r1"];
    let mut bench = Bench::taking("softmax");
    bench.say(FIRST, &program);
    bench.run();
    let kernels = |bench: &Bench| bench.seen().into_iter().map(|(kernel, _)| kernel).skip(1);
    assert_eq!(kernels(&bench).collect::<Vec<_>>(), ["softmax"]);
    assert_eq!(bench.read(FIRST, 1), [0.0; 4], "what the engine says, not the expansion");
    let mut bench = Bench::new(UNLIMITED);
    bench.say(FIRST, &program);
    bench.run();
    assert!(kernels(&bench).count() > 1);
    assert_eq!(bench.read(FIRST, 1), [0.5; 4]);
}

#[test]
fn of_several_replaced_values_all_are_taken_or_none() {
    let mut bench = Bench::new(UNLIMITED);
    bench.say(
        FIRST,
        &[
            "t0 := full shape=[3] fill_value=7.0",
            "t1 := arange start=0 end=3 step=1",
            // The engine of these tests panics here.
            "t2 := tanh t0",
            "t3, t4 := topk t2 k=3 replaces t0 t1",
            "sync as r1",
            "read t3 as r2",
            "t5 := cast t4 dtype=float32",
            "read t5 as r3",
            "t6 := full shape=[3] fill_value=1.0",
            "t7, t8 := topk t6 k=3 replaces t3 t4",
            "read t7 as r4",
            "t9 := cast t8 dtype=float32",
            "read t9 as r5",
        ],
    );
    bench.run();
    assert!(bench.answer(FIRST, 1).is_err());
    assert_eq!((bench.read(FIRST, 2), bench.read(FIRST, 3)), (vec![7.0; 3], vec![0.0, 1.0, 2.0]));
    assert_eq!(bench.read(FIRST, 4), [1.0; 3]);
    assert_eq!(bench.read(FIRST, 5).len(), 3);
}

#[test]
fn a_step_of_an_optimiser_is_taken_as_a_whole_or_not_at_all() {
    // The first average can be made in both, the second one needs more memory.
    for (memory, is_taken) in [(100_000, false), (1 << 20, true)] {
        let mut bench = Bench::with_memory(UNLIMITED, memory);
        bench.say(
            FIRST,
            &[
                "t0 := full shape=[4096] fill_value=1.0",
                "t1 := full shape=[4096] fill_value=2.0",
                "t2 := full shape=[4096] fill_value=3.0",
                "t3 := full shape=[4096] fill_value=4.0",
                "t4, t5, t6 := adam t0 t1 t2 t3 0.5 1.0 1.0 0.5 0.5 0.25 replaces t0 t1 t2",
                "sync as r1",
                "t7 := slice t4 ranges=[0:1:1]",
                "t8 := slice t5 ranges=[0:1:1]",
                "t9 := slice t6 ranges=[0:1:1]",
                "read t7 as r2",
                "read t8 as r3",
                "read t9 as r4",
            ],
        );
        bench.run();
        assert_eq!(bench.answer(FIRST, 1).is_ok(), is_taken);
        let found = [2, 3, 4].map(|request| bench.read(FIRST, request)[0]);
        let step = 1.0 - 3.0 / (9.5_f32.sqrt() + 0.25) * 0.5;
        assert_eq!(found, if is_taken { [step, 3.0, 9.5] } else { [1.0, 2.0, 3.0] });
    }
}

//! How much of a session a worker is given at a time: it is bounded in time, not in commands.

mod tape;

use std::fmt::Write as _;

use tape::{check, told_after};

/// How many products of two matrices a worker is given of so many, if it has ended none of them.
fn given(size: usize, count: usize, end: &str) -> usize {
    let upload = format!("t0 := upload [{size}, {size}]");
    given_of(&upload, "t1 := matmul t0 t0", count, end)
}

/// How many repetitions of an instruction a worker is given, if it has ended none.
fn given_of(uploads: &str, instruction: &str, count: usize, end: &str) -> usize {
    let mut said = format!("workers 1\n{uploads}\n");
    let (results, call) = instruction.split_once(" := ").expect("results and a call");
    for number in 0..count {
        writeln!(said, "{instruction}\nfree {}", results.replace(',', ""))
            .expect("memory takes all of it");
        if number % 500 == 499 {
            said += "send\n";
        }
    }
    write!(said, "{end}").expect("memory takes all of it");
    let op = call.split(' ').next().expect("an operation");
    told_after(&said).iter().filter(|line| line.split(' ').any(|word| word == op)).count()
}

#[test]
fn a_worker_is_given_work_for_a_moment_whatever_the_sizes() {
    let [tiny, small, large] = [(1, 60_000), (128, 3000), (2048, 30)];
    let [tiny, small, large] = [tiny, small, large].map(|(size, count)| given(size, count, ""));
    assert!((5_000..30_000).contains(&tiny), "{tiny} of 60,000 that take a microsecond");
    assert!((20..2_000).contains(&small), "{small} of 3,000 that take some ten microseconds");
    assert_eq!(large, 2, "one is computed, one waits, and 28 are held back");
}

#[test]
fn a_read_waits_at_the_worker_with_all_that_was_said_before_it() {
    assert_eq!(given(2048, 30, "read t0 as r1"), 30);
}

#[test]
fn what_was_held_back_follows_what_is_done() {
    let done = "send\nw0 done 2\nw0 done 2\nw0 done 2\n";
    assert_eq!(given(2048, 30, done), 5);
}

/// The first worker has enough to do, so no time passes for what waits for it. Once it has finished
/// something, the commands that have waited longest set the time at which everything is sent.
#[test]
fn commands_of_a_worker_that_is_no_longer_busy_are_sent_in_time() {
    check(
        "
        holds 1000
        workers 2
        sync as r1
        send
        sync as r2
        send
        at 100
        t0 := upload [4]
        send
        at 300
        on w1
        t1 := upload [4]
        send
        at 400
        w0 done 1
        at 1099
        flush
        # The second upload has waited for less than a microsecond.
        at 1100
        flush
        at 1299
        flush
        ---
        w0  sync as r1
        w0  sync as r2
        client done 1
        w0  t0 := upload float32[4] (16 bytes)
        ",
    );
}

/// A composite costs what its expansion costs: about 27 ms here for each row, as for the product
/// of two matrices of 1024 by 1024. The work in flight is bounded by 40 ms.
#[test]
fn composites_are_bounded_by_their_products() {
    let square = "[1024, 1024]";
    let matrices = format!("t0 := upload {square}\nt1 := upload {square}\nt2 := upload [1024]");
    let images = "t0 := upload [16, 64, 32, 32]\nt1 := upload [112, 64, 3, 3]";
    let heads = "t0 := upload [1, 16, 724, 64]\nt1 := upload [1, 16, 724, 64]\n\
                 t2 := upload [1, 16, 724, 64]";
    for (uploads, instruction) in [
        (&*matrices, "t3 := matmul t0 t1"),
        (&matrices, "t3 := linear t0 t1 t2"),
        (&matrices, "t3 := linear_without_bias t0 t1"),
        (&matrices, "t3 := addmm t2 t0 t1"),
        (&matrices, "t3 := einsum t0 t1 equation=\"ij,jk->ik\""),
        (images, "t2 := conv2d t0 t1 stride=[1, 1] padding=[1, 1] dilation=[1, 1] groups=1"),
        (heads, "t3, t4 := attend t0 t1 t2 scale=0.125 is_causal=false"),
    ] {
        let count = given_of(uploads, instruction, 30, "");
        assert!((2..=3).contains(&count), "{count} of 30 given: {instruction}");
    }
}

/// The workers of a mesh that share an instruction compute a part of it each.
#[test]
fn a_shared_instruction_costs_each_worker_its_part() {
    let count = |members: &str| {
        let mut said = format!("workers 4\nscope1 := \"rows\" in scope0 shard(0) {members}\n");
        said += "t0 := upload [1024, 1024]\nin scope1\nt1 := upload [1024, 1024]\n";
        // What another worker waits for is sent at once, with everything before it.
        said += "t2 := matmul t1 t0\nfree t2\nsend\nw0 done 8\nw1 done 5\n";
        for _ in 0..60 {
            said += "t2 := matmul t1 t0\nfree t2\n";
        }
        let told = told_after(&said);
        told.iter().filter(|line| line.contains("matmul") && line.starts_with("w0")).count()
    };
    let given = ["0 1", "0 1 2 3"].map(count);
    assert!((3..=5).contains(&given[0]), "{given:?}");
    assert!((6..=9).contains(&given[1]), "{given:?}");
}

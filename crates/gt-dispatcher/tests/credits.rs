//! How much of a session a worker is given at a time: it is bounded in time, not in commands.

mod tape;

use std::fmt::Write as _;

use tape::told_after;

/// How many products of two matrices a worker is given of so many, if it has ended none of them.
fn given(size: usize, count: usize, end: &str) -> usize {
    let mut said = format!("workers 1\nt0 := upload [{size}, {size}]\n");
    for number in 0..count {
        said += "t1 := matmul t0 t0\nfree t1\n";
        if number % 500 == 499 {
            said += "send\n";
        }
    }
    write!(said, "{end}").expect("memory takes all of it");
    told_after(&said).iter().filter(|line| line.contains("matmul")).count()
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

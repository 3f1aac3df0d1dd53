//! Runs a test for many seeds. `GT_SIM_SEED` replays a single one, `GT_SIM_SEEDS` says how many,
//! `GT_SIM_TIMES` how many times more than usual, and `GT_SIM_FIRST` which one is the first.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a test for each seed; a failing one is named with how to run it again.
pub fn for_each_seed(default_count: u64, test: impl Fn(u64)) {
    let number = |name: &str| {
        let text = std::env::var(name).ok()?;
        Some(text.parse().unwrap_or_else(|_| panic!("{name} is '{text}', not a number")))
    };
    if let Some(seed) = number("GT_SIM_SEED") {
        return test(seed);
    }
    let count = default_count * number("GT_SIM_TIMES").unwrap_or(1);
    let first = number("GT_SIM_FIRST").unwrap_or(0);
    for seed in first..first + number("GT_SIM_SEEDS").unwrap_or(count) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| test(seed))) {
            let why = message(&*panic);
            panic!("seed {seed} fails: {why}\nGT_SIM_SEED={seed} runs it again");
        }
    }
}

/// What a panic says.
pub fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

//! A worker that is a hundred times slower than the others costs those who do not need it next to
//! nothing.

use gt_sim::uneven::{Served, chains_ns, serve};

const SECOND: u64 = 1_000_000_000;
const SLOW: u64 = 100;

fn products<'a>(served: impl IntoIterator<Item = &'a Served>) -> f64 {
    served.into_iter().map(|served| served.products as f64).sum()
}

#[test]
fn whoever_has_other_workers_does_not_notice_a_slow_one() {
    let clients = [Some(1); 4];
    let even = serve(&[1; 4], &clients, SECOND / 2);
    let uneven = serve(&[1, 1, SLOW, 1], &clients, SECOND / 2);
    let is_slow = |served: &&Served| served.workers.iter().any(|worker| worker.0 == 2);
    let (slow, others): (Vec<&Served>, Vec<&Served>) = uneven.iter().partition(is_slow);
    assert_eq!((slow.len(), others.len()), (1, 3));
    let each = products(&even) / 4.0;
    println!("{each} products each; with a slow worker {uneven:?}");
    assert!(slow[0].products as f64 <= 1.5 * each / SLOW as f64);
    for served in others {
        assert!(served.products as f64 >= 0.9 * each, "{served:?} beside {each}");
    }
}

/// Clients that have all workers, one of them slow, beside as many that have the others only. What
/// is given to the slow one before it is known takes seconds.
fn all_workers(clients: usize) {
    let (clients, within_ns) = (vec![None; clients], 5 * SECOND / 2);
    let without = products(&serve(&[1; 3], &clients, within_ns));
    let with = products(&serve(&[1, 1, SLOW, 1], &clients, within_ns));
    assert!(with >= 0.9 * without, "{with} products of {without} without the slow worker");
}

#[test]
fn whoever_has_all_workers_uses_those_that_are_quick() {
    all_workers(1);
}

#[test]
#[ignore = "takes a while"]
fn several_who_have_all_workers_use_those_that_are_quick() {
    [2, 3].into_iter().for_each(all_workers);
}

#[test]
fn independent_chains_of_products_spread_over_idle_workers() {
    let (alone, four) = (chains_ns(1, 8, 20), chains_ns(4, 8, 20));
    let ratio = four as f64 / alone as f64;
    println!("four workers take {ratio:.3} of the time of one");
    assert!(ratio <= 0.35, "{ratio}");
}

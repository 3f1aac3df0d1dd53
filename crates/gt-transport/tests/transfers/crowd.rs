//! Many values at once, and an end in the middle of them.

use std::collections::HashMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::Command;

use bytes::Bytes;
use gt_transport::transfers::Event;

use crate::common::{Dice, Pair, SESSION, WAYS, until};

fn hash(data: &Bytes) -> u64 {
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    hasher.finish()
}

fn size(dice: &mut Dice) -> usize {
    let limit = [10, 5_000, 300_000, 3_000_000][dice.below(4) as usize];
    dice.below(limit) as usize
}

/// Sends values both ways; their hashes by tag, the even ones from the client.
fn send_many(pair: &Pair, dice: &mut Dice, count: u64) -> HashMap<u64, u64> {
    let mut sent = HashMap::new();
    for tag in 0..count {
        let bytes = size(dice);
        let data = dice.value(bytes);
        sent.insert(tag, hash(&data));
        let (from, to) = match tag % 2 {
            0 => (&pair.client, &pair.worker),
            _ => (&pair.worker, &pair.client),
        };
        if dice.once_in(2) {
            pair.carry(from, to, tag, &data);
        } else {
            pair.permit(SESSION, from, to, tag, bytes);
            from.plane.send(tag, data);
            pair.expect(SESSION, from, to, tag, bytes);
        }
    }
    sent
}

#[test]
fn hundreds_of_values_in_both_directions_arrive_whole() {
    const COUNT: u64 = 300;
    for way in WAYS {
        let mut dice = Dice(20);
        println!("{way:?}, seed {}", dice.0);
        let pair = Pair::open(way);
        let sent = send_many(&pair, &mut dice, COUNT);
        let (mut got, mut confirmed) = (HashMap::new(), 0);
        for side in [&pair.client, &pair.worker] {
            for event in side.events.take(COUNT as usize) {
                match event {
                    Event::Confirmed { .. } => confirmed += 1,
                    Event::Arrived { tag, data } => {
                        assert!(got.insert(tag, hash(&data)).is_none(), "{tag}");
                    }
                    other => panic!("{way:?}: {other:?}"),
                }
            }
        }
        assert!(got == sent && confirmed == COUNT, "{way:?}");
    }
}

#[test]
fn closing_in_the_middle_ends_all_threads() {
    // In a process of its own, where all threads of this kind are those of one test.
    let own = std::env::current_exe().expect("this test runs");
    let test = "crowd::alone_one_thread_for_each_process_and_none_after_the_end";
    let arguments = ["--exact", test, "--ignored"];
    let output = Command::new(own).args(arguments).env("GT_CROWD_ALONE", "1").output();
    let output = output.expect("it can be started again");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
#[ignore = "runs in a process of its own, started by the test above"]
fn alone_one_thread_for_each_process_and_none_after_the_end() {
    if std::env::var_os("GT_CROWD_ALONE").is_none() {
        return println!("not in a process of its own, where it could count threads");
    }
    for (round, way) in (0..6).flat_map(|round| WAYS.map(|way| (round, way))) {
        let mut dice = Dice(round);
        let pair = Pair::open(way);
        let path = pair.worker.plane.address().unix.clone().expect("a path");
        assert!(path.exists());
        send_many(&pair, &mut dice, 60);
        let enough = dice.below(30) as usize;
        drop(pair.client.events.take(enough));
        assert!((1..=3).contains(&threads()), "one each, and one that connects");
        let (first, second) = if round % 2 == 0 {
            (&pair.client, &pair.worker)
        } else {
            (&pair.worker, &pair.client)
        };
        first.plane.close();
        second.plane.close();
        // A thread that connects may need a moment to be gone.
        until("the end of all threads", || threads() == 0);
        assert!(!path.exists());
        let told = (pair.client.events.len(), pair.worker.events.len());
        std::thread::yield_now();
        assert_eq!((pair.client.events.len(), pair.worker.events.len()), told);
    }
}

/// How many threads of the data plane this process has.
pub fn threads() -> usize {
    let tasks = fs::read_dir("/proc/self/task").expect("this is Linux").flatten();
    let names = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.starts_with("gt-data")).count()
}

//! What holds in every order of threads. `make soak` runs these; `LOOM_MAX_PREEMPTIONS` bounds how
//! often a thread is interrupted where it could go on.
#![cfg(loom)]

use std::sync::Arc;
use std::time::Duration;

use gt_core::SessionId;
use gt_core::event::{Event, Events, Station};
use gt_loom::event_queue::{EventQueue, Overflow};
use gt_loom::lock::{Condvar, Mutex};
use gt_loom::threads::Threads;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

/// In loom nothing times out: a wait that nobody ends is a deadlock, which it reports.
const LONG: Duration = Duration::from_secs(3600);

fn model(preemptions: usize, test: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(preemptions));
    builder.check(test);
}

fn some(count: usize) -> Arc<Events> {
    let event = Event::new(0, Station::Received, SessionId(1));
    Arc::new(Events { list: vec![event; count], ..Events::default() })
}

#[test]
fn a_shared_kernel_does_each_task_once_and_its_threads_end() {
    model(4, || {
        let threads = Threads::new(2).expect("loom starts threads");
        let done = [AtomicUsize::new(0), AtomicUsize::new(0)];
        threads.share(2, |task| {
            done[task].fetch_add(1, Ordering::Relaxed);
        });
        // What helpers have written is seen by whoever has shared.
        assert!(done.iter().all(|count| count.load(Ordering::Relaxed) == 1));
        // Helpers that sleep are woken; otherwise the model never ends.
        drop(threads);
    });
}

#[test]
fn work_shared_twice_is_never_mixed_up() {
    model(3, || {
        let threads = Threads::new(2).expect("loom starts threads");
        for round in 1..=2 {
            let sum = AtomicUsize::new(0);
            threads.share(2, |task| {
                sum.fetch_add(round * (task + 1), Ordering::Relaxed);
            });
            assert_eq!(sum.load(Ordering::Relaxed), 3 * round);
        }
    });
}

#[test]
fn a_condition_variable_that_counts_its_waiters_loses_no_wake_up() {
    model(3, || {
        let shared = Arc::new((Mutex::new(0), Condvar::default()));
        let waiters: Vec<_> = (0..2)
            .map(|_| {
                let shared = shared.clone();
                thread::spawn(move || {
                    let (count, changed) = &*shared;
                    let mut count = count.lock();
                    while *count == 0 {
                        count = changed.wait_for(count, LONG);
                    }
                })
            })
            .collect();
        let (count, changed) = &*shared;
        *count.lock() += 1;
        changed.notify_all();
        waiters.into_iter().for_each(|waiter| waiter.join().expect("no panic"));
    });
}

#[test]
fn an_event_queue_passes_on_all_events_and_those_who_wait_for_room_or_its_end_go_on() {
    model(3, || {
        let queue = Arc::new(EventQueue::with_room(1, Overflow::Waits(LONG)));
        let bringer = {
            let queue = queue.clone();
            thread::spawn(move || {
                queue.offer(&some(1));
                queue.offer(&some(1));
                queue.flush(LONG);
            })
        };
        let mut taken = 0;
        while taken < 2 {
            taken += queue.next(LONG).iter().map(|events| events.list.len()).sum::<usize>();
            queue.finish();
        }
        bringer.join().expect("no panic");
        assert_eq!((taken, queue.take_lost()), (2, 0));
    });
}

#[test]
fn closing_an_event_queue_ends_every_wait() {
    model(3, || {
        let queue = Arc::new(EventQueue::with_room(1, Overflow::IsCounted));
        let taker = {
            let queue = queue.clone();
            thread::spawn(move || queue.next_gathered(LONG, LONG).len())
        };
        queue.offer(&some(1));
        queue.close();
        assert!(taker.join().expect("no panic") <= 1);
    });
}

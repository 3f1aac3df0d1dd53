//! The threads that share large kernels. They are our own: a global pool would hang in a forked
//! child, and a caller would wait for threads that have not begun.
//!
//! A caller opens its work to the helpers, does as much of it as it can, closes it, and waits only
//! for helpers that have joined. A helper that was asleep and comes late finds it closed. Helpers
//! look for more work for a while before they sleep, because waking one takes longer than most
//! kernels. Each thread begins with a part of the tasks that is always the same, so that what it
//! has computed of one tensor is near when it computes with that part again, and goes on with what
//! others have left. When several callers compute at the same time, helpers make room for them:
//! there are never more threads at work than there should be, unless there are more callers.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

use gt_core::error::{Error, Result};
use smallvec::SmallVec;

use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize};
use crate::sync::thread::{self, Thread};
use crate::sync::{Arc, LOOKS, Ordering, SharedCell, hint, thread_flag};

/// How long a helper looks for more work before it sleeps.
const LOOKING: Duration = if cfg!(loom) { Duration::ZERO } else { Duration::from_micros(100) };

/// A group of threads; several engines may share one.
pub struct Threads {
    team: Arc<Team>,
    helpers: Vec<Thread>,
}

/// What the threads have in common.
#[derive(Default)]
struct Team {
    /// How many threads work at the same time.
    count: usize,
    /// How many callers are at work.
    callers: AtomicUsize,
    /// Whether somebody's work is shared; who comes meanwhile computes alone.
    busy: AtomicBool,
    /// How many helpers have joined the work, and [`OPEN`] while more of them may.
    joined: AtomicU32,
    /// The work, while it is open or somebody has joined it.
    work: SharedCell<Option<Work>>,
    /// Whether a helper panicked at it.
    panicked: AtomicBool,
    /// For each helper whether it sleeps.
    asleep: Vec<AtomicBool>,
    stopped: AtomicBool,
}

// SAFETY: `work` is written by whoever has set `busy`, before it is opened and after everybody who
// joined has left; helpers read it only while they have joined.
unsafe impl Sync for Team {}
// SAFETY: the pointers in `work` lead to what may be shared between threads.
unsafe impl Send for Team {}

thread_flag! {
    /// Whether this thread is at a task: what that shares is its own alone.
    AT_WORK
}

/// The bit of [`Team::joined`] that lets helpers in.
const OPEN: u32 = 1 << 31;

/// A closure of the caller, which waits until nobody calls it.
#[derive(Clone, Copy)]
struct Work {
    closure: *const (),
    call: unsafe fn(*const (), usize),
}

impl Work {
    /// Work for which each thread is told its number; that of the caller is zero.
    fn new<F: Fn(usize) + Sync>(closure: &F) -> Self {
        /// # Safety
        /// `closure` leads to an `F` that is there while this runs.
        unsafe fn call<F: Fn(usize)>(closure: *const (), thread: usize) {
            // SAFETY: as promised by the caller.
            unsafe { (*closure.cast::<F>())(thread) }
        }
        Work { closure: std::ptr::from_ref(closure).cast(), call: call::<F> }
    }
}

/// The tasks of one call that nobody has begun: a part for each thread.
struct Tasks {
    parts: SmallVec<[Part; 4]>,
}

/// Tasks that follow one another: the first in the low half, the end in the high one. In a cache
/// line of its own, because its thread writes it for each task.
#[repr(align(64))]
struct Part(AtomicU64);

/// Where a task is taken from its part: its own thread begins at the front, others at the back.
#[derive(Clone, Copy)]
enum Side {
    Front,
    Back,
}

impl Tasks {
    fn new(count: u32, threads: usize) -> Self {
        let at = |part: usize| count as u64 * part as u64 / threads as u64;
        let part = |part: usize| Part(AtomicU64::new(at(part) | at(part + 1) << 32));
        Tasks { parts: (0..threads).map(part).collect() }
    }

    /// A task for a thread: of its own part, or of one that others have not finished.
    fn take(&self, thread: usize) -> Option<usize> {
        let count = self.parts.len();
        let own = self.parts[thread].take(Side::Front);
        own.or_else(|| {
            let mut others = (1..count).map(|distance| (thread + distance) % count);
            others.find_map(|other| self.parts[other].take(Side::Back))
        })
    }

    fn left(&self) -> usize {
        let left = |part: &Part| {
            let (first, end) = Part::read(part.0.load(Ordering::Relaxed));
            (end - first) as usize
        };
        self.parts.iter().map(left).sum()
    }
}

impl Part {
    fn read(packed: u64) -> (u32, u32) {
        (packed as u32, (packed >> 32) as u32)
    }

    fn take(&self, side: Side) -> Option<usize> {
        let rest = |packed: u64| {
            let (first, end) = Part::read(packed);
            let rest = match side {
                Side::Front => packed + 1,
                Side::Back => packed.wrapping_sub(1 << 32),
            };
            (first < end).then_some(rest)
        };
        let before = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest).ok()?;
        let (first, end) = Part::read(before);
        Some(match side {
            Side::Front => first,
            Side::Back => end - 1,
        } as usize)
    }
}

impl Threads {
    /// `count` threads; one means that the caller computes alone.
    pub fn new(count: usize) -> Result<Arc<Self>> {
        let count = count.max(1);
        let asleep = (1..count).map(|_| AtomicBool::new(false)).collect();
        let team = Arc::new(Team { count, asleep, ..Team::default() });
        let mut threads = Threads { team, helpers: Vec::new() };
        for index in 1..count {
            let team = threads.team.clone();
            let builder = thread::Builder::new().name(format!("gt-kernel-{index}"));
            let helper = builder.spawn(move || team.help(index - 1));
            // Those that were started end with `threads`.
            let helper =
                helper.map_err(|error| Error::runtime(format!("cannot start threads: {error}")))?;
            threads.helpers.push(helper.thread().clone());
        }
        Ok(Arc::new(threads))
    }

    /// How many threads work at the same time.
    pub fn count(&self) -> usize {
        self.team.count
    }

    /// Calls `each` once for every number below `tasks`, in any order, on all threads that have
    /// time for it.
    pub fn share(&self, tasks: usize, each: impl Fn(usize) + Sync) {
        if tasks <= 1 || self.helpers.is_empty() || AT_WORK.with(Cell::get) {
            return (0..tasks).for_each(each);
        }
        let Ok(count) = u32::try_from(tasks) else { return (0..tasks).for_each(each) };
        let left = Tasks::new(count, self.count());
        let one = |thread: usize| left.take(thread).map(&each).is_some();
        let team = &*self.team;
        let help = |thread: usize| while team.is_roomy(0) && one(thread) {};
        let mut shared = false;
        team.callers.fetch_add(1, Ordering::SeqCst);
        AT_WORK.with(|at_work| at_work.set(true));
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            loop {
                // Whoever came while another's work was shared shares the rest when it can.
                if !shared && team.is_roomy(1) && !team.busy.swap(true, Ordering::Acquire) {
                    shared = true;
                    self.open(Work::new(&help), left.left().saturating_sub(1));
                }
                if !one(0) {
                    return;
                }
            }
        }));
        let panicked = shared && self.close();
        AT_WORK.with(|at_work| at_work.set(false));
        team.callers.fetch_sub(1, Ordering::SeqCst);
        if let Err(panic) = outcome {
            resume_unwind(panic);
        }
        assert!(!panicked, "a thread panicked in a kernel");
    }

    /// Lets helpers join, and wakes as many of them as there is something to do for.
    fn open(&self, work: Work, wanted: usize) {
        let team = &self.team;
        // SAFETY: the caller has set `busy`, and nobody has joined.
        unsafe { team.work.write(Some(work)) };
        team.joined.store(OPEN, Ordering::SeqCst);
        for (helper, asleep) in self.helpers.iter().zip(&team.asleep).take(wanted) {
            if asleep.swap(false, Ordering::SeqCst) {
                helper.unpark();
            }
        }
    }

    /// Lets nobody else join, and waits for those who have. Says whether one of them panicked.
    fn close(&self) -> bool {
        let team = &self.team;
        team.joined.fetch_and(!OPEN, Ordering::SeqCst);
        let mut looks = 0;
        while team.joined.load(Ordering::Acquire) > 0 {
            pause(&mut looks);
        }
        // SAFETY: everybody has left, and nobody can join.
        unsafe { team.work.write(None) };
        let panicked = team.panicked.swap(false, Ordering::Relaxed);
        team.busy.store(false, Ordering::Release);
        panicked
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.team.stopped.store(true, Ordering::SeqCst);
        for (helper, asleep) in self.helpers.iter().zip(&self.team.asleep) {
            asleep.store(false, Ordering::SeqCst);
            helper.unpark();
        }
    }
}

impl Team {
    /// Whether so many more threads may begin to work.
    fn is_roomy(&self, more: usize) -> bool {
        let joined = self.joined.load(Ordering::Relaxed) & !OPEN;
        self.callers.load(Ordering::Relaxed) + joined as usize + more <= self.count
    }

    /// The life of a helper.
    fn help(&self, index: usize) {
        AT_WORK.with(|at_work| at_work.set(true));
        while self.wait(index) {
            // SAFETY: the helper has joined, so that the work is there until it has left.
            let work = unsafe { self.work.read() }.expect("open work is there");
            // SAFETY: the caller keeps the closure until everybody has left.
            let outcome = catch_unwind(|| unsafe { (work.call)(work.closure, index + 1) });
            if outcome.is_err() {
                self.panicked.store(true, Ordering::Relaxed);
            }
            self.joined.fetch_sub(1, Ordering::Release);
            // Work of which nothing is left may be open for a while, until the caller is done.
            hint::spin_loop();
        }
    }

    /// Waits for work and joins it; `false` if there will be none.
    fn wait(&self, index: usize) -> bool {
        let (mut looks, start) = (0, Instant::now());
        loop {
            if self.stopped.load(Ordering::SeqCst) {
                return false;
            }
            if self.join() {
                return true;
            }
            pause(&mut looks);
            if looks > LOOKS && start.elapsed() >= LOOKING {
                return self.sleep(index);
            }
        }
    }

    /// Sleeps until there is work, and joins it; `false` if there will be none.
    fn sleep(&self, index: usize) -> bool {
        let asleep = &self.asleep[index];
        loop {
            asleep.store(true, Ordering::SeqCst);
            // What was opened before that line is seen here; whoever opens later wakes the helper.
            if self.join() {
                asleep.store(false, Ordering::SeqCst);
                return true;
            }
            while asleep.load(Ordering::SeqCst) && !self.stopped.load(Ordering::SeqCst) {
                thread::park();
            }
            if self.stopped.load(Ordering::SeqCst) {
                return false;
            }
            if self.join() {
                return true;
            }
        }
    }

    /// Joins the work that is open, if there is some and nobody else needs the processor.
    fn join(&self) -> bool {
        let join = |joined: u32| (joined & OPEN != 0 && self.is_roomy(1)).then_some(joined + 1);
        self.joined.fetch_update(Ordering::AcqRel, Ordering::SeqCst, join).is_ok()
    }
}

/// Looks again in a moment; after a while others may have the processor first.
fn pause(looks: &mut u32) {
    *looks = looks.saturating_add(1);
    if *looks < LOOKS {
        hint::spin_loop();
    } else {
        thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_done_once() {
        let threads = Threads::new(3).expect("threads can be started");
        for round in 0..2000 {
            let tasks = round % 17;
            let done: Vec<AtomicUsize> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
            threads.share(tasks, |task| {
                done[task].fetch_add(1, Ordering::Relaxed);
            });
            assert!(done.iter().all(|count| count.load(Ordering::Relaxed) == 1));
        }
    }

    #[test]
    fn a_thread_begins_with_its_own_part_and_ends_with_what_others_left() {
        let tasks = Tasks::new(10, 3);
        let taken = |thread: usize, count: usize| -> Vec<usize> {
            (0..count).filter_map(|_| tasks.take(thread)).collect()
        };
        assert_eq!((taken(0, 2), taken(1, 1)), (vec![0, 1], vec![3]));
        assert_eq!((taken(2, 5), tasks.left()), (vec![6, 7, 8, 9, 2], 2));
        assert_eq!((taken(0, 9), tasks.take(1)), (vec![5, 4], None));
    }

    #[test]
    fn callers_at_the_same_time_do_not_wait_for_each_other() {
        let threads = Threads::new(2).expect("threads can be started");
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let sum = AtomicUsize::new(0);
                        threads.share(9, |task| {
                            // Work within work is the caller's alone.
                            threads.share(2, |inner| {
                                sum.fetch_add(task * inner, Ordering::Relaxed);
                            });
                        });
                        assert_eq!(sum.into_inner(), 36);
                    }
                });
            }
        });
    }

    #[test]
    fn threads_that_sleep_are_woken_and_end_with_their_last_user() {
        let threads = Threads::new(2).expect("threads can be started");
        let team = Arc::downgrade(&threads.team);
        while !threads.team.asleep[0].load(Ordering::SeqCst) {
            thread::yield_now();
        }
        // The caller stays at its first task until a helper has taken the other.
        let helped = AtomicBool::new(false);
        threads.share(2, |task| match task {
            0 => {
                while !helped.load(Ordering::Acquire) {
                    thread::yield_now();
                }
            }
            _ => helped.store(true, Ordering::Release),
        });
        drop(threads);
        while team.strong_count() > 0 {
            thread::yield_now();
        }
    }

    #[test]
    fn a_panic_reaches_the_caller_and_leaves_the_threads_usable() {
        let threads = Threads::new(2).expect("threads can be started");
        for bad in 0..8 {
            let share = || threads.share(8, |task| assert_ne!(task, bad));
            assert!(catch_unwind(AssertUnwindSafe(share)).is_err());
        }
        let sum = AtomicUsize::new(0);
        threads.share(8, |task| {
            sum.fetch_add(task, Ordering::Relaxed);
        });
        assert_eq!(sum.into_inner(), 28);
    }
}

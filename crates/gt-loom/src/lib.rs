//! The thread team, the condition variable and the event queue on loom's threads and atomics, so
//! that tests meet every order that the memory model allows. Empty unless compiled with
//! `--cfg loom`, as `make soak` does.
#![cfg(loom)]

pub mod sync;

#[path = "../../gt-transport/src/event_queue.rs"]
pub mod event_queue;
#[path = "../../gt-transport/src/lock.rs"]
pub mod lock;
#[path = "../../gt-native/src/threads.rs"]
pub mod threads;

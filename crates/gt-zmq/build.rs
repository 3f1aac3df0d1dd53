//! Builds libzmq from the sources in `zeromq-src`, with CURVE from the libsodium that
//! `libsodium-sys-stable` has built.

use std::env;

use zeromq_src::{Build, LibLocation};

/// What Linux has and `zeromq-src` leaves out: the identity of an ipc peer, safety in a forked
/// child, descriptors that a started program does not inherit, and wake-ups through an eventfd.
const DEFINES: &[&str] = &[
    "HAVE_FORK",
    "ZMQ_HAVE_SO_PEERCRED",
    "ZMQ_HAVE_EVENTFD",
    "ZMQ_HAVE_EVENTFD_CLOEXEC",
    "ZMQ_IOTHREAD_POLLER_USE_EPOLL_CLOEXEC",
    "ZMQ_HAVE_SOCK_CLOEXEC",
    "ZMQ_HAVE_O_CLOEXEC",
    "HAVE_ACCEPT4",
    "ZMQ_HAVE_PTHREAD_SETNAME_2",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let os = env::var("CARGO_CFG_TARGET_OS").expect("cargo names the target");
    assert_eq!(os, "linux", "gt-zmq relies on eventfd and SO_PEERCRED, which are Linux's");
    add_flags();
    let sodium = LibLocation::new(of_sodium("LIB"), of_sodium("INCLUDE"));
    // Draft options are those for noticing at once that a peer is gone.
    Build::new().enable_draft(true).with_libsodium(Some(sodium)).build();
}

fn of_sodium(what: &str) -> String {
    env::var(format!("DEP_SODIUM_{what}")).expect("libsodium-sys-stable says where it is")
}

/// `zeromq-src` takes no definitions of others, but the compiler's variable is added to all.
fn add_flags() {
    let target = env::var("TARGET").expect("cargo names the target");
    let names = [format!("CXXFLAGS_{target}"), "CXXFLAGS".to_string()];
    let given = names.iter().find_map(|name| env::var(name).ok()).unwrap_or_default();
    let defines: Vec<String> = DEFINES.iter().map(|name| format!("-D{name}=1")).collect();
    // Debug information of libzmq is large, and nobody steps through it.
    let flags = format!("{given} -g0 {}", defines.join(" "));
    // SAFETY: a build script has one thread.
    unsafe { env::set_var(&names[0], flags) };
}

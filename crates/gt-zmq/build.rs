//! Builds libzmq from the sources in `zeromq-src`, with CURVE from the libsodium that
//! `libsodium-sys-stable` has built, and with two of its files mended.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

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

/// What `zeromq-src` itself defines for the files that are mended.
const USUAL: &[&str] = &[
    "ZMQ_BUILD_DRAFT_API",
    "ZMQ_USE_CV_IMPL_STL11",
    "ZMQ_STATIC",
    "ZMQ_HAVE_WS",
    "ZMQ_USE_BUILTIN_SHA1",
    "ZMQ_USE_LIBSODIUM",
    "ZMQ_HAVE_CURVE",
    "ZMQ_HAVE_LINUX",
    "ZMQ_IOTHREAD_POLLER_USE_EPOLL",
    "ZMQ_POLL_BASED_ON_POLL",
    "ZMQ_HAVE_IPC",
    "HAVE_STRNLEN",
    "ZMQ_HAVE_UIO",
    "ZMQ_HAVE_STRUCT_SOCKADDR_UN",
];

/// A line of a file of libzmq, and what takes its place.
type Change = (&'static str, &'static str);

/// A message is bounded while it arrives; see `patch/bounds.hpp`.
const SESSION: &[Change] = &[
    ("#include \"session_base.hpp\"\n", "#include \"session_base.hpp\"\n#include \"bounds.hpp\"\n"),
    (
        "    if (_pipe && _pipe->write (msg_)) {\n",
        "    const size_t size = msg_->size ();\n\
         \x20   const bool more = (msg_->flags () & msg_t::more) != 0;\n\
         \x20   if (!gt::fits (this, size, options.maxmsgsize)) {\n\
         \x20       errno = EMSGSIZE;\n\
         \x20       return -1;\n\
         \x20   }\n\
         \x20   if (_pipe && _pipe->write (msg_)) {\n\
         \x20       gt::count (this, size, more);\n",
    ),
    (
        "    zmq_assert (_pipe != NULL);\n\n    //  Get rid",
        "    zmq_assert (_pipe != NULL);\n    gt::forget (this);\n\n    //  Get rid",
    ),
    (
        "    if (_pipe)\n        _pipe->rollback ();",
        "    gt::forget (this);\n    if (_pipe)\n        _pipe->rollback ();",
    ),
    ("    LIBZMQ_DELETE (_addr);\n", "    gt::forget (this);\n    LIBZMQ_DELETE (_addr);\n"),
];

/// A Unix socket bears what a TCP port bears: that there are no descriptors left.
const LISTENER: &[Change] = &[(
    "|| errno == ECONNABORTED || errno == EPROTO\n                      || errno == ENFILE);",
    "|| errno == ECONNABORTED || errno == EPROTO\n                      || errno == ENOBUFS \
     || errno == ENOMEM\n                      || errno == EMFILE || errno == ENFILE);",
)];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=patch");
    let os = env::var("CARGO_CFG_TARGET_OS").expect("cargo names the target");
    assert_eq!(os, "linux", "gt-zmq relies on eventfd and SO_PEERCRED, which are Linux's");
    add_flags();
    let sodium = LibLocation::new(of_sodium("LIB"), of_sodium("INCLUDE"));
    // Draft options are those for noticing at once that a peer is gone.
    Build::new().enable_draft(true).with_libsodium(Some(sodium)).build();
    mend(&[("session_base", SESSION), ("ipc_listener", LISTENER)]);
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

/// Replaces files of libzmq. `zeromq-src` builds from its own folder, and leaves a copy of the
/// sources in ours.
fn mend(files: &[(&str, &[Change])]) {
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo names a folder"));
    let (source, mended) = (out.join("source/src"), out.join("mended"));
    fs::create_dir_all(&mended).expect("the folder is ours");
    let mut build = cc::Build::new();
    build.cpp(true).std("c++11").warnings(false).include(&source).include(&out);
    build.include(out.join("source/include")).include("patch").include(of_sodium("INCLUDE"));
    for name in USUAL {
        build.define(name, "1");
    }
    for (name, changes) in files {
        let path = mended.join(format!("{name}.cpp"));
        fs::write(&path, changed(&source.join(format!("{name}.cpp")), changes))
            .expect("the folder is ours");
        build.file(path);
    }
    drop_members(&build, &out.join("lib/libzmq.a"), files);
    build.out_dir(out.join("mended")).compile("zmq-mended");
}

/// The text of a file with its changes, each of which has exactly one place.
fn changed(path: &Path, changes: &[Change]) -> String {
    let text = fs::read_to_string(path).expect("zeromq-src leaves its sources here");
    changes.iter().fold(text, |text, (before, after)| {
        let count = text.matches(before).count();
        assert_eq!(count, 1, "{} is not the file that was mended: {before}", path.display());
        text.replace(before, after)
    })
}

/// Takes the files that are replaced out of the library.
fn drop_members(build: &cc::Build, library: &Path, files: &[(&str, &[Change])]) {
    let run = |action: &str, members: &[String]| {
        let mut archiver: Command = build.get_archiver();
        let outcome = archiver.arg(action).arg(library).args(members).output();
        let outcome = outcome.expect("the archiver that has made the library");
        assert!(outcome.status.success(), "{}", String::from_utf8_lossy(&outcome.stderr));
        String::from_utf8_lossy(&outcome.stdout).into_owned()
    };
    let is_replaced =
        |member: &&str| files.iter().any(|(name, _)| member.ends_with(&format!("-{name}.o")));
    let listed = run("t", &[]);
    let replaced: Vec<String> = listed.lines().filter(is_replaced).map(str::to_string).collect();
    assert_eq!(replaced.len(), files.len(), "each file is once in the library: {replaced:?}");
    run("d", &replaced);
    run("s", &[]);
}

//! Words for people: on the standard output, at once; complaints on the standard error stream.

use std::fmt::Display;
use std::io::{Write, stderr, stdout};

/// Prints a line. Whoever stopped reading is not told.
pub fn say(line: impl Display) {
    is_heard(line);
}

/// The same; says whether somebody still reads.
pub fn is_heard(line: impl Display) -> bool {
    let mut out = stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).is_ok()
}

/// Prints a line about something that went wrong.
pub fn complain(line: impl Display) {
    let _ = writeln!(stderr().lock(), "{line}");
}

/// Lets the process have as many descriptors as the system allows it.
pub fn raise_descriptor_limit() {
    if let Err(error) = gt_zmq::raise_descriptor_limit() {
        complain(format_args!("gt: {error}"));
    }
}

//! Failures as the user's errors: what happened, where in their program, and who holds the memory.

use std::fmt;

use gt_core::{Error, ops};
use gt_transport::Failure;

use crate::provenance::{self, Place};

/// The failure as the user's error.
pub(crate) fn explain(failure: &Failure) -> Error {
    let mut more = String::new();
    if let Some(place) = provenance::place(failure.provenance) {
        more = format!(" (at {place})");
    }
    for (index, (place, bytes)) in holders(failure).into_iter().enumerate() {
        let before = if index == 0 { "; the most is held by" } else { "," };
        let place = place.map_or("an unknown line".to_string(), |place| place.to_string());
        more += &format!("{before} {place} ({})", Size(bytes));
    }
    let called = provenance::called(failure.provenance);
    let told = |message: String| match &called {
        Some(called) => format!("{called}: {}{more}", without_op(&message)),
        None => message + &more,
    };
    match failure.error.clone() {
        Error::Input { fault, message } => Error::Input { fault, message: told(message) },
        Error::OutOfMemory(message) => Error::OutOfMemory(told(message)),
        Error::Lost(message) => Error::Lost(message + &more),
        Error::WorkerLost(message) => Error::WorkerLost(message + &more),
        Error::SessionLost(message) => Error::SessionLost(message + &more),
        Error::Bug(message) => Error::Bug(message + &more),
        Error::Interrupted => Error::Interrupted,
    }
}

/// A message without the operation it begins with: users called something else, which was made of
/// such operations.
fn without_op(message: &str) -> &str {
    match message.split_once(": ") {
        Some((op, rest)) if ops::by_name(op).is_some() => rest,
        _ => message,
    }
}

/// The lines that hold the most. One line may call several functions, and is listed once.
fn holders(failure: &Failure) -> Vec<(Option<Place>, u64)> {
    let mut lines: Vec<(Option<Place>, u64)> = Vec::new();
    for holder in &failure.holders {
        let place = provenance::place(holder.provenance);
        match lines.iter_mut().find(|(known, _)| *known == place) {
            Some((_, bytes)) => *bytes += holder.bytes,
            None => lines.push((place, holder.bytes)),
        }
    }
    lines.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    lines
}

/// A number of bytes for people.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut size, mut unit) = (self.0 as f64, "bytes");
        for larger in ["KiB", "MiB", "GiB", "TiB"] {
            if size < 1024.0 {
                break;
            }
            (size, unit) = (size / 1024.0, larger);
        }
        match unit {
            "bytes" => write!(f, "{size} bytes"),
            unit => write!(f, "{size:.1} {unit}"),
        }
    }
}

//! Failures as the user's errors: what happened, where in their program, and who holds the memory.

use std::fmt;

use gt_core::Error;
use gt_transport::Failure;

use crate::provenance;

/// The failure as the user's error.
pub(crate) fn explain(failure: &Failure) -> Error {
    let mut more = String::new();
    if let Some(place) = provenance::place(failure.provenance) {
        more = format!(" (at {place})");
    }
    for (index, holder) in failure.holders.iter().enumerate() {
        let before = if index == 0 { "; the most is held by" } else { "," };
        let place = provenance::place(holder.provenance);
        let place = place.map_or("an unknown line".to_string(), |place| place.to_string());
        more += &format!("{before} {place} ({})", Size(holder.bytes));
    }
    match failure.error.clone() {
        Error::Input { fault, message } => Error::Input { fault, message: message + &more },
        Error::OutOfMemory(message) => Error::OutOfMemory(message + &more),
        Error::Lost(message) => Error::Lost(message + &more),
        Error::Bug(message) => Error::Bug(message + &more),
        Error::Interrupted => Error::Interrupted,
    }
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

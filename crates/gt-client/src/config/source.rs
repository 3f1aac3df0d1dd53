//! Files of YAML that anybody may have written: what reading one may take is bounded by its size.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde_saphyr::Options;

/// A file of more bytes is no config.
const MOST_BYTES: u64 = 1 << 20;

/// The text of a file, which has to end.
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(MOST_BYTES + 1).read_to_string(&mut text)?;
    check_size(&text).map_err(io::Error::other)?;
    Ok(text)
}

/// What is wrong with a text that is too long.
pub(super) fn check_size(text: &str) -> Result<(), String> {
    match text.len() as u64 {
        0..=MOST_BYTES => Ok(()),
        _ => Err(format!("it has more than {MOST_BYTES} bytes")),
    }
}

/// How a text is read: aliases repeat no more than the text could say without them.
pub fn options(text: &str) -> Options {
    let mut options = serde_saphyr::options! { with_snippet: false };
    options.alias_limits.max_total_replayed_events = text.len();
    options
}

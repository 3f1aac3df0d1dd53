//! Chores of the workspace, run as `cargo xtask <chore>`: `tidy`, `deny` and `generate [--check]`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a chore reports to a terminal")]

mod deny;
mod generate;
mod packages;
mod tidy;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask tidy | deny | generate [--check]";

fn main() -> ExitCode {
    match run() {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(report) => {
            eprintln!("{report}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the chore named on the command line; both results are what to print.
fn run() -> Result<String, String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root");
    match words.as_slice() {
        ["tidy"] => tidy::tidy(root),
        ["deny"] => deny::deny(root),
        ["generate"] => generate::write(root),
        ["generate", "--check"] => generate::check(root),
        _ => Err(USAGE.to_string()),
    }
}

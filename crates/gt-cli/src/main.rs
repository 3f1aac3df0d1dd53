//! The command `gt`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(gt_cli::main(std::env::args().collect()))
}

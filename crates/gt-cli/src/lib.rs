//! The command line of GT: `gt server`, `gt worker`, `gt status`, `gt sessions`, `gt why` and
//! others. A binary and the Python package both enter through [`main`].

mod keys;
mod measure;
mod operate;
mod place;
mod say;
mod server;
mod signals;
mod source;
mod status;
mod table;
mod top;
mod trace;
mod visualize;
mod web;
mod why;
mod worker;

use clap::{Parser, Subcommand};

pub use web::dashboard;

/// GT, a multiplexing tensor framework.
#[derive(Parser)]
#[command(name = "gt", version)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the dispatcher that clients and workers connect to.
    Server(server::Args),
    /// Run a worker that computes for a server's clients.
    Worker(worker::Args),
    /// Show who is connected to a server, and what waits.
    Status(status::Args),
    /// List the sessions of a server.
    Sessions(operate::Sessions),
    /// End a session; its client is told.
    Kill(operate::One),
    /// Compute nothing more for a session until it is resumed.
    Pause(operate::One),
    /// Go on with a session that was paused.
    Resume(operate::One),
    /// Free a worker of its values, or take no more sessions.
    Drain(operate::Drain),
    /// Show who works on what, live.
    Top(top::Args),
    /// Write down what happens at a running dispatcher, for a while.
    Trace(trace::Args),
    /// Draw instruction logs and traces.
    Visualize(visualize::Args),
    /// Say what a program in a log or trace waits for.
    Why(why::Args),
    /// Measure what work and messages cost, for automatic sharding.
    Measure(measure::Args),
    /// Make, list and remove the keys that may connect to servers of this ring.
    Keys(keys::Args),
}

/// Runs a command, whose first word is the program's name, and gives its exit code.
pub fn main(args: Vec<String>) -> u8 {
    gt::engines::register();
    let line = match Line::try_parse_from(args) {
        Ok(line) => line,
        Err(error) => {
            // A closed pipe is no reason to complain about the words.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    let (name, outcome) = match line.command {
        Command::Server(args) => ("server", server::run(args)),
        Command::Worker(args) => ("worker", worker::run(args)),
        Command::Status(args) => ("status", status::run(&args)),
        Command::Sessions(args) => ("sessions", operate::sessions(&args)),
        Command::Kill(args) => ("kill", operate::kill(&args)),
        Command::Pause(args) => ("pause", operate::pause(&args)),
        Command::Resume(args) => ("resume", operate::resume(&args)),
        Command::Drain(args) => ("drain", operate::drain(&args)),
        Command::Top(args) => ("top", top::run(&args)),
        Command::Trace(args) => ("trace", trace::run(&args)),
        Command::Visualize(args) => ("visualize", visualize::run(&args)),
        Command::Why(args) => ("why", why::run(&args)),
        Command::Measure(args) => ("measure", measure::run(&args)),
        Command::Keys(args) => ("keys", keys::run(&args)),
    };
    match outcome {
        Ok(()) => 0,
        Err(error) => {
            say::complain(format_args!("gt {name}: {error}"));
            1
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn no_two_options_have_the_same_letter() {
        super::Line::command().debug_assert();
    }
}

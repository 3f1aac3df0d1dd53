//! Words on the standard error stream, for whoever asks for them. Nobody speaks otherwise.

use std::fmt::Debug;
use std::io::stderr;

use gt_client::provenance::place;
use gt_core::Provenance;
use tracing::field::Field;
use tracing_subscriber::field::MakeExt;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::{self, Writer};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{fmt, registry};

/// Who speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogFilter {
    /// Sessions, when they start and end.
    pub sessions: bool,
    /// The client.
    pub client: bool,
    /// The dispatcher.
    pub dispatcher: bool,
    /// Workers.
    pub worker: bool,
    /// Compilers.
    pub compile: bool,
}

impl LogFilter {
    /// Lets them be heard, from the first time on that there is one.
    pub fn listen(self) {
        if self == LogFilter::default() {
            return;
        }
        let mut targets = Targets::new();
        if self.sessions {
            targets = targets.with_target("gt", LevelFilter::INFO);
        }
        let parts = [
            ("gt::client", self.client),
            ("gt::dispatcher", self.dispatcher),
            ("gt::worker", self.worker),
            ("gt::compile", self.compile),
        ];
        for (target, _) in parts.into_iter().filter(|(_, speaks)| *speaks) {
            targets = targets.with_target(target, LevelFilter::DEBUG);
        }
        let fields = format::debug_fn(field).delimited(" ");
        let lines = fmt::layer().fmt_fields(fields);
        let lines = lines.with_writer(stderr).with_ansi(false).without_time();
        // A program with a subscriber of its own hears there what it asks for.
        let _ = tracing::subscriber::set_global_default(registry().with(targets).with(lines));
    }
}

/// Writes one field. Machines know a line of the user's program as a number; its text is in the
/// process of that program.
fn field(writer: &mut Writer<'_>, field: &Field, value: &dyn Debug) -> std::fmt::Result {
    let number = || format!("{value:?}").parse().ok().map(Provenance);
    match field.name() {
        "message" => write!(writer, "{value:?}"),
        "line" => match number().and_then(place) {
            Some(place) => write!(writer, "line={place}"),
            None => write!(writer, "line={value:?}"),
        },
        name => write!(writer, "{name}={value:?}"),
    }
}

//! What the web page shows: everything that top knows, a timeline of the last seconds, what waits
//! for what, where values are, and what failed. Events and reports go in, JSON comes out. It has no
//! clock, and keeps no more than fits on a page.

use gt_core::event::Events;
use gt_transport::report::{Report, ValuesReport};

use crate::kind::Kind;
use crate::metrics::Totals;
use crate::top;

use self::errors::Errors;
use self::timeline::Timeline;
use self::waits::Waits;

mod errors;
mod json;
mod timeline;
mod values;
mod waits;

/// The page, which asks for the rest again and again.
pub const PAGE: &str = include_str!("board/page.html");

/// Everything that is shown.
#[derive(Debug, Default)]
pub struct Board {
    /// What top knows.
    top: top::State,
    /// What Prometheus reads.
    pub totals: Totals,
    timeline: Timeline,
    waits: Waits,
    errors: Errors,
    values: Option<ValuesReport>,
    /// The dispatcher's clock, as far as it was told.
    now_ns: u64,
}

impl Board {
    /// A board on which nothing was seen.
    pub fn of(source: impl Into<String>) -> Board {
        Board { top: top::State::of(source), ..Board::default() }
    }

    /// Takes in events.
    pub fn take_events(&mut self, events: &Events) {
        self.top.take_events(events);
        self.totals.take_events(events);
        if events.lost > 0 {
            self.waits = Waits::default();
        }
        for (event, beside) in events.iter() {
            self.now_ns = self.now_ns.max(event.time_ns);
            self.waits.take(event, beside);
            self.errors.take(event, beside);
            self.timeline.take(event, Kind::of_record(&event.record));
        }
    }

    /// Takes in how things are.
    pub fn take_report(&mut self, report: &Report) {
        self.now_ns = self.now_ns.max(report.uptime_ns);
        self.top.take_report(report);
        self.totals.take_report(report);
        self.timeline.reach(self.now_ns);
    }

    /// Takes in where values are.
    pub fn take_values(&mut self, values: ValuesReport) {
        self.values = Some(values);
    }

    /// So much time has passed since the last turn.
    pub fn turn(&mut self, seconds: f64) {
        self.top.turn(seconds);
    }
}

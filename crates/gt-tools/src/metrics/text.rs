//! Totals in the text form of Prometheus.

use std::fmt;

use gt_core::WorkerId;
use gt_transport::report::WorkerReport;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{
    DescriptorEncoder, EncodeLabelSet, EncodeMetric, MetricEncoder, NoLabelSet,
};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use super::{BOUNDS_NS, Durations, MOST_WORKERS, ROADS, Totals, WorkerTotals};
use crate::kind::Kind;

/// What an HTTP server calls the text.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The workers that are gone, and those that are too many, are one.
const OTHERS: &str = "others";

impl Totals {
    /// What Prometheus reads.
    pub fn text(&self) -> String {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(self.clone()));
        let mut text = String::new();
        encode(&mut text, &registry).expect("memory takes all of it");
        text
    }
}

impl Collector for Totals {
    fn encode(&self, encoder: DescriptorEncoder) -> fmt::Result {
        let mut page = Page(encoder);
        self.about_dispatcher(&mut page)?;
        self.about_commands(&mut page)?;
        self.about_workers(&mut page)?;
        self.about_sessions(&mut page)
    }
}

/// The name of a metric, its meaning, and what a worker's report says of it.
type WorkerGauge = (&'static str, &'static str, fn(&WorkerReport) -> f64);

/// What is written so far.
struct Page<'a>(DescriptorEncoder<'a>);

impl Page<'_> {
    /// A metric without labels.
    fn one(&mut self, (name, help): (&str, &str), metric: &impl EncodeMetric) -> fmt::Result {
        metric.encode(self.0.encode_descriptor(name, help, None, metric.metric_type())?)
    }

    fn family<S: EncodeLabelSet, M: EncodeMetric>(
        &mut self,
        (name, help): (&str, &str),
        kind: MetricType,
        series: impl IntoIterator<Item = (S, M)>,
    ) -> fmt::Result {
        let mut encoder = self.0.encode_descriptor(name, help, None, kind)?;
        for (labels, metric) in series {
            metric.encode(encoder.encode_family(&labels)?)?;
        }
        Ok(())
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) -> fmt::Result {
        self.one((name, help), &ConstCounter::new(value))
    }

    fn gauge(&mut self, name: &str, help: &str, value: f64) -> fmt::Result {
        self.one((name, help), &ConstGauge::new(value))
    }

    fn counters<S: EncodeLabelSet>(
        &mut self,
        name: &str,
        help: &str,
        series: impl IntoIterator<Item = (S, u64)>,
    ) -> fmt::Result {
        let series = series.into_iter().map(|(labels, value)| (labels, ConstCounter::new(value)));
        self.family((name, help), MetricType::Counter, series)
    }

    fn gauges<S: EncodeLabelSet>(
        &mut self,
        name: &str,
        help: &str,
        series: impl IntoIterator<Item = (S, f64)>,
    ) -> fmt::Result {
        let series = series.into_iter().map(|(labels, value)| (labels, ConstGauge::new(value)));
        self.family((name, help), MetricType::Gauge, series)
    }
}

impl EncodeMetric for &Durations {
    fn encode(&self, mut encoder: MetricEncoder) -> fmt::Result {
        let bounds = BOUNDS_NS.iter().map(|bound| *bound as f64 / 1e9).chain([f64::INFINITY]);
        let buckets: Vec<(f64, u64)> = bounds.zip(self.counts).collect();
        let count = self.counts.iter().sum();
        encoder.encode_histogram::<NoLabelSet>(self.sum_ns as f64 / 1e9, count, &buckets, None)
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Histogram
    }
}

/// A label for each kind.
fn kinds() -> impl Iterator<Item = (usize, (&'static str, &'static str))> {
    Kind::ALL.iter().map(|kind| (kind.index(), ("kind", kind.name())))
}

impl Totals {
    fn about_dispatcher(&self, page: &mut Page) -> fmt::Result {
        let mut info = page.0.encode_descriptor("gt", "What runs", None, MetricType::Info)?;
        info.encode_info(&[("version", self.report.version.as_str())])?;
        let traffic = &self.report.traffic;
        let uptime = self.report.uptime_ns as f64 / 1e9;
        page.gauge("gt_uptime_seconds", "How long the dispatcher has been running", uptime)?;
        page.counter("gt_events", "Events that these metrics were made of", self.events)?;
        page.counter("gt_events_lost", "Events that they miss", self.lost)?;
        page.counter("gt_messages", "Messages that came", traffic.messages)?;
        page.counter("gt_messages_refused", "Messages that were refused", traffic.refused)?;
        page.counter("gt_relayed_bytes", "Tensor data by the relay", traffic.relayed_bytes)?;
        let moved = ROADS.iter().zip(&self.moved).flat_map(|((_, road), moved)| {
            let labels = |direction| [("road", *road), ("direction", direction)];
            [(labels("in"), moved[0]), (labels("out"), moved[1])]
        });
        page.counters("gt_transfer_bytes", "Tensor data that workers got and gave", moved)
    }

    fn about_commands(&self, page: &mut Page) -> fmt::Result {
        let received = kinds().map(|(kind, label)| ([label], self.received[kind]));
        page.counters("gt_commands_received", "Commands of clients", received)?;
        let durations = kinds().map(|(kind, label)| ([label], &self.durations[kind]));
        let about = ("gt_command_duration_seconds", "How long workers took for a command");
        page.family(about, MetricType::Histogram, durations)?;
        let [succeeded, failed] = self.answers;
        let answers = [([("outcome", "success")], succeeded), ([("outcome", "failure")], failed)];
        page.counters("gt_answers", "Answers to clients", answers)?;
        let about = ("gt_answer_wait_seconds", "How long clients waited for an answer");
        page.one(about, &&self.waits)
    }

    fn about_workers(&self, page: &mut Page) -> fmt::Result {
        self.by_worker(page, ("gt_commands_sent", "Commands to workers"), |one| one.sent)?;
        let about = ("gt_commands_failed", "Commands that failed there");
        self.by_worker(page, about, |one| one.failed)?;
        self.by_worker(page, ("gt_made_bytes", "Bytes that they made"), |one| one.bytes)?;
        let done = self.by_kind(|one, kind| ConstCounter::new(one.done[kind]));
        page.family(("gt_commands_done", "Commands they are done with"), COUNTER, done)?;
        let busy = self.by_kind(|one, kind| ConstCounter::new(one.busy_ns[kind] as f64 / 1e9));
        page.family(("gt_busy_seconds", "Time that went into commands"), COUNTER, busy)?;
        let gauges: [WorkerGauge; 4] = [
            ("gt_worker_memory_bytes", "Bytes in values", |one| one.used_bytes as f64),
            ("gt_worker_memory_limit_bytes", "The most bytes that values may take", |one| {
                one.info.memory_bytes as f64
            }),
            ("gt_worker_queued_commands", "Commands that wait there", |one| one.queued as f64),
            ("gt_worker_silent_seconds", "How long ago the worker was heard of", |one| {
                one.silent_ns as f64 / 1e9
            }),
        ];
        let workers = || self.report.workers.iter().take(MOST_WORKERS);
        for (name, help, value) in gauges {
            page.gauges(name, help, workers().map(|one| ([label(one.id)], value(one))))?;
        }
        let names = workers().map(|one| {
            let info = &one.info;
            let about = [("name", &info.name), ("host", &info.host), ("engine", &info.engine)];
            let about = about.map(|(key, value)| (key, value.clone()));
            ([label(one.id)].into_iter().chain(about).collect::<Vec<_>>(), 1.0)
        });
        page.gauges("gt_worker_info", "Who the workers are", names)
    }

    fn by_worker(
        &self,
        page: &mut Page,
        (name, help): (&str, &str),
        value: fn(&WorkerTotals) -> u64,
    ) -> fmt::Result {
        page.counters(name, help, self.all_workers().map(|(worker, one)| ([worker], value(one))))
    }

    /// A series for each worker and each kind of work that it had.
    fn by_kind<M>(
        &self,
        value: fn(&WorkerTotals, usize) -> M,
    ) -> impl Iterator<Item = ([(&'static str, String); 2], M)> {
        self.all_workers().flat_map(move |(worker, one)| {
            let had = kinds().filter(|(kind, _)| one.done[*kind] > 0);
            had.map(move |(kind, (key, name))| {
                ([worker.clone(), (key, name.to_string())], value(one, kind))
            })
        })
    }

    fn all_workers(&self) -> impl Iterator<Item = ((&'static str, String), &WorkerTotals)> {
        let present = self.workers.iter().map(|(id, totals)| (label(*id), totals));
        present.chain([(("worker", OTHERS.to_string()), &self.others)])
    }

    fn about_sessions(&self, page: &mut Page) -> fmt::Result {
        let sessions = &self.report.sessions;
        let connected = sessions.iter().filter(|one| one.connected).count();
        let waiting = self.waiting_sessions();
        let (values, queued) =
            sessions.iter().fold((0, 0), |(a, b), one| (a + one.values, b + one.queued));
        page.gauge("gt_workers", "Workers", self.report.workers.len() as f64)?;
        page.gauge("gt_sessions", "Sessions", sessions.len() as f64)?;
        page.gauge("gt_sessions_connected", "Whose clients are connected", connected as f64)?;
        page.gauge("gt_sessions_waiting", "Whose clients wait for answers", waiting as f64)?;
        page.gauge("gt_values", "Values of all sessions", values as f64)?;
        page.gauge("gt_queued_commands", "Commands that are not done", queued as f64)
    }
}

const COUNTER: MetricType = MetricType::Counter;

fn label(worker: WorkerId) -> (&'static str, String) {
    ("worker", worker.to_string())
}

//! A session's way to the machines in its own process.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gt_core::{Result, SessionId};
use gt_transport::Message;
use gt_transport::event_queue::EventQueue;
use gt_transport::report::MemoryUsage;
use gt_worker::lane::Lane;
use gt_worker::memory::{Holding, usage_by_line};

use super::Embedded;
use super::monitor::Monitored;
use crate::link::{ClusterSummary, Link};
use crate::local_cluster::Parcel;

/// A session's way to the machines in its own process.
pub(crate) struct InProcess {
    pub(crate) session: SessionId,
    pub(crate) embedded: Arc<Embedded>,
}

impl Link for InProcess {
    fn send(&self, message: Message) {
        self.embedded.inbox.send(Parcel::FromClient(self.session, message));
    }

    fn leave(&self, message: Message) {
        self.embedded.inbox.leave(Parcel::FromClient(self.session, message));
    }

    fn help(&self, _is_answered: &dyn Fn() -> bool, _patience: Duration) {
        self.embedded.help();
    }

    fn stay_awake(&self) {
        self.embedded.stay_awake();
    }

    fn stop(&self) {
        self.embedded.stop();
    }

    fn monitor(&self) -> Option<PathBuf> {
        self.embedded.monitor.get().map(|monitor| monitor.path().to_path_buf())
    }

    fn watch(&self, watcher: &Arc<EventQueue>) {
        let introduction = self.embedded.watch(watcher);
        watcher.offer(&Arc::new(introduction));
    }

    fn look_away(&self, watcher: &Arc<EventQueue>) -> Result<()> {
        watcher.close();
        self.embedded.look_away();
        Ok(())
    }

    fn summary(&self) -> ClusterSummary {
        let Embedded { lanes, threads, pool, .. } = &*self.embedded;
        ClusterSummary {
            address: None,
            workers: lanes.len(),
            threads: *threads,
            used_bytes: pool.used_bytes(),
            limit_bytes: pool.limit_bytes(),
        }
    }

    fn memory_usage(&self) -> Result<Vec<MemoryUsage>> {
        let executors = || self.embedded.lanes.iter().map(Lane::executor);
        let pool = &self.embedded.pool;
        // The workers share one pool, so that one report counts for all.
        let held = executors().flat_map(|executor| executor.holdings(self.session));
        let all: Vec<Holding> = held.collect();
        Ok(vec![MemoryUsage {
            used_bytes: pool.used_bytes() as u64,
            cached_bytes: pool.cached_bytes() as u64,
            peak_bytes: pool.peak_bytes() as u64,
            limit_bytes: pool.limit_bytes() as u64,
            stored: executors().map(|executor| executor.stored(self.session)).sum(),
            holdings: usage_by_line(&all),
        }])
    }
}

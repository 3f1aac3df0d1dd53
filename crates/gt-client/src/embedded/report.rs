//! What an embedded system shows to those who watch it.

use std::path::Path;
use std::sync::Arc;

use gt_core::event::Events;
use gt_core::wire::SOME;
use gt_transport::event_queue::EventQueue;
use gt_transport::hello::WorkerInfo;
use gt_transport::report::{Report, SessionReport, Traffic, ValuesReport, WorkerReport};
use gt_worker::lane::Lane;
use tracing::info;

use super::monitor::{Monitor, Monitored};
use super::{Embedded, let_go};

impl Embedded {
    /// Lets other processes of the user watch. A system that nobody can watch is as good otherwise.
    pub(super) fn open_monitor(self: &Arc<Self>, path: Option<&Path>) {
        let Some(path) = path else { return };
        match Monitor::open(path, self.clone()) {
            Ok(monitor) => drop(self.monitor.set(monitor)),
            Err(error) => info!(target: "gt", path = %path.display(), %error, "cannot be watched"),
        }
    }

    fn change_watchers(&self, watcher: Option<&Arc<EventQueue>>) -> Events {
        let mut machines = self.machines.lock();
        let (introduction, works) = machines.watch(watcher, self.now_ns());
        for (worker, work) in works {
            self.lanes[worker.0 as usize].leave(work);
        }
        let_go(machines);
        self.lanes.iter().for_each(Lane::wake);
        introduction
    }
}

impl Monitored for Embedded {
    fn is_over(&self) -> bool {
        self.is_stopped()
    }

    fn report(&self) -> Report {
        let machines = self.machines.lock();
        let dispatcher = machines.dispatcher();
        let workers = dispatcher.worker_table().members().map(|(id, member)| WorkerReport {
            id,
            info: WorkerInfo {
                name: id.to_string(),
                pid: std::process::id(),
                memory_bytes: self.pool.limit_bytes() as u64,
                ..member.info.clone()
            },
            silent_ns: 0,
            // The workers of a process share its memory.
            used_bytes: self.pool.used_bytes() as u64,
            is_drained: false,
            queued: dispatcher.queued_at(id),
            channels: Vec::new(),
        });
        let workers = workers.take(SOME).collect();
        let sessions = dispatcher.sessions().map(|(id, session)| SessionReport {
            id,
            name: session.name.clone(),
            user: String::new(),
            host: String::new(),
            age_ns: self.now_ns(),
            share: Default::default(),
            connected: true,
            silent_ns: 0,
            workers: session.seats().iter().take(SOME).copied().collect(),
            values: session.registry.len() as u64,
            queued: session.queued(),
            modifiers: session.modifiers(),
        });
        let sessions = sessions.take(SOME).collect();
        let (version, uptime_ns) = (env!("CARGO_PKG_VERSION").to_string(), self.now_ns());
        Report { version, uptime_ns, workers, sessions, traffic: Traffic::default() }
    }

    fn values(&self) -> ValuesReport {
        self.machines.lock().dispatcher().values(|_| true)
    }

    fn watch(&self, watcher: &Arc<EventQueue>) -> Events {
        self.change_watchers(Some(watcher))
    }

    fn look_away(&self) {
        self.change_watchers(None);
    }
}

//! The workers of a simulated cluster: each is a process with an executor and a data plane.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use gt_core::WorkerId;
use gt_transport::reliable::{ReliableChannel, unsequenced};
use gt_transport::transfers::{Carry, Plain};
use gt_transport::{Message, Peer};
use gt_worker::plan::Work;
use gt_worker::{Action, Executor, Told, Window, Worker};

use super::defect::{Credit, Hold};
use super::{Calls, Cluster, Defect, open};

const WINDOW: Window = Window { commands: 8, cost_ns: u64::MAX };

pub(super) struct WorkerProcess {
    pub id: Option<WorkerId>,
    pub worker: Option<Worker>,
    pub executor: Executor,
    pub waiting: VecDeque<Work>,
    pub channel: ReliableChannel,
    pub transfers: gt_worker::transfers::Transfers<Calls>,
    /// Until when it is stopped.
    pub stopped_until: u64,
    /// What a worker with a defect has.
    pub credit: Option<Credit>,
    pub hold: Option<Hold>,
}

impl WorkerProcess {
    /// Whether it does anything.
    pub fn runs(&self, now: u64) -> bool {
        self.stopped_until <= now
    }
}

impl Cluster {
    pub(super) fn add_worker(&mut self) {
        let (connection, defect) = (self.connect(), self.faults.defect);
        let process = WorkerProcess {
            id: None,
            worker: None,
            executor: Executor::new(self.engine.clone()),
            waiting: VecDeque::new(),
            channel: ReliableChannel::without_replay(),
            transfers: gt_worker::transfers::Transfers::new(Calls::default()),
            stopped_until: 0,
            credit: (defect == Some(Defect::SharedCredit)).then(Credit::default),
            hold: (defect == Some(Defect::HeldExecutor)).then(Hold::default),
        };
        self.workers.insert(connection, process);
        self.push_up(connection, unsequenced(&Message::Register(Box::default())));
    }

    pub(super) fn worker_hears(&mut self, connection: u64, parts: Vec<Bytes>) {
        let process = self.workers.get_mut(&connection).expect("just seen");
        let Some(message) = open(&mut process.channel, parts) else { return };
        match message {
            Message::Registered { worker, .. } => {
                process.id = Some(worker);
                let mut machine = Worker::new(worker, WINDOW, self.engine.clone());
                // Every second one has no memory for what is not needed yet.
                machine.leave_room(if worker.0 % 2 == 1 { 0 } else { u64::MAX });
                process.worker = Some(machine);
                let peer = Peer::Worker(worker);
                self.data.add(self.now_ms, peer, self.limits.clone(), Arc::new(Plain));
            }
            Message::Heartbeat { .. } => {}
            // It was given up while it was stopped. What it has is of no use to anybody.
            Message::Ended { error, .. } => {
                assert!(process.stopped_until > 0, "a worker is sent away: {error}");
                self.end_worker(connection);
                self.controls.remove(&connection);
                return self.add_worker();
            }
            Message::Ticket(ticket) => process.transfers.take_ticket(*ticket),
            Message::Away { session, is_away } => {
                process.transfers.carrier.set_away(Peer::Client(session), is_away);
            }
            message => {
                match &message {
                    Message::Forget { session } => process.transfers.forget(*session),
                    Message::Handover { tag, .. } => process.transfers.give_up(*tag),
                    _ => {}
                }
                self.step_worker(connection, Told::Message(message));
            }
        }
        self.call_of_worker(connection);
    }

    pub(super) fn call_of_worker(&mut self, connection: u64) {
        let Some(process) = self.workers.get_mut(&connection) else { return };
        let calls = std::mem::take(&mut process.transfers.carrier);
        if let Some(id) = process.id {
            self.call(Peer::Worker(id), calls);
        }
    }

    pub(super) fn execute(&mut self) {
        let is_held = |worker: &WorkerProcess| worker.hold.as_ref().is_some_and(Hold::is_on);
        let busy = self
            .workers
            .iter()
            .filter(|(_, worker)| !worker.waiting.is_empty() && !is_held(worker))
            .filter(|(_, worker)| worker.runs(self.now_ms));
        let busy: Vec<u64> = busy.map(|(id, _)| *id).collect();
        if busy.is_empty() {
            return;
        }
        let connection = *self.dice.choose(&busy);
        let process = self.workers.get_mut(&connection).expect("just listed");
        let work = process.waiting.pop_front().expect("it has something to do");
        if let Some(outcome) = process.executor.work(work) {
            self.step_worker(connection, Told::Finished(outcome));
            self.call_of_worker(connection);
        }
    }

    pub(super) fn step_worker(&mut self, connection: u64, told: Told) {
        let process = self.workers.get_mut(&connection).expect("a worker of ours");
        let Some(worker) = &mut process.worker else { return };
        let mut actions = Vec::new();
        process.hold.iter_mut().for_each(|hold| hold.hear(worker.id(), &told));
        worker.step(told, &mut actions);
        let mut said = Vec::new();
        for action in actions {
            match action {
                Action::Execute(work) => process.waiting.push_back(work),
                // The dispatcher tells every worker itself.
                Action::Send(_, Message::Forget { .. }) => {}
                Action::Send(_, message) => {
                    process.hold.iter_mut().for_each(|hold| hold.say(&message));
                    said.extend(process.transfers.dispatch(message));
                }
            }
        }
        for message in said {
            let process = self.workers.get_mut(&connection).expect("a worker of ours");
            let parts = process.channel.say(&message).expect("it fits");
            self.push_up(connection, parts);
        }
    }
}

//! What goes wrong in a simulated cluster: connections break and processes end, at any step.

use gt_core::WorkerId;
use gt_dispatcher::gateway::ConnectionId;
use gt_dispatcher::role::{Credentials, Role};
use gt_transport::hello::{Hello, Resume};
use gt_transport::order::Order;
use gt_transport::reliable::unsequenced;
use gt_transport::ticket::Secret;
use gt_transport::{Message, Peer};

use super::{ClientProcess, Cluster, Control, HASTE, OWN, gateway};

/// A connection is late by less than it takes until somebody is suspected.
const DELAY_MS: usize = 300;
/// A worker that is silent for so long is given up.
const GIVEN_UP_MS: usize = 6000 / HASTE as usize;
/// Longer than what is to travel waits for anybody of whom it is not known that they are away.
const CLIENT_STOP_MS: usize = 60_000 / HASTE as usize;
/// The operator, who does not read what is answered.
const OPERATOR: Credentials = Credentials { role: Some(Role::Operator), ..OWN };

impl Cluster {
    pub(super) fn misfortune(&mut self) {
        match self.dice.below(9) {
            1 if self.faults.drains > 0 => {
                self.faults.drains -= 1;
                self.drain();
            }
            0 | 1 => self.data.trouble(self.now_ms, &mut self.faults.data, &mut self.dice),
            2 if self.faults.breaks > 0 => {
                self.faults.breaks -= 1;
                let index = self.dice.below(self.clients.len());
                self.break_connection(index);
            }
            3 if self.faults.delays > 0 => {
                self.faults.delays -= 1;
                self.delay();
            }
            4 if self.faults.crashes > 0 => {
                self.faults.crashes -= 1;
                self.crash();
            }
            5 if self.faults.stops > 0 => {
                self.faults.stops -= 1;
                self.stop_worker();
            }
            6 if self.faults.client_crashes > 0 => {
                self.faults.client_crashes -= 1;
                let index = self.dice.below(self.clients.len());
                self.crash_client(index);
            }
            7 if self.faults.client_stops > 0 => {
                self.faults.client_stops -= 1;
                self.stop_client();
            }
            8 if self.faults.dispatcher_crashes > 0 => {
                self.faults.dispatcher_crashes -= 1;
                self.crash_dispatcher();
            }
            _ => self.come_back(),
        }
    }

    /// Nothing comes over a connection for a while, unless it was late a moment ago.
    fn delay(&mut self) {
        let now = self.now_ms;
        let late =
            self.controls.iter_mut().filter(|(_, c)| now >= 4 * DELAY_MS as u64 + c.delayed_until);
        let mut late: Vec<&mut Control> = late.map(|(_, control)| control).collect();
        if !late.is_empty() {
            let (index, until) = (self.dice.below(late.len()), self.dice.below(DELAY_MS));
            late[index].delayed_until = now + until as u64;
        }
    }

    /// The connection of a client breaks; it knows, and reaches nobody until it is welcome again.
    fn break_connection(&mut self, index: usize) {
        let process = &mut self.clients[index];
        if !process.runs(self.now_ms) {
            return;
        }
        let Some(connection) = process.connection.take() else { return };
        let peer = Peer::Client(process.session);
        self.data.machine(peer).into_iter().for_each(|own| own.set_cut_off(true));
        self.hang_up(connection);
    }

    /// A worker is stopped, at times for so long that it is given up.
    fn stop_worker(&mut self) {
        let there = self.workers.iter().filter(|(_, worker)| worker.id.is_some());
        let there: Vec<u64> = there.map(|(connection, _)| *connection).collect();
        let longest = *self.dice.choose(&[GIVEN_UP_MS / 2, 2 * GIVEN_UP_MS]);
        let until = self.now_ms + self.dice.below(longest) as u64;
        let Some(worker) = there.get(self.dice.below(there.len().max(1))) else { return };
        let process = self.workers.get_mut(worker).expect("just listed");
        process.stopped_until = until;
        let peer = Peer::Worker(process.id.expect("just seen"));
        self.data.stop(self.now_ms, peer, until);
    }

    /// A client is stopped for a while, for longer than transfers wait for anybody else.
    fn stop_client(&mut self) {
        let index = self.dice.below(self.clients.len());
        let until = self.now_ms + self.dice.below(CLIENT_STOP_MS) as u64;
        self.clients[index].stopped_until = until;
        self.data.stop(self.now_ms, Peer::Client(self.clients[index].session), until);
    }

    pub(super) fn hang_up(&mut self, connection: u64) {
        self.data.note(self.now_ms, || format!("connection {connection} breaks"));
        self.controls.remove(&connection);
        let mut out = Vec::new();
        self.gateway.gone(self.now_ns(), ConnectionId(connection), &mut out);
        self.push_down(out);
    }

    /// The operator wants a worker to be free, or takes it back. An order that is refused changes
    /// nothing.
    fn drain(&mut self) {
        let there: Vec<WorkerId> = self.workers.values().filter_map(|worker| worker.id).collect();
        let Some(&worker) = there.get(self.dice.below(there.len().max(1))) else { return };
        let order = if self.drained.remove(&worker) {
            Order::UndrainWorker(worker)
        } else {
            self.drained.insert(worker);
            Order::DrainWorker(worker)
        };
        self.data.note(self.now_ms, || format!("the operator says {order:?}"));
        let (now_ns, connection, mut out) = (self.now_ns(), self.connect(), Vec::new());
        let order = unsequenced(&Message::Order(order));
        self.gateway.hear(now_ns, ConnectionId(connection), OPERATOR, order, &mut out);
        self.controls.remove(&connection);
        self.push_down(out);
    }

    /// A worker ends, and another one comes.
    fn crash(&mut self) {
        let is_drained = |id: &Option<WorkerId>| id.is_some_and(|id| self.drained.contains(&id));
        let drained = self.workers.iter().filter(|(_, worker)| is_drained(&worker.id));
        let drained: Vec<u64> = drained.map(|(connection, _)| *connection).collect();
        let all: Vec<u64> = self.workers.keys().copied().collect();
        let prefers_drained = !drained.is_empty() && self.dice.once_in(2);
        let connection = *self.dice.choose(if prefers_drained { &drained } else { &all });
        self.end_worker(connection);
        self.hang_up(connection);
        self.add_worker();
    }

    pub(super) fn end_worker(&mut self, connection: u64) {
        let process = self.workers.remove(&connection).expect("a worker of ours");
        if let Some(id) = process.id {
            self.data.crash(self.now_ms, Peer::Worker(id), &mut self.dice);
        }
    }

    /// The dispatcher ends, and another one comes, which knows nothing and has another secret. What
    /// worked for the first one begins anew; a client learns what became of its session when it
    /// comes back.
    fn crash_dispatcher(&mut self) {
        self.data.note(self.now_ms, || "the dispatcher is gone".to_string());
        self.gateway = gateway(Secret::known(self.dice.below(200) as u8), self.hold_ns);
        self.controls.clear();
        let there: Vec<u64> = self.workers.keys().copied().collect();
        there.iter().for_each(|&connection| self.end_worker(connection));
        self.data.change_keys();
        there.iter().for_each(|_| self.add_worker());
        for client in &mut self.clients {
            (client.connection, client.is_returning) = (None, false);
        }
    }

    /// A client without a connection makes another one.
    fn come_back(&mut self) {
        let now = self.now_ms;
        let away = |process: &ClientProcess| {
            process.connection.is_none() && process.client.ended().is_none() && process.runs(now)
        };
        let Some(index) = self.clients.iter().position(away) else { return };
        let connection = self.connect();
        let process = &mut self.clients[index];
        (process.connection, process.is_returning) = (Some(connection), true);
        let (session, token) = (process.session, process.token.clone());
        let resume = Some(Resume { session, token, received: process.channel.received() });
        let hello = Hello { resume, ..Hello::named("a client") };
        self.push_up(connection, unsequenced(&Message::Hello(hello)));
    }
}

//! What goes wrong in a simulated cluster: connections break and processes end, at any step.

use gt_dispatcher::gateway::ConnectionId;
use gt_transport::hello::{Hello, Resume};
use gt_transport::reliable::unsequenced;
use gt_transport::ticket::Secret;
use gt_transport::{Message, Peer};

use super::{ClientProcess, Cluster, gateway};

impl Cluster {
    pub(super) fn misfortune(&mut self) {
        match self.dice.below(5) {
            0 if self.faults.cuts > 0 => {
                self.faults.cuts -= 1;
                self.data.cut_some(self.now_ms, &mut self.dice);
            }
            1 if self.faults.breaks > 0 => {
                self.faults.breaks -= 1;
                let index = self.dice.below(self.clients.len());
                if let Some(connection) = self.clients[index].connection.take() {
                    self.hang_up(connection);
                }
            }
            2 if self.faults.crashes > 0 => {
                self.faults.crashes -= 1;
                self.crash();
            }
            3 if self.faults.dispatcher_crashes > 0 => {
                self.faults.dispatcher_crashes -= 1;
                self.crash_dispatcher();
            }
            _ => self.come_back(),
        }
    }

    fn hang_up(&mut self, connection: u64) {
        self.data.note(self.now_ms, || format!("connection {connection} breaks"));
        self.controls.remove(&connection);
        let mut out = Vec::new();
        self.gateway.gone(self.now_ns(), ConnectionId(connection), &mut out);
        self.push_down(out);
    }

    /// A worker ends, and another one comes.
    fn crash(&mut self) {
        let there: Vec<u64> = self.workers.keys().copied().collect();
        let connection = *self.dice.choose(&there);
        self.end_worker(connection);
        self.hang_up(connection);
        self.add_worker();
    }

    fn end_worker(&mut self, connection: u64) {
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
        self.gateway = gateway(Secret::known(self.dice.below(200) as u8));
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
        let away = |process: &ClientProcess| {
            process.connection.is_none() && process.client.ended().is_none()
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

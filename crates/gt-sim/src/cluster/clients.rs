//! The clients of a simulated cluster: each is a process with a stream and a data plane.

use std::sync::Arc;

use bytes::Bytes;
use gt_core::SessionId;
use gt_dispatcher::gateway::{ConnectionId, Delivery};
use gt_transport::codec::Limits;
use gt_transport::hello::{Hello, Token};
use gt_transport::reliable::{ReliableChannel, open_unsequenced, unsequenced};
use gt_transport::transfers::Plain;
use gt_transport::{Message, Peer};

use super::calls::Calls;
use super::{Cluster, OWN, open};
use crate::client::Client;

/// The process of a client.
pub(super) struct ClientProcess {
    pub client: Client,
    pub session: SessionId,
    pub token: Token,
    pub channel: ReliableChannel,
    pub connection: Option<u64>,
    /// It has shown its token and waits for the welcome.
    pub is_returning: bool,
    /// It has said goodbye.
    pub has_left: bool,
    /// It has ended without a word.
    pub is_dead: bool,
    /// Until when it is stopped.
    pub stopped_until: u64,
    pub transfers: gt_client::transfers::Transfers<Calls>,
}

impl ClientProcess {
    /// Whether it does anything.
    pub fn runs(&self, now: u64) -> bool {
        !self.is_dead && self.stopped_until <= now
    }
}

impl Cluster {
    /// Whether a client has ended without a word.
    pub fn is_dead(&self, client: usize) -> bool {
        self.clients[client].is_dead
    }

    /// How many values wait in a client's memory for somebody to take them in.
    pub fn waiting_uploads(&self, client: usize) -> usize {
        self.clients[client].transfers.waiting_uploads()
    }

    /// The processes of all clients end, after they have said goodbye.
    pub fn end_clients(&mut self) {
        (0..self.clients.len()).for_each(|index| self.end_client(index));
    }

    /// Nothing is left of the process of a client.
    fn end_client(&mut self, index: usize) {
        let client = &mut self.clients[index];
        client.client.drop_answers();
        let pool = self.client_pool.clone();
        client.transfers = gt_client::transfers::Transfers::new(pool, Calls::default());
        self.data.crash(self.now_ms, Peer::Client(client.session), &mut self.dice);
    }

    /// A client ends without a word.
    pub(super) fn crash_client(&mut self, index: usize) {
        if self.clients[index].is_dead {
            return;
        }
        self.clients[index].is_dead = true;
        self.end_client(index);
        if let Some(connection) = self.clients[index].connection.take() {
            self.hang_up(connection);
        }
    }

    pub(super) fn add_client(&mut self) {
        let connection = self.connect();
        let mut out = Vec::new();
        let hello = unsequenced(&Message::Hello(Hello::named("a client")));
        self.gateway.hear(self.now_ns(), ConnectionId(connection), OWN, hello, &mut out);
        // Workers hear of the session before its client does.
        let Some(Delivery::Send(_, parts)) = out.pop() else { panic!("no welcome") };
        self.push_down(out);
        let opened = open_unsequenced(&parts, &Limits::CONTROL);
        let Ok(Some(Message::Welcome(welcome))) = opened else { panic!("no welcome") };
        let (session, pool) = (welcome.session, self.client_pool.clone());
        self.data.add(self.now_ms, Peer::Client(session), self.limits.clone(), Arc::new(Plain));
        self.clients.push(ClientProcess {
            client: Client::new(session),
            session,
            token: welcome.token,
            channel: ReliableChannel::default(),
            connection: Some(connection),
            is_returning: false,
            has_left: false,
            is_dead: false,
            stopped_until: 0,
            transfers: gt_client::transfers::Transfers::new(pool, Calls::default()),
        });
    }

    pub(super) fn speak(&mut self) {
        let now = self.now_ms;
        let able = |process: &ClientProcess| process.runs(now) && process.client.can_speak();
        let all = 0..self.clients.len();
        let able: Vec<usize> = all.filter(|&at| able(&self.clients[at])).collect();
        if able.is_empty() {
            return;
        }
        let index = *self.dice.choose(&able);
        for mut message in self.clients[index].client.speak(&mut self.dice) {
            let process = &mut self.clients[index];
            if let Message::Commands { batch, .. } = &mut message {
                process.transfers.unload(Arc::make_mut(batch));
            }
            process.has_left |= message == Message::Bye;
            let parts = process.channel.say(&message).expect("it fits");
            if let (Some(connection), false) = (process.connection, process.is_returning) {
                self.push_up(connection, parts);
            }
        }
    }

    pub(super) fn client_hears(&mut self, index: usize, parts: Vec<Bytes>) {
        let process = &mut self.clients[index];
        if process.has_left && !process.is_returning {
            return;
        }
        let Some(message) = open(&mut process.channel, parts) else { return };
        match message {
            Message::Heartbeat { received, .. } => {
                process.channel.confirm(received).expect("what was said");
            }
            Message::Welcome(welcome) => {
                process.is_returning = false;
                let peer = Peer::Client(process.session);
                self.data.machine(peer).into_iter().for_each(|own| own.set_cut_off(false));
                let again: Vec<_> =
                    process.channel.repeat(welcome.received).expect("it is kept").collect();
                let connection = process.connection.expect("it is heard over one");
                again.into_iter().for_each(|parts| self.push_up(connection, parts));
            }
            Message::Ticket(ticket) => {
                let answered = process.transfers.take_ticket(*ticket);
                assert!(answered.is_none(), "there is memory for what is read: {answered:?}");
            }
            // Whoever is nobody to the gateway any more is told without a name.
            Message::Ended { error, .. } => {
                let session = process.session;
                process.client.hear(Message::Ended { session, error });
            }
            message => {
                let is_news = match &message {
                    Message::Answer { request, result, .. } => {
                        process.transfers.answered(*request, result)
                    }
                    Message::Done { commands, .. } => {
                        process.transfers.finish(*commands);
                        true
                    }
                    _ => true,
                };
                if is_news {
                    process.client.hear(message);
                }
            }
        }
        let calls = std::mem::take(&mut self.clients[index].transfers.carrier);
        self.call(Peer::Client(self.clients[index].session), calls);
    }
}

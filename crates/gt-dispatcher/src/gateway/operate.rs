//! What the operator of a server decides: how much users may have, and orders.

use gt_core::{Error, Result, SessionId};
use gt_transport::Peer;
use gt_transport::order::Order;
use gt_transport::share::{Share, UserId, Weight};

use super::{ConnectionId, Delivery, Gateway};
use crate::outbox::Outbox;
use crate::policy::Policy;
use crate::role::{Credentials, Identity, Role};

impl Gateway {
    /// From now on users may have so much. Sessions that are there keep their workers, and one more
    /// than is allowed stays.
    pub fn set_policy(&mut self, now_ns: u64, policy: Policy, out: &mut Vec<Delivery>) {
        self.policy = policy;
        for session in self.clients.keys().copied().collect::<Vec<_>>() {
            self.tell_share(now_ns, session, out);
        }
    }

    /// Does what the operator wants done, and answers how things are then.
    pub(super) fn obey(
        &mut self,
        now_ns: u64,
        connection: ConnectionId,
        credentials: Credentials,
        order: Order,
        out: &mut Vec<Delivery>,
    ) -> Result<()> {
        if credentials.role != Some(Role::Operator) {
            return Err(Error::value(
                "only the operator of the server may do this: the user who runs it, on its host, \
                 or who has a key of `gt keys new --operator`",
            ));
        }
        match order {
            Order::Kill(session) => {
                self.find(session)?;
                let error = Error::Lost("the operator of the server has ended the session".into());
                self.refuse(now_ns, Peer::Client(session), error, out);
            }
            Order::Pause(session) => {
                self.find(session)?;
                self.paused.insert(session);
                self.tell_share(now_ns, session, out);
            }
            Order::Resume(session) => {
                self.find(session)?;
                self.paused.remove(&session);
                self.tell_share(now_ns, session, out);
            }
            Order::DrainWorker(worker) => {
                let mut outbox = Outbox::default();
                self.dispatcher.drain(now_ns, worker, &mut outbox)?;
                self.deliver(now_ns, &mut outbox, out);
            }
            Order::UndrainWorker(worker) => self.dispatcher.undrain(worker)?,
            Order::Drain => self.is_drained = true,
            Order::Undrain => self.is_drained = false,
        }
        self.send_status(now_ns, connection, credentials, out);
        Ok(())
    }

    fn find(&self, session: SessionId) -> Result<()> {
        if self.clients.contains_key(&session) {
            return Ok(());
        }
        Err(Error::value(format!("there is no session {}; `gt sessions` lists them", session.0)))
    }

    /// An error if somebody may not open another session.
    pub(super) fn check_room(&self, identity: Identity) -> Result<()> {
        if self.is_drained {
            return Err(Error::Lost("the server is drained and takes no more sessions".into()));
        }
        let Some(most) = self.policy.of(identity).sessions else { return Ok(()) };
        let own = self.clients.values().filter(|state| state.identity == identity).count();
        if own < most as usize {
            return Ok(());
        }
        Err(Error::Lost(format!(
            "the policy of the server allows {most} sessions at the same time, and there are \
             {own}; end one of them"
        )))
    }

    /// How many workers a session of somebody gets, who asks for so many.
    pub(super) fn allowed_workers(&self, identity: Identity, asked: Option<u32>) -> Option<u32> {
        let most = self.policy.of(identity).workers;
        asked.into_iter().chain(most).min()
    }

    /// Tells workers of whom nothing is heard any more, and of whom something is heard again.
    pub(super) fn tell_absences(&mut self, now_ns: u64, out: &mut Vec<Delivery>) {
        let suspect_ns = self.timeouts.suspect_ns;
        let mut outbox = Outbox::default();
        for (&session, state) in &self.clients {
            let is_away = now_ns.saturating_sub(state.heard_ns) >= suspect_ns;
            self.dispatcher.set_away(session, is_away, &mut outbox);
        }
        self.deliver(now_ns, &mut outbox, out);
    }

    /// Tells workers how much of their time and memory a session gets.
    pub(super) fn tell_share(&mut self, now_ns: u64, session: SessionId, out: &mut Vec<Delivery>) {
        let Some(identity) = self.clients.get(&session).map(|state| state.identity) else { return };
        let next = UserId(self.users.len() as u64);
        let user = *self.users.entry(identity).or_insert(next);
        let allowance = self.policy.of(identity);
        let share = Share {
            user,
            user_weight: allowance.weight,
            weight: Weight::ONE,
            paused: self.paused.contains(&session),
            memory: allowance.session_memory,
            user_memory: allowance.memory,
        };
        let mut outbox = Outbox::default();
        self.dispatcher.set_share(session, share, &mut outbox);
        self.deliver(now_ns, &mut outbox, out);
    }
}

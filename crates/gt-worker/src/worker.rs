//! The worker as a machine: it takes turns between sessions, plans, and answers. It runs nothing
//! itself; whoever drives it runs the plans and brings back what came of them.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};

use gt_core::{DType, Error, Provenance, Result, SessionId, WorkerId};
use gt_transport::{Message, Peer};

use crate::executor::Outcome;
use crate::memory::{self, Holding};
use crate::plan::{Plan, Purpose};
use crate::queue::{Arrival, Queue, Window};

/// One worker's sessions and what they wait for.
#[derive(Debug)]
pub struct Worker {
    id: WorkerId,
    window: Window,
    queues: HashMap<SessionId, Queue>,
    /// The sessions in the order of their turns.
    turns: VecDeque<SessionId>,
    running: bool,
}

/// What a worker wants done, in order.
#[derive(Debug)]
pub enum Action {
    /// Send a message; `None` stands for the dispatcher.
    Send(Option<Peer>, Message),
    /// Run a plan, and bring back what came of it.
    Run(Plan),
}

/// Something a worker is told.
#[derive(Debug)]
pub enum Told {
    /// A message from the dispatcher or another worker.
    Message(Message),
    /// A plan ran.
    Finished(Outcome),
}

impl Worker {
    /// A worker without sessions.
    pub fn new(id: WorkerId, window: Window) -> Self {
        let (queues, turns) = (HashMap::new(), VecDeque::new());
        Worker { id, window, queues, turns, running: false }
    }

    /// Its number.
    pub fn id(&self) -> WorkerId {
        self.id
    }

    /// How many values of a session were ever stored; what lives only inside a plan is not.
    pub fn stored(&self, session: SessionId) -> u64 {
        self.queues.get(&session).map_or(0, |queue| queue.store.stored())
    }

    /// What the values of a session hold here, apart from those that a plan is at.
    pub fn holdings(&self, session: SessionId) -> Vec<Holding> {
        self.queues.get(&session).map_or(Vec::new(), |queue| memory::held(queue.store.values()))
    }

    /// The bytes of a session's values by dtype and line, those that hold the most first.
    pub fn memory_usage(&self, session: SessionId) -> Vec<(DType, Provenance, u64)> {
        memory::usage_by_line(&self.holdings(session))
    }

    /// Takes what it is told. At most one plan runs at a time; while it does, the queues fill, and
    /// the next plan covers more. A panic ends the session it is about, and no other.
    pub fn step(&mut self, told: Told, out: &mut Vec<Action>) {
        match told {
            Told::Message(message) => self.take(message, out),
            Told::Finished(outcome) => self.finish(outcome, out),
        }
        self.start(out);
    }

    fn take(&mut self, message: Message, out: &mut Vec<Action>) {
        match message {
            Message::Commands { session, batch } => {
                self.queue(session);
                self.within(session, out, |queue| queue.push(batch));
            }
            Message::Handover { session, tag, meta, result, .. } => {
                self.queue(session);
                self.within(session, out, |queue| queue.arrive(tag, Arrival { meta, result }));
            }
            Message::FailureVerdict { session, barrier, failure } => {
                self.within(session, out, |queue| queue.judge(barrier, failure));
            }
            Message::Forget { session } => self.forget(session, out),
            // Whatever else arrives was meant for somebody else; ignoring it harms no session.
            _ => {}
        }
    }

    /// Forgets a session, and lets the workers that were handed something forget it too: a handover
    /// may reach them after the dispatcher's word did, and this follows it.
    fn forget(&mut self, session: SessionId, out: &mut Vec<Action>) {
        let Some(queue) = self.queues.remove(&session) else { return };
        self.turns.retain(|waiting| *waiting != session);
        for worker in queue.neighbours {
            out.push(Action::Send(Some(Peer::Worker(worker)), Message::Forget { session }));
        }
    }

    fn queue(&mut self, session: SessionId) -> &mut Queue {
        self.queues.entry(session).or_insert_with(|| {
            self.turns.push_back(session);
            Queue::default()
        })
    }

    /// Does something for a session, if it is there. An error or a panic ends the session.
    fn within<T>(
        &mut self,
        session: SessionId,
        out: &mut Vec<Action>,
        act: impl FnOnce(&mut Queue) -> Result<T>,
    ) -> Option<T> {
        let queue = self.queues.get_mut(&session)?;
        let acted = catch_unwind(AssertUnwindSafe(|| act(queue)));
        let panicked = |_| Err(Error::bug(format!("{} panicked while it planned", self.id)));
        match acted.unwrap_or_else(panicked) {
            Ok(done) => Some(done),
            Err(error) => {
                self.give_up(session, error, out);
                None
            }
        }
    }

    fn finish(&mut self, outcome: Outcome, out: &mut Vec<Action>) {
        self.running = false;
        // The session may be gone; then so are its values, and nobody waits for its messages.
        let sent = self.within(outcome.session, out, |queue| Ok(settle(queue, outcome)));
        out.extend(sent.unwrap_or_default());
    }

    /// Starts the next plan, of the session whose turn it is.
    fn start(&mut self, out: &mut Vec<Action>) {
        for _ in 0..self.turns.len() {
            if self.running {
                return;
            }
            let Some(session) = self.turns.pop_front() else { return };
            self.turns.push_back(session);
            let (id, window) = (self.id, self.window);
            let plan = self.within(session, out, |queue| queue.plan(id, session, window));
            if let Some(plan) = plan.flatten() {
                self.running = true;
                out.push(Action::Run(plan));
            }
        }
    }

    /// A stream that makes no sense: the session cannot go on, the others can.
    fn give_up(&mut self, session: SessionId, error: Error, out: &mut Vec<Action>) {
        self.forget(session, out);
        out.push(Action::Send(None, Message::Ended { session, error }));
    }
}

/// What failed ahead of its turn may succeed in it, and is told there if it does not.
fn is_good_answer(message: &Message) -> bool {
    matches!(message, Message::Answer { result: Ok(_), .. })
}

/// Keeps what came of a plan; gives what is to be sent.
fn settle(queue: &mut Queue, outcome: Outcome) -> Vec<Action> {
    let mut out = Vec::new();
    if outcome.purpose == Purpose::ReadBypass {
        for message in outcome.messages.into_iter().filter(is_good_answer) {
            if let Message::Answer { request, .. } = &message {
                queue.answered(*request);
            }
            out.push(Action::Send(None, message));
        }
        return out;
    }
    let outcome = memory::name_holders(outcome, &queue.store);
    queue.wait(outcome.busy_ns);
    let Outcome { session, kept, messages, commands, busy_ns, poison, .. } = outcome;
    kept.into_iter().for_each(|(slot, stored, place)| queue.store.put(slot, stored, place));
    queue.poison = poison;
    for message in messages {
        let to = match &message {
            Message::Handover { to, .. } => {
                queue.neighbours.insert(*to);
                Some(Peer::Worker(*to))
            }
            _ => None,
        };
        out.push(Action::Send(to, message));
    }
    out.push(Action::Send(None, Message::Done { session, commands, bytes: 0, busy_ns }));
    out
}

#[cfg(test)]
mod tests {
    use gt_core::RequestId;
    use gt_core::instruction::Command;
    use gt_transport::Batch;

    use super::*;

    fn commands(session: u64) -> Told {
        let mut batch = Batch::default();
        batch.push(&Command::Sync { request: RequestId(1) });
        Told::Message(Message::Commands { session: SessionId(session), batch })
    }

    fn sessions_ended(out: &[Action]) -> Vec<u64> {
        let ended = |action: &Action| match action {
            Action::Send(None, Message::Ended { session, .. }) => Some(session.0),
            _ => None,
        };
        out.iter().filter_map(ended).collect()
    }

    #[test]
    fn a_panic_ends_one_session() {
        crate::panic_hook::kernel_panics();
        let mut worker = Worker::new(WorkerId(0), Window::default());
        let mut out = Vec::new();
        worker.queue(SessionId(7)).is_broken = true;
        crate::panic_hook::in_kernel(|| worker.step(commands(7), &mut out));
        assert_eq!(sessions_ended(&out), [7], "{out:?}");
        out.clear();
        worker.step(commands(8), &mut out);
        assert!(matches!(&out[..], [Action::Run(plan)] if plan.session == SessionId(8)), "{out:?}");
    }

    #[test]
    fn a_queue_has_an_end() {
        let mut worker = Worker::new(WorkerId(0), Window::default());
        // A plan runs for somebody else, and nothing else is planned meanwhile.
        worker.step(commands(1), &mut Vec::new());
        let mut records = Batch::default();
        (0..1 << 16).for_each(|_| records.push(&Command::Exit));
        let mut out = Vec::new();
        for _ in 0..1000 {
            let (session, batch) = (SessionId(2), records.clone());
            worker.step(Told::Message(Message::Commands { session, batch }), &mut out);
            if !out.is_empty() {
                break;
            }
        }
        assert_eq!(sessions_ended(&out), [2]);
        let mut out = Vec::new();
        for tag in 0..1 << 22 {
            let handover = Message::Handover {
                session: SessionId(3),
                to: WorkerId(0),
                tag,
                meta: gt_core::Meta::new(DType::F32, gt_core::Shape::from_iter([0])),
                result: Ok(bytes::Bytes::new()),
            };
            worker.step(Told::Message(handover), &mut out);
            if !out.is_empty() {
                break;
            }
        }
        assert_eq!(sessions_ended(&out), [3]);
    }
}

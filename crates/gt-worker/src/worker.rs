//! The worker as a machine: it takes turns between sessions, plans, and answers. It runs nothing
//! itself; whoever drives it runs the plans and brings back what came of them.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use gt_core::{Error, Result, SessionId, WorkerId};
use gt_transport::{Message, Peer};

use crate::engine::Takes;
use crate::executor::Outcome;
use crate::plan::Work;
use crate::queue::{Arrival, Asked, Queue, Verdict, Window};
use crate::shares::Shares;

/// One plan of a session runs and one waits, so that the executor never waits for a plan to be
/// made. More would only be made with less of the queue known. Of those that wait, the executor
/// takes the one that is due first.
const MOST_PLANS: usize = 2;
/// The plan of a session that is alone has so many times as much to do.
const ALONE: u64 = 16;
/// The plan of one that is not has no more commands, because planning takes its time too.
const MOST_COMMANDS: usize = 256;
/// The same where memory is short.
const PRESSED: usize = 4;

/// One worker's sessions and what they wait for.
#[derive(Debug)]
pub struct Worker {
    id: WorkerId,
    window: Window,
    /// What will compute.
    engine: Arc<dyn Takes>,
    queues: BTreeMap<SessionId, Queue>,
    /// Whose turn it is.
    shares: Shares,
    /// How many there were.
    planned: u64,
    /// Whether somebody wants to know how long each command takes.
    timed: bool,
    /// Whether memory is short.
    pressed: bool,
    /// How much of it is left for what nobody needs yet.
    room_bytes: u64,
}

/// What a worker wants done, in order.
#[derive(Debug)]
pub enum Action {
    /// Send a message; `None` stands for the dispatcher.
    Send(Option<Peer>, Message),
    /// Give something to the executor, and bring back what came of it.
    Execute(Work),
}

/// Whether a worker has planned everything that it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It has.
    Finished,
    /// It wants to be asked again, after others were heard.
    Unfinished,
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
    pub fn new(id: WorkerId, window: Window, engine: Arc<dyn Takes>) -> Self {
        let (queues, shares) = Default::default();
        let (planned, timed, pressed, room_bytes) = (0, false, false, u64::MAX);
        Worker { id, window, engine, queues, shares, planned, timed, pressed, room_bytes }
    }

    /// Its number.
    pub fn id(&self) -> WorkerId {
        self.id
    }

    /// Memory is short, or no longer. What a plan uses is in memory while it runs, so that plans
    /// are small meanwhile.
    pub fn press(&mut self, pressed: bool) {
        self.pressed = pressed;
    }

    /// So many bytes of memory are left for what is made before it is needed. Without any, commands
    /// that make something keep the order of the stream.
    pub fn leave_room(&mut self, room_bytes: u64) {
        self.room_bytes = room_bytes;
    }

    /// Takes what it is told. A panic ends the session it is about, and no other.
    pub fn step(&mut self, told: Told, out: &mut Vec<Action>) {
        self.step_all([told], u64::MAX, out);
    }

    /// The same for several at once: whose turn it is depends on all of them. Plans are made for
    /// a bounded number of commands, because others may come meanwhile; says whether more can be
    /// made.
    pub fn step_all(
        &mut self,
        told: impl IntoIterator<Item = Told>,
        most_commands: u64,
        out: &mut Vec<Action>,
    ) -> Progress {
        for told in told {
            match told {
                Told::Message(message) => self.take(message, out),
                Told::Finished(outcome) => self.finish(outcome, out),
            }
        }
        self.start(most_commands, out)
    }

    fn take(&mut self, message: Message, out: &mut Vec<Action>) {
        match message {
            Message::Commands { session, batch } => {
                self.queue(session);
                if batch.ends_in_read() {
                    self.shares.hurry(session);
                }
                self.within(session, out, |queue| queue.push(batch));
            }
            Message::Handover { session, tag, meta, result, .. } => {
                self.queue(session);
                self.within(session, out, |queue| queue.arrive(tag, Arrival { meta, result }));
            }
            Message::FailureVerdict { session, barrier, failure, told } => {
                let verdict = failure.map(|failure| Verdict { failure, told });
                // It is sent at once and may overtake the commands that wait for it.
                self.queue(session);
                self.within(session, out, |queue| queue.judge(barrier, verdict));
            }
            Message::Cancel { session, request } => {
                self.within(session, out, |queue| {
                    queue.cancel(request);
                    Ok(())
                });
            }
            Message::Forget { session } => self.forget(session, out),
            Message::CheckNan { session } => self.queue(session).check_nan(),
            Message::Share { session, share } => self.shares.assign(session, share),
            Message::Record { on } => self.timed = on,
            // Whatever else arrives was meant for somebody else; ignoring it harms no session.
            _ => {}
        }
    }

    /// Forgets a session, and lets the workers that were handed something forget it too: a handover
    /// may reach them after the dispatcher's word did, and this follows it.
    fn forget(&mut self, session: SessionId, out: &mut Vec<Action>) {
        self.shares.leave(session);
        let Some(queue) = self.queues.remove(&session) else { return };
        for worker in queue.neighbours {
            out.push(Action::Send(Some(Peer::Worker(worker)), Message::Forget { session }));
        }
        out.push(Action::Execute(Work::Forget(session)));
    }

    fn queue(&mut self, session: SessionId) -> &mut Queue {
        self.queues.entry(session).or_insert_with(|| {
            self.shares.join(session);
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
        self.shares.wake(session);
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
        // The session may be gone; then so are its values, and nobody waits for its messages.
        let session = outcome.session;
        self.shares.pay(outcome.number, outcome.busy_ns);
        let messages = self.within(session, out, |queue| Ok(queue.finish(outcome)));
        for message in messages.into_iter().flatten() {
            out.push(Action::Send(self.addressee(session, &message), message));
        }
    }

    /// Who a message of a session is for; `None` stands for the dispatcher.
    fn addressee(&mut self, session: SessionId, message: &Message) -> Option<Peer> {
        let Message::Handover { to, .. } = message else { return None };
        self.queue(session).neighbours.insert(*to);
        Some(Peer::Worker(*to))
    }

    /// How much goes into a plan. Where no other session can want a turn it is more, because what
    /// one plan computes together another cannot.
    fn window(&self) -> Window {
        let Window { commands, cost_ns } = self.window;
        if self.pressed {
            return Window { commands: commands.min(PRESSED), cost_ns };
        }
        match self.queues.len() {
            0 | 1 => Window { commands, cost_ns: cost_ns.saturating_mul(ALONE) },
            _ => Window { commands: commands.min(MOST_COMMANDS), cost_ns },
        }
    }

    /// Starts plans, of those first who have had the least.
    fn start(&mut self, most_commands: u64, out: &mut Vec<Action>) -> Progress {
        let mut commands = 0;
        while let Some(session) = self.shares.next(MOST_PLANS) {
            if commands >= most_commands {
                return Progress::Unfinished;
            }
            let (worker, window, number) = (self.id, self.window(), self.planned);
            let (engine, timed, room_bytes) = (self.engine.clone(), self.timed, self.room_bytes);
            let plan = self.within(session, out, |queue| {
                let engine = &*engine;
                queue.plan(session, Asked { worker, window, number, engine, timed, room_bytes })
            });
            let Some(mut plan) = plan.flatten() else {
                // It waits for something, which wakes it.
                self.shares.rest(session);
                let done = self.queues.get_mut(&session).and_then(|queue| queue.progress(session));
                out.extend(done.map(|done| Action::Send(None, done)));
                continue;
            };
            plan.turn = self.shares.charge(number, session, plan.cost_ns);
            self.planned += 1;
            commands += plan.commands;
            out.push(Action::Execute(Work::Run(plan)));
        }
        Progress::Finished
    }

    /// A stream that makes no sense: the session cannot go on, the others can.
    fn give_up(&mut self, session: SessionId, error: Error, out: &mut Vec<Action>) {
        self.forget(session, out);
        out.push(Action::Send(None, Message::Ended { session, error }));
    }
}

#[cfg(test)]
mod tests {
    use gt_core::instruction::Command;
    use gt_core::{DType, RequestId};
    use gt_transport::Batch;

    use super::*;
    use crate::buffer::Pool;
    use crate::engine::null::Null;

    fn worker() -> Worker {
        let engine = Arc::new(Null(Pool::new(0)));
        Worker::new(WorkerId(0), Window::default(), engine)
    }

    fn commands(session: u64) -> Told {
        let mut batch = Batch::default();
        batch.push(&Command::Sync { request: RequestId(1) });
        let (session, batch) = (SessionId(session), Arc::new(batch));
        Told::Message(Message::Commands { session, batch })
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
        let mut worker = worker();
        let mut out = Vec::new();
        worker.queue(SessionId(7)).is_broken = true;
        crate::panic_hook::in_kernel(|| worker.step(commands(7), &mut out));
        assert_eq!(sessions_ended(&out), [7], "{out:?}");
        out.clear();
        worker.step(commands(8), &mut out);
        let runs = |action: &Action| match action {
            Action::Execute(Work::Run(plan)) => plan.session == SessionId(8),
            _ => false,
        };
        assert!(out.len() == 1 && out.iter().all(runs), "{out:?}");
    }

    #[test]
    fn a_verdict_may_come_before_the_commands_that_wait_for_it() {
        let mut worker = worker();
        let mut out = Vec::new();
        let (session, barrier) = (SessionId(7), 1);
        let verdict = Message::FailureVerdict { session, barrier, failure: None, told: false };
        worker.step(Told::Message(verdict), &mut out);
        let mut batch = Batch::default();
        batch.push(&Command::Wait { barrier });
        batch.push(&Command::Sync { request: RequestId(1) });
        let batch = Arc::new(batch);
        worker.step(Told::Message(Message::Commands { session, batch }), &mut out);
        let planned = |action: &Action| match action {
            Action::Execute(Work::Run(plan)) => plan.commands,
            _ => 0,
        };
        assert_eq!(out.iter().map(planned).sum::<u64>(), 2, "{out:?}");
    }

    #[test]
    fn a_queue_has_an_end() {
        let mut worker = worker();
        let mut records = Batch::default();
        let scope = Command::Scope(gt_core::ScopeId::ROOT);
        (0..1 << 16).for_each(|_| records.push(&scope));
        let records = Arc::new(records);
        let mut out = Vec::new();
        for _ in 0..1000 {
            // Its first plans do not come back, and nothing else is planned meanwhile.
            let (session, batch) = (SessionId(2), records.clone());
            worker.step(Told::Message(Message::Commands { session, batch }), &mut out);
            if !sessions_ended(&out).is_empty() {
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

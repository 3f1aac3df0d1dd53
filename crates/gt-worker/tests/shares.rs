//! How sessions share a worker, in simulated time: the worker as it is, and a device that takes as
//! long as it is told.

use std::collections::VecDeque;
use std::num::NonZeroU64;
use std::sync::Arc;

use gt_core::instruction::Command;
use gt_core::text::parse_instruction;
use gt_core::{RequestId, SessionId, Slot, WorkerId};
use gt_transport::share::{Share, UserId, Weight};
use gt_transport::{Batch, Message};
use gt_worker::agenda::Agenda;
use gt_worker::buffer::Pool;
use gt_worker::engine::null::Null;
use gt_worker::plan::Work;
use gt_worker::{Action, Outcome, Told, Window, Worker};

const MS: u64 = 1_000_000;
/// How long the worker takes to hear that a plan is over, and to make the next.
const REACTION_NS: u64 = 20_000;
/// A device that runs a short plan on one thread and a long one on the other.
const TWO_THREADS: Option<NonZeroU64> = NonZeroU64::new(2);

/// Somebody who has always something to do, or reads now and then.
struct Client {
    session: SessionId,
    /// The size of the matrices it multiplies.
    size: u64,
    /// Products that it keeps under way.
    ahead: u64,
    /// How much longer they take than is estimated.
    factor: f64,
    /// It waits for each answer, and then so long.
    pause_ns: Option<u64>,
    /// When it has something to say again.
    at_ns: u64,
    /// Commands under way.
    queued: u64,
    said_ns: u64,
    waits_ns: Vec<u64>,
    busy_ns: u64,
}

impl Client {
    /// Products that take about so long each.
    fn new(session: u64, cost_ns: u64) -> Self {
        let size = (cost_ns as f64 * 40.0).cbrt() as u64;
        let ahead = (20 * MS / cost_ns).clamp(4, 4000);
        Client {
            session: SessionId(session),
            size,
            ahead,
            factor: 1.0,
            pause_ns: None,
            at_ns: 0,
            queued: 0,
            said_ns: 0,
            waits_ns: Vec::new(),
            busy_ns: 0,
        }
    }

    fn taking(self, factor: f64) -> Self {
        Client { factor, ..self }
    }

    /// One product and a read at a time.
    fn reading_every(self, pause_ns: u64) -> Self {
        Client { pause_ns: Some(pause_ns), ahead: 1, ..self }
    }

    /// The next commands, if it is time for them.
    fn speak(&mut self, now_ns: u64) -> Option<Message> {
        let enough = if self.pause_ns.is_some() { 1 } else { self.ahead };
        if self.queued >= enough || now_ns < self.at_ns {
            return None;
        }
        let mut batch = Batch::default();
        for _ in 0..self.ahead.div_ceil(4) {
            let product = parse_instruction("t1 := matmul t0 t0").expect("an instruction");
            batch.push(&Command::Apply(product));
            batch.push(&Command::Free([Slot(1)].into_iter().collect()));
            if self.pause_ns.is_some() {
                batch.push(&Command::Read { slot: Slot(0), request: RequestId(1) });
            }
        }
        self.queued += batch.len() as u64;
        self.said_ns = now_ns;
        Some(Message::Commands { session: self.session, batch: batch.into() })
    }

    fn hear_done(&mut self, now_ns: u64, commands: u64) {
        self.queued -= commands;
        if let (0, Some(pause_ns)) = (self.queued, self.pause_ns) {
            self.waits_ns.push(now_ns - self.said_ns);
            self.at_ns = now_ns + pause_ns;
        }
    }
}

/// A plan that runs.
struct Run {
    outcome: Outcome,
    begin_ns: u64,
    end_ns: u64,
    device_ns: u64,
}

struct Simulation {
    worker: Worker,
    agenda: Agenda,
    running: Vec<Run>,
    /// What the worker hears, and when.
    news: VecDeque<(u64, Outcome)>,
    clients: Vec<Client>,
    now_ns: u64,
}

impl Simulation {
    fn new(clients: Vec<Client>) -> Self {
        Simulation::on(TWO_THREADS, clients)
    }

    /// The same on a device whose plans share so many threads, or that runs one plan at a time.
    fn on(shared_threads: Option<NonZeroU64>, clients: Vec<Client>) -> Self {
        let engine = Arc::new(Null(Pool::new(0)));
        let mut simulation = Simulation {
            worker: Worker::new(WorkerId(0), Window::default(), engine),
            agenda: Agenda::new(shared_threads),
            running: Vec::new(),
            news: VecDeque::new(),
            clients,
            now_ns: 0,
        };
        for index in 0..simulation.clients.len() {
            let Client { session, size, .. } = simulation.clients[index];
            let mut batch = Batch::default();
            let ones = format!("t0 := full shape=[{size}, {size}] fill_value=1.0");
            batch.push(&Command::Apply(parse_instruction(&ones).expect("an instruction")));
            simulation.clients[index].queued = 1;
            simulation.tell(Message::Commands { session, batch: batch.into() });
        }
        simulation
    }

    fn share(&mut self, session: u64, user: u64, user_weight: u16, weight: u16) {
        let [user_weight, weight] =
            [user_weight, weight].map(|weight| Weight::new(weight).expect("it is not zero"));
        let share = Share { user: UserId(user), user_weight, weight, ..Share::default() };
        self.tell(Message::Share { session: SessionId(session), share });
    }

    fn tell(&mut self, message: Message) {
        self.step(Told::Message(message));
    }

    fn step(&mut self, told: Told) {
        let mut actions = Vec::new();
        self.worker.step(told, &mut actions);
        for action in actions {
            match action {
                Action::Execute(work) => self.agenda.push(work),
                Action::Send(None, Message::Done { session, commands, .. }) => {
                    let mut clients = self.clients.iter_mut();
                    let client = clients.find(|client| client.session == session);
                    client.expect("a client").hear_done(self.now_ns, commands);
                }
                other => panic!("a worker does not say {other:?}"),
            }
        }
    }

    /// Begins what may run. The device has two threads: a plan that begins while another one runs
    /// has one of them, and the other one ends later by three quarters of that time.
    fn begin(&mut self) {
        while let Some(place) = self.agenda.next() {
            let Some(Work::Run(plan)) = self.agenda.take(place) else { panic!("it is a plan") };
            let mut clients = self.clients.iter();
            let client = clients.find(|client| client.session == plan.session);
            let own_ns = plan.cost_ns as f64 * client.expect("a client").factor;
            let own_ns = (own_ns as u64).max(1000);
            let device_ns = if self.running.is_empty() { own_ns } else { own_ns / 4 * 3 };
            self.running.iter_mut().for_each(|run| run.end_ns += device_ns);
            let outcome = Outcome {
                session: plan.session,
                worker: plan.worker,
                number: plan.number,
                metas: Vec::new(),
                messages: Vec::new(),
                commands: plan.commands,
                busy_ns: 0,
                spans: None,
            };
            let begin_ns = self.now_ns;
            self.running.push(Run { outcome, begin_ns, end_ns: begin_ns + own_ns, device_ns });
        }
    }

    /// The next thing that happens.
    fn advance(&mut self) {
        for index in 0..self.clients.len() {
            if let Some(message) = self.clients[index].speak(self.now_ns) {
                self.tell(message);
            }
        }
        self.begin();
        let ends = self.running.iter().map(|run| run.end_ns);
        let heard = self.news.iter().map(|(at_ns, _)| *at_ns);
        let said = self.clients.iter().filter(|client| client.queued == 0);
        let said = said.map(|client| client.at_ns);
        let next = ends.chain(heard).chain(said).filter(|at_ns| *at_ns >= self.now_ns).min();
        self.now_ns = next.expect("something happens");
        while let Some(place) = self.running.iter().position(|run| run.end_ns <= self.now_ns) {
            let Run { mut outcome, begin_ns, end_ns, device_ns } = self.running.remove(place);
            let session = outcome.session;
            outcome.busy_ns = self.agenda.settle_time(session, end_ns - begin_ns);
            self.agenda.finish(session);
            let mut clients = self.clients.iter_mut();
            let client = clients.find(|client| client.session == session);
            client.expect("a client").busy_ns += device_ns;
            self.news.push_back((self.now_ns + REACTION_NS, outcome));
        }
        while self.news.front().is_some_and(|(at_ns, _)| *at_ns <= self.now_ns) {
            let (_, outcome) = self.news.pop_front().expect("just seen");
            self.step(Told::Finished(outcome));
        }
    }

    fn run(&mut self, until_ns: u64) {
        while self.now_ns < until_ns {
            self.advance();
        }
    }

    fn busy_ns(&self) -> Vec<f64> {
        self.clients.iter().map(|client| client.busy_ns as f64).collect()
    }
}

/// One if everybody has the same, 1/n if one has everything.
fn jain(shares: &[f64]) -> f64 {
    let (sum, squares) = (shares.iter().sum::<f64>(), shares.iter().map(|x| x * x).sum::<f64>());
    sum * sum / (shares.len() as f64 * squares)
}

/// How much of the time the device was at work.
fn utilisation(simulation: &Simulation) -> f64 {
    simulation.busy_ns().iter().sum::<f64>() / simulation.now_ns as f64
}

/// Clients whose products take from 20 µs to 20 ms each, and not what is estimated.
fn unequal(count: u64) -> Vec<Client> {
    let cost_ns = |index: u64| (20e3 * 1000f64.powf(index as f64 / (count - 1) as f64)) as u64;
    let factor = |index: u64| [1.0, 0.4, 2.0][index as usize % 3];
    (0..count).map(|index| Client::new(index + 1, cost_ns(index)).taking(factor(index))).collect()
}

#[test]
fn sessions_whose_operations_differ_a_thousandfold_get_equal_times() {
    let mut alone = Simulation::new(vec![Client::new(1, 20 * MS)]);
    alone.run(4_000 * MS);
    for count in 2..=8 {
        let mut simulation = Simulation::new(unequal(count));
        simulation.run(8_000 * MS);
        let shares = simulation.busy_ns();
        assert!(jain(&shares) >= 0.995, "{count} clients: {shares:?}");
        let (together, one) = (utilisation(&simulation), utilisation(&alone));
        assert!(together >= 0.99 * one, "{count} clients: {together} of {one}");
    }
}

#[test]
fn users_share_by_their_weights_and_a_users_sessions_by_theirs() {
    let mut simulation = Simulation::new(unequal(4));
    // Sessions 1 and 2 are of a user with three times the weight of the other.
    simulation.share(1, 1, 3, 1);
    simulation.share(2, 1, 3, 3);
    simulation.share(3, 2, 1, 3);
    simulation.share(4, 2, 1, 1);
    simulation.run(16_000 * MS);
    let shares = simulation.busy_ns();
    let total: f64 = shares.iter().sum();
    for (share, want) in shares.iter().zip([3.0 / 16.0, 9.0 / 16.0, 3.0 / 16.0, 1.0 / 16.0]) {
        assert!((share / total / want - 1.0).abs() < 0.05, "{shares:?}");
    }
}

#[test]
fn a_user_with_many_sessions_gets_no_more_than_one_with_one() {
    let mut simulation = Simulation::new(unequal(5));
    (1..=4).for_each(|session| simulation.share(session, 1, 1, 1));
    simulation.share(5, 2, 1, 1);
    simulation.run(8_000 * MS);
    let shares = simulation.busy_ns();
    let (many, one) = (shares[..4].iter().sum::<f64>(), shares[4]);
    assert!((many / one - 1.0).abs() < 0.05, "{shares:?}");
    assert!(jain(&shares[..4]) >= 0.98, "{shares:?}");
}

/// The longest that a client who reads now and then waits beside others, in milliseconds.
fn longest_wait_ms(others: Vec<Client>, of_one_user: bool, threads: Option<NonZeroU64>) -> f64 {
    let count = others.len() as u64 + 1;
    let small = Client::new(count, 20_000).reading_every(7 * MS);
    let mut simulation = Simulation::on(threads, others.into_iter().chain([small]).collect());
    if of_one_user {
        (1..=count).for_each(|session| simulation.share(session, 1, 1, 1));
    }
    // By then everybody has had something.
    simulation.run(1_000 * MS);
    simulation.clients[count as usize - 1].waits_ns.clear();
    simulation.run(2_500 * MS);
    let waits = &simulation.clients[count as usize - 1].waits_ns[1..];
    assert!(waits.len() > 4, "it is starved: {waits:?}");
    *waits.iter().max().expect("just counted") as f64 / MS as f64
}

#[test]
fn a_small_read_waits_for_no_long_kernel() {
    for of_one_user in [false, true] {
        for count in [1, 3] {
            let hogs = || (1..=count).map(|session| Client::new(session, 200 * MS)).collect();
            let wait_ms = longest_wait_ms(hogs(), of_one_user, TWO_THREADS);
            assert!(wait_ms < 0.2, "{count} hogs: {wait_ms} ms");
            // Where nothing can run beside a kernel, it waits for the one that runs and no other.
            let wait_ms = longest_wait_ms(hogs(), of_one_user, None);
            assert!(wait_ms < 230.0, "{count} hogs, one at a time: {wait_ms} ms");
        }
        let floods = (1..=4).map(|session| Client::new(session, 20_000)).collect();
        let wait_ms = longest_wait_ms(floods, of_one_user, TWO_THREADS);
        assert!(wait_ms < 5.0, "floods: {wait_ms} ms");
    }
}

#[test]
fn little_is_saved_up_of_time_that_was_not_used() {
    // The second begins after a while, and has no claim to what it did not want before.
    let late = Client { at_ns: 4_000 * MS, queued: 0, ..Client::new(2, 200_000) };
    let mut simulation = Simulation::new(vec![Client::new(1, 2 * MS), late]);
    simulation.run(4_000 * MS);
    let before = simulation.busy_ns();
    simulation.run(5_000 * MS);
    let after = simulation.busy_ns();
    let shares = [after[0] - before[0], after[1] - before[1]];
    assert!(shares[1] - shares[0] < 210.0 * MS as f64, "{shares:?}");
}

#[test]
fn a_paused_session_waits_and_goes_on() {
    let mut simulation = Simulation::new(unequal(2));
    let share = Share { user: UserId(1), paused: true, ..Share::default() };
    simulation.run(100 * MS);
    simulation.tell(Message::Share { session: SessionId(1), share });
    simulation.run(200 * MS);
    let before = simulation.busy_ns();
    simulation.run(2_000 * MS);
    let paused = simulation.busy_ns();
    assert_eq!(paused[0], before[0]);
    simulation.share(1, 1, 1, 1);
    simulation.run(3_000 * MS);
    let after = simulation.busy_ns();
    let shares = [after[0] - paused[0], after[1] - paused[1]];
    // It may catch up by the credit, and by what the two plans of the other that are under way at
    // the beginning and at the end are estimated to take.
    let most_ms = 200 + 2 * 2 * 20;
    assert!(shares[0] > 0.0 && shares[0] - shares[1] < (most_ms * MS) as f64, "{shares:?}");
}

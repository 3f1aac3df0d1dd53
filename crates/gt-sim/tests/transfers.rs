//! The machines of two to six processes: whatever is cut, delayed, given up or gone, no value is
//! lost, changed or taken for another one, every wait ends, and nothing is kept.

mod common;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use common::{for_each_seed, message};
use gt_core::{SessionId, WorkerId};
use gt_sim::Dice;
use gt_sim::data_network::{DataNetwork, Troubles, Ways};
use gt_transport::Peer;
use gt_transport::transfers::{Event, Held, Limits, Order, Plain, Reach};

const SESSION: SessionId = SessionId(1);

/// What may go wrong.
#[derive(Clone, Copy, Debug)]
struct Faults {
    data: Troubles,
    cancels: usize,
    crashes: usize,
    ways: Ways,
    relay: bool,
}

const NONE: Faults =
    Faults { data: Troubles::NONE, cancels: 0, crashes: 0, ways: Ways::Direct, relay: true };

/// Connections are cut so many times.
fn cuts(cuts: usize) -> Troubles {
    Troubles { cuts, ..Troubles::NONE }
}

/// One transfer, and what each side was told of it.
#[derive(Debug)]
struct Plan {
    from: Peer,
    to: Peer,
    bytes: usize,
    sender: Vec<&'static str>,
    receiver: Vec<&'static str>,
    cancelled: bool,
    /// What the two sides have yet to hear.
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Expect,
    Permit,
    Send,
}

struct World {
    dice: Dice,
    now: u64,
    faults: Faults,
    data: DataNetwork,
    plans: BTreeMap<u64, Plan>,
    next_worker: u32,
    /// Transfers that are over at one side; the dispatcher tells the other one in a while.
    notices: Vec<(u64, Peer, u64)>,
}

fn limits() -> Limits {
    // Nobody is silent for longer than delays are here.
    let silence = Duration::from_secs(3);
    Limits { chunk: 16, eager: 24, eager_total: 60, silence, ..Limits::default() }
}

/// The bytes of a value, which tell whose they are.
fn content(tag: u64, bytes: usize) -> Bytes {
    (0..bytes).map(|at| (tag as usize * 31 + at * 7) as u8).collect::<Vec<u8>>().into()
}

impl World {
    fn new(seed: u64, faults: Faults) -> World {
        let mut dice = Dice::new(seed);
        let (workers, clients) = (1 + dice.below(4) as u32, 1 + dice.below(2) as u64);
        let mut data = DataNetwork::new(faults.ways);
        let workers_there = (0..workers).map(|id| Peer::Worker(WorkerId(id)));
        for peer in workers_there.chain((10..10 + clients).map(|id| Peer::Client(SessionId(id)))) {
            data.add(0, peer, limits(), Arc::new(Plain));
        }
        let (plans, notices) = Default::default();
        World { dice, now: 0, faults, data, plans, next_worker: workers, notices }
    }

    /// Plans a transfer between two processes of which at most one is a client.
    fn plan(&mut self, tag: u64) {
        let peers = self.data.peers();
        let (from, to) = (*self.dice.choose(&peers), *self.dice.choose(&peers));
        let is_client = |peer: Peer| matches!(peer, Peer::Client(_));
        if from == to || (is_client(from) && is_client(to)) {
            return;
        }
        let limit = *self.dice.choose(&[1, 20, 40, 200]);
        let bytes = self.dice.below(limit);
        // A value is given after the leave to send it.
        let mut steps = vec![Step::Permit, Step::Send];
        steps.insert(self.dice.below(3), Step::Expect);
        self.data
            .note(self.now, || format!("plan {tag}: {from} to {to}, {bytes} bytes, {steps:?}"));
        let (sender, receiver) = (Vec::new(), Vec::new());
        self.plans.insert(tag, Plan { from, to, bytes, sender, receiver, cancelled: false, steps });
    }

    fn order(&self, tag: u64, own: Peer, peer: Peer) -> Order {
        // Clients connect, and of two workers the one with the lower number.
        let connects = match (own, peer) {
            (Peer::Client(_), _) => true,
            (_, Peer::Client(_)) => false,
            _ => own < peer,
        };
        let reach = Reach { connects, relay: self.faults.relay };
        Order { tag, session: SESSION, peer, reach }
    }

    /// Lets one side of a transfer hear what it is told next.
    fn tell(&mut self, tag: u64) {
        let plan = self.plans.get_mut(&tag).expect("only what is planned is told");
        let step = plan.steps.remove(0);
        let (from, to, bytes, now) = (plan.from, plan.to, plan.bytes, self.now);
        self.data.note(now, || format!("{step:?} {tag}"));
        let (sends, expects) = (self.order(tag, from, to), self.order(tag, to, from));
        let at = if step == Step::Expect { to } else { from };
        let Some(machine) = self.data.machine(at) else { return };
        match step {
            Step::Expect => machine.expect(now, expects, bytes),
            Step::Permit => machine.permit(now, sends),
            Step::Send => machine.send(tag, content(tag, bytes)),
        }
    }

    fn step(&mut self) {
        match self.dice.below(12) {
            0 => self.pass(20),
            1 | 2 => {
                let open = self.plans.iter().filter(|(_, plan)| !plan.steps.is_empty());
                let tags: Vec<u64> = open.map(|(tag, _)| *tag).collect();
                if !tags.is_empty() {
                    let tag = *self.dice.choose(&tags);
                    self.tell(tag);
                }
            }
            3..=6 => self.data.write_some(self.now, &mut self.dice),
            7..=10 => self.data.read_some(self.now, &mut self.dice),
            _ => self.misfortune(),
        }
        for (peer, event) in self.data.act(self.now, &mut self.dice) {
            self.hear(peer, event);
        }
    }

    fn pass(&mut self, most_ms: usize) {
        self.now += 1 + self.dice.below(most_ms) as u64;
        let now = self.now;
        self.data.tick(now, &mut self.dice);
        for (due, at, tag) in std::mem::take(&mut self.notices) {
            if due > now {
                self.notices.push((due, at, tag));
            } else if let Some(machine) = self.data.machine(at) {
                machine.cancel(now, tag);
            }
        }
    }

    fn misfortune(&mut self) {
        match self.dice.below(3) {
            0 => self.data.trouble(self.now, &mut self.faults.data, &mut self.dice),
            1 if self.faults.cancels > 0 && !self.plans.is_empty() => {
                self.faults.cancels -= 1;
                let tags: Vec<u64> = self.plans.keys().copied().collect();
                let tag = *self.dice.choose(&tags);
                self.cancel(tag);
            }
            2 if self.faults.crashes > 0 => {
                self.faults.crashes -= 1;
                let peers = self.data.peers();
                let peer = *self.dice.choose(&peers);
                self.crash(peer);
            }
            _ => {}
        }
    }

    fn cancel(&mut self, tag: u64) {
        let now = self.now;
        let plan = self.plans.get_mut(&tag).expect("just chosen");
        (plan.cancelled, plan.steps) = (true, Vec::new());
        let (from, to) = (plan.from, plan.to);
        // One side gives up first; the other hears of it over the channel or from the dispatcher.
        let (first, second) = if self.dice.once_in(2) { (from, to) } else { (to, from) };
        self.data.note(now, || format!("cancel {tag} at {first}"));
        if let Some(machine) = self.data.machine(first) {
            machine.cancel(now, tag);
        }
        self.notices.push((now + self.dice.below(40_000) as u64, second, tag));
    }

    fn crash(&mut self, peer: Peer) {
        self.data.crash(self.now, peer, &mut self.dice);
        for (tag, plan) in self.plans.iter_mut().filter(|(_, p)| p.from == peer || p.to == peer) {
            (plan.cancelled, plan.steps) = (true, Vec::new());
            let other = if plan.from == peer { plan.to } else { plan.from };
            self.notices.push((self.now + self.dice.below(8000) as u64, other, *tag));
        }
        if let Peer::Worker(_) = peer {
            // What takes its place has another number.
            let next = Peer::Worker(WorkerId(self.next_worker));
            self.next_worker += 1;
            self.data.add(self.now, next, limits(), Arc::new(Plain));
        }
    }

    fn hear(&mut self, own: Peer, event: Event) {
        let (tag, what) = match &event {
            Event::Arrived { tag, .. } => (*tag, "arrived"),
            Event::Confirmed { tag } => (*tag, "confirmed"),
            Event::Failed { tag, .. } => (*tag, "failed"),
        };
        let plan = self.plans.get_mut(&tag).expect("only what was planned is told");
        if let Event::Arrived { data, .. } = event {
            assert_eq!(own, plan.to, "{tag} arrives elsewhere");
            assert!(data == content(tag, plan.bytes), "{tag} arrives as something else");
        }
        if what == "confirmed" {
            assert_eq!(own, plan.from, "{tag} is confirmed elsewhere");
            assert_eq!(plan.receiver, ["arrived"], "{tag} is confirmed and did not arrive");
        }
        let list = if own == plan.to { &mut plan.receiver } else { &mut plan.sender };
        list.push(what);
        assert!(list.len() == 1, "{tag}: {own} is told twice: {list:?}");
    }

    fn is_settled(&self) -> bool {
        let is_over = |plan: &Plan| {
            let told = plan.sender.len() + plan.receiver.len();
            plan.cancelled || (plan.steps.is_empty() && told == 2)
        };
        self.notices.is_empty() && self.plans.values().all(is_over)
    }

    fn live(&mut self) {
        let faults = self.faults;
        let (transfers, mut tag) = (1 + self.dice.below(12) as u64, 0);
        for _ in 0..200 + self.dice.below(1500) {
            if tag < transfers && self.dice.once_in(20) {
                self.plan(tag);
                tag += 1;
            }
            self.step();
        }
        // Nothing goes wrong any more; whoever is apart for good may take its time to be told so.
        (self.faults.data, self.faults.cancels, self.faults.crashes) = (Troubles::NONE, 0, 0);
        for _ in 0..400_000 {
            if self.is_settled() {
                break;
            }
            self.step();
        }
        assert!(self.is_settled(), "a wait has no end: {:#?}", self.plans);
        let has_way = faults.relay || faults.ways == Ways::Direct;
        for (tag, plan) in self.plans.iter().filter(|(_, plan)| !plan.cancelled) {
            let is_whole = plan.receiver == ["arrived"] && plan.sender == ["confirmed"];
            assert!(is_whole || !has_way, "{tag} is lost: {plan:?}");
        }
        // The last confirmations are on their way, and word of what failed waits for a while.
        for _ in 0..200_000 {
            if self.data.held().iter().all(|(_, held)| *held == Held::default()) {
                return;
            }
            self.step();
            self.pass(200);
        }
        panic!("something is kept: {:?}", self.data.held());
    }
}

fn run(seed: u64, faults: Faults) {
    if catch_unwind(|| World::new(seed, faults).live()).is_ok() {
        return;
    }
    // Once more, with a tape.
    let mut world = World::new(seed, faults);
    world.data.record();
    let panic = catch_unwind(AssertUnwindSafe(|| world.live())).expect_err("a seed repeats itself");
    panic!("{}\nseed {seed}, {faults:?}: {}", world.data.tape(), message(&*panic));
}

#[test]
fn what_is_sent_arrives() {
    for_each_seed(1000, |seed| run(seed, NONE));
}

#[test]
fn a_cut_at_any_byte_is_resumed() {
    for_each_seed(3000, |seed| run(seed, Faults { data: cuts(6), ..NONE }));
}

#[test]
fn what_finds_no_direct_way_goes_by_the_relay() {
    for_each_seed(2000, |seed| run(seed, Faults { data: cuts(3), ways: Ways::Walls, ..NONE }));
}

#[test]
fn what_finds_no_way_at_all_fails_on_both_sides() {
    let faults = Faults { data: cuts(3), ways: Ways::Walls, relay: false, ..NONE };
    for_each_seed(1000, |seed| run(seed, faults));
}

#[test]
fn what_is_given_up_or_whose_process_is_gone_ends() {
    let faults = Faults { data: cuts(3), cancels: 3, crashes: 2, ways: Ways::Walls, relay: true };
    for_each_seed(3000, |seed| run(seed, faults));
}

/// Everything that becomes of connections without anybody being told.
const UNTOLD: Troubles = Troubles { cuts: 1, half_open: 3, slow: 3, delays: 3, unanswered: 2 };

#[test]
fn what_leads_nowhere_or_is_slow_or_late_is_resumed_or_relayed() {
    for_each_seed(1000, |seed| run(seed, Faults { data: UNTOLD, ..NONE }));
    for_each_seed(500, |seed| run(seed, Faults { data: UNTOLD, ways: Ways::Walls, ..NONE }));
}

#[test]
fn a_slow_way_is_better_than_none() {
    let data = Troubles { slow: 6, ..Troubles::NONE };
    for_each_seed(300, |seed| run(seed, Faults { data, relay: false, ..NONE }));
}

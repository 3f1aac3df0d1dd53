//! Goes through the time of a session, and says for each moment what it waits for.

use std::collections::{BTreeMap, HashMap};

use super::facts::{Facts, Interval, Link, Session, Unanswered};

/// What a read costs a program that goes on at once: so long for the way there and back, and so
/// long until it has sent the next command. What takes longer is not the read's fault.
const READ_NS: u64 = 200_000;
/// So many sessions are explained, unless one is asked for: each is compared with all others.
const MOST_EXPLAINED: usize = 64;

/// What a session waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// Its program, which has sent nothing that could be computed.
    Client,
    /// The way of an answer and of what is sent after it.
    Reads,
    /// Commands on their way through the dispatcher.
    Dispatcher,
    /// A worker that has commands of it and has begun none, for no reason that the trace shows.
    Held(u16),
    /// A worker that computes for it.
    Worker(u16),
    /// Values on their way between two workers.
    Link(u16, u16),
    /// Another session, for which its workers compute.
    Session(u16),
}

/// Where the time of a session went.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// Its name.
    pub session: String,
    /// How long it lasted, as far as it was seen.
    pub total_ns: u64,
    /// How long each cause held it up.
    pub causes: BTreeMap<Cause, u64>,
    /// How many requests were answered.
    pub reads: usize,
    /// How many bytes travelled between workers.
    pub moved_bytes: u64,
    /// What most of the computing time went into, by worker.
    pub longest: HashMap<u16, String>,
    /// The request that had no answer when the trace ended.
    pub unanswered: Option<Unanswered>,
}

impl Explanation {
    /// The time in which workers computed.
    pub fn computed_ns(&self) -> u64 {
        let computed =
            |(cause, ns): (&Cause, &u64)| matches!(cause, Cause::Worker(_)).then_some(*ns);
        self.causes.iter().filter_map(computed).sum()
    }

    /// What held it up most. All workers count as one: what they share out is one work.
    pub fn largest(&self) -> Option<Cause> {
        let longest = |causes: &mut dyn Iterator<Item = (&Cause, &u64)>| {
            causes.max_by_key(|(_, ns)| **ns).map(|(cause, ns)| (*cause, *ns))
        };
        let is_worker = |cause: &Cause| matches!(cause, Cause::Worker(_));
        let other = longest(&mut self.causes.iter().filter(|(cause, _)| !is_worker(cause)));
        let worker = longest(&mut self.causes.iter().filter(|(cause, _)| is_worker(cause)));
        match (other, worker) {
            (Some((other, ns)), Some(_)) if ns > self.computed_ns() => Some(other),
            (Some((other, _)), None) => Some(other),
            (_, worker) => worker.map(|(worker, _)| worker),
        }
    }

    /// The time in which it waited for something else than its own work.
    pub fn waited_ns(&self) -> u64 {
        self.causes.values().sum::<u64>() - self.computed_ns()
    }
}

/// Where the time of each session went, the one that waited longest first; of very many sessions,
/// of those that lasted longest.
pub fn explain(facts: &Facts) -> Vec<Explanation> {
    let mut sessions: Vec<(usize, &Session)> = facts.sessions.iter().enumerate().collect();
    if sessions.len() > MOST_EXPLAINED {
        let lasted = |lasted: Interval| lasted.to_ns - lasted.from_ns;
        sessions.sort_by_key(|(_, session)| std::cmp::Reverse(session.lasted.map(lasted)));
        sessions.truncate(MOST_EXPLAINED);
    }
    let explained =
        sessions.into_iter().filter_map(|(number, session)| one(facts, number as u16, session));
    let mut all: Vec<Explanation> = explained.collect();
    all.sort_by_key(|explanation| std::cmp::Reverse(explanation.waited_ns()));
    all
}

/// Where the time of one session went.
pub fn explain_session(facts: &Facts, name: &str) -> Option<Explanation> {
    let number = facts.sessions.iter().position(|session| session.name == name)?;
    one(facts, number as u16, &facts.sessions[number])
}

fn one(facts: &Facts, number: u16, session: &Session) -> Option<Explanation> {
    let lasted = facts.lasted(number).filter(|lasted| lasted.to_ns > lasted.from_ns)?;
    let mut sweep = Sweep { now_ns: lasted.from_ns, ..Sweep::default() };
    for (time_ns, change) in changes(facts, number, session, lasted) {
        sweep.reach(time_ns);
        sweep.change(change);
    }
    sweep.reach(lasted.to_ns);
    let own = || facts.jobs.iter().filter(|job| job.session == number);
    let mut times: HashMap<(u16, u16), u64> = HashMap::new();
    for job in own().filter(|job| facts.link(job).is_none()) {
        let ns = job.running.map_or(0, |running| running.to_ns - running.from_ns);
        let time = times.entry((job.worker, job.label)).or_default();
        *time = time.saturating_add(ns);
    }
    let mut longest: HashMap<u16, (u64, u16)> = HashMap::new();
    for ((worker, label), ns) in times {
        let most = longest.entry(worker).or_default();
        *most = (*most).max((ns, label));
    }
    let label = |(worker, (_, label)): (u16, (u64, u16))| {
        (worker, facts.labels.list[label as usize].clone())
    };
    let is_sent = |job: &&super::facts::Job| facts.link(job).is_some();
    Some(Explanation {
        session: session.name.clone(),
        total_ns: lasted.to_ns - lasted.from_ns,
        causes: sweep.causes,
        reads: session.requests.len(),
        unanswered: facts.unanswered(number),
        moved_bytes: own().filter(is_sent).map(|job| job.bytes).fold(0, u64::saturating_add),
        longest: longest.into_iter().map(label).collect(),
    })
}

/// Something that begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    // What ends at a moment ends before something else begins.
    begins: bool,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// A client waits for an answer.
    Request,
    /// The dispatcher has a command.
    Pending,
    /// A worker has a command and is not at it.
    Waiting(u16),
    /// A worker computes for the session.
    Computing(u16),
    /// A worker computes for another session.
    Other(u16, u16),
    /// A value travels.
    Travelling(Link),
}

fn changes(facts: &Facts, number: u16, session: &Session, lasted: Interval) -> Vec<(u64, Change)> {
    let mut list: Vec<(u64, Change)> = Vec::new();
    let mut note = |interval: Interval, what: What| {
        let clip = |ns: u64| ns.clamp(lasted.from_ns, lasted.to_ns);
        let (from_ns, to_ns) = (clip(interval.from_ns), clip(interval.to_ns));
        if from_ns < to_ns {
            list.push((from_ns, Change { begins: true, what }));
            list.push((to_ns, Change { begins: false, what }));
        }
    };
    facts.requests(number).for_each(|one| note(one, What::Request));
    facts.unfinished(number).for_each(|(worker, one)| note(one, What::Waiting(worker)));
    session.pending.iter().for_each(|one| note(*one, What::Pending));
    for job in &facts.jobs {
        let running = match (job.session == number, facts.link(job)) {
            (true, Some(link)) => What::Travelling(link),
            (true, None) => What::Computing(job.worker),
            (false, _) => What::Other(job.worker, job.session),
        };
        job.running.iter().for_each(|one| note(*one, running));
        if job.session == number {
            let waiting = facts.link(job).map_or(What::Waiting(job.worker), What::Travelling);
            job.waiting.iter().for_each(|one| note(*one, waiting));
        }
    }
    list.sort_unstable();
    list
}

/// How many of each there are at a moment.
#[derive(Default)]
struct Sweep {
    now_ns: u64,
    requests: u32,
    pending: u32,
    waiting: BTreeMap<u16, u32>,
    computing: BTreeMap<u16, u32>,
    others: BTreeMap<(u16, u16), u32>,
    travelling: BTreeMap<Link, u32>,
    /// What is left of what a read may cost.
    read_ns: u64,
    causes: BTreeMap<Cause, u64>,
}

impl Sweep {
    /// Says what the time until then went into.
    fn reach(&mut self, time_ns: u64) {
        let ns = time_ns.saturating_sub(self.now_ns);
        self.now_ns = self.now_ns.max(time_ns);
        if ns == 0 {
            return;
        }
        if !self.computing.is_empty() {
            let count = self.computing.len() as u64;
            let workers: Vec<u16> = self.computing.keys().copied().collect();
            return workers
                .into_iter()
                .for_each(|worker| self.add(Cause::Worker(worker), ns / count));
        }
        if let Some(rival) = self.rival() {
            return self.add(Cause::Session(rival), ns);
        }
        if let Some(&(first, last)) = self.travelling.keys().next() {
            return self.add(Cause::Link(first, last), ns);
        }
        let is_under_way = self.requests > 0 || self.pending > 0 || !self.waiting.is_empty();
        // A read may cost this much on its way, and again until the program has gone on.
        let of_read = ns.min(self.read_ns);
        self.read_ns -= of_read;
        self.add(Cause::Reads, of_read);
        let rest = match self.waiting.keys().next() {
            Some(&worker) if self.pending == 0 => Cause::Held(worker),
            _ if is_under_way => Cause::Dispatcher,
            _ => Cause::Client,
        };
        self.add(rest, ns - of_read);
    }

    /// Another session for which a worker computes that has something to do for this one.
    fn rival(&self) -> Option<u16> {
        let held_up = |(worker, _): &&(u16, u16)| self.waiting.contains_key(worker);
        self.others.keys().find(held_up).map(|(_, session)| *session)
    }

    fn add(&mut self, cause: Cause, ns: u64) {
        if ns > 0 {
            *self.causes.entry(cause).or_default() += ns;
        }
    }

    fn change(&mut self, Change { begins, what }: Change) {
        match what {
            What::Request => {
                self.requests = if begins { self.requests + 1 } else { self.requests - 1 };
                self.read_ns = READ_NS;
            }
            What::Pending => {
                self.pending = if begins { self.pending + 1 } else { self.pending - 1 }
            }
            What::Waiting(worker) => count(&mut self.waiting, worker, begins),
            What::Computing(worker) => {
                // The program has gone on since its last read.
                if begins && self.requests == 0 {
                    self.read_ns = 0;
                }
                count(&mut self.computing, worker, begins);
            }
            What::Other(worker, session) => count(&mut self.others, (worker, session), begins),
            What::Travelling(link) => count(&mut self.travelling, link, begins),
        }
    }
}

fn count<K: Ord>(counts: &mut BTreeMap<K, u32>, key: K, begins: bool) {
    if begins {
        *counts.entry(key).or_default() += 1;
    } else if let Some(left) = counts.get_mut(&key) {
        *left -= 1;
        if *left == 0 {
            counts.remove(&key);
        }
    }
}

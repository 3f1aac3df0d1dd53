//! Where a whole value is computed in a session without a config. A session stays on one home
//! worker: most work is small, and an input that has to be handed over costs more than it saves.
//! Work leaves the place of its inputs in two cases only. It takes longer than the transfers that
//! it causes, and another worker ends it sooner; or its result does not fit into the memory there.
//!
//! Workers on one host share its cores. Those that have as many threads as the host has cores gain
//! nothing by computing at the same time, so work does not spread from one of them to another.

use std::cmp::Reverse;

use gt_core::WorkerId;
use smallvec::SmallVec;

use crate::load::Health;

/// Work spreads only if it takes so many times as long as the transfers that it causes. Estimates
/// of both are rough, and a transfer that was not worth it slows its host down.
const WORTH: u64 = 2;

/// An input of a piece of work.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// How large it is.
    pub bytes: u64,
    /// When it will have been computed.
    pub ready_ns: u64,
    /// The workers that have it.
    pub on: SmallVec<[WorkerId; 2]>,
}

/// What a piece of work needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Needs {
    /// How long one core takes for it.
    pub cost_ns: u64,
    /// How large its results are.
    pub result_bytes: u64,
    /// Its inputs, without those that are made wherever they are used.
    pub inputs: SmallVec<[Input; 3]>,
}

/// A worker that may get work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub worker: WorkerId,
    pub health: Health,
    /// When it has done what it was given.
    pub free_ns: u64,
    /// How many times as long as estimated it takes.
    pub slowness: u64,
    /// Bytes of memory that are free.
    pub room_bytes: u64,
    /// The host, as a number, whose cores it shares with other workers.
    pub host: u32,
    /// How many workers with as many threads the cores of its host serve at once.
    pub at_once: u32,
    /// Its numerics class, as a number: workers of one class compute the same bits.
    pub class: u32,
}

/// How long values take from one worker to another.
pub(crate) trait Speeds {
    /// How long it takes to hand over so many bytes.
    fn handover_ns(&self, from: WorkerId, to: WorkerId, bytes: u64) -> u64;
}

impl Needs {
    /// Where most of the inputs are; at home, if that is as good as any other place.
    pub fn place_of_inputs(&self, home: WorkerId, speeds: &impl Speeds) -> WorkerId {
        // Elementwise work on values of one worker, which is nearly all there is.
        let is_at_home = |input: &Input| input.on.contains(&home);
        if self.inputs.iter().all(is_at_home) {
            return home;
        }
        let holders = self.inputs.iter().flat_map(|input| input.on.iter().copied());
        let cost = |worker: &WorkerId| (self.missing(*worker, speeds).1, *worker != home, *worker);
        holders.chain([home]).min_by_key(cost).unwrap_or(home)
    }

    /// When everything that a worker lacks could be there, and how long the transfers take.
    fn missing(&self, worker: WorkerId, speeds: &impl Speeds) -> (u64, u64) {
        let (mut there_ns, mut transfers_ns) = (0, 0_u64);
        for input in &self.inputs {
            let handovers = input.on.iter().map(|&from| match from == worker {
                true => 0,
                false => speeds.handover_ns(from, worker, input.bytes),
            });
            let handover_ns = handovers.min().unwrap_or(0);
            transfers_ns = transfers_ns.saturating_add(handover_ns);
            there_ns = there_ns.max(input.ready_ns.saturating_add(handover_ns));
        }
        (there_ns, transfers_ns)
    }

    /// Bytes of memory that the work takes on a worker: its results, and the inputs that are not
    /// there.
    pub fn bytes_at(&self, worker: WorkerId) -> u64 {
        let absent = self.inputs.iter().filter(|input| !input.on.contains(&worker));
        absent.fold(self.result_bytes, |bytes, input| bytes.saturating_add(input.bytes))
    }

    /// Whether a worker is heard of and has room for the work.
    pub fn fit(&self, candidate: &Candidate) -> bool {
        candidate.health == Health::Well && self.bytes_at(candidate.worker) <= candidate.room_bytes
    }

    /// Whether the work is too small to be worth any transfer.
    pub fn is_small(&self, speeds: &impl Speeds, at: WorkerId) -> bool {
        self.cost_ns <= speeds.handover_ns(at, at, 0).saturating_mul(WORTH)
    }

    /// When a worker would have done it.
    fn end_ns(&self, candidate: &Candidate, now_ns: u64, speeds: &impl Speeds) -> u64 {
        let start_ns = self.missing(candidate.worker, speeds).0.max(candidate.free_ns).max(now_ns);
        start_ns.saturating_add(self.cost_ns.saturating_mul(candidate.slowness))
    }
}

/// The worker that gets a piece of work whose inputs are mostly at `base`; `None` if there is no
/// worker of that class.
pub(crate) fn pick(
    needs: &Needs,
    base: WorkerId,
    candidates: &[Candidate],
    speeds: &impl Speeds,
    now_ns: u64,
) -> Option<WorkerId> {
    let at_base = candidates.iter().find(|candidate| candidate.worker == base);
    let class = at_base.or(candidates.first())?.class;
    let candidates = || candidates.iter().filter(|candidate| candidate.class == class);
    let roomiest = |candidate: &&Candidate| {
        let left_bytes =
            i128::from(candidate.room_bytes) - i128::from(needs.bytes_at(candidate.worker));
        (candidate.health, !needs.fit(candidate), Reverse(left_bytes), candidate.worker)
    };
    let Some(stays) = at_base.filter(|candidate| needs.fit(candidate)) else {
        return candidates().min_by_key(roomiest).map(|candidate| candidate.worker);
    };
    let is_busy = |candidate: &&Candidate| candidate.free_ns > now_ns;
    let gains = |candidate: &&Candidate| {
        let busy =
            candidates().filter(is_busy).filter(|other| other.host == candidate.host).count();
        let back_ns = speeds.handover_ns(candidate.worker, base, needs.result_bytes);
        let moves_ns = needs.missing(candidate.worker, speeds).1.saturating_add(back_ns);
        needs.fit(candidate)
            && needs.cost_ns > moves_ns.saturating_mul(WORTH)
            && (is_busy(candidate) || busy < candidate.at_once as usize)
    };
    let others = candidates().filter(|candidate| candidate.worker != base).filter(gains);
    let end = |candidate: &&Candidate| (needs.end_ns(candidate, now_ns, speeds), candidate.worker);
    let soonest = others.min_by_key(end);
    let base_ns = needs.end_ns(stays, now_ns, speeds);
    soonest
        .filter(|candidate| end(candidate).0 < base_ns)
        .or(Some(stays))
        .map(|candidate| candidate.worker)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Four bytes in a nanosecond, and 20 µs for a message.
    struct Links;

    impl Speeds for Links {
        fn handover_ns(&self, _: WorkerId, _: WorkerId, bytes: u64) -> u64 {
            20_000 + bytes / 4
        }
    }

    fn candidate(worker: u32, free_ns: u64) -> Candidate {
        let worker = WorkerId(worker);
        let (health, host) = (Health::Well, worker.0);
        let (slowness, room_bytes, at_once, class) = (1, 1 << 30, 1, 0);
        Candidate { worker, health, free_ns, slowness, room_bytes, host, at_once, class }
    }

    fn work(cost_ns: u64, inputs: &[(u64, u32)]) -> Needs {
        let input = |&(bytes, worker): &(u64, u32)| {
            let on = [WorkerId(worker)].into_iter().collect();
            Input { bytes, ready_ns: 0, on }
        };
        Needs { cost_ns, result_bytes: 4096, inputs: inputs.iter().map(input).collect() }
    }

    fn picked(needs: &Needs, candidates: &[Candidate]) -> u32 {
        let base = needs.place_of_inputs(WorkerId(0), &Links);
        pick(needs, base, candidates, &Links, 0).expect("there is a worker").0
    }

    #[test]
    fn work_stays_unless_it_takes_longer_than_what_it_moves() {
        let candidates = [candidate(0, 50 * MS), candidate(1, 0)];
        // 4 MB take a millisecond each way.
        assert_eq!(picked(&work(MS, &[(4 << 20, 0)]), &candidates), 0);
        assert_eq!(picked(&work(10 * MS, &[(4 << 20, 0)]), &candidates), 1);
        assert_eq!(picked(&work(10 * MS, &[(4 << 20, 0)]), &[candidate(0, 0), candidate(1, 0)]), 0);
        // However long the queue is, small work does not leave.
        assert_eq!(
            picked(&work(30_000, &[(64, 0)]), &[candidate(0, 1000 * MS), candidate(1, 0)]),
            0
        );
    }

    #[test]
    fn a_result_of_work_that_spreads_must_come_back_in_time() {
        let needs = Needs { result_bytes: 16 << 20, ..work(6 * MS, &[(512, 0)]) };
        assert_eq!(picked(&needs, &[candidate(0, 50 * MS), candidate(1, 0)]), 0);
    }

    #[test]
    fn work_goes_where_most_of_its_inputs_are() {
        let candidates = [candidate(0, 0), candidate(1, 50 * MS), candidate(2, 0)];
        assert_eq!(picked(&work(1000, &[(4096, 0), (1 << 20, 1)]), &candidates), 1);
        assert_eq!(picked(&work(1000, &[(4096, 2), (4096, 1)]), &candidates), 1);
        assert_eq!(picked(&work(1000, &[(4096, 0), (4096, 1)]), &candidates), 0);
    }

    #[test]
    fn a_result_that_does_not_fit_goes_where_there_is_room() {
        let small = Candidate { room_bytes: 1000, ..candidate(0, 0) };
        let [middle, large] =
            [Candidate { room_bytes: 1 << 20, ..candidate(1, 0) }, candidate(2, 50 * MS)];
        assert_eq!(picked(&work(1000, &[(64, 0)]), &[small, middle, large]), 2);
        let full = [small, Candidate { room_bytes: 2000, ..candidate(1, 0) }];
        assert_eq!(picked(&work(1000, &[(64, 0)]), &full), 1);
    }

    #[test]
    fn workers_that_share_all_their_cores_share_no_work() {
        let needs = work(10 * MS, &[(64, 0)]);
        let on_one_host = |at_once: u32| {
            [(0, 50 * MS), (1, 0)].map(|(worker, free_ns)| {
                let candidate = candidate(worker, free_ns);
                Candidate { host: 7, at_once, ..candidate }
            })
        };
        assert_eq!(picked(&needs, &on_one_host(1)), 0);
        assert_eq!(picked(&needs, &on_one_host(2)), 1);
    }

    #[test]
    fn work_stays_within_its_numerics_class() {
        let other = Candidate { class: 1, ..candidate(1, 0) };
        assert_eq!(picked(&work(10 * MS, &[(64, 0)]), &[candidate(0, 50 * MS), other]), 0);
        let same = [candidate(0, 50 * MS), other, candidate(2, MS)];
        assert_eq!(picked(&work(10 * MS, &[(64, 0)]), &same), 2);
    }

    #[test]
    fn a_silent_worker_gets_nothing_while_there_is_another() {
        let silent = Candidate { health: Health::Suspect, ..candidate(0, 0) };
        assert_eq!(picked(&work(1000, &[(64, 0)]), &[silent, candidate(1, 50 * MS)]), 1);
        assert_eq!(picked(&work(1000, &[(64, 0)]), &[silent]), 0);
    }
}

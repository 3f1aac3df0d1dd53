//! Failure barriers: no update in place goes ahead before it is certain that nothing before it in
//! the stream failed, on any worker.
//!
//! A kernel that fails poisons its result, and the client learns of it at its next read. Until then
//! every update must keep the old value, or a batch that fails would leave parameters half updated.
//! On one worker the executor sees to that alone. Across workers the dispatcher collects *reports*:
//! - An instruction that data can make fail marks its worker as unreported (`assign`).
//! - Before a worker replaces a value, the unreported workers report, and it waits for the
//!   *verdict* (`replace`). One barrier serves all updates of an optimiser's step; where nothing
//!   can fail there is none. The cost is 2n messages for n workers, and no worker waits for a
//!   report unless it replaces something.
//! - Values on a mesh are replaced on all of its workers or on none: each one *votes* on the
//!   results that were made next to the old values, whatever the reason of a failure (`vote`).
//! - Before a client is answered, workers at risk *settle*: they report and forget, and the answer
//!   carries the first failure that the client does not know (`settle`, `tell`).
//!
//! Barriers are numbered and complete in order. A failure has a number too, so that the client is
//! told of each failure once, although several workers may report it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use gt_core::rules::risk::Risk;
use gt_core::{Error, Meta, Slot, WorkerId};
use gt_transport::{Checksum, Failure, FailureId};
use smallvec::SmallVec;

use crate::worker_map::WorkerMap;

/// Limit on the failures remembered as told to the client. A worker may report one again, because
/// its report was in flight or because a poisoned value is used again. An instruction on a mesh
/// fails on each of its workers, as a failure of its own.
const MOST_TOLD: usize = 1 << 10;

/// Workers that were given results of at least this size settle before a read is answered: they may
/// have run out of memory.
const LARGE_BYTES: usize = 1 << 20;

/// The barriers of one session, and what each of its workers may have to report.
#[derive(Debug, Default)]
pub struct FailureBarrier {
    workers: WorkerMap<Standing>,
    /// Barriers that wait for reports, and those behind them; the first has the number after
    /// `first`.
    open: VecDeque<Open>,
    first: u64,
    /// Barriers up to this one need no wait: the client was answered since.
    settled: u64,
    /// The first failure reported by complete barriers since the client was last answered.
    known: Option<Arc<Failure>>,
    told: VecDeque<FailureId>,
    /// Counts failures of no worker's instruction: copies that differ, values lost with a worker.
    own_failures: u64,
}

#[derive(Debug, Default)]
struct Standing {
    /// It was given commands since it last settled.
    busy: bool,
    /// It deferred work that the client cancelled, until everything settles.
    deferred: bool,
    /// It was given commands that data can make fail since it last reported.
    unreported: bool,
    /// The same since it last settled, or commands whose results may not fit its memory.
    risky: bool,
    /// The failure because of which it replaces nothing; the client does not know it yet.
    poison: Option<FailureId>,
    /// The last barrier that it waits for.
    waits_for: u64,
}

#[derive(Debug, Default)]
struct Open {
    unreported: SmallVec<[WorkerId; 4]>,
    waiting: SmallVec<[WorkerId; 4]>,
    failure: Option<Arc<Failure>>,
    /// A failure of a voted value that the client already knows.
    told: Option<Arc<Failure>>,
    /// Whether the workers forget the failures they report.
    settles: bool,
    /// The failures they forget.
    forgotten: SmallVec<[FailureId; 1]>,
    /// The results that are voted on. Other failures came before them in the stream.
    voted: SmallVec<[Slot; 1]>,
    /// Copies that should have the same bits.
    compared: Option<Box<Compared>>,
}

/// Copies of values whose checksums are compared.
#[derive(Debug)]
pub struct Compared {
    /// The values; `None` for one that is not copied.
    pub values: SmallVec<[Option<(Slot, Meta)>; 3]>,
    /// The workers that have copies, with their logical numbers.
    pub workers: SmallVec<[(WorkerId, usize); 8]>,
    /// The checksums that they reported.
    pub sums: Vec<(WorkerId, SmallVec<[Checksum; 3]>)>,
}

impl Compared {
    /// The first value whose copies differ.
    fn difference(&self) -> Option<Failure> {
        let (_, first) = self.sums.first()?;
        let differs = |index: usize| {
            let differs_from_first = |(_, sums): &(WorkerId, SmallVec<[Checksum; 3]>)| {
                sums.get(index).map(|sum| sum.sum) != first.get(index).map(|sum| sum.sum)
            };
            self.sums.iter().any(differs_from_first)
        };
        let named =
            self.values.iter().enumerate().filter_map(|(index, value)| {
                Some((index, value.as_ref().filter(|_| differs(index))?))
            });
        let (index, (slot, meta)) = { named }.next()?;
        let mut groups: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for (worker, sums) in &self.sums {
            let number = self.workers.iter().find(|(known, _)| known == worker)?.1;
            groups.entry(sums.get(index)?.sum).or_default().push(number.to_string());
        }
        let groups: Vec<String> = groups
            .into_iter()
            .map(|(sum, workers)| format!("{sum:016x} on {}", workers.join(" ")))
            .collect();
        Some(Failure {
            id: FailureId::NONE,
            error: Error::bug(format!(
                "the copies of {slot}, {meta}, differ between workers: their checksums are {}",
                groups.join(" and ")
            )),
            instruction: format!("compare {slot}"),
            slot: *slot,
            provenance: first.get(index)?.provenance,
            holders: SmallVec::new(),
        })
    }
}

/// The messages that open a barrier.
#[derive(Debug, PartialEq, Eq)]
pub struct Words {
    /// The barrier.
    pub barrier: u64,
    /// The workers that have to report.
    pub report: SmallVec<[WorkerId; 4]>,
    /// Whether a worker has to wait for the verdict.
    pub wait: bool,
}

/// A complete barrier.
#[derive(Debug)]
pub struct Verdict {
    /// The barrier.
    pub barrier: u64,
    /// The workers that wait for it.
    pub waiting: SmallVec<[WorkerId; 4]>,
    /// The first failure, if any.
    pub failure: Option<Arc<Failure>>,
    /// Whether the client knows it, so that only the voted results are not replaced.
    pub told: bool,
}

impl FailureBarrier {
    /// A worker is given an instruction with results of this size.
    pub fn assign(&mut self, worker: WorkerId, risk: Risk, bytes: usize) {
        let standing = self.workers.of(worker);
        standing.busy = true;
        standing.unreported |= risk == Risk::Data;
        standing.risky |= risk == Risk::Data || bytes >= LARGE_BYTES;
    }

    /// A worker may defer work until the client waits for everything.
    pub fn defer(&mut self, worker: WorkerId) {
        self.workers.of(worker).deferred = true;
    }

    /// A worker is about to replace a value. Returns the messages that must precede this, if any.
    pub fn replace(&mut self, worker: WorkerId) -> Option<Words> {
        let mut words = Words { barrier: self.last(), report: SmallVec::new(), wait: false };
        let may_fail =
            |other: WorkerId, standing: &Standing| other != worker && standing.unreported;
        let may_fail = self.workers.iter().any(|(other, standing)| may_fail(other, standing));
        if may_fail {
            for (other, standing) in self.workers.iter_mut() {
                if std::mem::take(&mut standing.unreported) {
                    words.report.push(other);
                }
            }
            words.barrier = self.push(words.report.clone(), false);
        }
        if words.barrier <= self.workers.of(worker).waits_for.max(self.settled) {
            return (!words.report.is_empty()).then_some(words);
        }
        if words.barrier <= self.first {
            // It is complete: its failure, if there was one, needs another barrier to travel with.
            self.known.as_ref()?;
            words.barrier = self.push(SmallVec::new(), false);
        }
        self.workers.of(worker).waits_for = words.barrier;
        self.wait(words.barrier, worker);
        words.wait = true;
        Some(words)
    }

    /// The workers of a mesh are about to replace values, all or none. Members report failures of
    /// any cause, other workers those caused by data.
    pub fn vote(
        &mut self,
        members: &[WorkerId],
        voted: &[Slot],
        compared: Option<Box<Compared>>,
    ) -> Words {
        let mut report: SmallVec<[WorkerId; 4]> = SmallVec::new();
        for (worker, standing) in self.workers.iter_mut() {
            if std::mem::take(&mut standing.unreported) && !members.contains(&worker) {
                report.push(worker);
            }
        }
        let everybody = report.iter().chain(members).copied().collect();
        let barrier = self.push(everybody, false);
        let open = self.open.back_mut().expect("it was just pushed");
        (open.voted, open.compared) = (voted.into(), compared);
        for &member in members {
            self.workers.of(member).waits_for = barrier;
            self.wait(barrier, member);
        }
        Words { barrier, report, wait: true }
    }

    /// The client is about to be answered by `reader`, whose answer carries failures of all
    /// workers.
    pub fn settle(&mut self, reader: WorkerId, whom: Whom) -> Option<Words> {
        let mut report = SmallVec::new();
        // A worker that waits for an open barrier may yet be poisoned by its verdict.
        let certain = self.first.max(self.settled);
        for (worker, standing) in self.workers.iter_mut() {
            let asked = standing.risky
                || standing.poison.is_some()
                || standing.waits_for > certain
                || (whom == Whom::Everybody && (standing.busy || standing.deferred));
            if worker == reader || asked {
                let waits_for = standing.waits_for;
                let deferred = standing.deferred && whom != Whom::Everybody;
                *standing = Standing { waits_for, deferred, ..Standing::default() };
            }
            if worker != reader && asked {
                report.push(worker);
            }
        }
        if report.is_empty() && self.known.is_none() && self.open.is_empty() {
            self.settled = self.last();
            return None;
        }
        let barrier = self.push(report.clone(), true);
        self.settled = barrier;
        self.wait(barrier, reader);
        Some(Words { barrier, report, wait: true })
    }

    /// A worker reports; false if it was not asked. [`FailureBarrier::complete`] returns verdicts.
    #[must_use]
    pub fn report(
        &mut self,
        worker: WorkerId,
        barrier: u64,
        failure: Option<Arc<Failure>>,
        checksums: SmallVec<[Checksum; 3]>,
    ) -> bool {
        // A vote may fail for the loss of a worker or a transfer. Without a number of its own, the
        // second such failure would count as told with the first.
        let failure = failure.map(|failure| match failure.id {
            FailureId::NONE => self.own(&failure),
            _ => failure,
        });
        let index = barrier.checked_sub(self.first + 1).map(|index| index as usize);
        let Some(open) = index.and_then(|index| self.open.get_mut(index)) else { return false };
        let Some(place) = open.unreported.iter().position(|asked| *asked == worker) else {
            return false;
        };
        open.unreported.swap_remove(place);
        let has_copies =
            |compared: &&mut Box<Compared>| compared.workers.iter().any(|(own, _)| *own == worker);
        if let Some(compared) = open.compared.as_mut().filter(has_copies)
            && failure.is_none()
        {
            compared.sums.push((worker, checksums));
        }
        if let Some(failure) = failure {
            let is_told = self.told.contains(&failure.id);
            if open.settles && !is_told {
                open.forgotten.push(failure.id);
            }
            let kept = if is_told { &mut open.told } else { &mut open.failure };
            let is_last = |failure: &Arc<Failure>| open.voted.contains(&failure.slot);
            if kept.as_ref().is_none_or(|kept| is_last(kept) && !is_last(&failure)) {
                *kept = Some(failure);
            }
        }
        true
    }

    /// An update of the client's stream does not happen, because one of its inputs is lost. From
    /// here on nothing is replaced until the client is told.
    pub fn note(&mut self, failure: &Failure) {
        let failure = Some(self.own(failure));
        self.open.push_back(Open { failure, ..Open::default() });
    }

    /// The client is told of all failures, although no worker is left to ask.
    pub fn tell_all(&mut self) {
        while let Some(verdict) = self.complete() {
            drop(verdict);
        }
        if let Some(known) = self.known.take() {
            self.note_told(known.id);
        }
    }

    /// Numbers a failure that is not of a worker's instruction.
    fn own(&mut self, failure: &Failure) -> Arc<Failure> {
        self.own_failures += 1;
        let id = FailureId { worker: u32::MAX, number: self.own_failures };
        Arc::new(Failure { id, ..failure.clone() })
    }

    /// The barriers that are complete, in their order.
    pub fn complete(&mut self) -> Option<Verdict> {
        self.open.front().filter(|open| open.unreported.is_empty())?;
        let mut open = self.open.pop_front()?;
        self.first += 1;
        if let Some(failure) = open.compared.take().and_then(|all| all.difference()) {
            open.failure.get_or_insert(self.own(&failure));
        }
        let is_told = |failure: &Arc<Failure>| self.told.contains(&failure.id);
        let (told, untold) = match open.failure {
            Some(failure) if is_told(&failure) => (open.told.or(Some(failure)), None),
            untold => (open.told, untold),
        };
        let failure = match open.settles {
            // No worker is about to answer the client: the next answer carries the failure.
            true if open.waiting.is_empty() => {
                self.known = self.known.take().or(untold);
                None
            }
            true => self.known.take().or(untold),
            false => {
                self.known = self.known.take().or(untold);
                self.known.clone()
            }
        };
        let failure = failure.filter(|failure| !self.told.contains(&failure.id));
        if let (Some(failure), false) = (&failure, open.settles) {
            for worker in &open.waiting {
                self.workers.of(*worker).poison = Some(failure.id);
            }
        }
        // A failure that the client knows still decides a vote.
        let told = told.filter(|_| failure.is_none() && !open.settles);
        let is_told = told.is_some();
        let failure = failure.or(told);
        // The client is told one of them, and then nobody is held up by any of them.
        if !open.waiting.is_empty() {
            open.forgotten.into_iter().for_each(|id| self.note_told(id));
        }
        Some(Verdict { barrier: self.first, waiting: open.waiting, failure, told: is_told })
    }

    /// A worker says that something has failed there. If the client knows already, it is to
    /// settle: gives the barrier.
    pub fn failed(&mut self, worker: WorkerId, failure: FailureId) -> Option<u64> {
        if self.told.contains(&failure) {
            return Some(self.push(SmallVec::from_slice(&[worker]), true));
        }
        self.workers.of(worker).poison = Some(failure);
        None
    }

    /// The client is told of a failure by `reader`. Gives the other workers that are to settle
    /// because of it, each with a barrier.
    pub fn tell(&mut self, reader: WorkerId, failure: FailureId) -> SmallVec<[(WorkerId, u64); 4]> {
        self.note_told(failure);
        self.known.take_if(|known| known.id == failure);
        let mut poisoned: SmallVec<[WorkerId; 4]> = SmallVec::new();
        for (worker, standing) in self.workers.iter_mut() {
            let had_it = standing.poison.take_if(|poison| *poison == failure).is_some();
            if had_it && worker != reader {
                poisoned.push(worker);
            }
        }
        let settle = |worker| (worker, self.push(SmallVec::from_slice(&[worker]), true));
        poisoned.into_iter().map(settle).collect()
    }

    fn note_told(&mut self, failure: FailureId) {
        if self.told.len() == MOST_TOLD {
            self.told.pop_front();
        }
        self.told.push_back(failure);
    }

    /// A worker is gone, and has nothing to report.
    pub fn forget(&mut self, worker: WorkerId) {
        self.workers.remove(worker);
        for open in &mut self.open {
            open.unreported.retain(|asked| *asked != worker);
            open.waiting.retain(|waiting| *waiting != worker);
        }
    }

    /// Whether nothing that data can make fail is under way or untold.
    pub fn is_quiet(&self) -> bool {
        let is_quiet = |standing: &Standing| !standing.unreported && standing.poison.is_none();
        self.known.is_none()
            && self.open.is_empty()
            && self.workers.iter().all(|(_, standing)| is_quiet(standing))
    }

    /// Completes all barriers without failures.
    pub fn pass(&mut self) {
        self.open.iter_mut().for_each(|open| open.unreported.clear());
        while self.complete().is_some() {}
    }

    fn last(&self) -> u64 {
        self.first + self.open.len() as u64
    }

    fn push(&mut self, unreported: SmallVec<[WorkerId; 4]>, settles: bool) -> u64 {
        self.open.push_back(Open { unreported, settles, ..Open::default() });
        self.last()
    }

    fn wait(&mut self, barrier: u64, worker: WorkerId) {
        if let Some(open) = self.open.get_mut((barrier - self.first - 1) as usize) {
            open.waiting.push(worker);
        }
    }
}

/// The workers that settle before the client is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whom {
    /// Workers whose commands are likely to fail, because of data or of their size.
    ThoseAtRisk,
    /// All workers with commands, because any of them may run out of memory.
    Everybody,
}

#[cfg(test)]
mod tests {
    use gt_core::{DType, Provenance};

    use smallvec::smallvec;

    use super::*;

    const A: WorkerId = WorkerId(0);
    const B: WorkerId = WorkerId(1);
    const C: WorkerId = WorkerId(2);

    fn failure() -> Arc<Failure> {
        Arc::new(Failure {
            id: FailureId { worker: 1, number: 1 },
            error: Error::value("it went wrong"),
            instruction: "t0 := gather".to_string(),
            slot: Slot(0),
            provenance: Provenance::UNKNOWN,
            holders: Default::default(),
        })
    }

    /// Workers that were given something that data can make fail.
    fn at_risk(workers: &[WorkerId]) -> FailureBarrier {
        let mut barrier = FailureBarrier::default();
        workers.iter().for_each(|&worker| barrier.assign(worker, Risk::Data, 4));
        barrier
    }

    #[test]
    fn what_the_client_was_told_is_no_news_when_it_is_reported() {
        let mut barrier = at_risk(&[B]);
        assert!(barrier.tell(A, failure().id).is_empty());
        let words = barrier.replace(A).expect("somebody may have failed");
        assert_eq!((words.report.as_slice(), words.wait), ([B].as_slice(), true));
        assert!(barrier.report(B, words.barrier, Some(failure()), SmallVec::new()));
        assert!(barrier.complete().expect("all have reported").told);
        // Nobody waits for a failure that is known to everybody.
        assert_eq!(barrier.replace(C), None);
    }

    #[test]
    fn what_the_client_is_told_while_others_report_is_not_passed_on() {
        let mut barrier = at_risk(&[B, C]);
        let words = barrier.replace(A).expect("somebody may have failed");
        assert!(barrier.report(B, words.barrier, Some(failure()), SmallVec::new()));
        assert!(barrier.tell(B, failure().id).is_empty());
        assert!(barrier.report(C, words.barrier, None, SmallVec::new()));
        let verdict = barrier.complete().expect("all have reported");
        assert_eq!(verdict.waiting.as_slice(), [A]);
        assert!(verdict.failure.is_none() || verdict.told);
    }

    #[test]
    fn what_failed_on_every_worker_of_a_mesh_is_told_once() {
        let mut barrier = at_risk(&[A, B]);
        let of = |worker: u32| {
            let id = FailureId { worker, number: 7 };
            Arc::new(Failure { id, ..(*failure()).clone() })
        };
        let words = barrier.settle(A, Whom::ThoseAtRisk).expect("B may have failed");
        assert!(barrier.report(B, words.barrier, Some(of(1)), SmallVec::new()));
        assert_eq!(barrier.complete().and_then(|verdict| verdict.failure), Some(of(1)));
        // The reader tells of its own failure, and B of nothing any more.
        assert!(barrier.tell(A, of(0).id).is_empty());
        let words = barrier.vote(&[A, B], &[], None);
        for (worker, number) in [(A, 0), (B, 1)] {
            assert!(barrier.report(worker, words.barrier, Some(of(number)), SmallVec::new()));
        }
        assert!(barrier.complete().expect("all have voted").told);
        assert!(barrier.is_quiet());
    }

    #[test]
    fn what_failed_before_is_told_and_not_what_is_voted_on() {
        let mut barrier = at_risk(&[A, B]);
        let of = |worker: u32, slot: u32| {
            let id = FailureId { worker, number: 7 };
            Arc::new(Failure { id, slot: Slot(slot), ..(*failure()).clone() })
        };
        for order in [[A, B], [B, A]] {
            let words = barrier.vote(&[A, B], &[Slot(25)], None);
            for worker in order {
                // A could not make the result; on B something else had failed before.
                let found = if worker == A { of(0, 25) } else { of(1, 8) };
                assert!(barrier.report(worker, words.barrier, Some(found), SmallVec::new()));
            }
            let verdict = barrier.complete().expect("all have voted");
            assert_eq!(verdict.failure, Some(of(1, 8)));
            barrier = at_risk(&[A, B]);
        }
    }

    #[test]
    fn what_is_known_ends_when_the_client_is_told() {
        let mut barrier = at_risk(&[B]);
        let words = barrier.replace(A).expect("somebody may have failed");
        assert!(barrier.report(B, words.barrier, Some(failure()), SmallVec::new()));
        assert!(barrier.complete().expect("all have reported").failure.is_some());
        assert!(barrier.replace(C).is_some_and(|words| words.wait));
        drop(barrier.complete());
        let settles = barrier.tell(B, failure().id);
        assert_eq!(settles.iter().map(|&(worker, _)| worker).collect::<Vec<_>>(), [A, C]);
        for (worker, number) in settles {
            assert!(barrier.report(worker, number, None, SmallVec::new()));
            drop(barrier.complete());
        }
        assert_eq!(barrier.replace(C), None);
        assert!(barrier.is_quiet());
    }

    #[test]
    fn a_worker_that_speaks_of_what_the_client_knows_is_to_settle() {
        let mut barrier = at_risk(&[B]);
        assert_eq!(barrier.failed(B, failure().id), None);
        assert!(!barrier.is_quiet());
        assert!(barrier.tell(B, failure().id).is_empty());
        assert_eq!(barrier.failed(B, failure().id), Some(1));
    }

    #[test]
    fn copies_that_differ_are_a_failure_that_names_them() {
        let sums = |sum| smallvec![Checksum { sum, provenance: Provenance(5) }];
        let compared = || {
            let values = smallvec![Some((Slot(3), Meta::new(DType::F32, [4])))];
            let workers = smallvec![(A, 0), (B, 1), (C, 2)];
            Some(Box::new(Compared { values, workers, sums: Vec::new() }))
        };
        let mut barrier = FailureBarrier::default();
        for (last, differs) in [(7, false), (8, true)] {
            // Somebody without a copy reports too.
            barrier.assign(WorkerId(3), Risk::Data, 4);
            let words = barrier.vote(&[A, B, C], &[], compared());
            assert!(barrier.report(WorkerId(3), words.barrier, None, SmallVec::new()));
            for (worker, sum) in [(A, 7), (B, 7), (C, last)] {
                assert!(barrier.report(worker, words.barrier, None, sums(sum)));
            }
            let verdict = barrier.complete().expect("all have reported");
            assert_eq!((verdict.failure.is_some(), verdict.told), (differs, false));
            let text =
                verdict.failure.map(|failure| (failure.provenance, failure.error.to_string()));
            let Some((provenance, text)) = text else { continue };
            assert_eq!(provenance, Provenance(5));
            assert!(text.contains("t3, float32[4], differ"), "{text}");
            assert!(text.contains("0000000000000007 on 0 1 and 0000000000000008 on 2"), "{text}");
        }
    }
}

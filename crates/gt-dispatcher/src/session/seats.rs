//! The workers of a session by their logical numbers, which its signals use. A worker that leaves
//! vacates its seat, and the next one takes it: what was there is placed there again.

use gt_core::WorkerId;

/// Who sits where.
#[derive(Debug, Default)]
pub(super) struct Seats {
    /// How many workers the client asked for; all if absent.
    wanted: Option<usize>,
    seats: Vec<Option<WorkerId>>,
    /// Workers that were lost, and the seats they had.
    left: Vec<(WorkerId, usize)>,
    /// Workers that the operator drains. They finish what they were given.
    leaving: Vec<WorkerId>,
}

impl Seats {
    /// None yet, for so many workers.
    pub(super) fn for_workers(wanted: Option<usize>) -> Self {
        Seats { wanted, ..Seats::default() }
    }

    /// Those who sit, in the order of their numbers.
    pub(super) fn workers(&self) -> impl Iterator<Item = WorkerId> {
        self.seats.iter().flatten().copied()
    }

    /// The same, and those that end what they were given.
    pub(super) fn busy(&self) -> impl Iterator<Item = WorkerId> {
        self.workers().chain(self.leaving.iter().copied())
    }

    /// All seats.
    pub(super) fn all(&self) -> &[Option<WorkerId>] {
        &self.seats
    }

    /// The number of a worker.
    pub(super) fn number(&self, worker: WorkerId) -> Option<usize> {
        self.seats.iter().position(|sits| *sits == Some(worker))
    }

    /// The seat of one more worker, if there is to be one.
    pub(super) fn vacancy(&self) -> Option<usize> {
        let is_wanted = self.wanted.is_none_or(|wanted| self.workers().count() < wanted);
        let vacant = || self.seats.iter().position(Option::is_none).unwrap_or(self.seats.len());
        is_wanted.then(vacant)
    }

    /// A worker takes a seat that is vacant, or the next one.
    pub(super) fn sit(&mut self, number: usize, worker: WorkerId) {
        if number == self.seats.len() {
            self.seats.push(None);
        }
        debug_assert_eq!(self.seats[number], None, "seat {number} is taken");
        self.seats[number] = Some(worker);
    }

    /// Whoever sits in one of two seats sits in the other from now on.
    pub(super) fn swap(&mut self, one: usize, other: usize) {
        self.seats.swap(one, other);
    }

    /// A worker is drained; gives its number, if it sat.
    pub(super) fn drain(&mut self, worker: WorkerId) -> Option<usize> {
        let number = self.number(worker)?;
        self.seats[number] = None;
        self.leaving.push(worker);
        Some(number)
    }

    /// A worker is not drained any longer; says whether it was.
    pub(super) fn undrain(&mut self, worker: WorkerId) -> bool {
        let before = self.leaving.len();
        self.leaving.retain(|leaving| *leaving != worker);
        self.leaving.len() < before
    }

    /// A worker is gone; says whether it sat.
    pub(super) fn lose(&mut self, worker: WorkerId) -> bool {
        let Some(number) = self.number(worker) else { return false };
        self.seats[number] = None;
        self.left.push((worker, number));
        true
    }

    /// Who has the seat of a worker now, which may be gone.
    pub(super) fn heir(&self, worker: WorkerId) -> Option<WorkerId> {
        let left = || self.left.iter().find(|(left, _)| *left == worker).map(|it| it.1);
        self.seats.get(self.number(worker).or_else(left)?).copied().flatten()
    }

    /// Panics if a worker has two seats.
    pub(super) fn check(&self) {
        for (number, worker) in self.seats.iter().enumerate() {
            assert!(
                worker.is_none_or(|it| self.number(it) == Some(number)),
                "{worker:?} sits twice"
            );
        }
    }
}

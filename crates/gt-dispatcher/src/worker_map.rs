//! Something for each worker. Workers come and go; only those that are there cost anything.

use gt_core::WorkerId;

/// Values by worker, in the order of the workers' numbers.
#[derive(Debug)]
pub struct WorkerMap<T>(Vec<(WorkerId, T)>);

impl<T> Default for WorkerMap<T> {
    fn default() -> Self {
        WorkerMap(Vec::new())
    }
}

impl<T> WorkerMap<T> {
    /// The value of a worker.
    pub fn get(&self, worker: WorkerId) -> Option<&T> {
        let index = self.find(worker).ok()?;
        Some(&self.0[index].1)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, worker: WorkerId) -> Option<&mut T> {
        let index = self.find(worker).ok()?;
        Some(&mut self.0[index].1)
    }

    /// Takes the value of a worker away.
    pub fn remove(&mut self, worker: WorkerId) -> Option<T> {
        let index = self.find(worker).ok()?;
        Some(self.0.remove(index).1)
    }

    /// All values.
    pub fn iter(&self) -> impl Iterator<Item = (WorkerId, &T)> {
        self.0.iter().map(|(worker, value)| (*worker, value))
    }

    /// All values, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (WorkerId, &mut T)> {
        self.0.iter_mut().map(|(worker, value)| (*worker, value))
    }

    fn find(&self, worker: WorkerId) -> Result<usize, usize> {
        // Numbers are mostly those of the places, because workers come in their order.
        match self.0.get(worker.0 as usize) {
            Some((found, _)) if *found == worker => Ok(worker.0 as usize),
            _ => self.0.binary_search_by_key(&worker, |(worker, _)| *worker),
        }
    }
}

impl<T: Default> WorkerMap<T> {
    /// The value of a worker, which is made if there is none.
    pub fn of(&mut self, worker: WorkerId) -> &mut T {
        let index = match self.find(worker) {
            Ok(index) => index,
            Err(index) => {
                self.0.insert(index, (worker, T::default()));
                index
            }
        };
        &mut self.0[index].1
    }
}

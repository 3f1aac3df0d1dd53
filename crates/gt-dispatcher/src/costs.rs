//! What work and messages cost, as constants: for comparing ways to run a program, not for telling
//! how long it takes to the millisecond.

use gt_core::rules::work::Work;

/// Floating-point operations a second of the core that the costs of kernels have in mind.
const CORE_FLOPS: f64 = 80e9;
/// Bytes a second that its elementwise kernels read and write.
const CORE_BYTES: f64 = 32e9;
/// What an instruction costs a worker besides its kernels.
const INSTRUCTION_NS: f64 = 1000.0;

/// What one worker does in a second, and what lies between two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Floating-point operations a second in products, while others have nothing to do.
    pub flops: f64,
    /// Bytes a second that other kernels read and write.
    pub memory_bytes: f64,
    /// Bytes a second from one worker to another.
    pub link_bytes: f64,
    /// What a message costs besides its bytes.
    pub message_seconds: f64,
    /// How many times as much all workers together do as one of them alone: one if they share their
    /// cores, as many as there are if each has its own.
    pub workers_at_once: f64,
}

impl Costs {
    /// Workers with so many threads each, on cores of their own.
    pub fn apart(workers: usize, threads: usize) -> Self {
        let threads = threads.max(1) as f64;
        Costs {
            flops: threads * CORE_FLOPS,
            memory_bytes: threads * CORE_BYTES,
            link_bytes: 4e9,
            message_seconds: 20e-6,
            workers_at_once: workers.max(1) as f64,
        }
    }

    /// Workers that share so many threads. Their messages stay within a process.
    pub fn together(threads: usize) -> Self {
        Costs { workers_at_once: 1.0, ..Costs::apart(1, threads) }
    }

    /// How long each of so many workers takes that begin at once, if each has its share of the
    /// work: one of `shares`.
    pub(crate) fn compute_ns(&self, work: Work, workers: usize, shares: usize) -> u64 {
        let products = work.product_ns as f64 * CORE_FLOPS / self.flops;
        let others = work.other_ns as f64 * CORE_BYTES / self.memory_bytes;
        let crowd = (workers as f64 / self.workers_at_once).max(1.0);
        (INSTRUCTION_NS + (products + others) * crowd / shares.max(1) as f64) as u64
    }

    /// How long a worker takes to hand over so many bytes in so many messages.
    pub(crate) fn transfer_ns(&self, bytes: u64, messages: u64) -> u64 {
        let seconds = messages as f64 * self.message_seconds + bytes as f64 / self.link_bytes;
        (seconds * 1e9) as u64
    }

    /// From how many bytes on it pays to cut a value over so many workers of which nothing else is
    /// known: to pass over a part instead of all of it saves ten times what messages to all others
    /// cost. `None` if it never does.
    pub fn worth_cutting_bytes(&self, workers: usize) -> Option<f64> {
        let quicker = (workers as f64).min(self.workers_at_once);
        let saved = (1.0 - 1.0 / quicker) / self.memory_bytes;
        let messages = 10.0 * workers.saturating_sub(1) as f64 * self.message_seconds;
        (saved > 0.0).then(|| messages / saved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORK: Work = Work { product_ns: 1_000_000, other_ns: 0 };

    #[test]
    fn who_shares_cores_gains_nothing_by_sharing_work() {
        let (apart, together) = (Costs::apart(4, 1), Costs::together(1));
        let alone = apart.compute_ns(WORK, 1, 1);
        assert_eq!(apart.compute_ns(WORK, 4, 4), 1000 + (alone - 1000) / 4);
        assert_eq!(together.compute_ns(WORK, 4, 4), alone);
        assert_eq!(together.compute_ns(WORK, 4, 1), 1000 + 4 * (alone - 1000));
        assert_eq!(together.worth_cutting_bytes(4), None);
        let worth = apart.worth_cutting_bytes(2).expect("it pays at some size");
        assert!((worth - 12.8e6).abs() < 1.0, "{worth}");
    }
}

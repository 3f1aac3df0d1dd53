//! Memory that ended sessions leave. What is freed lies between what is not, and the allocator
//! keeps it until it is asked to give it back to the system.

/// Decides when so much was freed that it is worth giving back.
#[derive(Debug)]
pub struct Leftovers {
    /// How much there was at most since memory was given back.
    most: usize,
    /// How much there was the last time.
    last: usize,
    /// Less leaves nothing worth giving back.
    least: usize,
}

impl Leftovers {
    /// Nothing is given back where there was less than this.
    pub fn of_at_least(least: usize) -> Self {
        Leftovers { most: 0, last: 0, least }
    }

    /// There was so much, however short the time.
    pub fn note(&mut self, most: usize) {
        self.most = self.most.max(most);
    }

    /// Gives memory back to the system, after `before`, if most of what there was is gone and no
    /// more of it goes. To be called once in a while.
    pub fn clear(&mut self, left: usize, before: impl FnOnce()) {
        self.note(left);
        let is_falling = left < std::mem::replace(&mut self.last, left);
        if self.most >= self.least && left < self.most / 4 && !is_falling {
            self.most = left;
            before();
            trim();
        }
    }
}

fn trim() {
    // SAFETY: it may be called at any time and on any thread.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_given_back_once_after_most_of_much_is_freed() {
        let mut leftovers = Leftovers::of_at_least(100);
        let mut count = 0;
        for left in [99, 0, 0, 400, 100, 100, 99, 24] {
            leftovers.clear(left, || count += 1);
        }
        assert_eq!(count, 0, "it was little, most of it is left, or more is being freed");
        leftovers.clear(24, || count += 1);
        leftovers.clear(0, || count += 1);
        leftovers.clear(0, || count += 1);
        assert_eq!(count, 1);
    }
}

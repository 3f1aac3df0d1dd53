//! Numbers that look random and are the same for the same seed.

/// A generator of numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The numbers that belong to a seed.
    pub fn new(seed: u64) -> Self {
        Dice(seed)
    }

    /// A number anywhere.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from zero up to, but not including, `limit`.
    ///
    /// # Panics
    /// If there is no such number.
    pub fn below(&mut self, limit: usize) -> usize {
        assert!(limit > 0, "there is no number below zero");
        (self.roll() % limit as u64) as usize
    }

    /// Whether something happens that happens once in `count` times.
    pub fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// One of several.
    pub fn choose<'a, T>(&mut self, among: &'a [T]) -> &'a T {
        &among[self.below(among.len())]
    }

    /// One of several, in proportion to their weights.
    pub fn weigh(&mut self, weights: &[u64]) -> usize {
        let mut left = self.below(weights.iter().sum::<u64>() as usize) as u64;
        let wins = |&weight: &u64| match left.checked_sub(weight) {
            Some(rest) => {
                left = rest;
                false
            }
            None => true,
        };
        weights.iter().position(wins).expect("the number is below the sum of the weights")
    }
}

//! Numbers that look random, from a seed that can be given again.

use std::hash::{BuildHasher, RandomState};

/// The variable with the seed of a run that is to be repeated.
pub(super) const VARIABLE: &str = "CONVERSION_SEED";

pub(super) struct Random {
    pub seed: u64,
    state: u64,
}

impl Random {
    /// From the seed in the environment, or another one each time.
    pub fn seeded() -> Self {
        let given = std::env::var(VARIABLE).ok();
        let given = given.and_then(|seed| seed.parse().ok());
        let seed = given.unwrap_or_else(|| RandomState::new().hash_one(0) >> 16);
        Self {
            seed,
            state: seed | 1,
        }
    }

    /// A number from 0 up to, and without, `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        // Marsaglia's xorshift
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        let number = usize::try_from(self.state >> 16).unwrap_or_default();
        number % limit.max(1)
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of several, of which there is at least one.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}

//! Pseudo-random numbers with a seed that can be repeated.

use crate::random;

/// The environment variable with the seed of a run to repeat.
pub(super) const VARIABLE: &str = "CONVERSION_SEED";

/// A generator of pseudo-random numbers.
pub(super) struct Random {
    /// The seed from which the numbers are computed, to be printed.
    pub seed: u64,
    /// The state of xorshift, which must not be 0.
    state: u64,
}

impl Random {
    /// Uses the seed in the environment variable, a decimal number, or a random one.
    pub fn seeded() -> Self {
        let given = std::env::var(VARIABLE).ok();
        let given = given.and_then(|seed| seed.parse().ok());
        let seed = given.unwrap_or_else(|| random::number() >> 16);
        Self {
            seed,
            state: seed | 1,
        }
    }

    /// Returns a number from 0 to `limit`, exclusive.
    pub fn below(&mut self, limit: usize) -> usize {
        // Marsaglia's xorshift
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        let number = usize::try_from(self.state >> 16).unwrap_or_default();
        number % limit.max(1)
    }

    /// Returns true with probability 1 in `n`.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns one of `choices`, which must not be empty.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}

//! Random numbers. Production takes them from the standard library, a test from the seed of its
//! in-memory cluster.

#[cfg(not(feature = "testing"))]
use unseeded as next;

/// Returns a random number.
pub(crate) fn number() -> u64 {
    next()
}

/// Returns a random number from 0 to 1, inclusive.
pub(crate) fn fraction() -> f64 {
    let bits = u32::try_from(number() >> 32).unwrap_or(u32::MAX);
    f64::from(bits) / f64::from(u32::MAX)
}

/// The standard library seeds each `RandomState` differently, which is random enough to spread
/// retries and to name replicas.
fn unseeded() -> u64 {
    use std::hash::{BuildHasher, RandomState};

    RandomState::new().hash_one(0_u8)
}

#[cfg(feature = "testing")]
use seeded::next;

#[cfg(feature = "testing")]
pub(crate) mod seeded {
    use std::cell::RefCell;

    /// A seeded random generator.
    #[derive(Clone, Debug)]
    pub(crate) struct Random(u64);

    thread_local! {
        /// The generator of this thread's in-memory cluster.
        static RANDOM: RefCell<Option<Random>> = const { RefCell::new(None) };
    }

    /// Makes all random numbers of this thread follow from a seed.
    pub(crate) fn seed(seed: u64) {
        // The API server and the operator must not draw the same numbers.
        RANDOM.set(Some(Random::new(seed ^ 0x5dee_ce66_d1ce_4e5b)));
    }

    /// Returns the next number of this thread's cluster, or an unseeded one on other threads.
    pub(super) fn next() -> u64 {
        let seeded = RANDOM.with_borrow_mut(|random| random.as_mut().map(Random::next));
        seeded.unwrap_or_else(super::unseeded)
    }

    impl Random {
        pub fn new(seed: u64) -> Self {
            Self(seed)
        }

        /// Returns the next number of the sequence.
        pub fn next(&mut self) -> u64 {
            // Vigna's splitmix64
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ (mixed >> 31)
        }

        /// Returns a number from 0 to `limit`, exclusive.
        pub fn below(&mut self, limit: u64) -> u64 {
            self.next() % limit.max(1)
        }

        /// Puts the items into a random order.
        pub fn shuffle<T>(&mut self, items: &mut [T]) {
            for last in (1..items.len()).rev() {
                let other = self.below(last as u64 + 1);
                items.swap(last, usize::try_from(other).unwrap_or_default());
            }
        }
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::*;

    #[test]
    fn a_seed_determines_all_random_numbers_of_a_thread() {
        let numbers = |seed| {
            seeded::seed(seed);
            [number(), number(), fraction().to_bits()]
        };
        let first = numbers(1);
        assert_eq!(numbers(1), first);
        assert_ne!(numbers(2), first);
        let elsewhere = std::thread::spawn(|| [number(), number()]).join();
        let [one, other] = elsewhere.unwrap();
        assert_ne!(one, other);
    }
}

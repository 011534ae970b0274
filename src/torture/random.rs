//! Seeded pseudo-random numbers. A number depends only on the seed and a name, so adding or
//! removing one item does not change the numbers of the others.

/// A seeded source of pseudo-random numbers.
#[derive(Clone, Copy, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// Returns the number of a name, which may be any text. It is the same in each process.
    pub fn of(self, what: &str) -> u64 {
        let bytes = what.bytes().map(u64::from);
        bytes.fold(self.0, |so_far, byte| mix(so_far ^ byte))
    }

    /// Returns the number of a pair of numbers, in this order.
    pub fn of_both(self, one: u64, other: u64) -> u64 {
        mix(mix(self.0 ^ one) ^ other)
    }
}

/// splitmix64
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Returns a random seed of at most six digits.
pub fn seed() -> u64 {
    use std::hash::{BuildHasher as _, Hasher as _, RandomState};
    // Short enough for users to retype.
    RandomState::new().build_hasher().finish() % 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_is_one_order_also_where_one_thing_is_missing() {
        let order = |seed, names: &[u32]| {
            let mut names = names.to_vec();
            names.sort_by_key(|name| Random::new(seed).of(&name.to_string()));
            names
        };
        let all: Vec<u32> = (0..20).collect();
        let ordered = order(1, &all);
        assert_ne!(ordered, order(2, &all));
        let without: Vec<u32> = ordered.iter().copied().filter(|it| *it != 7).collect();
        assert_eq!(without, order(1, &[&all[8..], &all[..7]].concat()));
        let random = Random::new(3);
        assert_ne!(random.of_both(1, 2), random.of_both(2, 1));
    }
}

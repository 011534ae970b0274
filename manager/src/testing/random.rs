//! Pseudo-random numbers that are the same in each run with the same seed.

/// A seeded random generator.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
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

    pub fn uid(&mut self) -> String {
        let (high, low) = (self.next(), self.next());
        format!(
            "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xfff,
            low >> 52,
            low & 0xffff_ffff_ffff
        )
    }

    /// Returns a random name suffix for `generateName`.
    pub fn suffix(&mut self) -> String {
        let limit = LETTERS.len() as u64;
        let letter = |random: &mut Self| {
            let at = usize::try_from(random.below(limit)).unwrap_or_default();
            char::from(LETTERS[at])
        };
        (0..5).map(|_| letter(self)).collect()
    }
}

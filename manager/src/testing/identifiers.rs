//! Random identifiers of the in-memory API server.

pub(super) use crate::random::seeded::Random;

/// The characters of a suffix: those of Kubernetes, which form no words.
const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

impl Random {
    /// Returns a random UUID of version 4.
    pub(super) fn uid(&mut self) -> String {
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

    /// Returns a random name suffix of five characters for `generateName`.
    pub(super) fn suffix(&mut self) -> String {
        let limit = LETTERS.len() as u64;
        let letter = |random: &mut Self| {
            let at = usize::try_from(random.below(limit)).unwrap_or_default();
            char::from(LETTERS[at])
        };
        (0..5).map(|_| letter(self)).collect()
    }
}

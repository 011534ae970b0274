//! Numbers that look random, from a seed that can be given again: `RUSTOP_TEST_SEED` repeats a run,
//! `RUSTOP_TEST_ROUNDS` makes it longer.

#![allow(clippy::print_stdout, reason = "the seed repeats what failed")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Clone)]
pub struct Random(u64);

impl Random {
    /// From the seed that was given, or another one each time; it is printed.
    pub fn seeded() -> Self {
        let seed = number("RUSTOP_TEST_SEED").unwrap_or_else(|| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            u64::from(now.subsec_micros()) << 20 | now.as_secs() & 0xfffff | 1
        });
        println!("RUSTOP_TEST_SEED={seed}");
        Self(seed)
    }

    pub fn below(&mut self, limit: u32) -> u32 {
        // Marsaglia's xorshift.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u32::try_from(self.0 % u64::from(limit)).unwrap()
    }
}

/// Returns the number of rounds of a test.
pub fn rounds(usual: u64) -> u64 {
    number("RUSTOP_TEST_ROUNDS").unwrap_or(usual)
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

//! Rate limits per object, as token buckets: a burst, then one in an interval.

use std::hash::Hash;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::hash::HashMap;

/// The number of buckets below which full ones are not looked for.
const SMALL: usize = 1024;

/// A token bucket for each key. Full buckets are not stored.
#[derive(Debug)]
pub(crate) struct RateLimits<Key> {
    /// Number of tokens in a full bucket.
    burst: u32,
    /// Time in which one token is added.
    every: Duration,
    buckets: Mutex<Buckets<Key>>,
}

#[derive(Debug)]
struct Buckets<Key> {
    /// The time at which each bucket will be full again: each missing token takes `every`.
    full_at: HashMap<Key, Instant>,
    /// The number of buckets at which full ones are removed.
    many: usize,
}

impl<Key: Eq + Hash> RateLimits<Key> {
    /// Creates limits whose buckets are full. `burst` must be at least 1: with 0, every call of
    /// `take` fails.
    pub fn new(burst: u32, every: Duration) -> Self {
        Self {
            burst,
            every,
            buckets: Mutex::new(Buckets {
                full_at: HashMap::default(),
                many: SMALL,
            }),
        }
    }

    /// Takes a token from the bucket of `key`.
    ///
    /// # Errors
    /// Returns the time until the next token if the bucket is empty.
    pub fn take(&self, key: Key, now: Instant) -> Result<(), Duration> {
        let mut buckets = self.buckets.lock();
        if buckets.full_at.len() >= buckets.many {
            buckets.full_at.retain(|_, full_at| *full_at > now);
            buckets.many = SMALL.max(2 * buckets.full_at.len());
        }
        let full_at = buckets.full_at.entry(key).or_insert(now);
        let later = (*full_at).max(now) + self.every;
        let longest = self.every * self.burst;
        match later.duration_since(now).checked_sub(longest) {
            Some(wait) if !wait.is_zero() => Err(wait),
            _ => {
                *full_at = later;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_and_then_one_in_a_while() {
        let (limits, start) = (RateLimits::new(3, Duration::from_secs(10)), Instant::now());
        let at = |key, seconds| limits.take(key, start + Duration::from_secs(seconds));
        for _ in 0..3 {
            assert_eq!(at("a", 0), Ok(()));
        }
        assert_eq!(at("a", 4), Err(Duration::from_secs(6)));
        assert_eq!(at("b", 4), Ok(()), "each has its own");
        assert_eq!(at("a", 10), Ok(()));
        assert_eq!(at("a", 10), Err(Duration::from_secs(10)));
        for _ in 0..3 {
            assert_eq!(at("a", 100), Ok(()), "it is full again, and not fuller");
        }
        assert!(at("a", 100).is_err());
    }

    #[test]
    fn full_buckets_are_not_kept() {
        let (limits, start) = (RateLimits::new(1, Duration::from_secs(1)), Instant::now());
        for number in 0..10_000 {
            let now = start + Duration::from_secs(number);
            assert_eq!(limits.take(number, now), Ok(()));
        }
        let kept = limits.buckets.lock().full_at.len();
        assert!(kept <= SMALL, "{kept}");
    }
}

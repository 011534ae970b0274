//! Exponential backoff: between retries of a failed object, and between attempts of an interrupted
//! watch.

use std::time::Duration;

use crate::random;

/// The delays between retries of one object. Each delay is twice the previous one, shortened by up
/// to a quarter at random. The sequence starts again after a success that has lasted as long as the
/// delay before it.
///
/// ```
/// # use std::time::Duration;
/// rustop_manager::Backoff::default()
///     .first(Duration::from_secs(1))
///     .longest(Duration::from_secs(30));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backoff {
    /// Delay after the first failure. Default: 200 ms.
    pub first: Duration,
    /// Maximum delay. Default: 5 minutes. For transient errors, such as an unreachable API server,
    /// it is 30 s at most.
    pub longest: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(200),
            longest: Duration::from_secs(300),
        }
    }
}

impl Backoff {
    /// Sets the delay after the first failure.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use rustop_manager::Backoff;
    /// let backoff = Backoff::default().first(Duration::from_secs(1));
    /// assert_eq!(backoff.longest, Duration::from_secs(300));
    /// ```
    #[must_use]
    pub fn first(mut self, delay: Duration) -> Self {
        self.first = delay;
        self
    }

    /// Sets the maximum delay.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use rustop_manager::Backoff;
    /// let backoff = Backoff::default().longest(Duration::from_secs(60));
    /// assert_eq!(backoff.first, Duration::from_millis(200));
    /// ```
    #[must_use]
    pub fn longest(mut self, delay: Duration) -> Self {
        self.longest = delay;
        self
    }

    /// Returns the delay after this many `failures` in a row: `first`, doubled after each further
    /// failure up to `longest`, then shortened by up to a quarter at random, so that objects that
    /// failed together are not retried together.
    pub(crate) fn delay(self, failures: u32) -> Duration {
        let doublings = failures.saturating_sub(1).min(31);
        let full = self.first.saturating_mul(1 << doublings).min(self.longest);
        full.mul_f64(1.0 - 0.25 * random::fraction())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_the_longest_and_vary_by_a_quarter() {
        let backoff = Backoff {
            first: Duration::from_secs(1),
            longest: Duration::from_secs(10),
        };
        for (failures, full) in [(1, 1), (2, 2), (3, 4), (4, 8), (5, 10), (100, 10)] {
            let full = Duration::from_secs(full);
            for _ in 0..50 {
                let delay = backoff.delay(failures);
                assert!(
                    delay <= full && delay >= full.mul_f64(0.749),
                    "{failures}: {delay:?}"
                );
            }
        }
    }

    #[test]
    fn retries_are_spread() {
        let backoff = Backoff::default();
        let delays: std::collections::BTreeSet<_> = (0..20).map(|_| backoff.delay(3)).collect();
        assert!(delays.len() > 10, "{delays:?}");
    }
}

//! Counts of consecutive failures per object.

use std::hash::Hash;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::hash::HashMap;
use crate::planted::{Bug, is_planted};

/// The failures of each object. Contains only objects that have failed.
#[derive(Debug)]
pub(crate) struct Failures<Key>(Mutex<HashMap<Key, Failure>>);

#[derive(Debug, Default)]
struct Failure {
    /// Number of failures in a row.
    count: u32,
    /// The message of the last failure; `None` after a success.
    message: Option<String>,
    /// The time of the last failure.
    last: Option<Instant>,
    /// The time of the first success since then; `None` if the last reconcile failed.
    recovered: Option<Instant>,
}

impl Failure {
    /// Returns true if the object has been without a failure since its first success for at least
    /// as long as the time between the last failure and that success: then the next failure is the
    /// first of a new row.
    fn is_over(&self, now: Instant) -> bool {
        let (Some(last), Some(recovered)) = (self.last, self.recovered) else {
            return false;
        };
        now.duration_since(recovered) >= recovered.duration_since(last)
    }
}

impl<Key> Default for Failures<Key> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Key: Eq + Hash> Failures<Key> {
    /// Counts a failure. Returns the number of consecutive failures, and true if the message
    /// differs from the last one, or if there was a success since.
    pub fn add(&self, key: Key, message: &str) -> (u32, bool) {
        self.add_at(Instant::now(), key, message)
    }

    fn add_at(&self, now: Instant, key: Key, message: &str) -> (u32, bool) {
        let mut failures = self.0.lock();
        let failure = failures.entry(key).or_default();
        if failure.is_over(now) && !is_planted(Bug::BackoffNeverReset) {
            failure.count = 0;
        }
        failure.last = Some(now);
        failure.recovered = None;
        failure.count = failure.count.saturating_add(1);
        let new = failure.message.as_deref() != Some(message);
        if new {
            failure.message = Some(message.to_owned());
        }
        (failure.count, new)
    }

    /// Returns the number of consecutive failures; 0 if the last reconcile succeeded.
    pub fn in_a_row(&self, key: &Key) -> u32 {
        let failures = self.0.lock();
        let failure = failures.get(key);
        let failure = failure.filter(|failure| failure.recovered.is_none());
        failure.map_or(0, |failure| failure.count)
    }

    /// Records a success. The next failure counts as the first one, unless it follows so soon that
    /// the object had not really recovered: otherwise an object that alternately fails and succeeds
    /// would always be retried after the shortest delay.
    pub fn recovered(&self, key: &Key) {
        self.recovered_at(Instant::now(), key);
    }

    fn recovered_at(&self, now: Instant, key: &Key) {
        let mut failures = self.0.lock();
        if let Some(failure) = failures.get_mut(key) {
            failure.message = None;
            failure.recovered.get_or_insert(now);
        }
    }

    /// Forgets an object that is gone: the next failure counts as the first one.
    pub fn reset(&self, key: &Key) {
        self.0.lock().remove(key);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn failures_are_counted_for_each_object_until_it_succeeds() {
        let failures = Failures::default();
        assert_eq!(failures.add("a", "no"), (1, true));
        assert_eq!(failures.add("a", "no"), (2, false));
        assert_eq!(failures.add("b", "no"), (1, true));
        assert_eq!(failures.add("a", "other"), (3, true));
        failures.reset(&"a");
        assert_eq!(failures.add("a", "other"), (1, true));
    }

    #[test]
    fn a_row_ends_once_the_object_was_well_for_as_long_as_it_was_not() {
        let (failures, start) = (Failures::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(failures.add_at(at(0), "a", "no"), (1, true));
        failures.recovered_at(at(10), &"a");
        assert_eq!(failures.in_a_row(&"a"), 0);
        assert_eq!(failures.add_at(at(11), "a", "no"), (2, true), "so soon");
        assert_eq!(failures.in_a_row(&"a"), 2);
        failures.recovered_at(at(21), &"a");
        failures.recovered_at(at(30), &"a");
        assert_eq!(failures.add_at(at(31), "a", "no"), (1, true));
        failures.recovered_at(at(32), &"b");
        assert_eq!(failures.add_at(at(32), "b", "no"), (1, true));
    }
}

//! Detects reconcile loops: reconciles that cause one another, because of conflicting writers, or
//! because a reconcile always requeues its object at once.
//!
//! Following something that changes quickly is not a loop. Only repeated results count, whether
//! they alternate or come in any order, as when the iteration order of a hash map gets into the
//! written object.

use std::collections::VecDeque;
use std::hash::Hash;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::hash::{HashMap, HashSet};

/// More reconciles of an object than this within [`WINDOW`] may be a loop.
const LIMIT: usize = 10;
/// Only reconciles within this time are counted.
const WINDOW: Duration = Duration::from_secs(10);
/// Delay before the loop of an object is reported again.
const SILENCE: Duration = Duration::from_secs(60);

/// A detector of reconcile loops. Remembers, for each object, its recent reconciles that had no
/// external cause and wrote something.
#[derive(Debug)]
pub(crate) struct LoopDetector<Key>(Mutex<HashMap<Key, RecentReconciles>>);

#[derive(Debug, Default)]
struct RecentReconciles {
    /// The time of each reconcile, and a hash of what it wrote.
    reconciles: VecDeque<(Instant, u64)>,
    /// The time at which a loop was last reported.
    reported: Option<Instant>,
}

impl<Key> Default for LoopDetector<Key> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Key: Eq + Hash> LoopDetector<Key> {
    /// Records a reconcile without an external cause. `written` is a hash of its writes, 0 if it
    /// wrote nothing. Returns true if a loop should be reported: more than 10 reconciles within 10
    /// s, with at most half as many different results, and no report within the last minute.
    pub fn add(&self, key: Key, written: u64, now: Instant) -> bool {
        let mut recent = self.0.lock();
        let entry = recent.entry(key).or_default();
        let is_recent = |at: Instant| now.saturating_duration_since(at) < WINDOW;
        entry.reconciles.push_back((now, written));
        while entry.reconciles.len() > 10 * LIMIT
            || entry
                .reconciles
                .front()
                .is_some_and(|(at, _)| !is_recent(*at))
        {
            entry.reconciles.pop_front();
        }
        let reported = entry
            .reported
            .is_some_and(|reported| now < reported + SILENCE);
        if reported || entry.reconciles.len() <= LIMIT {
            return false;
        }
        let states: HashSet<u64> = entry
            .reconciles
            .iter()
            .map(|(_, written)| *written)
            .collect();
        let is_loop = 2 * states.len() <= entry.reconciles.len();
        if is_loop {
            entry.reported = Some(now);
        }
        is_loop
    }

    /// Returns true if the next reconcile may be reported as a loop, so that recording its changes
    /// is worth the effort.
    pub fn suspects(&self, key: &Key) -> bool {
        let recent = self.0.lock();
        recent
            .get(key)
            .is_some_and(|entry| entry.reconciles.len() >= LIMIT)
    }

    /// Forgets an object that is gone, or that had an external cause.
    pub fn forget(&self, key: &Key) {
        self.0.lock().remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_states_are_a_hot_loop() {
        let (loops, start) = (LoopDetector::default(), Instant::now());
        let at = |millis| start + Duration::from_millis(millis);
        let reported: Vec<_> = (0..30)
            .map(|n| loops.add("a", n % 2, at(n * 100)))
            .collect();
        assert_eq!(reported.iter().position(|reported| *reported), Some(LIMIT));
        assert_eq!(reported.iter().filter(|reported| **reported).count(), 1);
        assert!(loops.suspects(&"a") && !loops.suspects(&"b"));
        loops.forget(&"a");
        assert!(!loops.suspects(&"a"));
    }

    #[test]
    fn cycling_through_few_states_is_a_hot_loop() {
        let (loops, start) = (LoopDetector::default(), Instant::now());
        let mut states = (0..60_u64).map(|n| (n * n * 31 + n * 7) % 24);
        let at = |millis| start + Duration::from_millis(millis);
        assert!((0..60).any(|n| loops.add("shuffled", states.next().unwrap(), at(n * 150))));
    }

    #[test]
    fn new_states_and_rare_writes_are_not_a_hot_loop() {
        let (loops, start) = (LoopDetector::default(), Instant::now());
        let at = |millis| start + Duration::from_millis(millis);
        assert!((0..30).all(|n| !loops.add("follows", n, at(n * 100))));
        assert!((0..30).all(|n| !loops.add("rarely", 1, at(n * 1100))));
    }
}

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

/// More reconciles than this within the window may be a loop.
const LIMIT: usize = 10;
const WINDOW: Duration = Duration::from_secs(10);
/// Delay before the loop of an object is reported again.
const SILENCE: Duration = Duration::from_secs(60);

/// The recent reconciles of each object that had no external cause and wrote something.
#[derive(Debug)]
pub(crate) struct Loops<Key>(Mutex<HashMap<Key, Row>>);

#[derive(Debug, Default)]
struct Row {
    /// The time of each reconcile, and a hash of what it wrote.
    steps: VecDeque<(Instant, u64)>,
    told: Option<Instant>,
}

impl<Key> Default for Loops<Key> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Key: Eq + Hash> Loops<Key> {
    /// Records a reconcile without an external cause, and a hash of what it wrote. Returns true if
    /// a loop should be reported.
    pub fn add(&self, key: Key, done: u64, now: Instant) -> bool {
        let mut rows = self.0.lock();
        let row = rows.entry(key).or_default();
        let recent = |at: Instant| now.saturating_duration_since(at) < WINDOW;
        row.steps.push_back((now, done));
        while row.steps.len() > 10 * LIMIT || row.steps.front().is_some_and(|(at, _)| !recent(*at))
        {
            row.steps.pop_front();
        }
        let told = row.told.is_some_and(|told| now < told + SILENCE);
        if told || row.steps.len() <= LIMIT {
            return false;
        }
        let states: HashSet<u64> = row.steps.iter().map(|(_, done)| *done).collect();
        let is_loop = 2 * states.len() <= row.steps.len();
        if is_loop {
            row.told = Some(now);
        }
        is_loop
    }

    /// Returns true if the next reconcile may be reported as a loop, so that recording its changes
    /// is worth the effort.
    pub fn suspects(&self, key: &Key) -> bool {
        let rows = self.0.lock();
        rows.get(key).is_some_and(|row| row.steps.len() >= LIMIT)
    }

    /// Forgets an object that is gone, or that had an external cause.
    pub fn end(&self, key: &Key) {
        self.0.lock().remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_states_are_a_hot_loop() {
        let (loops, start) = (Loops::default(), Instant::now());
        let at = |millis| start + Duration::from_millis(millis);
        let told: Vec<_> = (0..30)
            .map(|n| loops.add("a", n % 2, at(n * 100)))
            .collect();
        assert_eq!(told.iter().position(|told| *told), Some(LIMIT));
        assert_eq!(told.iter().filter(|told| **told).count(), 1);
        assert!(loops.suspects(&"a") && !loops.suspects(&"b"));
        loops.end(&"a");
        assert!(!loops.suspects(&"a"));
    }

    #[test]
    fn cycling_through_few_states_is_a_hot_loop() {
        let (loops, start) = (Loops::default(), Instant::now());
        let mut states = (0..60_u64).map(|n| (n * n * 31 + n * 7) % 24);
        let at = |millis| start + Duration::from_millis(millis);
        assert!((0..60).any(|n| loops.add("shuffled", states.next().unwrap(), at(n * 150))));
    }

    #[test]
    fn new_states_and_rare_writes_are_not_a_hot_loop() {
        let (loops, start) = (Loops::default(), Instant::now());
        let at = |millis| start + Duration::from_millis(millis);
        assert!((0..30).all(|n| !loops.add("follows", n, at(n * 100))));
        assert!((0..30).all(|n| !loops.add("rarely", 1, at(n * 1100))));
    }
}

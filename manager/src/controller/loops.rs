//! Reconciles that bring about one another: two who undo each other's work, or one who always asks to be called
//! again at once.
//!
//! To follow something that changes quickly is no loop: only what is done again and again counts.

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{apply::managed_fields, events::correlator::shorten};

/// With more reconciles than this in this time it is a loop.
const MANY: usize = 10;
const WINDOW: Duration = Duration::from_secs(10);
/// It is told again after this time.
const SILENCE: Duration = Duration::from_secs(60);
/// Of a value so much is told.
const LONGEST_VALUE: usize = 80;

/// The last reconciles of each object that had no cause from outside and did something.
#[derive(Debug)]
pub(crate) struct Loops<Key>(Mutex<HashMap<Key, Row>>);

#[derive(Debug, Default)]
struct Row {
    /// When, and what was done.
    steps: VecDeque<(Instant, u64)>,
    told: Option<Instant>,
}

impl<Key> Default for Loops<Key> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Key: Eq + Hash> Loops<Key> {
    /// A reconcile without a cause from outside did something. True when a loop is to be told.
    pub fn add(&self, key: Key, done: u64, now: Instant) -> bool {
        let mut rows = self.lock();
        let row = rows.entry(key).or_default();
        let recent = |at: Instant| now.saturating_duration_since(at) < WINDOW;
        row.steps.push_back((now, done));
        while row.steps.len() > 2 * MANY || row.steps.front().is_some_and(|(at, _)| !recent(*at)) {
            row.steps.pop_front();
        }
        let same = row.steps.iter().filter(|(_, other)| *other == done).count();
        let told = row.told.is_some_and(|told| now < told + SILENCE);
        let tell = row.steps.len() > MANY && 2 * same >= row.steps.len() && !told;
        if tell {
            row.told = Some(now);
        }
        tell
    }

    /// Whether it may be told with the next one, so that it is worth the effort to note what is done.
    pub fn suspects(&self, key: &Key) -> bool {
        let rows = self.lock();
        rows.get(key).is_some_and(|row| row.steps.len() >= MANY)
    }

    /// There was a cause from outside, or the object is gone.
    pub fn end(&self, key: &Key) {
        self.lock().remove(key);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Row>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one reconcile wrote.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    /// What it changed is to be noted, too.
    pub suspected: bool,
    done: Mutex<Done>,
}

#[derive(Debug, Default)]
struct Done {
    hash: Option<u64>,
    swings: Vec<String>,
}

impl Steps {
    pub fn new(suspected: bool) -> Self {
        Self {
            suspected,
            done: Mutex::default(),
        }
    }

    /// `what` was written to what is called `name`, and made this difference.
    pub fn wrote(&self, what: &impl Hash, name: &str, difference: Option<String>) {
        let mut done = self.lock();
        let hash = managed_fields::hash(&(what, name));
        done.hash = Some(done.hash.unwrap_or_default().wrapping_add(hash));
        done.swings
            .extend(difference.map(|it| name.to_owned() + &it));
    }

    /// A hash of all that was written.
    pub fn hash(&self) -> Option<u64> {
        self.lock().hash
    }

    /// The states between which what was written swings.
    pub fn swings(&self) -> String {
        match &self.lock().swings[..] {
            [] => "it writes nothing, and asks to be called again".to_owned(),
            swings => format!("swings between two states: {}", swings.join("; ")),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Done> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first place where two values differ, and both.
pub(crate) fn difference(before: &Value, after: &Value) -> Option<String> {
    match (before, after) {
        _ if before == after => None,
        (Value::Object(one), Value::Object(other)) => {
            let keys = one.keys().chain(other.keys());
            let mut keys = keys.filter(|key| *key != "lastTransitionTime");
            let at =
                |of: &serde_json::Map<String, Value>, key| of.get(key).cloned().unwrap_or_default();
            keys.find_map(|key| {
                Some(format!(
                    ".{key}{}",
                    difference(&at(one, key), &at(other, key))?
                ))
            })
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let mut pairs = one.iter().zip(other).enumerate();
            pairs.find_map(|(n, (one, other))| Some(format!("[{n}]{}", difference(one, other)?)))
        }
        _ => {
            let text = |value: &Value| shorten(&value.to_string(), LONGEST_VALUE);
            Some(format!(" is {} and {}", text(before), text(after)))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_done_again_and_again_is_a_loop() {
        let (loops, start) = (Loops::default(), Instant::now());
        let at = |millis| start + Duration::from_millis(millis);
        let told: Vec<_> = (0..30)
            .map(|n| loops.add("a", n % 2, at(n * 100)))
            .collect();
        assert_eq!(told.iter().position(|told| *told), Some(MANY));
        assert_eq!(told.iter().filter(|told| **told).count(), 1);
        assert!(loops.suspects(&"a") && !loops.suspects(&"b"));
        loops.end(&"a");
        assert!(!loops.suspects(&"a"));
    }

    #[test]
    fn what_changes_quickly_or_rarely_is_none() {
        let (loops, start) = (Loops::default(), Instant::now());
        let at = |millis| start + Duration::from_millis(millis);
        assert!((0..30).all(|n| !loops.add("follows", n, at(n * 100))));
        assert!((0..30).all(|n| !loops.add("rarely", 1, at(n * 1100))));
    }

    #[test]
    fn both_states_are_told() {
        let steps = Steps::default();
        assert_eq!(steps.hash(), None);
        let of = |replicas| json!({"spec": {"list": [1, {"replicas": replicas}]}, "x": {"lastTransitionTime": replicas}});
        steps.wrote(&1, "Deployment web", difference(&of(3), &of(5)));
        assert!(steps.hash().is_some());
        let said = "swings between two states: Deployment web.spec.list[1].replicas is 3 and 5";
        assert_eq!(steps.swings(), said);
    }
}

//! Records what a reconcile writes, to detect and describe reconcile loops.

use std::hash::{DefaultHasher, Hash, Hasher};

use parking_lot::Mutex;
use serde_json::Value;

use crate::events::correlator::shorten;

/// Maximum length of a value in the description, in bytes.
const LONGEST_VALUE: usize = 80;

/// The writes of one reconcile.
#[derive(Debug, Default)]
pub(crate) struct WriteLog {
    /// True if the caller should pass the differences to [`WriteLog::wrote`]: the reconcile may be
    /// part of a loop. Computing them is expensive.
    pub suspected: bool,
    done: Mutex<Done>,
}

#[derive(Debug, Default)]
struct Done {
    /// The sum of the hashes of all writes, which does not depend on their order; `None` before the
    /// first write.
    hash: Option<u64>,
    /// For each write with a difference, the name of the object with that difference.
    differences: Vec<String>,
}

impl WriteLog {
    /// Creates an empty log.
    pub fn new(suspected: bool) -> Self {
        Self {
            suspected,
            done: Mutex::default(),
        }
    }

    /// Records that `what` was written to the object called `name`, and the difference that it
    /// made: a result of [`difference`], such as `.spec.replicas is 1 and 2`. `None` if it was not
    /// computed.
    pub fn wrote(&self, what: &impl Hash, name: &str, difference: Option<String>) {
        let mut done = self.done.lock();
        let hash = hash(&(what, name));
        done.hash = Some(done.hash.unwrap_or_default().wrapping_add(hash));
        done.differences
            .extend(difference.map(|it| name.to_owned() + &it));
    }

    /// Returns a hash of all writes, or `None` if there were none.
    pub fn hash(&self) -> Option<u64> {
        self.done.lock().hash
    }

    /// Describes the two states between which the written objects alternate, for the report of a
    /// reconcile loop.
    pub fn describe(&self) -> String {
        match &self.done.lock().differences[..] {
            [] => "it writes nothing and requests an early requeue".to_owned(),
            differences => format!("alternates between two states: {}", differences.join("; ")),
        }
    }
}

/// Returns the first path at which two values differ, with both values: `.spec.replicas is 1 and
/// 2`. `None` if they differ nowhere, or only in `lastTransitionTime`, which changes with other
/// fields.
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

/// Returns the hash of a value, which is the same in each call of this process.
pub(crate) fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_alternating_states_are_named() {
        let writes = WriteLog::default();
        assert_eq!(writes.hash(), None);
        let of = |replicas| json!({"spec": {"list": [1, {"replicas": replicas}]}, "x": {"lastTransitionTime": replicas}});
        writes.wrote(&1, "Deployment web", difference(&of(3), &of(5)));
        assert!(writes.hash().is_some());
        let said = "alternates between two states: Deployment web.spec.list[1].replicas is 3 and 5";
        assert_eq!(writes.describe(), said);
    }
}

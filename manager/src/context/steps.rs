//! What a reconcile does, noted so that one that does the same again and again can be told of.

use std::hash::{DefaultHasher, Hash, Hasher};

use parking_lot::Mutex;
use serde_json::Value;

use crate::events::correlator::shorten;

/// Of a value so much is told.
const LONGEST_VALUE: usize = 80;

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
        let mut done = self.done.lock();
        let hash = hash(&(what, name));
        done.hash = Some(done.hash.unwrap_or_default().wrapping_add(hash));
        done.swings
            .extend(difference.map(|it| name.to_owned() + &it));
    }

    /// A hash of all that was written.
    pub fn hash(&self) -> Option<u64> {
        self.done.lock().hash
    }

    /// The states between which what was written swings.
    pub fn swings(&self) -> String {
        match &self.done.lock().swings[..] {
            [] => "it writes nothing, and asks to be called again".to_owned(),
            swings => format!("swings between two states: {}", swings.join("; ")),
        }
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

//! Conditions in a status that is JSON.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde_json::{Value, json};

use crate::condition::Conditions;

impl Conditions for Value {
    type Item = Self;

    fn set(&mut self, condition: Condition) {
        let mut new = json!(condition);
        let mut items = match self.take() {
            Self::Array(items) => items,
            _ => Vec::new(),
        };
        match items.iter_mut().find(|old| old["type"] == new["type"]) {
            None => items.push(new),
            Some(old) => {
                let since = &old["lastTransitionTime"];
                if old["status"] == new["status"] && !since.is_null() {
                    new["lastTransitionTime"] = since.clone();
                }
                *old = new;
            }
        }
        *self = items.into();
    }

    fn of_type(&self, type_: &str) -> Option<&Self> {
        let mut items = self.as_array()?.iter();
        items.find(|condition| condition["type"] == type_)
    }

    fn is_met(&self, type_: &str) -> bool {
        self.of_type(type_)
            .is_some_and(|condition| condition["status"] == "True")
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

    use super::*;
    use crate::condition::{READY, false_because, true_because};

    fn with(mut condition: Condition, second: i64) -> Condition {
        condition.last_transition_time = Time(jiff::Timestamp::from_second(second).unwrap());
        condition
    }

    #[test]
    fn conditions_in_json_are_like_typed_ones() {
        let mut typed = Vec::new();
        let mut status = json!({"conditions": "no list"});
        for condition in [
            with(false_because(READY, "Starting", "no replica"), 1),
            with(true_because("Stored", "Done", ""), 1),
            with(false_because(READY, "Waiting", "still none"), 2),
            with(true_because("Stored", "Done", "again"), 3),
            with(true_because(READY, "Serving", "one replica"), 3),
        ] {
            typed.set(condition.clone());
            status["conditions"].set(condition);
            assert_eq!(status["conditions"], json!(typed));
            for type_ in [READY, "Stored", "Unheard"] {
                assert_eq!(status["conditions"].is_met(type_), typed.is_met(type_));
            }
        }
        assert_eq!(typed.len(), 2);
    }
}

//! Which changes of a status are told, and which generation they are about.

use kube::runtime::events::EventType;
use serde_json::Value;

use crate::condition::READY;

/// Conditions that were set say which generation they are about. `before` is what was there.
pub(crate) fn stamp(before: &Value, after: &mut Value, generation: Option<i64>) {
    let (Some(generation), Some(Value::Array(items))) = (generation, after.get_mut("conditions"))
    else {
        return;
    };
    let set = items
        .iter_mut()
        .filter(|item| !conditions(before).any(|old| old == &**item));
    for condition in set.filter_map(Value::as_object_mut) {
        condition
            .entry("observedGeneration")
            .or_insert_with(|| generation.into());
    }
}

/// Something to tell of an object.
#[derive(Debug, PartialEq)]
pub(crate) struct Transition {
    pub type_: EventType,
    pub reason: String,
    pub note: String,
}

/// What changed between two statuses that is worth an event. With `failed` the condition `Ready` tells of an
/// error, of which every word is news.
pub(crate) fn transitions(before: &Value, after: &Value, failed: bool) -> Vec<Transition> {
    let text =
        |condition: &Value, field: &str| condition[field].as_str().unwrap_or_default().to_owned();
    let changed = |condition: &Value| {
        let failed = failed && condition["type"] == READY;
        let old = conditions(before).find(|old| old["type"] == condition["type"]);
        let same = old.is_some_and(|old| {
            let mut told = ["status", "reason"]
                .into_iter()
                .chain(failed.then_some("message"));
            told.all(|field| old[field] == condition[field])
        });
        let lost = old.is_some_and(|old| old["status"] == "True") && condition["status"] != "True";
        (!same).then(|| Transition {
            type_: if lost || failed {
                EventType::Warning
            } else {
                EventType::Normal
            },
            reason: text(condition, "reason"),
            note: format!(
                "{} is {}: {}",
                text(condition, "type"),
                text(condition, "status"),
                text(condition, "message")
            ),
        })
    };
    conditions(after).filter_map(changed).collect()
}

fn conditions(status: &Value) -> impl Iterator<Item = &Value> {
    status
        .get("conditions")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn status(status: &str, reason: &str, message: &str) -> Value {
        json!({"conditions": [{"type": "Ready", "status": status, "reason": reason, "message": message}]})
    }

    #[test]
    fn a_first_condition_and_a_change_of_status_or_reason_are_told() {
        let first = transitions(&json!({}), &status("False", "Starting", "wait"), false);
        assert_eq!(first.len(), 1);
        assert_eq!(first[0].type_, EventType::Normal);
        assert_eq!(first[0].note, "Ready is False: wait");
        let reason = transitions(
            &status("False", "Starting", ""),
            &status("False", "Waiting", ""),
            false,
        );
        assert_eq!(reason[0].reason, "Waiting");
        let lost = transitions(
            &status("True", "Serving", ""),
            &status("False", "Gone", ""),
            false,
        );
        assert_eq!(lost[0].type_, EventType::Warning);
    }

    #[test]
    fn an_error_is_a_warning_and_what_was_set_beside_it_is_none() {
        let both = json!({"conditions": [
            {"type": "Ready", "status": "False", "reason": "Forbidden"},
            {"type": "Found", "status": "True", "reason": "Found"},
        ]});
        let told = transitions(&json!({}), &both, true);
        let types: Vec<_> = told.iter().map(|event| event.type_).collect();
        assert_eq!(types, [EventType::Warning, EventType::Normal]);
    }

    #[test]
    fn another_message_alone_is_told_of_an_error_only() {
        let told = |failed| {
            let before = status("False", "Refused", "try 1");
            transitions(&before, &status("False", "Refused", "try 2"), failed)
        };
        assert_eq!(told(false), []);
        assert_eq!(told(true)[0].note, "Ready is False: try 2");
        let same = status("False", "Refused", "try 1");
        assert_eq!(transitions(&same, &same, true), []);
    }

    #[test]
    fn what_was_set_and_is_unstamped_gets_the_generation() {
        let before = json!({"conditions": [{"type": "Theirs"}, {"type": "A", "status": "False"}]});
        let mut after = json!({"conditions": [
            {"type": "Theirs"}, {"type": "A", "status": "True"}, {"type": "B", "observedGeneration": 1},
        ]});
        stamp(&before, &mut after, Some(3));
        let stamps: Vec<_> = conditions(&after)
            .map(|condition| condition["observedGeneration"].as_i64())
            .collect();
        assert_eq!(stamps, [None, Some(3), Some(1)]);
    }
}

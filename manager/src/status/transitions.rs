//! The events about changes of conditions, and the generation of conditions.

use kube::runtime::events::EventType;
use serde_json::Value;

use crate::condition_events::{ConditionEvents, Polarity};

/// Sets `observedGeneration` to `generation` in the conditions of `after` that differ from those of
/// `before`, unless they contain it. Does nothing if `generation` is `None`: the kind has none.
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

/// An event about a change of a condition.
#[derive(Debug, PartialEq)]
pub(crate) struct Transition {
    pub type_: EventType,
    /// The reason of the condition.
    pub reason: String,
    /// The type, the status and the message of the condition: `Ready is False: no such image`.
    pub note: String,
}

/// Returns the events for the changes between two statuses. With `failed`, the summary condition
/// reports an error, and a change of its message counts too.
pub(crate) fn transitions(
    before: &Value,
    after: &Value,
    failed: bool,
    events: &ConditionEvents,
) -> Vec<Transition> {
    let text =
        |condition: &Value, field: &str| condition[field].as_str().unwrap_or_default().to_owned();
    let changed = |condition: &Value| {
        let type_ = condition["type"].as_str().unwrap_or_default();
        let failed = failed && type_ == events.summary;
        if events.is_silent(type_) && !failed {
            return None;
        }
        let old = conditions(before).find(|old| old["type"] == condition["type"]);
        let same = old.is_some_and(|old| {
            let mut fields = ["status", "reason"]
                .into_iter()
                .chain(failed.then_some("message"));
            fields.all(|field| old[field] == condition[field])
        });
        let was = |status: &str| old.is_some_and(|old| old["status"] == status);
        let is = |status: &str| condition["status"] == status;
        let is_worse = match events.polarity(type_) {
            Polarity::Positive => was("True") && !is("True"),
            Polarity::Negative => is("True") && !was("True") || was("False") && !is("False"),
            Polarity::Neutral => false,
        };
        (!same).then(|| Transition {
            type_: if is_worse || failed {
                EventType::Warning
            } else {
                EventType::Normal
            },
            reason: text(condition, "reason"),
            note: format!(
                "{type_} is {}: {}",
                text(condition, "status"),
                text(condition, "message")
            ),
        })
    };
    conditions(after).filter_map(changed).collect()
}

/// Returns the conditions of a status; none if it has no list of conditions.
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

    /// Returns the transitions with the default settings.
    fn events_between(before: &Value, after: &Value, failed: bool) -> Vec<Transition> {
        transitions(before, after, failed, &ConditionEvents::default())
    }

    fn status(status: &str, reason: &str, message: &str) -> Value {
        json!({"conditions": [{"type": "Ready", "status": status, "reason": reason, "message": message}]})
    }

    #[test]
    fn new_conditions_and_changes_of_status_or_reason_are_events() {
        let first = events_between(&json!({}), &status("False", "Starting", "wait"), false);
        assert_eq!(first.len(), 1);
        assert_eq!(first[0].type_, EventType::Normal);
        assert_eq!(first[0].note, "Ready is False: wait");
        let reason = events_between(
            &status("False", "Starting", ""),
            &status("False", "Waiting", ""),
            false,
        );
        assert_eq!(reason[0].reason, "Waiting");
        let lost = events_between(
            &status("True", "Serving", ""),
            &status("False", "Gone", ""),
            false,
        );
        assert_eq!(lost[0].type_, EventType::Warning);
    }

    #[test]
    fn only_the_summary_condition_of_an_error_is_a_warning() {
        let both = json!({"conditions": [
            {"type": "Ready", "status": "False", "reason": "Forbidden"},
            {"type": "Found", "status": "True", "reason": "Found"},
        ]});
        let events = events_between(&json!({}), &both, true);
        let types: Vec<_> = events.iter().map(|event| event.type_).collect();
        assert_eq!(types, [EventType::Warning, EventType::Normal]);
    }

    #[test]
    fn a_changed_message_is_an_event_only_after_an_error() {
        let again = |failed| {
            let before = status("False", "Refused", "try 1");
            events_between(&before, &status("False", "Refused", "try 2"), failed)
        };
        assert_eq!(again(false), []);
        assert_eq!(again(true)[0].note, "Ready is False: try 2");
        let same = status("False", "Refused", "try 1");
        assert_eq!(events_between(&same, &same, true), []);
    }

    #[test]
    fn changed_conditions_get_the_observed_generation() {
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

    #[test]
    fn a_warning_depends_on_the_polarity_of_the_type() {
        use EventType::{Normal, Warning};
        let events = ConditionEvents {
            negative: vec!["Overloaded".to_owned()],
            ..ConditionEvents::default()
        };
        for (type_, before, after, expected) in [
            ("Ready", "False", "True", Normal),
            ("Ready", "True", "False", Warning),
            ("Ready", "True", "Unknown", Warning),
            ("Degraded", "False", "True", Warning),
            ("Degraded", "", "True", Warning),
            ("Degraded", "", "False", Normal),
            ("Degraded", "True", "False", Normal),
            ("Degraded", "False", "Unknown", Warning),
            ("Overloaded", "False", "True", Warning),
            ("Progressing", "True", "False", Normal),
            ("Progressing", "False", "True", Normal),
        ] {
            let of = |status: &str| {
                let conditions =
                    (!status.is_empty()).then(|| json!([{"type": type_, "status": status}]));
                json!({"conditions": conditions})
            };
            let found = transitions(&of(before), &of(after), false, &events);
            assert_eq!(found[0].type_, expected, "{type_}: {before} to {after}");
        }
    }

    #[test]
    fn a_silent_type_has_events_only_of_failures() {
        let events = ConditionEvents {
            summary: "Available".to_owned(),
            silent: vec!["Progressing".to_owned(), "Available".to_owned()],
            ..ConditionEvents::default()
        };
        let of = |status: &str| {
            json!({"conditions": [
                {"type": "Progressing", "status": status},
                {"type": "Available", "status": status},
            ]})
        };
        let published = |failed| transitions(&of("True"), &of("False"), failed, &events);
        assert_eq!(published(false), []);
        assert_eq!(published(true).len(), 1);
        assert!(published(true)[0].note.starts_with("Available is False"));
    }
}

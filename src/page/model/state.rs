//! The state of an object, summarized in a word.

use serde::Serialize;
use serde_json::Value;

use super::condition::Condition;

/// The summarized state of an object.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct State {
    /// `ok`, `wait`, `bad`, or `none` for an object without a state.
    pub level: &'static str,
    /// `Ready`, `Deleting`, `ImagePullBackOff`.
    pub word: String,
    /// Details in a sentence; empty if there are none.
    pub says: String,
}

/// Conditions that are True on a healthy object, the most significant first.
const GOOD: [&str; 6] = [
    "Ready",
    "Available",
    "Complete",
    "Established",
    "Healthy",
    "Succeeded",
];
/// Conditions that are True on an unhealthy object.
const BAD: [&str; 4] = ["Failed", "Stalled", "Degraded", "ReplicaFailure"];
/// Reasons of waiting containers that do not indicate a problem.
const STARTING: [&str; 2] = ["ContainerCreating", "PodInitializing"];

impl State {
    fn new(level: &'static str, word: impl Into<String>, says: impl Into<String>) -> Self {
        Self {
            level,
            word: word.into(),
            says: says.into(),
        }
    }

    /// Summarizes the current state of an object.
    pub fn of(object: &Value, conditions: &[Condition]) -> Self {
        if !object["metadata"]["deletionTimestamp"].is_null() {
            return leaving(object);
        }
        // The Pod of a finished Job keeps the condition Ready=False forever.
        if object["kind"] == "Pod" && object["status"]["phase"] == "Succeeded" {
            return Self::new("ok", "Completed", "");
        }
        if let Some(stuck) = container(object) {
            return stuck;
        }
        if let Some(bad) = conditions
            .iter()
            .find(|one| one.is_true() && BAD.contains(&one.r#type.as_str()))
        {
            return Self::new("bad", &bad.r#type, reason_and_message(bad));
        }
        let generation = object
            .pointer("/metadata/generation")
            .and_then(Value::as_i64);
        let find = |name: &&str| conditions.iter().find(|one| one.r#type == **name);
        let Some(good) = GOOD.iter().find_map(find) else {
            return unconditional(object);
        };
        let is_old = good
            .observed_generation
            .zip(generation)
            .is_some_and(|(seen, now)| seen < now);
        if is_old {
            let says = "the condition is about an earlier generation; the operator has not reconciled the latest one yet";
            return Self::new("wait", "Outdated", says);
        }
        match good.status.as_str() {
            "True" => Self::new("ok", &good.r#type, reason_and_message(good)),
            "False" if is_under_way(conditions) => {
                Self::new("wait", "Progressing", reason_and_message(good))
            }
            "False" => Self::new(
                "bad",
                format!("Not {}", good.r#type),
                reason_and_message(good),
            ),
            _ => Self::new("wait", "Unknown", reason_and_message(good)),
        }
    }
}

/// Returns true if a condition reports progress: a Deployment is not Available during a rollout
/// either.
fn is_under_way(conditions: &[Condition]) -> bool {
    let mut all = conditions.iter();
    all.any(|one| matches!(one.r#type.as_str(), "Progressing" | "Reconciling") && one.is_true())
}

fn reason_and_message(condition: &Condition) -> String {
    let (reason, message) = (&condition.reason, &condition.message);
    match (reason.is_empty(), message.is_empty()) {
        (_, true) => reason.clone(),
        (true, false) => message.clone(),
        (false, false) => format!("{reason}: {message}"),
    }
}

/// Summarizes an object that is being deleted.
fn leaving(object: &Value) -> State {
    let finalizers = object
        .pointer("/metadata/finalizers")
        .and_then(Value::as_array);
    let names: Vec<_> = finalizers
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let says = if names.is_empty() {
        String::new()
    } else {
        format!("waits for finalizer {}", names.join(", "))
    };
    State::new("wait", "Deleting", says)
}

/// Finds a container of a Pod that does not start or that failed.
fn container(object: &Value) -> Option<State> {
    let lists = ["/status/initContainerStatuses", "/status/containerStatuses"];
    let all = lists
        .iter()
        .filter_map(|list| object.pointer(list)?.as_array())
        .flatten();
    for one in all {
        let name = one["name"].as_str().unwrap_or_default();
        for state in ["waiting", "terminated"] {
            let found = &one["state"][state];
            let reason = found["reason"].as_str().unwrap_or_default();
            let is_fine = reason.is_empty() || reason == "Completed" || STARTING.contains(&reason);
            if !is_fine {
                let message = found["message"].as_str().unwrap_or("no message");
                return Some(State::new(
                    "bad",
                    reason,
                    format!("container {name}: {message}"),
                ));
            }
        }
    }
    None
}

/// Summarizes the state of an object that has no known condition.
fn unconditional(object: &Value) -> State {
    if let Some(phase) = object.pointer("/status/phase").and_then(Value::as_str) {
        let level = match phase {
            "Running" | "Active" | "Bound" | "Succeeded" | "Ready" => "ok",
            "Failed" | "Error" | "Lost" => "bad",
            _ => "wait",
        };
        return State::new(level, phase, "");
    }
    let wanted = object.pointer("/spec/replicas").and_then(Value::as_u64);
    if let Some(wanted) = wanted {
        let ready = object
            .pointer("/status/readyReplicas")
            .and_then(Value::as_u64)
            .unwrap_or(0);
        let level = if ready >= wanted { "ok" } else { "wait" };
        return State::new(level, format!("{ready}/{wanted}"), "ready replicas");
    }
    State::new("none", "Present", "")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn state(object: &Value) -> (&'static str, String) {
        let state = State::of(object, &Condition::of(object));
        (state.level, state.word)
    }

    #[test]
    fn the_most_important_condition_decides_the_state() {
        let object = |status: &str, seen: i64| {
            json!({"metadata": {"generation": 2}, "status": {"conditions": [
                {"type": "Other", "status": "False"},
                {"type": "Ready", "status": status, "observedGeneration": seen}]}})
        };
        assert_eq!(state(&object("True", 2)), ("ok", "Ready".into()));
        assert_eq!(state(&object("True", 1)), ("wait", "Outdated".into()));
        assert_eq!(state(&object("False", 2)), ("bad", "Not Ready".into()));
        assert_eq!(state(&object("Unknown", 2)), ("wait", "Unknown".into()));
    }

    #[test]
    fn without_conditions_the_phase_or_the_replicas_decide() {
        assert_eq!(
            state(&json!({"status": {"phase": "Running"}})),
            ("ok", "Running".into())
        );
        let set = json!({"spec": {"replicas": 2}, "status": {"readyReplicas": 1}});
        assert_eq!(state(&set), ("wait", "1/2".into()));
        assert_eq!(state(&json!({"data": {}})), ("none", "Present".into()));
        assert_eq!(
            state(&json!({"status": {"conditions": "nonsense"}})),
            ("none", "Present".into())
        );
    }

    #[test]
    fn a_container_that_does_not_start_comes_first() {
        let pod = |reason: &str| {
            json!({"status": {"phase": "Pending", "containerStatuses":
                [{"name": "web", "state": {"waiting": {"reason": reason, "message": "no such image"}}}]}})
        };
        assert_eq!(
            state(&pod("ImagePullBackOff")),
            ("bad", "ImagePullBackOff".into())
        );
        assert_eq!(state(&pod("ContainerCreating")), ("wait", "Pending".into()));
    }

    #[test]
    fn a_succeeded_pod_is_ok_and_a_failed_pod_is_bad() {
        let pod = |phase: &str| {
            json!({"kind": "Pod", "status": {"phase": phase, "conditions":
                [{"type": "Ready", "status": "False", "reason": "PodCompleted"}]}})
        };
        assert_eq!(state(&pod("Succeeded")), ("ok", "Completed".into()));
        assert_eq!(state(&pod("Failed")).0, "bad");
        assert_eq!(state(&pod("Running")), ("bad", "Not Ready".into()));
    }

    #[test]
    fn an_object_being_deleted_shows_its_finalizers() {
        let object = json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["a/b"]},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]}});
        let state = State::of(&object, &Condition::of(&object));
        assert_eq!(
            (state.word.as_str(), state.says.as_str()),
            ("Deleting", "waits for finalizer a/b")
        );
    }
}

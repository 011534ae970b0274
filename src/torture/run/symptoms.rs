//! Symptoms in the log of the operator and in the responses that it got: panics and missing
//! permissions.

use serde_json::Value;

use super::ScenarioRun;
use crate::torture::api::call::Verb;
use crate::torture::api::permission::Permission;
use crate::torture::journal::{self, JournalEntry, RecordedRequest};
use crate::torture::run::result::Symptom;

impl ScenarioRun<'_> {
    /// Adds the symptoms in the operator's log and in journal entries: at most one panic, and each
    /// missing permission once for each step.
    pub(super) fn collect_symptoms(&mut self, entries: &[JournalEntry], log: &str) {
        if let Some(message) = first_panic(log) {
            let of_end = |(step, symptom): &(usize, Symptom)| match symptom {
                Symptom::Exited(_) => Some(*step),
                _ => None,
            };
            let step = self.symptoms.iter().find_map(of_end).unwrap_or_default();
            // A panic and the exit that it causes are one symptom.
            self.symptoms.retain(|symptom| of_end(symptom).is_none());
            self.symptoms.push((step, Symptom::Panic(message)));
        }
        for (step, request) in journal::requests(entries) {
            if let Some(right) = denied_permission(request) {
                let symptom = Symptom::Forbidden(right);
                if !self.symptoms.contains(&(step, symptom.clone())) {
                    self.symptoms.push((step, symptom));
                }
            }
        }
    }
}

/// Returns the message of the first panic in a log, with its location: of Rust's standard hook, of
/// Go, of controller-runtime, or of the hook of `rustop-manager`.
fn first_panic(log: &str) -> Option<String> {
    let mut lines = log.lines();
    while let Some(line) = lines.next() {
        if let Some(message) = panic_of_manager(line) {
            return Some(message);
        }
        if line.contains("panicked at")
            || line.starts_with("panic:")
            || line.contains("Observed a panic")
        {
            let message = lines.next().filter(|_| line.ends_with(':'));
            let text = format!("{line} {}", message.unwrap_or_default());
            return Some(text.trim_end().to_owned());
        }
    }
    None
}

/// Returns the panic of an event that the hook of `rustop-manager` logs, as text or as JSON.
fn panic_of_manager(line: &str) -> Option<String> {
    const TARGET: &str = "manager::telemetry";
    if let Ok(event) = serde_json::from_str::<Value>(line) {
        let is_of_hook = event["target"].as_str()?.ends_with(TARGET);
        let message = event["message"].as_str()?.strip_prefix("panic: ")?;
        let at = event["at"].as_str().unwrap_or_default();
        return is_of_hook.then(|| format!("panic: {message} at=\"{at}\""));
    }
    let (_, event) = line.split_once(&format!("{TARGET}: "))?;
    event.starts_with("panic: ").then(|| event.to_owned())
}

/// Returns the permission that the authorizer requires; `None` if it did not reject the request.
/// Admission rejects writes with 403, too, but only an authorizer forbids reads.
fn denied_permission(request: &RecordedRequest) -> Option<Permission> {
    if request.status != 403 || request.injected {
        return None;
    }
    let message = request.answer["message"].as_str().unwrap_or_default();
    let reads = matches!(request.call.verb, Verb::Get | Verb::List | Verb::Watch);
    Permission::from_denial(message)
        .or_else(|| reads.then(|| Permission::required_by(&request.call)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::torture::api::call::ApiCall;

    #[test]
    fn a_panic_is_found_in_every_form() {
        for (log, message) in [
            (
                "starts\nthread 'main' (7) panicked at src/main.rs:1:1:\nboo\nends",
                Some("thread 'main' (7) panicked at src/main.rs:1:1: boo"),
            ),
            (
                "panic: runtime error: index out of range\n",
                Some("panic: runtime error: index out of range"),
            ),
            (
                "2026-11-29T12:00:00.0Z ERROR reconcile{object=a/b}: rustop_manager::telemetry: panic: boo at=\"src/a.rs:1:2\"",
                Some("panic: boo at=\"src/a.rs:1:2\""),
            ),
            (
                r#"{"level":"ERROR","at":"src/a.rs:1:2","message":"panic: boo","target":"rustop_manager::telemetry"}"#,
                Some("panic: boo at=\"src/a.rs:1:2\""),
            ),
            ("INFO the cow is in panic: it runs", None),
            (r#"{"message":"panic: boo","target":"herd"}"#, None),
        ] {
            assert_eq!(first_panic(log).as_deref(), message, "{log}");
        }
    }

    #[test]
    fn only_a_missing_right_is_forbidden_to_the_operator() {
        let missing = |method: &str, status: u16, message: &str| {
            let call = ApiCall::parse(method, "/api/v1/namespaces/t/pods/moo").unwrap();
            let request = RecordedRequest {
                status,
                answer: json!({ "message": message }),
                ..RecordedRequest::new(call, Value::Null)
            };
            denied_permission(&request).map(|right| right.to_string())
        };
        let cannot = "pods \"moo\" is forbidden: User \"keeper\" cannot create resource \"pods\" in API group \"\" in the namespace \"t\"";
        assert_eq!(
            missing("PATCH", 403, cannot).as_deref(),
            Some("create pods")
        );
        assert_eq!(missing("GET", 403, "").as_deref(), Some("get pods"));
        let quota = "pods \"moo\" is forbidden: exceeded quota: few";
        let ends = "pods \"moo\" is forbidden: unable to create new content in namespace t because it is being terminated";
        for message in [quota, ends] {
            assert_eq!(missing("PATCH", 403, message), None);
        }
        assert_eq!(missing("PATCH", 409, cannot), None);
    }
}

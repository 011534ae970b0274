//! Injection points: identifies the writes of a run so that the same write is found in other runs
//! of the scenario.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::torture::api::call::{ApiCall, Resource, Verb};
use crate::torture::fault::InjectionPoint;
use crate::torture::journal::{self, JournalEntry, RecordedRequest};

/// A counter of the effective writes of a run: those that changed their object.
#[derive(Debug, Default)]
pub struct WriteCounter {
    /// The number of effective writes so far, by the point of the first one.
    effective_writes: BTreeMap<InjectionPoint, usize>,
    /// The state that the last write to each object and subresource led to.
    last_states: BTreeMap<(Resource, String, String), Value>,
    /// The names that the API server generated, with their prefixes.
    generated: BTreeMap<String, String>,
}

impl WriteCounter {
    /// Returns the injection point of a write that has not been observed yet. Earlier writes
    /// without an effect are not counted: how often an operator repeats one depends on timing.
    /// `step` is the index of the current step. In the point's name, `NAMESPACE` replaces
    /// `namespace`, that of the run, so that the points of two runs compare.
    pub fn next_point(
        &self,
        step: usize,
        request: &RecordedRequest,
        namespace: &str,
    ) -> InjectionPoint {
        let mut point = self.first_point(step, request, namespace);
        point.occurrence = self.effective_writes.get(&point).copied().unwrap_or(0);
        point
    }

    /// Returns the injection point of the first such write.
    fn first_point(
        &self,
        step: usize,
        request: &RecordedRequest,
        namespace: &str,
    ) -> InjectionPoint {
        let name = request.name();
        let name = self.generated.get(&name).cloned().unwrap_or(name);
        let ApiCall {
            verb,
            resource,
            subresource,
            ..
        } = request.call.clone();
        InjectionPoint {
            step,
            verb,
            resource,
            subresource,
            name: name.replace(namespace, "NAMESPACE"),
            occurrence: 0,
        }
    }

    /// Counts a write with its response, and records a generated name. Ignores reads and failed
    /// requests.
    pub fn observe(&mut self, step: usize, request: &RecordedRequest, namespace: &str) {
        if !request.call.is_work() || !request.succeeded() {
            return;
        }
        let point = self.first_point(step, request, namespace);
        let of_answer = |key: &str| request.answer["metadata"][key].as_str().map(str::to_owned);
        if point.verb == Verb::Create
            && let (Some(prefix), Some(name)) = (of_answer("generateName"), of_answer("name"))
        {
            self.generated.insert(name, format!("{prefix}*"));
        }
        if self.is_effective(&point, request) {
            *self.effective_writes.entry(point).or_default() += 1;
        }
    }

    /// Reports whether a write changed the object. If the response cannot be read, every write
    /// counts.
    fn is_effective(&mut self, point: &InjectionPoint, request: &RecordedRequest) -> bool {
        let (resource, part) = (point.resource.clone(), point.subresource.clone());
        let place = (resource, part, point.name.clone());
        let now = written_state(request);
        let is_again = !now.is_null() && self.last_states.get(&place) == Some(&now);
        self.last_states.insert(place, now);
        !is_again || !matches!(point.verb, Verb::Update | Verb::Patch)
    }
}

/// Returns the part of the response that the write can have changed; null if it cannot be read.
/// The resource version stays only if the object has no generation: objects with a generation
/// usually have a status, and each write of the status changes the version, too.
fn written_state(request: &RecordedRequest) -> Value {
    let mut object = request.answer.clone();
    if request.call.subresource == "status" {
        return object
            .get_mut("status")
            .map(Value::take)
            .unwrap_or_default();
    }
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
        if metadata.contains_key("generation") {
            metadata.remove("resourceVersion");
        }
    }
    object
}

/// Returns the injection points of the successful writes of a run in `namespace`, each with
/// whether the object existed before the write.
pub fn injection_points(
    entries: &[JournalEntry],
    namespace: &str,
) -> BTreeMap<InjectionPoint, bool> {
    let mut counter = WriteCounter::default();
    let mut points = BTreeMap::new();
    for (step, request) in journal::requests(entries).filter(|(_, r)| r.call.is_work()) {
        let point = counter.next_point(step, request, namespace);
        counter.observe(step, request, namespace);
        if request.succeeded() {
            // 201: the write created the object. Another client cannot change it before that.
            points.entry(point).or_insert(request.status != 201);
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::torture::journal::JournalEvent;

    /// Returns a `PATCH` request and its response.
    fn patched(path: &str, answer: &Value) -> JournalEntry {
        let call = ApiCall::parse("PATCH", &format!("/api/v1/namespaces/t/{path}")).unwrap();
        let request = RecordedRequest {
            status: 200,
            answer: answer.clone(),
            ..RecordedRequest::new(call, Value::Null)
        };
        JournalEntry {
            at: std::time::Duration::ZERO,
            step: 1,
            event: JournalEvent::Request(Box::new(request)),
        }
    }

    fn occurrences(entries: &[JournalEntry]) -> Vec<usize> {
        let points = injection_points(entries, "t").into_keys();
        points.map(|point| point.occurrence).collect()
    }

    #[test]
    fn repeated_writes_without_effect_have_one_injection_point() {
        let map = |version: u32| {
            let answer =
                json!({"metadata": {"name": "moo", "resourceVersion": version.to_string()}});
            patched("configmaps/moo", &answer)
        };
        assert_eq!(occurrences(&[map(3)]), [0]);
        let once = occurrences(&[map(3), map(3)]);
        assert_eq!(once, occurrences(&[map(3), map(3), map(3)]));
        assert_eq!(occurrences(&[map(3), map(3), map(4)]), once);
        assert_eq!(occurrences(&[map(3), map(4), map(4)]), [0, 1, 2]);
    }

    #[test]
    fn changes_by_other_clients_are_not_writes_of_the_operator() {
        let pod = |generation: u32, version: u32, phase: &str| {
            let metadata = json!({"name": "moo", "generation": generation, "resourceVersion": version.to_string()});
            json!({"metadata": metadata, "status": {"phase": phase}})
        };
        let times = |path: &str, answers: &[Value]| {
            let entries: Vec<_> = answers.iter().map(|answer| patched(path, answer)).collect();
            occurrences(&entries).len()
        };
        let answers = [
            pod(1, 3, "Pending"),
            pod(1, 5, "Running"),
            pod(1, 5, "Running"),
        ];
        assert_eq!(times("pods/moo", &answers), 2);
        assert_eq!(times("pods/moo/status", &answers), 3);
        let unread = [Value::Null, Value::Null, Value::Null];
        assert_eq!(times("pods/moo", &unread), 3, "each counts");
    }
}

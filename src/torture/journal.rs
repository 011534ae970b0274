//! The journal of a run: the operator's requests, the watch events that it received, and the
//! injected faults, ordered by time.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::torture::api::call::{ApiCall, Resource, Verb};
use crate::torture::api::field_manager::FieldManager;
use crate::torture::api::rejection;

/// An event of a run with its time.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct JournalEntry {
    /// The time since the run began.
    pub at: Duration,
    /// The index of the scenario's step; 0 also before the first one begins.
    pub step: usize,
    #[serde(rename = "what")]
    pub event: JournalEvent,
}

/// An event of a run.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum JournalEvent {
    /// A step of the scenario with this description began, or the API server refused it.
    Step(String),
    /// A fault with this description was injected.
    Fault(String),
    /// The operator was `started` or `killed`, or exited.
    Operator(String),

    /// The operator sent a request, at the time of the entry. Its response is added later.
    Request(Box<RecordedRequest>),
    /// A watch event was delivered to the operator.
    #[serde(rename = "news")]
    WatchEvent {
        /// `deployments.apps`
        resource: String,
        /// `ADDED`, `MODIFIED`, `DELETED`, `ERROR`.
        change: String,
        name: String,
    },
}

/// A request of the operator and the response to it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RecordedRequest {
    pub call: ApiCall,
    /// The body of the request; null without one. Of a protobuf body, the metadata only.
    pub body: Value,
    /// The HTTP status of the response; 0 until it arrives.
    pub status: u16,
    /// The body of the response; null for successful lists and watches.
    pub answer: Value,
    /// True if a fault replaced the API server's response.
    pub injected: bool,
    /// The field manager of a write. Replay files do not contain it.
    #[serde(skip)]
    pub manager: FieldManager,
}

impl RecordedRequest {
    /// Creates a request without a response.
    pub fn new(call: ApiCall, body: Value) -> Self {
        Self {
            call,
            body,
            status: 0,
            answer: Value::Null,
            injected: false,
            manager: FieldManager::default(),
        }
    }

    /// Reports whether the API server accepted the request.
    pub fn succeeded(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Reports whether the API server rejected the request because of its content, by validation or
    /// admission, so that it would also reject a repetition. A JSON patch whose `test` operation
    /// fails is a conflict instead; its status is 422, too, but without causes.
    pub fn is_refused(&self) -> bool {
        let failed_test = self.body.is_array() && self.answer["details"]["causes"].is_null();
        let message = self.answer["message"].as_str().unwrap_or_default();
        let is_admission_denial = self.status == 403 && rejection::is_admission_denial(message);
        ([400, 422].contains(&self.status) && !failed_test) || is_admission_denial
    }

    /// Reports whether the request has acquired or renewed a Lease. A new Lease without a holder,
    /// and a released one, do not count.
    pub fn is_lease_write(&self) -> bool {
        let holder = self.answer["spec"]["holderIdentity"].as_str();
        self.call.verb.writes()
            && self.succeeded()
            && self.call.resource.group == "coordination.k8s.io"
            && holder.is_some_and(|holder| !holder.is_empty())
    }

    /// Returns the name of the object, or `PREFIX*` if the API server generates it; empty for a
    /// collection.
    pub fn name(&self) -> String {
        let own = self.call.name.clone();
        own.or_else(|| name_in(&self.body)).unwrap_or_default()
    }
}

/// Returns the name in the metadata of an object, or `PREFIX*` if the API server generates it.
pub fn name_in(object: &Value) -> Option<String> {
    let text = |key: &str| object["metadata"][key].as_str().map(str::to_owned);
    text("name").or_else(|| text("generateName").map(|prefix| format!("{prefix}*")))
}

/// The journal of a run in progress. Clones share it: the proxy and the run have one each.
#[derive(Clone, Debug)]
pub struct Journal {
    start: Instant,
    state: Arc<Mutex<JournalState>>,
}

#[derive(Debug, Default)]
struct JournalState {
    step: usize,
    entries: Vec<JournalEntry>,
    written: WrittenObjects,
}

/// The cluster-scoped objects that a run has written: group, plural and name, or `PREFIX*` for a
/// generated name.
pub type WrittenObjects = BTreeSet<(String, String, String)>;

impl Journal {
    /// Creates an empty journal whose time begins now.
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
            state: Arc::default(),
        }
    }

    /// Creates an empty journal of a run that continues with the objects of an earlier one, which
    /// has `written` these.
    pub fn after(written: WrittenObjects) -> Self {
        let journal = Self::new();
        journal.with(|state| state.written = written);
        journal
    }

    /// Returns an empty journal whose times count from the same start, so that its entries can be
    /// ordered with those of this one.
    pub fn parallel(&self) -> Self {
        Self {
            start: self.start,
            state: Arc::default(),
        }
    }

    /// Returns the cluster-scoped objects that the operator and the scenario have written.
    pub fn written(&self) -> WrittenObjects {
        self.with(|state| state.written.clone())
    }

    /// Appends an event with the current time and step, and returns its index.
    pub fn add(&self, event: JournalEvent) -> usize {
        let at = self.start.elapsed();
        self.with(|state| {
            if let JournalEvent::Request(request) = &event {
                let ApiCall { verb, resource, .. } = &request.call;
                let makes = matches!(verb, Verb::Create | Verb::Update | Verb::Patch);
                if makes && request.call.is_work() && request.call.namespace.is_none() {
                    state.write(resource, request.name());
                }
            }
            let step = state.step;
            state.entries.push(JournalEntry { at, step, event });
            state.entries.len() - 1
        })
    }

    /// Records that the scenario writes a cluster-scoped object. Writes of the operator are
    /// recorded with its requests.
    pub fn note_write(&self, resource: &Resource, name: &str) {
        self.with(|state| state.write(resource, name.to_owned()));
    }

    /// Reports whether the operator or the scenario has written the cluster-scoped object of this
    /// name.
    pub fn has_written(&self, resource: &Resource, name: &str) -> bool {
        self.with(|state| {
            state.written.iter().any(|(group, plural, written)| {
                let is_named = match written.strip_suffix('*') {
                    Some(prefix) => name.starts_with(prefix),
                    None => name == written,
                };
                is_named && *group == resource.group && *plural == resource.plural
            })
        })
    }

    /// Records the response to the request whose index `number` [`Self::add`] has returned.
    /// `injected` is true if a fault replaced the response of the API server.
    pub fn record_response(&self, number: usize, status: u16, answer: Value, injected: bool) {
        self.with(|state| {
            if let Some(JournalEvent::Request(request)) =
                state.entries.get_mut(number).map(|entry| &mut entry.event)
            {
                (request.status, request.answer, request.injected) = (status, answer, injected);
            }
        });
    }

    /// Begins the step of the scenario with this index. `event` describes the step.
    pub fn begin_step(&self, number: usize, event: String) {
        self.with(|state| state.step = number);
        self.add(JournalEvent::Step(event));
    }

    /// Returns a copy of the entries.
    pub fn entries(&self) -> Vec<JournalEntry> {
        self.with(|state| state.entries.clone())
    }

    /// Calls a function with the entries, without copying them.
    pub fn with_entries<T>(&self, with_entries: impl FnOnce(&[JournalEntry]) -> T) -> T {
        self.with(|state| with_entries(&state.entries))
    }

    /// Returns the time since the run began.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn with<T>(&self, work: impl FnOnce(&mut JournalState) -> T) -> T {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl JournalState {
    /// Records the name of an object, or its prefix with a `*` if the API server generates the
    /// rest.
    fn write(&mut self, resource: &Resource, name: String) {
        let (group, plural) = (resource.group.clone(), resource.plural.clone());
        self.written.insert((group, plural, name));
    }
}

/// Returns the requests among entries, each with its time.
pub fn timed(entries: &[JournalEntry]) -> impl Iterator<Item = (Duration, &RecordedRequest)> {
    entries.iter().filter_map(|entry| match &entry.event {
        JournalEvent::Request(request) => Some((entry.at, &**request)),
        _ => None,
    })
}

/// Returns the requests among entries, each with the index of its step.
pub fn requests(entries: &[JournalEntry]) -> impl Iterator<Item = (usize, &RecordedRequest)> {
    entries.iter().filter_map(|entry| match &entry.event {
        JournalEvent::Request(request) => Some((entry.step, &**request)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_of_the_cluster_is_known_by_who_has_written_it() {
        let journal = Journal::new();
        for (method, target, body) in [
            ("PATCH", "/apis/my.domain/v1/fleets/north/status", json!({})),
            (
                "POST",
                "/api/v1/namespaces",
                json!({"metadata": {"name": "north"}}),
            ),
            (
                "POST",
                "/apis/my.domain/v1/barns",
                json!({"metadata": {"generateName": "b-"}}),
            ),
            (
                "POST",
                "/apis/my.domain/v1/namespaces/n/cows",
                json!({"metadata": {"name": "moo"}}),
            ),
            (
                "GET",
                "/apis/rbac.authorization.k8s.io/v1/clusterroles/admin",
                json!({}),
            ),
            (
                "DELETE",
                "/apis/rbac.authorization.k8s.io/v1/clusterroles/edit",
                json!({}),
            ),
        ] {
            let call = ApiCall::parse(method, target).unwrap();
            journal.add(JournalEvent::Request(Box::new(RecordedRequest::new(
                call, body,
            ))));
        }
        let has = |group: &str, plural: &str, name: &str| {
            let resource = Resource {
                group: group.into(),
                version: "v1".into(),
                plural: plural.into(),
            };
            journal.has_written(&resource, name)
        };
        assert!(has("my.domain", "fleets", "north") && has("", "namespaces", "north"));
        assert!(has("my.domain", "barns", "b-x1") && !has("my.domain", "barns", "a-x1"));
        assert!(!has("my.domain", "cows", "moo"), "it is in a namespace");
        for name in ["admin", "edit"] {
            assert!(!has("rbac.authorization.k8s.io", "clusterroles", name));
        }
        journal.note_write(&Resource::core("nodes"), "one");
        assert!(has("", "nodes", "one") && !has("", "nodes", "two"));
    }

    #[test]
    fn a_patch_whose_test_fails_is_late_and_not_refused() {
        let is_refused = |body: Value, details: Value| {
            let call = ApiCall::parse("PATCH", "/apis/my.domain/v1/namespaces/t/coops/moo");
            let request = RecordedRequest {
                status: 422,
                answer: json!({ "details": details }),
                ..RecordedRequest::new(call.unwrap(), body)
            };
            request.is_refused()
        };
        let causes = json!({"causes": [{"field": "spec.hens"}]});
        assert!(!is_refused(json!([{"op": "test"}]), json!({})));
        assert!(is_refused(json!([{"op": "add"}]), causes.clone()));
        assert!(is_refused(json!({"spec": {"hens": -1}}), causes));
    }

    #[test]
    fn a_quota_refuses_and_a_missing_right_does_not() {
        let is_refused = |message: &str| {
            let call = ApiCall::parse("POST", "/api/v1/namespaces/t/pods").unwrap();
            let request = RecordedRequest {
                status: 403,
                answer: json!({ "message": message }),
                ..RecordedRequest::new(call, json!({}))
            };
            request.is_refused()
        };
        assert!(is_refused("pods \"moo\" is forbidden: exceeded quota: few"));
        assert!(!is_refused(
            "pods is forbidden: User \"keeper\" cannot create resource \"pods\" in API group \"\""
        ));
        assert!(!is_refused(
            "pods \"moo\" is forbidden: unable to create new content in namespace t because it is being terminated"
        ));
    }
}

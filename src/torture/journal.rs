//! All that an operator did and heard in one run, in the order of time.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::torture::api::call::{Call, Resource, Verb};
use crate::torture::api::rejection;

/// Something that happened.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Entry {
    /// Since the run began.
    pub at: Duration,
    /// The step of the scenario.
    pub step: usize,
    /// What it was.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum What {
    /// The scenario went on.
    Step(String),
    /// A fault was done.
    Fault(String),
    /// The operator was started, killed, or ended by itself.
    Operator(String),
    /// A request of the operator.
    Request(Box<Request>),
    /// A watch told the operator something.
    News {
        /// Of which objects: `deployments.apps`.
        resource: String,
        /// `ADDED`, `MODIFIED`, `DELETED`, `ERROR`.
        change: String,
        /// Of which object.
        name: String,
    },
}

/// A request and how it went.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Request {
    /// What was asked.
    pub call: Call,
    /// What was sent.
    pub body: Value,
    /// 0 where there is no answer so far.
    pub status: u16,
    /// What came back; not for lists and watches.
    pub answer: Value,
    /// Whether the answer is a fault and not the API server's.
    pub injected: bool,
}

impl Request {
    /// One that has no answer yet.
    pub fn new(call: Call, body: Value) -> Self {
        Self {
            call,
            body,
            status: 0,
            answer: Value::Null,
            injected: false,
        }
    }

    /// Whether the API server did it.
    pub fn succeeded(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether the API server takes nothing like it. A JSON patch whose test fails is not of that kind: somebody was faster.
    pub fn is_refused(&self) -> bool {
        let failed_test = self.body.is_array() && self.answer["details"]["causes"].is_null();
        let message = self.answer["message"].as_str().unwrap_or_default();
        let by_admission = self.status == 403 && rejection::by_admission(message);
        ([400, 422].contains(&self.status) && !failed_test) || by_admission
    }

    /// The name of the object, also of one whose name the API server chooses.
    pub fn name(&self) -> String {
        let of_body = |key: &str| self.body["metadata"][key].as_str().map(str::to_owned);
        let generated = || of_body("generateName").map(|prefix| format!("{prefix}*"));
        let own = self.call.name.clone();
        own.or_else(|| of_body("name"))
            .or_else(generated)
            .unwrap_or_default()
    }
}

/// A journal that is being written.
#[derive(Clone, Debug)]
pub struct Journal {
    start: Instant,
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    step: usize,
    entries: Vec<Entry>,
    /// The cluster-scoped objects that the run has written: group, plural, and name.
    written: BTreeSet<(String, String, String)>,
}

impl Journal {
    /// An empty one, from now on.
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
            inner: Arc::default(),
        }
    }

    /// Adds an entry; its number.
    pub fn add(&self, what: What) -> usize {
        let at = self.start.elapsed();
        self.with(|inner| {
            if let What::Request(request) = &what {
                let Call { verb, resource, .. } = &request.call;
                let makes = matches!(verb, Verb::Create | Verb::Update | Verb::Patch);
                if makes && request.call.is_work() && request.call.namespace.is_none() {
                    inner.write(resource, request.name());
                }
            }
            let step = inner.step;
            inner.entries.push(Entry { at, step, what });
            inner.entries.len() - 1
        })
    }

    /// Notes that the scenario writes a cluster-scoped object, as requests of the operator are noted.
    pub fn write(&self, resource: &Resource, name: &str) {
        self.with(|inner| inner.write(resource, name.to_owned()));
    }

    /// Reports whether the operator or the scenario has written the cluster-scoped object of this name.
    pub fn has_written(&self, resource: &Resource, name: &str) -> bool {
        self.with(|inner| {
            inner.written.iter().any(|(group, plural, written)| {
                let is_named = match written.strip_suffix('*') {
                    Some(prefix) => name.starts_with(prefix),
                    None => name == written,
                };
                is_named && *group == resource.group && *plural == resource.plural
            })
        })
    }

    /// How the request with that number went.
    pub fn answer(&self, number: usize, status: u16, answer: Value, injected: bool) {
        self.with(|inner| {
            if let Some(What::Request(request)) =
                inner.entries.get_mut(number).map(|entry| &mut entry.what)
            {
                (request.status, request.answer, request.injected) = (status, answer, injected);
            }
        });
    }

    /// The scenario is at that step now.
    pub fn step(&self, number: usize, what: String) {
        self.with(|inner| inner.step = number);
        self.add(What::Step(what));
    }

    /// All of it so far.
    pub fn entries(&self) -> Vec<Entry> {
        self.with(|inner| inner.entries.clone())
    }

    /// Looks at it without a copy.
    pub fn look<T>(&self, look: impl FnOnce(&[Entry]) -> T) -> T {
        self.with(|inner| look(&inner.entries))
    }

    /// How long it is being written.
    pub fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn with<T>(&self, work: impl FnOnce(&mut Inner) -> T) -> T {
        work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Inner {
    /// Notes the name of an object, or its prefix with a `*` where the API server chooses the rest.
    fn write(&mut self, resource: &Resource, name: String) {
        let (group, plural) = (resource.group.clone(), resource.plural.clone());
        self.written.insert((group, plural, name));
    }
}

/// The requests among entries, each with its step.
pub fn requests(entries: &[Entry]) -> impl Iterator<Item = (usize, &Request)> {
    entries.iter().filter_map(|entry| match &entry.what {
        What::Request(request) => Some((entry.step, &**request)),
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
            let call = Call::parse(method, target).unwrap();
            journal.add(What::Request(Box::new(Request::new(call, body))));
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
        journal.write(&Resource::core("nodes"), "one");
        assert!(has("", "nodes", "one") && !has("", "nodes", "two"));
    }

    #[test]
    fn a_patch_whose_test_fails_is_late_and_not_refused() {
        let is_refused = |body: Value, details: Value| {
            let call = Call::parse("PATCH", "/apis/my.domain/v1/namespaces/t/coops/moo");
            let request = Request {
                status: 422,
                answer: json!({ "details": details }),
                ..Request::new(call.unwrap(), body)
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
            let call = Call::parse("POST", "/api/v1/namespaces/t/pods").unwrap();
            let request = Request {
                status: 403,
                answer: json!({ "message": message }),
                ..Request::new(call, json!({}))
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

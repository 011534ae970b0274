//! Faults: deliberate failures at chosen requests and watch events of an operator.

use std::fmt;
use std::time::Duration;

use http::StatusCode;
use kube::Resource;
use serde::{Deserialize, Serialize};

use crate::recorder::What;

/// The operation of a request, or a watch event.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Operation {
    /// A read of one object.
    Get,
    /// A list, or one page of it.
    List,
    /// The start of a watch.
    Watch,
    /// A POST of a new object.
    Create,
    /// A PUT that replaces an object.
    Update,
    /// A patch other than a server-side apply.
    Patch,
    /// A server-side apply.
    Apply,
    /// A delete of one object.
    Delete,
    /// A delete of all objects that a selector matches.
    DeleteCollection,
    /// An event that a watch reports: an object was added, modified or deleted.
    Event,
    /// A call of a webhook, for a write of an object. The webhooks of an operator are called for
    /// the writes of all clients.
    Review,
}

impl Operation {
    /// Returns the name, as in a trace: `delete-collection`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Apply => "apply",
            Self::Delete => "delete",
            Self::DeleteCollection => "delete-collection",
            Self::Event => "event",
            Self::Review => "review",
        }
    }

    /// Returns the operation with this name, as [`Operation::name`] returns it.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let all = [
            Self::Get,
            Self::List,
            Self::Watch,
            Self::Create,
            Self::Update,
            Self::Patch,
            Self::Apply,
            Self::Delete,
            Self::DeleteCollection,
            Self::Event,
            Self::Review,
        ];
        all.into_iter().find(|operation| operation.name() == name)
    }

    /// Returns the verb of the operation in RBAC rules: `patch` for an apply.
    pub(crate) fn verb(self) -> &'static str {
        match self {
            Self::Apply => "patch",
            Self::DeleteCollection => "deletecollection",
            Self::Event => "watch",
            other => other.name(),
        }
    }

    /// Returns true if the request may change objects.
    #[must_use]
    pub fn is_write(self) -> bool {
        !matches!(
            self,
            Self::Get | Self::List | Self::Watch | Self::Event | Self::Review
        )
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The failure of one request or of one watch event.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Fault {
    /// The API server rejects the request with this status code: 409, 429, 500 or 503, for example.
    /// It is the response after all retries of the client.
    Status(u16),
    /// The API server handles the request, but responds with 504 Gateway Timeout, as if etcd had
    /// taken too long.
    TimedOut,
    /// The connection breaks before the request reaches the API server.
    LostRequest,
    /// The API server handles the request, and the connection breaks before the response arrives.
    LostResponse,
    /// The API server handles the request, and the response arrives so many milliseconds later. The
    /// operator's client waits 65 s for a response.
    DelayedResponse(u64),
    /// The operator is killed before the request reaches the API server.
    CrashBefore,
    /// The operator is killed after the API server has handled the request, and before the response
    /// arrives.
    CrashAfter,
    /// The process of the operator is frozen for so many milliseconds before the request reaches
    /// the API server: none of the tasks of its manager runs. Tasks that the operator's author
    /// started with `tokio::spawn` are not frozen. Other processes continue.
    Freeze(u64),
    /// Another client changes the object of the request just before: it sets an annotation.
    ForeignEdit,
    /// Another client deletes the object of the request just before.
    ForeignDelete,
    /// The watch reports this event and the following ones so many milliseconds later.
    DelayedEvent(u64),
    /// The watch ends instead of reporting the event. The next watch reports it.
    BrokenWatch,
    /// The API server discards its history, and the watch ends with the error 410 Gone.
    ExpiredWatch,
    /// The list has one object and a continue token that has expired when the client sends it: the
    /// next page is answered with 410 Gone.
    BrokenList,
    /// Before the request, etcd is restored from a backup: in a simulation, from the state after
    /// the last step of the user. Leases are not restored. All watches end with 410 Gone.
    Restore,
    /// Before the request, the clock of the operator's machine is set forward, or back, by so many
    /// milliseconds. Sleeps do not change.
    ClockJump(i64),
}

impl Fault {
    /// Returns true if the fault can occur at this operation.
    #[must_use]
    pub fn fits(self, operation: Operation) -> bool {
        if operation == Operation::Review {
            return matches!(
                self,
                Self::CrashBefore | Self::LostRequest | Self::DelayedResponse(_)
            );
        }
        match self {
            Self::DelayedEvent(_) | Self::BrokenWatch | Self::ExpiredWatch => {
                operation == Operation::Event
            }
            Self::CrashBefore => true,
            Self::BrokenList => operation == Operation::List,
            Self::CrashAfter
            | Self::Status(409)
            | Self::TimedOut
            | Self::Restore
            | Self::ClockJump(_) => operation.is_write(),
            Self::ForeignEdit | Self::ForeignDelete => {
                operation.is_write() && operation != Operation::DeleteCollection
            }
            _ => operation != Operation::Event,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(code) => {
                let status = StatusCode::from_u16(*code).ok();
                let reason = status.and_then(|status| status.canonical_reason());
                write!(
                    f,
                    "the API server answers {code} {}",
                    reason.unwrap_or_default()
                )
            }
            Self::TimedOut => {
                f.write_str("the request takes effect, and the API server answers 504")
            }
            Self::LostRequest => f.write_str("the connection breaks before the request arrives"),
            Self::LostResponse => f.write_str(
                "the request takes effect, and the connection breaks before the response",
            ),
            Self::DelayedResponse(millis) => {
                write!(f, "the response arrives {} s late", seconds(*millis))
            }
            Self::CrashBefore => f.write_str("the operator is killed before the request arrives"),
            Self::CrashAfter => f.write_str(
                "the request takes effect, and the operator is killed before the response",
            ),
            Self::Freeze(millis) => write!(
                f,
                "the operator is frozen for {} s before the request arrives",
                seconds(*millis)
            ),
            Self::ForeignEdit => f.write_str("another client edits the object just before"),
            Self::ForeignDelete => f.write_str("another client deletes the object just before"),
            Self::DelayedEvent(millis) => {
                write!(f, "the watch event arrives {} s late", seconds(*millis))
            }
            Self::BrokenWatch => f.write_str("the watch breaks instead of reporting the event"),
            Self::ExpiredWatch => f.write_str("the watch ends with 410 Gone"),
            Self::BrokenList => f.write_str("the list ends after one object with 410 Gone"),
            Self::Restore => f.write_str("etcd is restored from a backup just before"),
            Self::ClockJump(millis) => {
                let way = if *millis < 0 { "back" } else { "forward" };
                let by = seconds(millis.unsigned_abs());
                write!(f, "the clock is set {way} by {by} s")
            }
        }
    }
}

fn seconds(millis: u64) -> f64 {
    Duration::from_millis(millis).as_secs_f64()
}

/// Selects requests of operators by operation and kind, for
/// [`Cluster::fail_next`](super::Cluster::fail_next).
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Requests {
    pub(crate) operation: Operation,
    /// The resource with its group, and a subresource: `deployments.apps/status`.
    pub(crate) resource: String,
    /// The name of the object. `None` for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// The number of the matching request at which the fault occurs, from 1.
    pub(crate) nth: u32,
}

impl Requests {
    /// Selects the next request with this operation on objects of a kind. The status subresource
    /// does not count.
    #[must_use]
    pub fn of<K: Resource<DynamicType = ()>>(operation: Operation) -> Self {
        Self {
            operation,
            resource: resource::<K>(),
            name: None,
            nth: 1,
        }
    }

    /// Selects requests on the status subresource instead.
    #[must_use]
    pub fn status(mut self) -> Self {
        self.resource.push_str("/status");
        self
    }

    /// Restricts the selected requests to those for the object with this name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Selects the `n`th matching request from now on instead of the next one, which is number 1. 0
    /// counts as 1.
    #[must_use]
    pub fn nth(mut self, n: u32) -> Self {
        self.nth = n.max(1);
        self
    }

    /// Returns true if the request matches, whatever its number is.
    pub(super) fn select(&self, call: &Label) -> bool {
        self.operation == call.operation
            && self.resource == call.resource
            && self.name.as_ref().is_none_or(|name| *name == call.name)
    }
}

impl fmt::Display for Requests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            operation,
            resource,
            name,
            nth,
        } = self;
        write!(f, "{operation} {resource}")?;
        if let Some(name) = name {
            write!(f, " {name}")?;
        }
        write!(f, ", number {nth}")
    }
}

/// Returns the resource of a kind with its group: `deployments.apps`.
pub(crate) fn resource<K: Resource<DynamicType = ()>>() -> String {
    let (plural, group) = (K::plural(&()), K::group(&()));
    if group.is_empty() {
        plural.into_owned()
    } else {
        format!("{plural}.{group}")
    }
}

/// The operation and the object of a request or a watch event.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub operation: Operation,
    /// The resource with its group, and a subresource: `deployments.apps/status`.
    pub resource: String,
    /// Empty for a cluster-scoped object, and for a request across namespaces.
    pub namespace: String,
    /// Empty for a list, a watch, and a create with a generated name.
    pub name: String,
}

impl Label {
    /// Returns the entry for the recorder that `fault` occurs at this request.
    pub fn fails(&self, fault: Fault) -> What {
        let Self {
            operation,
            resource,
            ..
        } = self;
        let object = self.object();
        What::Note(format!("FAULT at {operation} {resource} {object}: {fault}"))
    }

    /// Returns the object as `namespace/name`, `name` without a namespace, or `namespace/` without
    /// a name.
    pub fn object(&self) -> String {
        match (&*self.namespace, &*self.name) {
            ("", name) => name.to_owned(),
            (namespace, "") => format!("{namespace}/"),
            (namespace, name) => format!("{namespace}/{name}"),
        }
    }
}

/// The faults that are still to occur.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<Pending>);

/// A fault that is still to occur.
#[derive(Debug)]
struct Pending {
    requests: Requests,
    fault: Fault,
    /// The fault occurs at this matching request, counted from 1.
    countdown: u32,
}

impl Faults {
    /// Adds a fault at one of the requests from now on.
    pub fn add(&mut self, requests: Requests, fault: Fault) {
        // A replay file may contain 0.
        let countdown = requests.nth.max(1);
        self.0.push(Pending {
            requests,
            fault,
            countdown,
        });
    }

    /// Counts a request, and returns the fault that occurs at it. If several are due at once, the
    /// first one occurs, and the others are due at the next matching request.
    pub fn take(&mut self, call: &Label) -> Option<Fault> {
        let mut due = None;
        self.0.retain_mut(|pending| {
            if !pending.requests.select(call) {
                return true;
            }
            if pending.countdown > 1 {
                pending.countdown -= 1;
                return true;
            }
            let is_late = due.is_some();
            due.get_or_insert(pending.fault);
            is_late
        });
        due
    }

    /// Returns the faults that have not occurred, as they were added.
    pub fn pending(&self) -> Vec<(Requests, Fault)> {
        let pending = self.0.iter();
        pending.map(|it| (it.requests.clone(), it.fault)).collect()
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::{apps::v1::Deployment, core::v1::Pod};

    use super::*;

    fn call(operation: Operation, resource: &str, name: &str) -> Label {
        Label {
            operation,
            resource: resource.to_owned(),
            namespace: "default".to_owned(),
            name: name.to_owned(),
        }
    }

    #[test]
    fn a_fault_occurs_once_at_the_nth_matching_request() {
        let mut faults = Faults::default();
        let applies = Requests::of::<Deployment>(Operation::Apply);
        faults.add(applies.clone().nth(2), Fault::LostRequest);
        faults.add(applies.named("b").status(), Fault::Status(500));
        faults.add(Requests::of::<Pod>(Operation::Get), Fault::CrashBefore);
        let mut take = |operation, resource, name| faults.take(&call(operation, resource, name));
        let apply = Operation::Apply;
        assert_eq!(take(apply, "deployments.apps", "a"), None);
        assert_eq!(take(Operation::Update, "deployments.apps", "a"), None);
        assert_eq!(
            take(apply, "deployments.apps", "b"),
            Some(Fault::LostRequest)
        );
        assert_eq!(take(apply, "deployments.apps", "b"), None);
        assert_eq!(take(apply, "deployments.apps/status", "a"), None);
        assert_eq!(
            take(apply, "deployments.apps/status", "b"),
            Some(Fault::Status(500))
        );
        assert_eq!(take(Operation::Get, "pods", "a"), Some(Fault::CrashBefore));
    }

    #[test]
    fn a_fault_is_pending_until_it_occurs() {
        let mut faults = Faults::default();
        let read = Requests::of::<Pod>(Operation::Get).nth(2);
        faults.add(read.clone(), Fault::LostRequest);
        assert_eq!(faults.take(&call(Operation::Get, "pods", "a")), None);
        assert_eq!(faults.pending(), [(read, Fault::LostRequest)]);
        faults.take(&call(Operation::Get, "pods", "a")).unwrap();
        assert_eq!(faults.pending(), []);
    }

    #[test]
    fn the_request_number_zero_is_the_first() {
        let mut faults = Faults::default();
        let text = r#"{"operation": "get", "resource": "pods", "nth": 0}"#;
        faults.add(serde_json::from_str(text).unwrap(), Fault::LostRequest);
        let fault = faults.take(&call(Operation::Get, "pods", "a"));
        assert_eq!(fault, Some(Fault::LostRequest));
    }

    #[test]
    fn a_fault_survives_its_json() {
        for fault in [
            Fault::Status(409),
            Fault::DelayedEvent(5000),
            Fault::CrashAfter,
            Fault::ClockJump(-5000),
        ] {
            let text = serde_json::to_string(&fault).unwrap();
            assert_eq!(serde_json::from_str::<Fault>(&text).unwrap(), fault);
        }
        assert_eq!(
            serde_json::to_string(&Fault::Status(409)).unwrap(),
            r#"{"status":409}"#
        );
    }

    #[test]
    fn faults_at_one_request_occur_one_after_the_other() {
        let mut faults = Faults::default();
        let get = Requests::of::<Pod>(Operation::Get);
        faults.add(get.clone(), Fault::LostRequest);
        faults.add(get.clone(), Fault::Status(500));
        let pod = call(Operation::Get, "pods", "a");
        assert_eq!(faults.take(&pod), Some(Fault::LostRequest));
        assert_eq!(faults.pending(), [(get, Fault::Status(500))]);
        assert_eq!(faults.take(&pod), Some(Fault::Status(500)));
        assert_eq!(faults.take(&pod), None);
    }

    #[test]
    fn delays_are_printed_in_seconds() {
        for (fault, text) in [
            (
                Fault::DelayedEvent(500),
                "the watch event arrives 0.5 s late",
            ),
            (
                Fault::DelayedResponse(30_000),
                "the response arrives 30 s late",
            ),
            (Fault::ClockJump(-1500), "the clock is set back by 1.5 s"),
        ] {
            assert_eq!(fault.to_string(), text);
        }
    }
}

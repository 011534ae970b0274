//! The proxy between an operator and the API server. It records each request, response and watch
//! event, and injects faults.
//!
//! The operator sees one namespace as if no other existed, except for its own objects in others:
//! requests across all namespaces are narrowed to that one. So several operators can run on one
//! control plane without seeing each other.

mod exchange;
mod late_write;
mod other_namespaces;
mod protobuf;
mod response;
pub mod server;
mod watch_stream;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING,
};
use hyper::body::Bytes;
use kube::client::Body;
use tokio::sync::watch;

use crate::torture::api::call::{ApiCall, Resource, Verb};
use crate::torture::env::node_ports::NodePorts;
use crate::torture::env::upstream::Upstream;
use crate::torture::error::Result;
use crate::torture::fault::injector::Injector;
use crate::torture::journal::{Journal, JournalEvent};
use crate::torture::proxy::response::{Disconnected, UpstreamResponse};

/// The time after which a connection whose response is lost is closed.
pub const NO_RESPONSE_AFTER: Duration = Duration::from_secs(1);

/// The proxy of one run, between one operator and the API server. It is shared by all connections.
pub struct Proxy {
    upstream: Upstream,
    /// The only namespace that the operator sees; `None` if it sees the whole cluster.
    scope: Option<String>,
    journal: Journal,
    ports: NodePorts,
    injector: Mutex<Injector>,
    step: Mutex<StepState>,
    operator: Mutex<OperatorState>,
    /// Incremented each time the operator is killed: connections of an earlier incarnation are
    /// dead.
    incarnation: AtomicU64,
    /// The number of watch events and writes that are delayed, and of requests that have no
    /// response yet.
    pending: AtomicUsize,
    /// The resources whose watches break in this step; sent at once, since a receiver sees only the
    /// last value. None is sent when the proxy closes.
    broken_watches: watch::Sender<Vec<Resource>>,
}

/// The part of a proxy that belongs to the current step of the scenario.
#[derive(Default)]
struct StepState {
    /// The resource version of the API server before the step.
    version_before: String,
    /// The request of the next step, if that step is a single request.
    next_request: Option<http::Request<Vec<u8>>>,
}

/// The proxy's knowledge about the operator.
struct OperatorState {
    process: Option<rustix::process::Pid>,
    /// The time of the last request other than a watch or a lease.
    last_request: Instant,
    /// The kinds of successful write, with the incarnation that made them.
    writes: BTreeSet<(u64, Verb, Resource)>,
    /// The groups with versions that the operator asked for and the API server does not serve:
    /// `example.com/v1`.
    missing_group_versions: BTreeSet<String>,
}

impl Proxy {
    /// Creates the proxy of a run before the first request.
    pub fn new(
        upstream: Upstream,
        scope: Option<String>,
        journal: Journal,
        injector: Injector,
        ports: NodePorts,
    ) -> Arc<Self> {
        Arc::new(Self {
            upstream,
            scope,
            journal,
            ports,
            injector: Mutex::new(injector),
            step: Mutex::default(),
            operator: Mutex::new(OperatorState {
                process: None,
                last_request: Instant::now(),
                writes: BTreeSet::new(),
                missing_group_versions: BTreeSet::new(),
            }),
            incarnation: AtomicU64::new(0),
            pending: AtomicUsize::new(0),
            broken_watches: watch::channel(Vec::new()).0,
        })
    }

    /// Begins a step of the scenario. `version_before` is the resource version of the API server
    /// before it, `next_request` the request of the step after it.
    pub fn begin_step(
        &self,
        step: usize,
        version_before: String,
        next_request: Option<http::Request<Vec<u8>>>,
    ) {
        *lock(&self.step) = StepState {
            version_before,
            next_request,
        };
        let broken = lock(&self.injector).begin_step(step);
        for resource in &broken {
            self.journal.add(JournalEvent::Fault(format!(
                "the watches of {resource} break"
            )));
        }
        if !broken.is_empty() {
            self.broken_watches.send_replace(broken);
        }
    }

    /// Calls a function with the injector.
    pub fn faults<T>(&self, ask: impl FnOnce(&mut Injector) -> T) -> T {
        ask(&mut lock(&self.injector))
    }

    /// Sets the process to kill for a crash fault.
    pub fn runs(&self, process: Option<rustix::process::Pid>) {
        lock(&self.operator).process = process;
    }

    /// Kills the operator and drops its open requests.
    pub fn kill(&self) {
        self.incarnation.fetch_add(1, Ordering::SeqCst);
        let process = lock(&self.operator).process.take();
        if let Some(process) = process {
            let _ = rustix::process::kill_process_group(process, rustix::process::Signal::KILL);
            self.journal.add(JournalEvent::Operator("killed".into()));
        }
    }

    /// Returns the number of delayed watch events and writes, and of requests without a response.
    pub fn pending(&self) -> usize {
        self.pending.load(Ordering::SeqCst)
    }

    /// Returns the time of the last request other than a watch or a lease.
    pub fn active(&self) -> Instant {
        lock(&self.operator).last_request
    }

    /// Returns a group and version that the operator asked for and the API server does not serve:
    /// `example.com/v1`.
    pub fn missing(&self) -> Option<String> {
        lock(&self.operator).missing_group_versions.first().cloned()
    }

    /// Closes all connections of the operator, and ends its watches.
    pub fn close(&self) {
        self.incarnation.fetch_add(1, Ordering::SeqCst);
        self.broken_watches.send_replace(Vec::new());
    }

    /// Returns an error if the operator was killed since this incarnation.
    fn check_alive(&self, incarnation: u64) -> Result<(), Disconnected> {
        if self.incarnation.load(Ordering::SeqCst) == incarnation {
            Ok(())
        } else {
            Err(Disconnected)
        }
    }

    /// Narrows a request across all namespaces to the namespace of the run. Returns whether it did.
    fn scope(&self, call: &mut ApiCall) -> bool {
        let Some(scope) = &self.scope else {
            return false;
        };
        let reads_all = call.name.is_none() && matches!(call.verb, Verb::List | Verb::Watch);
        if reads_all && call.resource == Resource::core("namespaces") {
            // Otherwise an operator that lists namespaces would work in those of other runs.
            call.select_fields(&format!("metadata.name%3D{scope}"));
            return false;
        }
        let namespaced = self
            .upstream
            .kinds
            .of(&call.resource)
            .is_some_and(|kind| kind.namespaced);
        let all = call.namespace.is_none() && call.name.is_none();
        let is_narrowed = namespaced
            && all
            && matches!(call.verb, Verb::List | Verb::Watch | Verb::DeleteCollection);
        if is_narrowed {
            call.namespace = Some(scope.clone());
        }
        is_narrowed
    }

    /// Sends a request to the API server as the operator.
    async fn forward(
        &self,
        head: &http::request::Parts,
        target: &str,
        body: Bytes,
    ) -> Result<UpstreamResponse, Disconnected> {
        let mut request = http::Request::builder().method(&head.method).uri(target);
        for (name, value) in &head.headers {
            let is_left = [
                ACCEPT_ENCODING,
                AUTHORIZATION,
                CONNECTION,
                CONTENT_LENGTH,
                HOST,
                TRANSFER_ENCODING,
            ]
            .contains(name);
            // The proxy reads JSON only; clients that prefer protobuf accept it, too.
            let binary =
                *name == ACCEPT && value.as_bytes().windows(8).any(|part| part == b"protobuf");
            if !is_left && !binary {
                request = request.header(name, value);
            }
        }
        let request = request.body(Body::from(body)).map_err(|_| Disconnected)?;
        self.upstream
            .operator
            .send(request)
            .await
            .map(UpstreamResponse)
            .map_err(|_| Disconnected)
    }
}

/// Locks a mutex, even if a thread panicked while it held the lock.
pub fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

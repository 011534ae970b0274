//! Between an operator and the API server: sees each request, each answer and each event of a watch, and
//! does faults.
//!
//! The operator is shown one namespace as if there were no other, but for what it has there itself: what it asks of all
//! namespaces is asked of that one. So any operator can run beside others on one control plane, knowing nothing of it.

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
use crate::torture::env::node_ports::Ports;
use crate::torture::env::upstream::Upstream;
use crate::torture::error::Result;
use crate::torture::fault::injector::Injector;
use crate::torture::journal::{Journal, JournalEvent};
use crate::torture::proxy::response::{Cut, Upstreamed};

/// How long a client waits in vain for the answer that never comes.
pub const IN_VAIN: Duration = Duration::from_secs(1);

/// A proxy for one run.
#[derive(Clone)]
pub struct Proxy(Arc<Shared>);

/// What there is of it once.
pub struct Shared {
    upstream: Upstream,
    /// The only namespace that there is; none where all of the cluster is shown.
    scope: Option<String>,
    journal: Journal,
    injector: Mutex<Injector>,
    ports: Ports,
    /// What the API server was at when the step began: its resource version.
    past: Mutex<String>,
    /// What a user asks for in the next step, if it can be asked for at once.
    next: Mutex<Option<http::Request<Vec<u8>>>>,
    /// The process of the operator.
    process: Mutex<Option<rustix::process::Pid>>,
    /// Connections of an operator that was killed are dead as well.
    life: AtomicU64,
    /// What the operator changed in which of its lives.
    worked: Mutex<BTreeSet<(u64, Verb, Resource)>>,
    /// News and writes that are held back.
    held: AtomicUsize,
    /// When the operator last asked for something other than news.
    active: Mutex<Instant>,
    /// Groups that it asked for, and that are not there.
    missing: Mutex<BTreeSet<String>>,
    /// The kind whose watches break, each time that it changes.
    breaks: watch::Sender<Option<Resource>>,
}

impl Proxy {
    /// Before the first request.
    pub fn new(
        upstream: Upstream,
        scope: Option<String>,
        journal: Journal,
        injector: Injector,
        ports: Ports,
    ) -> Self {
        Self(Arc::new(Shared {
            upstream,
            scope,
            journal,
            injector: Mutex::new(injector),
            ports,
            past: Mutex::default(),
            next: Mutex::default(),
            process: Mutex::default(),
            life: AtomicU64::new(0),
            worked: Mutex::default(),
            held: AtomicUsize::new(0),
            active: Mutex::new(Instant::now()),
            missing: Mutex::default(),
            breaks: watch::channel(None).0,
        }))
    }

    /// The scenario goes on; `past` is where the API server is before, and `next` what a user asks for in the step after
    /// this.
    pub fn begin(&self, step: usize, past: String, next: Option<http::Request<Vec<u8>>>) {
        *lock(&self.0.past) = past;
        *lock(&self.0.next) = next;
        let broken = lock(&self.0.injector).begin_step(step);
        for resource in broken {
            self.0.journal.add(JournalEvent::Fault(format!(
                "the watches of {resource} break"
            )));
            self.0.breaks.send_replace(Some(resource));
        }
    }

    /// Asks the faults of the run something.
    pub fn faults<T>(&self, ask: impl FnOnce(&mut Injector) -> T) -> T {
        ask(&mut lock(&self.0.injector))
    }

    /// The operator is this process now.
    pub fn runs(&self, process: Option<rustix::process::Pid>) {
        *lock(&self.0.process) = process;
    }

    /// Kills the operator, and with it all that it is about to ask.
    pub fn kill(&self) {
        self.0.life.fetch_add(1, Ordering::SeqCst);
        if let Some(process) = lock(&self.0.process).take() {
            let _ = rustix::process::kill_process_group(process, rustix::process::Signal::KILL);
            self.0.journal.add(JournalEvent::Operator("killed".into()));
        }
    }

    /// How many pieces of news and writes are held back, and how many requests have no answer yet.
    pub fn held(&self) -> usize {
        self.0.held.load(Ordering::SeqCst)
    }

    /// When the operator last asked for something other than news.
    pub fn active(&self) -> Instant {
        *lock(&self.0.active)
    }

    /// A group and version that the operator asked for, and the API server does not have: `example.com/v1`.
    pub fn missing(&self) -> Option<String> {
        lock(&self.0.missing).first().cloned()
    }

    /// Ends all connections.
    pub fn close(&self) {
        self.0.life.fetch_add(1, Ordering::SeqCst);
        self.0.breaks.send_replace(None);
    }

    /// Whether the operator that asked in that life of it still runs.
    fn is_alive(&self, life: u64) -> Result<(), Cut> {
        if self.0.life.load(Ordering::SeqCst) == life {
            Ok(())
        } else {
            Err(Cut)
        }
    }

    /// Shows the operator one namespace only; true if it asked about all.
    fn scope(&self, call: &mut ApiCall) -> bool {
        let Some(scope) = &self.0.scope else {
            return false;
        };
        let reads_all = call.name.is_none() && matches!(call.verb, Verb::List | Verb::Watch);
        if reads_all && call.resource == Resource::core("namespaces") {
            // Else an operator that works in all namespaces would work in those of other runs.
            call.select_fields(&format!("metadata.name%3D{scope}"));
            return false;
        }
        let namespaced = self
            .0
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

    /// Asks the API server.
    async fn forward(
        &self,
        head: &http::request::Parts,
        target: &str,
        body: Bytes,
    ) -> Result<Upstreamed, Cut> {
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
            // All that is read here is JSON; a client reads that as well as the binary form.
            let binary =
                *name == ACCEPT && value.as_bytes().windows(8).any(|part| part == b"protobuf");
            if !is_left && !binary {
                request = request.header(name, value);
            }
        }
        let request = request.body(Body::from(body)).map_err(|_| Cut)?;
        self.0
            .upstream
            .operator
            .send(request)
            .await
            .map(Upstreamed)
            .map_err(|_| Cut)
    }
}

/// What it guards, also after a panic.
pub fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

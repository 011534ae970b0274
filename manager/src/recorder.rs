//! The record of what happens in an in-memory cluster: the trace of a simulation. Each thread has
//! its own.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::tasks::process::current;

/// The time that each reconcile takes in a simulation, in addition to its requests. Without it, a
/// reconcile that requeues its object at once would stop the virtual time.
const COMPUTES: Duration = Duration::from_millis(1);
/// The resource of leader election. Its writes are not changes of the operator's objects.
pub(crate) const LEASES: &str = "leases.coordination.k8s.io";

/// One entry of a trace.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct TraceEntry {
    /// Virtual time since the start of the record.
    pub at: Duration,
    pub what: What,
}

/// An event of a history. A `process` is the number of a process of the operator, 0 for other
/// clients. A `resource` is the plural name with the group, such as `deployments.apps`, and an
/// `object` is `namespace/name`, or `name` for a cluster-scoped one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum What {
    /// A request with its response.
    Request(Box<Request>),
    /// A watch event was sent to a process.
    Event {
        process: usize,
        resource: String,
        /// The type of the event: `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`.
        kind: String,
        object: String,
        /// The resource version in the event.
        version: String,
    },
    /// A webhook was called for a write.
    Review {
        /// The process that serves the webhook; 0 if there was none.
        process: usize,
        webhook: String,
        /// The operation of the write: `UPDATE`.
        operation: &'static str,
        /// The resource of the write: `deployments.apps/status`.
        resource: String,
        object: String,
        /// The decision, or the reason why there is none.
        outcome: String,
    },
    /// A reconcile started.
    Started {
        process: usize,
        controller: String,
        object: String,
        /// The causes, as in the log: `child Deployment/web, time`.
        causes: String,
    },
    /// A reconcile returned.
    Ended {
        process: usize,
        controller: String,
        object: String,
        /// The reason and the message of a failure; `None` after a success.
        failure: Option<(String, String)>,
        /// The requeue delay; `None` if the object waits for a change.
        again: Option<Duration>,
    },
    /// A predicate or a mapper of a controller panicked at a change of an object.
    Panicked {
        process: usize,
        controller: String,
        object: String,
        message: String,
    },
    /// The roles of the operator do not allow a request, or an access review reported so.
    Denied {
        /// The verb and the resource: `patch deployments.apps/status`.
        request: String,
        /// The object; empty if the request names none.
        object: String,
        /// The marker that allows the request.
        marker: String,
    },
    /// A fault was injected, a process started or ended, or a step of the scenario was taken.
    Note(String),
}

/// A request to the API server, with its response.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Request {
    /// The number of the process that sent it; 0 for clients other than the operator.
    pub process: usize,
    /// The shard of the object that it is about; `None` without shards, and for requests that are
    /// about no object of a controller.
    pub shard: Option<u32>,
    /// The operation: `get`, `list`, `watch`, `create`, `update`, `apply`, `patch`, `delete` or
    /// `delete-collection`.
    pub operation: &'static str,
    /// The plural name with the group and the subresource: `deployments.apps/status`.
    pub resource: String,
    /// `namespace/name`, or `name` for a cluster-scoped object.
    pub object: String,
    /// The HTTP status; 0 if no response arrived.
    pub status: u16,
    /// The resource version of the object after the request; empty if the response has none.
    pub version: String,
    /// True if the request changed something.
    pub changed: bool,
    /// Hash of the request's body.
    pub body: u64,
    /// The message of an error response; empty for other responses.
    pub message: String,
}

/// The record of one thread.
#[derive(Debug)]
pub(crate) struct Record {
    start: Instant,
    pub entries: Vec<TraceEntry>,
    /// The result of the last reconcile of each object.
    pub last: BTreeMap<Reconciled, Last>,
    /// The processes that have ended. A reconcile of a killed process may still start before its
    /// task is dropped, but never returns.
    ended: BTreeSet<usize>,
    /// The time of the last change in the API server, or of an event after which the operator may
    /// still change something: see [`Record::mark_active`].
    pub active: Instant,
}

/// The process, the controller and the object of a reconcile.
pub(crate) type Reconciled = (usize, String, String);

/// The result of the last reconcile of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Last {
    /// True while a reconcile of the object runs.
    pub running: bool,
    /// True if it failed and will be repeated. While a reconcile runs, this is the result of the
    /// previous one.
    pub failed: bool,
    /// The delay after which the object is reconciled again without a change; `None` if it waits
    /// for a change, or while a reconcile runs.
    pub again: Option<Duration>,
}

thread_local! {
    static RECORD: RefCell<Option<Record>> = const { RefCell::new(None) };
}

/// Starts the record of this thread.
pub(crate) fn begin() {
    let start = Instant::now();
    RECORD.set(Some(Record {
        start,
        entries: Vec::new(),
        last: BTreeMap::new(),
        ended: BTreeSet::new(),
        active: start,
    }));
}

/// Ends the record, and returns its entries.
pub(crate) fn end() -> Vec<TraceEntry> {
    RECORD.take().map_or_else(Vec::new, |record| record.entries)
}

/// Calls a function with the record, if there is one.
pub(crate) fn with<T>(look: impl FnOnce(&mut Record) -> T) -> Option<T> {
    RECORD.with_borrow_mut(|record| record.as_mut().map(look))
}

/// Adds an entry, if there is a record.
pub(crate) fn note(what: impl FnOnce() -> What) {
    with(|record| record.add(what()));
}

/// Records that a reconcile starts, and waits for the time that it takes.
pub(crate) async fn reconcile_starts(controller: &str, object: &str, causes: &impl fmt::Display) {
    let is_on = with(|record| {
        let (process, controller, object) = (current(), controller.to_owned(), object.to_owned());
        if record.ended.contains(&process) {
            return;
        }
        let key = (process, controller.clone(), object.clone());
        let running = Last {
            running: true,
            failed: record.has_failed(&key),
            again: None,
        };
        record.last.insert(key, running);
        record.add(What::Started {
            process,
            controller,
            object,
            causes: causes.to_string(),
        });
    });
    if is_on.is_some() {
        sleep(COMPUTES).await;
    }
}

/// Records the result of a reconcile: the reason and the message of a failure, and the requeue
/// delay.
pub(crate) fn reconcile_ends(
    controller: &str,
    object: &str,
    failure: Option<(&str, String)>,
    again: Option<Duration>,
) {
    with(|record| {
        let (process, controller, object) = (current(), controller.to_owned(), object.to_owned());
        let last = Last {
            running: false,
            failed: failure.is_some() && again.is_some(),
            again,
        };
        let key = (process, controller.clone(), object.clone());
        // The requeue delay starts now, and not at the last change.
        if record.has_failed(&key) && !last.failed {
            record.mark_active();
        }
        record.last.insert(key, last);
        record.add(What::Ended {
            process,
            controller,
            object,
            failure: failure.map(|(reason, text)| (reason.to_owned(), text)),
            again,
        });
    });
}

impl Record {
    /// Adds an entry. A request that changed an object other than a Lease also counts as activity:
    /// Leases are renewed all the time, even if the operator has nothing to do.
    pub fn add(&mut self, what: What) {
        if let What::Request(request) = &what
            && request.changed
            && request.resource != LEASES
        {
            self.mark_active();
        }
        let at = self.start.elapsed();
        self.entries.push(TraceEntry { at, what });
    }

    /// Records that an object changed just now, or that a reconcile succeeded after a failure, so
    /// that the operator may change something soon.
    pub fn mark_active(&mut self) {
        self.active = Instant::now();
    }

    /// Returns true if the last finished reconcile of an object failed.
    fn has_failed(&self, key: &Reconciled) -> bool {
        self.last.get(key).is_some_and(|last| last.failed)
    }

    /// Forgets the reconciles of a process that has ended, and records no further ones.
    pub fn forget_reconciles(&mut self, process: usize) {
        self.ended.insert(process);
        self.last.retain(|(of, ..), _| *of != process);
    }
}

impl fmt::Display for TraceEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.at.as_millis();
        write!(
            f,
            "{:>6}.{:03} s  {}",
            millis / 1000,
            millis % 1000,
            self.what
        )
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(request) => request.fmt(f),
            Self::Event {
                process,
                resource,
                kind,
                object,
                version,
            } => write!(
                f,
                "operator {process} sees {kind} {resource} {object} at {version}"
            ),
            Self::Review {
                process,
                webhook,
                operation,
                resource,
                object,
                outcome,
            } => {
                if *process > 0 {
                    write!(f, "operator {process}: ")?;
                }
                write!(
                    f,
                    "webhook {webhook} for {operation} {resource} {object} -> {outcome}"
                )
            }
            Self::Started {
                process,
                controller,
                object,
                causes,
            } => write!(
                f,
                "operator {process}: {controller} reconciles {object} ({causes})"
            ),
            Self::Ended {
                process,
                controller,
                object,
                failure,
                again,
            } => {
                write!(f, "operator {process}: {controller} returns for {object}")?;
                if let Some((reason, message)) = failure {
                    write!(f, ": {reason}: {message}")?;
                }
                match again {
                    Some(again) => write!(f, ", again in {again:?}"),
                    None => Ok(()),
                }
            }
            Self::Panicked {
                process,
                controller,
                object,
                message,
            } => write!(
                f,
                "operator {process}: {controller} at a change of {object}: {message}"
            ),
            Self::Denied {
                request, object, ..
            } => write!(f, "the roles do not allow `{request}` {object}"),
            Self::Note(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.process {
            0 => f.write_str("cluster")?,
            number => write!(f, "operator {number}")?,
        }
        write!(f, ": {} {} {}", self.operation, self.resource, self.object)?;
        match self.status {
            0 => f.write_str(" -> no response")?,
            status => write!(f, " -> {status}")?,
        }
        if self.changed {
            write!(f, ", now version {}", self.version)?;
        }
        if !self.message.is_empty() {
            write!(f, ": {}", self.message)?;
        }
        Ok(())
    }
}

//! The part of the in-memory API server that all requests and watches share: its state, the faults,
//! and the notifications about changes.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
    sync::{Arc, Weak},
    task::Waker,
    time::Duration,
};

use parking_lot::{Mutex, MutexGuard};
use tokio::{sync::Notify, time::sleep};

use super::{
    failure::Failure,
    fault::{Fault, Faults, Label, Requests},
    permissions::Permissions,
    state::State,
};
use crate::tasks::process::Process;

/// Upper limit, exclusive, of the latency of a response or a watch event, in milliseconds.
const LATENCY: u64 = 5;

/// A function that is called after each request that changed something.
pub(super) type OnChange = Arc<dyn Fn() + Send + Sync>;

/// An in-memory API server.
pub(super) struct Server {
    state: Mutex<State>,
    /// The newest revision that the watches were notified about.
    notified: AtomicU64,
    /// Wakes the watches in the order in which they wait. (A channel of tokio wakes its receivers
    /// in random order.)
    reported: Notify,
    /// Number of requests so far.
    requests: AtomicU64,
    /// The number of the next process of an operator.
    processes: AtomicUsize,
    /// The errors that fail the test. An entry is of no use once its operator is dropped.
    failures: Mutex<Vec<Weak<Failure>>>,
    faults: Mutex<Faults>,
    /// The number of holds of watch events by resource, such as `deployments.apps`.
    held: Mutex<BTreeMap<String, usize>>,
    /// Notifies the watches that a hold was released.
    released: Notify,
    on_change: Mutex<Option<OnChange>>,
    /// The permissions of operators; `None` if they may do everything.
    permissions: Mutex<Option<Arc<Permissions>>>,
    /// Number of responses and watch events that a fault delays.
    delayed: AtomicUsize,
}

/// The latency of one request, which the seed determines.
#[derive(Clone, Copy)]
pub(super) struct Latency {
    /// Time until the request takes effect.
    pub there: Duration,
    /// Time from then until the response arrives.
    pub back: Duration,
}

impl Server {
    pub fn new(seed: u64) -> Self {
        Self {
            state: Mutex::new(State::new(seed)),
            notified: AtomicU64::new(0),
            reported: Notify::new(),
            requests: AtomicU64::new(0),
            processes: AtomicUsize::new(1),
            failures: Mutex::default(),
            faults: Mutex::default(),
            held: Mutex::default(),
            released: Notify::new(),
            on_change: Mutex::default(),
            permissions: Mutex::default(),
            delayed: AtomicUsize::new(0),
        }
    }

    /// Locks the state. A second lock on the same thread would wait forever, so drop the guard
    /// before calling a function that locks the state, and before an `await`.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Draws the latency of a request.
    pub fn latency(&self) -> Latency {
        let random = &mut self.state().random;
        let total = random.below(LATENCY);
        let there = random.below(total + 1);
        Latency {
            there: Duration::from_millis(there),
            back: Duration::from_millis(total - there),
        }
    }

    /// Waits for a time that the seed determines.
    pub async fn pause(&self) {
        let time = self.state().random.below(LATENCY);
        sleep(Duration::from_millis(time)).await;
    }

    /// Returns a new process of an operator.
    pub fn process(&self) -> Arc<Process> {
        Process::new(self.processes.fetch_add(1, Ordering::Relaxed))
    }

    /// Makes [`Server::report_failures`] report the error of an operator, until that is dropped.
    pub fn report_in_settle(&self, failure: &Arc<Failure>) {
        self.failures.lock().push(Arc::downgrade(failure));
    }

    /// Panics if an operator ended with an error.
    pub fn report_failures(&self) {
        let failures = self.failures.lock().clone();
        for failure in failures.iter().filter_map(Weak::upgrade) {
            failure.report();
        }
    }

    /// Adds a fault, which occurs once.
    pub fn inject(&self, requests: Requests, fault: Fault) {
        self.faults.lock().add(requests, fault);
    }

    /// Counts a request or a watch event of a process, and returns the fault that occurs at it.
    /// Requests of the test have none and do not count.
    pub fn fault(&self, process: &Process, call: &Label) -> Option<Fault> {
        if !process.is_operator() {
            return None;
        }
        self.faults.lock().take(call)
    }

    /// Returns the faults that have not occurred.
    pub fn pending_faults(&self) -> Vec<(Requests, Fault)> {
        self.faults.lock().pending()
    }

    /// Freezes a process, and returns at once. A task ends the freeze after some milliseconds; the
    /// tasks of the process then continue in an order that the seed determines.
    pub fn freeze(self: &Arc<Self>, process: &Arc<Process>, millis: u64) {
        process.freeze();
        let (server, process) = (self.clone(), process.clone());
        tokio::spawn(async move {
            server.delay(millis).await;
            let mut tasks = process.thaw();
            server.state().random.shuffle(&mut tasks);
            tasks.into_iter().for_each(Waker::wake);
        });
    }

    /// Waits for the delay of a fault.
    pub async fn delay(&self, millis: u64) {
        let _counted = Counted::new(&self.delayed);
        sleep(Duration::from_millis(millis)).await;
    }

    /// Returns the number of delays of faults that have not ended.
    pub fn delayed(&self) -> usize {
        self.delayed.load(Ordering::Relaxed)
    }

    /// Holds the watch events of a resource, until [`Server::release`] is called as often.
    pub fn hold(&self, resource: &str) {
        *self.held.lock().entry(resource.to_owned()).or_default() += 1;
    }

    /// Ends one hold of the watch events of a resource.
    pub fn release(&self, resource: &str) {
        let mut held = self.held.lock();
        if let Some(count) = held.get_mut(resource) {
            *count -= 1;
        }
        held.retain(|_, count| *count > 0);
        self.released.notify_waiters();
    }

    /// Waits until the watch events of a resource are not held.
    pub async fn wait_until_released(&self, resource: &str) {
        wait_until(&self.released, || !self.held.lock().contains_key(resource)).await;
    }

    /// Sets the function that is called after each change. `None` removes it.
    pub fn on_change(&self, call: Option<OnChange>) {
        *self.on_change.lock() = call;
    }

    /// Sets the permissions of operators.
    pub fn authorize(&self, permissions: Arc<Permissions>) {
        *self.permissions.lock() = Some(permissions);
    }

    /// Returns the permissions of a process; `None` if it may do everything.
    pub fn permissions(&self, process: &Process) -> Option<Arc<Permissions>> {
        let permissions = self.permissions.lock().clone();
        permissions.filter(|_| process.is_operator())
    }

    /// Counts a request.
    pub fn count_request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of requests and the revision, which change with any activity.
    pub fn activity(&self) -> (u64, u64) {
        (self.requests.load(Ordering::Relaxed), self.state().revision)
    }

    /// Notifies the watches, and the function of [`Server::on_change`], if there is a new revision.
    pub fn notify_watches(&self) {
        let revision = self.state().revision;
        let is_new = self.notified.swap(revision, Ordering::Relaxed) != revision;
        if is_new {
            self.reported.notify_waiters();
        }
        let call = self.on_change.lock().clone();
        if let Some(call) = call.filter(|_| is_new) {
            call();
        }
    }

    /// Waits until there is a newer revision than `seen`.
    pub async fn changed_after(&self, seen: u64) {
        wait_until(&self.reported, || {
            self.notified.load(Ordering::Relaxed) > seen
        })
        .await;
    }
}

/// Waits for notifications until a condition is true.
async fn wait_until(notify: &Notify, is_so: impl Fn() -> bool) {
    loop {
        // It receives notifications from its creation on, so none is missed between the check and
        // the wait.
        let notified = notify.notified();
        if is_so() {
            return;
        }
        notified.await;
    }
}

/// Counts one until it is dropped.
struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

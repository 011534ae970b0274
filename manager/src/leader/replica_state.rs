//! The state of a replica: it fills its caches as a standby, brings them up to date, and then
//! leads.
//!
//! A standby can fill its caches because the fence (`leader/fence.rs`) prevents it from writing.
//! But they may lack the last writes of the previous leader; a list that starts after these writes
//! does not. So each watch receives the moment after which no other replica can write, and proves
//! that it has received everything up to that moment (`cache/reflector.rs`). Nothing is reconciled
//! before.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

/// The state of a replica, initially a standby. Clones share their state.
#[derive(Clone, Default)]
pub(crate) struct ReplicaState(Arc<Inner>);

#[derive(Default)]
struct Inner {
    state: Mutex<LeaderSnapshot>,
    /// Wakes the caches in the order in which they wait, so that a test can repeat a run. (A
    /// channel of tokio wakes its receivers in random order.)
    changed: Notify,
}

#[derive(Clone, Copy, Default)]
struct LeaderSnapshot {
    /// The latest moment that was given to [`ReplicaState::quiet_since`].
    quiet: Option<Instant>,
    leads: bool,
}

impl ReplicaState {
    /// Records that no other replica has written the objects of this replica since `moment`, so the
    /// caches must contain all writes up to then. A moment before the recorded one changes nothing.
    pub fn quiet_since(&self, moment: Instant) {
        let is_later = {
            let mut state = self.0.state.lock();
            let before = state.quiet;
            state.quiet = before.max(Some(moment));
            state.quiet != before
        };
        if is_later {
            self.0.changed.notify_waiters();
        }
    }

    /// Records that this replica leads from now on. Nothing takes this back: a process that loses
    /// the Lease ends.
    pub fn start_leading(&self) {
        self.0.state.lock().leads = true;
        self.0.changed.notify_waiters();
    }

    /// Returns true if this replica leads.
    pub fn is_leading(&self) -> bool {
        self.0.state.lock().leads
    }

    /// Waits until this replica leads. Returns the moment up to which the caches must contain all
    /// writes. `None` if none is recorded: without leader election, or with `--shards` if other
    /// replicas hold the common Lease already.
    pub async fn wait_until_leading(&self) -> Option<Instant> {
        self.until(|state| state.leads).await.quiet
    }

    /// Returns the moment up to which the caches must contain all writes; `None` if none is
    /// recorded.
    pub fn required_moment(&self) -> Option<Instant> {
        self.0.state.lock().quiet
    }

    /// Waits until the caches must contain writes that are later than `known`.
    pub async fn wait_for_later_moment(&self, known: Option<Instant>) {
        self.until(|state| state.quiet > known).await;
    }

    async fn until(&self, is_so: impl Fn(&LeaderSnapshot) -> bool) -> LeaderSnapshot {
        loop {
            // It receives notifications from its creation on, so none is missed between the check
            // and the wait.
            let changed = self.0.changed.notified();
            let state = *self.0.state.lock();
            if is_so(&state) {
                return state;
            }
            changed.await;
        }
    }
}

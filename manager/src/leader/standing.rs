//! The state of a replica: it fills its caches as a standby, brings them up to date, and then leads.
//!
//! A standby can fill its caches because the fence prevents it from writing. But they may lack the last writes of the
//! previous leader; a list that starts after these writes does not. So each watch receives the moment after which no
//! other replica can write, and proves that it has received everything up to that moment (`cache/reflector.rs`).
//! Nothing is reconciled before.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::Instant;

/// The state of a replica, initially a standby. Clones share their state.
#[derive(Clone)]
pub(crate) struct Standing(Arc<watch::Sender<State>>);

#[derive(Clone, Copy, Default)]
struct State {
    quiet: Option<Instant>,
    leads: bool,
}

impl Default for Standing {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(State::default())))
    }
}

impl Standing {
    /// Records that no other replica has written since `moment`.
    pub fn quiet_since(&self, moment: Instant) {
        self.0.send_if_modified(|state| {
            let is_later = state.quiet < Some(moment);
            state.quiet = state.quiet.max(Some(moment));
            is_later
        });
    }

    /// Records that this replica leads from now on.
    pub fn leads(&self) {
        self.0.send_modify(|state| state.leads = true);
    }

    pub fn is_leading(&self) -> bool {
        self.0.borrow().leads
    }

    /// Waits until this replica leads. Returns the moment since which no other replica has written, or `None` without
    /// leader election.
    pub async fn lead(&self) -> Option<Instant> {
        self.until(|state| state.leads).await.quiet
    }

    /// Returns the moment up to which the caches must contain all writes.
    pub fn demands(&self) -> Option<Instant> {
        self.0.borrow().quiet
    }

    /// Waits until the caches must contain writes that are later than `known`.
    pub async fn demands_more(&self, known: Option<Instant>) {
        self.until(|state| state.quiet > known).await;
    }

    async fn until(&self, is_so: impl Fn(&State) -> bool) -> State {
        let mut states = self.0.subscribe();
        // The sender is in `self`, so the channel stays open.
        let state = states.wait_for(is_so).await.map(|state| *state);
        state.unwrap_or_default()
    }
}

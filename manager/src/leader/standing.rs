//! What a replica may do yet: fill its caches, bring them up to date, work.
//!
//! A replica that stands by fills its caches already, since the fence lets it write nothing. But they may be behind
//! what the leader before it wrote last, and a list that is begun after its last write is not. So the moment from which
//! on nobody else can write is told to the watches, each of which then proves that it has heard of everything up to
//! there (`cache/reflector.rs`), and nothing is reconciled before.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::watch;

/// Cheap to clone; all clones are one. It begins as one that stands by.
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
    /// Nobody else has written since then.
    pub fn quiet_since(&self, moment: Instant) {
        self.0.send_if_modified(|state| {
            let is_later = state.quiet < Some(moment);
            state.quiet = state.quiet.max(Some(moment));
            is_later
        });
    }

    /// From now on this replica works.
    pub fn leads(&self) {
        self.0.send_modify(|state| state.leads = true);
    }

    pub fn is_leading(&self) -> bool {
        self.0.borrow().leads
    }

    /// Waits until this replica leads, and returns since when nobody else has written. `None` where nobody ever did:
    /// nobody is elected.
    pub async fn lead(&self) -> Option<Instant> {
        self.until(|state| state.leads).await.quiet
    }

    /// What is written before this moment has to be known.
    pub fn demands(&self) -> Option<Instant> {
        self.0.borrow().quiet
    }

    /// Waits until more is demanded than what is known.
    pub async fn demands_more(&self, known: Option<Instant>) {
        self.until(|state| state.quiet > known).await;
    }

    async fn until(&self, is_so: impl Fn(&State) -> bool) -> State {
        let mut states = self.0.subscribe();
        // the sender is in `self`, so it does not end
        let state = states.wait_for(is_so).await.map(|state| *state);
        state.unwrap_or_default()
    }
}

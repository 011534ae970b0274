//! As of when a cache is known to have everything: what was written before that moment is in it.

use std::{collections::HashMap, time::Instant};

use tokio::sync::watch;

use crate::cache::change::Scope;

/// Of each watch the moment before it asked, `None` before its first list.
pub(crate) struct Freshness(watch::Sender<HashMap<Scope, Option<Instant>>>);

impl Freshness {
    pub fn new(scopes: impl IntoIterator<Item = Scope>) -> Self {
        let unknown = scopes.into_iter().map(|scope| (scope, None));
        Self(watch::Sender::new(unknown.collect()))
    }

    /// A watch has heard of everything that was written before it asked.
    pub fn knows(&self, scope: &Scope, asked: Instant) {
        self.0.send_if_modified(|known| {
            let known = known.entry(scope.clone()).or_default();
            let is_later = *known < Some(asked);
            *known = (*known).max(Some(asked));
            is_later
        });
    }

    /// True when some watch has listed and is older than that.
    pub fn is_behind(&self, moment: Instant) -> bool {
        let known = self.0.borrow();
        known.values().all(Option::is_some) && !reaches(&known, moment)
    }

    /// Waits until everything that was written before this moment is known.
    pub async fn reaches(&self, moment: Instant) {
        let mut known = self.0.subscribe();
        // the sender is in `self`, so it does not end
        let _ = known.wait_for(|known| reaches(known, moment)).await;
    }
}

fn reaches(known: &HashMap<Scope, Option<Instant>>, moment: Instant) -> bool {
    known.values().all(|known| *known >= Some(moment))
}

//! The freshness of a cache: the moment up to which it contains every write to the API server.

use tokio::sync::watch;
use tokio::time::Instant;

use crate::cache::change::WatchScope;
use crate::hash::HashMap;

/// For each watch of a cache, the moment up to which the cache contains every write to the objects
/// in the scope of the watch. `None` before its first list.
pub(crate) struct Freshness(watch::Sender<HashMap<WatchScope, Option<Instant>>>);

impl Freshness {
    /// Creates the freshness of a cache that the watches of these scopes fill, none of which has
    /// listed.
    pub fn new(scopes: impl IntoIterator<Item = WatchScope>) -> Self {
        let unknown = scopes.into_iter().map(|scope| (scope, None));
        Self(watch::Sender::new(unknown.collect()))
    }

    /// Records that a watch has processed every write made before `requested`. An earlier moment
    /// than the recorded one changes nothing.
    pub fn advance(&self, scope: &WatchScope, requested: Instant) {
        self.0.send_if_modified(|known| {
            let known = known.entry(scope.clone()).or_default();
            let is_later = *known < Some(requested);
            *known = (*known).max(Some(requested));
            is_later
        });
    }

    /// Returns true if all watches have listed, but one of them has not yet proven that it saw
    /// every write before `moment`.
    pub fn is_behind(&self, moment: Instant) -> bool {
        let known = self.0.borrow();
        known.values().all(Option::is_some) && !reaches(&known, moment)
    }

    /// Waits until the cache contains every write made before `moment`.
    pub async fn reaches(&self, moment: Instant) {
        let mut known = self.0.subscribe();
        // the sender is in `self`, so the channel stays open
        let _ = known.wait_for(|known| reaches(known, moment)).await;
    }
}

fn reaches(known: &HashMap<WatchScope, Option<Instant>>, moment: Instant) -> bool {
    known.values().all(|known| *known >= Some(moment))
}

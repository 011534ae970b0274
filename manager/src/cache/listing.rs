//! A list in progress: the objects returned so far, and the rule for which cached objects are newer
//! than the list.

use kube::runtime::reflector::ObjectRef;
use tokio::time::Instant;

use crate::cache::{change::WatchScope, entries::Record};
use crate::hash::HashSet;
use crate::object::AnyObject;
use crate::planted::{Bug, is_planted};

/// A list in progress.
pub(crate) struct Listing<K: AnyObject> {
    /// The namespace that is listed; `None` for the whole cluster.
    pub scope: WatchScope,
    pub snapshot: Snapshot,
    /// The objects in the pages received so far.
    named: HashSet<ObjectRef<K>>,
}

/// The state of the API server that a list returns, in one or several pages.
#[derive(Clone, Copy)]
pub(crate) struct Snapshot {
    /// The resource version of the list, or of a single object that was read; 0 until the response
    /// arrives.
    pub version: u64,
    /// True if resource versions went back, so that an equal version does not imply an equal state.
    pub restored: bool,
    /// The time before the first request.
    begun: Instant,
}

impl Default for Snapshot {
    /// Returns the snapshot of a request that begins now.
    fn default() -> Self {
        Self {
            version: 0,
            restored: false,
            begun: Instant::now(),
        }
    }
}

impl<K: AnyObject> Listing<K> {
    /// Starts a list. Call before the first request, whose response has the resource version.
    pub fn begin(scope: WatchScope) -> Self {
        Self {
            scope,
            snapshot: Snapshot::default(),
            named: HashSet::default(),
        }
    }

    /// Records that the list contains an object.
    pub fn name(&mut self, key: ObjectRef<K>) {
        self.named.insert(key);
    }

    /// Returns true for a cached object that the complete list should contain but does not, so that
    /// the object no longer exists. `record` is the cached one.
    pub fn misses(&self, key: &ObjectRef<K>, record: &Record) -> bool {
        let inside = self.scope.is_none() || key.namespace == self.scope;
        inside && !self.named.contains(key) && !self.snapshot.is_outlived_by(record)
    }
}

impl Snapshot {
    /// Returns the start of the list. The list contains everything that was written before.
    pub fn begun(self) -> Instant {
        self.begun
    }

    /// Returns true if the cached state was stored while the list was in progress, and is newer
    /// than the list.
    ///
    /// The version alone does not prove that: the API server may have been restored from a backup
    /// and count from an older version. The time alone does not prove it either, because a response
    /// may arrive late. But a list returns at least every state that the API server reported to any
    /// client before the list was requested.
    pub fn is_outlived_by(self, record: &Record) -> bool {
        if is_planted(Bug::WritesForgottenByRelist) {
            return false;
        }
        let meanwhile = record.learned.is_some_and(|learned| learned >= self.begun);
        meanwhile && record.version > self.version
    }
}

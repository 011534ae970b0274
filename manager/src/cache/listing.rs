//! A list under way: what it has named so far, and what it is worth against what is known.

use std::{collections::HashSet, time::Instant};

use kube::runtime::reflector::ObjectRef;

use crate::cache::{change::Scope, entries::Record};
use crate::object::AnyObject;

pub(crate) struct Listing<K: AnyObject> {
    pub scope: Scope,
    pub snapshot: Snapshot,
    named: HashSet<ObjectRef<K>>,
}

/// The state that a list shows, however many pages it has.
#[derive(Clone, Copy)]
pub(crate) struct Snapshot {
    pub version: u64,
    /// Versions are known to have gone back, so that an equal one is no sign of an equal state.
    pub restored: bool,
    begun: Instant,
}

impl<K: AnyObject> Listing<K> {
    /// Before the first page is asked for, which says the version.
    pub fn begin(scope: Scope) -> Self {
        Self {
            scope,
            snapshot: Snapshot {
                version: 0,
                restored: false,
                begun: Instant::now(),
            },
            named: HashSet::new(),
        }
    }

    /// The list names an object.
    pub fn name(&mut self, key: ObjectRef<K>) {
        self.named.insert(key);
    }

    /// True for what should have been named and was not.
    pub fn misses(&self, key: &ObjectRef<K>, record: &Record) -> bool {
        let inside = self.scope.is_none() || key.namespace == self.scope;
        inside && !self.named.contains(key) && !self.snapshot.is_outlived_by(record)
    }
}

impl Snapshot {
    /// When the list was begun: it has what was written before.
    pub fn begun(self) -> Instant {
        self.begun
    }

    /// True for what was written while the list was under way, and after its version.
    ///
    /// A version alone does not say so: the API server may have been restored from a backup since, and count
    /// from there. Nor does the time: an answer may come late. But a list shows at least what anybody was
    /// told before it was asked for.
    pub fn is_outlived_by(self, record: &Record) -> bool {
        let meanwhile = record.learned.is_some_and(|learned| learned >= self.begun);
        meanwhile && record.version > self.version
    }
}

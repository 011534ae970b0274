//! The informers of a manager, shared by all controllers: one cache per kind and selector, filled
//! by one watch per namespace or by a cluster-wide one.

use std::any::Any;
use std::sync::Arc;

use futures::{
    FutureExt, StreamExt,
    future::{self, BoxFuture},
    stream::BoxStream,
};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::cache::{
    Cache, caches::Caches, change::Change, freshness::Freshness, reflector::Reflector,
    selection::Watch, watch_health::WatchToOpen,
};
use crate::error::{Error, Result};
use crate::hash::{HashMap, HashSet};
use crate::leader::replica_state::ReplicaState;
use crate::object::{AnyObject, Identity, KindOf};

/// The caches of all kinds that the controllers of a manager watch.
#[derive(Default)]
pub(crate) struct Informers {
    state: Mutex<InformerState>,
    /// The leadership state, which determines how fresh the caches must be.
    pub replica_state: ReplicaState,
}

#[derive(Default)]
struct InformerState {
    /// Kinds of which a controller will watch untrimmed objects once it can start. A CRD or a
    /// permission may still be missing.
    announced: HashSet<Identity>,
    /// One `Caches` per kind.
    caches: HashMap<Identity, Box<dyn Any + Send>>,
    /// The freshness of every cache.
    freshness: Vec<Arc<Freshness>>,
    #[cfg(feature = "inspect")]
    dumps: Vec<crate::cache::dump::Dump>,
}

/// A controller's access to a kind.
pub(crate) struct Informer<K: AnyObject> {
    pub cache: Arc<Cache<K>>,
    /// The changes after the cache is synced, except this controller's own writes. The first list
    /// is not a change.
    pub changes: BoxStream<'static, Change<K>>,
    /// Runs the watches that fill the cache; never completes. The first controller that opens a
    /// kind and selector must poll it; for later controllers it does nothing.
    pub drive: BoxFuture<'static, ()>,
}

impl Informers {
    /// Records that a controller will watch a kind with `watch`. Until it opens the kind, reads of
    /// it by other controllers fail with `NotSynced`, which is transient, instead of `NotWatched`,
    /// unless `watch` trims its objects, so that others never read them.
    pub fn announce<K: AnyObject>(&self, kind: &K::DynamicType, watch: &Watch) {
        if watch.trim.is_none() {
            let mut state = self.state.lock();
            state.announced.insert(Identity::of::<K>(kind));
        }
    }

    /// Returns the cache of a kind and selector. The first call for the pair creates it, with the
    /// watches that `watches` returns, one per namespace. `operator` is the operator's name: of
    /// `managedFields`, the cache stores only the entries of its field managers. `field_manager` is
    /// the controller's: its writes are left out of the changes.
    pub fn open<K: AnyObject>(
        &self,
        kind: &K::DynamicType,
        operator: &str,
        field_manager: &str,
        watch: Watch,
        watches: impl FnOnce() -> Vec<WatchToOpen>,
    ) -> Informer<K> {
        let mut state = self.state.lock();
        let mut open = state.caches::<K>(kind);
        let same = open.all.iter().find(|cache| cache.watch == watch);
        let (cache, drive) = if let Some(cache) = same {
            (cache.clone(), future::pending().boxed())
        } else {
            let watches = watches();
            let scopes = watches.iter().map(|watch| watch.scope.clone());
            let cache = Cache::new(kind.clone(), operator, watch, scopes);
            open.all.push(cache.clone());
            let identity = Identity::of::<K>(kind);
            state.caches.insert(identity, Box::new(open));
            state.freshness.push(cache.freshness.clone());
            #[cfg(feature = "inspect")]
            state.dumps.push(crate::cache::dump::dump(&cache));
            let reflect =
                |watch| Reflector::new(watch, cache.clone(), self.replica_state.clone()).run();
            let reflectors = future::join_all(watches.into_iter().map(reflect));
            (cache, reflectors.map(drop).boxed())
        };
        Informer {
            changes: cache.listen(field_manager).boxed(),
            cache,
            drive,
        }
    }

    /// Returns true if a synced cache may lack writes that were made before `moment`.
    pub fn are_behind(&self, moment: Instant) -> bool {
        let state = self.state.lock();
        let mut all = state.freshness.iter();
        all.any(|freshness| freshness.is_behind(moment))
    }

    /// Returns the caches of a kind, synced or not. Empty until a controller opens one.
    pub fn caches<K: AnyObject>(&self, kind: &K::DynamicType) -> Caches<K> {
        self.state.lock().caches(kind)
    }

    /// Returns the synced caches of a kind that a controller can read. `trimmed` contains the
    /// controller's watches of the kind if all of them trim the objects: then it reads only their
    /// caches. If empty, it reads only caches with whole objects.
    ///
    /// # Errors
    /// Returns `NotSynced` if no cache that the controller can read is synced yet, and `NotWatched`
    /// if there is no such cache.
    pub fn complete<K: AnyObject>(
        &self,
        kind: &K::DynamicType,
        trimmed: Vec<Watch>,
    ) -> Result<Caches<K>> {
        let state = self.state.lock();
        let mut caches = state.caches::<K>(kind);
        caches.trimmed = trimmed;
        let is_open = caches.seen().next().is_some();
        let is_announced = state.announced.contains(&Identity::of::<K>(kind));
        caches.all.retain(|cache| cache.is_synced());
        let is_complete = caches.seen().next().is_some();
        match is_complete {
            true => Ok(caches),
            false if !is_open && !is_announced => Err(not_watched::<K>(kind)),
            _ => Err(Error::new(
                "NotSynced",
                format!(
                    "cannot read {} from the cache: the first list is not complete",
                    K::kind(kind)
                ),
            )),
        }
    }

    #[cfg(feature = "inspect")]
    /// Returns the contents of all caches; see `Inspector::dump`.
    pub fn dumps(&self) -> serde_json::Value {
        self.state.lock().dumps.iter().map(|dump| dump()).collect()
    }
}

impl InformerState {
    fn caches<K: AnyObject>(&self, kind: &K::DynamicType) -> Caches<K> {
        let caches = self.caches.get(&Identity::of::<K>(kind));
        let caches = caches.and_then(|caches| caches.downcast_ref::<Caches<K>>());
        Caches {
            all: caches.map_or_else(Vec::new, |caches| caches.all.clone()),
            trimmed: Vec::new(),
        }
    }
}

/// Returns the error for a kind that no controller watches.
pub(crate) fn not_watched<K: AnyObject>(kind: &K::DynamicType) -> Error {
    let (name, owns, api) = (K::kind(kind), kind.call("owns"), kind.call("api"));
    let text = format!(
        "cannot read {name} from the cache: no controller watches the kind; help: add `.{owns}` or another watch to the \
         controller, or read it with `ctx.{api}.get_opt(name)`"
    );
    Error::new("NotWatched", text)
}

#[cfg(test)]
#[path = "informer_tests.rs"]
mod tests;

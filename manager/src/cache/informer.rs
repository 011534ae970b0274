//! The informers of a manager: one watch and one cache per kind and selector, shared by all controllers.

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
    selection::Watch, watch_health,
};
use crate::error::{Error, Result};
use crate::hash::{HashMap, HashSet};
use crate::leader::standing::Standing;
use crate::object::{AnyObject, Identity, KindOf};

/// The caches of every kind that a controller watches.
#[derive(Default)]
pub(crate) struct Informers {
    state: Mutex<State>,
    /// The leadership state, which determines how fresh the caches must be.
    pub standing: Standing,
}

#[derive(Default)]
struct State {
    /// Kinds that a controller will watch, possibly after a wait.
    announced: HashSet<Identity>,
    /// One `Caches` per kind.
    caches: HashMap<Identity, Box<dyn Any + Send>>,
    freshness: Vec<Arc<Freshness>>,
    #[cfg(feature = "inspect")]
    dumps: Vec<crate::cache::dump::Dump>,
}

/// A controller's access to a kind.
pub(crate) struct Informer<K: AnyObject> {
    pub cache: Arc<Cache<K>>,
    /// All changes after the cache is synced.
    pub changes: BoxStream<'static, Change<K>>,
    /// Fills the cache and never ends. The first controller that opens a kind must poll it; for later controllers it
    /// does nothing.
    pub drive: BoxFuture<'static, ()>,
}

impl Informers {
    /// Records that a controller will watch a kind.
    pub fn announce<K: AnyObject>(&self, kind: &K::DynamicType) {
        let mut state = self.state.lock();
        state.announced.insert(Identity::of::<K>(kind));
    }

    /// Returns the cache of a kind and selector, and its changes except the writes of `field_manager`. Opens the
    /// watches if no controller has opened this cache before.
    pub fn open<K: AnyObject>(
        &self,
        kind: &K::DynamicType,
        operator: &str,
        field_manager: &str,
        watch: Watch,
        watches: impl FnOnce() -> Vec<watch_health::Watch<K>>,
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
            let reflect = |watch| Reflector::new(watch, cache.clone(), self.standing.clone()).run();
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

    /// Returns the caches of a kind, synced or not. Empty if no controller watches the kind.
    pub fn caches<K: AnyObject>(&self, kind: &K::DynamicType) -> Caches<K> {
        self.state.lock().caches(kind)
    }

    /// Returns the caches of a kind that a controller can read. `trimmed` are the controller's watches of the kind, if
    /// all of them trim the objects.
    ///
    /// # Errors
    /// `NotSynced` if no such cache is synced yet, `NotWatched` if no controller watches the kind.
    pub fn complete<K: AnyObject>(
        &self,
        kind: &K::DynamicType,
        trimmed: Vec<Watch>,
    ) -> Result<Caches<K>> {
        let state = self.state.lock();
        let mut caches = state.caches::<K>(kind);
        caches.trimmed = trimmed;
        let is_open = caches.seen().next().is_some();
        let is_announced =
            caches.all.is_empty() && state.announced.contains(&Identity::of::<K>(kind));
        caches.all.retain(|cache| cache.is_synced());
        let is_complete = caches.seen().next().is_some();
        match is_complete {
            true => Ok(caches),
            false if !is_open && !is_announced => {
                let (name, owns, api) = (K::kind(kind), kind.call("owns"), kind.call("api"));
                let text = format!(
                    "cannot read {name} from the cache: no controller watches the kind; help: add `.{owns}` or \
                     another watch to the controller, or read it with `ctx.{api}.get_opt(name)`"
                );
                Err(Error::new("NotWatched", text))
            }
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
    pub fn dumps(&self) -> serde_json::Value {
        self.state.lock().dumps.iter().map(|dump| dump()).collect()
    }
}

impl State {
    fn caches<K: AnyObject>(&self, kind: &K::DynamicType) -> Caches<K> {
        let caches = self.caches.get(&Identity::of::<K>(kind));
        let caches = caches.and_then(|caches| caches.downcast_ref::<Caches<K>>());
        Caches {
            all: caches.map_or_else(Vec::new, |caches| caches.all.clone()),
            trimmed: Vec::new(),
        }
    }
}

#[cfg(test)]
#[path = "informer_tests.rs"]
mod tests;

//! One watch and one cache for each kind, however many controllers of the manager need it. Those that select
//! different objects of it have one each.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use futures::{
    FutureExt, StreamExt,
    future::{self, BoxFuture},
    stream::BoxStream,
};
use parking_lot::Mutex;

use crate::cache::{
    Cache, caches::Caches, change::Change, freshness::Freshness, reflector::Reflector,
    selection::Watch, watch_health,
};
use crate::error::{Error, Result};
use crate::leader::standing::Standing;
use crate::object::{AnyObject, Identity, KindOf};

/// The cache of every kind that some controller watches.
#[derive(Default)]
pub(crate) struct Informers {
    state: Mutex<State>,
    /// How new the caches have to be.
    pub standing: Standing,
}

#[derive(Default)]
struct State {
    /// What will be watched, though its controller may have to wait before it can.
    announced: HashSet<Identity>,
    /// Of each kind a `Caches`.
    caches: HashMap<Identity, Box<dyn Any + Send>>,
    freshness: Vec<Arc<Freshness>>,
    #[cfg(feature = "inspect")]
    dumps: Vec<crate::cache::dump::Dump>,
}

/// What a controller gets of a kind.
pub(crate) struct Informer<K: AnyObject> {
    pub cache: Arc<Cache<K>>,
    /// Every change after the cache is complete.
    pub changes: BoxStream<'static, Change<K>>,
    /// Keeps the cache filled and never ends. Whoever opens a kind first has to drive it; for all
    /// others it has nothing to do.
    pub drive: BoxFuture<'static, ()>,
}

impl Informers {
    /// Says that a controller will watch a kind.
    pub fn announce<K: AnyObject>(&self, kind: &K::DynamicType) {
        let mut state = self.state.lock();
        state.announced.insert(Identity::of::<K>(kind));
    }

    /// The cache of what `watch` selects of a kind, and its changes as far as `field_manager` did not make them.
    /// `watches` are opened if nobody has done that before.
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

    /// Whether some cache that is complete lacks what was written before this moment, as far as it knows.
    pub fn are_behind(&self, moment: Instant) -> bool {
        let state = self.state.lock();
        let mut all = state.freshness.iter();
        all.any(|freshness| freshness.is_behind(moment))
    }

    /// The caches of a kind, complete or not: none if no controller watches it.
    pub fn caches<K: AnyObject>(&self, kind: &K::DynamicType) -> Caches<K> {
        self.state.lock().caches(kind)
    }

    /// The caches of a kind for one who has these trimmed watches of it and no others, to look into.
    ///
    /// # Errors
    /// When none is complete yet (`NotSynced`), or no controller watches the kind (`NotWatched`).
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
                    "a {name} was looked up in a cache that nobody fills: add `.{owns}` to the controller, or watch \
                     it, or read it with `ctx.{api}.get_opt(name)`"
                );
                Err(Error::new("NotWatched", text))
            }
            _ => Err(Error::new(
                "NotSynced",
                format!(
                    "a {} was looked up before its cache was complete",
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

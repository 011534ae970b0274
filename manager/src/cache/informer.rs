//! One watch and one cache for each kind, however many controllers of the manager need it. Those that select
//! different objects of it have one each.

use std::any::{Any, TypeId};
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
use crate::object::Object;

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
    announced: HashSet<TypeId>,
    /// Of each kind a `Caches`.
    caches: HashMap<TypeId, Box<dyn Any + Send>>,
    freshness: Vec<Arc<Freshness>>,
    #[cfg(feature = "inspect")]
    dumps: Vec<crate::cache::dump::Dump>,
}

/// What a controller gets of a kind.
pub(crate) struct Informer<K: Object> {
    pub cache: Arc<Cache<K>>,
    /// Every change after the cache is complete.
    pub changes: BoxStream<'static, Change<K>>,
    /// Keeps the cache filled and never ends. Whoever opens a kind first has to drive it; for all
    /// others it has nothing to do.
    pub drive: BoxFuture<'static, ()>,
}

impl Informers {
    /// Says that a controller will watch a kind.
    pub fn announce<K: Object>(&self) {
        self.state.lock().announced.insert(TypeId::of::<K>());
    }

    /// The cache of what `watch` selects of a kind, and its changes as far as `field_manager` did not make them.
    /// `watches` are opened if nobody has done that before.
    pub fn open<K: Object>(
        &self,
        operator: &str,
        field_manager: &str,
        watch: Watch,
        watches: impl FnOnce() -> Vec<watch_health::Watch<K>>,
    ) -> Informer<K> {
        let mut state = self.state.lock();
        let mut open = state.caches::<K>();
        let same = open.all.iter().find(|cache| cache.watch == watch);
        let (cache, drive) = if let Some(cache) = same {
            (cache.clone(), future::pending().boxed())
        } else {
            let watches = watches();
            let scopes = watches.iter().map(|watch| watch.scope.clone());
            let cache = Cache::new(operator, watch, scopes);
            open.all.push(cache.clone());
            state.caches.insert(TypeId::of::<K>(), Box::new(open));
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
    pub fn caches<K: Object>(&self) -> Caches<K> {
        self.state.lock().caches()
    }

    /// The caches of a kind for one who has these trimmed watches of it and no others, to look into.
    ///
    /// # Errors
    /// When none is complete yet (`NotSynced`), or no controller watches the kind (`NotWatched`).
    pub fn complete<K: Object>(&self, trimmed: Vec<Watch>) -> Result<Caches<K>> {
        let state = self.state.lock();
        let kind = K::kind(&());
        let mut caches = state.caches::<K>();
        caches.trimmed = trimmed;
        let is_open = caches.seen().next().is_some();
        let is_announced = caches.all.is_empty() && state.announced.contains(&TypeId::of::<K>());
        caches.all.retain(|cache| cache.is_synced());
        let is_complete = caches.seen().next().is_some();
        match is_complete {
            true => Ok(caches),
            false if !is_open && !is_announced => Err(Error::new(
                "NotWatched",
                format!(
                    "a {kind} was looked up in a cache that nobody fills: add `.owns::<{kind}>()` or \
                     `.watches::<{kind}, _>(..)` to the controller, or read it with \
                     `ctx.api::<{kind}>().get_opt(name)`"
                ),
            )),
            _ => Err(Error::new(
                "NotSynced",
                format!("a {kind} was looked up before its cache was complete"),
            )),
        }
    }

    #[cfg(feature = "inspect")]
    pub fn dumps(&self) -> serde_json::Value {
        self.state.lock().dumps.iter().map(|dump| dump()).collect()
    }
}

impl State {
    fn caches<K: Object>(&self) -> Caches<K> {
        let caches = self.caches.get(&TypeId::of::<K>());
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

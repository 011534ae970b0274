//! One watch and one cache for each kind, however many controllers of the manager need it.

use std::{
    any::{Any, TypeId},
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures::{
    FutureExt, StreamExt,
    future::{self, BoxFuture},
    stream::BoxStream,
};

use crate::{
    cache::{Cache, Change, reflector::Reflector, watch_health::Watch},
    error::{Error, Result},
    object::Object,
};

/// The cache of every kind that some controller watches.
#[derive(Default)]
pub(crate) struct Informers(Mutex<State>);

#[derive(Default)]
struct State {
    /// What will be watched, though its controller may have to wait before it can.
    announced: HashSet<TypeId>,
    caches: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
    #[cfg(feature = "inspect")]
    dumps: Vec<crate::cache::inspect::Dump>,
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
        self.lock().announced.insert(TypeId::of::<K>());
    }

    /// The cache of a kind, and its changes as far as `field_manager` did not make them. `watches` are
    /// opened if nobody has done that before.
    pub fn open<K: Object>(
        &self,
        operator: &str,
        field_manager: &str,
        watches: impl FnOnce() -> Vec<Watch<K>>,
    ) -> Informer<K> {
        let mut state = self.lock();
        let (cache, drive) = if let Some(cache) = state.cache() {
            (cache, future::pending().boxed())
        } else {
            let watches = watches();
            let cache = Cache::new(operator, watches.iter().map(|watch| watch.scope.clone()));
            state.caches.insert(TypeId::of::<K>(), cache.clone());
            #[cfg(feature = "inspect")]
            state.dumps.push(crate::cache::inspect::dump(&cache));
            let reflect = |watch| Reflector::new(watch, cache.clone()).run();
            let reflectors = future::join_all(watches.into_iter().map(reflect));
            (cache, reflectors.map(drop).boxed())
        };
        Informer {
            changes: cache.listen(field_manager).boxed(),
            cache,
            drive,
        }
    }

    /// The cache of a kind, complete or not, if some controller watches it.
    pub fn cache<K: Object>(&self) -> Option<Arc<Cache<K>>> {
        self.lock().cache()
    }

    /// The cache of a kind, to look into.
    ///
    /// # Errors
    /// When it is not complete yet (`NotSynced`), or no controller watches the kind (`NotWatched`).
    pub fn complete<K: Object>(&self) -> Result<Arc<Cache<K>>> {
        let state = self.lock();
        let kind = K::kind(&());
        match state.cache() {
            Some(cache) if cache.is_synced() => Ok(cache),
            None if !state.announced.contains(&TypeId::of::<K>()) => Err(Error::new(
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
        self.lock().dumps.iter().map(|dump| dump()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn cache<K: Object>(&self) -> Option<Arc<Cache<K>>> {
        let cache = self.caches.get(&TypeId::of::<K>())?;
        cache.clone().downcast().ok()
    }
}

#[cfg(test)]
#[path = "informer_tests.rs"]
mod tests;

//! One watch and one cache for each kind, however many controllers of the manager need it.

use std::{
    any::{Any, TypeId},
    collections::{HashMap, HashSet},
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use futures::{
    FutureExt, Stream, StreamExt,
    future::{self, BoxFuture},
    stream::{self, BoxStream},
};
use kube::{
    Resource,
    runtime::{
        WatchStreamExt,
        watcher::{self, Event, watcher},
    },
};

use crate::{
    cache::{Cache, Change, Scope, key_of},
    guard::{Guard, Malformed},
    object::{self, Object},
    watched::Watch,
};

/// Objects in one answer of a list. With kube's 500 the first lists need more memory than the caches that
/// they fill.
const PAGE: u32 = 100;

/// The cache of every kind that some controller watches.
#[derive(Default)]
pub(crate) struct Informers(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

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
    /// The cache of a kind, and its changes as far as `field_manager` did not make them. `watches` are
    /// opened if nobody has done that before.
    pub fn open<K: Object>(
        &self,
        operator: &str,
        field_manager: &str,
        watches: impl FnOnce() -> Vec<Watch<K>>,
    ) -> Informer<K> {
        let mut caches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = caches.get(&TypeId::of::<K>()).cloned();
        let (cache, drive) = if let Some(Ok(cache)) = known.map(Arc::downcast) {
            (cache, future::pending().boxed())
        } else {
            let watches = watches();
            let cache = Cache::new(watches.len(), operator);
            caches.insert(TypeId::of::<K>(), cache.clone());
            let changes = watch(&cache, watches);
            (cache.clone(), tell(cache, changes).boxed())
        };
        Informer {
            changes: cache.listen(field_manager).boxed(),
            cache,
            drive,
        }
    }
}

async fn tell<K: Object>(cache: Arc<Cache<K>>, changes: impl Stream<Item = Change<K>> + Send) {
    let mut changes = pin!(changes);
    while let Some(change) = changes.next().await {
        cache.tell(&change);
    }
}

/// Keeps `cache` filled by all `watches` and passes on what changed. After an error, a watch starts
/// again after kube's default backoff (0.8 s to 30 s).
fn watch<K: Object>(
    cache: &Arc<Cache<K>>,
    watches: Vec<Watch<K>>,
) -> impl Stream<Item = Change<K>> + Send + use<K> {
    stream::select_all(watches.into_iter().map(|Watch { api, trouble }| {
        let mut progress = Progress::new(api.namespace());
        let cache = cache.clone();
        watcher(api, watcher::Config::default().page_size(PAGE))
            .default_backoff()
            .map(move |event| match event {
                Ok(event) => progress.take_in(&cache, event),
                Err(error) => {
                    trouble.begins(&error);
                    Vec::new()
                }
            })
            .flat_map(stream::iter)
            .boxed()
    }))
}

/// The progress of one watch.
pub(crate) struct Progress<K: Object> {
    pub scope: Scope<K>,
    listed_once: bool,
}

impl<K: Object> Progress<K> {
    pub fn new(namespace: Option<&str>) -> Self {
        Self {
            scope: Scope {
                namespace: namespace.map(str::to_owned),
                seen: HashSet::new(),
                started: None,
            },
            listed_once: false,
        }
    }

    pub fn take_in(&mut self, cache: &Cache<K>, event: Event<Guard<K>>) -> Vec<Change<K>> {
        match event {
            Event::Init => {
                self.scope.seen.clear();
                self.scope.started = Some(Instant::now());
                Vec::new()
            }
            Event::InitApply(guard) => {
                self.scope.seen.insert(key_of(guard.meta()));
                admit(cache, guard).into_iter().collect()
            }
            Event::Apply(guard) => admit(cache, guard).into_iter().collect(),
            Event::Delete(guard) => cache.remove(guard.meta()).into_iter().collect(),
            Event::InitDone => {
                let removed = cache.listed(&self.scope, !self.listed_once);
                self.listed_once = true;
                self.scope.seen = HashSet::new();
                removed
            }
        }
    }
}

/// A malformed object is named and dropped: acting on its last good state would be a guess.
fn admit<K: Object>(cache: &Cache<K>, guard: Guard<K>) -> Option<Change<K>> {
    if cache.knows(guard.meta()) {
        return None;
    }
    match guard.decode() {
        Ok(received) => cache.offer(received),
        Err(malformed) => {
            let Malformed { meta, error } = *malformed;
            tracing::error!(
                kind = %K::kind(&()),
                object = %object::label(&meta),
                %error,
                "this object does not fit its type and is left alone until it does"
            );
            cache.remove(&meta);
            None
        }
    }
}

#[cfg(test)]
#[path = "informer_tests.rs"]
mod tests;

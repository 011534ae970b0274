//! Async mutexes by key: the cache uses them so that one controller at a time writes the status of
//! an object.

use std::{hash::Hash, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use crate::hash::HashMap;

/// A set of async mutexes, one per key. A mutex is removed when it is released and no task waits
/// for it.
#[derive(Debug)]
pub(crate) struct KeyedMutex<Key>(Mutex<HashMap<Key, Arc<AsyncMutex<()>>>>);

/// A guard that releases the mutex of its key when it is dropped.
pub(crate) struct KeyedGuard<'a, Key: Eq + Hash> {
    of: &'a KeyedMutex<Key>,
    key: Key,
    /// `None` once the guard is being dropped.
    mutex: Option<Arc<AsyncMutex<()>>>,
    /// `None` while the task waits.
    held: Option<OwnedMutexGuard<()>>,
}

impl<Key> Default for KeyedMutex<Key> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Key: Clone + Eq + Hash> KeyedMutex<Key> {
    /// Locks the mutex of `key`, waiting until it is free.
    pub async fn lock(&self, key: Key) -> KeyedGuard<'_, Key> {
        let mutex = self.0.lock().entry(key.clone()).or_default().clone();
        // Exists before the wait, so that it also removes the mutex if the wait is cancelled.
        let mut guard = KeyedGuard {
            of: self,
            key,
            mutex: Some(mutex.clone()),
            held: None,
        };
        guard.held = Some(mutex.lock_owned().await);
        guard
    }
}

impl<Key: Eq + Hash> Drop for KeyedGuard<'_, Key> {
    fn drop(&mut self) {
        let mut mutexes = self.of.0.lock();
        self.held = None;
        self.mutex = None;
        let known = mutexes.get(&self.key).map(Arc::strong_count);
        // The only reference is the map, so no task holds the mutex or waits for it.
        if known == Some(1) {
            mutexes.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn each_key_has_one_guard_at_a_time() {
        let mutexes = KeyedMutex::default();
        let first = mutexes.lock("a").await;
        let mut second = Box::pin(mutexes.lock("a"));
        assert!(second.as_mut().now_or_never().is_none());
        drop(mutexes.lock("b").await);
        drop(first);
        drop(second.await);
        assert!(mutexes.0.lock().is_empty(), "unused locks remain");
    }

    #[tokio::test]
    async fn a_wait_that_is_given_up_leaves_no_mutex() {
        let mutexes = KeyedMutex::default();
        let first = mutexes.lock("a").await;
        let mut second = Box::pin(mutexes.lock("a"));
        assert!(second.as_mut().now_or_never().is_none());
        drop(first);
        drop(second);
        assert!(mutexes.0.lock().is_empty(), "unused locks remain");
    }
}

//! Async mutexes by key: the cache uses them so that one controller at a time writes the status of an object.

use std::{hash::Hash, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::{Mutex as Turnstile, OwnedMutexGuard};

use crate::hash::HashMap;

/// A set of async mutexes, one per key. A mutex is removed when it is released and no task waits for it.
#[derive(Debug)]
pub(crate) struct Turns<Key>(Mutex<HashMap<Key, Arc<Turnstile<()>>>>);

/// A guard that releases the mutex of its key when it is dropped.
pub(crate) struct Turn<'a, Key: Eq + Hash> {
    of: &'a Turns<Key>,
    key: Key,
    _held: OwnedMutexGuard<()>,
}

impl<Key> Default for Turns<Key> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Key: Clone + Eq + Hash> Turns<Key> {
    /// Locks the mutex of `key`, waiting until it is free.
    pub async fn take(&self, key: Key) -> Turn<'_, Key> {
        let turnstile = self.0.lock().entry(key.clone()).or_default().clone();
        Turn {
            of: self,
            key,
            _held: turnstile.lock_owned().await,
        }
    }
}

impl<Key> Turns<Key> {}

impl<Key: Eq + Hash> Drop for Turn<'_, Key> {
    fn drop(&mut self) {
        let mut turnstiles = self.of.0.lock();
        let known = turnstiles.get(&self.key).map(Arc::strong_count);
        // The only references are this guard and the map, so no task waits.
        if known == Some(2) {
            turnstiles.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn one_at_a_time_has_a_turn_at_a_key() {
        let turns = Turns::default();
        let first = turns.take("a").await;
        let mut second = Box::pin(turns.take("a"));
        assert!(second.as_mut().now_or_never().is_none());
        drop(turns.take("b").await);
        drop(first);
        drop(second.await);
        assert!(turns.0.lock().is_empty(), "unused locks remain");
    }
}

//! A write of an object that is in a cache.

use std::sync::Arc;

use kube::runtime::reflector::ObjectRef;

use crate::cache::Cache;
use crate::cache::decoded::Decoded;
use crate::object::{self, Object};

/// A write under way, which has failed if it is dropped before it is done.
pub(crate) struct Write<K: Object> {
    pub(super) cache: Arc<Cache<K>>,
    pub(super) key: ObjectRef<K>,
    pub(super) by: String,
    pub(super) version: u64,
}

impl<K: Object> Write<K> {
    /// Takes in what the API server returned.
    pub fn done(mut self, live: Decoded<K>) -> Arc<K> {
        self.version = object::version(live.object.meta());
        self.cache.assume(live, &self.by)
    }
}

impl<K: Object> Drop for Write<K> {
    fn drop(&mut self) {
        let mut inner = self.cache.inner.lock();
        for news in inner.echoes.end(&self.key, &self.by, self.version) {
            inner.tell_only(&news, &self.by);
        }
    }
}

//! A write of a cached object.

use std::sync::Arc;

use kube::{Resource, runtime::reflector::ObjectRef};

use crate::cache::{Cache, decoded::Decoded, undecoded::Undecoded};
use crate::object::{self, AnyObject};

impl<K: AnyObject> Cache<K> {
    /// Starts a write of an object by the field manager `by`.
    pub fn write(self: &Arc<Self>, key: ObjectRef<K>, by: &str) -> Write<K> {
        let number = self.inner.lock().pending_writes.begin(key.clone(), by);
        Write {
            cache: self.clone(),
            key,
            number,
            by: by.to_owned(),
            version: 0,
        }
    }
}

/// A write in progress. It ends when this is dropped: then the changes of other writers, which were
/// held back from the writer, are sent to it. A write without a call of `done` counts as failed.
pub(crate) struct Write<K: AnyObject> {
    cache: Arc<Cache<K>>,
    key: ObjectRef<K>,
    /// The number of the write among the pending ones.
    number: u64,
    /// The field manager that writes.
    by: String,
    /// The version that the write created; 0 until `done`.
    version: u64,
}

impl<K: AnyObject> Write<K> {
    /// Attaches the decoded object to a response if the watch has already reported the same
    /// version, so that it is not decoded again.
    pub fn answer(&self, mut answer: Undecoded<K>) -> Undecoded<K> {
        let version = object::version(answer.meta());
        if version != 0 && !self.cache.is_trimmed() {
            let writes = &self.cache.inner.lock().pending_writes;
            answer.known = writes
                .held_back(&self.key, &self.by, version)
                .or(answer.known);
        }
        answer
    }

    /// Stores the response of the API server, and ends the write. Returns the object in this
    /// version, or in a newer one if the cache already has that.
    pub fn done(mut self, live: Decoded<K>) -> Arc<K> {
        self.version = object::version(live.object.meta());
        self.cache.assume(live, &self.by)
    }
}

impl<K: AnyObject> Drop for Write<K> {
    fn drop(&mut self) {
        let mut inner = self.cache.inner.lock();
        for change in inner
            .pending_writes
            .end(&self.key, self.number, self.version)
        {
            inner.notify_only(&change, &self.by);
        }
    }
}

//! The names in a cache that contains only named objects.

use kube::runtime::reflector::ObjectRef;

use crate::hash::HashMap;
use crate::object::AnyObject;

/// The named objects of a cache.
pub(crate) struct NamedObjects<K: AnyObject> {
    /// The objects that at least one caller names.
    pub named: HashMap<ObjectRef<K>, Named>,
    /// The last number in `Named::event`.
    last: u64,
}

/// The state of a named object.
pub(crate) struct Named {
    /// Number of callers that have named the object.
    times: usize,
    /// Changes with each event of the object. No two objects have the same number, even if one is
    /// named again.
    pub event: u64,
    /// True once the object was read, whether it exists or not.
    pub is_read: bool,
}

impl<K: AnyObject> Default for NamedObjects<K> {
    fn default() -> Self {
        Self {
            named: HashMap::default(),
            last: 0,
        }
    }
}

impl<K: AnyObject> NamedObjects<K> {
    /// Returns true if a caller names the object.
    pub fn has(&self, key: &ObjectRef<K>) -> bool {
        self.named.contains_key(key)
    }

    /// Names an object. The number of calls is counted.
    pub fn name(&mut self, key: &ObjectRef<K>) {
        self.last += 1;
        let named = self.named.entry(key.clone()).or_insert(Named {
            times: 0,
            event: self.last,
            is_read: false,
        });
        named.times += 1;
    }

    /// Undoes one call of `name`. Returns true if no caller names the object any longer; then its
    /// state is dropped.
    pub fn unname(&mut self, key: &ObjectRef<K>) -> bool {
        let Some(named) = self.named.get_mut(key) else {
            return false;
        };
        named.times -= 1;
        named.times == 0 && self.named.remove(key).is_some()
    }

    /// Records an event of an object. Returns true if the object is named.
    pub fn record_event(&mut self, key: &ObjectRef<K>) -> bool {
        self.last += 1;
        let named = self.named.get_mut(key);
        named.map(|named| named.event = self.last).is_some()
    }
}

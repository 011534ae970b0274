//! Indexes of the objects in a cache, so that a lookup need not search all objects.

use std::sync::Arc;

use kube::runtime::reflector::ObjectRef;

use crate::hash::{HashMap, HashSet};
use crate::object::{self, AnyObject};

/// A function that returns the values under which an object is indexed.
pub(crate) type KeysOf<K> = Arc<dyn Fn(&K) -> Vec<String> + Send + Sync>;

/// The name of the index by the UID of the owner that controls an object.
pub(crate) const OWNER: &str = "owner";

/// Returns the function for the index [`OWNER`].
pub(crate) fn owners<K: AnyObject>() -> KeysOf<K> {
    Arc::new(|object| {
        let owner = object::controller(object.meta());
        owner.map(|owner| owner.uid.clone()).into_iter().collect()
    })
}

/// Returns the full name of a controller's index. Different controllers may use the same index
/// name.
pub(crate) fn name(field_manager: &str, name: &str) -> String {
    format!("{field_manager} {name}")
}

/// The indexes of one cache, each with its name.
pub(crate) struct Indexes<K: AnyObject>(Vec<Index<K>>);

struct Index<K: AnyObject> {
    name: String,
    keys_of: KeysOf<K>,
    /// For each value, the objects under it.
    objects: HashMap<String, HashSet<ObjectRef<K>>>,
    /// For each object, the values under which it was put: they are needed to remove it.
    keys: HashMap<ObjectRef<K>, Vec<String>>,
}

impl<K: AnyObject> Default for Indexes<K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: AnyObject> Indexes<K> {
    /// Adds an index and fills it with the `known` objects. Does nothing if an index of this name
    /// exists.
    pub fn add<'a>(
        &mut self,
        name: &str,
        keys_of: KeysOf<K>,
        known: impl Iterator<Item = (&'a ObjectRef<K>, Arc<K>)>,
    ) where
        K: 'a,
    {
        if self.0.iter().any(|index| index.name == name) {
            return;
        }
        let mut index = Index {
            name: name.to_owned(),
            keys_of,
            objects: HashMap::default(),
            keys: HashMap::default(),
        };
        for (key, object) in known {
            index.put(key, &object);
        }
        self.0.push(index);
    }

    /// Adds an object, or updates its entries.
    pub fn put(&mut self, key: &ObjectRef<K>, object: &K) {
        self.0.iter_mut().for_each(|index| index.put(key, object));
    }

    /// Removes an object from all indexes.
    pub fn take(&mut self, key: &ObjectRef<K>) {
        self.0.iter_mut().for_each(|index| index.take(key));
    }

    /// Returns the keys of the objects indexed under `value`. `None` if there is no such index.
    pub fn find(&self, name: &str, value: &str) -> Option<Vec<ObjectRef<K>>> {
        let index = self.0.iter().find(|index| index.name == name)?;
        let found = index.objects.get(value).into_iter().flatten();
        Some(found.cloned().collect())
    }
}

impl<K: AnyObject> Index<K> {
    fn put(&mut self, key: &ObjectRef<K>, object: &K) {
        self.take(key);
        let keys = (self.keys_of)(object);
        if keys.is_empty() {
            return;
        }
        for value in &keys {
            let objects = self.objects.entry(value.clone()).or_default();
            objects.insert(key.clone());
        }
        self.keys.insert(key.clone(), keys);
    }

    fn take(&mut self, key: &ObjectRef<K>) {
        for value in self.keys.remove(key).unwrap_or_default() {
            if let Some(objects) = self.objects.get_mut(&value) {
                objects.remove(key);
                if objects.is_empty() {
                    self.objects.remove(&value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;

    fn map(words: &[&str]) -> ConfigMap {
        let words = words.iter().map(|word| ((*word).to_owned(), String::new()));
        ConfigMap {
            data: Some(words.collect()),
            ..ConfigMap::default()
        }
    }

    fn words(map: &ConfigMap) -> Vec<String> {
        map.data
            .iter()
            .flatten()
            .map(|(word, _)| word.clone())
            .collect()
    }

    #[test]
    fn objects_are_found_by_their_current_index_values() {
        let (a, b) = (ObjectRef::new("a"), ObjectRef::new("b"));
        let mut indexes = Indexes::default();
        let known = [(&a, Arc::new(map(&["x", "y"])))];
        indexes.add("words", Arc::new(words), known.into_iter());
        indexes.put(&b, &map(&["y"]));
        let found = |indexes: &Indexes<ConfigMap>, value: &str| {
            let mut found = indexes.find("words", value).unwrap();
            found.sort_by(|one, other| one.name.cmp(&other.name));
            found
                .into_iter()
                .map(|found| found.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(found(&indexes, "y"), ["a", "b"]);
        indexes.put(&a, &map(&["z"]));
        assert_eq!(found(&indexes, "x"), [""; 0]);
        assert_eq!(found(&indexes, "y"), ["b"]);
        assert_eq!(found(&indexes, "z"), ["a"]);
        indexes.take(&a);
        indexes.take(&b);
        assert_eq!(found(&indexes, "z"), [""; 0]);
        assert!(indexes.0[0].objects.is_empty() && indexes.0[0].keys.is_empty());
        assert_eq!(indexes.find("others", "x"), None);
    }

    #[test]
    fn the_first_of_a_name_stays() {
        let mut indexes = Indexes::default();
        let none = || std::iter::empty();
        indexes.add("words", Arc::new(words), none());
        indexes.add("words", Arc::new(|_: &ConfigMap| Vec::new()), none());
        indexes.put(&ObjectRef::new("a"), &map(&["x"]));
        assert_eq!(indexes.find("words", "x").map(|found| found.len()), Some(1));
    }
}

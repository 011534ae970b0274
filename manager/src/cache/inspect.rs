//! What the caches hold, for tests that compare it with what the API server has.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    cache::{Cache, entries::Entries, informer::Informers},
    object::{self, Object},
};

/// Looks into the caches of a manager, see [`Manager::inspector`](crate::Manager::inspector).
#[derive(Clone)]
pub struct Inspector(pub(crate) Arc<Informers>);

/// What one cache holds.
pub(crate) type Dump = Box<dyn Fn() -> Value + Send + Sync>;

impl Inspector {
    /// For each kind that some controller watches its name (`kind`), the paths at which its objects are listed
    /// (`paths`), whether it is complete (`synced`), and its `objects`.
    ///
    /// Of each object there are `namespace`, `name`, `uid`, `resourceVersion`, whether it counts as one that is
    /// being deleted (`deleting`), and, unless it is kept decoded, the `object` without its `managedFields`.
    #[must_use]
    pub fn dump(&self) -> Value {
        self.0.dumps()
    }
}

/// The dump of one cache, at any time.
pub(crate) fn dump<K: Object>(cache: &Arc<Cache<K>>) -> Dump {
    let cache = cache.clone();
    Box::new(move || {
        let paths = cache
            .scopes()
            .into_iter()
            .map(|scope| K::url_path(&(), scope.as_deref()));
        json!({
            "kind": K::kind(&()),
            "paths": paths.collect::<Vec<_>>(),
            "synced": cache.is_synced(),
            "objects": cache.records(objects),
        })
    })
}

fn objects<K: Object>(records: &Entries<K>) -> Vec<Value> {
    let all = records.iter().filter_map(|(key, record)| {
        let object = records.find(key)?.object()?;
        let meta = object.meta();
        Some(json!({
            "namespace": meta.namespace,
            "name": meta.name,
            "uid": meta.uid,
            "resourceVersion": meta.resource_version,
            "deleting": meta.deletion_timestamp.is_some(),
            "noted": object::version(meta) == record.version,
            "object": record.text().map(|text| serde_json::from_str::<Value>(text).unwrap_or_default()),
        }))
    });
    all.collect()
}

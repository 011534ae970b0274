//! The contents of one cache as JSON, for `inspect.rs`.

use std::sync::Arc;

use kube::core::Request;
use serde_json::{Value, json};

use crate::cache::{Cache, entries::Entries};
use crate::object::{self, AnyObject};

/// A function that returns the current contents of one cache as JSON.
pub(crate) type Dump = Box<dyn Fn() -> Value + Send + Sync>;

/// Returns a [`Dump`] that keeps the cache alive. It hides the type of the cached objects.
pub(crate) fn dump<K: AnyObject>(cache: &Arc<Cache<K>>) -> Dump {
    let cache = cache.clone();
    Box::new(move || {
        let paths = cache.watch_scopes().into_iter().filter_map(|scope| {
            let path = Request::new(K::url_path(&cache.kind, scope.as_deref()));
            let request = path.list(&cache.watch.list()).ok()?;
            Some(request.uri().to_string())
        });
        json!({
            "kind": K::kind(&cache.kind),
            "paths": paths.collect::<Vec<_>>(),
            "synced": cache.is_synced(),
            "share": sharding(&cache),
            "objects": cache.read_entries(|entries| objects(entries, cache.is_trimmed())),
        })
    })
}

/// Returns the number of shards (`of`), the criterion that assigns objects to them (`by`), and the
/// shards that this replica caches (`kept`). `null` if the kind is not sharded.
fn sharding<K: AnyObject>(cache: &Cache<K>) -> Value {
    match &cache.watch.sharding {
        Some(sharding) => {
            json!({"of": sharding.count(), "by": sharding.by().to_string(), "kept": sharding.kept()})
        }
        None => Value::Null,
    }
}

/// Returns the cached objects. `noted` is true if the recorded version of an object is the version
/// of the object itself; false shows an error of the cache. `object` is null if objects are stored
/// decoded or trimmed.
fn objects<K: AnyObject>(records: &Entries<K>, trimmed: bool) -> Vec<Value> {
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
            "object": record.text().filter(|_| !trimmed).map(|text| serde_json::from_str::<Value>(text).unwrap_or_default()),
        }))
    });
    all.collect()
}

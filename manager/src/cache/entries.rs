//! The objects of a cache, with some metadata for each.
//!
//! Objects are stored as JSON, which takes a fraction of the memory of a decoded object, and are
//! decoded on access. After the first call that needs all objects, they are decoded once and stored
//! decoded.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::ObjectMeta;
use kube::runtime::{
    reflector::{ObjectRef, Store, store::Writer},
    watcher::Event,
};
use serde::Serialize;
use tokio::time::Instant;

use crate::cache::decoded::{Applied, AppliedHashes, Decoded};
use crate::cache::index::{Indexes, KeysOf};
use crate::hash::HashMap;
use crate::object::{self, AnyObject};

/// The objects of one cache, by key, with their indexes.
pub(crate) struct Entries<K: AnyObject> {
    kind: K::DynamicType,
    records: HashMap<ObjectRef<K>, Record>,
    /// The decoded objects. `None` until the first call that needs all objects.
    whole: Option<Writer<K>>,
    indexes: Indexes<K>,
    /// Number of objects that were stored or removed so far.
    pub revision: u64,
}

/// The metadata of a cached object that the cache itself needs.
#[derive(Default)]
pub(crate) struct Record {
    /// The object as JSON. `None` if the object is in `Entries::whole`.
    text: Option<Arc<str>>,
    uid: Option<String>,
    /// The resource version as a number; 0 if it is not a number.
    pub version: u64,
    /// The fields that the controllers of this operator applied.
    pub applied: Applied,
    /// Hashes of the values of these fields, if the cache trims objects; empty if not.
    pub applied_hashes: AppliedHashes,
    /// The time at which this version was stored.
    pub learned: Option<Instant>,
    /// The last state that needed no apply; `None` if none is known.
    pub settled: Option<Settled>,
    /// The time at which the operator deleted the object; `None` if it did not. It is the object's
    /// `deletionTimestamp` until a version arrives that has one.
    deleted_at: Option<Time>,
}

impl Record {
    #[cfg(feature = "inspect")]
    /// Returns the object as JSON. `None` if objects are stored decoded.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    pub fn uid(&self) -> Option<&str> {
        self.uid.as_deref()
    }

    /// Returns true if `meta` belongs to the stored version of the object.
    pub fn is(&self, meta: &ObjectMeta) -> bool {
        self.version != 0 && self.version == object::version(meta) && self.uid == meta.uid
    }
}

/// A state of an object that needed no apply. The state that was applied and the live state are
/// stored as hashes.
#[derive(Clone, Copy)]
pub(crate) struct Settled {
    /// Hash of the field manager and of the state that it applies.
    pub wanted: u64,
    /// Resource version of the live object.
    pub version: u64,
    /// Hash of the live values of the applied fields, if the API server changed what was sent.
    pub rewritten: Option<u64>,
    /// Hash of the live values of the applied fields, if the cache trims the object.
    pub applied_hash: Option<u64>,
}

/// A cached object, decoded or not.
pub(crate) enum Found<K> {
    Whole(Arc<K>),
    Text {
        text: Arc<str>,
        deleted_at: Option<Time>,
    },
}

impl<K: AnyObject> Found<K> {
    /// Returns the decoded object; `None` if the JSON does not fit the type.
    pub fn object(self) -> Option<Arc<K>> {
        match self {
            Self::Whole(object) => Some(object),
            Self::Text { text, deleted_at } => {
                let mut object = Arc::new(serde_json::from_str(&text).ok()?);
                mark(&mut object, deleted_at);
                Some(object)
            }
        }
    }
}

impl<K: AnyObject + Serialize> Found<K> {
    /// Returns the object as JSON.
    pub fn text(self) -> Option<Arc<str>> {
        match self {
            Self::Whole(object) => Some(serde_json::to_string(&*object).ok()?.into()),
            Self::Text { text, .. } => Some(text),
        }
    }
}

impl<K: AnyObject> Entries<K> {
    pub fn new(kind: K::DynamicType) -> Self {
        Self {
            kind,
            records: HashMap::default(),
            whole: None,
            indexes: Indexes::default(),
            revision: 0,
        }
    }

    /// Adds an index of all objects. Does nothing if an index of this name exists.
    pub fn index(&mut self, name: &str, keys_of: KeysOf<K>) {
        let mut indexes = std::mem::take(&mut self.indexes);
        let known = self.records.keys();
        let known = known.filter_map(|key| Some((key, self.find(key)?.object()?)));
        indexes.add(name, keys_of, known);
        self.indexes = indexes;
    }

    /// Returns the keys of the objects indexed under `value`. `None` if there is no such index.
    pub fn under(&self, index: &str, value: &str) -> Option<Vec<ObjectRef<K>>> {
        self.indexes.find(index, value)
    }

    /// Returns an object; `None` if it is not cached.
    pub fn find(&self, key: &ObjectRef<K>) -> Option<Found<K>> {
        if let Some(whole) = &self.whole {
            return whole.as_reader().get(key).map(Found::Whole);
        }
        let record = self.records.get(key)?;
        Some(Found::Text {
            text: record.text.clone()?,
            deleted_at: record.deleted_at.clone(),
        })
    }

    /// Returns true if the cached version of the object is still that of `known`, and the operator
    /// has not deleted the object since.
    pub fn is_still(&self, key: &ObjectRef<K>, known: &ObjectMeta) -> bool {
        let is_going = known.deletion_timestamp.is_some();
        let record = self.records.get(key);
        record.is_some_and(|record| record.is(known) && (is_going || record.deleted_at.is_none()))
    }

    /// Returns the metadata of an object; `None` if it is not cached.
    pub fn record(&self, key: &ObjectRef<K>) -> Option<&Record> {
        self.records.get(key)
    }

    /// Does the same as [`Entries::record`], to change the metadata.
    pub fn record_mut(&mut self, key: &ObjectRef<K>) -> Option<&mut Record> {
        self.records.get_mut(key)
    }

    /// Returns the keys of all objects with their metadata, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&ObjectRef<K>, &Record)> {
        self.records.iter()
    }

    /// Stores an object in place of its earlier version, and returns it as stored. Keeps those
    /// parts of the earlier record that remain valid.
    pub fn put(&mut self, key: &ObjectRef<K>, received: Decoded<K>) -> Arc<K> {
        let Decoded {
            mut object,
            text,
            applied,
            applied_hashes,
        } = received;
        self.revision += 1;
        let meta = object.meta();
        let version = object::version(meta);
        // If the version did not increase, the earlier record is from before a restore and no
        // longer valid.
        let earlier = self.records.remove(key);
        let earlier = earlier.filter(|earlier| version == 0 || earlier.version < version);
        let earlier = earlier.unwrap_or_default();
        let record = Record {
            text: self.whole.is_none().then(|| text.into()),
            uid: meta.uid.clone(),
            version,
            applied,
            applied_hashes,
            learned: Some(Instant::now()),
            settled: earlier.settled,
            deleted_at: earlier.deleted_at.filter(|_| earlier.uid == meta.uid),
        };
        mark(&mut object, record.deleted_at.clone());
        self.records.insert(key.clone(), record);
        self.indexes.put(key, &object);
        self.put_whole(key, object)
    }

    /// Stores the object in `whole` if objects are stored decoded.
    fn put_whole(&mut self, key: &ObjectRef<K>, object: Arc<K>) -> Arc<K> {
        let Some(whole) = &mut self.whole else {
            return object;
        };
        whole.apply_watcher_event(&Event::Apply(Arc::unwrap_or_clone(object)));
        let Some(object) = whole.as_reader().get(key) else {
            unreachable!("it was just put there")
        };
        object
    }

    /// Removes an object. Returns its last state; `None` if it was not cached or cannot be decoded.
    pub fn take(&mut self, key: &ObjectRef<K>) -> Option<Arc<K>> {
        let last = self.find(key)?.object();
        self.revision += 1;
        self.records.remove(key);
        self.indexes.take(key);
        if let (Some(whole), Some(last)) = (&mut self.whole, &last) {
            whole.apply_watcher_event(&Event::Delete(last.as_ref().clone()));
        }
        last
    }

    /// Marks the object as being deleted by the operator, if it has this uid.
    pub fn mark_deleted(&mut self, key: &ObjectRef<K>, uid: Option<&str>) {
        let record = self.records.get_mut(key);
        let Some(record) = record.filter(|record| record.uid.as_deref() == uid) else {
            return;
        };
        let now = Some(Time(crate::clock::now()));
        record.deleted_at.clone_from(&now);
        if let Some(Found::Whole(mut known)) = self.find(key) {
            mark(&mut known, now);
            self.put_whole(key, known);
        }
    }

    /// Returns a store of all objects, which changes with them. The first call decodes all objects,
    /// and from then on they are stored decoded.
    pub fn decoded(&mut self) -> Store<K> {
        if let Some(whole) = &self.whole {
            return whole.as_reader();
        }
        let mut whole = Writer::new(self.kind.clone());
        whole.apply_watcher_event(&Event::Init);
        whole.apply_watcher_event(&Event::InitDone);
        let store = whole.as_reader();
        let keys: Vec<_> = self.records.keys().cloned().collect();
        let found = |key| Some((key, self.find(key)?.object()?));
        let objects: Vec<_> = keys.iter().filter_map(found).collect();
        self.whole = Some(whole);
        for record in self.records.values_mut() {
            record.text = None;
        }
        for (key, object) in objects {
            self.put_whole(key, object);
        }
        store
    }
}

/// Sets `deletionTimestamp` on an object that the operator deleted.
fn mark<K: AnyObject>(object: &mut Arc<K>, deleted_at: Option<Time>) {
    if deleted_at.is_some() && object.meta().deletion_timestamp.is_none() {
        Arc::make_mut(object).meta_mut().deletion_timestamp = deleted_at;
    }
}

//! The objects of a cache, and what is noted of each.
//!
//! They are kept as JSON, which takes a fraction of the memory of a decoded object, and are decoded when they are
//! asked for. Where somebody looks through all of them, they are decoded once and kept like that.

use std::{collections::HashMap, sync::Arc, time::Instant};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::ObjectMeta;
use kube::runtime::{
    reflector::{ObjectRef, Store, store::Writer},
    watcher::Event,
};
use serde::Serialize;

use crate::cache::decoded::{Applied, Decoded, Looks};
use crate::cache::index::{Indexes, KeysOf};
use crate::object::{self, AnyObject};

pub(crate) struct Entries<K: AnyObject> {
    kind: K::DynamicType,
    records: HashMap<ObjectRef<K>, Record>,
    /// Has the objects, once somebody wanted all of them.
    whole: Option<Writer<K>>,
    indexes: Indexes<K>,
    /// How often an object came or went.
    pub revision: u64,
}

/// What is known of an object besides what is in it.
#[derive(Default)]
pub(crate) struct Record {
    /// The object, unless it is in `Entries::whole`.
    text: Option<Arc<str>>,
    uid: Option<String>,
    pub version: u64,
    /// What this operator applied to it.
    pub applied: Applied,
    pub looks: Looks,
    /// When it became known like that.
    pub learned: Option<Instant>,
    pub settled: Option<Settled>,
    /// When the operator deleted it, if it is not reported to be gone yet.
    doomed: Option<Time>,
}

impl Record {
    #[cfg(feature = "inspect")]
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    #[cfg(feature = "shards")]
    pub fn uid(&self) -> Option<&str> {
        self.uid.as_deref()
    }

    /// True when this is the state of the object that `meta` is of.
    pub fn is(&self, meta: &ObjectMeta) -> bool {
        self.version != 0 && self.version == object::version(meta) && self.uid == meta.uid
    }
}

/// A state that needed no apply. Both states are hashes.
#[derive(Clone, Copy)]
pub(crate) struct Settled {
    /// Which field manager wanted what.
    pub wanted: u64,
    /// The object was like that in this version.
    pub version: u64,
    /// What the API server made of it, where that is not what was sent.
    pub rewritten: Option<u64>,
    /// How it looked, where that is all that will be known of it.
    pub look: Option<u64>,
}

/// An object that is there.
pub(crate) enum Found<K> {
    Whole(Arc<K>),
    Text {
        text: Arc<str>,
        doomed: Option<Time>,
    },
}

impl<K: AnyObject> Found<K> {
    pub fn object(self) -> Option<Arc<K>> {
        match self {
            Self::Whole(object) => Some(object),
            Self::Text { text, doomed } => {
                let mut object = Arc::new(serde_json::from_str(&text).ok()?);
                mark(&mut object, doomed);
                Some(object)
            }
        }
    }
}

impl<K: AnyObject + Serialize> Found<K> {
    /// The object as JSON.
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
            records: HashMap::new(),
            whole: None,
            indexes: Indexes::default(),
            revision: 0,
        }
    }

    pub fn index(&mut self, name: &str, keys_of: KeysOf<K>) {
        let mut indexes = std::mem::take(&mut self.indexes);
        let known = self.records.keys();
        let known = known.filter_map(|key| Some((key, self.find(key)?.object()?)));
        indexes.add(name, keys_of, known);
        self.indexes = indexes;
    }

    pub fn under(&self, index: &str, value: &str) -> Option<Vec<ObjectRef<K>>> {
        self.indexes.find(index, value)
    }

    pub fn find(&self, key: &ObjectRef<K>) -> Option<Found<K>> {
        if let Some(whole) = &self.whole {
            return whole.as_reader().get(key).map(Found::Whole);
        }
        let record = self.records.get(key)?;
        Some(Found::Text {
            text: record.text.clone()?,
            doomed: record.doomed.clone(),
        })
    }

    /// Whether an object is still what `known` is.
    pub fn is_still(&self, key: &ObjectRef<K>, known: &ObjectMeta) -> bool {
        let is_going = known.deletion_timestamp.is_some();
        let record = self.records.get(key);
        record.is_some_and(|record| record.is(known) && (is_going || record.doomed.is_none()))
    }

    pub fn record(&self, key: &ObjectRef<K>) -> Option<&Record> {
        self.records.get(key)
    }

    pub fn record_mut(&mut self, key: &ObjectRef<K>) -> Option<&mut Record> {
        self.records.get_mut(key)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&ObjectRef<K>, &Record)> {
        self.records.iter()
    }

    /// Keeps an object instead of what was there, with the notes that outlive a change.
    pub fn put(&mut self, key: &ObjectRef<K>, received: Decoded<K>) -> Arc<K> {
        let Decoded {
            mut object,
            text,
            applied,
            looks,
        } = received;
        self.revision += 1;
        let meta = object.meta();
        let version = object::version(meta);
        // Where versions do not go forward, what was noted is of a past that never was.
        let earlier = self.records.remove(key);
        let earlier = earlier.filter(|earlier| version == 0 || earlier.version < version);
        let earlier = earlier.unwrap_or_default();
        let record = Record {
            text: self.whole.is_none().then(|| text.into()),
            uid: meta.uid.clone(),
            version,
            applied,
            looks,
            learned: Some(Instant::now()),
            settled: earlier.settled,
            doomed: earlier.doomed.filter(|_| earlier.uid == meta.uid),
        };
        mark(&mut object, record.doomed.clone());
        self.records.insert(key.clone(), record);
        self.indexes.put(key, &object);
        self.put_whole(key, object)
    }

    /// Keeps a decoded object, if objects are kept like that.
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

    /// Forgets an object.
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

    /// From now on an object with this uid is one that is being deleted.
    pub fn doom(&mut self, key: &ObjectRef<K>, uid: Option<&str>) {
        let record = self.records.get_mut(key);
        let Some(record) = record.filter(|record| record.uid.as_deref() == uid) else {
            return;
        };
        let now = Some(Time(crate::clock::now()));
        record.doomed.clone_from(&now);
        if let Some(Found::Whole(mut known)) = self.find(key) {
            mark(&mut known, now);
            self.put_whole(key, known);
        }
    }

    /// Decodes all objects and keeps them like that.
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

/// An object that the operator deleted is being deleted.
fn mark<K: AnyObject>(object: &mut Arc<K>, doomed: Option<Time>) {
    if doomed.is_some() && object.meta().deletion_timestamp.is_none() {
        Arc::make_mut(object).meta_mut().deletion_timestamp = doomed;
    }
}

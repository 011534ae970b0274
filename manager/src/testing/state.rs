//! The storage of the API server: objects and their history.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};

use super::{
    identifiers::Random,
    kinds::{Kind, Kinds},
    refusal::Refusal,
};

/// The key of an object, which is the same in all versions of its kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub group: String,
    pub plural: String,
    /// Empty for a cluster-scoped object.
    pub namespace: String,
    pub name: String,
}

impl Key {
    pub fn new(kind: &Kind, namespace: &str, name: &str) -> Self {
        Self {
            group: kind.group.clone(),
            plural: kind.plural.clone(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }

    /// Returns the object's path in the etcd of a real API server.
    pub fn path(&self) -> String {
        let parts = [&self.group, &self.plural, &self.namespace, &self.name];
        let parts: Vec<_> = parts
            .into_iter()
            .filter(|part| !part.is_empty())
            .map(String::as_str)
            .collect();
        parts.join("/")
    }

    /// Returns the resource with its group: `deployments.apps`.
    pub fn resource(&self) -> String {
        if self.group.is_empty() {
            self.plural.clone()
        } else {
            format!("{}.{}", self.plural, self.group)
        }
    }

    /// Returns true if the key belongs to a resource, such as `deployments.apps`.
    pub fn is_named(&self, resource: &str) -> bool {
        let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
        self.plural == plural && self.group == group
    }

    /// Returns true if the key belongs to `kind` and, if given, to this namespace.
    pub fn is_of(&self, kind: &Kind, namespace: Option<&str>) -> bool {
        self.group == kind.group
            && self.plural == kind.plural
            && namespace.is_none_or(|namespace| self.namespace == namespace)
    }
}

/// One write, with the states before and after it.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub revision: u64,
    pub key: Key,
    pub before: Option<Value>,
    /// The new state. After a delete, the last state.
    pub object: Value,
    pub is_deletion: bool,
}

#[derive(Clone, Debug)]
pub(super) struct State {
    pub kinds: Kinds,
    pub objects: BTreeMap<Key, Value>,
    pub revision: u64,
    /// All changes after the revision `forgotten`.
    pub log: Vec<Change>,
    pub forgotten: u64,
    pub random: Random,
}

const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

impl State {
    pub fn new(seed: u64) -> Self {
        let mut state = Self {
            kinds: Kinds::of_kubernetes(),
            objects: BTreeMap::new(),
            revision: 1,
            log: Vec::new(),
            forgotten: 0,
            random: Random::new(seed),
        };
        if let Some(kind) = state.kinds.find("", "v1", "namespaces") {
            for name in NAMESPACES {
                let namespace = json!({
                    "apiVersion": "v1", "kind": "Namespace",
                    "metadata": {"name": name, "uid": state.random.uid(), "creationTimestamp": now()},
                    "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"},
                });
                state.commit(Key::new(&kind, "", name), namespace);
            }
        }
        state
    }

    pub fn get(&self, kind: &Kind, key: &Key) -> Result<&Value, Refusal> {
        let found = self.objects.get(key);
        found.ok_or_else(|| Refusal::not_found(kind, &key.name))
    }

    pub fn kind_of(&self, key: &Key) -> Option<Arc<Kind>> {
        self.kinds.any_version(&key.group, &key.plural)
    }

    /// Writes an object. An object that is being deleted and has no finalizers left is removed instead.
    pub fn commit(&mut self, key: Key, mut object: Value) -> Value {
        let metadata = &object["metadata"];
        let waits = metadata["finalizers"]
            .as_array()
            .is_some_and(|it| !it.is_empty());
        if !metadata["deletionTimestamp"].is_null() && !waits {
            self.remove(&key);
            return object;
        }
        self.revision += 1;
        object["metadata"]["resourceVersion"] = self.revision.to_string().into();
        let before = self.objects.insert(key.clone(), object.clone());
        self.noted(key, before, object.clone(), false);
        object
    }

    pub fn remove(&mut self, key: &Key) {
        let Some(before) = self.objects.remove(key) else {
            return;
        };
        self.revision += 1;
        let mut object = before.clone();
        object["metadata"]["resourceVersion"] = self.revision.to_string().into();
        self.noted(key.clone(), Some(before), object, true);
    }

    fn noted(&mut self, key: Key, before: Option<Value>, object: Value, is_deletion: bool) {
        if key.plural == "customresourcedefinitions" {
            if is_deletion {
                self.kinds.withdraw(&object);
                let (group, plural) =
                    (&object["spec"]["group"], &object["spec"]["names"]["plural"]);
                let of_it = |key: &Key| *group == *key.group && *plural == *key.plural;
                let keys: Vec<_> = self
                    .objects
                    .keys()
                    .filter(|key| of_it(key))
                    .cloned()
                    .collect();
                for key in &keys {
                    self.remove(key);
                }
            } else {
                self.kinds.define(&object);
            }
        }
        let revision = self.revision;
        self.log.push(Change {
            revision,
            key,
            before,
            object,
            is_deletion,
        });
    }

    /// Returns the objects at an earlier revision.
    pub fn at(&self, revision: u64) -> Result<BTreeMap<Key, Value>, Refusal> {
        if revision < self.forgotten {
            return Err(Refusal::expired(
                "The provided continue parameter is too old to display a consistent list result. You can start a new list \
                 without the continue parameter, or use the continue token in this response to retrieve the remainder of the \
                 results. Continuing with the provided token results in an inconsistent list - objects that were created, \
                 modified, or deleted between the time the first chunk was returned and now may show up in the list.",
            ));
        }
        let mut objects = self.objects.clone();
        for change in self
            .log
            .iter()
            .rev()
            .take_while(|change| change.revision > revision)
        {
            match &change.before {
                Some(before) => objects.insert(change.key.clone(), before.clone()),
                None => objects.remove(&change.key),
            };
        }
        Ok(objects)
    }

    /// Discards the history, as etcd does when it is compacted.
    pub fn forget(&mut self) {
        self.log.clear();
        self.forgotten = self.revision;
    }
}

/// Returns the current time in the format of Kubernetes timestamps.
pub(super) fn now() -> String {
    crate::clock::now()
        .strftime("%Y-%m-%dT%H:%M:%SZ")
        .to_string()
}

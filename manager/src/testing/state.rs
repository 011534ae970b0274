//! The storage of the in-memory API server: the objects, and a log of changes for watches and paged
//! lists.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};

use super::{
    endpoints::Endpoints,
    identifiers::Random,
    kinds::{Kind, Kinds},
    refusal::Refusal,
};
use crate::recorder::LEASES;

/// The key of an object, which is the same in all versions of its kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// Empty for the core group.
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

    /// Returns the object's key in etcd, without the prefix `/registry/`, for error messages.
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

    /// Returns the object as `namespace/name`, or `name` if it is cluster-scoped.
    pub fn object(&self) -> String {
        let parts = [&*self.namespace, &*self.name];
        parts.join("/").trim_start_matches('/').to_owned()
    }

    /// Returns true if the object is of a resource, given as `deployments.apps`.
    pub fn is_of_resource(&self, resource: &str) -> bool {
        let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
        self.plural == plural && self.group == group
    }

    /// Returns true if the object is a CRD.
    fn is_definition(&self) -> bool {
        self.plural == "customresourcedefinitions"
    }

    /// Returns true if the object is a webhook configuration. No webhook is called for it.
    pub fn is_webhook_configuration(&self) -> bool {
        self.group == ADMISSION
    }

    /// Returns true if the object is of `kind` and in `namespace`; `None` means all namespaces.
    pub fn is_in_scope(&self, kind: &Kind, namespace: Option<&str>) -> bool {
        self.group == kind.group
            && self.plural == kind.plural
            && namespace.is_none_or(|namespace| self.namespace == namespace)
    }
}

/// An entry of the log: a create, an update or a delete.
#[derive(Clone, Debug)]
pub(super) struct LogEntry {
    /// The revision of the server after the change.
    pub revision: u64,
    pub key: Key,
    /// `None` for a create.
    pub before: Option<Value>,
    /// The new state; for a delete, the last state with the resource version of the deletion.
    pub object: Value,
    pub is_deletion: bool,
}

/// The objects of the in-memory API server, the kinds that it serves, and the log. A CRD that is
/// written or deleted changes the served kinds at once.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub kinds: Kinds,
    /// The objects as they are stored: in the storage version if a webhook converts them.
    pub objects: BTreeMap<Key, Value>,
    /// The revision of the last change, which is the resource version of its object.
    pub revision: u64,
    /// All changes after the revision `compacted`, oldest first.
    pub log: Vec<LogEntry>,
    /// The revision of the last compaction. Older revisions can no longer be read.
    pub compacted: u64,
    /// The source of UIDs, name suffixes, latencies and the order of events.
    pub random: Random,
    /// The processes that serve webhooks.
    pub endpoints: Endpoints,
    /// The objects of the last backup. `None` before the first.
    backup: Option<Arc<BTreeMap<Key, Value>>>,
}

/// The group of the webhook configurations.
pub(super) const ADMISSION: &str = "admissionregistration.k8s.io";

const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

impl State {
    /// Returns a cluster with the built-in kinds and the namespaces of every cluster.
    pub fn new(seed: u64) -> Self {
        let mut state = Self {
            kinds: Kinds::of_kubernetes(),
            objects: BTreeMap::new(),
            revision: 1,
            log: Vec::new(),
            compacted: 0,
            random: Random::new(seed),
            endpoints: Endpoints::default(),
            backup: None,
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

    /// Returns an object as it is stored. The error is a 404.
    pub fn get(&self, kind: &Kind, key: &Key) -> Result<&Value, Refusal> {
        let found = self.objects.get(key);
        found.ok_or_else(|| Refusal::not_found(kind, &key.name))
    }

    /// Returns the object's kind in any served version; `None` if its CRD is gone.
    pub fn kind_of(&self, key: &Key) -> Option<Arc<Kind>> {
        self.kinds.any_version(&key.group, &key.plural)
    }

    /// Returns a stored object as a client that requests this version of its kind receives it.
    ///
    /// # Errors
    /// Returns 500 if no process converts it.
    pub fn in_version(&self, object: &Value, kind: &Kind) -> Result<Value, Refusal> {
        let wanted = kind.api_version();
        if kind.converted_to.is_some() && object["apiVersion"] != *wanted {
            return self.endpoints.convert(object, &wanted);
        }
        let mut object = object.clone();
        object["apiVersion"] = wanted.into();
        Ok(object)
    }

    /// Returns an object in the version in which it is stored: the storage version if a webhook
    /// converts the kind, or else the version of `before`, the stored object (`None` for a new
    /// one).
    ///
    /// # Errors
    /// Returns 500 if no process converts it.
    pub fn storable(
        &self,
        mut object: Value,
        kind: &Kind,
        before: Option<&Value>,
    ) -> Result<Value, Refusal> {
        match (&kind.converted_to, before) {
            (Some(stored), _) if object["apiVersion"] != **stored => {
                return self.endpoints.convert(&object, stored);
            }
            (None, Some(before)) => object["apiVersion"] = before["apiVersion"].clone(),
            _ => {}
        }
        Ok(object)
    }

    /// Stores a valid object under a new resource version, and returns it. An object with a
    /// `deletionTimestamp` and without finalizers is removed instead.
    pub fn commit(&mut self, key: Key, mut object: Value) -> Value {
        let metadata = &object["metadata"];
        let has_finalizers = metadata["finalizers"]
            .as_array()
            .is_some_and(|it| !it.is_empty());
        if !metadata["deletionTimestamp"].is_null() && !has_finalizers {
            self.remove(&key);
            return object;
        }
        self.revision += 1;
        object["metadata"]["resourceVersion"] = self.revision.to_string().into();
        let before = self.objects.insert(key.clone(), object.clone());
        self.record_change(key, before, object.clone(), false);
        object
    }

    /// Deletes an object at once, even if it has finalizers. Does nothing if it does not exist.
    /// The objects of a CRD are deleted before it.
    pub fn remove(&mut self, key: &Key) {
        let Some(before) = self.objects.remove(key) else {
            return;
        };
        if key.is_definition() {
            self.kinds.withdraw(&before);
            let (group, plural) = (&before["spec"]["group"], &before["spec"]["names"]["plural"]);
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
        }
        self.revision += 1;
        let mut object = before.clone();
        object["metadata"]["resourceVersion"] = self.revision.to_string().into();
        self.record_change(key.clone(), Some(before), object, true);
    }

    /// Adds a change to the log. A CRD that is written also changes the served kinds.
    fn record_change(&mut self, key: Key, before: Option<Value>, object: Value, is_deletion: bool) {
        if key.is_definition() && !is_deletion {
            self.kinds.define(&object);
        }
        let revision = self.revision;
        self.log.push(LogEntry {
            revision,
            key,
            before,
            object,
            is_deletion,
        });
    }

    /// Returns the objects as they were at `revision`, for the next page of a list.
    ///
    /// # Errors
    /// Returns 410 `Expired` if the revision was compacted.
    pub fn at(&self, revision: u64) -> Result<BTreeMap<Key, Value>, Refusal> {
        if revision < self.compacted {
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

    /// Makes a backup of all objects, in place of the previous one.
    pub fn back_up(&mut self) {
        self.backup = Some(Arc::new(self.objects.clone()));
    }

    /// Restores the objects of the last backup, except Leases: their older holder would lead at the
    /// same time as the present one. The served kinds are those of the restored CRDs. Does nothing
    /// without a backup. The revision increases, as with
    /// `etcdutl snapshot restore --bump-revision --mark-compacted`.
    pub fn restore(&mut self) {
        let Some(backup) = self.backup.clone() else {
            return;
        };
        let is_lease = |key: &Key| key.resource() == LEASES;
        let others = backup.iter().filter(|(key, _)| !is_lease(key));
        let others = others.map(|(key, object)| (key.clone(), object.clone()));
        self.objects.retain(|key, _| is_lease(key));
        self.objects.extend(others);
        self.kinds = Kinds::of_kubernetes();
        for (_, crd) in self.objects.iter().filter(|(key, _)| key.is_definition()) {
            self.kinds.define(crd);
        }
        self.expire();
    }

    /// Discards the history, and makes all earlier revisions too old.
    pub fn expire(&mut self) {
        self.revision += 1;
        self.compact();
    }

    /// Discards the history, as etcd does when it is compacted.
    pub fn compact(&mut self) {
        self.log.clear();
        self.compacted = self.revision;
    }
}

/// Returns the current time in the format of Kubernetes timestamps.
pub(super) fn now() -> String {
    crate::clock::now()
        .strftime("%Y-%m-%dT%H:%M:%SZ")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition() -> (Key, Value) {
        let key = Key {
            group: "apiextensions.k8s.io".to_owned(),
            plural: "customresourcedefinitions".to_owned(),
            namespace: String::new(),
            name: "cows.my.domain".to_owned(),
        };
        let crd = json!({"metadata": {"name": "cows.my.domain"}, "spec": {
            "group": "my.domain", "scope": "Namespaced", "names": {"plural": "cows", "kind": "Cow"},
            "versions": [{"name": "v1", "served": true, "storage": true}],
        }});
        (key, crd)
    }

    #[test]
    fn a_backup_restores_the_served_kinds() {
        let mut state = State::new(0);
        let (key, crd) = definition();
        state.back_up();
        state.commit(key.clone(), crd.clone());
        state.restore();
        assert!(state.kinds.find("my.domain", "v1", "cows").is_none());
        state.commit(key.clone(), crd);
        state.back_up();
        state.remove(&key);
        state.restore();
        assert!(state.kinds.find("my.domain", "v1", "cows").is_some());
        assert!(state.kinds.find("", "v1", "pods").is_some());
    }

    #[test]
    fn each_object_of_a_deleted_definition_has_its_own_revision() {
        let mut state = State::new(0);
        let (key, crd) = definition();
        state.commit(key.clone(), crd);
        let cow = Key {
            group: "my.domain".to_owned(),
            plural: "cows".to_owned(),
            namespace: "default".to_owned(),
            name: "a".to_owned(),
        };
        state.commit(cow.clone(), json!({"metadata": {"name": "a"}}));
        let before = state.revision;
        state.remove(&key);
        let log = state.log.iter().filter(|entry| entry.revision > before);
        let deleted: Vec<_> = log
            .map(|entry| {
                let version = entry.object["metadata"]["resourceVersion"].as_str();
                assert_eq!(version, Some(&*entry.revision.to_string()));
                (&entry.key, entry.revision)
            })
            .collect();
        assert_eq!(deleted, [(&cow, before + 1), (&key, before + 2)]);
    }
}

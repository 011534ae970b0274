//! Snapshots of the cluster that can be compared between histories.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// The objects of a cluster, by resource, namespace and name, without what differs from history to
/// history: uids, versions, times, and generated names.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Snapshot(pub BTreeMap<Id, Value>);

/// Identifies an object: `deployments.apps default/web`.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Id {
    /// The resource with its group: `deployments.apps`.
    pub resource: String,
    /// Empty for a cluster-scoped object.
    pub namespace: String,
    pub name: String,
    /// True if the name was generated. The name is then the prefix with a number: `web-#1`.
    pub generated: bool,
}

/// A difference between an expected and an actual snapshot.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Difference {
    pub id: Id,
    /// The path of the field, such as `spec.replicas`; empty if the whole object is missing or
    /// unexpected.
    pub field: String,
    /// The expected value. `None` if the object should not exist.
    pub expected: Option<Value>,
    /// The actual value. `None` if the object does not exist.
    pub actual: Option<Value>,
}

/// Resources that are not part of a snapshot.
const IGNORED: [&str; 4] = [
    "customresourcedefinitions.apiextensions.k8s.io",
    "events",
    "events.events.k8s.io",
    "leases.coordination.k8s.io",
];

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            resource,
            namespace,
            name,
            ..
        } = self;
        match &**namespace {
            "" => write!(f, "{resource} {name}"),
            namespace => write!(f, "{resource} {namespace}/{name}"),
        }
    }
}

impl Snapshot {
    /// Returns the snapshot of these objects, each with its resource.
    pub fn of(objects: Vec<(String, Value)>) -> Self {
        let owners: BTreeMap<String, String> = objects
            .iter()
            .map(|(_, object)| {
                let metadata = &object["metadata"];
                let name = format!("{} {}", text(&object["kind"]), text(&metadata["name"]));
                (text(&metadata["uid"]), name)
            })
            .collect();
        let mut generated: BTreeMap<(String, String, String), usize> = BTreeMap::new();
        let mut snapshot = BTreeMap::new();
        for (resource, mut object) in objects {
            if IGNORED.contains(&resource.as_str()) {
                continue;
            }
            let metadata = &object["metadata"];
            let (namespace, prefix) = (
                text(&metadata["namespace"]),
                text(&metadata["generateName"]),
            );
            let is_generated = !prefix.is_empty();
            let name = if is_generated {
                let key = (resource.clone(), namespace.clone(), prefix.clone());
                let number = generated.entry(key).or_default();
                *number += 1;
                format!("{prefix}#{number}")
            } else {
                text(&metadata["name"])
            };
            normalize(&mut object, &owners);
            let id = Id {
                resource,
                namespace,
                name,
                generated: is_generated,
            };
            snapshot.insert(id, object);
        }
        Self(snapshot)
    }

    /// Returns the differences of `actual`, except in fields that `masked` contains.
    pub fn differences(&self, actual: &Self, masked: &BTreeSet<(Id, String)>) -> Vec<Difference> {
        let mut found = Vec::new();
        let ids: BTreeSet<&Id> = self.0.keys().chain(actual.0.keys()).collect();
        for id in ids {
            let (expected, is) = (self.0.get(id), actual.0.get(id));
            match (expected, is) {
                (Some(expected), Some(is)) => compare(id, String::new(), expected, is, &mut found),
                _ => found.push(Difference {
                    id: id.clone(),
                    field: String::new(),
                    expected: expected.cloned(),
                    actual: is.cloned(),
                }),
            }
        }
        found.retain(|it| !masked.contains(&(it.id.clone(), it.field.clone())));
        found
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Removes what differs from history to history. `owners` has the kind and name of each object by
/// UID.
fn normalize(object: &mut Value, owners: &BTreeMap<String, String>) {
    let generation = object["metadata"]["generation"].clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for name in [
            "creationTimestamp",
            "generation",
            "managedFields",
            "name",
            "resourceVersion",
            "uid",
        ] {
            metadata.remove(name);
        }
        if metadata.contains_key("deletionTimestamp") {
            metadata.insert("deletionTimestamp".to_owned(), "set".into());
        }
        if let Some(references) = metadata
            .get_mut("ownerReferences")
            .and_then(Value::as_array_mut)
        {
            for reference in references {
                let uid = text(&reference["uid"]);
                let owner = owners
                    .get(&uid)
                    .map_or("an owner that does not exist", String::as_str);
                reference["uid"] = owner.into();
            }
        }
        // The annotation of an injected edit is not the operator's.
        if let Some(annotations) = metadata
            .get_mut("annotations")
            .and_then(Value::as_object_mut)
        {
            annotations.remove("edited");
            if annotations.is_empty() {
                metadata.remove("annotations");
            }
        }
    }
    if let Some(status) = object.get_mut("status") {
        without_times(status, &generation);
    }
}

/// Replaces times, and replaces each `observedGeneration` by `current` or `outdated`, depending on
/// `generation`.
fn without_times(value: &mut Value, generation: &Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                if name == "observedGeneration" {
                    *value = if *value == *generation {
                        "current".into()
                    } else {
                        "outdated".into()
                    };
                } else {
                    without_times(value, generation);
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                without_times(item, generation);
            }
        }
        Value::String(text) if text.len() >= 20 && text.parse::<jiff::Timestamp>().is_ok() => {
            "a time".clone_into(text);
        }
        _ => {}
    }
}

/// Adds the differences of a field and the fields inside it.
fn compare(id: &Id, field: String, expected: &Value, actual: &Value, found: &mut Vec<Difference>) {
    if expected == actual {
        return;
    }
    let below = |name: &str| {
        if field.is_empty() {
            name.to_owned()
        } else {
            format!("{field}.{name}")
        }
    };
    match (expected, actual) {
        (Value::Object(one), Value::Object(other)) => {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for name in names {
                let value = |map: &Map<String, Value>| map.get(name).cloned().unwrap_or_default();
                compare(id, below(name), &value(one), &value(other), found);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (index, (one, other)) in one.iter().zip(other).enumerate() {
                let type_ = one["type"].as_str().map(str::to_owned);
                let index = type_.unwrap_or_else(|| index.to_string());
                compare(id, format!("{field}[{index}]"), one, other, found);
            }
        }
        _ => found.push(Difference {
            id: id.clone(),
            field,
            expected: Some(expected.clone()),
            actual: Some(actual.clone()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(name: &str, uid: &str, ready: &str, at: &str) -> (String, Value) {
        let condition = json!({"type": "Ready", "status": ready, "lastTransitionTime": at});
        let metadata = json!({
            "name": name, "generateName": "web-", "namespace": "a", "uid": uid, "resourceVersion": uid,
        });
        let pod =
            json!({"kind": "Pod", "metadata": metadata, "status": {"conditions": [condition]}});
        ("pods".to_owned(), pod)
    }

    #[test]
    fn only_lasting_facts_are_compared() {
        let one = Snapshot::of(vec![pod("web-x", "1", "True", "2030-01-01T00:00:00Z")]);
        let same = Snapshot::of(vec![pod("web-y", "2", "True", "2031-01-01T00:00:00Z")]);
        assert_eq!(one, same);
        let other = Snapshot::of(vec![
            pod("web-y", "2", "False", "2031-01-01T00:00:00Z"),
            pod("web-z", "3", "True", "2031-01-01T00:00:00Z"),
        ]);
        let found = one.differences(&other, &BTreeSet::new());
        let found: Vec<_> = found
            .iter()
            .map(|it| format!("{} {}", it.id, it.field))
            .collect();
        assert_eq!(
            found,
            [
                "pods a/web-#1 status.conditions[Ready].status",
                "pods a/web-#2 "
            ]
        );
    }
}

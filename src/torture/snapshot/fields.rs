//! The fields of an object, normalized: without generated names, times, identities and values that
//! the cluster assigns.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::page::is_secret;

/// The normalized values of an object's fields as text, by path: `spec.replicas`,
/// `spec.containers[main].image`.
pub type Fields = BTreeMap<String, String>;

/// Returns the kind of an object in a snapshot: `Lolcow.my.domain`, or `Deployment` for kinds of
/// Kubernetes.
pub fn kind(object: &Value) -> String {
    let kind = object["kind"].as_str().unwrap_or_default();
    let version = object["apiVersion"].as_str().unwrap_or_default();
    match version.split_once('/') {
        Some((group, _)) if group.contains('.') && !group.ends_with(".k8s.io") => {
            format!("{kind}.{group}")
        }
        _ => kind.to_owned(),
    }
}

/// Reports whether Kubernetes' own controllers reconcile the kind, so that its status is not the
/// operator's.
fn is_builtin(object: &Value) -> bool {
    !kind(object).contains('.')
}

/// Reports whether snapshots leave the object out: one of Kubernetes' own controllers created it,
/// every namespace has it, or it only records activity, as events and Leases do.
pub fn is_secondary(object: &Value) -> bool {
    let owners = object["metadata"]["ownerReferences"].as_array();
    let owned = owners.into_iter().flatten().any(|owner| {
        let group = owner["apiVersion"].as_str().unwrap_or_default();
        owner["controller"] == true && (group.starts_with("apps/") || group.starts_with("batch/"))
    });
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    let everywhere = match object["kind"].as_str().unwrap_or_default() {
        "ConfigMap" => name == "kube-root-ca.crt",
        "ServiceAccount" => name == "default",
        "Endpoints" | "EndpointSlice" | "Event" | "Lease" | "ControllerRevision" | "PodMetrics" => {
            true
        }
        _ => false,
    };
    owned || everywhere
}

const IGNORED_FIELDS: [&str; 9] = [
    "metadata.uid",
    "metadata.resourceVersion",
    "metadata.creationTimestamp",
    "metadata.deletionGracePeriodSeconds",
    "metadata.generation",
    "metadata.generateName",
    "metadata.name",
    "metadata.namespace",
    "metadata.selfLink",
];

/// Returns the normalized fields of an object. `replacements` are texts and what replaces them,
/// such as a generated name and its prefix. The status of kinds of Kubernetes is left out, and a
/// fingerprint replaces each value of a Secret.
pub fn fields(object: &Value, replacements: &[(String, String)]) -> Fields {
    let mut fields = Fields::new();
    let generation = object["metadata"]["generation"].as_i64();
    let flattener = Flattener {
        replacements,
        generation,
    };
    for (key, value) in object.as_object().into_iter().flatten() {
        match key.as_str() {
            "apiVersion" | "kind" => {}
            "status" if is_builtin(object) => {}
            _ => flattener.flatten(key.clone(), value, &mut fields),
        }
    }
    fields.retain(|name, _| {
        !IGNORED_FIELDS.contains(&name.as_str())
            && !name.starts_with("metadata.managedFields")
            && name.rsplit('.').next() != Some("uid")
            && !is_assigned_by_cluster(object, name)
    });
    if is_secret(object) {
        let secret = |name: &str| SECRET_FIELDS.iter().any(|field| name.starts_with(field));
        let values = fields.iter_mut().filter(|(name, _)| secret(name));
        values.for_each(|(_, value)| *value = fingerprint(value));
    }
    fields
}

/// The fields of a Secret whose values are secret. Tools keep copies in annotations.
const SECRET_FIELDS: [&str; 3] = ["data", "stringData", "metadata.annotations."];

/// Returns a text that differs between values and does not reveal them. Its key is new in each
/// process, so that a value cannot be guessed; snapshots of two processes are not compared.
fn fingerprint(value: &str) -> String {
    static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    format!("(hidden, {:016x})", KEY.hash_one(value))
}

/// Reports whether the control plane assigns the field.
fn is_assigned_by_cluster(object: &Value, name: &str) -> bool {
    const REVISION: &str = "deployment.kubernetes.io/revision";
    let allotted = match object["kind"].as_str().unwrap_or_default() {
        "Service" => name.starts_with("spec.clusterIP") || name.ends_with(".healthCheckNodePort"),
        "Pod" => {
            name == "spec.nodeName"
                || name.starts_with("spec.tolerations")
                || name.contains("kube-api-access-")
                || name.starts_with("spec.volumes[kube-api-access")
        }
        "PersistentVolumeClaim" => name == "spec.volumeName",
        _ => false,
    };
    allotted || name.contains(REVISION) || name.contains(TOUCH_ANNOTATION)
}

/// The annotation that the proxy changes to provoke a conflict. A rehearsed upgrade changes it in a
/// dry run, to test if the API server accepts an update of a stored object.
pub const TOUCH_ANNOTATION: &str = "torture.rustop/touched";

/// The text that replaces timestamps.
pub const TIME: &str = "TIME";

struct Flattener<'a> {
    replacements: &'a [(String, String)],
    generation: Option<i64>,
}

impl Flattener<'_> {
    fn flatten(&self, path: String, value: &Value, fields: &mut Fields) {
        match value {
            Value::Object(map) if !map.is_empty() => {
                for (key, value) in map {
                    self.flatten(format!("{path}.{key}"), value, fields);
                }
            }
            Value::Array(items) if !items.is_empty() => {
                for (index, item) in items.iter().enumerate() {
                    // Conditions and containers are identified by their type and name; their order
                    // is irrelevant.
                    let key = ["type", "name"].iter().find_map(|key| item[*key].as_str());
                    let key = key.map_or_else(|| index.to_string(), |key| self.normalized(key));
                    self.flatten(format!("{path}[{key}]"), item, fields);
                }
            }
            // Absent and empty fields are equivalent.
            Value::Null | Value::Object(_) | Value::Array(_) => {}
            Value::String(text) => {
                // Messages of conditions are for people; an operator may word them differently.
                let is_prose = path.contains("conditions[") && path.ends_with(".message");
                if !is_prose {
                    fields.insert(path, self.normalized(text));
                }
            }
            Value::Number(number) if path.ends_with("observedGeneration") => {
                let current = number.as_i64() == self.generation;
                let said = if current { "CURRENT" } else { "an older one" };
                fields.insert(path, said.to_owned());
            }
            other => {
                fields.insert(path, other.to_string());
            }
        }
    }

    /// Replaces generated names, times and UIDs.
    fn normalized(&self, text: &str) -> String {
        static GIVEN: LazyLock<[(Regex, &str); 2]> = LazyLock::new(|| {
            let regex = |text| Regex::new(text).expect("a valid expression");
            [
                (
                    regex(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"),
                    TIME,
                ),
                (
                    regex("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
                    "UID",
                ),
            ]
        });
        let mut text = text.to_owned();
        for (word, general) in self.replacements {
            if text.contains(word.as_str()) {
                text = text.replace(word.as_str(), general);
            }
        }
        for (given, general) in GIVEN.iter() {
            if given.is_match(&text) {
                text = given.replace_all(&text, *general).into_owned();
            }
        }
        text
    }
}

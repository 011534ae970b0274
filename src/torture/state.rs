//! The objects of a namespace, without what differs from run to run, and how two such states differ.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An object in a state.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Id {
    /// `Deployment`, or `Lolcow.my.domain`.
    pub kind: String,
    /// Its name; of one that the API server named, the beginning and a number.
    pub name: String,
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind.split('.').next().unwrap_or_default();
        write!(f, "{}/{}", kind.to_lowercase(), self.name)
    }
}

/// The fields of an object: `spec.replicas` and what it holds.
pub type Fields = BTreeMap<String, String>;

/// All objects of a namespace.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(transparent)]
pub struct State(#[serde(with = "as_list")] pub BTreeMap<Id, Fields>);

/// One difference between two states.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Difference {
    /// Of which object.
    pub id: Id,
    /// The field; empty where the object itself is missing or too many.
    pub field: String,
    /// What should be there.
    pub expected: Option<String>,
    /// What is there.
    pub found: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let none = || "nothing".to_owned();
        let expected = self.expected.clone().unwrap_or_else(none);
        let found = self.found.clone().unwrap_or_else(none);
        match (self.field.as_str(), &self.expected) {
            ("", Some(_)) => write!(f, "{} is missing", self.id),
            ("", None) => write!(f, "{} should not be there", self.id),
            (field, _) => write!(f, "{} {field}: {found} instead of {expected}", self.id),
        }
    }
}

/// What may differ: fields of kinds.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Mask(BTreeSet<(String, String)>);

impl Mask {
    /// What differs between two states that should be one.
    pub fn learn(&mut self, differences: &[Difference]) {
        for difference in differences {
            let kind = difference.id.kind.clone();
            self.0.insert((kind, difference.field.clone()));
        }
    }

    fn hides(&self, kind: &str, field: &str) -> bool {
        self.0.contains(&(kind.to_owned(), field.to_owned()))
    }
}

impl State {
    /// The state that live objects make in the namespace `namespace`.
    pub fn of<'a>(objects: impl IntoIterator<Item = &'a Value>, namespace: &str) -> Self {
        let mut generated: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
        let mut named = Vec::new();
        for object in objects {
            match object["metadata"]["generateName"].as_str() {
                Some(prefix) => generated.entry(prefix.to_owned()).or_default().push(object),
                None => named.push(object),
            }
        }
        let mut words = vec![(namespace.to_owned(), "NAMESPACE".to_owned())];
        for (prefix, objects) in &generated {
            let given = objects
                .iter()
                .filter_map(|o| o["metadata"]["name"].as_str());
            words.extend(given.map(|name| (name.to_owned(), format!("{prefix}*"))));
        }
        let mut state = BTreeMap::new();
        for object in named {
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            let name = name.replace(namespace, "NAMESPACE");
            let kind = kind(object);
            state.insert(Id { kind, name }, fields(object, &words));
        }
        for (prefix, objects) in generated {
            let mut all: Vec<_> = objects
                .into_iter()
                .map(|object| (kind(object), fields(object, &words)))
                .collect();
            all.sort();
            for (number, (kind, fields)) in all.into_iter().enumerate() {
                let name = format!("{prefix}{}", number + 1);
                state.insert(Id { kind, name }, fields);
            }
        }
        Self(state)
    }

    /// What differs in `found` from this, but for what `mask` hides.
    pub fn differences(&self, found: &Self, mask: &Mask) -> Vec<Difference> {
        let ids: BTreeSet<_> = self.0.keys().chain(found.0.keys()).collect();
        let mut differences = Vec::new();
        for id in ids {
            let difference = |field: &str, expected: Option<&String>, found: Option<&String>| {
                (!mask.hides(&id.kind, field)).then(|| Difference {
                    id: id.clone(),
                    field: field.to_owned(),
                    expected: expected.cloned(),
                    found: found.cloned(),
                })
            };
            let there = "there".to_owned();
            match (self.0.get(id), found.0.get(id)) {
                (Some(expected), Some(found)) => {
                    let names: BTreeSet<_> = expected.keys().chain(found.keys()).collect();
                    let changed = names
                        .into_iter()
                        .filter(|n| expected.get(*n) != found.get(*n));
                    differences.extend(
                        changed.filter_map(|n| difference(n, expected.get(n), found.get(n))),
                    );
                }
                (Some(_), None) => differences.extend(difference("", Some(&there), None)),
                (None, Some(_)) => differences.extend(difference("", None, Some(&there))),
                (None, None) => {}
            }
        }
        differences
    }

    /// The same without some objects.
    pub fn without(mut self, is_out: impl Fn(&Id) -> bool) -> Self {
        self.0.retain(|id, _| !is_out(id));
        self
    }
}

/// `Lolcow.my.domain`, as in [`Id`].
pub fn kind(object: &Value) -> String {
    let kind = object["kind"].as_str().unwrap_or_default();
    let version = object["apiVersion"].as_str().unwrap_or_default();
    match version.split_once('/') {
        // What Kubernetes itself has is known without.
        Some((group, _)) if group.contains('.') && !group.ends_with(".k8s.io") => {
            format!("{kind}.{group}")
        }
        _ => kind.to_owned(),
    }
}

/// Whether Kubernetes' own controllers work on objects of the kind, so that their status is none of the
/// operator's business.
fn is_builtin(object: &Value) -> bool {
    !kind(object).contains('.')
}

/// Whether one of Kubernetes' own controllers made the object, or every namespace has it.
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

const FORGOTTEN: [&str; 9] = [
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

/// What an object holds, field by field.
fn fields(object: &Value, words: &[(String, String)]) -> Fields {
    let mut fields = Fields::new();
    let generation = object["metadata"]["generation"].as_i64();
    let flattener = Flattener { words, generation };
    for (key, value) in object.as_object().into_iter().flatten() {
        match key.as_str() {
            "apiVersion" | "kind" => {}
            "status" if is_builtin(object) => {}
            _ => flattener.flatten(key.clone(), value, &mut fields),
        }
    }
    fields.retain(|name, _| {
        !FORGOTTEN.contains(&name.as_str())
            && !name.starts_with("metadata.managedFields")
            && name.rsplit('.').next() != Some("uid")
            && !is_given(object, name)
    });
    fields
}

/// Whether the control plane chose it.
fn is_given(object: &Value, name: &str) -> bool {
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
    allotted || name.contains(REVISION) || name.contains(TOUCHED)
}

/// The annotation of an object that was changed to see whether the operator minds.
pub const TOUCHED: &str = "torture.rustop/touched";

struct Flattener<'a> {
    words: &'a [(String, String)],
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
                    // Conditions and containers are known by their type and name; their order says nothing.
                    let key = ["type", "name"].iter().find_map(|key| item[*key].as_str());
                    let key = key.map_or_else(|| index.to_string(), |key| self.text(key));
                    self.flatten(format!("{path}[{key}]"), item, fields);
                }
            }
            // A field that is absent and one that is empty mean the same.
            Value::Null | Value::Object(_) | Value::Array(_) => {}
            Value::String(text) => {
                let is_prose = path.contains("conditions[") && path.ends_with(".message");
                if !is_prose {
                    fields.insert(path, self.text(text));
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

    /// Without names, times and identities that are different each time.
    fn text(&self, text: &str) -> String {
        static GIVEN: LazyLock<[(Regex, &str); 2]> = LazyLock::new(|| {
            let regex = |text| Regex::new(text).expect("a valid expression");
            [
                (
                    regex(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"),
                    "TIME",
                ),
                (
                    regex("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
                    "UID",
                ),
            ]
        });
        let mut text = text.to_owned();
        for (word, general) in self.words {
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

/// JSON has only texts as keys.
mod as_list {
    use super::{BTreeMap, Fields, Id};
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    pub fn serialize<S: Serializer>(map: &BTreeMap<Id, Fields>, to: S) -> Result<S::Ok, S::Error> {
        map.iter().collect::<Vec<_>>().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeMap<Id, Fields>, D::Error> {
        Ok(Vec::<(Id, Fields)>::deserialize(from)?
            .into_iter()
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(name: &str, image: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {
            "name": name, "generateName": "cow-", "namespace": "t-1", "uid": name},
            "spec": {"containers": [{"name": "a", "image": image}]}, "status": {"phase": "Running"}})
    }

    #[test]
    fn what_is_given_at_random_is_no_difference() {
        let state = |names: [&str; 2], namespace: &str| {
            let pods = names.map(|name| pod(name, "i"));
            let list = json!({"apiVersion": "my.domain/v1", "kind": "Cow",
                "metadata": {"name": "cow", "generation": 4, "resourceVersion": "9"},
                "status": {"pods": names, "at": "2026-01-01T00:00:00Z", "observedGeneration": 4,
                "in": format!("x-{namespace}")}});
            State::of(pods.iter().chain([&list]), namespace)
        };
        let one = state(["cow-a", "cow-b"], "t-1");
        let two = state(["cow-x", "cow-c"], "t-2");
        assert_eq!(one.differences(&two, &Mask::default()), []);
        assert_eq!(one.0.len(), 3);
    }

    #[test]
    fn numbers_and_contents_are_differences() {
        let state = |pods: &[Value]| State::of(pods, "t");
        let one = state(&[pod("cow-a", "i"), pod("cow-b", "i")]);
        let less = one.differences(&state(&[pod("cow-a", "i")]), &Mask::default());
        assert_eq!(less[0].to_string(), "pod/cow-2 is missing");
        let other = one.differences(
            &state(&[pod("cow-a", "i"), pod("cow-b", "j")]),
            &Mask::default(),
        );
        assert_eq!(
            other[0].to_string(),
            "pod/cow-2 spec.containers[a].image: j instead of i"
        );
        let mut mask = Mask::default();
        mask.learn(&other);
        assert_eq!(
            one.differences(&state(&[pod("cow-a", "j"), pod("cow-b", "i")]), &mask),
            []
        );
    }

    #[test]
    fn a_status_about_an_older_generation_is_a_difference() {
        let cow = |seen: i64| {
            json!({"apiVersion": "my.domain/v1", "kind": "Cow",
            "metadata": {"name": "cow", "generation": 2}, "status": {"observedGeneration": seen}})
        };
        let (now, then) = (cow(2), cow(1));
        let found = State::of([&now], "t").differences(&State::of([&then], "t"), &Mask::default());
        assert_eq!(
            found[0].to_string(),
            "cow/cow status.observedGeneration: an older one instead of CURRENT"
        );
    }
}

//! Foreign objects: objects of another owner that look like the children of the operator, which
//! must leave them alone. `rustop torture` also creates such objects: at most one for each kind of
//! child, owned by the config map `another-owner`.

use serde_json::{Value, json};

use crate::simulation::scene::Scene;
use crate::simulation::schedule::{Schedule, Step};
use crate::simulation::snapshot::{Id, Snapshot};

/// The owner of the foreign objects, and the prefix of their names.
const STRANGER: &str = "stranger";

/// The properties that foreign objects share with the children of the operator.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Likeness {
    /// Name and labels.
    Names,
    /// Only the labels. The names are different.
    Labels,
}

impl Likeness {
    /// Returns the likeness of the foreign objects that a step creates. `None` for any other step.
    pub fn of(step: Step) -> Option<Self> {
        match step {
            Step::CreateNamesakes => Some(Self::Names),
            Step::CreateLookalikes => Some(Self::Labels),
            _ => None,
        }
    }
}

/// Returns the object that owns the foreign objects of a namespace, for a create.
pub(super) fn owner(namespace: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": STRANGER, "namespace": namespace},
    })
}

/// Returns the children of the operator in the namespace of the samples and outside of namespaces,
/// as JSON without what the API server sets. `states` are the two of a separate history that only
/// creates the samples: before and after that. Empty if it did not get so far.
pub(super) fn children(states: &[Snapshot], scene: &Scene) -> Vec<(Id, Value)> {
    let [before, after] = states else {
        return Vec::new();
    };
    let is_sample = |object: &Value| {
        let same = |sample: &Value, name: &str| sample[name] == object[name];
        let mut samples = scene.samples.iter();
        samples.any(|sample| same(sample, "kind") && same(sample, "apiVersion"))
    };
    let new = after.0.iter().filter(|(id, object)| {
        !before.0.contains_key(id)
            && [scene.sample_namespace(), ""].contains(&&*id.namespace)
            && !is_sample(object)
    });
    new.map(|(id, object)| (id.clone(), object.clone()))
        .collect()
}

/// Returns the schedule of a history that creates the children.
pub(super) fn schedule_of_children(seed: u64) -> Schedule {
    Schedule {
        seed,
        steps: vec![Step::Create],
        faults: Vec::new(),
    }
}

/// Returns the foreign object that is like a child; `None` if the name of the child is generated
/// and the foreign object should have the same one. `owner` is the live owner of the foreign
/// objects.
pub(super) fn like((id, child): &(Id, Value), likeness: Likeness, owner: &Value) -> Option<Value> {
    let kind = child["kind"].as_str().unwrap_or_default();
    let name = match likeness {
        Likeness::Names if id.generated => return None,
        Likeness::Names => id.name.clone(),
        Likeness::Labels => format!("{STRANGER}-{}", kind.to_lowercase()),
    };
    let mut metadata = json!({"name": name, "labels": child["metadata"]["labels"]});
    if !id.namespace.is_empty() {
        metadata["namespace"] = id.namespace.clone().into();
        metadata["ownerReferences"] = json!([{
            "apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"], "controller": true, "blockOwnerDeletion": false,
        }]);
    }
    let mut object = child.clone();
    object["metadata"] = metadata;
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    Some(object)
}

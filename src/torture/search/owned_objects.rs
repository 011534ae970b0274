//! The children that an operator creates for a sample.

use serde_json::Value;

use crate::page::is_secret;
use crate::torture::journal;
use crate::torture::redaction::outline;
use crate::torture::run::result::RunResult;
use crate::torture::scenario::Child;
use crate::torture::snapshot::ObjectId;
use crate::torture::snapshot::fields::{is_secondary, kind};

/// Returns the children in `probe`, the result of a run that only created the sample `subject`.
/// Their objects lack the data of Secrets, and replicas that the operator has not written.
pub fn children(probe: &RunResult, subject: &Value) -> Vec<Child> {
    let made: Vec<String> = journal::requests(&probe.entries)
        .filter(|(_, request)| request.call.is_work() && request.status == 201)
        .filter_map(|(_, request)| {
            request.answer["metadata"]["uid"]
                .as_str()
                .map(str::to_owned)
        })
        .collect();
    // Replicas that the operator does not write are a default or set by an autoscaler, so it need
    // not correct them.
    let scaled: Vec<&Value> = journal::requests(&probe.entries)
        .filter(|(_, request)| request.call.is_work() && request.succeeded())
        .filter(|(_, request)| !request.body["spec"]["replicas"].is_null())
        .map(|(_, request)| &request.answer["metadata"]["uid"])
        .collect();
    let objects = probe.first_objects.iter().filter(|object| {
        let uid = object["metadata"]["uid"].as_str().unwrap_or_default();
        made.iter().any(|made| made == uid)
            && !is_secondary(object)
            && kind(object) != kind(subject)
    });
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let children = objects.map(|object| {
        let prefix = object["metadata"]["generateName"]
            .as_str()
            .map(str::to_owned);
        let name = prefix.clone().unwrap_or_else(|| {
            text(&object["metadata"]["name"]).replace(&probe.namespace, "NAMESPACE")
        });
        Child {
            id: ObjectId {
                kind: kind(object),
                name,
            },
            api_version: text(&object["apiVersion"]),
            kind: text(&object["kind"]),
            generate_name: prefix,
            object: if scaled.contains(&&object["metadata"]["uid"]) {
                without_secrets(object)
            } else {
                without_secrets(&without_replicas(object))
            },
        }
    });
    children.collect()
}

fn without_replicas(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(spec) = object["spec"].as_object_mut() {
        spec.remove("replicas");
    }
    object
}

/// Returns the object without the data of a Secret, since replay files contain it and CI keeps
/// them.
fn without_secrets(object: &Value) -> Value {
    // Base64 of `{}`, which the API server accepts in Secrets of every type, those of registries
    // included.
    const EMPTY_JSON: &str = "e30=";
    let mut object = object.clone();
    if is_secret(&object) {
        outline(&mut object);
        let data = object["data"].as_object_mut();
        let values = data.into_iter().flat_map(|data| data.values_mut());
        values.for_each(|value| *value = EMPTY_JSON.into());
    }
    object
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_child_has_no_secret_data_and_is_still_valid() {
        let secret = json!({"apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": "moo", "annotations": {"note": "hunter"}},
            "data": {"password": "aHVudGVyMg=="}});
        let child = without_secrets(&secret);
        assert!(!child.to_string().contains("hunter"), "{child}");
        assert_eq!(child["data"], json!({"password": "e30="}));
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "calf"}});
        assert_eq!(without_secrets(&map), map);
    }
}

//! What must not be shown: it is taken out before anything else sees the object.

use serde_json::{Value, json};

/// Where `kubectl apply` keeps a copy of all.
const COPY: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// What stands in its place.
const HIDDEN: &str = "(hidden)";

/// Takes the data out of a Secret.
pub fn redact(object: &mut Value) {
    if object["kind"] != "Secret" || object["apiVersion"] != "v1" {
        return;
    }
    for field in ["data", "stringData"] {
        if let Some(data) = object.get_mut(field).and_then(Value::as_object_mut) {
            data.values_mut().for_each(|value| *value = json!(HIDDEN));
        }
    }
    let copy = object
        .pointer_mut("/metadata/annotations")
        .and_then(|all| all.get_mut(COPY));
    if let Some(copy) = copy {
        *copy = json!(HIDDEN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_secret_holds_is_gone_and_its_keys_stay() {
        let mut secret = json!({"apiVersion": "v1", "kind": "Secret",
            "metadata": {"annotations": {COPY: "{\"data\":{\"password\":\"aHVudGVyMg==\"}}"}},
            "data": {"password": "aHVudGVyMg=="}, "stringData": {"other": "aHVudGVyMg=="}});
        redact(&mut secret);
        let text = secret.to_string();
        assert!(
            !text.contains("aHVudGVyMg") && text.contains("password"),
            "{text}"
        );
        let mut map = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}});
        redact(&mut map);
        assert_eq!(map["data"]["a"], "b");
    }
}

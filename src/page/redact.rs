//! Removal of secrets from objects, before any other part of the page sees them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Replacement for a secret value.
pub const HIDDEN: &str = "(hidden)";
/// Maximum length of a Secret's annotation that is shown; the same as for label values. A copy of
/// the whole Secret, which tools such as kubectl, kapp, Helm and Argo CD keep in an annotation, is
/// longer.
const LONGEST: usize = 63;

/// Replaces the values in `data` and `stringData` of a Secret with `(hidden)`, and those of
/// annotations that repeat one of them, contain JSON, or have more than 63 bytes. Does the same in
/// the items of a list. Changes no object of another kind.
pub fn redact(object: &mut Value) {
    match object["kind"].as_str() {
        _ if is_secret(object) => redact_secret(object),
        // The items of a typed list have no kind.
        Some("SecretList") => items(object).for_each(redact_secret),
        _ => items(object).for_each(redact),
    }
}

/// Reports whether an object is a Secret of Kubernetes.
pub fn is_secret(object: &Value) -> bool {
    object["kind"] == "Secret" && object["apiVersion"] == "v1"
}

/// Returns the items of a list; none of another object.
fn items(object: &mut Value) -> impl Iterator<Item = &mut Value> {
    let items = object.get_mut("items").and_then(Value::as_array_mut);
    items.into_iter().flatten()
}

fn redact_secret(secret: &mut Value) {
    let mut secrets = Vec::new();
    for field in ["data", "stringData"] {
        if let Some(data) = secret.get_mut(field).and_then(Value::as_object_mut) {
            for value in data.values_mut() {
                secrets.extend(spellings(value));
                *value = json!(HIDDEN);
            }
        }
    }
    let annotations = secret.pointer_mut("/metadata/annotations");
    let annotations = annotations.and_then(Value::as_object_mut);
    for value in annotations.into_iter().flat_map(|all| all.values_mut()) {
        let text = value.as_str().unwrap_or_default();
        let tells = |secret: &String| text.contains(secret.as_str());
        if text.len() > LONGEST || text.starts_with(['{', '[']) || secrets.iter().any(tells) {
            *value = json!(HIDDEN);
        }
    }
}

/// Returns a value as it is, base64-encoded and, if possible, base64-decoded.
fn spellings(value: &Value) -> Vec<String> {
    let text = value.as_str().unwrap_or_default();
    let decoded = STANDARD.decode(text).ok();
    let decoded = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
    let mut all = vec![text.to_owned(), STANDARD.encode(text)];
    all.extend(decoded);
    all.retain(|one| !one.trim().is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_secrets_are_hidden_and_keys_stay() {
        let whole = "{\"data\":{\"password\":\"aHVudGVyMg==\"}}";
        let mut secret = json!({"apiVersion": "v1", "kind": "Secret",
            "metadata": {"annotations": {
                "kubectl.kubernetes.io/last-applied-configuration": whole,
                "kapp.k14s.io/original": whole,
                "tool.example/yaml": format!("kind: Secret\nnote: {}\n", "x".repeat(64)),
                "tool.example/plain": "user:hunter2",
                "tool.example/owner": "team-a",
            }},
            "data": {"password": "aHVudGVyMg=="}, "stringData": {"other": "hunter2"}});
        redact(&mut secret);
        let text = secret.to_string();
        assert!(
            !text.contains("aHVudGVyMg") && !text.contains("hunter2") && !text.contains("note"),
            "{text}"
        );
        assert!(text.contains("password") && text.contains("kapp.k14s.io/original"));
        assert_eq!(
            secret["metadata"]["annotations"]["tool.example/owner"],
            "team-a"
        );
        let mut map = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}});
        redact(&mut map);
        assert_eq!(map["data"]["a"], "b");
    }

    #[test]
    fn secrets_in_lists_are_hidden() {
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "stringData": {"a": "hunter2"}});
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "calf"}});
        let list = json!({"apiVersion": "v1", "kind": "List", "items": [map, secret]});
        let nested = json!({"apiVersion": "v1", "kind": "List", "items": [list]});
        let typed = json!({"kind": "SecretList", "items": [{"metadata": {"name": "calf"}, "data": {"a": "hunter2"}}]});
        for mut value in [nested, typed] {
            redact(&mut value);
            let text = value.to_string();
            assert!(!text.contains("hunter2") && text.contains("calf"), "{text}");
        }
    }
}

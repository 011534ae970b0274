//! Removal of secrets. It runs before any other part of the page sees an object, and before
//! `rustop torture` writes a replay file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Replacement for a secret value.
const HIDDEN: &str = "(hidden)";
/// Maximum length of a Secret's annotation that is shown; the same as for label values. A copy of
/// the whole Secret, which tools such as kubectl, kapp, Helm and Argo CD keep in an annotation, is
/// longer.
const LONGEST: usize = 63;

/// Hides what Secrets contain: in a Secret, and in the items of a list. Of the answer to a
/// TokenRequest, it hides the token. Changes nothing else.
pub fn redact(object: &mut Value) {
    match object["kind"].as_str() {
        Some("Secret") if object["apiVersion"] == "v1" => redact_secret(object),
        // The items of a typed list have no kind.
        Some("SecretList") => redact_secret(object),
        Some("TokenRequest") => hide(object.pointer_mut("/status/token")),
        _ => items(object).for_each(redact),
    }
}

/// Hides what Secrets contain in the body of a request for Secrets, or in its answer: a Secret, a
/// merge patch of one, a list or a table of them, or a rejection. Kinds may be missing.
///
/// Of a Secret, these are the values in `data` and `stringData`, and those of annotations that
/// repeat one of them, contain JSON, or have more than 63 bytes; of a rejection, what follows its
/// first words, because the API server repeats the whole Secret there. Of a JSON patch, nothing is
/// left.
pub fn redact_secret(object: &mut Value) {
    if object.is_array() {
        *object = json!(HIDDEN);
        return;
    }
    if object["kind"] == "Status" {
        redact_rejection(object);
    }
    items(object).for_each(redact_secret);
    let rows = object.get_mut("rows").and_then(Value::as_array_mut);
    for row in rows.into_iter().flatten() {
        row.get_mut("object").map(redact_secret);
    }
    let mut secrets = Vec::new();
    for field in ["data", "stringData"] {
        match object.get_mut(field) {
            Some(Value::Object(data)) => {
                for value in data.values_mut() {
                    secrets.extend(spellings(value));
                    *value = json!(HIDDEN);
                }
            }
            // The API server rejects other values, which may nevertheless be secret.
            other => hide(other),
        }
    }
    let annotations = object.pointer_mut("/metadata/annotations");
    let annotations = annotations.and_then(Value::as_object_mut);
    for value in annotations.into_iter().flat_map(|all| all.values_mut()) {
        let text = value.as_str().unwrap_or_default();
        let tells = |secret: &String| text.contains(secret.as_str());
        if text.len() > LONGEST || text.starts_with(['{', '[']) || secrets.iter().any(tells) {
            *value = json!(HIDDEN);
        }
    }
}

/// Hides the values that the API server, or a webhook, repeats when it rejects an invalid Secret:
/// everything after the first colon of the message, and the messages of the causes.
fn redact_rejection(status: &mut Value) {
    const BAD_REQUEST: u64 = 400;
    const UNPROCESSABLE_ENTITY: u64 = 422;
    let message = status["message"].as_str().unwrap_or_default();
    let is_about_content = [BAD_REQUEST, UNPROCESSABLE_ENTITY]
        .map(Some)
        .contains(&status["code"].as_u64())
        || message.starts_with("admission webhook");
    if !is_about_content {
        return;
    }
    if let Some((first_words, _)) = message.split_once(": ") {
        status["message"] = json!(format!("{first_words}: {HIDDEN}"));
    }
    let causes = status.pointer_mut("/details/causes");
    let causes = causes.and_then(Value::as_array_mut);
    for cause in causes.into_iter().flatten() {
        hide(cause.get_mut("message"));
    }
}

/// Returns the items of a list; none of another object.
fn items(object: &mut Value) -> impl Iterator<Item = &mut Value> {
    let items = object.get_mut("items").and_then(Value::as_array_mut);
    items.into_iter().flatten()
}

/// Replaces a value, if there is one.
fn hide(value: Option<&mut Value>) {
    if let Some(value) = value.filter(|value| !value.is_null()) {
        *value = json!(HIDDEN);
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
    fn nothing_of_a_secret_is_left_in_requests_and_answers() {
        let secret = json!({"metadata": {"name": "moo"}, "data": {"password": "aHVudGVyMg=="}});
        let repeated = "Invalid value: \"{\\\"data\\\":{\\\"password\\\":\\\"aHVudGVyMg==";
        for (mut value, kept) in [
            (secret.clone(), "moo"),
            (
                json!({"stringData": {"password": "aHVudGVyMg=="}}),
                "password",
            ),
            (json!({"data": "aHVudGVyMg=="}), "data"),
            (
                json!([{"op": "add", "path": "/data/a", "value": "aHVudGVyMg=="}]),
                HIDDEN,
            ),
            (json!({"kind": "SecretList", "items": [secret]}), "moo"),
            (
                json!({"kind": "Table", "rows": [{"object": {"kind": "PartialObjectMetadata",
                    "metadata": {"name": "moo", "annotations": {"kapp.k14s.io/original": "{aHVudGVyMg=="}}}}]}),
                "kapp",
            ),
            (
                json!({"kind": "Status", "code": 422, "message": format!("\"moo\" is invalid: patch: {repeated}"),
                    "details": {"causes": [{"field": "patch", "message": repeated}]}}),
                "is invalid: (hidden)",
            ),
            (
                json!({"kind": "Status", "code": 403,
                    "message": "admission webhook \"w\" denied the request: weak: aHVudGVyMg=="}),
                "denied the request",
            ),
        ] {
            redact_secret(&mut value);
            let text = value.to_string();
            assert!(
                !text.contains("aHVudGVyMg") && text.contains(kept),
                "{text}"
            );
        }
    }

    #[test]
    fn errors_without_the_content_of_a_secret_stay() {
        for status in [
            json!({"kind": "Status", "code": 403, "message": "secrets is forbidden: User \"moo\" cannot list resource \"secrets\""}),
            json!({"kind": "Status", "code": 409, "message": "secrets \"moo\" already exists"}),
        ] {
            let mut redacted = status.clone();
            redact_secret(&mut redacted);
            assert_eq!(redacted, status);
        }
    }

    #[test]
    fn secrets_are_found_in_requests_for_other_kinds() {
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "stringData": {"a": "hunter2"}});
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "calf"}});
        let list = json!({"apiVersion": "v1", "kind": "List", "items": [map, secret]});
        let nested = json!({"apiVersion": "v1", "kind": "List", "items": [list]});
        let token =
            json!({"kind": "TokenRequest", "status": {"token": "hunter2", "expires": "calf"}});
        for mut value in [nested, token] {
            redact(&mut value);
            let text = value.to_string();
            assert!(!text.contains("hunter2") && text.contains("calf"), "{text}");
        }
    }
}

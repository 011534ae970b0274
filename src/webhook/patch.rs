//! The argument `patch`: JSON that is merged into the webhook, as in controller-gen.
//!
//! Objects are merged, `null` removes a field, and everything else is replaced, including lists,
//! except that `matchConditions` are merged by name. Directives of strategic merge patches, such as
//! `$patch`, are rejected: no field of a webhook needs them.

use k8s_openapi::api::admissionregistration::v1::MutatingWebhook;
use serde_json::{Map, Value, json};

use crate::diagnostic::did_you_mean;

/// Fields of each object, by the name of the field that holds it; empty for the webhook itself.
const FIELDS: [(&str, &[&str]); 8] = [
    (
        "",
        &[
            "admissionReviewVersions",
            "clientConfig",
            "failurePolicy",
            "matchConditions",
            "matchPolicy",
            "name",
            "namespaceSelector",
            "objectSelector",
            "reinvocationPolicy",
            "rules",
            "sideEffects",
            "timeoutSeconds",
        ],
    ),
    ("clientConfig", &["caBundle", "service", "url"]),
    ("service", &["name", "namespace", "path", "port"]),
    ("matchConditions", &["expression", "name"]),
    (
        "rules",
        &[
            "apiGroups",
            "apiVersions",
            "operations",
            "resources",
            "scope",
        ],
    ),
    ("matchExpressions", &["key", "operator", "values"]),
    ("namespaceSelector", SELECTOR),
    ("objectSelector", SELECTOR),
];

const SELECTOR: &[&str] = &["matchExpressions", "matchLabels"];

/// Applies the patch `text`, which is JSON, to the webhook, and returns the result.
///
/// # Errors
/// Returns the message and the help if the patch is invalid, or if the result is.
pub fn apply(webhook: &MutatingWebhook, text: &str) -> Result<MutatingWebhook, (String, String)> {
    let patch: Value = serde_json::from_str(text).map_err(|error| {
        let example = "write it in backticks: ``patch=`{\"timeoutSeconds\":5}` ``";
        (
            format!("the patch is not valid JSON: {error}"),
            example.to_owned(),
        )
    })?;
    let Value::Object(patch) = patch else {
        let help = "write `{\"field\": …}`".to_owned();
        return Err(("the patch is not a JSON object".to_owned(), help));
    };
    known("", &patch)?;
    let mut value = json!(webhook);
    merge(&mut value, Value::Object(patch));
    serde_json::from_value(value).map_err(|error| {
        let help = "see the API reference of webhook configurations for the type of each field";
        (
            format!("the patched webhook is invalid: {error}"),
            help.to_owned(),
        )
    })
}

/// Checks recursively that all fields of `object`, the value of the field `of`, exist. The error is
/// the message and the help.
fn known(of: &str, object: &Map<String, Value>) -> Result<(), (String, String)> {
    // Keys are arbitrary labels.
    if of == "matchLabels" {
        return Ok(());
    }
    let fields = FIELDS.iter().find(|(name, _)| *name == of);
    let fields = fields.map_or(&[] as &[&str], |(_, fields)| fields);
    for (key, value) in object {
        if !fields.contains(&key.as_str()) {
            let help = did_you_mean(key, fields).map_or_else(
                || format!("the fields are {}", fields.join(", ")),
                |meant| format!("did you mean `{meant}`?"),
            );
            return Err((
                format!("the patch names the field `{key}`, which does not exist"),
                help,
            ));
        }
        match value {
            Value::Object(object) => known(key, object)?,
            Value::Array(items) => {
                for object in items.iter().filter_map(Value::as_object) {
                    known(key, object)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn merge(value: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *value = patch;
        return;
    };
    if !value.is_object() {
        *value = json!({});
    }
    let Value::Object(fields) = value else {
        return;
    };
    for (key, patch) in patch {
        if patch.is_null() {
            fields.shift_remove(&key);
        } else if key == "matchConditions" {
            by_name(fields.entry(key).or_insert(json!([])), patch);
        } else {
            merge(fields.entry(key).or_insert(Value::Null), patch);
        }
    }
}

/// Replaces items that have the same name, and appends new ones.
fn by_name(value: &mut Value, patch: Value) {
    let (Value::Array(items), Value::Array(patches)) = (&mut *value, &patch) else {
        *value = patch;
        return;
    };
    for patch in patches {
        match items.iter_mut().find(|item| item["name"] == patch["name"]) {
            Some(item) => merge(item, patch.clone()),
            None => items.push(patch.clone()),
        }
    }
}

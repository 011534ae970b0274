//! Removal of what Secrets contain from recorded requests, before they are written or quoted.
//!
//! A request for Secrets keeps what identifies an object and connects it with others, and nothing
//! else, since the data may be anywhere in a request that the API server rejects.

use serde_json::{Value, json};

use crate::page;
use crate::torture::api::call::ApiCall;
use crate::torture::api::rejection::{denying_webhook, failed_webhook};
use crate::torture::journal::RecordedRequest;

/// The replacement for a secret value.
const HIDDEN: &str = "(hidden)";

/// Hides what Secrets and tokens contain in a request and its answer.
pub fn redact(request: &mut RecordedRequest) {
    let hide = match &request.call {
        call if is_about_secrets(call) => outline,
        call if is_about_tokens(call) => hide_all,
        _ => page::redact,
    };
    hide(&mut request.body);
    hide(&mut request.answer);
}

/// Hides the values that the API server, or a webhook, repeats when it rejects a Secret. Findings
/// quote the message, so it keeps its first words and the fields that are wrong.
pub fn redact_rejection(call: &ApiCall, status: &mut Value) {
    if is_about_secrets(call) {
        hide_values(status);
    }
}

/// Reports whether a request is for Secrets. An encoded path may be for any resource.
fn is_about_secrets(call: &ApiCall) -> bool {
    let plural = call.resource.plural.as_str();
    call.resource.group.is_empty() && (plural == "secrets" || plural.contains('%'))
}

/// Reports whether a request creates or checks a token.
fn is_about_tokens(call: &ApiCall) -> bool {
    call.subresource == "token" || call.resource.plural == "tokenreviews"
}

fn hide_all(value: &mut Value) {
    if !value.is_null() {
        *value = json!(HIDDEN);
    }
}

/// Hides every value of a Secret, of a list or table of Secrets, or of a rejection, except for
/// those that identify and connect objects. The names of fields stay. Of a JSON patch, nothing is
/// left.
fn outline(value: &mut Value) {
    match value {
        Value::Object(fields) if fields.get("kind") == Some(&json!("Status")) => hide_values(value),
        Value::Object(fields) => fields.iter_mut().for_each(outline_field),
        value => hide_all(value),
    }
}

fn outline_field((name, value): (&String, &mut Value)) {
    const KEPT: [&str; 4] = ["apiVersion", "kind", "type", "immutable"];
    match (name.as_str(), value) {
        (name, _) if KEPT.contains(&name) => {}
        ("metadata", Value::Object(metadata)) => metadata.iter_mut().for_each(metadata_field),
        ("data" | "stringData", Value::Object(data)) => data.values_mut().for_each(hide_all),
        ("items", Value::Array(items)) => items.iter_mut().for_each(outline),
        ("rows", Value::Array(rows)) => rows.iter_mut().for_each(outline),
        ("object", object) => outline(object),
        (_, value) => hide_all(value),
    }
}

fn metadata_field((name, value): (&String, &mut Value)) {
    const KEPT: [&str; 14] = [
        "continue",
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "finalizers",
        "generateName",
        "labels",
        "managedFields",
        "name",
        "namespace",
        "ownerReferences",
        "remainingItemCount",
        "resourceVersion",
        "uid",
    ];
    match value {
        _ if KEPT.contains(&name.as_str()) => {}
        Value::Object(values) if name == "annotations" => values.values_mut().for_each(hide_all),
        value => hide_all(value),
    }
}

/// Hides the values in the message of a rejection and in its causes.
fn hide_values(status: &mut Value) {
    /// The statuses whose messages have names only, unless a policy has written them.
    const WITHOUT_VALUES: [u64; 7] = [401, 403, 404, 405, 409, 410, 429];
    let message = status["message"].as_str().unwrap_or_default();
    let code = status["code"].as_u64().unwrap_or_default();
    let is_denied = denying_webhook(message).is_some() || message.contains("denied request");
    // The message says why the webhook could not be called.
    let is_failure = denying_webhook(message).is_none() && failed_webhook(message).is_some();
    if is_failure || (WITHOUT_VALUES.contains(&code) && !is_denied) {
        return;
    }
    let causes = status["details"]["causes"].as_array();
    let causes: Vec<Value> = causes.into_iter().flatten().map(cause).collect();
    let fields = causes.iter().filter_map(|cause| {
        let (field, message) = (cause["field"].as_str()?, cause["message"].as_str()?);
        Some(format!("{field}: {message}"))
    });
    let fields: Vec<_> = fields.collect();
    let content = match &fields[..] {
        [] => HIDDEN.to_owned(),
        fields => fields.join(", "),
    };
    status["message"] = match message.split_once(": ") {
        Some((first_words, _)) => json!(format!("{first_words}: {content}")),
        None => json!(content),
    };
    if let Some(details) = status["details"].as_object_mut() {
        details.insert("causes".into(), causes.into());
    }
}

/// Returns a cause of a rejection without values.
fn cause(cause: &Value) -> Value {
    /// The reasons whose messages have no values of the object, as in
    /// `k8s.io/apimachinery/pkg/util/validation/field`.
    const WITHOUT_VALUES: [&str; 2] = ["FieldValueForbidden", "FieldValueRequired"];
    let (reason, field) = (&cause["reason"], &cause["field"]);
    let word = reason.as_str().unwrap_or_default();
    let message = if WITHOUT_VALUES.contains(&word) {
        cause["message"].clone()
    } else {
        json!(format!("{word} {HIDDEN}").trim_start())
    };
    json!({"reason": reason, "field": field, "message": message})
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The marker of everything that must not be seen.
    const SECRET: &str = "aHVudGVyMg==";

    fn request(method: &str, path: &str, body: Value, answer: Value) -> String {
        let call = ApiCall::parse(method, path).unwrap();
        let mut request = RecordedRequest {
            answer,
            ..RecordedRequest::new(call, body)
        };
        redact(&mut request);
        json!([request.body, request.answer]).to_string()
    }

    #[test]
    fn nothing_of_a_secret_is_left_in_requests_and_answers() {
        let secret = json!({"metadata": {"name": "moo", "annotations": {"note": SECRET}}, "data": {"password": SECRET}});
        for (value, kept) in [
            (secret.clone(), "note"),
            (json!({"stringData": {"password": SECRET}}), "password"),
            (
                json!({"data": SECRET, "Data": {"a": SECRET}, "password": SECRET}),
                "Data",
            ),
            (
                json!({"metadata": {"name": "moo", "data": {"a": SECRET}}}),
                "moo",
            ),
            (
                json!([{"op": "add", "path": "/data/a", "value": SECRET}]),
                HIDDEN,
            ),
            (json!({"kind": "SecretList", "items": [secret]}), "moo"),
            (
                json!({"kind": "Table", "rows": [{"cells": [SECRET], "object": secret}]}),
                "moo",
            ),
            (
                json!({"kind": "DeleteOptions", "preconditions": {"uid": SECRET}}),
                "preconditions",
            ),
        ] {
            for path in [
                "/api/v1/namespaces/t/secrets/moo",
                "/api/v1/namespaces/t/%73ecrets/moo",
            ] {
                let text = request("PATCH", path, value.clone(), value.clone());
                assert!(!text.contains(SECRET) && text.contains(kept), "{text}");
            }
        }
    }

    #[test]
    fn tokens_and_secrets_in_requests_for_other_kinds_are_hidden() {
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "stringData": {"a": SECRET}});
        let list = json!({"apiVersion": "v1", "kind": "List", "items": [secret]});
        for (path, value) in [
            ("/api/v1/namespaces/t/configmaps", list),
            (
                "/api/v1/namespaces/t/serviceaccounts/moo/token",
                json!({"status": {"token": SECRET}}),
            ),
            (
                "/apis/authentication.k8s.io/v1/tokenreviews",
                json!({"spec": {"token": SECRET}}),
            ),
        ] {
            let text = request("POST", path, value.clone(), value);
            assert!(!text.contains(SECRET), "{text}");
        }
    }

    fn rejected(path: &str, code: u16, message: &str, causes: &Value) -> Value {
        let mut status = json!({"kind": "Status", "code": code, "message": message, "details": {"causes": causes}});
        redact_rejection(&ApiCall::parse("PATCH", path).unwrap(), &mut status);
        status
    }

    #[test]
    fn rejections_name_the_field_and_not_the_value() {
        let repeated = format!("Invalid value: \"{{\\\"data\\\":{{\\\"a\\\":\\\"{SECRET}");
        for (code, message, cause, expected) in [
            (
                422,
                format!("Secret \"moo\" is invalid: data.a: {repeated}"),
                json!([{"field": "data.a", "reason": "FieldValueInvalid", "message": repeated}]),
                "Secret \"moo\" is invalid: data.a: FieldValueInvalid (hidden)",
            ),
            (
                422,
                "Secret \"moo\" is invalid: data: Forbidden: field is immutable when `immutable` is set".to_owned(),
                json!([{"field": "data", "reason": "FieldValueForbidden",
                    "message": "Forbidden: field is immutable when `immutable` is set"}]),
                "Secret \"moo\" is invalid: data: Forbidden: field is immutable when `immutable` is set",
            ),
            (
                500,
                format!("failed to create typed patch object: .stringData.a: expected string, got {SECRET}"),
                json!([]),
                "failed to create typed patch object: (hidden)",
            ),
            (
                403,
                format!("admission webhook \"w\" denied the request: weak: {SECRET}"),
                json!([]),
                "admission webhook \"w\" denied the request: (hidden)",
            ),
        ] {
            let status = rejected("/api/v1/namespaces/t/secrets/moo", code, &message, &cause);
            assert_eq!(status["message"], expected);
            assert!(!status.to_string().contains(SECRET), "{status}");
        }
    }

    #[test]
    fn errors_without_values_stay() {
        for (code, message) in [
            (
                403,
                "secrets is forbidden: User \"moo\" cannot list resource \"secrets\"",
            ),
            (409, "secrets \"moo\" already exists"),
            (
                500,
                "Internal error occurred: failed calling webhook \"w\": connection refused",
            ),
        ] {
            let status = rejected(
                "/api/v1/namespaces/t/secrets/moo",
                code,
                message,
                &json!([]),
            );
            assert_eq!(status["message"], message);
        }
        let message = format!("Cow \"moo\" is invalid: spec: {SECRET}");
        let path = "/apis/my.domain/v1/namespaces/t/cows/moo";
        assert_eq!(
            rejected(path, 422, &message, &json!([]))["message"],
            message
        );
    }
}

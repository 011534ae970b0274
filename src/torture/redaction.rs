//! Removal of what Secrets contain from recorded requests, before they are written to files or
//! quoted in findings.
//!
//! A request for Secrets keeps what identifies an object and connects it with others, and nothing
//! else, since the data may be anywhere in a request that the API server rejects.

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use crate::page::{self, HIDDEN};
use crate::torture::api::call::ApiCall;
use crate::torture::api::rejection::{denying_webhook, failed_webhook};
use crate::torture::journal::RecordedRequest;

/// Hides what Secrets and tokens contain in a request and its answer. Of a request for Secrets, the
/// outline stays; of a request for another kind, everything but the Secrets in it.
pub fn redact(request: &mut RecordedRequest) {
    let (body, answer) = (&mut request.body, &mut request.answer);
    if is_about(&request.call, &TOKENS) || is_token(body) {
        hide_all(body);
        hide_all(answer);
    } else if !is_about(&request.call, &SECRETS) {
        page::redact(body);
        page::redact(answer);
    } else {
        outline(body);
        if answer["kind"] == "Status" {
            hide_values(answer);
        } else {
            outline(answer);
        }
    }
}

/// Hides the values that the API server, or a webhook, repeats when it rejects a Secret. `status`
/// is the `Status` object of the response to `call`. Findings quote its message, so it keeps its
/// first words and the fields that are wrong. Responses about other kinds stay as they are.
pub fn redact_rejection(call: &ApiCall, status: &mut Value) {
    if is_about(call, &SECRETS) {
        hide_values(status);
    }
}

/// The parts of the paths of Secrets.
const SECRETS: [&str; 1] = ["secrets"];

/// The parts of the paths that create and check tokens.
const TOKENS: [&str; 2] = ["token", "tokenreviews"];

/// Reports whether a path has one of these parts anywhere, so that `/api/v1/watch/secrets`, which
/// is not the usual form, is recognized, too. Parts may be encoded.
fn is_about(call: &ApiCall, parts: &[&str]) -> bool {
    let target = call.target();
    let path = target.split('?').next().unwrap_or_default();
    let path = percent_decode_str(path).decode_utf8_lossy();
    path.split('/').any(|part| parts.contains(&part))
}

/// Reports whether an object creates or checks a token, whatever it is sent to, or is a list with
/// one.
fn is_token(object: &Value) -> bool {
    let mut items = object["items"].as_array().into_iter().flatten();
    let kinds = ["TokenRequest", "TokenReview"].map(Value::from);
    kinds.contains(&object["kind"]) || items.any(is_token)
}

fn hide_all(value: &mut Value) {
    if !value.is_null() {
        *value = json!(HIDDEN);
    }
}

/// Hides every value of a Secret, or of a list or table of Secrets, except for those that identify
/// and connect objects. The names of fields stay. Of a JSON patch, nothing is left.
pub fn outline(value: &mut Value) {
    match value {
        Value::Object(fields) => fields.iter_mut().for_each(outline_field),
        value => hide_all(value),
    }
}

fn outline_field((name, value): (&String, &mut Value)) {
    const KEPT: [&str; 4] = ["apiVersion", "kind", "type", "immutable"];
    match (name.as_str(), value) {
        (name, Value::String(_) | Value::Bool(_)) if KEPT.contains(&name) => {}
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
        Value::Object(values) if name == "annotations" => values.values_mut().for_each(hide_all),
        _ if KEPT.contains(&name.as_str()) => {}
        value => hide_all(value),
    }
}

/// Hides the values in a rejection: in its message and in its causes.
fn hide_values(status: &mut Value) {
    /// The statuses whose messages have names only, unless a webhook or a policy has written them.
    const WITHOUT_VALUES: [u64; 9] = [401, 403, 404, 405, 406, 409, 410, 415, 429];
    let message = status["message"].as_str().unwrap_or_default().to_owned();
    let code = status["code"].as_u64().unwrap_or_default();
    if let Some(webhook) = denying_webhook(&message) {
        hide_denial(status, webhook, &message);
        return;
    }
    let is_by_policy = message.contains("denied request");
    // The message says why the webhook could not be called.
    let is_failure =
        message.starts_with("Internal error occurred: ") && failed_webhook(&message).is_some();
    if is_failure || (WITHOUT_VALUES.contains(&code) && !is_by_policy) {
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

/// Hides what a webhook has written: it may put the Secret into any part of its answer. That it
/// panicked stays, since findings depend on it.
fn hide_denial(status: &mut Value, webhook: &str, message: &str) {
    let content = match failed_webhook(message) {
        Some(_) => format!("panicked {HIDDEN}"),
        None => HIDDEN.to_owned(),
    };
    status["message"] = json!(format!(
        "admission webhook \"{webhook}\" denied the request: {content}"
    ));
    hide_all(&mut status["reason"]);
    hide_all(&mut status["details"]);
}

/// Returns a cause of a rejection without values.
fn cause(cause: &Value) -> Value {
    /// The reasons whose messages have no values of the object, as in
    /// `k8s.io/apimachinery/pkg/util/validation/field`.
    const WITHOUT_VALUES: [&str; 2] = ["FieldValueForbidden", "FieldValueRequired"];
    /// The end of a message by which findings recognize that a field cannot be changed.
    const IMMUTABLE: &str = ": field is immutable";
    let (reason, field) = (&cause["reason"], &cause["field"]);
    let word = reason.as_str().unwrap_or_default();
    let message = cause["message"].as_str().unwrap_or_default();
    let message = if WITHOUT_VALUES.contains(&word) {
        message.to_owned()
    } else {
        let end = message.ends_with(IMMUTABLE).then_some(IMMUTABLE);
        format!("{word} {HIDDEN}{}", end.unwrap_or_default())
    };
    json!({"reason": reason, "field": field, "message": message.trim_start()})
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
            (json!({"type": "ADDED", "object": secret}), "ADDED"),
            (
                json!({"type": {"a": SECRET}, "immutable": [SECRET]}),
                "immutable",
            ),
        ] {
            for path in [
                "/api/v1/namespaces/t/secrets/moo",
                "/api/v1/namespaces/t/%73ecrets/moo",
                "/api/v1/namespaces%2Ft%2Fsecrets/moo",
                "/api/v1/watch/namespaces/t/secrets/moo",
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
                "/api/v1/namespaces/t/serviceaccounts/moo/%74oken",
                json!({"status": {"token": SECRET}}),
            ),
            (
                "/api/v1/namespaces/t/configmaps",
                json!({"kind": "TokenReview", "spec": {"token": SECRET}}),
            ),
            (
                "/api/v1/namespaces/t/configmaps",
                json!({"items": [{}, {"kind": "TokenReview", "spec": {"token": SECRET}}]}),
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
            (
                422,
                format!("admission webhook \"w\" denied the request: panic: {SECRET}"),
                json!([{"field": SECRET, "reason": "FieldValueRequired", "message": SECRET}]),
                "admission webhook \"w\" denied the request: panicked (hidden)",
            ),
            (
                422,
                format!("Secret \"moo\" is invalid: type: Invalid value: \"{SECRET}\": field is immutable"),
                json!([{"field": "type", "reason": "FieldValueInvalid",
                    "message": format!("Invalid value: \"{SECRET}\": field is immutable")}]),
                "Secret \"moo\" is invalid: type: FieldValueInvalid (hidden): field is immutable",
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

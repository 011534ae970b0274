//! The error responses of the in-memory API server: code, reason and message are those of the real
//! API server.

use http::StatusCode;
use serde_json::{Value, json};

use super::{
    kinds::Kind,
    permissions::{Access, resource_with_group},
};

/// An error response. Its `Status` is also the `ERROR` event of a watch.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub(super) struct Refusal {
    pub code: StatusCode,
    /// The machine-readable reason, such as `NotFound`. Empty for none.
    reason: Box<str>,
    message: String,
    /// The `details` of the `Status`. Null for none.
    details: Value,
}

/// The user name of operators, in messages and webhook requests.
pub(super) const ACCOUNT: &str = "system:serviceaccount:system:controller-manager";

/// The reason of an internal error.
const INTERNAL: &str = "InternalError";

/// The body for an unknown path. The real API server sends plain text here, not a `Status`.
const NO_PAGE: &str = "404 page not found\n";

/// The responses. The comment of each function describes the case in which the API server sends it.
impl Refusal {
    fn new(code: StatusCode, reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            reason: reason.into(),
            message: message.into(),
            details: Value::Null,
        }
    }

    /// Adds `details` that name the object.
    fn about(self, kind: &Kind, name: &str) -> Self {
        let details = details(kind, &kind.plural, name);
        Self { details, ..self }
    }

    pub fn not_found(kind: &Kind, name: &str) -> Self {
        let message = format!("{} \"{name}\" not found", kind.resource());
        Self::new(StatusCode::NOT_FOUND, "NotFound", message).about(kind, name)
    }

    pub fn already_exists(kind: &Kind, name: &str) -> Self {
        let message = format!("{} \"{name}\" already exists", kind.resource());
        Self::new(StatusCode::CONFLICT, "AlreadyExists", message).about(kind, name)
    }

    /// The request conflicts with the state of the object, for the reason `why`.
    pub fn conflict(kind: &Kind, name: &str, why: &str) -> Self {
        let message = format!(
            "Operation cannot be fulfilled on {} \"{name}\": {why}",
            kind.resource()
        );
        Self::new(StatusCode::CONFLICT, "Conflict", message).about(kind, name)
    }

    /// The object has been modified since it was read.
    pub fn modified(kind: &Kind, name: &str) -> Self {
        let why = "the object has been modified; please apply your changes to the latest version and try again";
        Self::conflict(kind, name, why)
    }

    /// The object `name` cannot be created, because its namespace is being deleted.
    pub fn terminating(kind: &Kind, name: &str, namespace: &str) -> Self {
        let why = format!(
            "unable to create new content in namespace {namespace} because it is being terminated"
        );
        let message = format!("{} \"{name}\" is forbidden: {why}", kind.resource());
        let refusal = Self::new(StatusCode::FORBIDDEN, "Forbidden", message);
        let mut details = details(kind, &kind.plural, name);
        let because = format!("namespace {namespace} is being terminated");
        details["causes"] = json!([
            {"reason": "NamespaceTerminating", "message": because, "field": "metadata.namespace"},
        ]);
        Self { details, ..refusal }
    }

    /// The roles of the operator do not allow the request.
    pub fn denied(access: &Access) -> Self {
        let resource = resource_with_group(&access.resource, &access.group, "");
        let named = match &*access.name {
            "" => String::new(),
            name => format!(" \"{name}\""),
        };
        let place = match &*access.namespace {
            "" => "at the cluster scope".to_owned(),
            namespace => format!("in the namespace \"{namespace}\""),
        };
        let message = format!(
            "{resource}{named} is forbidden: User \"{ACCOUNT}\" cannot {} resource \"{}\" in API group \"{}\" {place}",
            access.verb,
            access.resource_in_rules(),
            access.group,
        );
        let mut details = json!({"kind": access.resource});
        for (field, value) in [("name", &access.name), ("group", &access.group)] {
            if !value.is_empty() {
                details[field] = value.as_str().into();
            }
        }
        let refusal = Self::new(StatusCode::FORBIDDEN, "Forbidden", message);
        Self { details, ..refusal }
    }

    /// A webhook denies the request. `status` is that of its response.
    pub fn denied_by_webhook(name: &str, status: &Value) -> Self {
        let text = |field: &str| status[field].as_str().unwrap_or_default();
        let denied = format!("admission webhook \"{name}\" denied the request");
        let message = match (text("message"), text("reason")) {
            ("", "") => format!("{denied} without explanation"),
            ("", why) | (why, _) => format!("{denied}: {why}"),
        };
        let code = status["code"]
            .as_u64()
            .and_then(|code| u16::try_from(code).ok());
        let code = code.and_then(|code| StatusCode::from_u16(code).ok());
        let code = code.filter(|code| *code >= StatusCode::BAD_REQUEST);
        Self {
            code: code.unwrap_or(StatusCode::BAD_REQUEST),
            reason: text("reason").to_owned().into(),
            message,
            details: status["details"].clone(),
        }
    }

    /// A stored object cannot be converted to the version of a request, or the other way round.
    pub fn not_converted(object: &Value, why: &str) -> Self {
        let text = |field: &str| object[field].as_str().unwrap_or_default();
        let cause = format!(
            "conversion webhook for {}, Kind={} failed: {why}",
            text("apiVersion"),
            text("kind")
        );
        Self::internal(&cause)
    }

    /// Returns true for an internal error, such as that of a webhook that cannot be called. The
    /// same request may succeed later.
    pub fn is_internal(&self) -> bool {
        *self.reason == *INTERNAL
    }

    /// An internal error with this cause.
    pub fn internal(cause: &str) -> Self {
        let message = format!("Internal error occurred: {cause}");
        let refusal = Self::new(StatusCode::INTERNAL_SERVER_ERROR, INTERNAL, message);
        let details = json!({"causes": [{"message": cause}]});
        Self { details, ..refusal }
    }

    /// A server-side apply has no `fieldManager`.
    pub fn no_manager() -> Self {
        let why = "Required value: is required for apply patch";
        let message = format!("PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: {why}");
        let refusal = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "Invalid", message);
        let cause =
            json!({"reason": "FieldValueRequired", "message": why, "field": "fieldManager"});
        let details = json!({"group": "meta.k8s.io", "kind": "PatchOptions", "causes": [cause]});
        Self { details, ..refusal }
    }

    /// A field is invalid. `field` is its path (`metadata.name`), `reason` the reason of the cause
    /// (`FieldValueInvalid`). `called` is the kind's name or its plural: the real API server uses
    /// both, depending on the check.
    pub fn invalid(
        kind: &Kind,
        called: &str,
        name: &str,
        field: &str,
        reason: &'static str,
        why: &str,
    ) -> Self {
        let group = if kind.group.is_empty() {
            String::new()
        } else {
            format!(".{}", kind.group)
        };
        let message = format!("{called}{group} \"{name}\" is invalid: {field}: {why}");
        let refusal = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "Invalid", message);
        let mut details = details(kind, called, name);
        details["causes"] = json!([{"reason": reason, "message": why, "field": field}]);
        Self { details, ..refusal }
    }

    /// A finalizer cannot be added to an object that is being deleted. The real API server
    /// validates finalizers twice, so it reports the cause twice.
    pub fn unchangeable(
        kind: &Kind,
        name: &str,
        field: &str,
        reason: &'static str,
        why: &str,
    ) -> Self {
        let mut refusal = Self::invalid(kind, &kind.name, name, field, reason, why);
        let cause = refusal.details["causes"][0].clone();
        refusal.details["causes"] = json!([cause, cause]);
        refusal
    }

    /// The object does not match the preconditions of a delete.
    pub fn not_that_one(kind: &Kind, name: &str, why: &str) -> Self {
        let message = format!(
            "Operation cannot be fulfilled on {} \"{name}\": {why}",
            if kind.group.is_empty() {
                kind.name.clone()
            } else {
                format!("{}.{}", kind.name, kind.group)
            }
        );
        let details = details(kind, &kind.name, name);
        Self {
            details,
            ..Self::new(StatusCode::CONFLICT, "Conflict", message)
        }
    }

    /// A create has a `resourceVersion`. The real API server responds with 500 and no reason.
    pub fn versioned() -> Self {
        let message = "resourceVersion should not be set on objects to be created";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "", message)
    }

    /// A server-side apply changes fields of other managers. Each conflict is a manager, as in
    /// messages (`"kubectl" using v1`), and the path of a field. The message groups them by
    /// manager, so they must be sorted.
    pub fn owned_by_others(conflicts: &[(String, String)]) -> Self {
        let causes: Vec<_> = conflicts
            .iter()
            .map(|(who, field)| {
                json!({"reason": "FieldManagerConflict", "message": format!("conflict with {who}"), "field": field})
            })
            .collect();
        let message = if let [(who, field)] = conflicts {
            format!("conflict with {who}: {field}")
        } else {
            let mut lines: Vec<String> = Vec::new();
            let mut last = "";
            for (who, field) in conflicts {
                if who != last {
                    lines.push(format!("conflicts with {who}:"));
                    last = who;
                }
                lines.push(format!("- {field}"));
            }
            lines.join("\n")
        };
        let (count, s) = (conflicts.len(), if conflicts.len() == 1 { "" } else { "s" });
        let message = format!("Apply failed with {count} conflict{s}: {message}");
        Self {
            details: json!({"causes": causes}),
            ..Self::new(StatusCode::CONFLICT, "Conflict", message)
        }
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "BadRequest", message)
    }

    /// An operation of a JSON Patch fails, for example because its path does not exist.
    pub fn unprocessable() -> Self {
        let message = "the server rejected our request due to an error in our request";
        let refusal = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "Invalid", message);
        Self {
            details: json!({}),
            ..refusal
        }
    }

    /// The `Content-Type` of a patch is unknown, or the kind does not support it. `known` lists the
    /// supported types, separated by commas.
    pub fn unsupported_patch(known: &str) -> Self {
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {known}"
        );
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "UnsupportedMediaType",
            message,
        )
    }

    /// The group and version exist, but they have no such resource.
    pub fn no_resource() -> Self {
        let message = "the server could not find the requested resource";
        Self {
            details: json!({}),
            ..Self::new(StatusCode::NOT_FOUND, "NotFound", message)
        }
    }

    /// The path is unknown, as is that of an unknown group or version. The body is plain text.
    pub fn no_page() -> Self {
        Self::new(StatusCode::NOT_FOUND, "", NO_PAGE)
    }

    pub fn no_method() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self {
            details: json!({}),
            ..Self::new(StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed", message)
        }
    }

    /// The history no longer has the requested resource version.
    pub fn expired(message: &str) -> Self {
        Self::new(StatusCode::GONE, "Expired", message)
    }

    /// The request needs a feature that the in-memory API server does not support. `what` is a noun
    /// for the message.
    pub fn not_in_memory(what: &str) -> Self {
        let message = format!(
            "`rustop_manager::testing` does not support {what}; help: test this on a control plane with \
             `rustop cluster exec`"
        );
        Self::new(StatusCode::NOT_IMPLEMENTED, "NotImplemented", message)
    }

    /// A fault injects this status code.
    pub fn injected(code: u16) -> Self {
        let reason = match code {
            401 => "Unauthorized",
            403 => "Forbidden",
            404 => "NotFound",
            409 => "Conflict",
            410 => "Expired",
            422 => "Invalid",
            429 => "TooManyRequests",
            503 => "ServiceUnavailable",
            504 => "Timeout",
            _ => INTERNAL,
        };
        let code = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self::new(code, reason, "injected fault")
    }

    /// The requested resource version is newer than the current one.
    pub fn from_the_future(asked: u64, newest: u64) -> Self {
        let message = format!("Too large resource version: {asked}, current: {newest}");
        let refusal = Self::new(StatusCode::GATEWAY_TIMEOUT, "Timeout", message);
        let cause =
            json!({"reason": "ResourceVersionTooLarge", "message": "Too large resource version"});
        Self {
            details: json!({"causes": [cause], "retryAfterSeconds": 1}),
            ..refusal
        }
    }

    /// Returns the body of the response.
    pub fn text(&self) -> String {
        if self.message == NO_PAGE {
            return self.message.clone();
        }
        self.status().to_string()
    }

    /// Returns the error as a `Status` object.
    pub fn status(&self) -> Value {
        let mut status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": self.message, "code": self.code.as_u16(),
        });
        if !self.reason.is_empty() {
            status["reason"] = (*self.reason).into();
        }
        if !self.details.is_null() {
            status["details"] = self.details.clone();
        }
        status
    }
}

/// Returns the `details` of a `Status`. `called` is the kind's name or its plural.
pub(super) fn details(kind: &Kind, called: &str, name: &str) -> Value {
    let mut details = json!({"name": name, "kind": called});
    if !kind.group.is_empty() {
        details["group"] = kind.group.clone().into();
    }
    details
}

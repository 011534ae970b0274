//! Validation errors of fields, in the format of the API server's own validation.

use std::fmt::{self, Display};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::StatusCause;
use serde::Serialize;

use crate::error::{Error, Result};

/// All validation errors of an object, reported together.
///
/// A field is named by its path: `spec.replicas`, `spec.ports[1].name`,
/// `metadata.annotations[example.com/owner]`. The messages have the format of Kubernetes' own
/// validation:
///
/// ```
/// let mut errors = rustop_manager::webhook::FieldErrors::new();
/// errors.invalid("spec.replicas", 11, "must be at most 10");
/// errors.unsupported("spec.tier", "gold", &["silver", "bronze"]);
/// let error = errors.into_result().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "[spec.replicas: Invalid value: 11: must be at most 10, \
///       spec.tier: Unsupported value: \"gold\": supported values: \"silver\", \"bronze\"]",
/// );
/// ```
#[derive(Clone, Debug, Default)]
pub struct FieldErrors(Vec<FieldError>);

#[derive(Clone, Debug)]
struct FieldError {
    field: String,
    /// The machine-readable reason, such as `FieldValueInvalid`.
    reason: &'static str,
    message: String,
}

impl FieldErrors {
    /// Returns an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an invalid value. `detail` describes the valid ones.
    pub fn invalid(&mut self, field: impl Display, value: impl Serialize, detail: impl Display) {
        let message = format!("Invalid value: {}: {detail}", json(value));
        self.add(field, "FieldValueInvalid", message);
    }

    /// Adds a required field that is missing. `detail` states when it is required; it may be empty.
    pub fn required(&mut self, field: impl Display, detail: impl Display) {
        self.add(
            field,
            "FieldValueRequired",
            format!("Required value: {detail}"),
        );
    }

    /// Adds a field that must not be set, or must not be changed. `detail` states the reason.
    pub fn forbidden(&mut self, field: impl Display, detail: impl Display) {
        self.add(field, "FieldValueForbidden", format!("Forbidden: {detail}"));
    }

    /// Adds a duplicate value in a list whose values must be unique.
    pub fn duplicate(&mut self, field: impl Display, value: impl Serialize) {
        let message = format!("Duplicate value: {}", json(value));
        self.add(field, "FieldValueDuplicate", message);
    }

    /// Adds a value that is not one of the `supported` ones.
    pub fn unsupported(
        &mut self,
        field: impl Display,
        value: impl Serialize,
        supported: &[impl Serialize],
    ) {
        let supported: Vec<_> = supported.iter().map(json).collect();
        let message = format!(
            "Unsupported value: {}: supported values: {}",
            json(value),
            supported.join(", ")
        );
        self.add(field, "FieldValueNotSupported", message);
    }

    /// Adds a reference to something that does not exist.
    pub fn not_found(&mut self, field: impl Display, value: impl Serialize) {
        let message = format!("Not found: {}", json(value));
        self.add(field, "FieldValueNotFound", message);
    }

    /// Adds a text that is longer than `most` bytes.
    pub fn too_long(&mut self, field: impl Display, most: usize) {
        let message = format!("Too long: may not be more than {most} bytes");
        self.add(field, "FieldValueTooLong", message);
    }

    /// Adds a list with `found` items, more than the `most` that are allowed.
    pub fn too_many(&mut self, field: impl Display, found: usize, most: usize) {
        let message = format!("Too many: {found}: must have at most {most} items");
        self.add(field, "FieldValueTooMany", message);
    }

    /// Converts the list to a result: `Ok` if it is empty.
    ///
    /// # Errors
    /// An error with the reason `Invalid` that contains all added errors, if there are any.
    pub fn into_result(self) -> Result<()> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Error::from(self).with_reason("Invalid"))
        }
    }

    /// Returns the errors as the `details.causes` of a `Status`, one cause per error.
    pub(super) fn causes(&self) -> Vec<StatusCause> {
        let cause = |error: &FieldError| StatusCause {
            field: Some(error.field.clone()),
            message: Some(error.message.clone()),
            reason: Some(error.reason.to_owned()),
        };
        self.0.iter().map(cause).collect()
    }

    fn add(&mut self, field: impl Display, reason: &'static str, mut message: String) {
        if message.ends_with(": ") {
            // Kubernetes omits an empty detail
            message.truncate(message.len() - 2);
        }
        self.0.push(FieldError {
            field: field.to_string(),
            reason,
            message,
        });
    }
}

impl Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.0.iter();
        let texts: Vec<_> = texts
            .map(|FieldError { field, message, .. }| format!("{field}: {message}"))
            .collect();
        match &texts[..] {
            [one] => f.write_str(one),
            several => write!(f, "[{}]", several.join(", ")),
        }
    }
}

impl std::error::Error for FieldErrors {}

/// Formats a value as the API server does: as JSON.
fn json(value: impl Serialize) -> String {
    serde_json::to_string(&value).unwrap_or_else(|error| format!("({error})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reads_as_kubernetes_writes_it() {
        let mut errors = FieldErrors::new();
        errors.required("spec.host", "");
        errors.forbidden("spec.tier", "cannot be changed");
        errors.duplicate(format_args!("spec.ports[{}].name", 1), "http");
        errors.not_found("spec.class", "fast");
        errors.too_long("spec.message", 100);
        errors.too_many("spec.ports", 5, 3);
        errors.invalid("spec.on", true, "must be false");
        let texts = errors.to_string();
        assert_eq!(
            texts,
            "[spec.host: Required value, spec.tier: Forbidden: cannot be changed, \
             spec.ports[1].name: Duplicate value: \"http\", spec.class: Not found: \"fast\", \
             spec.message: Too long: may not be more than 100 bytes, \
             spec.ports: Too many: 5: must have at most 3 items, \
             spec.on: Invalid value: true: must be false]"
        );
        let cause = &errors.causes()[2];
        assert_eq!(cause.field.as_deref(), Some("spec.ports[1].name"));
        assert_eq!(cause.reason.as_deref(), Some("FieldValueDuplicate"));
        assert_eq!(cause.message.as_deref(), Some("Duplicate value: \"http\""));
    }

    #[test]
    fn nothing_wrong_is_fine() {
        assert!(FieldErrors::new().into_result().is_ok());
    }
}

//! The validating webhook of Pod: rejects an object that breaks a rule, before it is stored.
//!
//! If CEL can express the rule, prefer a ValidatingAdmissionPolicy, which needs no running operator:
//!
//! ```yaml
//! validations:
//! - expression: "object.metadata.name.size() <= 40"
//!   message: the name must have at most 40 characters
//! ```
//!
//! Use a webhook for rules that need Rust or other objects.

use k8s_openapi::api::core::v1::Pod;
use rustop_manager::prelude::*;
use rustop_manager::webhook::{Request, Validator};

// The requests that the API server sends here. `make manifests` turns this marker into
// config/webhook/manifests.yaml.
// Add `delete` to the verbs to validate deletions, and `resources=pods;pods/status` to validate the
// status. Subresources of another kind, such as `scale`, are not validated.
//
// +kubebuilder:webhook:path=/validate--v1-pod,mutating=false,failurePolicy=fail,sideEffects=None,groups="",resources=pods,verbs=create;update,versions=v1,name=vcore-pod-v1.webhooks-operator.my.domain,admissionReviewVersions=v1,namespaceSelector="kubernetes.io/metadata.name!=webhooks-operator-system"

/// The rules for a Pod.
pub struct Rules;

impl Validator<Pod> for Rules {
    async fn create(&self, new: &Pod, request: &Request) -> Result<()> {
        // TODO(user): your rules (book: docs/how-to/webhooks.md). Collect all errors, so that the
        // client sees them at once:
        //
        //     let mut errors = rustop_manager::webhook::FieldErrors::new();
        //     if request.name().len() > 40 {
        //         errors.invalid("metadata.name", request.name(), "must have at most 40 characters");
        //     }
        //     errors.into_result()
        //
        // `request.warn("..")` sends a warning and accepts the object.
        //
        // Updates follow the same rules. For other rules, for example to compare with the old
        // object, implement `update(&self, old, new, request)`; for deletions,
        // `delete(&self, old, request)`.
        let _ = (new, request);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Request::test` makes a request without an API server.
    #[tokio::test]
    async fn accepts_an_object_that_breaks_no_rule() {
        // TODO(user): complete the object, and add a test for each rule (book: docs/tutorial/webhooks.md):
        //
        //     let error = Rules.create(&new, &request).await.unwrap_err();
        //     assert!(error.to_string().contains("must have"), "{error}");
        let new = Pod::default();
        let request = Request::test(rustop_manager::webhook::Operation::Create);
        Rules.create(&new, &request).await.unwrap();
    }
}

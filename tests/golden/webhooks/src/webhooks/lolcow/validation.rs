//! The validating webhook of Lolcow: rejects an object that breaks a rule, before it is stored.
//!
//! If CEL can express the rule, put it on the type: it needs no webhook and no running operator.
//!
//! ```ignore
//! #[x_kube(validation = Rule::new("self == oldSelf").message("cannot be changed"))]
//! pub message: Option<String>,
//! ```
//!
//! Use a webhook for rules that need Rust or other objects.

use api::v1alpha1::lolcow::Lolcow;
use rustop_manager::prelude::*;
use rustop_manager::webhook::{Request, Validator};

// The requests that the API server sends here. `make manifests` turns this marker into
// config/webhook/manifests.yaml.
// Add `delete` to the verbs to validate deletions, and `resources=lolcows;lolcows/status` to validate the
// status. `kubectl scale` is not validated, because it writes a Scale and no Lolcow: limit the number of
// replicas on the field, with `#[schemars(range(max = 5))]`.
//
// +kubebuilder:webhook:path=/validate-my-domain-v1alpha1-lolcow,mutating=false,failurePolicy=fail,sideEffects=None,groups=my.domain,resources=lolcows,verbs=create;update,versions=v1alpha1,name=vlolcow-v1alpha1.webhooks-operator.my.domain,admissionReviewVersions=v1

/// The rules for a Lolcow.
pub struct Rules;

impl Validator<Lolcow> for Rules {
    async fn create(&self, new: &Lolcow, request: &Request) -> Result<()> {
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
    use api::v1alpha1::lolcow::LolcowSpec;

    use super::*;

    /// `Request::test` makes a request without an API server.
    #[tokio::test]
    async fn accepts_an_object_that_breaks_no_rule() {
        // TODO(user): complete the object, and add a test for each rule (book: docs/tutorial/webhooks.md):
        //
        //     let error = Rules.create(&new, &request).await.unwrap_err();
        //     assert!(error.to_string().contains("must have"), "{error}");
        let spec = LolcowSpec::default();
        let new = Lolcow::new("test", spec);
        let request = Request::test(rustop_manager::webhook::Operation::Create);
        Rules.create(&new, &request).await.unwrap();
    }
}

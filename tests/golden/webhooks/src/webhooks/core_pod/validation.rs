//! Refuses a Pod that breaks a rule, before it is stored.
//!
//! Where CEL can say it, a ValidatingAdmissionPolicy needs no process to answer:
//!
//! ```yaml
//! validations:
//! - expression: "object.metadata.name.size() <= 40"
//!   message: the name must have at most 40 characters
//! ```
//!
//! This is for what only Rust can decide, or what needs a look at other objects.

use k8s_openapi::api::core::v1::Pod;
use manager::webhook::{Request, Validator};

// When the API server asks. `make manifests` turns this line into config/webhook/manifests.yaml.
// With `delete` among the verbs it also asks before a deletion, and with `resources=pods;pods/status`
// about the status. A part that is another kind passes by, as `scale`, which is a Scale.
//
// +kubebuilder:webhook:path=/validate--v1-pod,mutating=false,failurePolicy=fail,sideEffects=None,groups="",resources=pods,verbs=create;update,versions=v1,name=vcore-pod-v1.webhooks-operator.my.domain,admissionReviewVersions=v1,namespaceSelector="kubernetes.io/metadata.name!=webhooks-operator-system"

/// What a Pod must comply with.
pub struct Rules;

impl Validator<Pod> for Rules {
    async fn create(&self, new: &Pod, request: &Request) -> manager::Result<()> {
        // Your rules go here. Whoever asks is told of all that is wrong at once:
        //
        //     let mut errors = manager::webhook::FieldErrors::new();
        //     if request.name().len() > 40 {
        //         errors.invalid("metadata.name", request.name(), "must have at most 40 characters");
        //     }
        //     errors.into_result()
        //
        // What is unwise and yet allowed is told with `request.warn("..")`.
        //
        // An update must comply with the same rules. For others, which may compare with the old
        // object, implement `update(&self, old, new, request)`, and likewise
        // `delete(&self, old, request)`.
        let _ = (new, request);
        Ok(())
    }
}

//! Refuses a Lolcow that breaks a rule, before it is stored.
//!
//! Where CEL can say it, a rule on the type needs no webhook, and also holds while no operator runs:
//!
//! ```ignore
//! #[x_kube(validation = Rule::new("self == oldSelf").message("cannot be changed"))]
//! pub message: Option<String>,
//! ```
//!
//! This is for what only Rust can decide, or what needs a look at other objects.

use api::v1alpha1::lolcow::Lolcow;
use manager::webhook::{Request, Validator};

// When the API server asks. `make manifests` turns this line into config/webhook/manifests.yaml.
// With `delete` among the verbs it also asks before a deletion, and with `resources=lolcows;lolcows/status`
// about the status. `kubectl scale` passes by: it writes a Scale and no Lolcow. Bounds on the number of
// replicas belong on the field, as `#[schemars(range(max = 5))]`.
//
// +kubebuilder:webhook:path=/validate-my-domain-v1alpha1-lolcow,mutating=false,failurePolicy=fail,sideEffects=None,groups=my.domain,resources=lolcows,verbs=create;update,versions=v1alpha1,name=vlolcow-v1alpha1.webhooks-operator.my.domain,admissionReviewVersions=v1

/// What a Lolcow must comply with.
pub struct Rules;

impl Validator<Lolcow> for Rules {
    async fn create(&self, new: &Lolcow, request: &Request) -> manager::Result<()> {
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

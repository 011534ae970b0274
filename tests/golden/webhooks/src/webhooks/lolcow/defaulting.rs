//! Completes each Lolcow before it is validated and stored.
//!
//! A fixed default needs no webhook: `#[serde(default = "..")]` on the field puts it into the CRD,
//! and the API server fills it in. This is for what has to be worked out, as from another field.

use api::v1alpha1::lolcow::Lolcow;
use manager::webhook::{Defaulter, Request};

// When the API server asks. `make manifests` turns this line into config/webhook/manifests.yaml.
//
// +kubebuilder:webhook:path=/mutate-my-domain-v1alpha1-lolcow,mutating=true,failurePolicy=fail,sideEffects=None,groups=my.domain,resources=lolcows,verbs=create;update,versions=v1alpha1,name=mlolcow-v1alpha1.webhooks-operator.my.domain,admissionReviewVersions=v1

/// What a new or changed Lolcow gets when it does not say otherwise.
pub struct Defaults;

impl Defaulter<Lolcow> for Defaults {
    async fn default(&self, new: &mut Lolcow, request: &Request) -> manager::Result<()> {
        // Your defaults go here. It may be asked twice, so leave alone what is set:
        //
        //     let by = request.user().username.clone().unwrap_or_default();
        //     let annotations = new.metadata.annotations.get_or_insert_default();
        //     annotations.entry("created-by".to_owned()).or_insert(by);
        //
        // `request.warn("..")` tells whoever asks what they may not expect.
        let _ = (new, request);
        Ok(())
    }
}

//! The defaulting webhook of Lolcow: sets fields before the object is validated and stored.
//!
//! A constant default needs no webhook: `#[serde(default = "..")]` on the field adds it to the CRD,
//! and the API server sets it. Use a webhook for computed defaults, for example from another field.

use api::v1alpha1::lolcow::Lolcow;
use rustop_manager::prelude::*;
use rustop_manager::webhook::{Defaulter, Request};

// The requests that the API server sends here. `make manifests` turns this marker into
// config/webhook/manifests.yaml.
//
// +kubebuilder:webhook:path=/mutate-my-domain-v1alpha1-lolcow,mutating=true,failurePolicy=fail,sideEffects=None,groups=my.domain,resources=lolcows,verbs=create;update,versions=v1alpha1,name=mlolcow-v1alpha1.webhooks-operator.my.domain,admissionReviewVersions=v1

/// The defaults of a new or changed Lolcow.
pub struct Defaults;

impl Defaulter<Lolcow> for Defaults {
    async fn default(&self, new: &mut Lolcow, request: &Request) -> Result<()> {
        // TODO(user): your defaults (book: docs/how-to/webhooks.md). The API server may call this
        // twice, so keep fields that are set:
        //
        //     let by = request.user().username.clone().unwrap_or_default();
        //     let annotations = new.metadata.annotations.get_or_insert_default();
        //     annotations.entry("created-by".to_owned()).or_insert(by);
        //
        // `request.warn("..")` sends a warning to the client.
        let _ = (new, request);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use api::v1alpha1::lolcow::LolcowSpec;

    use super::*;

    /// The API server may call the webhook again with an object that already has the defaults.
    #[tokio::test]
    async fn a_second_call_changes_nothing() {
        // TODO(user): add a test for each default (book: docs/tutorial/webhooks.md):
        //
        //     assert_eq!(new.metadata.annotations.unwrap()["created-by"], "jane");
        let spec = LolcowSpec::default();
        let mut new = Lolcow::new("test", spec);
        let request = Request::test(rustop_manager::webhook::Operation::Create);
        Defaults.default(&mut new, &request).await.unwrap();
        let first = new.clone();
        Defaults.default(&mut new, &request).await.unwrap();
        assert_eq!(new.metadata, first.metadata);
        assert_eq!(new.spec, first.spec);
    }
}

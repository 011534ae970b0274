//! Refuses a Lolcow that shouts, or that changes what it said to nothing.

use api::v1alpha1::lolcow::Lolcow;
use rustop_manager::webhook::{FieldErrors, Request, Validator};

// +kubebuilder:webhook:path=/validate-my-domain-v1alpha1-lolcow,mutating=false,failurePolicy=fail,sideEffects=None,groups=my.domain,resources=lolcows,verbs=create;update,versions=v1alpha1,name=vlolcow-v1alpha1.bench-operator.my.domain,admissionReviewVersions=v1

/// What a Lolcow must comply with.
pub struct Rules;

impl Validator<Lolcow> for Rules {
    async fn create(&self, new: &Lolcow, _: &Request) -> rustop_manager::Result<()> {
        let greeting = &new.spec.greeting;
        let mut errors = FieldErrors::new();
        if greeting.chars().any(char::is_uppercase) {
            errors.invalid("spec.greeting", greeting, "must not be shouted");
        }
        errors.into_result()
    }

    async fn update(
        &self,
        old: &Lolcow,
        new: &Lolcow,
        request: &Request,
    ) -> rustop_manager::Result<()> {
        if new.spec.greeting.is_empty() && !old.spec.greeting.is_empty() {
            let mut errors = FieldErrors::new();
            errors.required("spec.greeting", "a cow that spoke goes on");
            return errors.into_result();
        }
        self.create(new, request).await
    }
}

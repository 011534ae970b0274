//! A cow has a weight.

use api::v1alpha1::lolcow::Lolcow;
use rustop_manager::webhook::{FieldErrors, Request, Validator};

// MARKER

/// What holds for every cow.
pub struct Rules;

impl Validator<Lolcow> for Rules {
    async fn create(&self, new: &Lolcow, _: &Request) -> rustop_manager::Result<()> {
        let mut errors = FieldErrors::new();
        if new.spec.weight == 0 {
            errors.invalid("spec.weight", 0, "must not fly");
        }
        errors.into_result()
    }
}

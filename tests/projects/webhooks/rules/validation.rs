//! Lolcows are polite, keep to what they said, and some of them stay.

use api::v1alpha1::lolcow::Lolcow;
use rustop_manager::webhook::{FieldErrors, Request, Validator};

// MARKER

/// What a Lolcow may say.
pub struct Rules;

fn message(lolcow: &Lolcow) -> &str {
    lolcow.spec.message.as_deref().unwrap_or_default()
}

impl Validator<Lolcow> for Rules {
    async fn create(&self, new: &Lolcow, request: &Request) -> rustop_manager::Result<()> {
        let mut errors = FieldErrors::new();
        if message(new).contains("damn") {
            errors.invalid("spec.message", message(new), "must be polite");
        }
        if request.name().starts_with("bull") {
            errors.forbidden("metadata.name", "bulls are no cows");
        }
        if message(new).ends_with('!') {
            request.warn("this cow is loud");
        }
        assert!(message(new) != "panic", "as asked");
        errors.into_result()
    }

    async fn update(&self, old: &Lolcow, new: &Lolcow, request: &Request) -> rustop_manager::Result<()> {
        let mut errors = FieldErrors::new();
        if message(old) != message(new) {
            errors.forbidden("spec.message", "is said already");
        }
        errors.into_result()?;
        self.create(new, request).await
    }

    async fn delete(&self, old: &Lolcow, request: &Request) -> rustop_manager::Result<()> {
        if message(old) == "stay" {
            let user = request.user().username.clone().unwrap_or_default();
            return Err(rustop_manager::Error::new("Kept", format!("it stays, {user}")));
        }
        Ok(())
    }
}

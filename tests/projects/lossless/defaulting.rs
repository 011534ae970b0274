//! A silent cow says its breed.

use api::v1alpha1::lolcow::Lolcow;
use rustop_manager::webhook::{Defaulter, Request};

// MARKER

/// What a cow says that does not say otherwise.
pub struct Defaults;

impl Defaulter<Lolcow> for Defaults {
    async fn default(&self, new: &mut Lolcow, _: &Request) -> rustop_manager::Result<()> {
        let breed = format!("{:?}", new.spec.breed);
        new.spec.message.get_or_insert(breed);
        Ok(())
    }
}

//! A Lolcow that says nothing moos with its name.

use api::v1alpha1::lolcow::Lolcow;
use rustop_manager::webhook::{Defaulter, Request};

// MARKER

/// What a Lolcow says by default.
pub struct Defaults;

impl Defaulter<Lolcow> for Defaults {
    async fn default(&self, new: &mut Lolcow, request: &Request) -> rustop_manager::Result<()> {
        let moo = || format!("Moo, says {}", request.name());
        new.spec.message.get_or_insert_with(moo);
        Ok(())
    }
}

//! The webhooks of a manager.

use std::marker::PhantomData;

use serde::Serialize;

use crate::conversion::Versions;
use crate::manager::Manager;
use crate::object::Object;
use crate::webhook::{Crds, Defaulter, Defaulting, Validating, Validator};

impl Manager {
    /// Adds a webhook that sets defaults in objects of `K`.
    #[must_use]
    pub fn defaulter<K, D>(mut self, defaulter: D) -> Self
    where
        K: Object + Serialize,
        D: Defaulter<K>,
    {
        let admission = Defaulting::new(defaulter);
        self.webhooks.admissions.push(Box::new(admission));
        self
    }

    /// Adds a webhook that accepts or rejects objects of `K`.
    #[must_use]
    pub fn validator<K: Object, V: Validator<K>>(mut self, validator: V) -> Self {
        let admission = Validating(validator, PhantomData);
        self.webhooks.admissions.push(Box::new(admission));
        self
    }

    /// Adds a webhook that converts objects of a kind between its versions.
    #[must_use]
    pub fn converter<Last>(mut self, versions: Versions<Last>) -> Self {
        self.webhooks.chains.push(versions.chain);
        self
    }

    /// Sets the function that returns the CRDs of the operator's own kinds, such as `api::crds`. From their schemas,
    /// webhooks know which objects the API server rejects anyway, and conversions know which fields server-side apply
    /// left out.
    #[must_use]
    pub fn crds(mut self, crds: Crds) -> Self {
        self.webhooks.crds = Some(crds);
        self
    }
}

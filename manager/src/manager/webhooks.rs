//! The methods of a manager that add webhooks.

use std::marker::PhantomData;

use serde::Serialize;

use crate::conversion::Versions;
use crate::manager::Manager;
use crate::object::Object;
use crate::webhook::{Crds, Defaulter, Defaulting, Validating, Validator};

impl Manager {
    /// Adds a webhook that sets defaults in objects of `K`. A second one for the same kind makes
    /// the manager fail when it starts.
    ///
    /// ```
    /// # use rustop_manager::prelude::*;
    /// # use k8s_openapi::api::batch::v1::Job;
    /// # use rustop_manager::webhook::{Defaulter, Request};
    /// struct NoRetries;
    ///
    /// impl Defaulter<Job> for NoRetries {
    ///     async fn default(&self, new: &mut Job, _: &Request) -> Result<()> {
    ///         new.spec.get_or_insert_default().backoff_limit.get_or_insert(0);
    ///         Ok(())
    ///     }
    /// }
    ///
    /// Manager::new("jobs", "0.1.0", Options::default()).defaulter(NoRetries);
    /// ```
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

    /// Adds a webhook that accepts or rejects objects of `K`. A second one for the same kind makes
    /// the manager fail when it starts.
    ///
    /// ```
    /// # use rustop_manager::prelude::*;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use rustop_manager::webhook::{Request, Validator};
    /// struct AtMostTen;
    ///
    /// impl Validator<ConfigMap> for AtMostTen {
    ///     async fn create(&self, new: &ConfigMap, _: &Request) -> Result<()> {
    ///         if new.data.as_ref().is_some_and(|data| data.len() > 10) {
    ///             return Err(Error::new("TooMany", "at most ten entries are allowed"));
    ///         }
    ///         Ok(())
    ///     }
    /// }
    ///
    /// Manager::new("maps", "0.1.0", Options::default()).validator(AtMostTen);
    /// ```
    #[must_use]
    pub fn validator<K: Object, V: Validator<K>>(mut self, validator: V) -> Self {
        let admission = Validating(validator, PhantomData);
        self.webhooks.admissions.push(Box::new(admission));
        self
    }

    /// Adds a webhook that converts objects of a kind between its versions. A second one for the
    /// same kind makes the manager fail when it starts. See [`conversion`](crate::conversion) for
    /// an example.
    #[must_use]
    pub fn converter<Last>(mut self, versions: Versions<Last>) -> Self {
        self.webhooks.chains.push(versions.chain);
        self
    }

    /// Sets the function that returns the CRDs of the operator's own kinds, such as `api::crds`.
    /// From their schemas, webhooks know which objects the API server rejects anyway, and
    /// conversions know which fields server-side apply left out. The function is called once, when
    /// the manager starts, if the operator has webhooks; its error makes the manager fail.
    ///
    /// ```no_run
    /// # use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
    /// # use rustop_manager::{Manager, Options};
    /// fn crds() -> Result<Vec<CustomResourceDefinition>, String> {
    ///     let printed = std::fs::read_to_string("crds.json").map_err(|error| error.to_string())?;
    ///     serde_json::from_str(&printed).map_err(|error| error.to_string())
    /// }
    ///
    /// let manager = Manager::new("op", "0.1.0", Options::default()).crds(crds);
    /// # drop(manager);
    /// ```
    #[must_use]
    pub fn crds(mut self, crds: Crds) -> Self {
        self.webhooks.crds = Some(crds);
        self
    }
}

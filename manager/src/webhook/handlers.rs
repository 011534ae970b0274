//! The handlers of the webhooks.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use super::admission::Admission;
use crate::conversion::Chain;

/// All webhooks of an operator, for all kinds.
#[derive(Default)]
pub(crate) struct Handlers {
    pub admissions: Vec<Box<dyn Admission>>,
    pub chains: Vec<Chain>,
    /// The CRDs of the operator's own kinds. `None` if the operator did not provide them.
    pub crds: Option<Crds>,
}

/// A function that generates the CRDs of an operator.
pub(crate) type Crds = fn() -> Result<Vec<CustomResourceDefinition>, String>;

//! The handlers of the webhooks.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use super::admission::Admission;
use crate::conversion::Chain;

/// All webhooks of an operator, for all kinds.
#[derive(Default)]
pub(crate) struct Handlers {
    /// The defaulters and validators.
    pub admissions: Vec<Box<dyn Admission>>,
    /// The conversions between the versions of a kind, one chain per kind.
    pub chains: Vec<Chain>,
    /// The CRDs of the operator's own kinds. `None` if the operator did not provide them.
    pub crds: Option<Crds>,
}

/// A function that generates the CRDs of an operator. The error describes an invalid type.
pub(crate) type Crds = fn() -> Result<Vec<CustomResourceDefinition>, String>;

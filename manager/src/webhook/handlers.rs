//! Who answers.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use super::admission::Admission;
use crate::conversion::Chain;

/// All webhooks, whatever their kinds are.
#[derive(Default)]
pub(crate) struct Handlers {
    pub admissions: Vec<Box<dyn Admission>>,
    pub chains: Vec<Chain>,
    /// Of the operator's own kinds, where they are known.
    pub crds: Option<Crds>,
}

/// Makes the CRDs of an operator.
pub(crate) type Crds = fn() -> Result<Vec<CustomResourceDefinition>, String>;

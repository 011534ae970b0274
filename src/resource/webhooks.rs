//! The webhooks of a kind.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::Version;

/// The webhooks of a kind.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Webhooks {
    /// The version of the webhook API: `v1`.
    pub webhook_version: Version,
    /// True if a defaulting webhook sets defaults on admission.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub defaulting: bool,
    /// True if a validating webhook can reject objects on admission.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub validation: bool,
    /// True if objects are converted between the versions of the kind. Setting it for one version
    /// is enough.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub conversion: bool,
    /// The admission webhooks whose file is in a directory named after the version, because another
    /// version already had such a webhook.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versioned: Vec<Admission>,
}

/// A type of admission webhook.
#[derive(
    Clone, Copy, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(rename_all = "camelCase")]
pub enum Admission {
    /// Sets defaults.
    Defaulting,
    /// Can reject objects.
    Validation,
}

impl Admission {
    /// Both types, in the order in which the API server calls them.
    pub const ALL: [Self; 2] = [Self::Defaulting, Self::Validation];

    /// Returns the name of the module, which is also that of the flag.
    pub fn word(self) -> &'static str {
        match self {
            Self::Defaulting => "defaulting",
            Self::Validation => "validation",
        }
    }
}

impl Webhooks {
    /// Reports whether a webhook of this type is enabled.
    pub fn admits(&self, admission: Admission) -> bool {
        match admission {
            Admission::Defaulting => self.defaulting,
            Admission::Validation => self.validation,
        }
    }

    /// Returns a value without any webhook.
    pub fn none() -> Self {
        Self {
            webhook_version: "v1".parse().expect("a version"),
            defaulting: false,
            validation: false,
            conversion: false,
            versioned: Vec::new(),
        }
    }
}

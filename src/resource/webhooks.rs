//! The webhooks of a kind.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::Version;

/// Which webhooks a kind has.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Webhooks {
    /// The version of the webhook API: `v1`.
    pub webhook_version: Version,
    /// Sets defaults on admission.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub defaulting: bool,
    /// Refuses on admission.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub validation: bool,
    /// Converts between the versions of the kind, whichever of them says so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub conversion: bool,
    /// Which of them have a file below the name of the version, since another version's was there first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versioned: Vec<Admission>,
}

/// What is asked before an object is stored.
#[derive(
    Clone, Copy, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(rename_all = "camelCase")]
pub enum Admission {
    /// Sets defaults.
    Defaulting,
    /// Refuses.
    Validation,
}

impl Admission {
    /// Both of them, in the order in which the API server asks.
    pub const ALL: [Self; 2] = [Self::Defaulting, Self::Validation];

    /// The module that it is in, and its flag.
    pub fn word(self) -> &'static str {
        match self {
            Self::Defaulting => "defaulting",
            Self::Validation => "validation",
        }
    }
}

impl Webhooks {
    /// Whether there is one of this sort.
    pub fn admits(&self, admission: Admission) -> bool {
        match admission {
            Admission::Defaulting => self.defaulting,
            Admission::Validation => self.validation,
        }
    }

    /// None of them.
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

//! What is decided once for a whole project.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A version of the Kubernetes API that k8s-openapi has types for.
#[derive(
    Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd, Serialize,
)]
pub enum KubernetesVersion {
    #[serde(rename = "1.33")]
    V1_33,
    #[serde(rename = "1.34")]
    V1_34,
    #[serde(rename = "1.35")]
    V1_35,
    #[serde(rename = "1.36")]
    V1_36,
    #[default]
    #[serde(rename = "1.37")]
    V1_37,
}

impl KubernetesVersion {
    /// All of them, the oldest first.
    pub const ALL: [Self; 5] = [
        Self::V1_33,
        Self::V1_34,
        Self::V1_35,
        Self::V1_36,
        Self::V1_37,
    ];

    /// `1.37`.
    pub fn as_str(self) -> &'static str {
        ["1.33", "1.34", "1.35", "1.36", "1.37"][self as usize]
    }

    /// `37` of `1.37`.
    pub fn minor(self) -> u8 {
        33 + self as u8
    }
}

/// The licence of a project.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum License {
    /// Apache License 2.0
    #[default]
    Apache2,
    /// MIT License
    Mit,
    /// No licence file
    None,
}

impl License {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Apache2, Self::Mit, Self::None];
}

/// Where a project has the crate `rustop-manager` from.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ManagerSource {
    /// Its sources are rendered into `vendor/`
    #[default]
    Vendored,
    /// A line in `Cargo.toml`: from crates.io
    Registry,
}

impl ManagerSource {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Vendored, Self::Registry];

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A part of the crate `rustop-manager` that a project has when it asks for it. (`webhook` comes with the first one.)
#[derive(
    Clone, Copy, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(rename_all = "lowercase")]
pub enum ManagerFeature {
    /// What tokio-console shows
    Console,
    /// Kinds that are known only at run time
    Dynamic,
    /// What the caches hold, for tests
    Inspect,
    /// Traces, sent to an OpenTelemetry collector
    Otel,
    /// Objects shared among replicas: `--shards`
    Shards,
}

impl ManagerFeature {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Console,
        Self::Dynamic,
        Self::Inspect,
        Self::Otel,
        Self::Shards,
    ];

    /// As in the crate's `Cargo.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Console => "console",
            Self::Dynamic => "dynamic",
            Self::Inspect => "inspect",
            Self::Otel => "otel",
            Self::Shards => "shards",
        }
    }
}

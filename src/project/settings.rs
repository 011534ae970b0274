//! Settings of a whole project.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A version of the Kubernetes API for which k8s-openapi has types.
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
    /// All supported versions, the oldest first.
    pub const ALL: [Self; 5] = [
        Self::V1_33,
        Self::V1_34,
        Self::V1_35,
        Self::V1_36,
        Self::V1_37,
    ];

    /// Returns the version as text: `1.37`.
    pub fn as_str(self) -> &'static str {
        ["1.33", "1.34", "1.35", "1.36", "1.37"][self as usize]
    }

    /// Returns the minor version: `37` for `1.37`.
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
    pub const ALL: [Self; 3] = [Self::Apache2, Self::Mit, Self::None];
}

/// The source of the `rustop-manager` crate in a project.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ManagerSource {
    /// Vendored: a copy of the crate is in `vendor/`
    #[default]
    Vendored,
    /// A dependency from crates.io
    Registry,
}

impl ManagerSource {
    pub const ALL: [Self; 2] = [Self::Vendored, Self::Registry];

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The name under which code imports the crate `rustop-manager`.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ManagerCrate {
    /// `manager`, the name of the library before 0.3.0. `PROJECT` files from then have no name.
    #[default]
    Manager,
    /// `rustop_manager`, the name of the library
    RustopManager,
}

impl ManagerCrate {
    /// The name of the package on crates.io.
    const PACKAGE: &str = "rustop-manager";

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the name in Rust code.
    pub fn ident(self) -> &'static str {
        match self {
            Self::Manager => "manager",
            Self::RustopManager => "rustop_manager",
        }
    }

    /// Returns the key of the dependency in `Cargo.toml`.
    pub fn dependency(self) -> &'static str {
        match self {
            Self::Manager => "manager",
            Self::RustopManager => Self::PACKAGE,
        }
    }

    /// Reports whether the dependency needs the key `package` in `Cargo.toml`.
    pub fn is_renamed(self) -> bool {
        self.dependency() != Self::PACKAGE
    }
}

/// An optional feature of the crate `rustop-manager` that a project can enable. (`webhook` is a
/// default feature, and tests enable `testing`.)
#[derive(
    Clone, Copy, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(rename_all = "lowercase")]
pub enum ManagerFeature {
    /// Support for tokio-console
    Console,
    /// Controllers for kinds that are known only at run time
    Dynamic,
    /// Access to the contents of the caches, for tests
    Inspect,
    /// Traces, sent to an OpenTelemetry collector
    Otel,
    /// Without effect: sharding is always compiled. Projects of earlier releases list it.
    Shards,
}

impl ManagerFeature {
    pub const ALL: [Self; 5] = [
        Self::Console,
        Self::Dynamic,
        Self::Inspect,
        Self::Otel,
        Self::Shards,
    ];

    /// Returns the feature's name in the crate's `Cargo.toml`.
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

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = include_str!("../../templates/vendor/rustop-manager/Cargo.toml.tera");

    #[test]
    fn every_feature_of_the_manager_can_be_asked_for() {
        let manifest: toml::Table = MANIFEST.parse().unwrap();
        let mut names: Vec<_> = manifest["features"].as_table().unwrap().keys().collect();
        names.retain(|name| !["default", "testing", "webhook"].contains(&name.as_str()));
        names.sort_unstable();
        assert_eq!(
            ManagerFeature::ALL.map(ManagerFeature::name).to_vec(),
            names
        );
        assert_eq!(manifest["features"]["default"][0].as_str(), Some("webhook"));
    }
}

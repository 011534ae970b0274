//! Optional parts of a project.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An optional set of files that is rendered from `PROJECT`. `rustop create` adds it by this name.
#[derive(
    Clone, Copy, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Workflows that lint, simulate, torture and upgrade the project, and rules for its
    /// dependencies
    Ci,
    /// Grafana dashboards, and Prometheus alerts with a runbook page each
    Dashboard,
    /// A development container, and a page for new contributors
    Devcontainer,
    /// End-to-end tests of the deployed operator, and a workflow that runs them
    E2e,
    /// A `NetworkPolicy` for the operator
    NetworkPolicy,
    /// A `ServiceMonitor`, and the permission to read the metrics
    Prometheus,
    /// A workflow that publishes a release for a tag
    Release,
}

impl Part {
    #[cfg(test)]
    pub const ALL: [Self; 7] = [
        Self::Ci,
        Self::Dashboard,
        Self::Devcontainer,
        Self::E2e,
        Self::NetworkPolicy,
        Self::Prometheus,
        Self::Release,
    ];

    /// Returns the name in `PROJECT` and in commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ci => "ci",
            Self::Dashboard => "dashboard",
            Self::Devcontainer => "devcontainer",
            Self::E2e => "e2e",
            Self::NetworkPolicy => "network-policy",
            Self::Prometheus => "prometheus",
            Self::Release => "release",
        }
    }

    /// Returns the command that creates or deletes the part.
    pub fn command(self, verb: &str) -> String {
        format!("rustop {verb} {}", self.name())
    }

    /// Returns a description that completes the sentence "this project has ..".
    pub fn description(self) -> &'static str {
        match self {
            Self::Ci => {
                "workflows for linting, simulation, torture and upgrades, in .github/workflows/"
            }
            Self::Dashboard => "dashboards, in grafana/",
            Self::Devcontainer => "a development container, in .devcontainer/",
            Self::E2e => "end-to-end tests, in tests/e2e.rs",
            Self::NetworkPolicy => "a NetworkPolicy, in config/network-policy/",
            Self::Prometheus => "a ServiceMonitor, in config/prometheus/",
            Self::Release => "a release workflow, .github/workflows/release.yml",
        }
    }

    /// Returns the suggested next step after the part was added.
    pub fn next(self) -> &'static str {
        match self {
            Self::Ci => "set the variables RUSTOP_GIT and RUSTOP_REV of the repository on GitHub",
            Self::Dashboard => "uncomment rules.yaml in config/prometheus/kustomization.yaml",
            Self::Devcontainer => "describe in CONTRIBUTING.md what is special about this project",
            Self::E2e => "make test-e2e IMG=...",
            Self::NetworkPolicy => {
                "uncomment ../network-policy in config/default/kustomization.yaml"
            }
            Self::Prometheus => "uncomment ../prometheus in config/default/kustomization.yaml",
            Self::Release => "git tag v0.1.0 && git push origin v0.1.0",
        }
    }

    /// Reports whether files of the part go into the Helm chart. `rustop manifests` copies them.
    pub fn is_in_chart(self) -> bool {
        matches!(
            self,
            Self::Dashboard | Self::NetworkPolicy | Self::Prometheus
        )
    }

    /// Returns the directory that belongs to the part, if there is one. Users can add files of
    /// their own to it.
    pub fn directory(self) -> Option<&'static str> {
        match self {
            Self::Dashboard => Some("grafana"),
            Self::Devcontainer => Some(".devcontainer"),
            Self::NetworkPolicy => Some("config/network-policy"),
            Self::Prometheus => Some("config/prometheus"),
            Self::Ci | Self::E2e | Self::Release => None,
        }
    }

    /// Returns the part whose files this part extends, if there is one.
    pub fn requires(self) -> Option<Self> {
        // The alerts are in the directory of the ServiceMonitor.
        (self == Self::Dashboard).then_some(Self::Prometheus)
    }

    /// Returns the path of the test that belongs to the part, if there is one.
    pub fn test_file(self) -> Option<&'static str> {
        (self == Self::E2e).then_some("tests/e2e.rs")
    }

    /// Reports whether the part has a workflow that installs rustop.
    pub fn installs_rustop(self) -> bool {
        matches!(self, Self::Ci | Self::E2e | Self::Release)
    }
}

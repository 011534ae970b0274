//! Optional parts of a project.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An optional set of files that is rendered from `PROJECT`. `rustop create` adds it by this name.
#[derive(
    Clone, Copy, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Grafana dashboards, and Prometheus alerts with a runbook page each
    Dashboard,
    /// A development container, and a page for new contributors
    Devcontainer,
    /// End-to-end tests of the deployed operator, and a workflow that runs them
    E2e,
    /// A workflow that publishes a release for a tag
    Release,
}

impl Part {
    #[cfg(test)]
    pub const ALL: [Self; 4] = [
        Self::Dashboard,
        Self::Devcontainer,
        Self::E2e,
        Self::Release,
    ];

    /// Returns the name in `PROJECT` and in commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dashboard => "dashboard",
            Self::Devcontainer => "devcontainer",
            Self::E2e => "e2e",
            Self::Release => "release",
        }
    }

    /// Returns a description that completes the sentence "this project has ..".
    pub fn what(self) -> &'static str {
        match self {
            Self::Dashboard => "dashboards, in grafana/",
            Self::Devcontainer => "a development container, in .devcontainer/",
            Self::E2e => "end-to-end tests, in tests/e2e.rs",
            Self::Release => "a release workflow, .github/workflows/release.yml",
        }
    }

    /// Returns the suggested next step after the part was added.
    pub fn next(self) -> &'static str {
        match self {
            Self::Dashboard => "uncomment rules.yaml in config/prometheus/kustomization.yaml",
            Self::Devcontainer => "describe in CONTRIBUTING.md what is special about this project",
            Self::E2e => "make test-e2e IMG=...",
            Self::Release => "git tag v0.1.0 && git push origin v0.1.0",
        }
    }

    /// Returns the directory that belongs to the part, if there is one. Users can add files of their own to it.
    pub fn directory(self) -> Option<&'static str> {
        match self {
            Self::Dashboard => Some("grafana"),
            Self::Devcontainer => Some(".devcontainer"),
            Self::E2e | Self::Release => None,
        }
    }
}

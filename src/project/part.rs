//! What a project may have besides its kinds, and gets and loses as a whole.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Files that follow from `PROJECT` alone, and that not everybody wants: `rustop create` adds them under this name.
#[derive(
    Clone, Copy, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Grafana dashboards, and alerts for Prometheus with a page each
    Dashboard,
    /// A development container, and a page for whoever joins
    Devcontainer,
    /// Tests of the operator as it is deployed, and a workflow that runs them
    E2e,
    /// A workflow that makes a release of a tag
    Release,
}

impl Part {
    /// All of them.
    #[cfg(test)]
    pub const ALL: [Self; 4] = [
        Self::Dashboard,
        Self::Devcontainer,
        Self::E2e,
        Self::Release,
    ];

    /// As it is called in `PROJECT` and in commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dashboard => "dashboard",
            Self::Devcontainer => "devcontainer",
            Self::E2e => "e2e",
            Self::Release => "release",
        }
    }

    /// What it is, in sentences: this project has ..
    pub fn what(self) -> &'static str {
        match self {
            Self::Dashboard => "dashboards, in grafana/",
            Self::Devcontainer => "a development container, in .devcontainer/",
            Self::E2e => "end-to-end tests, in tests/e2e.rs",
            Self::Release => "a release workflow, .github/workflows/release.yml",
        }
    }

    /// What comes after it was added.
    pub fn next(self) -> &'static str {
        match self {
            Self::Dashboard => {
                "take the # before rules.yaml away in config/prometheus/kustomization.yaml"
            }
            Self::Devcontainer => "say in CONTRIBUTING.md what is special about this project",
            Self::E2e => "make test-e2e IMG=...",
            Self::Release => "git tag v0.1.0 && git push origin v0.1.0",
        }
    }

    /// A directory that is all its own, in which users put files beside those of rustop.
    pub fn directory(self) -> Option<&'static str> {
        match self {
            Self::Dashboard => Some("grafana"),
            Self::Devcontainer => Some(".devcontainer"),
            Self::E2e | Self::Release => None,
        }
    }
}

//! What is wrong with a text that should be a CRD.

use thiserror::Error;

/// Why nothing was imported.
#[derive(Debug, Error)]
pub enum ImportError {
    /// The text is no YAML and no JSON.
    #[error("{from} is neither YAML nor JSON: {reason}")]
    NotYaml {
        /// Where the text comes from.
        from: String,
        /// What the parser says.
        reason: String,
    },
    /// It is a web page.
    #[error(
        "{from} is a web page, no CRD; on GitHub the address of the text itself begins with https://raw.githubusercontent.com/"
    )]
    Html {
        /// Where the text comes from.
        from: String,
    },
    /// Nothing in it is a CRD.
    #[error("{from} holds no CustomResourceDefinition; it holds {found}")]
    NoCrd {
        /// Where the text comes from.
        from: String,
        /// The kinds that it holds.
        found: String,
    },
    /// A CRD of an API that no API server serves any more.
    #[error(
        "{name} is a CRD of {api_version}, which Kubernetes 1.22 removed; convert it first: kubectl convert, or take a newer release of its project"
    )]
    OldApi {
        /// The CRD.
        name: String,
        /// Its `apiVersion`.
        api_version: String,
    },
    /// A CRD that lacks what every CRD must have, or has it twice.
    #[error("{name}: {reason}")]
    Broken {
        /// The CRD.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// Places that no Rust type says.
    #[error("{name} cannot be imported whole:\n{}", lines(places))]
    Unsayable {
        /// The CRD.
        name: String,
        /// The places.
        places: Vec<Refusal>,
    },
    /// The text is not there.
    #[error("{from} cannot be read: {reason}")]
    Unreadable {
        /// Where the text should come from.
        from: String,
        /// Why not.
        reason: String,
    },
    /// A version of which there are types is not in the CRD any more.
    #[error("{name} has no version {version} any more, and the project has types of it")]
    VersionGone {
        /// The CRD.
        name: String,
        /// The version.
        version: String,
        /// What takes its types away.
        command: String,
    },
    /// The kind that was asked for is not there.
    #[error("{from} has no kind {kind}; it has {kinds}: name one of them with --kind")]
    NoKind {
        /// Where the text comes from.
        from: String,
        /// The kind that was asked for.
        kind: String,
        /// The kinds that are there.
        kinds: String,
    },
}

/// A place of a CRD that the Rust types would not say.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Refusal {
    /// The place: `v1.spec.replicas`.
    pub path: String,
    /// The keyword of the schema.
    pub keyword: String,
    /// Why it cannot be.
    pub reason: &'static str,
}

impl crate::error::Failure for ImportError {
    fn help(&self) -> Option<String> {
        let places = match self {
            Self::Unsayable { places, .. } => places,
            Self::VersionGone { command, .. } => return Some(format!("first: {command}")),
            _ => return None,
        };
        let mut flags: Vec<_> = places
            .iter()
            .map(|place| format!("--allow '{}'", place.path))
            .collect();
        flags.dedup();
        Some(format!(
            "to leave these out of the CRD, add {}",
            flags.join(" ")
        ))
    }
}

/// Each place on a line.
fn lines(places: &[Refusal]) -> String {
    let lines: Vec<_> = places.iter().map(|place| format!("  {place}")).collect();
    lines.join("\n")
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}: {}", self.path, self.keyword, self.reason)
    }
}

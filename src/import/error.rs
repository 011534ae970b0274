//! What is wrong with a text that should be a CRD.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::text::shell_quoted;

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
    #[error("{}", lines(crds))]
    Unsayable {
        /// Their CRDs.
        crds: Vec<Unsayable>,
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

/// A CRD, and what its Rust types would not say.
#[derive(Debug)]
pub struct Unsayable {
    /// The CRD.
    pub name: String,
    /// The places.
    pub places: Vec<Refusal>,
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
            Self::Unsayable { crds } => crds.iter().flat_map(|crd| &crd.places),
            Self::VersionGone { command, .. } => return Some(format!("first: {command}")),
            _ => return None,
        };
        let flags: BTreeSet<_> = places
            .map(|place| format!("--allow {}", shell_quoted(&place.path)))
            .collect();
        let flags: Vec<_> = flags.into_iter().collect();
        Some(format!(
            "to leave these out of the CRD, add {}",
            flags.join(" ")
        ))
    }
}

/// Each CRD on a line, and each of its places.
fn lines(crds: &[Unsayable]) -> String {
    let lines = crds.iter().flat_map(|crd| {
        let places = crd.places.iter().map(|place| format!("  {place}"));
        std::iter::once(format!("{} cannot be imported whole:", crd.name)).chain(places)
    });
    lines.collect::<Vec<_>>().join("\n")
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}: {}", self.path, self.keyword, self.reason)
    }
}

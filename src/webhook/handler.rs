//! The admission webhook handlers of the operator.

use crate::project::Project;
use crate::project::kinds::Kind;

/// A handler that serves a path.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Handler {
    /// The URL path, such as `/validate-my-domain-v1-lolcow`.
    pub path: String,
    /// True if it mutates objects, false if it validates them.
    pub mutating: bool,
    /// The kind that it deserializes.
    pub kind: Kind,
    /// True if the CRD of the kind belongs to the project.
    pub is_own: bool,
    /// The kind, as text for messages, for which PROJECT requires the handler; `None` if the
    /// handler is not from PROJECT.
    pub of_project: Option<String>,
}

impl Handler {
    /// Creates a handler for a kind, at the path that controller-runtime would use. PROJECT does
    /// not require it.
    pub fn new(mutating: bool, kind: &Kind, project: &Project) -> Self {
        let mut own = project.resources.iter().filter(|there| there.has_crd());
        Self {
            path: path(mutating, &kind.group, &kind.version, &kind.kind),
            mutating,
            kind: kind.clone(),
            is_own: own.any(|there| Kind::of(there) == *kind),
            of_project: None,
        }
    }
}

/// Returns the path of a webhook for a kind, as in controller-runtime:
/// `/validate-<group>-<version>-<kind>`.
pub fn path(mutating: bool, group: &str, version: &str, kind: &str) -> String {
    let action = if mutating { "mutate" } else { "validate" };
    let group = group.replace('.', "-");
    format!("/{action}-{group}-{version}-{}", kind.to_lowercase())
}

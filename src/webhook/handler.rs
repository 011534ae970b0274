//! Something of the operator that answers the API server.

use crate::project::Project;
use crate::project::kinds::Kind;

/// Something that answers at a path.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Handler {
    /// The path.
    pub path: String,
    /// Whether it changes objects; else it only accepts or refuses them.
    pub mutating: bool,
    /// The type of object that it reads.
    pub kind: Kind,
    /// Whether the kind's CRD is the project's.
    pub is_own: bool,
    /// The kind that it is for, if PROJECT says that it must be called.
    pub of_project: Option<String>,
}

impl Handler {
    /// What serves objects of a kind, at the path of controller-runtime.
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

/// Where a webhook for a kind is served, as in controller-runtime: `/validate-<group>-<version>-<kind>`.
pub fn path(mutating: bool, group: &str, version: &str, kind: &str) -> String {
    let action = if mutating { "mutate" } else { "validate" };
    let group = group.replace('.', "-");
    format!("/{action}-{group}-{version}-{}", kind.to_lowercase())
}

//! The CRDs of a project: those that its types make, and those that its types were made of.

use std::collections::BTreeSet;

use serde::Serialize;

use super::resource::ResourceContext;
use crate::project::Project;
use crate::resource::Resource;

/// A CRD over its versions; the names are those of the version created first.
#[derive(Clone, Debug, Serialize)]
pub struct Crd {
    #[serde(flatten)]
    first: ResourceContext,
    versions: Vec<ResourceContext>,
}

/// A kind with the CRD that it was made of.
#[derive(Debug, Serialize)]
pub struct Imported {
    /// The file with that CRD.
    file: String,
    /// The name of a test: `cert_manager_certificate`.
    name: String,
    /// The places that its types do not express, as Rust string literals: a place names properties of a CRD, which may be
    /// any text.
    allowed: Vec<String>,
    versions: Vec<ResourceContext>,
}

/// Those that were there before their types.
pub fn imported(project: &Project) -> Vec<Imported> {
    let of = || {
        project
            .resources
            .iter()
            .filter(|resource| resource.imported.is_some())
    };
    let mut kinds: Vec<&Resource> = Vec::new();
    for resource in of() {
        if !kinds.iter().any(|kind| kind.same_kind(resource)) {
            kinds.push(resource);
        }
    }
    let context = |kind: &Resource| Imported {
        file: kept(kind),
        name: kind.name(),
        allowed: kind
            .imported
            .iter()
            .flat_map(|source| &source.allowed)
            .map(|place| format!("{place:?}"))
            .collect(),
        versions: of()
            .filter(|other| other.same_kind(kind))
            .map(|version| ResourceContext::new(version, project))
            .collect(),
    };
    kinds.into_iter().map(context).collect()
}

/// The files with the CRDs of the kinds that others own.
pub fn foreign(project: &Project) -> BTreeSet<String> {
    let kinds = project.resources.iter();
    let foreign = kinds.filter(|kind| kind.external && kind.imported.is_some());
    foreign.map(kept).collect()
}

fn kept(kind: &Resource) -> String {
    kind.crd_file().replace(".yaml", ".json")
}

/// All of them.
pub fn crds(project: &Project) -> Vec<Crd> {
    let own = || {
        project
            .resources
            .iter()
            .filter(|resource| resource.has_crd())
    };
    own()
        .filter(|resource| project.is_first_version(resource))
        .map(|first| Crd {
            first: ResourceContext::new(first, project),
            versions: own()
                .filter(|other| other.same_kind(first))
                .map(|version| ResourceContext::new(version, project))
                .collect(),
        })
        .collect()
}

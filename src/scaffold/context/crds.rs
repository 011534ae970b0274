//! The CRDs of a project: those that its types make, and those that its types were made of.

use std::collections::BTreeSet;

use serde::Serialize;

use super::resource::ResourceContext;
use crate::project::{Project, Versions};
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
pub fn imported(project: &Project, versions: &Versions) -> Vec<Imported> {
    let kinds = project.resources.iter();
    let kinds = kinds.filter(|resource| is_first_imported(resource, versions));
    let context = |kind: &Resource| Imported {
        file: kept(kind),
        name: kind.name(),
        allowed: kind
            .imported
            .iter()
            .flat_map(|source| &source.allowed)
            .map(|place| format!("{place:?}"))
            .collect(),
        versions: versions
            .all(kind)
            .iter()
            .filter(|version| version.imported.is_some())
            .map(|version| ResourceContext::new(version, project, versions))
            .collect(),
    };
    kinds.map(context).collect()
}

/// Whether a resource is the first version of its kind of which the types are those of a CRD.
pub fn is_first_imported(resource: &Resource, versions: &Versions) -> bool {
    let mut all = versions.all(resource).iter();
    let first = all.find(|version| version.imported.is_some());
    first.is_some_and(|first| first.same_type(resource))
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
pub fn crds(project: &Project, versions: &Versions) -> Vec<Crd> {
    let new = |resource: &Resource| ResourceContext::new(resource, project, versions);
    project
        .resources
        .iter()
        .filter(|resource| resource.has_crd() && versions.is_first(resource))
        .map(|first| Crd {
            first: new(first),
            versions: versions
                .all(first)
                .iter()
                .filter(|version| version.has_crd())
                .map(|version| new(version))
                .collect(),
        })
        .collect()
}

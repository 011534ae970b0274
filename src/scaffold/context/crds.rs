//! The CRDs of a project: those generated from its types, and those that types were imported from.

use std::collections::BTreeSet;

use serde::Serialize;

use super::resource::ResourceContext;
use crate::project::{Project, Versions};
use crate::resource::Resource;

/// A CRD with all its versions. Its names are those of the version that was created first.
#[derive(Clone, Debug, Serialize)]
pub struct CrdContext {
    #[serde(flatten)]
    first: ResourceContext,
    versions: Vec<ResourceContext>,
}

/// A kind with the CRD that its types were imported from.
#[derive(Debug, Serialize)]
pub struct Imported {
    /// The file that stores the imported CRD.
    file: String,
    /// The name of the test that compares the types with it: `cert_manager_certificate`.
    name: String,
    /// The schema paths that the types do not express, as Rust string literals. They are quoted
    /// because a path contains property names of a CRD, which may be any text.
    allowed: Vec<String>,
    versions: Vec<ResourceContext>,
}

/// Returns the kinds whose types were imported from a CRD.
pub fn imported(project: &Project, versions: &Versions) -> Vec<Imported> {
    let kinds = project.resources.iter();
    let kinds = kinds.filter(|resource| is_first_imported(resource, versions));
    let context = |kind: &Resource| Imported {
        file: stored_crd_file(kind),
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

/// Reports whether a resource is the first imported version of its kind.
pub fn is_first_imported(resource: &Resource, versions: &Versions) -> bool {
    let mut all = versions.all(resource).iter();
    let first = all.find(|version| version.imported.is_some());
    first.is_some_and(|first| first.same_type(resource))
}

/// Returns the files with the CRDs of kinds that other projects own.
pub fn foreign(project: &Project) -> BTreeSet<String> {
    let kinds = project.resources.iter();
    let foreign = kinds.filter(|kind| kind.external && kind.imported.is_some());
    foreign.map(stored_crd_file).collect()
}

fn stored_crd_file(kind: &Resource) -> String {
    kind.crd_file().replace(".yaml", ".json")
}

/// Returns every CRD that belongs to the project.
pub fn crds(project: &Project, versions: &Versions) -> Vec<CrdContext> {
    let new = |resource: &Resource| ResourceContext::new(resource, project, versions);
    project
        .resources
        .iter()
        .filter(|resource| resource.has_crd() && versions.is_first(resource))
        .map(|first| CrdContext {
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

//! The modules of the `api` crate.

use serde::Serialize;

use crate::project::{Project, Versions};
use crate::resource::Resource;

/// A group of the `api` crate.
#[derive(Debug, Serialize)]
pub struct Group {
    /// Empty for the group-less API.
    module: String,
    api_group: String,
    versions: Vec<VersionModule>,
}

/// A version of a group, with the modules of its kinds.
#[derive(Debug, Serialize)]
struct VersionModule {
    module: String,
    api_version: String,
    kinds: Vec<KindModule>,
}

/// The module of a kind, or of the conversion between two versions of it.
#[derive(Debug, Serialize)]
struct KindModule {
    module: String,
    /// True if the module is `pub`.
    public: bool,
}

/// Returns the API groups of a module, joined for a doc comment: two groups can begin with the same
/// label.
fn api_groups(types: &[&Resource]) -> String {
    let mut groups: Vec<_> = types.iter().map(|resource| resource.api_group()).collect();
    groups.sort();
    groups.dedup();
    groups.join("`, `")
}

/// Returns the modules of the `api` crate, sorted.
pub fn groups(project: &Project, versions: &Versions) -> Vec<Group> {
    let mut types: Vec<_> = project
        .resources
        .iter()
        .filter(|resource| resource.api.is_some())
        .collect();
    types.sort_by_cached_key(|resource| {
        (
            resource.group_module(),
            resource.version.clone(),
            resource.module(),
        )
    });
    let groups = types.chunk_by(|a, b| a.group_module() == b.group_module());
    groups
        .map(|types| Group {
            module: types[0].group_module().unwrap_or_default(),
            api_group: api_groups(types),
            versions: types
                .chunk_by(|a, b| a.version == b.version)
                .map(|types| VersionModule::new(types, versions))
                .collect(),
        })
        .collect()
}

impl VersionModule {
    /// Creates a version from its types. There must be at least one.
    fn new<'a>(types: &[&'a Resource], versions: &Versions<'a>) -> Self {
        let kinds = types.iter().flat_map(|resource| {
            let kind = KindModule {
                module: resource.module(),
                public: true,
            };
            let conversion = versions.older(resource).map(|older| KindModule {
                module: resource.conversion_module(older),
                public: false,
            });
            [kind].into_iter().chain(conversion)
        });
        Self {
            module: types[0].version_module(),
            api_version: types[0].api_version(),
            kinds: kinds.collect(),
        }
    }
}

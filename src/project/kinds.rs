//! The kinds of Rust types: those of Kubernetes and those of the project.

use std::collections::BTreeMap;

use super::{Project, builtin};
use crate::resource::Resource;

/// A kind, in the terms of the Kubernetes API.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Kind {
    /// The full name of the group; empty for the core group.
    pub group: String,
    pub version: String,
    pub kind: String,
    pub plural: String,
}

impl Kind {
    /// Returns the kind of a project's resource.
    pub fn of(resource: &Resource) -> Self {
        Self {
            group: resource.api_group(),
            version: resource.version.to_string(),
            kind: resource.kind.to_string(),
            plural: resource.plural.to_string(),
        }
    }

    /// Returns the `apiVersion` of its objects: `my.domain/v1`, or `v1` for the core group.
    pub fn api_version(&self) -> String {
        match self.group.as_str() {
            "" => self.version.clone(),
            group => format!("{group}/{}", self.version),
        }
    }
}

/// Returns the kinds by the full paths of their types: `k8s_openapi::api::apps::v1::Deployment`.
pub fn by_type(project: &Project) -> BTreeMap<String, Kind> {
    let builtins = builtin::all().iter().map(|builtin| {
        let kind = Kind {
            group: builtin.group.to_owned(),
            version: builtin.version.to_owned(),
            kind: builtin.kind.to_owned(),
            plural: builtin.plural.to_owned(),
        };
        (format!("{}::{}", builtin.module, builtin.kind), kind)
    });
    let own = project
        .resources
        .iter()
        .filter(|resource| resource.api.is_some());
    let own = own.map(|resource| {
        let modules = resource.api_modules().join("::");
        (
            format!(
                "api::{modules}::{}::{}",
                resource.module(),
                resource.rust_type()
            ),
            Kind::of(resource),
        )
    });
    builtins.chain(own).collect()
}

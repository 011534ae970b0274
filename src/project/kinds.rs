//! Which kind a Rust type is: one of Kubernetes, or one of the project.

use std::collections::BTreeMap;

use super::{Project, builtin};
use crate::resource::Resource;

/// A kind, as the API server has it.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Kind {
    /// The whole group, empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// The plural.
    pub plural: String,
}

impl Kind {
    /// The kind of a resource of a project.
    pub fn of(resource: &Resource) -> Self {
        Self {
            group: resource.api_group(),
            version: resource.version.to_string(),
            kind: resource.kind.to_string(),
            plural: resource.plural.to_string(),
        }
    }

    /// `my.domain/v1`, `v1`.
    pub fn api_version(&self) -> String {
        match self.group.as_str() {
            "" => self.version.clone(),
            group => format!("{group}/{}", self.version),
        }
    }
}

/// The kinds by the paths of their types: `k8s_openapi::api::apps::v1::Deployment`.
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

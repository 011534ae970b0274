//! What the templates are given: plain values, every decision already taken.

mod crds;
mod modules;
mod resource;
mod webhooks;

use std::collections::BTreeSet;

use serde::Serialize;

use super::lockfile;
use crate::project::{License, MANAGER_VERSION, ManagerSource, PACKAGE, Part, Project, Versions};
use crate::resource::{Admission, Resource};

pub use crds::is_first_imported;
pub use resource::ResourceContext;

/// The values of every template.
#[derive(Debug, Serialize)]
pub struct ProjectContext {
    domain: String,
    /// The API's modules; the group-less versions stand at the top.
    groups: Vec<modules::Group>,
    kubernetes_version: String,
    /// k8s-openapi's feature: `v1_37`.
    kubernetes_feature: String,
    license: License,
    /// The licence as Cargo names it (SPDX); empty for none.
    license_id: &'static str,
    namespaced: bool,
    /// Free text; empty where nobody is named.
    owner: String,
    /// The same as a TOML or JSON string, quotes included.
    owner_quoted: String,
    /// Whether the manager's sources are in the project, and which version it is.
    vendored: bool,
    manager_version: &'static str,
    /// Where the manager is from, as a lock file has it.
    manager_origin: String,
    /// The parts of the manager that the project has besides what all have, and those of them that the crate has only
    /// when it is told so.
    manager_features: Vec<&'static str>,
    manager_asked: Vec<&'static str>,
    /// What `cargo install` is told to get rustop.
    package: &'static str,
    project_name: String,
    /// The library as Rust names it: `lolcow_operator`.
    crate_name: String,
    /// Kinds with a controller.
    controllers: Vec<ResourceContext>,
    /// Kinds with a controller or a draft of one, which is a module, too.
    modules: Vec<ResourceContext>,
    /// Kinds whose CRD is the project's, each once whatever its versions.
    crds: Vec<crds::Crd>,
    /// Whether the derives alone make one of them.
    own_crds: bool,
    /// Kinds whose types are those of a CRD that was there before them.
    imported: Vec<crds::Imported>,
    /// The files with the CRDs of kinds that others own.
    foreign_crds: BTreeSet<String>,
    /// Types whose CRD is the project's, one sample each.
    samples: Vec<ResourceContext>,
    /// Kinds with webhooks, and which there are at all.
    webhooks: Vec<webhooks::Webhooks>,
    defaulting: bool,
    validation: bool,
    conversion: bool,
    /// Whether `config/prometheus/rules.yaml` has alerts.
    dashboard: bool,
}

impl ProjectContext {
    pub fn new(project: &Project, versions: &Versions) -> Self {
        let views = |which: &dyn Fn(&Resource) -> bool| {
            let chosen = project.resources.iter().filter(|resource| which(resource));
            let views = chosen.map(|resource| ResourceContext::new(resource, project, versions));
            views.collect()
        };
        let owner = project
            .owner
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        let version = project.kubernetes_version.minor();
        let webhooks = webhooks::all(project, versions);
        Self {
            domain: project.domain.to_string(),
            groups: modules::groups(project, versions),
            kubernetes_version: format!("1.{version}"),
            kubernetes_feature: format!("v1_{version}"),
            license: project.license,
            license_id: match project.license {
                License::Apache2 => "Apache-2.0",
                License::Mit => "MIT",
                License::None => "",
            },
            namespaced: project.namespaced,
            vendored: project.manager == ManagerSource::Vendored,
            manager_version: MANAGER_VERSION,
            manager_origin: match project.manager {
                ManagerSource::Vendored => String::new(),
                ManagerSource::Registry => lockfile::manager_origin(),
            },
            manager_features: project.manager_features(),
            manager_asked: asked(project),
            package: PACKAGE,
            owner_quoted: serde_json::Value::from(owner.as_str()).to_string(),
            owner,
            project_name: project.project_name.to_string(),
            crate_name: project.project_name.as_str().replace('-', "_"),
            controllers: views(&|resource| resource.controller),
            modules: views(&Resource::has_controller_file),
            crds: crds::crds(project, versions),
            own_crds: project
                .resources
                .iter()
                .any(|resource| resource.has_crd() && resource.imported.is_none()),
            imported: crds::imported(project, versions),
            foreign_crds: crds::foreign(project),
            samples: views(&|resource| versions.has_sample(resource)),
            defaulting: project.admits(Admission::Defaulting),
            validation: project.admits(Admission::Validation),
            conversion: webhooks.iter().any(webhooks::Webhooks::is_converted),
            dashboard: project.parts.contains(&Part::Dashboard),
            webhooks,
        }
    }
}

/// The parts of the manager that PROJECT names.
fn asked(project: &Project) -> Vec<&'static str> {
    let features = project.manager_features.iter();
    features.map(|feature| feature.name()).collect()
}

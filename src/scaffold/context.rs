//! The template variables of a project, computed from `PROJECT`. Templates make no decisions of
//! their own.

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

/// The variables that every template can use.
#[derive(Debug, Serialize)]
pub struct ProjectContext {
    domain: String,
    /// The modules of the `api` crate. Versions of the group-less API are at the top level.
    groups: Vec<modules::Group>,
    kubernetes_version: String,
    /// The k8s-openapi feature, such as `v1_37`.
    kubernetes_feature: String,
    /// True if the field `spec` of a Deployment is an `Option`: in k8s-openapi 0.29 for Kubernetes
    /// before 1.37.
    deployment_spec_is_optional: bool,
    license: License,
    /// The SPDX identifier of the licence; empty if there is none.
    license_id: &'static str,
    namespaced: bool,
    /// Free text from `PROJECT`; empty if not set.
    owner: String,
    /// `owner` as a TOML or JSON string, including the quotes.
    owner_quoted: String,
    /// True if the manager's sources are vendored into the project.
    vendored: bool,
    /// The name under which code imports the manager's crate: `rustop_manager`, or `manager` in a
    /// project from before 0.3.0.
    manager_crate: &'static str,
    /// The key of the manager's dependency in `Cargo.toml`.
    manager_dependency: &'static str,
    /// True if that key differs from the name of the package.
    manager_renamed: bool,
    manager_version: &'static str,
    /// The `source` and `checksum` lines of the manager in `Cargo.lock`; empty if it is vendored.
    manager_origin: String,
    /// The features of the manager that the project enables, in addition to the default ones.
    manager_features: Vec<&'static str>,
    /// The argument of `cargo install` that installs rustop.
    package: &'static str,
    project_name: String,
    /// The version of rustop that renders the project.
    cli_version: String,
    /// The library crate's identifier: `lolcow_operator`.
    crate_name: String,
    /// Kinds with a controller.
    controllers: Vec<ResourceContext>,
    /// Kinds with a controller, or with a draft of one, which is a module, too.
    modules: Vec<ResourceContext>,
    /// Kinds whose CRD belongs to the project, one entry for all versions of a kind.
    crds: Vec<crds::CrdContext>,
    /// True if any of these CRDs is generated from types written in the project, rather than
    /// imported.
    own_crds: bool,
    /// Kinds whose types were generated from an imported CRD.
    imported: Vec<crds::Imported>,
    /// The files with the CRDs of kinds that other projects own.
    foreign_crds: BTreeSet<String>,
    /// Versions of kinds whose CRD belongs to the project, one sample each.
    samples: Vec<ResourceContext>,
    webhooks: Vec<webhooks::KindWebhooks>,
    /// True if any kind has a webhook of this type: defaulting, validation, conversion.
    defaulting: bool,
    validation: bool,
    conversion: bool,
    /// True if `config/prometheus/rules.yaml` has alerts.
    dashboard: bool,
}

impl ProjectContext {
    /// Computes the variables. `versions` is the index of the same project.
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
            deployment_spec_is_optional: version < 37,
            license: project.license,
            license_id: match project.license {
                License::Apache2 => "Apache-2.0",
                License::Mit => "MIT",
                License::None => "",
            },
            namespaced: project.namespaced,
            vendored: project.manager == ManagerSource::Vendored,
            manager_crate: project.manager_crate.ident(),
            manager_dependency: project.manager_crate.dependency(),
            manager_renamed: project.manager_crate.is_renamed(),
            manager_version: MANAGER_VERSION,
            manager_origin: match project.manager {
                ManagerSource::Vendored => String::new(),
                ManagerSource::Registry => lockfile::manager_origin(),
            },
            manager_features: manager_features(project),
            package: PACKAGE,
            owner_quoted: serde_json::Value::from(owner.as_str()).to_string(),
            owner,
            project_name: project.project_name.to_string(),
            cli_version: project.cli_version.clone(),
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
            conversion: webhooks.iter().any(webhooks::KindWebhooks::is_converted),
            dashboard: project.parts.contains(&Part::Dashboard),
            webhooks,
        }
    }
}

/// Returns the features of the manager that `PROJECT` lists.
fn manager_features(project: &Project) -> Vec<&'static str> {
    let features = project.manager_features.iter();
    features.map(|feature| feature.name()).collect()
}

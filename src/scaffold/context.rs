//! What the templates are given: plain values, every decision already taken.

mod webhooks;

use serde::Serialize;

use super::lockfile;
use super::webhook::marker;
use crate::project::{License, MANAGER_VERSION, ManagerSource, PACKAGE, Project, builtin};
use crate::resource::{Admission, Resource};
use crate::yaml;

/// The variables of the skeleton.
const TAKEN_VARIABLES: &[&str] = &[
    "client", "config", "ctx", "manager", "name", "operator", "ready", "status",
];

/// A longer name is no good name for a variable, and makes lines that rustfmt would break.
const LONG: usize = 24;

/// The values of every template.
#[derive(Debug, Serialize)]
pub struct ProjectContext {
    domain: String,
    /// The API's modules; the group-less versions stand at the top.
    groups: Vec<GroupModule>,
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
    /// What `cargo install` is told to get rustop.
    package: &'static str,
    project_name: String,
    /// The library as Rust names it: `lolcow_operator`.
    crate_name: String,
    /// Kinds with a controller.
    controllers: Vec<ResourceContext>,
    /// Kinds whose CRD is the project's, each once whatever its versions.
    crds: Vec<CrdContext>,
    /// Types whose CRD is the project's, one sample each.
    samples: Vec<ResourceContext>,
    /// Kinds with webhooks, and which there are at all.
    webhooks: Vec<webhooks::Webhooks>,
    defaulting: bool,
    validation: bool,
    conversion: bool,
}

/// A group of the `api` crate.
#[derive(Debug, Serialize)]
struct GroupModule {
    /// Empty for the group-less API.
    module: String,
    api_group: String,
    versions: Vec<VersionModule>,
}

/// A version of a group, and the modules of its kinds.
#[derive(Debug, Serialize)]
struct VersionModule {
    module: String,
    api_version: String,
    kinds: Vec<KindModule>,
}

/// A kind's module, or one that converts a kind.
#[derive(Debug, Serialize)]
struct KindModule {
    module: String,
    /// Whether others may look into it.
    public: bool,
}

/// A CRD over its versions; the names are those of the version created first.
#[derive(Clone, Debug, Serialize)]
pub struct CrdContext {
    #[serde(flatten)]
    first: ResourceContext,
    versions: Vec<ResourceContext>,
}

/// The values of a template that exists once for a resource.
#[derive(Clone, Debug, Serialize)]
pub struct ResourceContext {
    api_group: String,
    api_version: String,
    /// What the controller is called; empty where the kind says it.
    controller_name: String,
    /// The path to the type's module inside the `api` crate: `v1alpha1::lolcow`.
    crate_path: String,
    crd_file: String,
    dashed: String,
    defaulting: bool,
    /// Whether somebody else owns the kind: another project, or Kubernetes itself.
    foreign: bool,
    kind: String,
    /// The same, quoted where YAML would take it for something else than a word: `"No"`.
    kind_yaml: String,
    /// The type's own module: `lolcow`.
    module: String,
    /// What exists once for a kind: `lolcow`, `batch_job`.
    name: String,
    namespaced: bool,
    /// The version before it, if it is converted: the path to its type's module inside the `api` crate, and
    /// its name. Empty where there is none.
    older_path: String,
    older: String,
    /// The path to the type's module: `api::v1alpha1::lolcow`, `k8s_openapi::api::apps::v1`.
    path: String,
    /// The group as a marker has it: the core group is `""`.
    marker_group: String,
    plural: String,
    /// The sample's file, without and with its ending.
    sample: String,
    sample_file: String,
    sample_name: String,
    singular: String,
    /// Whether objects of this version are what etcd holds.
    storage: bool,
    /// The Rust type: `Lolcow`.
    rust_type: String,
    /// How long it is: rustfmt breaks lines by that.
    type_length: usize,
    /// The name of a variable that holds one: `lolcow`.
    validation: bool,
    variable: String,
    version: String,
    /// What makes the API server call its webhooks.
    defaulting_marker: String,
    validation_marker: String,
    /// Where they are: `validation`, `v1/validation`.
    defaulting_file: String,
    validation_file: String,
}

impl ProjectContext {
    pub fn new(project: &Project) -> Self {
        let view = |resource: &Resource| ResourceContext::new(resource, project);
        let owner = project
            .owner
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        let version = project.kubernetes_version.minor();
        let webhooks = webhooks::all(project);
        let of_project = || {
            project
                .resources
                .iter()
                .filter(|resource| resource.has_crd())
        };
        Self {
            domain: project.domain.to_string(),
            groups: groups(project),
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
                ManagerSource::Registry => lockfile::origin("rustop-manager"),
            },
            package: PACKAGE,
            owner_quoted: serde_json::Value::from(owner.as_str()).to_string(),
            owner,
            project_name: project.project_name.to_string(),
            crate_name: project.project_name.as_str().replace('-', "_"),
            controllers: project
                .resources
                .iter()
                .filter(|resource| resource.controller)
                .map(view)
                .collect(),
            crds: crds(project),
            samples: of_project().map(view).collect(),
            defaulting: project.admits(Admission::Defaulting),
            validation: project.admits(Admission::Validation),
            conversion: webhooks.iter().any(webhooks::Webhooks::is_converted),
            webhooks,
        }
    }
}

impl ResourceContext {
    pub fn new(resource: &Resource, project: &Project) -> Self {
        let builtin = builtin::find(resource);
        let variable = match resource.module() {
            module if TAKEN_VARIABLES.contains(&module.as_str()) || module.len() > LONG => {
                "object".to_owned()
            }
            module => module,
        };
        let older = project.older(resource);
        Self {
            api_group: resource.api_group(),
            api_version: resource.api_version(),
            controller_name: resource.controller_name().unwrap_or_default(),
            crate_path: resource.api_path(),
            crd_file: resource.crd_file(),
            dashed: resource.dashed(),
            defaulting: resource.has(|webhooks| webhooks.defaulting),
            foreign: resource.core || resource.external,
            kind: resource.kind.to_string(),
            kind_yaml: yaml::write(&resource.kind.as_str().into())
                .trim_end()
                .to_owned(),
            module: resource.module(),
            name: resource.name(),
            namespaced: builtin::is_namespaced(resource),
            older_path: older.map(Resource::api_path).unwrap_or_default(),
            older: older.map(|o| o.version.to_string()).unwrap_or_default(),
            path: builtin.map_or_else(
                || format!("api::{}", resource.api_path()),
                |builtin| builtin.module.to_owned(),
            ),
            marker_group: resource.marker_group(),
            plural: resource.plural.to_string(),
            sample: resource.sample(),
            sample_file: format!("{}.yaml", resource.sample()),
            sample_name: format!("{}-sample", resource.kind.as_str().to_lowercase()),
            singular: resource.kind.as_str().to_lowercase(),
            storage: project.is_first_version(resource),
            rust_type: resource.rust_type(),
            type_length: resource.rust_type().len(),
            validation: resource.has(|webhooks| webhooks.validation),
            version: resource.version.to_string(),
            variable,
            defaulting_marker: marker(resource, true, project),
            validation_marker: marker(resource, false, project),
            defaulting_file: resource
                .webhook_module(Admission::Defaulting)
                .replace("::", "/"),
            validation_file: resource
                .webhook_module(Admission::Validation)
                .replace("::", "/"),
        }
    }

    /// Fills the placeholders of a template's path.
    pub fn fill(&self, path: &str) -> String {
        let modules = self
            .path
            .strip_prefix("api::")
            .unwrap_or_default()
            .replace("::", "/");
        let dir = modules.rsplit_once('/').map_or("", |(dir, _)| dir);
        path.replace("[version]", dir)
            .replace("[kind]", &self.module)
            .replace("[older]", &self.older)
            .replace("[name]", &self.name)
            .replace("[sample]", &self.sample)
            .replace("[defaulting]", &self.defaulting_file)
            .replace("[validation]", &self.validation_file)
    }
}

fn crds(project: &Project) -> Vec<CrdContext> {
    let own = || {
        project
            .resources
            .iter()
            .filter(|resource| resource.has_crd())
    };
    own()
        .filter(|resource| project.is_first_version(resource))
        .map(|first| CrdContext {
            first: ResourceContext::new(first, project),
            versions: own()
                .filter(|other| other.same_kind(first))
                .map(|version| ResourceContext::new(version, project))
                .collect(),
        })
        .collect()
}

/// The groups of a module: two may begin with the same word.
fn api_groups(types: &[&Resource]) -> String {
    let mut groups: Vec<_> = types.iter().map(|resource| resource.api_group()).collect();
    groups.sort();
    groups.dedup();
    groups.join("`, `")
}

/// The modules of the `api` crate, sorted.
fn groups(project: &Project) -> Vec<GroupModule> {
    let mut types: Vec<_> = project
        .resources
        .iter()
        .filter(|resource| resource.api.is_some())
        .collect();
    types.sort_by_key(|resource| {
        (
            resource.group_module(),
            resource.version.clone(),
            resource.module(),
        )
    });
    let groups = types.chunk_by(|a, b| a.group_module() == b.group_module());
    groups
        .map(|types| GroupModule {
            module: types[0].group_module().unwrap_or_default(),
            api_group: api_groups(types),
            versions: types
                .chunk_by(|a, b| a.version == b.version)
                .map(|types| VersionModule::new(types, project))
                .collect(),
        })
        .collect()
}

impl VersionModule {
    /// Of the types of one version, at least one.
    fn new(types: &[&Resource], project: &Project) -> Self {
        let kinds = types.iter().flat_map(|resource| {
            let kind = KindModule {
                module: resource.module(),
                public: true,
            };
            let conversion = project.older(resource).map(|older| KindModule {
                module: resource.conversion_module(older),
                public: false,
            });
            [kind].into_iter().chain(conversion)
        });
        Self {
            module: types[0].version.to_string(),
            api_version: types[0].api_version(),
            kinds: kinds.collect(),
        }
    }
}

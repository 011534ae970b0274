//! What a template is given that is rendered once for a resource.

use serde::Serialize;

use crate::project::{Project, Versions, builtin};
use crate::resource::{Admission, Reported, Resource, Workload};
use crate::scaffold::webhook::marker;
use crate::yaml;

/// The variables of the skeleton.
const TAKEN_VARIABLES: &[&str] = &[
    "client", "config", "ctx", "manager", "name", "operator", "ready", "status",
];

/// A longer name is no good name for a variable, and makes lines that rustfmt would break.
const LONG: usize = 24;

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
    /// Whether its controller is a skeleton that does not run, and the command that lets it.
    draft: bool,
    register: String,
    /// Whether somebody else owns the kind: another project, or Kubernetes itself.
    foreign: bool,
    /// Whether the types are those of a CRD that was there before them.
    imported: bool,
    /// How the status of such a type has the fields of the conventions.
    reported: Reported,
    /// Whether the kind has a controller.
    reconciled: bool,
    /// Whether the kind has tests of its own.
    tested: bool,
    /// What the names of its types begin with: `Lolcow` in `LolcowSpec`.
    stem: String,
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
    /// What its objects run, where it began with an image.
    workload: Option<WorkloadContext>,
}

/// What an example of an image is made of; texts as Rust writes them.
#[derive(Clone, Debug, Serialize)]
struct WorkloadContext {
    command: Vec<String>,
    image: String,
    port: u16,
    user: Option<u32>,
}

impl From<&Workload> for WorkloadContext {
    fn from(workload: &Workload) -> Self {
        let words = workload.container_command.iter();
        Self {
            command: words.map(|word| format!("{word:?}")).collect(),
            image: workload.image.to_string(),
            port: workload.container_port,
            user: workload.run_as_user,
        }
    }
}

impl ResourceContext {
    pub fn new<'a>(resource: &'a Resource, project: &Project, versions: &Versions<'a>) -> Self {
        let builtin = builtin::find(resource);
        let variable = match resource.module() {
            module if TAKEN_VARIABLES.contains(&module.as_str()) || module.len() > LONG => {
                "object".to_owned()
            }
            module => module,
        };
        let older = versions.older(resource);
        Self {
            api_group: resource.api_group(),
            api_version: resource.api_version(),
            controller_name: resource.controller_name().unwrap_or_default(),
            crate_path: resource.api_path(),
            crd_file: resource.crd_file(),
            dashed: resource.dashed(),
            defaulting: resource.has(|webhooks| webhooks.defaulting),
            draft: resource.draft,
            register: resource.register_command(),
            foreign: resource.core || resource.external,
            reconciled: versions.all(resource).iter().any(|it| it.controller),
            tested: resource.is_tested(),
            imported: resource.imported.is_some(),
            reported: resource.reported(),
            stem: resource.kind.type_name(),
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
            storage: versions.is_first(resource),
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
            workload: resource.workload.as_ref().map(WorkloadContext::from),
        }
    }

    /// Whether it began with an image.
    pub fn is_workload(&self) -> bool {
        self.workload.is_some()
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
            .replace("[crd]", self.crd_file.trim_end_matches(".yaml"))
            .replace("[older]", &self.older.replace('-', "_"))
            .replace("[name]", &self.name)
            .replace("[sample]", &self.sample)
            .replace("[defaulting]", &self.defaulting_file)
            .replace("[validation]", &self.validation_file)
    }
}

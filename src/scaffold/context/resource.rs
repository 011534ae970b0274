//! The template variables of one resource, a version of a kind in `PROJECT`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::project::{Project, Versions, builtin};
use crate::resource::{Admission, Reported, Resource, Workload};
use crate::scaffold::webhook::marker;
use crate::yaml;

/// The variables that the controller template already uses.
const TAKEN_VARIABLES: &[&str] = &[
    "client", "config", "ctx", "manager", "name", "operator", "ready", "status",
];

/// The names of the manager's prelude that templates use.
const PRELUDE: [&str; 7] = [
    "Action",
    "Arc",
    "Context",
    "Controller",
    "Manager",
    "Options",
    "Result",
];

/// The maximum length of a line in generated Rust files: rustfmt's default.
const LINE: usize = 100;

/// The maximum length of a chain of calls in one line: rustfmt's default.
const CHAIN: usize = 60;

/// The maximum length of a kind's module name for it to be used as a variable name. A longer one
/// would also make lines that rustfmt breaks.
const LONG: usize = 24;

/// The variables of a template that is rendered once for each resource.
#[derive(Clone, Debug, Serialize)]
pub struct ResourceContext {
    api_group: String,
    api_version: String,
    /// The name of the controller; empty if the manager's default, the kind, is used.
    controller_name: String,
    /// The path to the type's module inside the `api` crate: `v1alpha1::lolcow`.
    crate_path: String,
    crd_file: String,
    /// `name` with dashes, for names of objects: `batch-job`.
    dashed: String,
    /// True if this version has a defaulting webhook.
    defaulting: bool,
    /// True if the controller is a draft that is not registered with the manager. `register` is the
    /// command that registers it.
    draft: bool,
    register: String,
    /// True if the type is one of k8s-openapi.
    builtin: bool,
    /// True if the kind belongs to another project or to Kubernetes itself.
    foreign: bool,
    /// True if the types were generated from an imported CRD.
    imported: bool,
    /// The way in which the status of an imported type provides the fields of the API conventions.
    reported: Reported,
    /// True if the kind has a controller, in any of its versions.
    reconciled: bool,
    /// True if rustop generates tests for the kind's controller.
    tested: bool,
    /// The prefix of its type names: `Lolcow` in `LolcowSpec`.
    stem: String,
    kind: String,
    /// `kind`, quoted if YAML would not read it as a string: `"No"`.
    kind_yaml: String,
    /// The module of the type: `lolcow`.
    module: String,
    /// The name for items that exist once for each kind, whatever its versions: `lolcow`,
    /// `batch_job`.
    name: String,
    /// The names of the manager's prelude, each with the path to write for it. That is the name, or
    /// a longer path if the kind has the same name and therefore hides it.
    manager: BTreeMap<&'static str, String>,
    /// True if the signature of `reconcile` fits into a line.
    fits_line: bool,
    /// True if the chain that builds a controller, without `.conditions(..)`, fits into a line.
    fits_chain: bool,
    namespaced: bool,
    /// The next older version, if the kind is converted: the path of its type's module inside the
    /// `api` crate, and the version's name. Empty if there is none.
    older_path: String,
    older: String,
    /// The path of the type's module: `api::v1alpha1::lolcow`, `k8s_openapi::api::apps::v1`.
    path: String,
    /// The group as RBAC and webhook markers write it: the core group is `""`.
    marker_group: String,
    plural: String,
    /// The name of the sample's file, without and with its extension.
    sample: String,
    sample_file: String,
    sample_name: String,
    singular: String,
    /// True for the first created version of the kind, which is scaffolded as the storage version.
    storage: bool,
    /// The Rust type: `Lolcow`.
    rust_type: String,
    /// The length of `rust_type`, which decides where rustfmt breaks lines.
    type_length: usize,
    /// True if this version has a validating webhook.
    validation: bool,
    /// The name of the variable with the object in Rust code: the module's, or `object` if that is
    /// taken or too long.
    variable: String,
    version: String,
    /// The markers that register the webhooks with the API server.
    defaulting_marker: String,
    validation_marker: String,
    /// The module files of the webhooks, without extension: `validation`, `v1/validation`.
    defaulting_file: String,
    validation_file: String,
    /// The parameters of a kind that was created from an image; `None` for other kinds.
    workload: Option<WorkloadContext>,
}

/// The parameters of a kind that was created from an image. The words of `command` are Rust string
/// literals; `image` has no quotes.
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
    /// Computes the variables of a resource. `versions` is the index of the same project.
    pub fn new<'a>(resource: &'a Resource, project: &Project, versions: &Versions<'a>) -> Self {
        let builtin = builtin::find(resource);
        let variable = match resource.module() {
            module if TAKEN_VARIABLES.contains(&module.as_str()) || module.len() > LONG => {
                "object".to_owned()
            }
            module => module,
        };
        let older = versions.older(resource);
        let rust_type = resource.rust_type();
        let manager = prelude(&rust_type, project.manager_crate.ident());
        let fits_line = {
            let [arc, context, result, action] =
                ["Arc", "Context", "Result", "Action"].map(|name| &manager[name]);
            let signature = format!(
                "async fn reconcile({variable}: {arc}<{rust_type}>, ctx: {context}<{rust_type}>) -> {result}<{action}> {{"
            );
            signature.len() <= LINE
        };
        let name = resource.controller_name();
        let name = name.map_or_else(String::new, |name| format!(".with_name(\"{name}\")"));
        let controller = &manager["Controller"];
        let chain = format!("{controller}::new(reconcile){name}.concurrency(1)");
        let fits_chain = chain.len() <= CHAIN;
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
            builtin: builtin.is_some(),
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
            manager,
            fits_line,
            fits_chain,
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
            type_length: rust_type.len(),
            rust_type,
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

    /// Reports whether the kind was created from an image.
    pub fn is_workload(&self) -> bool {
        self.workload.is_some()
    }

    /// Replaces the placeholders in the path of a template, such as `[kind]` in
    /// `src/controllers/[kind].rs`.
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

/// Returns the path to write for each name of the manager's prelude in a file that imports
/// `rust_type`.
fn prelude(rust_type: &str, manager_crate: &str) -> BTreeMap<&'static str, String> {
    let path = |name: &'static str| match name {
        _ if name != rust_type => name.to_owned(),
        "Arc" => "std::sync::Arc".to_owned(),
        _ => format!("{manager_crate}::{name}"),
    };
    PRELUDE.map(|name| (name, path(name))).into()
}

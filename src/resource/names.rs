//! Every name that follows from a kind, its group and its version: worked out here, once.

use heck::{ToKebabCase as _, ToSnakeCase as _};

use super::{Admission, Resource};
use crate::names::module;

impl Resource {
    /// The module of the group in the `api` crate; none for the group-less API.
    pub fn group_module(&self) -> Option<String> {
        let module = module(self.group.as_ref()?.as_str());
        // The module of that name holds what imported types need.
        Some(if module == "schema" {
            "schema_".to_owned()
        } else {
            module
        })
    }

    /// The modules that lead to the type in the `api` crate: `[v1alpha1]`, `[batch, v1]`.
    pub fn api_modules(&self) -> Vec<String> {
        self.group_module()
            .into_iter()
            .chain([self.version_module()])
            .collect()
    }

    /// The module of the version: `v1alpha1`, and `match_` where Rust needs the word.
    pub fn version_module(&self) -> String {
        module(self.version.as_str())
    }

    /// The module of the type in the `api` crate, also the name of a variable that holds one: `cron_job`.
    pub fn module(&self) -> String {
        module(&self.kind.as_str().to_snake_case())
    }

    /// The path to the type's module in the `api` crate: `v1alpha1::lolcow`.
    pub fn api_path(&self) -> String {
        format!("{}::{}", self.api_modules().join("::"), self.module())
    }

    /// The file with the type: `api/src/v1alpha1/lolcow.rs`.
    pub fn api_file(&self) -> String {
        format!("api/src/{}.rs", self.api_path().replace("::", "/"))
    }

    /// The flag that names its group as it was given, and a blank; nothing where none was given.
    pub fn group_flag(&self) -> String {
        let group = self.group.as_ref();
        group.map_or_else(String::new, |group| format!("--group {group} "))
    }

    /// The command that gives it a controller, or registers the one that is begun.
    pub fn register_command(&self) -> String {
        let (group, version, kind) = (self.group_flag(), &self.version, &self.kind);
        format!("rustop create api {group}--version {version} --kind {kind} --no-resource")
    }

    /// Whether there is a file with its controller, be it a draft.
    pub fn has_controller_file(&self) -> bool {
        self.controller || self.draft
    }

    /// The file of its controller: `src/controllers/lolcow.rs`.
    pub fn controller_file(&self) -> String {
        format!("src/controllers/{}.rs", self.name())
    }

    /// The module that converts the version before it: `lolcow_from_v1alpha1`.
    pub fn conversion_module(&self, older: &Self) -> String {
        module(&format!("{}_from_{}", self.module(), older.version))
    }

    /// The path to it in the `api` crate: `v1::lolcow_from_v1alpha1`.
    pub fn conversion_from(&self, older: &Self) -> String {
        let modules = self.api_modules().join("::");
        format!("{modules}::{}", self.conversion_module(older))
    }

    /// The file with it: `api/src/v1/lolcow_from_v1alpha1.rs`.
    pub fn conversion_file(&self, older: &Self) -> String {
        let path = self.conversion_from(older).replace("::", "/");
        format!("api/src/{path}.rs")
    }

    /// The stem of what exists once for a kind (controller, test, role): `lolcow`, `batch_cron_job`.
    pub fn name(&self) -> String {
        match &self.group {
            None => self.module(),
            Some(group) => module(&format!("{}_{}", group, self.kind.as_str().to_snake_case())),
        }
    }

    /// The same with dashes, for names in Kubernetes.
    pub fn dashed(&self) -> String {
        self.name().to_kebab_case()
    }

    /// What its controller is called, where the kind alone does not tell it from others: `batch-cronjob`, as
    /// kubebuilder has it.
    pub fn controller_name(&self) -> Option<String> {
        let group = self.group.as_ref()?.as_str().replace('.', "-");
        Some(format!("{group}-{}", self.kind.as_str().to_lowercase()))
    }

    /// The Rust type. A kind whose name Rust's prelude or the skeleton needs for itself gets a
    /// `Resource` behind it.
    pub fn rust_type(&self) -> String {
        let kind = self.kind.type_name();
        if self.api.is_some() && TAKEN_TYPES.contains(&kind.as_str()) {
            format!("{kind}Resource")
        } else {
            kind
        }
    }

    /// `lolcows.my.domain`.
    pub fn crd_name(&self) -> String {
        format!("{}.{}", self.plural, self.api_group())
    }

    /// `my.domain_lolcows.yaml`.
    pub fn crd_file(&self) -> String {
        format!("{}_{}.yaml", self.api_group(), self.plural)
    }

    /// The stem of the sample's file: `v1alpha1_lolcow`, `batch_v1_cronjob`.
    pub fn sample(&self) -> String {
        let kind = self.kind.as_str().to_lowercase();
        match &self.group {
            None => format!("{}_{kind}", self.version),
            Some(group) => format!("{group}_{}_{kind}", self.version),
        }
    }

    /// That file.
    pub fn sample_file(&self) -> String {
        format!("config/samples/{}.yaml", self.sample())
    }

    /// The modules of one of its webhooks below that of the kind: `validation`, `v1::validation`.
    pub fn webhook_module(&self, admission: Admission) -> String {
        let word = admission.word();
        if self.has(|webhooks| webhooks.versioned.contains(&admission)) {
            format!("{}::{word}", self.version_module())
        } else {
            word.to_owned()
        }
    }

    /// The file with it: `src/webhooks/lolcow/validation.rs`.
    pub fn webhook_file(&self, admission: Admission) -> String {
        let module = self.webhook_module(admission).replace("::", "/");
        format!("src/webhooks/{}/{module}.rs", self.name())
    }
}

/// The types of Rust's prelude, what the derives of the type's own file name without a path, and the
/// bare names that the templates import.
pub const TAKEN_TYPES: &[&str] = &[
    "Action",
    "Arc",
    "AsMut",
    "AsRef",
    "Box",
    "Clone",
    "Condition",
    "Context",
    "Controller",
    "Copy",
    "CustomResource",
    "Debug",
    "Default",
    "Defaulter",
    "Defaults",
    "Deserialize",
    "Drop",
    "Eq",
    "Err",
    "Error",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Future",
    "Into",
    "IntoFuture",
    "IntoIterator",
    "Iterator",
    "JsonSchema",
    "KubeSchema",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Request",
    "Result",
    "Rules",
    "Send",
    "Serialize",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Unpin",
    "Validator",
    "Vec",
];

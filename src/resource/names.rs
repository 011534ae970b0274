//! The names derived from a kind, its group and its version.

use heck::{ToKebabCase as _, ToSnakeCase as _};

use super::{Admission, Resource};
use crate::names::module;

impl Resource {
    /// Returns the module of the group in the `api` crate, or `None` for the group-less API.
    pub fn group_module(&self) -> Option<String> {
        let module = module(self.group.as_ref()?.as_str());
        // The module `schema` is reserved for helpers of imported types.
        Some(if module == "schema" {
            "schema_".to_owned()
        } else {
            module
        })
    }

    /// Returns the modules that contain the type's module in the `api` crate: `[v1alpha1]`,
    /// `[batch, v1]`.
    pub fn api_modules(&self) -> Vec<String> {
        self.group_module()
            .into_iter()
            .chain([self.version_module()])
            .collect()
    }

    /// Returns the module of the version: `v1alpha1`, or `match_` if the version is a Rust keyword.
    pub fn version_module(&self) -> String {
        module(self.version.as_str())
    }

    /// Returns the module of the type in the `api` crate, which is also used as a variable name:
    /// `cron_job`.
    pub fn module(&self) -> String {
        module(&self.kind.as_str().to_snake_case())
    }

    /// Returns the path of the type's module in the `api` crate: `v1alpha1::lolcow`.
    pub fn api_path(&self) -> String {
        format!("{}::{}", self.api_modules().join("::"), self.module())
    }

    /// Returns the file with the type: `api/src/v1alpha1/lolcow.rs`.
    pub fn api_file(&self) -> String {
        format!("api/src/{}.rs", self.api_path().replace("::", "/"))
    }

    /// Returns the `--group` flag as given by the user, followed by a space; empty if none was
    /// given.
    pub fn group_flag(&self) -> String {
        let group = self.group.as_ref();
        group.map_or_else(String::new, |group| format!("--group {group} "))
    }

    /// Returns the command that creates a controller for the kind, or registers its draft.
    pub fn register_command(&self) -> String {
        let (group, version, kind) = (self.group_flag(), &self.version, &self.kind);
        format!("rustop create api {group}--version {version} --kind {kind} --no-resource")
    }

    /// Reports whether the kind has a controller file, which may be a draft.
    pub fn has_controller_file(&self) -> bool {
        self.controller || self.draft
    }

    /// Returns the file of the controller: `src/controllers/lolcow.rs`.
    pub fn controller_file(&self) -> String {
        format!("src/controllers/{}.rs", self.name())
    }

    /// Returns the file of the controller's test: `tests/lolcow.rs`.
    pub fn test_file(&self) -> String {
        format!("tests/{}.rs", self.name())
    }

    /// Returns the module that converts from the next older version: `lolcow_from_v1alpha1`.
    pub fn conversion_module(&self, older: &Self) -> String {
        module(&format!("{}_from_{}", self.module(), older.version))
    }

    /// Returns the path of the conversion module in the `api` crate: `v1::lolcow_from_v1alpha1`.
    pub fn conversion_from(&self, older: &Self) -> String {
        let modules = self.api_modules().join("::");
        format!("{modules}::{}", self.conversion_module(older))
    }

    /// Returns the file of the conversion module: `api/src/v1/lolcow_from_v1alpha1.rs`.
    pub fn conversion_file(&self, older: &Self) -> String {
        let path = self.conversion_from(older).replace("::", "/");
        format!("api/src/{path}.rs")
    }

    /// Returns the stem for items that exist once for each kind, such as controller, test and role:
    /// `lolcow`, `batch_cron_job`.
    pub fn name(&self) -> String {
        match &self.group {
            None => self.module(),
            Some(group) => module(&format!("{}_{}", group, self.kind.as_str().to_snake_case())),
        }
    }

    /// Returns the same stem with dashes, for names in Kubernetes.
    pub fn dashed(&self) -> String {
        self.name().to_kebab_case()
    }

    /// Returns the name of the controller, or `None` if the default, the kind, is unique enough.
    /// The name includes the group as in kubebuilder: `batch-cronjob`.
    pub fn controller_name(&self) -> Option<String> {
        let group = self.group.as_ref()?.as_str().replace('.', "-");
        Some(format!("{group}-{}", self.kind.as_str().to_lowercase()))
    }

    /// Returns the name of the Rust type. `Resource` is appended to a kind whose name Rust's
    /// prelude or the generated code uses.
    pub fn rust_type(&self) -> String {
        let kind = self.kind.type_name();
        if self.api.is_some() && TAKEN_TYPES.contains(&kind.as_str()) {
            format!("{kind}Resource")
        } else {
            kind
        }
    }

    /// Returns the name of the CRD: `lolcows.my.domain`.
    pub fn crd_name(&self) -> String {
        format!("{}.{}", self.plural, self.api_group())
    }

    /// Returns the name of the CRD's file: `my.domain_lolcows.yaml`.
    pub fn crd_file(&self) -> String {
        format!("{}_{}.yaml", self.api_group(), self.plural)
    }

    /// Returns the stem of the sample's file: `v1alpha1_lolcow`, `batch_v1_cronjob`.
    pub fn sample(&self) -> String {
        let kind = self.kind.as_str().to_lowercase();
        match &self.group {
            None => format!("{}_{kind}", self.version),
            Some(group) => format!("{group}_{}_{kind}", self.version),
        }
    }

    /// Returns the path of the sample's file.
    pub fn sample_file(&self) -> String {
        format!("config/samples/{}.yaml", self.sample())
    }

    /// Returns the path of a webhook's module below that of the kind: `validation`,
    /// `v1::validation`.
    pub fn webhook_module(&self, admission: Admission) -> String {
        let word = admission.word();
        if self.has(|webhooks| webhooks.versioned.contains(&admission)) {
            format!("{}::{word}", self.version_module())
        } else {
            word.to_owned()
        }
    }

    /// Returns the file of a webhook: `src/webhooks/lolcow/validation.rs`.
    pub fn webhook_file(&self, admission: Admission) -> String {
        let module = self.webhook_module(admission).replace("::", "/");
        format!("src/webhooks/{}/{module}.rs", self.name())
    }
}

/// Names that a kind's Rust type cannot have: the types of Rust's prelude, the names that derive
/// macros in the type's file use without a path, and those that the templates import.
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

//! One kind of a project, and every name that follows from its group, version and kind: worked out
//! here, once.

use std::fmt;

use heck::{ToKebabCase as _, ToSnakeCase as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::{Domain, Group, Kind, Plural, Version, module};

/// A version of a kind that the project defines, or works on.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Resource {
    /// Set where the `api/` crate holds the type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api: Option<Api>,
    /// Whether the project has a controller for the kind.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub controller: bool,
    /// Whether Kubernetes itself owns the kind.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub core: bool,
    /// What stands behind the group's first part: the project's domain for its own kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<Domain>,
    /// Whether another project owns the kind and its CRD.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub external: bool,
    /// The group's first part; absent for the group-less API of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Group>,
    /// The CRD that the types were made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Source>,
    /// The kind, in `PascalCase`.
    pub kind: Kind,
    /// The plural, lower case.
    pub plural: Plural,
    /// The API version.
    pub version: Version,
    /// The webhooks of the kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhooks: Option<Webhooks>,
}

/// How the type is served.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Api {
    /// The version of the CRD API: `v1`.
    pub crd_version: Version,
    /// Whether objects live in namespaces.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub namespaced: bool,
}

/// A CRD that types were made of.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Source {
    /// The places that the types do not say, as `--allow` named them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<String>,
    /// Where it was: a file, an address, or `cluster:NAME`.
    pub from: String,
    /// The sum of the text that was there.
    pub sha256: String,
}

/// Which webhooks a kind has.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Webhooks {
    /// The version of the webhook API: `v1`.
    pub webhook_version: Version,
    /// Sets defaults on admission.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub defaulting: bool,
    /// Refuses on admission.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub validation: bool,
    /// Converts between the versions of the kind, whichever of them says so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub conversion: bool,
    /// Which of them have a file below the name of the version, since another version's was there first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versioned: Vec<Admission>,
}

/// What is asked before an object is stored.
#[derive(
    Clone, Copy, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(rename_all = "camelCase")]
pub enum Admission {
    /// Sets defaults.
    Defaulting,
    /// Refuses.
    Validation,
}

impl Admission {
    /// Both of them, in the order in which the API server asks.
    pub const ALL: [Self; 2] = [Self::Defaulting, Self::Validation];

    /// The module that it is in, and its flag.
    pub fn word(self) -> &'static str {
        match self {
            Self::Defaulting => "defaulting",
            Self::Validation => "validation",
        }
    }
}

impl Webhooks {
    /// Whether there is one of this sort.
    pub fn admits(&self, admission: Admission) -> bool {
        match admission {
            Admission::Defaulting => self.defaulting,
            Admission::Validation => self.validation,
        }
    }

    /// None of them.
    pub fn none() -> Self {
        Self {
            webhook_version: "v1".parse().expect("a version"),
            defaulting: false,
            validation: false,
            conversion: false,
            versioned: Vec::new(),
        }
    }
}

impl Resource {
    /// Whether the CRD is the project's own.
    pub fn has_crd(&self) -> bool {
        self.api.is_some() && !self.external
    }

    /// Whether one of its webhooks is there.
    pub fn has(&self, webhook: impl Fn(&Webhooks) -> bool) -> bool {
        self.webhooks.as_ref().is_some_and(webhook)
    }

    /// Whether it is defaulted or validated by a webhook.
    pub fn is_admitted(&self) -> bool {
        Admission::ALL.into_iter().any(|one| self.admits(one))
    }

    /// Whether it has one of these webhooks.
    pub fn admits(&self, admission: Admission) -> bool {
        self.has(|webhooks| webhooks.admits(admission))
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

    /// The group as it stands in `apiVersion`, in roles and in the CRD; empty for the core group.
    pub fn api_group(&self) -> String {
        match (&self.group, &self.domain) {
            (Some(group), None) if self.core && group.as_str() == "core" => String::new(),
            (Some(group), Some(domain)) => format!("{group}.{domain}"),
            (Some(group), None) => group.to_string(),
            (None, Some(domain)) => domain.to_string(),
            (None, None) => String::new(),
        }
    }

    /// The same as a marker has it: the core group is `""`.
    pub fn marker_group(&self) -> String {
        match self.api_group() {
            group if group.is_empty() => "\"\"".to_owned(),
            group => group,
        }
    }

    /// `my.domain/v1alpha1`, `v1`.
    pub fn api_version(&self) -> String {
        match self.api_group().as_str() {
            "" => self.version.to_string(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// Whether both are the same kind, in whatever version.
    pub fn same_kind(&self, other: &Self) -> bool {
        self.kind == other.kind && self.api_group() == other.api_group()
    }

    /// Whether both are the same version of the same kind.
    pub fn same_type(&self, other: &Self) -> bool {
        self.same_kind(other) && self.version == other.version
    }

    /// The module of the group in the `api` crate; none for the group-less API.
    pub fn group_module(&self) -> Option<String> {
        let module = self.group.as_ref().map(|group| module(group.as_str()));
        // The module of that name holds what imported types need.
        module.map(|module| {
            if module == "schema" {
                "schema_".to_owned()
            } else {
                module
            }
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
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.api_version(), self.kind)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(group: Option<&str>, domain: Option<&str>, kind: &str) -> Resource {
        let kind: Kind = kind.parse().unwrap();
        Resource {
            api: Some(Api {
                crd_version: "v1".parse().unwrap(),
                namespaced: true,
            }),
            controller: true,
            core: false,
            domain: domain.map(|d| d.parse().unwrap()),
            external: false,
            group: group.map(|g| g.parse().unwrap()),
            plural: Plural::of(&kind).unwrap(),
            kind,
            version: "v1alpha1".parse().unwrap(),
            imported: None,
            webhooks: None,
        }
    }

    #[test]
    fn a_group_less_kind_has_short_names() {
        let lolcow = resource(None, Some("my.domain"), "Lolcow");
        assert_eq!(lolcow.to_string(), "my.domain/v1alpha1 Lolcow");
        assert_eq!(
            (lolcow.name(), lolcow.sample()),
            ("lolcow".into(), "v1alpha1_lolcow".into())
        );
        assert_eq!(lolcow.crd_file(), "my.domain_lolcows.yaml");
        assert_eq!(lolcow.api_modules(), ["v1alpha1"]);
    }

    #[test]
    fn a_group_stands_in_every_name() {
        let job = resource(Some("batch"), Some("my.domain"), "CronJob");
        assert_eq!(
            (job.name(), job.dashed()),
            ("batch_cron_job".into(), "batch-cron-job".into())
        );
        assert_eq!(
            (job.sample(), job.api_group()),
            ("batch_v1alpha1_cronjob".into(), "batch.my.domain".into())
        );
        assert_eq!(job.api_modules(), ["batch", "v1alpha1"]);
    }

    #[test]
    fn a_kind_that_rust_needs_gets_another_type() {
        let option = resource(Some("type"), Some("my.domain"), "Option");
        assert_eq!(
            (option.rust_type(), option.module()),
            ("OptionResource".into(), "option".into())
        );
        assert_eq!(option.api_modules(), ["type_", "v1alpha1"]);
        let of_type = resource(None, Some("my.domain"), "Type");
        assert_eq!(
            (of_type.rust_type(), of_type.module(), of_type.name()),
            ("Type".into(), "type_".into(), "type_".into())
        );
    }

    #[test]
    fn the_core_group_is_empty() {
        let mut pod = resource(Some("core"), None, "Pod");
        pod.core = true;
        assert_eq!(
            (pod.api_group(), pod.api_version()),
            (String::new(), "v1alpha1".into())
        );
    }
}

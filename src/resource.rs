//! One kind of a project.

mod names;
mod webhooks;
mod workload;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::{Domain, Group, Kind, Plural, Version};

pub use names::TAKEN_TYPES;
pub use webhooks::{Admission, Webhooks};
pub use workload::Workload;

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
    /// What the CRD has of this version, where that is not as in the whole project.
    #[serde(default, skip_serializing_if = "CrdOptions::is_default")]
    pub crd: CrdOptions,
    /// What stands behind the group's first part: the project's domain for its own kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<Domain>,
    /// Whether its controller is a skeleton, which the manager does not run until its `reconcile` is written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
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
    /// What its objects run, where it began as an operator of an image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<Workload>,
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

/// What is written into the files of CRDs.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CrdOptions {
    /// The greatest length of a description, in characters. A longer one ends with the last whole sentence or word; 0
    /// leaves all descriptions out. Without it they are written as the types have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_description_length: Option<usize>,
}

impl CrdOptions {
    /// Whether the files have what the types say.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
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
    /// What a controller can report in the status.
    #[serde(default, skip_serializing_if = "Reported::is_nothing")]
    pub reported: Reported,
    /// The sum of the text that was there.
    pub sha256: String,
}

/// The fields of a status that are as Kubernetes' conventions have them.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Reported {
    /// `conditions`, if it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Presence>,
    /// Whether there is an optional `observedGeneration`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub observed_generation: bool,
}

/// Whether a field must be there.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Presence {
    /// It is an `Option` in Rust.
    Optional,
    /// It is not.
    Required,
}

impl Reported {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks like this")]
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl Resource {
    /// Whether the CRD is the project's own.
    pub fn has_crd(&self) -> bool {
        self.api.is_some() && !self.external
    }

    /// Whether it has tests of its own: its controller works on objects that the project defines. What makes one of an
    /// imported kind ready is not known.
    pub fn is_tested(&self) -> bool {
        self.controller && self.has_crd() && self.imported.is_none()
    }

    /// What a controller can report in the status of an imported kind.
    pub fn reported(&self) -> Reported {
        let source = self.imported.as_ref();
        source.map(|source| source.reported).unwrap_or_default()
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

    /// Whether a group that somebody named is its own: as it was given when the kind was created, or all of it.
    pub fn is_of(&self, group: Option<&Group>) -> bool {
        self.group.as_ref() == group || group.map(Group::as_str) == Some(&self.api_group())
    }

    /// Whether both are the same kind, in whatever version.
    pub fn same_kind(&self, other: &Self) -> bool {
        self.kind == other.kind && self.api_group() == other.api_group()
    }

    /// Whether both are the same version of the same kind.
    pub fn same_type(&self, other: &Self) -> bool {
        self.same_kind(other) && self.version == other.version
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.api_version(), self.kind)
    }
}

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
            crd: CrdOptions::default(),
            draft: false,
            domain: domain.map(|d| d.parse().unwrap()),
            external: false,
            group: group.map(|g| g.parse().unwrap()),
            plural: Plural::of(&kind).unwrap(),
            kind,
            version: "v1alpha1".parse().unwrap(),
            imported: None,
            webhooks: None,
            workload: None,
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

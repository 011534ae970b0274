//! The `resources` of `PROJECT`: the kinds of the project. Each entry is one version of a kind.

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

/// A version of a kind that the project defines or reconciles.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Resource {
    /// Present if the `api/` crate contains the type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api: Option<Api>,
    /// True if the project has a controller for the kind.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub controller: bool,
    /// True if the kind is built into Kubernetes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub core: bool,
    /// Options for the CRD in this version. They override those of the project.
    #[serde(default, skip_serializing_if = "CrdOptions::is_default")]
    pub crd: CrdOptions,
    /// The part of the API group after the first label; for the project's own kinds, the project's
    /// domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<Domain>,
    /// True if the controller is a draft: the manager does not run it until its `reconcile` is
    /// written and it is registered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
    /// True if another project owns the kind and its CRD.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub external: bool,
    /// The first label of the API group; absent for the group-less API of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Group>,
    /// The CRD from which the types were imported; absent if the user wrote them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Source>,
    pub kind: Kind,
    pub plural: Plural,
    pub version: Version,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhooks: Option<Webhooks>,
    /// The container image that the kind was created from; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<Workload>,
}

/// The settings of the type's CRD.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Api {
    /// The version of the CRD API: `v1`.
    pub crd_version: Version,
    /// True if the kind is namespaced.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub namespaced: bool,
}

/// Options for generated CRDs.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CrdOptions {
    /// The maximum length of a description, in characters. A longer one is cut off after the last
    /// complete sentence or word; 0 omits all descriptions. By default, descriptions are not
    /// shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_description_length: Option<usize>,
}

impl CrdOptions {
    /// Reports whether no option is set.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The CRD from which types were imported.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Source {
    /// The schema paths that the types do not express, as passed to `--allow`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<String>,
    /// The origin of the CRD: a file, a URL, or `cluster:NAME`.
    pub from: String,
    /// The status fields that the controller can set.
    #[serde(default, skip_serializing_if = "Reported::is_nothing")]
    pub reported: Reported,
    /// The SHA-256 checksum of the imported text.
    pub sha256: String,
}

/// The fields of an imported status that follow the Kubernetes API conventions.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Reported {
    /// The `conditions` field; absent if the status has none of the conventional type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Presence>,
    /// True if the status has an optional `observedGeneration`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub observed_generation: bool,
}

/// The presence of a status field: optional or required.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Presence {
    /// The field is an `Option` in Rust.
    Optional,
    /// The field is not an `Option`.
    Required,
}

impl Reported {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks like this")]
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl Resource {
    /// Reports whether the CRD belongs to the project.
    pub fn has_crd(&self) -> bool {
        self.api.is_some() && !self.external
    }

    /// Reports whether rustop generates tests for the controller. For an imported kind it does not,
    /// since rustop cannot know what makes its objects ready.
    pub fn is_tested(&self) -> bool {
        self.controller && self.has_crd() && self.imported.is_none()
    }

    /// Returns the conventional status fields of an imported kind; none for a kind whose types the
    /// user wrote.
    pub fn reported(&self) -> Reported {
        let source = self.imported.as_ref();
        source.map(|source| source.reported).unwrap_or_default()
    }

    /// Reports whether a predicate holds for the kind's webhooks; false if it has none.
    pub fn has(&self, webhook: impl Fn(&Webhooks) -> bool) -> bool {
        self.webhooks.as_ref().is_some_and(webhook)
    }

    /// Reports whether the kind has a defaulting or validating webhook.
    pub fn is_admitted(&self) -> bool {
        Admission::ALL.into_iter().any(|one| self.admits(one))
    }

    /// Reports whether the kind has a webhook of this type.
    pub fn admits(&self, admission: Admission) -> bool {
        self.has(|webhooks| webhooks.admits(admission))
    }

    /// Returns the API group as in `apiVersion`, in roles and in the CRD; empty for the core group.
    pub fn api_group(&self) -> String {
        match (&self.group, &self.domain) {
            (Some(group), None) if self.core && group.as_str() == "core" => String::new(),
            (Some(group), Some(domain)) => format!("{group}.{domain}"),
            (Some(group), None) => group.to_string(),
            (None, Some(domain)) => domain.to_string(),
            (None, None) => String::new(),
        }
    }

    /// Returns the API group as markers write it: the core group is `""`.
    pub fn marker_group(&self) -> String {
        match self.api_group() {
            group if group.is_empty() => "\"\"".to_owned(),
            group => group,
        }
    }

    /// Returns the `apiVersion`: `my.domain/v1alpha1`, or `v1` for the core group.
    pub fn api_version(&self) -> String {
        match self.api_group().as_str() {
            "" => self.version.to_string(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// Reports whether a group given by the user is the kind's. It may be the value of `--group` at
    /// its creation, `None` if that was omitted, or the full API group.
    pub fn is_of(&self, group: Option<&Group>) -> bool {
        self.group.as_ref() == group || group.map(Group::as_str) == Some(&self.api_group())
    }

    /// Reports whether both are versions of the same kind.
    pub fn same_kind(&self, other: &Self) -> bool {
        self.kind == other.kind && self.api_group() == other.api_group()
    }

    /// Reports whether both are the same version of the same kind.
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

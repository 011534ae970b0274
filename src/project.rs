//! The `PROJECT` file: a record of what was scaffolded, and the only state that rustop stores. The
//! fields are those of kubebuilder, so that users of either tool can read both files. Fields that
//! only rustop has use names that kubebuilder does not.

pub mod builtin;
mod check;
mod converted;
mod error;
mod file;
pub mod kinds;
mod lint;
pub mod naming;
mod operator_signs;
mod part;
mod place;
mod settings;
mod spelling;
mod versions;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::did_you_mean;
use crate::names::{Domain, Kind, Owner, ProjectName};
use crate::resource::{Admission, CrdOptions, Resource};

pub use error::{Error, Result};
pub use file::{json_schema, numbers};
pub use lint::{Config as LintConfig, LintRules};
pub use part::Part;
pub use place::{check_owner, is_adopted, is_at, root};
pub use settings::{KubernetesVersion, License, ManagerCrate, ManagerFeature, ManagerSource};
pub use spelling::Spellings;
pub use versions::Versions;

/// The name of the file in the project's root.
pub const FILE: &str = crate::tree::PROJECT;

/// The name of the file of an adopted project: an operator that rustop has not scaffolded.
pub const ADOPTED: &str = "rustop.yaml";

/// The value of `layout` for projects of this rustop.
pub const LAYOUT: &str = "rustop.dev/v1";

/// The version of this rustop, such as `0.3.1`.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version of the manager that this rustop embeds.
pub const MANAGER_VERSION: &str = env!("MANAGER_VERSION");

/// The name of rustop's package for `cargo install`. (The package `rustop` belongs to another
/// author.)
pub const PACKAGE: &str = env!("CARGO_PKG_NAME");

/// The version of the file's schema; kubebuilder uses the same number for these fields.
const SCHEMA: &str = "3";

/// The settings and kinds of a project. rustop renders every file of the project from them, except
/// for the user's own code.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Project {
    /// True if the project has an OLM bundle, in `bundle/`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bundle: bool,
    /// The name of the Helm chart in `charts/`; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chart: Option<ProjectName>,
    /// The version of rustop that last rendered the project; empty if unknown.
    #[serde(default)]
    pub cli_version: String,
    /// Options for the generated CRDs. A resource can override them.
    #[serde(default, skip_serializing_if = "CrdOptions::is_default")]
    pub crd: CrdOptions,
    pub domain: Domain,
    /// The newest version of the Kubernetes API that the code may use.
    #[serde(default)]
    pub kubernetes_version: KubernetesVersion,
    /// The layout of the project: `rustop.dev/v1`.
    layout: Vec<String>,
    #[serde(default)]
    pub license: License,
    /// The rules that `rustop lint` checks.
    #[serde(default, skip_serializing_if = "LintConfig::is_default")]
    pub lint: LintConfig,
    /// The source of the `rustop-manager` crate, the runtime of the operator.
    #[serde(default, skip_serializing_if = "ManagerSource::is_default")]
    pub manager: ManagerSource,
    /// The name under which the project's code imports the crate `rustop-manager`.
    #[serde(default, skip_serializing_if = "ManagerCrate::is_default")]
    pub manager_crate: ManagerCrate,
    /// Features of `rustop-manager` to enable in addition to those that the project's kinds need.
    /// `shards` has no effect: every operator has `--shards`.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub manager_features: BTreeSet<ManagerFeature>,
    /// True if the operator watches a list of namespaces, with a Role, rather than the whole
    /// cluster.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub namespaced: bool,
    /// The copyright holder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
    /// Optional parts of the project, added by `rustop create` and removed by `rustop delete`.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub parts: BTreeSet<Part>,
    /// The name of the package. It is also the prefix of cluster-wide names.
    #[expect(
        clippy::struct_field_names,
        reason = "the name that kubebuilder gives it"
    )]
    pub project_name: ProjectName,
    /// The kinds, in the order in which they were created.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<Resource>,
    /// The version of this file's schema: `3`.
    version: String,
}

impl Project {
    /// Creates a project without kinds.
    pub fn new(domain: Domain, project_name: ProjectName) -> Self {
        Self {
            bundle: false,
            chart: None,
            cli_version: VERSION.to_owned(),
            crd: CrdOptions::default(),
            domain,
            kubernetes_version: KubernetesVersion::default(),
            layout: vec![LAYOUT.to_owned()],
            license: License::default(),
            lint: LintConfig::default(),
            manager: ManagerSource::default(),
            manager_crate: ManagerCrate::RustopManager,
            manager_features: BTreeSet::new(),
            namespaced: false,
            owner: None,
            parts: BTreeSet::new(),
            project_name,
            resources: Vec::new(),
            version: SCHEMA.to_owned(),
        }
    }

    /// Returns the kind with the most similar name, for a suggestion in an error message; `None` if
    /// no name is similar.
    pub fn meant(&self, kind: &Kind) -> Option<&Resource> {
        let kinds: Vec<_> = self.resources.iter().map(|it| it.kind.as_str()).collect();
        let meant = did_you_mean(kind.as_str(), &kinds)?;
        self.resources.iter().find(|it| it.kind.as_str() == meant)
    }

    /// Returns the maximum length of a description in the CRD of a resource, or `None` if it is not
    /// limited.
    pub fn max_description_length(&self, resource: &Resource) -> Option<usize> {
        let own = resource.crd.max_description_length;
        own.or(self.crd.max_description_length)
    }

    /// Returns the versions of a kind, in the order in which they were created. `group` is the
    /// complete API group, as returned by [`Resource::api_group`].
    pub fn versions_of(&self, group: &str, kind: &str) -> impl Iterator<Item = &Resource> {
        let all = self.resources.iter();
        all.filter(move |it| it.kind.as_str() == kind && it.api_group() == group)
    }

    /// Reports whether a resource is the first created version of its kind. That is the storage
    /// version until the user changes it.
    pub fn is_first_version(&self, resource: &Resource) -> bool {
        self.resources
            .iter()
            .find(|other| other.same_kind(resource))
            .is_none_or(|first| first.same_type(resource))
    }

    /// Reports whether all versions of a resource's kind are imported and none is converted.
    pub fn is_imported_whole(&self, resource: &Resource) -> bool {
        let mut versions = self.resources.iter().filter(|it| it.same_kind(resource));
        versions.all(|it| it.imported.is_some() && !it.has(|has| has.conversion))
    }

    /// Returns the versions of a kind that are converted into each other, the oldest first; empty
    /// if there is no conversion.
    pub fn converted(&self, kind: &Resource) -> Vec<&Resource> {
        let all = self.resources.iter();
        converted::converted(all.filter(|other| other.same_kind(kind)).collect())
    }

    /// Returns the next older version, which a resource is converted to and from, or `None` if
    /// there is none.
    pub fn older(&self, resource: &Resource) -> Option<&Resource> {
        converted::older(&self.converted(resource), resource)
    }

    /// Reports whether any kind has a webhook of this type.
    pub fn admits(&self, admission: Admission) -> bool {
        let mut all = self.resources.iter();
        all.any(|resource| resource.admits(admission))
    }

    /// Reports whether any kind has a webhook of any type: defaulting, validation or conversion.
    pub fn has_webhooks(&self) -> bool {
        let mut all = self.resources.iter();
        // The flag may be set on any one of the versions.
        let is_converted = |resource: &Resource| {
            resource.has(|has| has.conversion) && !self.converted(resource).is_empty()
        };
        all.any(|resource| resource.is_admitted() || is_converted(resource))
    }

    /// Checks that this rustop also rendered the project: the templates of another version would
    /// change its files.
    ///
    /// # Errors
    /// Returns an error if another version of rustop last rendered the project.
    pub fn check_version(&self) -> Result<()> {
        if self.cli_version == VERSION {
            return Ok(());
        }
        Err(Error::Older {
            version: self.cli_version.clone(),
        })
    }

    /// Returns the project with this rustop's version.
    pub fn by_this_rustop(&self) -> Self {
        Self {
            cli_version: VERSION.to_owned(),
            ..self.clone()
        }
    }
}

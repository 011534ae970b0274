//! `PROJECT`: what was scaffolded, the only state that rustop keeps. The fields are kubebuilder's, so
//! that who knows one file reads the other; what is ours alone has a name of its own.

pub mod builtin;
mod check;
mod converted;
mod error;
mod file;
pub mod kinds;
mod lint;
pub mod naming;
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
pub use lint::{Config as LintConfig, Looking};
pub use part::Part;
pub use place::{is_at, root};
pub use settings::{KubernetesVersion, License, ManagerFeature, ManagerSource};
pub use spelling::Spellings;
pub use versions::Versions;

/// The file's name, in the project's root.
pub const FILE: &str = crate::tree::PROJECT;

/// The layout of the tree that this rustop writes, in `layout`.
pub const LAYOUT: &str = "rustop.dev/v1";

/// The version of this rustop.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version of the manager that this rustop goes with.
pub const MANAGER_VERSION: &str = manager::vendored::VERSION;

/// The package that has this program: what `cargo install` is told. (`rustop` is somebody else's.)
pub const PACKAGE: &str = env!("CARGO_PKG_NAME");

/// The version of the file's own schema, kubebuilder's number for these fields.
const SCHEMA: &str = "3";

/// What a project is: everything that is not the user's own code follows from this.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Project {
    /// Whether there is an OLM bundle, in `bundle/`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bundle: bool,
    /// The name of the Helm chart in `charts/`, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chart: Option<ProjectName>,
    /// The version of the rustop that rendered the project last; empty for an unknown one.
    #[serde(default)]
    pub cli_version: String,
    /// What is written into the files of CRDs; the entry of a kind may say otherwise.
    #[serde(default, skip_serializing_if = "CrdOptions::is_default")]
    pub crd: CrdOptions,
    /// The suffix of every API group of the project.
    pub domain: Domain,
    /// The newest Kubernetes API that the code may use.
    #[serde(default)]
    pub kubernetes_version: KubernetesVersion,
    /// The layout of the tree: `rustop.dev/v1`.
    layout: Vec<String>,
    /// The licence of the project's own code.
    #[serde(default)]
    pub license: License,
    /// Which rules of `rustop lint` look.
    #[serde(default, skip_serializing_if = "LintConfig::is_default")]
    pub lint: LintConfig,
    /// Where the crate comes from that the operator runs on.
    #[serde(default, skip_serializing_if = "ManagerSource::is_default")]
    pub manager: ManagerSource,
    /// Parts of that crate which the project has besides those that its kinds need.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub manager_features: BTreeSet<ManagerFeature>,
    /// Whether the operator watches namespaces that are listed, with a Role, and not the cluster.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub namespaced: bool,
    /// Whoever holds the copyright.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
    /// What it has besides its kinds: `rustop create` adds such a part, `rustop delete` takes it out.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub parts: BTreeSet<Part>,
    /// The name of the package, the prefix of cluster-wide names.
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
    /// A project without kinds.
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
            manager_features: BTreeSet::new(),
            namespaced: false,
            owner: None,
            parts: BTreeSet::new(),
            project_name,
            resources: Vec::new(),
            version: SCHEMA.to_owned(),
        }
    }

    /// The kind of the project that somebody probably meant who wrote another one.
    pub fn meant(&self, kind: &Kind) -> Option<&Resource> {
        let kinds: Vec<_> = self.resources.iter().map(|it| it.kind.as_str()).collect();
        let meant = did_you_mean(kind.as_str(), &kinds)?;
        self.resources.iter().find(|it| it.kind.as_str() == meant)
    }

    /// The greatest length of a description in the CRD of a resource; no limit without it.
    pub fn max_description_length(&self, resource: &Resource) -> Option<usize> {
        let own = resource.crd.max_description_length;
        own.or(self.crd.max_description_length)
    }

    /// The versions of a kind, in the order in which they were created.
    pub fn versions_of(&self, group: &str, kind: &str) -> impl Iterator<Item = &Resource> {
        let all = self.resources.iter();
        all.filter(move |it| it.kind.as_str() == kind && it.api_group() == group)
    }

    /// Whether a resource is the version of its kind that was created first: the one that is stored
    /// until the user moves it.
    pub fn is_first_version(&self, resource: &Resource) -> bool {
        self.resources
            .iter()
            .find(|other| other.same_kind(resource))
            .is_none_or(|first| first.same_type(resource))
    }

    /// Whether nothing of a resource's kind is the project's own: no version, and nothing that converts them.
    pub fn is_imported_whole(&self, resource: &Resource) -> bool {
        let mut versions = self.resources.iter().filter(|it| it.same_kind(resource));
        versions.all(|it| it.imported.is_some() && !it.has(|has| has.conversion))
    }

    /// The versions of a kind that are converted into each other, the oldest first; none where there is
    /// nothing to convert.
    pub fn converted(&self, kind: &Resource) -> Vec<&Resource> {
        let all = self.resources.iter();
        converted::converted(all.filter(|other| other.same_kind(kind)).collect())
    }

    /// The version before a resource, into which and from which it is converted.
    pub fn older(&self, resource: &Resource) -> Option<&Resource> {
        converted::older(&self.converted(resource), resource)
    }

    /// Whether any kind has one of these webhooks.
    pub fn admits(&self, admission: Admission) -> bool {
        let mut all = self.resources.iter();
        all.any(|resource| resource.admits(admission))
    }

    /// Whether the operator serves any webhook.
    pub fn has_webhooks(&self) -> bool {
        let mut all = self.resources.iter();
        // One of the versions says that they are converted.
        let is_converted = |resource: &Resource| {
            resource.has(|has| has.conversion) && !self.converted(resource).is_empty()
        };
        all.any(|resource| resource.is_admitted() || is_converted(resource))
    }

    /// The parts of the crate `rustop-manager` that the project has besides what all have.
    pub fn manager_features(&self) -> Vec<&'static str> {
        let asked = self.manager_features.iter().map(|feature| feature.name());
        let testing = self.resources.iter().any(Resource::is_tested);
        asked
            .chain(testing.then_some("testing"))
            .chain(self.has_webhooks().then_some("webhook"))
            .collect()
    }

    /// Whether this rustop may change the files of the project: it renders them as its own version does.
    ///
    /// # Errors
    /// When an earlier rustop rendered it last.
    pub fn check_version(&self) -> Result<()> {
        if self.cli_version == VERSION {
            return Ok(());
        }
        Err(Error::Older {
            version: self.cli_version.clone(),
        })
    }

    /// The same project, to be rendered by this rustop.
    pub fn by_this_rustop(&self) -> Self {
        Self {
            cli_version: VERSION.to_owned(),
            ..self.clone()
        }
    }
}

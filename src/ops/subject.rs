//! The operator that `rustop dev` and `rustop torture` run: that of a scaffolded or of an adopted
//! project.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use kube::api::DynamicObject;

use super::adopted::{self, Adopted, Built};
use super::{Result, cluster, imported, manifests, rbac};
use crate::adopted::Config;
use crate::cargo::{self, BuildTarget};
use crate::dev::{self, Launch, OperatorManifests, ReadinessSource, SourcesSnapshot};
use crate::page::{About, ProjectKind};
use crate::project::{self, Project};
use crate::rbac::Report;
use crate::resource::Resource;
use crate::session::Session;
use crate::text::shell_word;

/// An operator with its manifests and samples.
#[derive(Debug)]
pub enum Subject {
    /// The operator of `PROJECT`.
    Scaffolded(Box<Project>),
    /// The operator of `rustop.yaml`.
    Adopted(Box<Adopted>),
}

impl Subject {
    /// Reads the project of a session.
    ///
    /// # Errors
    /// Returns an error if the directory has neither a valid `PROJECT` nor a valid `rustop.yaml`,
    /// or if the manifests of an adopted operator do not render.
    pub fn load(session: &Session) -> Result<Self> {
        if Config::exists(&session.dir) {
            return Ok(Self::Adopted(Adopted::load(session)?.into()));
        }
        Ok(Self::Scaffolded(Project::load(&session.dir)?.into()))
    }

    /// Returns the project of a scaffolded operator.
    pub fn project(&self) -> Option<&Project> {
        match self {
            Self::Scaffolded(project) => Some(project),
            Self::Adopted(_) => None,
        }
    }

    /// Returns the adopted operator.
    pub fn adopted(&self) -> Option<&Adopted> {
        match self {
            Self::Scaffolded(_) => None,
            Self::Adopted(adopted) => Some(adopted),
        }
    }

    /// Returns the name of the project's cluster.
    ///
    /// # Errors
    /// Returns an error if the project's directory cannot be resolved.
    pub fn cluster(&self, session: &Session) -> Result<String> {
        match self {
            Self::Scaffolded(project) => cluster::of(project, session),
            Self::Adopted(adopted) => cluster::of_adopted(&adopted.config, session),
        }
    }

    /// Writes the generated manifests of a scaffolded project.
    ///
    /// # Errors
    /// Returns an error if the sources have a problem, or if a file cannot be written.
    pub fn write_manifests(&self, session: &Session) -> Result<()> {
        match self {
            Self::Scaffolded(_) => manifests::write(session),
            Self::Adopted(_) => Ok(()),
        }
    }

    /// Builds the operator, and generates the CRDs of an adopted one.
    ///
    /// # Errors
    /// Returns an error if it does not build, or if the CRD command fails.
    pub fn build(&self, session: &Session) -> Result<Built> {
        match self {
            Self::Scaffolded(project) => {
                let name = project.project_name.as_str();
                let binary = cargo::build(
                    &session.dir,
                    BuildTarget::Binary(name),
                    session.target(),
                    session.concurrent(),
                )?;
                Ok(Built {
                    binary,
                    crds: Vec::new(),
                })
            }
            Self::Adopted(adopted) => adopted.build(session),
        }
    }

    /// Returns the objects to apply, and the identity of the operator.
    ///
    /// # Errors
    /// Returns an error if the manifests do not render.
    pub fn operator_manifests(
        &self,
        session: &Session,
        kubectl: &Path,
        built: &Built,
    ) -> Result<OperatorManifests> {
        match self {
            Self::Scaffolded(_) => Ok(dev::operator_manifests(&session.dir, kubectl)?),
            Self::Adopted(adopted) => adopted.operator_manifests(session, built),
        }
    }

    /// Returns the CRDs of other projects that a local control plane needs.
    ///
    /// # Errors
    /// Returns an error if a stored CRD cannot be read.
    pub fn foreign(&self, session: &Session) -> Result<Vec<DynamicObject>> {
        match self {
            Self::Scaffolded(project) => Ok(imported::foreign(&session.dir, project)?),
            Self::Adopted(_) => Ok(Vec::new()),
        }
    }

    /// Returns the samples. Those without a namespace get the namespace that the operator watches,
    /// or `default`.
    ///
    /// # Errors
    /// Returns an error if they cannot be read.
    pub fn samples(
        &self,
        session: &Session,
        kubectl: &Path,
        deployed: &OperatorManifests,
    ) -> Result<Vec<DynamicObject>> {
        match self {
            Self::Scaffolded(project) => {
                if !project.resources.iter().any(Resource::has_crd) {
                    return Ok(Vec::new());
                }
                let namespace = if project.namespaced {
                    &deployed.namespace
                } else {
                    "default"
                };
                Ok(dev::samples(&session.dir, kubectl, namespace)?)
            }
            Self::Adopted(adopted) => adopted.samples(),
        }
    }

    /// Adds the file and line of a sample to an error of the API server about it.
    pub fn located(&self, session: &Session, error: dev::Error) -> dev::Error {
        match self {
            Self::Scaffolded(_) => dev::located(&session.dir, error),
            Self::Adopted(adopted) => {
                dev::located_in(&session.dir, &adopted.sample_files(session), error)
            }
        }
    }

    /// Returns the evidence that the operator has reconciled an object, or `None` if it has no
    /// controller for its kind. `deployed` are the objects with the CRDs. It is not known which
    /// conditions an adopted operator sets, so its status or another write counts.
    pub fn readiness_source(
        &self,
        object: &DynamicObject,
        deployed: &[DynamicObject],
    ) -> Option<ReadinessSource> {
        let types = object.types.clone().unwrap_or_default();
        let (group, version) = types
            .api_version
            .rsplit_once('/')
            .unwrap_or(("", &types.api_version));
        let project = match self {
            Self::Scaffolded(project) => project,
            Self::Adopted(adopted) => {
                let is_own = adopted.has_controller(group, &types.kind, deployed);
                return is_own.then_some(ReadinessSource::Write);
            }
        };
        let resources = || project.versions_of(group, &types.kind);
        resources().find(|it| it.controller)?;
        let of_version = resources().find(|it| it.version.as_str() == version);
        Some(if of_version.is_some_and(is_silent) {
            ReadinessSource::Watch
        } else {
            ReadinessSource::Condition
        })
    }

    /// Reports whether the operator watches a single namespace, which it reads from
    /// `WATCH_NAMESPACE`.
    pub fn is_namespaced(&self) -> bool {
        self.project().is_some_and(|project| project.namespaced)
    }

    /// Returns the command that runs the operator.
    pub fn command(&self, launch: &Launch<'_>, binary: &Path) -> Command {
        match self {
            Self::Scaffolded(_) => launch.command(binary),
            Self::Adopted(_) => launch.plain_command(binary),
        }
    }

    /// Takes a snapshot of the sources, to detect changes.
    pub fn sources(&self, dir: &Path) -> SourcesSnapshot {
        match self {
            Self::Scaffolded(_) => SourcesSnapshot::new(dir),
            Self::Adopted(_) => SourcesSnapshot::of_repository(dir),
        }
    }

    /// Compares the operator's requests in an audit log, from the byte `from` on, with its
    /// permissions. Includes unused permissions if `is_proven` is set.
    ///
    /// # Errors
    /// Returns an error if the log or the roles cannot be read.
    pub fn report(
        &self,
        session: &Session,
        kubectl: &Path,
        log: &Path,
        from: u64,
        is_proven: bool,
    ) -> Result<Report> {
        match self {
            Self::Scaffolded(project) => {
                rbac::report(session, project, kubectl, log, from, is_proven)
            }
            Self::Adopted(adopted) => adopted.report(log, from, is_proven),
        }
    }

    /// Returns the kinds of the operator, each as its group and plural.
    pub fn kinds(&self, deployed: &[DynamicObject]) -> BTreeSet<(String, String)> {
        match self {
            Self::Scaffolded(project) => project
                .resources
                .iter()
                .map(|it| (it.api_group(), it.plural.as_str().to_owned()))
                .collect(),
            Self::Adopted(_) => adopted::kinds(deployed)
                .into_iter()
                .map(|it| (it.group, it.plural))
                .collect(),
        }
    }

    /// Describes the operator for the page.
    pub fn about(&self, kubeconfig: Option<&Path>, deployed: &[DynamicObject]) -> About {
        let (name, kinds) = match self {
            Self::Scaffolded(project) => (project.project_name.as_str(), kinds(project)),
            Self::Adopted(adopted) => {
                let mut kinds = adopted::kinds(deployed);
                for kind in &mut kinds {
                    let has_controller = adopted.has_controller(&kind.group, &kind.kind, deployed);
                    kind.controller = has_controller.then(|| kind.kind.to_lowercase());
                }
                (adopted.config.project_name.as_str(), kinds)
            }
        };
        About {
            project: name.to_owned(),
            version: project::VERSION.to_owned(),
            kubectl: kubeconfig.map_or_else(
                || "kubectl".to_owned(),
                |path| {
                    format!(
                        "kubectl --kubeconfig {}",
                        shell_word(&path.display().to_string())
                    )
                },
            ),
            kinds,
        }
    }
}

/// Returns the kinds of a scaffolded project for the page.
fn kinds(project: &Project) -> Vec<ProjectKind> {
    let own = project
        .resources
        .iter()
        .filter(|it| it.controller || it.has_crd());
    let kind = |it: &Resource| {
        let usual = || it.kind.as_str().to_lowercase();
        ProjectKind {
            group: it.api_group(),
            kind: it.kind.as_str().to_owned(),
            plural: it.plural.as_str().to_owned(),
            controller: it
                .controller
                .then(|| it.controller_name().unwrap_or_else(usual)),
        }
    };
    own.map(kind).collect()
}

/// Reports whether the kind is imported and its status has no conditions, so that no condition can
/// report readiness.
fn is_silent(resource: &Resource) -> bool {
    resource.imported.is_some() && resource.reported().conditions.is_none()
}

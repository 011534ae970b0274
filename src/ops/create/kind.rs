//! A kind as the user names it: one of the project, or one of Kubernetes.

use crate::names::{Group, Kind, Version};
use crate::project::builtin::{self, Builtin};
use crate::project::{Project, Spellings};
use crate::resource::{CrdOptions, Resource};

/// The name of an existing kind.
pub struct KindName {
    pub kind: Kind,
    /// The group that was given when the kind was created, or a group of Kubernetes.
    pub group: Option<Group>,
    /// The version. `None` for the version that was created first, or for the default version of a
    /// kind of Kubernetes.
    pub version: Option<Version>,
}

impl KindName {
    /// Returns the index of the kind in the project.
    pub fn position(&self, project: &Project) -> Option<usize> {
        project.resources.iter().position(|there| {
            let version = self.version.as_ref();
            there.kind == self.kind
                && version.is_none_or(|version| *version == there.version)
                && there.is_of(self.group.as_ref())
        })
    }

    /// Returns the kind of Kubernetes with this name. `None` if it does not exist or if the name
    /// contains no group.
    pub fn builtin(&self, project: &Project) -> Option<&'static Builtin> {
        builtin(
            project,
            &self.kind,
            self.group.as_ref()?,
            self.version.as_ref(),
        )
    }

    /// Returns a kind of Kubernetes as a resource of the project, without a controller.
    pub fn of_kubernetes(&self, builtin: &Builtin, project: &Project) -> Resource {
        of_kubernetes(builtin, &self.kind, project)
    }
}

/// Returns the kind of Kubernetes with this name. Without a version, prefers versions that the
/// project's Kubernetes version has, and among these the one that Kubernetes itself prefers.
pub fn builtin(
    project: &Project,
    kind: &Kind,
    group: &Group,
    version: Option<&Version>,
) -> Option<&'static Builtin> {
    let version = |builtin: &&Builtin| version.is_none_or(|v| v.as_str() == builtin.version);
    builtin::all()
        .iter()
        .filter(|b| b.has_group(group.as_str()) && b.kind == kind.as_str())
        .filter(version)
        .max_by_key(|b| (b.is_in(project.kubernetes_version), b.priority()))
}

/// Returns a kind of Kubernetes as a resource of a project, without a controller.
pub fn of_kubernetes(builtin: &Builtin, kind: &Kind, project: &Project) -> Resource {
    let (group, domain) = Group::split(if builtin.group.is_empty() {
        "core"
    } else {
        builtin.group
    });
    Spellings::of(project).take(Resource {
        api: None,
        controller: false,
        core: true,
        crd: CrdOptions::default(),
        draft: false,
        domain,
        external: false,
        group,
        kind: kind.clone(),
        plural: builtin.plural.parse().expect("a plural of Kubernetes"),
        version: builtin.version.parse().expect("a version of Kubernetes"),
        imported: None,
        webhooks: None,
        workload: None,
    })
}

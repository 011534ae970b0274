//! A kind as the user names it: one of the project, or one of Kubernetes.

use crate::names::{Group, Kind, Version};
use crate::project::builtin::{self, Builtin};
use crate::project::{Project, Spellings};
use crate::resource::{CrdOptions, Resource};

/// Returns the index of a kind in `project.resources`, or `None` if the project does not have it.
/// Without a version, returns that of the version that was created first. Without a group, only a
/// kind that was created without one matches.
pub fn position(
    project: &Project,
    kind: &Kind,
    group: Option<&Group>,
    version: Option<&Version>,
) -> Option<usize> {
    project.resources.iter().position(|there| {
        there.kind == *kind
            && version.is_none_or(|version| *version == there.version)
            && there.is_of(group)
    })
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

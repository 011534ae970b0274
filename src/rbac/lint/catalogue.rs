//! The known resources and their subresources: those of Kubernetes and those of the project.

use std::collections::{BTreeMap, BTreeSet};

use super::resource_text::{list, without_part};
use crate::diagnostic::did_you_mean;
use crate::project::Project;
use crate::project::builtin;
use crate::project::kinds::{self, Kind};

/// Resources that rules can name, but for which k8s-openapi has no type because they cannot be
/// listed: some can only be created, others exist only in authorization checks of the API server.
const WITHOUT_TYPE: [(&str, &[&str]); 4] = [
    ("", &["bindings", "componentstatuses", "users", "groups"]),
    (
        "authentication.k8s.io",
        &[
            "groups",
            "nodes",
            "selfsubjectreviews",
            "serviceaccounts",
            "tokenreviews",
            "uids",
            "userextras",
            "users",
        ],
    ),
    (
        "authorization.k8s.io",
        &[
            "localsubjectaccessreviews",
            "selfsubjectaccessreviews",
            "selfsubjectrulesreviews",
            "subjectaccessreviews",
        ],
    ),
    ("certificates.k8s.io", &["signers"]),
];

/// Subresources that distributions add: `OpenShift` checks for them if endpoints contain addresses
/// of its Pod network.
const EXTENSIONS: [(&str, &str); 2] = [
    ("", "endpoints/restricted"),
    ("discovery.k8s.io", "endpointslices/restricted"),
];

/// The subresources of a project's own resources. `finalizers` is checked for owner references.
const OWN_PARTS: [&str; 3] = ["finalizers", "scale", "status"];

/// The subresources of Kubernetes: those of the API server and, for nodes, those of the kubelet.
pub const PARTS: [&str; 23] = [
    "approval",
    "attach",
    "binding",
    "checkpoint",
    "configz",
    "ephemeralcontainers",
    "eviction",
    "exec",
    "finalize",
    "finalizers",
    "healthz",
    "log",
    "metrics",
    "pods",
    "portforward",
    "proxy",
    "resize",
    "scale",
    "scopes",
    "spec",
    "stats",
    "status",
    "token",
];

/// The resources that a project can request permissions for.
#[derive(Debug)]
pub struct Catalogue {
    /// The resources by group, for those groups of which every resource is known.
    groups: BTreeMap<String, BTreeSet<String>>,
    /// The groups of the project's own kinds.
    own_groups: BTreeSet<String>,
    /// The minor version of Kubernetes that introduces a resource, by group and plural, if it is
    /// later than the project's.
    later: BTreeMap<(String, String), u8>,
    /// Kinds by the path of their Rust type.
    types: BTreeMap<String, Kind>,
    /// The minor version of Kubernetes that the project targets.
    minor: u8,
}

impl Catalogue {
    /// Returns the catalogue of a project and its Kubernetes version.
    pub fn of(project: &Project) -> Self {
        let mut catalogue = Self {
            groups: BTreeMap::new(),
            own_groups: BTreeSet::new(),
            later: BTreeMap::new(),
            types: kinds::by_type(project),
            minor: project.kubernetes_version.minor(),
        };
        for (group, resources) in WITHOUT_TYPE {
            for resource in resources {
                catalogue.add(group, resource);
            }
        }
        for builtin in builtin::all() {
            if builtin.is_in(project.kubernetes_version) {
                catalogue.add(builtin.group, builtin.plural);
            } else {
                let place = (builtin.group.to_owned(), builtin.plural.to_owned());
                let since = catalogue.later.entry(place).or_insert(u8::MAX);
                *since = builtin.since().min(*since);
            }
        }
        let groups = &catalogue.groups;
        let is_there = |group: &str, resource: &str| {
            groups
                .get(group)
                .is_some_and(|resources| resources.contains(resource))
        };
        catalogue
            .later
            .retain(|(group, resource), _| !is_there(group, resource));
        // The groups of other projects are left out, since not all of their kinds are known.
        let own = project
            .resources
            .iter()
            .filter(|resource| resource.has_crd());
        for resource in own {
            catalogue.add(&resource.api_group(), resource.plural.as_str());
            catalogue.own_groups.insert(resource.api_group());
        }
        catalogue
    }

    fn add(&mut self, group: &str, resource: &str) {
        let resources = self.groups.entry(group.to_owned()).or_default();
        resources.insert(resource.to_owned());
    }

    /// Returns the resources of a group, or `None` if they are not all known.
    pub fn resources(&self, group: &str) -> Option<&BTreeSet<String>> {
        self.groups.get(group)
    }

    /// Reports whether a group belongs to the project.
    pub fn is_own(&self, group: &str) -> bool {
        self.own_groups.contains(group)
    }

    /// Reports whether a group can have a resource, with or without a subresource. Returns true if
    /// the group is unknown.
    pub fn may_have(&self, group: &str, resource: &str) -> bool {
        let Some(resources) = self.resources(group) else {
            return true;
        };
        if EXTENSIONS.contains(&(group, resource)) {
            return true;
        }
        match resource.split_once('/') {
            Some((name, part)) if self.is_own(group) => {
                name == "*" || (resources.contains(name) && OWN_PARTS.contains(&part))
            }
            // The part after `userextras/` is the key of an extra field of a user, which can have
            // any name.
            Some((name, part)) => {
                let is_part = PARTS.contains(&part) || part == "*" || name == "userextras";
                name == "*" || (resources.contains(name) && is_part)
            }
            None => resource == "*" || resources.contains(resource),
        }
    }

    /// Returns the groups that have a kind with this plural.
    pub fn groups_of(&self, resource: &str) -> BTreeSet<&str> {
        let kinds = self.types.values().filter(|kind| kind.plural == resource);
        let groups = kinds.map(|kind| kind.group.as_str());
        groups
            .filter(|group| self.may_have(group, resource))
            .collect()
    }

    /// Suggests a replacement for an unknown group that is the first label of a known one, or that
    /// has no dot: only groups of Kubernetes itself may have none.
    pub fn instead_of(&self, group: &str) -> Option<String> {
        if group.is_empty() || group == "*" || self.groups.contains_key(group) {
            return None;
        }
        let known = self.groups.keys().map(String::as_str);
        let is_whole = |name: &&str| {
            let rest = name.strip_prefix(group);
            rest.is_some_and(|rest| rest.starts_with('.'))
        };
        if let Some(whole) = known.clone().find(is_whole) {
            return Some(format!("write `{whole}`"));
        }
        if group.contains('.') {
            return None;
        }
        let short: Vec<_> = known
            .filter(|name| !name.is_empty() && !name.contains('.'))
            .collect();
        Some(did_you_mean(group, &short).map_or_else(
            || format!("the groups without a dot are {}", list(&short)),
            |meant| format!("did you mean `{meant}`?"),
        ))
    }

    /// Returns the minor version of Kubernetes that introduces a resource, and the project's, if
    /// the resource is not yet in the latter.
    pub fn later(&self, group: &str, resource: &str) -> Option<(u8, u8)> {
        let place = (group.to_owned(), without_part(resource).to_owned());
        Some((*self.later.get(&place)?, self.minor))
    }

    /// Returns the group and the plural of a Rust type by its full path:
    /// `k8s_openapi::api::apps::v1::Deployment`, or `api::v1::cron_job::CronJob` for a kind of the
    /// project. `None` if the type is not known.
    pub fn of_type(&self, path: &str) -> Option<(&str, &str)> {
        let kind = self.types.get(path)?;
        Some((&kind.group, &kind.plural))
    }
}

//! Which resources there are, and which verbs they have: those of Kubernetes and those of the project.

use std::collections::{BTreeMap, BTreeSet};

use super::words::{list, without_part};
use crate::diagnostic::did_you_mean;
use crate::project::Project;
use crate::project::builtin;
use crate::project::kinds::{self, Kind};

/// What can be named in rules and is no kind that can be listed, so k8s-openapi has no type for it: what is
/// only created, and what only the API server's own checks ask for.
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

/// Parts that distributions add to resources of Kubernetes: `OpenShift` asks for these where endpoints name addresses of its
/// Pod network.
const EXTENSIONS: [(&str, &str); 2] = [
    ("", "endpoints/restricted"),
    ("discovery.k8s.io", "endpointslices/restricted"),
];

/// The parts of a resource of the project; `finalizers` is asked for by owner references.
const OWN_PARTS: [&str; 3] = ["finalizers", "scale", "status"];

/// The parts that resources of Kubernetes have: of the API server and, of nodes, of the kubelet.
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

/// What a project can ask for.
#[derive(Debug)]
pub struct Catalogue {
    /// By group, for the groups that are known whole.
    groups: BTreeMap<String, BTreeSet<String>>,
    own_groups: BTreeSet<String>,
    /// By group and resource, the minor version of Kubernetes that brings it, where that is newer than the
    /// project's.
    later: BTreeMap<(String, String), u8>,
    /// By the path of the Rust type.
    types: BTreeMap<String, Kind>,
    /// The minor version of Kubernetes that the project is for.
    minor: u8,
}

impl Catalogue {
    /// Of a project and its version of Kubernetes.
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
        // Of the group of another project, not all kinds are known.
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

    /// The resources of a group, if it is known whole.
    pub fn resources(&self, group: &str) -> Option<&BTreeSet<String>> {
        self.groups.get(group)
    }

    /// Whether a group is the project's.
    pub fn is_own(&self, group: &str) -> bool {
        self.own_groups.contains(group)
    }

    /// Whether a group, if it is known, has a resource, whatever part of it is named.
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
            // What is behind `userextras/` is a name of the user's own.
            Some((name, part)) => {
                let is_part = PARTS.contains(&part) || part == "*" || name == "userextras";
                name == "*" || (resources.contains(name) && is_part)
            }
            None => resource == "*" || resources.contains(resource),
        }
    }

    /// The groups that have a kind with this plural.
    pub fn groups_of(&self, resource: &str) -> BTreeSet<&str> {
        let kinds = self.types.values().filter(|kind| kind.plural == resource);
        let groups = kinds.map(|kind| kind.group.as_str());
        groups
            .filter(|group| self.may_have(group, resource))
            .collect()
    }

    /// What to write for a group that there is not: one that is given by its first part, or one without a
    /// dot, as only Kubernetes' own may be.
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
            || format!("of groups without a dot there are {}", list(&short)),
            |meant| format!("did you mean `{meant}`?"),
        ))
    }

    /// What a later Kubernetes than the project's has: that version, and the project's.
    pub fn later(&self, group: &str, resource: &str) -> Option<(u8, u8)> {
        let place = (group.to_owned(), without_part(resource).to_owned());
        Some((*self.later.get(&place)?, self.minor))
    }

    /// Group and resource of a Rust type.
    pub fn of_type(&self, path: &str) -> Option<(&str, &str)> {
        let kind = self.types.get(path)?;
        Some((&kind.group, &kind.plural))
    }
}

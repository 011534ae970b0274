//! The spelling of an API group in `PROJECT` for kinds of other owners: imported, external and
//! built-in ones.
//!
//! Files, modules and roles are named after `group`, the part before `domain`. That is the first
//! label of the group (`cert-manager` of `cert-manager.io`), as in kubebuilder. Two groups can
//! begin with the same label and have kinds of the same name, as during a migration from
//! `cert-manager.k8s.io` to `cert-manager.io`. The kind that is added second is then named after
//! its full group, and has no `domain` in `PROJECT`.

use std::collections::{HashMap, HashSet};

use super::check::names;
use super::{Project, builtin};
use crate::names::{Domain, Group};
use crate::resource::Resource;

/// The `group` and `domain` of a resource in `PROJECT`.
type Spelling = (Option<Group>, Option<Domain>);

/// A kind without its version: the kind and the full group.
type KindOfGroup = (String, String);

/// The names that the kinds of a project use, for choosing the spelling of the next one.
#[derive(Debug, Default)]
pub struct Spellings {
    /// The spelling of each kind; all versions of a kind have the same.
    kinds: HashMap<KindOfGroup, Spelling>,
    /// The kind that uses each name, by the type of the name and the name.
    names: HashMap<(&'static str, String), KindOfGroup>,
    /// The top-level modules of types, each with a flag that is true for the module of a group.
    modules: HashSet<(String, bool)>,
}

impl Spellings {
    /// Collects the names of a project.
    pub fn of(project: &Project) -> Self {
        let mut spellings = Self::default();
        for resource in &project.resources {
            spellings.add(resource);
        }
        spellings
    }

    /// Chooses a spelling of the kind's group whose names are free, and records them. All versions
    /// of a kind get the same spelling.
    pub fn take(&mut self, mut resource: Resource) -> Resource {
        let kind = kind_of_group(&resource);
        if let Some(spelling) = self.kinds.get(&kind) {
            (resource.group, resource.domain) = spelling.clone();
        } else {
            let usual = (resource.group.clone(), resource.domain.clone());
            let whole = kind.1.parse().ok().map(|group| (Some(group), None));
            let spelled = |(group, domain)| Resource {
                domain,
                group,
                ..resource.clone()
            };
            let spellings = [Some(usual), whole].into_iter().flatten();
            let free = spellings.map(spelled).find(|it| self.is_free(it));
            resource = free.unwrap_or(resource);
        }
        self.add(&resource);
        resource
    }

    fn is_free(&self, resource: &Resource) -> bool {
        let kind = kind_of_group(resource);
        let mut names = names(resource);
        let is_taken = |name| self.names.get(&name).is_some_and(|other| *other != kind);
        let (module, is_group) = module(resource);
        !names.any(is_taken)
            && !self.modules.contains(&(module, !is_group))
            && !is_called_as_of_kubernetes(resource)
    }

    fn add(&mut self, resource: &Resource) {
        let kind = kind_of_group(resource);
        let spelling = (resource.group.clone(), resource.domain.clone());
        for name in names(resource) {
            self.names.entry(name).or_insert_with(|| kind.clone());
        }
        if resource.api.is_some() {
            self.modules.insert(module(resource));
        }
        self.kinds.entry(kind).or_insert(spelling);
    }
}

fn kind_of_group(resource: &Resource) -> KindOfGroup {
    (resource.kind.to_string(), resource.api_group())
}

/// Returns the top-level module of the resource's types, and true if it is the module of a group.
fn module(resource: &Resource) -> (String, bool) {
    (
        resource.api_modules().swap_remove(0),
        resource.group.is_some(),
    )
}

/// Reports whether a kind would use the names of a built-in kind whose full group is a single
/// label, such as `apps`. That kind has only one possible spelling, so its names must stay free.
fn is_called_as_of_kubernetes(resource: &Resource) -> bool {
    let (Some(group), Some(_), false) = (&resource.group, &resource.domain, resource.core) else {
        return false;
    };
    let group = match group.as_str() {
        "core" => "",
        group => group,
    };
    let mut builtins = builtin::all().iter();
    builtins.any(|it| it.group == group && it.kind == resource.kind.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(group: &str, domain: &str, kind: &str, version: &str) -> Resource {
        let text = format!(
            "{{api: {{crdVersion: v1, namespaced: true}}, group: {group}, domain: {domain}, kind: {kind}, \
             plural: {}s, version: {version}}}",
            kind.to_lowercase()
        );
        serde_yaml::from_str(&text).unwrap()
    }

    #[test]
    fn the_second_of_two_groups_is_spelled_out() {
        let mut spellings = Spellings::default();
        let mut name = |resource| spellings.take(resource).name();
        let issuer = |domain, version| kind("cert-manager", domain, "Issuer", version);
        assert_eq!(name(issuer("io", "v1")), "cert_manager_issuer");
        let second = "cert_manager_k8s_io_issuer";
        assert_eq!(name(issuer("k8s.io", "v1alpha2")), second);
        // Other versions get the same spelling, in any order.
        assert_eq!(name(issuer("k8s.io", "v1alpha3")), second);
        assert_eq!(name(issuer("io", "v1beta1")), "cert_manager_issuer");
    }

    #[test]
    fn the_names_of_kinds_of_kubernetes_stay_free() {
        let mut spellings = Spellings::default();
        let mut name = |resource| spellings.take(resource).name();
        assert_eq!(
            name(kind("apps", "kruise.io", "StatefulSet", "v1")),
            "apps_kruise_io_stateful_set"
        );
        assert_eq!(
            name(kind("apps", "kruise.io", "CloneSet", "v1")),
            "apps_clone_set"
        );
    }

    #[test]
    fn groups_with_different_kinds_keep_their_first_label() {
        let mut spellings = Spellings::default();
        let mut group = |resource| spellings.take(resource).group.unwrap().to_string();
        assert_eq!(group(kind("traefik", "io", "Middleware", "v1")), "traefik");
        let other = kind("traefik", "containo.us", "TLSStore", "v1");
        assert_eq!(group(other), "traefik");
    }
}

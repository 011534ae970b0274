//! Roles computed from rules with controller-gen's algorithm, so that a migrated project keeps its
//! `role.yaml` byte for byte. One difference is intended: no permission is lost.
//!
//! controller-gen merges rules in three rounds and writes each round's results into a map whose key
//! does not contain the verbs. When two merged rules differ only in their verbs, one of them is
//! overwritten, and which one varies between runs. rustop unites their verbs instead. In every
//! other case the results are the same.

use std::collections::BTreeMap;

use k8s_openapi::api::rbac::v1::{ClusterRole, PolicyRule, Role};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::json;

use crate::rbac::rule::{Rule, Scope};
use crate::yaml::{self, HEADER};

/// The name of the operator's role. `config/default` prefixes it with the project's name.
pub const OPERATOR: &str = "manager-role";

/// The file with the roles, relative to the project.
pub const FILE: &str = "config/rbac/role.yaml";

/// A role or cluster role, ready to be serialized.
#[derive(Clone, Debug, PartialEq)]
pub enum RoleDoc {
    /// Applies to the whole cluster.
    Cluster(ClusterRole),
    /// Applies to its namespace, or to the operator's namespace if it has none.
    Namespace(Role),
}

/// Returns the roles that grant what the rules declare, sorted by namespace and then by name;
/// cluster roles come first.
///
/// Without any rule, the result is an empty role `default_name`: applying it revokes permissions
/// that were removed from the sources.
pub fn roles(rules: &[Rule], default_name: &str, scope: Scope) -> Vec<RoleDoc> {
    let mut buckets: BTreeMap<(&str, &str), Vec<&Rule>> = BTreeMap::new();
    for rule in rules {
        let namespace = rule.namespace.as_deref().unwrap_or_default();
        let name = rule.role_name.as_deref().unwrap_or(default_name);
        buckets.entry((namespace, name)).or_default().push(rule);
    }
    if buckets.is_empty() {
        buckets.insert(("", default_name), Vec::new());
    }
    let role = |((namespace, name), rules): ((&str, &str), Vec<&Rule>)| {
        let namespace = Some(namespace.to_owned()).filter(|name| !name.is_empty());
        let rules = Some(policy_rules(&rules));
        let cluster = namespace.is_none() && scope == Scope::Cluster;
        let metadata = ObjectMeta {
            name: Some(name.to_owned()),
            namespace,
            ..ObjectMeta::default()
        };
        if cluster {
            RoleDoc::Cluster(ClusterRole {
                metadata,
                rules,
                ..ClusterRole::default()
            })
        } else {
            RoleDoc::Namespace(Role { metadata, rules })
        }
    };
    buckets.into_iter().map(role).collect()
}

/// Adds an empty role of the operator if markers grant only other roles. controller-gen has none
/// then, but the binding in `role_binding.yaml` must not grant another's role of the same name.
pub fn with_operators(mut all: Vec<RoleDoc>, scope: Scope) -> Vec<RoleDoc> {
    if !all.iter().any(RoleDoc::is_operators) {
        all.splice(0..0, roles(&[], OPERATOR, scope));
    }
    all
}

impl RoleDoc {
    /// Reports whether this is the role that `role_binding.yaml` binds.
    fn is_operators(&self) -> bool {
        let metadata = match self {
            Self::Cluster(role) => &role.metadata,
            Self::Namespace(role) => &role.metadata,
        };
        metadata.namespace.is_none() && metadata.name.as_deref() == Some(OPERATOR)
    }
}

/// Returns the text of `role.yaml`.
pub fn text(roles: &[RoleDoc]) -> String {
    let mut text = HEADER.to_owned();
    for role in roles {
        let value = match role {
            RoleDoc::Cluster(role) => json!(role),
            RoleDoc::Namespace(role) => json!(role),
        };
        text.push_str("---\n");
        text.push_str(&yaml::write(&value));
    }
    text
}

/// A rule without its verbs. Each list is sorted and has no duplicates.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Subject {
    groups: Vec<String>,
    resources: Vec<String>,
    names: Vec<String>,
    urls: Vec<String>,
}

/// The verbs granted on each subject.
type Grants = BTreeMap<Subject, Vec<String>>;

impl Subject {
    /// Returns the sort key of controller-gen: each list joined by `&`, and these joined by ` + `.
    fn sort_key(&self) -> String {
        let lists = [&self.groups, &self.resources, &self.names, &self.urls];
        lists.map(|list| list.join("&")).join(" + ")
    }
}

fn policy_rules(rules: &[&Rule]) -> Vec<PolicyRule> {
    let grants = one_rule_per_resource(rules);
    let grants = merge(grants, |subject| &mut subject.resources);
    let grants = merge(grants, |subject| &mut subject.groups);
    let grants = merge(grants, |subject| &mut subject.urls);
    let mut rules: Vec<_> = grants.into_iter().collect();
    rules.sort_by_cached_key(|(subject, _)| subject.sort_key());
    rules
        .into_iter()
        .map(|(subject, verbs)| policy_rule(subject, verbs))
        .collect()
}

fn one_rule_per_resource(rules: &[&Rule]) -> Grants {
    let mut grants = Grants::new();
    for rule in rules {
        let groups = rule.groups.iter().map(|group| match group.as_str() {
            "core" => String::new(),
            group => group.to_owned(),
        });
        let mut subject = Subject {
            groups: sorted(groups.collect()),
            resources: Vec::new(),
            names: sorted(rule.resource_names.clone()),
            urls: sorted(rule.urls.clone()),
        };
        if rule.resources.is_empty() {
            unite(&mut grants, subject, rule.verbs.clone());
            continue;
        }
        for resource in &rule.resources {
            subject.resources = vec![resource.clone()];
            unite(&mut grants, subject.clone(), rule.verbs.clone());
        }
    }
    grants
}

/// Merges rules that differ in one list only.
fn merge(grants: Grants, list: impl Fn(&mut Subject) -> &mut Vec<String>) -> Grants {
    let mut alike: BTreeMap<(Subject, Vec<String>), Vec<String>> = BTreeMap::new();
    for (mut subject, verbs) in grants {
        let items = std::mem::take(list(&mut subject));
        alike.entry((subject, verbs)).or_default().extend(items);
    }
    let mut merged = Grants::new();
    for ((mut subject, verbs), items) in alike {
        *list(&mut subject) = sorted(items);
        unite(&mut merged, subject, verbs);
    }
    merged
}

fn unite(grants: &mut Grants, subject: Subject, verbs: Vec<String>) {
    let united = grants.entry(subject).or_default();
    united.extend(verbs);
    *united = sorted(std::mem::take(united));
}

fn sorted(mut list: Vec<String>) -> Vec<String> {
    list.sort_unstable();
    list.dedup();
    list
}

/// Converts a rule for the role. The verb `*` replaces all others. This happens after the merges,
/// as in controller-gen, so rules that become equal here are not merged.
fn policy_rule(subject: Subject, verbs: Vec<String>) -> PolicyRule {
    let some = |list: Vec<String>| Some(list).filter(|list| !list.is_empty());
    let star = "*".to_owned();
    PolicyRule {
        api_groups: some(subject.groups),
        resources: some(subject.resources),
        resource_names: some(subject.names),
        non_resource_urls: some(subject.urls),
        verbs: if verbs.contains(&star) {
            vec![star]
        } else {
            verbs
        },
    }
}

#[cfg(test)]
mod tests;

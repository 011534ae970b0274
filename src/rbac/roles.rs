//! Roles from rules: controller-gen's algorithm, so that a project that moves here keeps its `role.yaml`
//! to the byte, with one difference: no grant is lost.
//!
//! controller-gen merges rules in three rounds and writes each round's results into a map whose key does
//! not hold the verbs. When two merged rules differ in their verbs alone, one of them is overwritten; which
//! one, changes from run to run. Here their verbs are united. In every other case the two agree.

use std::collections::BTreeMap;

use k8s_openapi::api::rbac::v1::{ClusterRole, PolicyRule, Role};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::json;

use crate::rbac::rule::{Rule, Scope};
use crate::yaml::{self, HEADER};

/// The name of the operator's role; `config/default` puts the project's name before it.
pub const OPERATOR: &str = "manager-role";

/// Where the roles go, relative to the project.
pub const FILE: &str = "config/rbac/role.yaml";

/// A role, ready to be written.
#[derive(Clone, Debug, PartialEq)]
pub enum RoleDoc {
    /// Holds in the whole cluster.
    Cluster(ClusterRole),
    /// Holds in its namespace, or in that of the operator if it has none.
    Namespace(Role),
}

/// The roles that grant what the rules grant: by namespace, then by name, the cluster's first.
///
/// Without any rule there is still the role `default_name`, an empty one: the binding to it stays valid,
/// and a permission that was taken out of the sources is taken from the cluster as well.
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

/// The text of `role.yaml`.
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

/// A rule without its verbs; each list sorted and without repetition.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Subject {
    groups: Vec<String>,
    resources: Vec<String>,
    names: Vec<String>,
    urls: Vec<String>,
}

/// Rules, no two about the same.
type Grants = BTreeMap<Subject, Vec<String>>;

impl Subject {
    /// What the rules are sorted by: the lists joined by `&`, and these by ` + `.
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

/// Makes one rule of all that differ in nothing but one list.
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

/// Where every verb is granted, no other needs to be named. This comes after the merges, so rules that
/// become alike by it stay apart.
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

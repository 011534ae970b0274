//! The rules that the manifests grant to a ServiceAccount, and the roles that they bind to it and
//! do not contain.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use k8s_openapi::api::rbac::v1::PolicyRule;
use serde::Deserialize as _;
use serde_json::{Map, Value};

use super::rendered::Rendered;
use super::workload::Workload;
use crate::text::place;

/// A rule that the manifests grant to the operator.
#[derive(Clone, Debug, PartialEq)]
pub struct GrantedRule {
    /// The file of the role; for an aggregated ClusterRole, that of the role with the rule.
    pub file: PathBuf,
    /// The line at which the role begins; 0 if a renderer produced it.
    pub line: usize,
    pub role: GrantingRole,
    /// The namespace in which the rule applies. `None` for all namespaces and for cluster-scoped
    /// resources.
    pub namespace: Option<String>,
    /// One entry of the role's `rules`.
    pub rule: PolicyRule,
}

/// The role that contains a granted rule.
#[derive(Clone, Debug, PartialEq)]
pub enum GrantingRole {
    /// A role of the rendered manifests.
    Rendered {
        /// `ClusterRole` or `Role`.
        kind: String,
        name: String,
    },
    /// A role of a chart that could not be rendered, so that it is not known which one.
    OfChart,
}

impl Display for GrantingRole {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rendered { kind, name } => write!(f, "{kind} {name}"),
            Self::OfChart => f.write_str("a role of the chart"),
        }
    }
}

/// A role that the manifests bind to the operator and do not contain, such as `cluster-admin` and
/// `view`, which every cluster has.
#[derive(Clone, Debug, PartialEq)]
pub struct AbsentRole {
    /// The file of the binding.
    pub file: PathBuf,
    /// The line at which the binding begins; 0 if a renderer produced it.
    pub line: usize,
    /// `ClusterRole` or `Role`.
    pub kind: String,
    /// The name of the role.
    pub role: String,
    /// The namespace in which its rules apply. `None` for all namespaces and for cluster-scoped
    /// resources.
    pub namespace: Option<String>,
}

impl GrantedRule {
    /// Returns a rule of the role `from`, as it applies in `namespace`.
    pub fn new(from: &Rendered, namespace: Option<String>, rule: PolicyRule) -> Self {
        Self {
            file: from.file.clone(),
            line: from.line,
            role: GrantingRole::Rendered {
                kind: from.kind().to_owned(),
                name: from.name().to_owned(),
            },
            namespace,
            rule,
        }
    }

    /// Returns the file of the role, with the line if it is known.
    pub fn place(&self) -> String {
        place(&self.file, self.line)
    }
}

impl AbsentRole {
    /// Returns true for `cluster-admin`. Kubernetes has it in each cluster, and restores its rules.
    pub fn grants_everything(&self) -> bool {
        self.kind == "ClusterRole" && self.role == "cluster-admin"
    }
}

/// Returns the rules of all roles in the manifests that are bound to the ServiceAccount of a
/// workload: as an account, as a user, or through the groups of its namespace or of all accounts.
/// Aggregation rules are evaluated by `matchLabels` only.
pub fn rules(objects: &[Rendered], workload: &Workload) -> Vec<GrantedRule> {
    let mut granted = Vec::new();
    for binding in bindings(objects, workload) {
        let Some(role) = binding.role else { continue };
        let rules = rules_of(objects, role).into_iter();
        granted.extend(
            rules.map(|(from, rule)| GrantedRule::new(from, binding.namespace.clone(), rule)),
        );
    }
    granted
}

/// Returns the role of the manifests that no binding refers to, with its rules. If nothing is bound
/// to the operator, it is probably meant for it. `None` if all roles are bound, or if several are
/// not.
pub fn unbound(objects: &[Rendered]) -> Option<(&Rendered, Vec<GrantedRule>)> {
    let is_bound = |role: &Rendered| {
        let mut references = objects.iter().map(Rendered::role_ref);
        references.any(|it| it == (role.kind(), role.name()))
    };
    let mut unbound = objects.iter().filter(|it| it.is_role() && !is_bound(it));
    let role = unbound.next().filter(|_| unbound.next().is_none())?;
    let rules = rules_of(objects, role).into_iter();
    let granted =
        rules.map(|(from, rule)| GrantedRule::new(from, role.namespace().map(str::to_owned), rule));
    Some((role, granted.collect()))
}

/// Returns the roles that are bound to the ServiceAccount of a workload and that the manifests do
/// not contain.
pub fn absent_roles(objects: &[Rendered], workload: &Workload) -> Vec<AbsentRole> {
    let absent = bindings(objects, workload).into_iter();
    absent
        .filter(|binding| binding.role.is_none())
        .map(|BoundRole { of, namespace, .. }| {
            let (kind, role) = of.role_ref();
            AbsentRole {
                file: of.file.clone(),
                line: of.line,
                kind: kind.to_owned(),
                role: role.to_owned(),
                namespace,
            }
        })
        .collect()
}

/// A binding of a role to the ServiceAccount of a workload.
pub(super) struct BoundRole<'a> {
    /// The binding.
    of: &'a Rendered,
    /// The role; `None` if the manifests do not contain it.
    role: Option<&'a Rendered>,
    /// The namespace in which the role applies. `None` for all namespaces and for cluster-scoped
    /// resources.
    namespace: Option<String>,
}

/// Returns the bindings to the ServiceAccount of a workload, without those that the API server
/// rejects: a `ClusterRoleBinding` of a Role, or with a ServiceAccount without a namespace.
pub(super) fn bindings<'a>(objects: &'a [Rendered], workload: &Workload) -> Vec<BoundRole<'a>> {
    let mut roles: HashMap<(&str, &str), Vec<&Rendered>> = HashMap::new();
    for role in objects.iter().filter(|it| it.is_role()) {
        roles
            .entry((role.kind(), role.name()))
            .or_default()
            .push(role);
    }
    let found = objects.iter().filter_map(|of| {
        let is_cluster = match of.kind() {
            "ClusterRoleBinding" => true,
            "RoleBinding" => false,
            _ => return None,
        };
        let home = workload.namespace_of(of);
        let mut subjects = of.object["subjects"].as_array().into_iter().flatten();
        let is_bound =
            |subject: &Value| is_subject(subject, workload, (!is_cluster).then_some(home));
        if !subjects.any(is_bound) {
            return None;
        }
        let reference = of.role_ref();
        if is_cluster && reference.0 == "Role" {
            return None;
        }
        let mut named = roles.get(&reference).into_iter().flatten();
        Some(BoundRole {
            of,
            role: named
                .find(|role| role.kind() == "ClusterRole" || workload.namespace_of(role) == home)
                .copied(),
            namespace: (!is_cluster).then(|| home.to_owned()),
        })
    });
    found.collect()
}

/// Returns true if a subject of a binding includes the ServiceAccount. `home` is the namespace of
/// the binding, if it has one.
fn is_subject(subject: &Value, workload: &Workload, home: Option<&str>) -> bool {
    let namespace = subject["namespace"].as_str().or(home);
    let name = subject["name"].as_str().unwrap_or_default();
    let of_namespace = format!("system:serviceaccounts:{}", workload.namespace);
    let user = workload.user();
    match subject["kind"].as_str() {
        Some("ServiceAccount") => {
            name == workload.service_account && namespace == Some(&workload.namespace)
        }
        Some("Group") => [
            &of_namespace,
            "system:serviceaccounts",
            "system:authenticated",
        ]
        .contains(&name),
        Some("User") => name == user,
        _ => false,
    }
}

/// Returns the rules of a role, and those of the roles that it aggregates, each with the role that
/// declares it.
pub(super) fn rules_of<'a>(
    objects: &'a [Rendered],
    role: &'a Rendered,
) -> Vec<(&'a Rendered, PolicyRule)> {
    let own = |role: &'a Rendered| {
        let rules = Option::<Vec<PolicyRule>>::deserialize(&role.object["rules"]);
        let rules = rules.ok().flatten().unwrap_or_default();
        rules.into_iter().map(move |rule| (role, rule))
    };
    let selectors = role.object["aggregationRule"]["clusterRoleSelectors"].as_array();
    let Some(selectors) = selectors.filter(|selectors| !selectors.is_empty()) else {
        return own(role).collect();
    };
    let selectors = Selectors::new(selectors);
    let is_aggregated = |it: &&Rendered| {
        it.kind() == "ClusterRole"
            && it.name() != role.name()
            && selectors.select(&it.object["metadata"]["labels"])
    };
    own(role)
        .chain(objects.iter().filter(is_aggregated).flat_map(own))
        .collect()
}

/// The label selectors of an aggregation rule, found by their first label: a rule may have
/// thousands of selectors, and is compared with thousands of roles.
struct Selectors<'a> {
    /// True if a selector has an empty `matchLabels`, which selects each role.
    select_all: bool,
    by_first_label: HashMap<(&'a str, &'a str), Vec<&'a Map<String, Value>>>,
}

impl<'a> Selectors<'a> {
    /// Reads the `matchLabels` of selectors. A selector without any selects nothing here.
    fn new(selectors: &'a [Value]) -> Self {
        let mut select_all = false;
        let mut by_first_label: HashMap<_, Vec<_>> = HashMap::new();
        let labels = selectors.iter().map(|selector| &selector["matchLabels"]);
        for wanted in labels.filter_map(Value::as_object) {
            let Some(first) = wanted.iter().next() else {
                select_all = true;
                continue;
            };
            if let Some(first) = label(first) {
                by_first_label.entry(first).or_default().push(wanted);
            }
        }
        Self {
            select_all,
            by_first_label,
        }
    }

    /// Returns true if a selector selects a role with these labels.
    fn select(&self, labels: &Value) -> bool {
        let mut present = labels.as_object().into_iter().flatten().filter_map(label);
        let matches =
            |wanted: &&Map<String, Value>| wanted.iter().all(|(key, value)| labels[key] == *value);
        self.select_all
            || present.any(|label| {
                let candidates = self.by_first_label.get(&label).into_iter().flatten();
                candidates.into_iter().any(matches)
            })
    }
}

/// Returns the key and the value of a label; `None` if the value is not a string.
fn label<'a>((key, value): (&'a String, &'a Value)) -> Option<(&'a str, &'a str)> {
    Some((key, value.as_str()?))
}

#[cfg(test)]
mod tests {
    use super::super::files::parse;
    use super::*;
    use crate::adopted::config::Operator;

    const MANIFESTS: &str = "
kind: Deployment
metadata: {name: barn, namespace: farm}
spec: {template: {spec: {serviceAccountName: hand, containers: [{name: barn}]}}}
---
kind: ClusterRole
metadata: {name: wide}
rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]
---
kind: Role
metadata: {name: narrow, namespace: farm}
rules: [{apiGroups: [''], resources: [secrets], verbs: [get]}]
---
kind: Role
metadata: {name: narrow, namespace: field}
rules: [{apiGroups: [''], resources: [nodes], verbs: [get]}]
---
kind: ClusterRoleBinding
metadata: {name: a}
subjects: [{kind: ServiceAccount, name: hand, namespace: farm}]
roleRef: {kind: ClusterRole, name: wide}
---
kind: RoleBinding
metadata: {name: b}
subjects: [{kind: ServiceAccount, name: hand}]
roleRef: {kind: Role, name: narrow}
---
kind: ClusterRole
metadata: {name: unbound}
rules: [{apiGroups: [''], resources: [services], verbs: [get]}]
---
kind: ClusterRoleBinding
metadata: {name: c}
subjects: [{kind: ServiceAccount, name: hand, namespace: other}]
roleRef: {kind: ClusterRole, name: unbound}
";

    #[test]
    fn a_bound_role_that_the_manifests_lack_is_named() {
        let text = format!(
            "{MANIFESTS}---
kind: ClusterRoleBinding
metadata: {{name: d}}
subjects: [{{kind: ServiceAccount, name: hand, namespace: farm}}]
roleRef: {{kind: ClusterRole, name: cluster-admin}}
---
kind: RoleBinding
metadata: {{name: e, namespace: field}}
subjects: [{{kind: ServiceAccount, name: hand, namespace: farm}}]
roleRef: {{kind: ClusterRole, name: view}}
---
kind: RoleBinding
metadata: {{name: f, namespace: field}}
subjects: [{{kind: ServiceAccount, name: other, namespace: farm}}]
roleRef: {{kind: ClusterRole, name: edit}}
"
        );
        let objects = parse("all.yaml".as_ref(), &text).unwrap();
        let workload = Workload::find(&objects, &Operator::default(), "barn", "default").unwrap();
        let found: Vec<_> = absent_roles(&objects, &workload)
            .into_iter()
            .map(|it| (it.grants_everything(), it.role, it.namespace))
            .collect();
        assert_eq!(
            found,
            [
                (true, "cluster-admin".to_owned(), None),
                (false, "view".to_owned(), Some("field".to_owned())),
            ]
        );
    }

    #[test]
    fn only_bound_rules_are_granted_each_in_its_namespace() {
        let objects = parse("all.yaml".as_ref(), MANIFESTS).unwrap();
        let workload = Workload::find(&objects, &Operator::default(), "barn", "default").unwrap();
        let found: Vec<_> = rules(&objects, &workload)
            .into_iter()
            .map(|it| {
                (
                    it.line,
                    it.namespace,
                    it.rule.resources.unwrap_or_default().concat(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                (6, None, "pods".to_owned()),
                (10, Some("farm".to_owned()), "secrets".to_owned())
            ]
        );
    }
    #[test]
    fn an_aggregated_role_has_the_rules_of_the_roles_that_all_labels_of_a_selector_select() {
        let role = |name: &str, labels: &str| {
            format!(
                "---
kind: ClusterRole
metadata: {{name: {name}, labels: {{{labels}}}}}
rules: [{{apiGroups: [''], resources: [{name}], verbs: [get]}}]
"
            )
        };
        let mut text = format!(
            "{MANIFESTS}---
kind: ClusterRoleBinding
metadata: {{name: d}}
subjects: [{{kind: ServiceAccount, name: hand, namespace: farm}}]
roleRef: {{kind: ClusterRole, name: sum}}
---
kind: ClusterRole
metadata: {{name: sum}}
aggregationRule: {{clusterRoleSelectors: [{{matchLabels: {{a: x, b: y}}}}, {{matchLabels: {{c: z}}}}]}}
"
        );
        for (name, labels) in [
            ("both", "a: x, b: y, d: w"),
            ("half", "a: x"),
            ("second", "c: z"),
            ("other", "c: y"),
            ("none", ""),
        ] {
            text += &role(name, labels);
        }
        let objects = parse("all.yaml".as_ref(), &text).unwrap();
        let workload = Workload::find(&objects, &Operator::default(), "barn", "default").unwrap();
        let found: Vec<_> = rules(&objects, &workload)
            .into_iter()
            .map(|it| it.role.to_string())
            .collect();
        let expected = [
            "ClusterRole wide",
            "Role narrow",
            "ClusterRole both",
            "ClusterRole second",
        ];
        assert_eq!(found, expected);
    }
}

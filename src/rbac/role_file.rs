//! The rules and markers for a `role.yaml` that rustop did not generate, and a comparison of what
//! two sets of rules grant.

use std::collections::BTreeSet;

use k8s_openapi::api::rbac::v1::PolicyRule;
use serde::Deserialize as _;
use serde_json::Value;

use super::bindings;
use super::roles::OPERATOR;
use super::rule::Rule;

/// The roles of a file.
#[derive(Debug, Default, PartialEq)]
pub struct RoleFile {
    /// The rules of all roles that markers can express, each with the name and the namespace of its
    /// role.
    pub rules: Vec<Rule>,
    /// Roles that markers of a cluster-wide operator cannot express, each as
    /// `Role NAME: it has no namespace`. Their rules are not in `rules`.
    pub unsupported_roles: Vec<String>,
}

/// Reads a `role.yaml`. Its first ClusterRole is the operator's own, whatever its name, and so are
/// Roles of the same name.
///
/// # Errors
/// Returns an error if the text is not YAML, or if the rules of a role cannot be parsed.
pub fn read(text: &str) -> Result<RoleFile, String> {
    let documents: Vec<Value> =
        serde_yaml::from_multiple(text).map_err(|error| error.to_string())?;
    let mut granted = RoleFile::default();
    let name = |document: &Value| document["metadata"]["name"].as_str().map(str::to_owned);
    let mut clusters = documents.iter().filter(|it| it["kind"] == "ClusterRole");
    let own = clusters.find_map(name);
    for document in &documents {
        let called = name(document).unwrap_or_default();
        let namespace = document["metadata"]["namespace"].as_str();
        let unsupported = match document["kind"].as_str() {
            Some("ClusterRole") if !document["aggregationRule"].is_null() => {
                Some("it aggregates the rules of other roles")
            }
            Some("Role") if namespace.is_none() => Some("it has no namespace"),
            Some("ClusterRole" | "Role") => None,
            _ => continue,
        };
        if let Some(why) = unsupported {
            let kind = document["kind"].as_str().unwrap_or_default();
            granted
                .unsupported_roles
                .push(format!("{kind} {called}: {why}"));
            continue;
        }
        let is_own = own.as_ref() == Some(&called);
        let rule = Rule {
            namespace: namespace.map(str::to_owned),
            role_name: (!is_own).then(|| called.clone()),
            ..Rule::default()
        };
        granted.rules.extend(rules_of(document, &rule)?);
    }
    Ok(granted)
}

/// Reads a `role.yaml` that rustop generated. Role names and namespaces are returned as the markers
/// have them.
///
/// # Errors
/// Returns an error if the text is not YAML, or if the rules of a role cannot be parsed.
pub fn read_own(text: &str) -> Result<Vec<Rule>, String> {
    let documents: Vec<Value> =
        serde_yaml::from_multiple(text).map_err(|error| error.to_string())?;
    let mut rules = Vec::new();
    for document in &documents {
        if !matches!(document["kind"].as_str(), Some("ClusterRole" | "Role")) {
            continue;
        }
        let metadata = &document["metadata"];
        let [name, namespace] = ["name", "namespace"].map(|field| metadata[field].as_str());
        let name = bindings::marked_name(name.unwrap_or_default(), namespace);
        let role = Rule {
            namespace: namespace.map(str::to_owned),
            role_name: (name != OPERATOR).then(|| name.to_owned()),
            ..Rule::default()
        };
        rules.extend(rules_of(document, &role)?);
    }
    Ok(rules)
}

/// Returns the rules of a role document. Namespace and role name are copied from `model`.
fn rules_of(document: &Value, model: &Rule) -> Result<Vec<Rule>, String> {
    let name = document["metadata"]["name"].as_str().unwrap_or_default();
    let rules = Option::<Vec<PolicyRule>>::deserialize(&document["rules"]);
    let rules = rules.map_err(|error| format!("role {name}: {error}"))?;
    let rules = rules.unwrap_or_default().into_iter().map(|policy| Rule {
        groups: policy.api_groups.unwrap_or_default(),
        resources: policy.resources.unwrap_or_default(),
        resource_names: policy.resource_names.unwrap_or_default(),
        verbs: policy.verbs,
        urls: policy.non_resource_urls.unwrap_or_default(),
        ..model.clone()
    });
    Ok(rules.collect())
}

/// One permission: namespace, role, group, resource, object name, URL, and verb.
type One<'a> = [&'a str; 7];

/// Expands rules into single permissions. Two sets of rules grant the same if and only if these
/// sets are equal.
pub fn expanded(rules: &[Rule]) -> BTreeSet<One<'_>> {
    let mut all = BTreeSet::new();
    for rule in rules {
        let namespace = rule.namespace.as_deref().unwrap_or_default();
        let role = rule.role_name.as_deref().unwrap_or_default();
        let mut names: Vec<_> = rule.resource_names.iter().map(String::as_str).collect();
        if names.is_empty() {
            names.push("");
        }
        for verb in &rule.verbs {
            for url in &rule.urls {
                all.insert([namespace, role, "", "", "", url, verb]);
            }
            for group in &rule.groups {
                let group = if group == "core" { "" } else { group };
                for resource in &rule.resources {
                    for name in &names {
                        all.insert([namespace, role, group, resource, name, "", verb]);
                    }
                }
            }
        }
    }
    // The verb `*` includes all other verbs on the same subject.
    let whole = all.clone();
    all.retain(|one| {
        let [rest @ .., verb] = one;
        let [namespace, role, group, resource, name, url] = rest;
        *verb == "*" || !whole.contains(&[namespace, role, group, resource, name, url, "*"])
    });
    all
}

/// Returns the marker that declares a rule, without the slashes of a comment:
/// `+kubebuilder:rbac:groups=apps,resources=deployments,verbs=get`.
pub fn marker(rule: &Rule) -> String {
    let one = |value: &Option<String>| value.iter().cloned().collect::<Vec<_>>();
    let arguments = [
        ("groups", rule.groups.clone()),
        ("resources", rule.resources.clone()),
        ("resourceNames", rule.resource_names.clone()),
        ("verbs", rule.verbs.clone()),
        ("urls", rule.urls.clone()),
        ("namespace", one(&rule.namespace)),
        ("roleName", one(&rule.role_name)),
    ];
    let given = arguments
        .iter()
        .filter(|(_, values)| !values.is_empty())
        .map(|(name, values)| {
            let values: Vec<_> = values.iter().map(|value| quoted(value)).collect();
            format!("{name}={}", values.join(";"))
        });
    let given: Vec<_> = given.collect();
    format!("+kubebuilder:rbac:{}", given.join(","))
}

/// Quotes a marker value if necessary.
fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./*".contains(c);
    if !value.is_empty() && value.chars().all(plain) {
        value.to_owned()
    } else {
        format!("{value:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rbac::roles::{roles, text};
    use crate::rbac::rule::{Scope, grants};
    use crate::sources::comments::scan;

    const ROLES: &str = r#"
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: cow-role}
rules:
- {apiGroups: [""], resources: [pods, pods/log], verbs: [get, list]}
- {apiGroups: [apps, ""], resources: ["*"], resourceNames: ["system:cow"], verbs: ["*"]}
- {nonResourceURLs: [/metrics, "/healthz/*"], verbs: [get]}
---
kind: Role
metadata: {name: cow-role, namespace: pasture}
rules:
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create]}
---
kind: Role
metadata: {name: here}
---
kind: ClusterRole
metadata: {name: gathers}
aggregationRule: {}
---
kind: RoleBinding
metadata: {name: other}
"#;

    #[test]
    fn markers_of_a_role_grant_the_same_permissions() {
        let granted = read(ROLES).unwrap();
        assert_eq!(granted.rules.len(), 4);
        assert_eq!(
            granted.unsupported_roles.len(),
            2,
            "{:?}",
            granted.unsupported_roles
        );
        let rust: Vec<_> = granted.rules.iter().map(marker).collect();
        let rust = format!("// {}\n", rust.join("\n// "));
        let scan = scan("lib.rs".as_ref(), &rust);
        let (read_back, problems) = grants(&scan.markers, Scope::Cluster);
        assert!(problems.is_empty(), "{rust}\n{problems:?}");
        let rules: Vec<_> = read_back.into_iter().map(|it| it.rule).collect();
        assert_eq!(expanded(&rules), expanded(&granted.rules), "{rust}");
        // The role generated from the markers grants the same, too.
        let made = text(&roles(&rules, OPERATOR, Scope::Cluster));
        let made = read(&made).unwrap();
        assert_eq!(expanded(&made.rules), expanded(&granted.rules), "{rust}");
    }

    #[test]
    fn a_verb_more_or_less_is_a_difference() {
        let read = |text: &str| read(text).unwrap().rules;
        let all = read(ROLES);
        for (from, to) in [
            ("[get, list]", "[get]"),
            ("pasture", "meadow"),
            ("system:cow", "system:calf"),
            ("/metrics", "/metric"),
            (
                "{apiGroups: [\"\"], resources: [pods, pods/log]",
                "{apiGroups: [apps], resources: [pods, pods/log]",
            ),
        ] {
            assert!(ROLES.contains(from), "{from}");
            let other = read(&ROLES.replace(from, to));
            assert_ne!(expanded(&all), expanded(&other), "{from}");
        }
    }

    #[test]
    fn invalid_roles_are_errors() {
        assert!(read("{").is_err());
        assert!(read("kind: ClusterRole\nmetadata: {name: a}\nrules: 1\n").is_err());
    }
}

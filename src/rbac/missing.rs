//! Compares the requests in an operator's code with the rules of its roles.

use std::collections::BTreeMap;

use super::rule::{Rule, VERBS, scalar};
use crate::apicalls::{Call, qualified};

/// Verbs on one resource that the code requests and that no rule grants.
#[derive(Clone, Debug, PartialEq)]
pub struct Missing<'a> {
    /// The API group; empty for the core group.
    pub group: &'a str,
    /// The resource as a rule names it: `pods/status`.
    pub resource: String,
    /// The verbs, in the customary order.
    pub verbs: Vec<&'a str>,
    /// The requests, in the order of their places.
    pub calls: Vec<&'a Call>,
    pub certainty: Certainty,
    /// The groups in which the roles grant the verbs on a resource of this name.
    pub other_groups: Vec<&'a str>,
    /// The `resourceNames` of the rules that grant the verbs for objects of these names only.
    pub names: Vec<&'a str>,
    /// For [`Certainty::Optional`], the rule that would grant the first request if it applied;
    /// `None` for the others.
    pub optional: Option<&'a Optional>,
}

/// The certainty that the operator lacks verbs.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Certainty {
    /// No rule grants them.
    Certain,
    /// A bound role that the manifests do not contain may grant them.
    AbsentRole,
    /// A rule that does not apply as the manifests are rendered grants them.
    Optional,
}

/// A rule of the manifests that does not apply to the operator as they are rendered.
#[derive(Clone, Debug, PartialEq)]
pub struct Optional {
    pub rule: Rule,
    /// The heading of requests that it grants: `not granted by default`.
    pub heading: &'static str,
    /// The reason why it does not apply.
    pub why: String,
}

/// Returns the requests that none of `rules` grants, one entry for each certainty and resource; the
/// certain ones come first. `optional` are rules that do not apply to the operator as the manifests
/// are rendered. `possible` are all rules that the bound roles may have that the manifests do not
/// contain.
pub fn missing<'a>(
    calls: impl IntoIterator<Item = &'a Call>,
    rules: &'a [Rule],
    optional: &'a [Optional],
    possible: &[Rule],
) -> Vec<Missing<'a>> {
    let mut found: BTreeMap<(Certainty, &str, String), Vec<&Call>> = BTreeMap::new();
    for call in calls {
        if !is_granted(call, rules) {
            let certainty = if granting(call, optional).is_some() {
                Certainty::Optional
            } else if is_granted(call, possible) {
                Certainty::AbsentRole
            } else {
                Certainty::Certain
            };
            let resource = (
                certainty,
                call.resource.group.as_str(),
                call.rule_resource(),
            );
            found.entry(resource).or_default().push(call);
        }
    }
    found
        .into_iter()
        .map(|((certainty, group, resource), mut calls)| {
            calls.sort_by(|a, b| a.place.cmp(&b.place));
            let mut verbs: Vec<_> = calls.iter().map(|call| call.verb.as_str()).collect();
            verbs.sort_by_key(|verb| {
                let known = VERBS.iter().position(|known| known == verb);
                (known.unwrap_or(VERBS.len()), *verb)
            });
            verbs.dedup();
            Missing {
                other_groups: other_groups(&calls, rules),
                names: names(&calls, rules),
                optional: calls.first().and_then(|call| granting(call, optional)),
                group,
                resource,
                verbs,
                calls,
                certainty,
            }
        })
        .collect()
}

/// Returns the groups in which rules grant one of the verbs on a resource of the same name.
fn other_groups<'a>(calls: &[&Call], rules: &'a [Rule]) -> Vec<&'a str> {
    let mut groups: Vec<&str> = rules
        .iter()
        .filter(|rule| {
            calls.iter().any(|call| {
                !has(&rule.groups, &call.resource.group)
                    && rule.resources.contains(&call.rule_resource())
                    && has(&rule.verbs, &call.verb)
            })
        })
        .flat_map(|rule| &rule.groups)
        .map(String::as_str)
        .collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}

/// Returns the names of the rules that grant one of the requests for objects of these names only.
fn names<'a>(calls: &[&Call], rules: &'a [Rule]) -> Vec<&'a str> {
    let is_limited = |rule: &&Rule| calls.iter().any(|call| grants_by_name(rule, call));
    let limited = rules.iter().filter(is_limited);
    let mut names: Vec<_> = limited
        .flat_map(|rule| rule.resource_names.iter().map(String::as_str))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the requests that list or watch objects and that only rules with `resourceNames` grant:
/// the first one for each resource and verb. The API server allows them only if they select one
/// object by its name.
pub fn selecting<'a>(
    calls: impl IntoIterator<Item = &'a Call>,
    rules: &[Rule],
) -> impl Iterator<Item = &'a Call> {
    let is_limited = |rule: &Rule| !rule.resource_names.is_empty();
    let (limited, free): (Vec<_>, Vec<_>) = rules.iter().cloned().partition(is_limited);
    let mut first: BTreeMap<_, &Call> = BTreeMap::new();
    for call in calls {
        let is_selecting = ["list", "watch"].contains(&call.verb.as_str());
        if is_selecting && is_granted(call, &limited) && !is_granted(call, &free) {
            let seen = first.entry((&call.resource, &call.verb)).or_insert(call);
            if call.place < seen.place {
                *seen = call;
            }
        }
    }
    first.into_values()
}

/// Returns the first optional rule that grants a request.
fn granting<'a>(call: &Call, optional: &'a [Optional]) -> Option<&'a Optional> {
    optional.iter().find(|it| grants(&it.rule, call))
}

/// Reports whether one of the rules grants a request.
pub fn is_granted(call: &Call, rules: &[Rule]) -> bool {
    rules.iter().any(|rule| grants(rule, call))
}

fn grants(rule: &Rule, call: &Call) -> bool {
    if rule.resource_names.is_empty() {
        covers(rule, call)
    } else {
        grants_by_name(rule, call) && has_name(call)
    }
}

/// Reports whether a rule grants a request for objects of some names.
fn grants_by_name(rule: &Rule, call: &Call) -> bool {
    !rule.resource_names.is_empty() && covers(rule, call)
}

/// Reports whether a rule grants a request, apart from its `resourceNames`.
fn covers(rule: &Rule, call: &Call) -> bool {
    // A rule in a namespace does not apply to resources without one.
    let is_in_reach = rule.namespace.is_none() || call.resource.namespaced != Some(false);
    is_in_reach
        && has(&rule.groups, &call.resource.group)
        && has(&rule.verbs, &call.verb)
        && rule.resources.iter().any(|name| is_resource(name, call))
}

fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|one| one == "*" || one == name)
}

fn is_resource(name: &str, call: &Call) -> bool {
    match (name.split_once('/'), &call.subresource) {
        _ if name == "*" => true,
        (Some((of, part)), Some(subresource)) => {
            (of == "*" || of == call.resource.plural) && part == subresource
        }
        (None, None) => name == call.resource.plural,
        _ => false,
    }
}

/// Reports whether a request has the name of an object, which a rule with `resourceNames` requires.
/// The names themselves are chosen at run time and are not compared. Requests that list or watch
/// have a name if they select one object.
fn has_name(call: &Call) -> bool {
    match call.verb.as_str() {
        "create" => call.subresource.is_some(),
        "deletecollection" => false,
        _ => true,
    }
}

impl Missing<'_> {
    /// Returns the rule to add, as an item of a role's `rules`.
    pub fn rule(&self) -> String {
        let verbs: Vec<_> = self.verbs.iter().map(|verb| scalar(verb)).collect();
        format!(
            "- apiGroups: [{}]\n  resources: [{}]\n  verbs: [{}]\n",
            scalar(self.group),
            scalar(&self.resource),
            verbs.join(", ")
        )
    }

    /// Returns the resource in the notation of kubectl: `deployments.apps`, `pods/log`.
    pub fn name(&self) -> String {
        qualified(&self.resource, self.group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apicalls::{CodeLine, RequestedResource};

    fn call(verb: &str, resource: &str, group: &str) -> Call {
        let (plural, subresource) = match resource.split_once('/') {
            Some((plural, part)) => (plural, Some(part.to_owned())),
            None => (resource, None),
        };
        Call {
            resource: RequestedResource {
                group: group.to_owned(),
                plural: plural.to_owned(),
                namespaced: Some(plural != "nodes"),
            },
            subresource,
            verb: verb.to_owned(),
            place: CodeLine {
                file: "src/main.rs".into(),
                line: 7,
            },
            why: format!("Api::{verb}"),
        }
    }

    fn rule(groups: &str, resources: &str, verbs: &str, names: &str) -> Rule {
        let list = |text: &str| text.split(',').map(str::to_owned).collect();
        Rule {
            groups: list(groups),
            resources: list(resources),
            verbs: list(verbs),
            resource_names: if names.is_empty() {
                Vec::new()
            } else {
                list(names)
            },
            ..Rule::default()
        }
    }

    #[test]
    fn rules_are_matched_like_in_the_api_server() {
        for (verb, resource, rule, is_granted) in [
            ("get", "pods", rule("", "pods", "get,list", ""), true),
            ("get", "pods", rule("", "pods", "list", ""), false),
            ("get", "pods", rule("apps", "pods", "get", ""), false),
            ("get", "pods", rule("*", "*", "*", ""), true),
            ("get", "pods/log", rule("", "pods", "get", ""), false),
            ("get", "pods/log", rule("", "pods/log", "get", ""), true),
            ("get", "pods/log", rule("", "*/log", "get", ""), true),
            ("get", "pods/log", rule("", "pods/*", "get", ""), false),
            ("get", "pods/log", rule("", "*", "get", ""), true),
            ("get", "pods", rule("", "*/log", "get", ""), false),
            ("get", "pods", rule("", "pods", "get", "one"), true),
            ("create", "pods", rule("", "pods", "create", "one"), false),
            (
                "create",
                "pods/eviction",
                rule("", "pods/eviction", "create", "one"),
                true,
            ),
            (
                "deletecollection",
                "pods",
                rule("", "pods", "*", "one"),
                false,
            ),
        ] {
            let call = call(verb, resource, "");
            assert_eq!(
                grants(&rule, &call),
                is_granted,
                "{verb} {resource} by {rule:?}"
            );
        }
    }

    #[test]
    fn role_in_a_namespace_does_not_grant_nodes() {
        let rule = Rule {
            namespace: Some("infra".to_owned()),
            ..rule("", "*", "*", "")
        };
        assert!(!grants(&rule, &call("get", "nodes", "")));
        assert!(grants(&rule, &call("get", "pods", "")));
    }

    #[test]
    fn one_entry_has_all_verbs_of_a_resource() {
        let calls = [
            call("patch", "deployments", "apps"),
            call("create", "deployments", "apps"),
            call("create", "deployments", "apps"),
            call("patch", "deployments/status", "apps"),
            call("get", "secrets", ""),
        ];
        let rules = [rule("", "secrets", "get", "")];
        let found = missing(&calls, &rules, &[], &[]);
        let rules: Vec<_> = found.iter().map(Missing::rule).collect();
        assert_eq!(
            rules,
            [
                "- apiGroups: [apps]\n  resources: [deployments]\n  verbs: [create, patch]\n",
                "- apiGroups: [apps]\n  resources: [deployments/status]\n  verbs: [patch]\n",
            ]
        );
        assert_eq!(found[0].name(), "deployments.apps");
    }

    #[test]
    fn name_that_is_not_plain_has_quotes() {
        let calls = [call("get", "null", "true")];
        let found = missing(&calls, &[], &[], &[]);
        assert_eq!(
            found[0].rule(),
            "- apiGroups: [\"true\"]\n  resources: [\"null\"]\n  verbs: [get]\n"
        );
        let calls = [call("get", "a\n: b", "c]")];
        let found = missing(&calls, &[], &[], &[]);
        assert_eq!(
            found[0].rule(),
            "- apiGroups: [\"c]\"]\n  resources: [\"a\\n: b\"]\n  verbs: [get]\n"
        );
    }

    #[test]
    fn rule_of_another_group_is_named() {
        let calls = [call("patch", "events", "events.k8s.io")];
        let rules = [rule("", "events", "create,patch", "")];
        let found = missing(&calls, &rules, &[], &[]);
        assert_eq!(found[0].other_groups, [""]);
    }

    #[test]
    fn verbs_of_rules_that_are_not_rendered_are_apart() {
        let calls = [call("get", "jobs", "batch"), call("list", "jobs", "batch")];
        let optional = [Optional {
            rule: rule("batch", "jobs", "get", ""),
            heading: "not granted by default",
            why: "with other values".to_owned(),
        }];
        let found = missing(&calls, &[], &optional, &[]);
        let found: Vec<_> = found
            .iter()
            .map(|it| (it.verbs.join(","), it.certainty))
            .collect();
        assert_eq!(
            found,
            [
                ("list".to_owned(), Certainty::Certain),
                ("get".to_owned(), Certainty::Optional)
            ]
        );
    }

    #[test]
    fn an_absent_role_in_a_namespace_grants_no_nodes() {
        let calls = [call("get", "nodes", ""), call("get", "pods", "")];
        let possible = [Rule {
            namespace: Some("infra".to_owned()),
            ..rule("*", "*", "*", "")
        }];
        let found = missing(&calls, &[], &[], &possible);
        let found: Vec<_> = found
            .iter()
            .map(|it| (it.resource.as_str(), it.certainty))
            .collect();
        assert_eq!(
            found,
            [
                ("nodes", Certainty::Certain),
                ("pods", Certainty::AbsentRole)
            ]
        );
    }
}

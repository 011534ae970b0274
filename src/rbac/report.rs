//! The audit report: denied requests, each with the marker that would allow it, and permissions
//! that were never used.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::audit::{Access, ObservedRequests};
use super::role_file;
use crate::apicalls::qualified;
use crate::rbac::rule::{Rule, VERBS, scalar};

/// The permissions that an operator lacks, and those that it does not use.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Report {
    /// Denied requests, one entry for each group, resource and namespace.
    pub forbidden: Vec<Forbidden>,
    /// Markers or rules for permissions that were not used; `None` before
    /// [`Report::look_for_unused`].
    pub unused: Option<Vec<String>>,
    notation: Notation,
}

/// The form in which a report writes permissions.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Notation {
    /// A marker in a Rust comment, from which rustop generates a role.
    #[default]
    Marker,
    /// An item of a role's `rules`.
    Rule,
}

/// The denied requests for one resource.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Forbidden {
    /// The resource in the notation of kubectl: `deployments.apps`, `pods/log`.
    pub resource: String,
    /// The denied verbs, in the customary order.
    pub verbs: Vec<String>,
    /// The number of denied requests.
    pub times: usize,
    /// The marker or the rule that grants all of the verbs.
    pub marker: String,
    /// The file where it belongs, relative to the project.
    pub file: String,
}

impl Report {
    /// Creates a report of denied requests. `rules` are those of the operator's roles: if one of
    /// them has a namespace, the markers for requests denied in that namespace have it, too.
    /// `place` returns the file in which a permission is added, for the group and the plural of a
    /// resource: a source file with markers, or the file of a role.
    pub fn new(
        observed: &ObservedRequests,
        rules: &[Rule],
        notation: Notation,
        place: impl Fn(&str, &str) -> String,
    ) -> Self {
        let is_named = |namespace: &str| {
            let mut rules = rules.iter();
            rules.any(|rule| rule.namespace.as_deref() == Some(namespace))
        };
        let mut forbidden: BTreeMap<_, (BTreeSet<&str>, usize)> = BTreeMap::new();
        for (access, times) in &observed.forbidden {
            let namespace = Some(access.namespace.as_str()).filter(|it| is_named(it));
            let entry = forbidden
                .entry((access.group.as_str(), access.resource.as_str(), namespace))
                .or_default();
            entry.0.insert(&access.verb);
            entry.1 += times;
        }
        let forbidden =
            forbidden
                .into_iter()
                .map(|((group, resource, namespace), (verbs, times))| {
                    let verbs = ordered(verbs);
                    let rule = Rule {
                        namespace: namespace.map(str::to_owned),
                        ..Rule::default()
                    };
                    Forbidden {
                        resource: qualified(resource, group),
                        marker: grant(notation, &rule, group, resource, &verbs),
                        file: place(group, resource.split('/').next().unwrap_or_default()),
                        verbs,
                        times,
                    }
                });
        Self {
            forbidden: forbidden.collect(),
            unused: None,
            notation,
        }
    }

    /// Sets [`Self::unused`] to the permissions of `rules` that no request used. The result is
    /// meaningful only after the operator has done all of its usual work. `usual` are rules that
    /// are never reported as unused.
    pub fn look_for_unused(&mut self, observed: &ObservedRequests, rules: &[Rule], usual: &[Rule]) {
        self.unused = Some(unused(self.notation, observed, rules, usual));
    }
}

/// Returns a marker or rule for each resource of each role, with the verbs that no request used.
fn unused(
    notation: Notation,
    observed: &ObservedRequests,
    rules: &[Rule],
    usual: &[Rule],
) -> Vec<String> {
    let mut unused: BTreeMap<_, (&Rule, BTreeSet<&str>)> = BTreeMap::new();
    for rule in rules {
        let groups = rule.groups.iter();
        let resources = |group| rule.resources.iter().map(move |resource| (group, resource));
        for (group, resource) in groups.flat_map(resources) {
            let verbs = rule
                .verbs
                .iter()
                .filter(|verb| !is_used(observed, rule, group, resource, verb))
                .filter(|verb| !usual.iter().any(|rule| grants(rule, group, resource, verb)));
            let role = (&rule.namespace, &rule.role_name);
            let (_, unused) = unused
                .entry((role, group, resource))
                .or_insert_with(|| (rule, BTreeSet::new()));
            unused.extend(verbs.map(String::as_str));
        }
    }
    let unused = unused.into_iter();
    unused
        .filter(|(_, (_, verbs))| !verbs.is_empty())
        .map(|((_, group, resource), (rule, verbs))| {
            grant(notation, rule, group, resource, &ordered(verbs))
        })
        .collect()
}

/// Reports whether a rule contains exactly these names; wildcards do not count.
fn grants(rule: &Rule, group: &str, resource: &str, verb: &str) -> bool {
    let has = |names: &[String], name: &str| names.iter().any(|one| one == name);
    has(&rule.groups, group) && has(&rule.resources, resource) && has(&rule.verbs, verb)
}

fn is_used(
    observed: &ObservedRequests,
    rule: &Rule,
    group: &str,
    resource: &str,
    verb: &str,
) -> bool {
    let fits = |rule: &str, observed: &str| rule == "*" || rule == observed;
    let is_there = |observed: &Access| {
        let namespace = rule.namespace.as_ref();
        namespace.is_none_or(|namespace| *namespace == observed.namespace)
    };
    let used = |verb: &str| {
        observed.allowed.keys().any(|a: &Access| {
            is_there(a)
                && fits(group, &a.group)
                && fits(resource, &a.resource)
                && fits(verb, &a.verb)
        })
    };
    // `list` returns everything that `get` would, so removing `get` would gain nothing.
    used(verb) || (verb == "get" && used("list"))
}

/// Returns verbs in the customary order, that of [`VERBS`], with unknown ones last.
fn ordered(verbs: BTreeSet<&str>) -> Vec<String> {
    let place = |verb: &str| {
        VERBS
            .iter()
            .position(|known| *known == verb)
            .unwrap_or(VERBS.len())
    };
    let mut verbs: Vec<_> = verbs.into_iter().map(str::to_owned).collect();
    verbs.sort_by_key(|verb| place(verb));
    verbs
}

/// Returns the marker line, or the rule of a role, that grants verbs on a resource in the role of
/// `rule`.
fn grant(notation: Notation, rule: &Rule, group: &str, resource: &str, verbs: &[String]) -> String {
    if notation == Notation::Rule {
        let verbs: Vec<_> = verbs.iter().map(|verb| scalar(verb)).collect();
        return format!(
            "- {{apiGroups: [{}], resources: [{}], verbs: [{}]}}",
            scalar(group),
            scalar(resource),
            verbs.join(", ")
        );
    }
    let rule = Rule {
        groups: vec![group.to_owned()],
        resources: vec![resource.to_owned()],
        verbs: verbs.to_vec(),
        namespace: rule.namespace.clone(),
        role_name: rule.role_name.clone(),
        ..Rule::default()
    };
    format!("// {}", role_file::marker(&rule))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Forbidden {
            resource,
            verbs,
            times,
            marker,
            file,
        } in &self.forbidden
        {
            let requests = crate::text::count(*times, "request");
            writeln!(
                f,
                "forbidden: {} {resource} ({requests}); add to {file}:\n  {marker}",
                verbs.join(", ")
            )?;
        }
        match self.unused.as_deref() {
            Some([]) if self.forbidden.is_empty() => {
                writeln!(f, "no request was forbidden, and all permissions were used")
            }
            None if self.forbidden.is_empty() => writeln!(
                f,
                "no request was forbidden; unused permissions are listed after a `rustop dev` in which \
                 every sample becomes Ready"
            ),
            Some([]) | None => Ok(()),
            Some(unused) => writeln!(
                f,
                "granted but not used so far (may be needed when a spec shrinks or a child is deleted):\n  {}",
                unused.join("\n  ")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(verb: &str) -> Access {
        Access {
            namespace: "default".into(),
            group: "apps".into(),
            resource: "deployments".into(),
            verb: verb.into(),
        }
    }

    fn rule(verbs: &[&str]) -> Rule {
        Rule {
            groups: vec!["apps".into()],
            resources: vec!["deployments".into()],
            verbs: verbs.iter().map(|verb| (*verb).to_owned()).collect(),
            ..Rule::default()
        }
    }

    fn report(allowed: &[&str], forbidden: &[&str], rules: &[Rule], usual: &[Rule]) -> Report {
        let all = |verbs: &[&str]| verbs.iter().map(|verb| (access(verb), 1)).collect();
        let observed = ObservedRequests {
            allowed: all(allowed),
            forbidden: all(forbidden),
        };
        let mut report = Report::new(&observed, rules, Notation::Marker, |_, _| {
            "src/controllers/lolcow.rs".into()
        });
        assert_eq!(report.unused, None, "not computed yet");
        report.look_for_unused(&observed, rules, usual);
        report
    }

    #[test]
    fn one_marker_grants_all_that_was_forbidden_on_a_resource() {
        let report = report(&[], &["patch", "watch", "create", "list"], &[], &[]);
        assert_eq!(
            report.to_string(),
            "forbidden: list, watch, create, patch deployments.apps (4 requests); add to src/controllers/lolcow.rs:\n  \
             // +kubebuilder:rbac:groups=apps,resources=deployments,verbs=list;watch;create;patch\n"
        );
    }

    #[test]
    fn only_verbs_without_requests_are_unused() {
        let report = report(
            &["list", "watch"],
            &[],
            &[rule(&["get", "list", "watch", "patch", "delete"])],
            &[rule(&["patch"])],
        );
        let delete = "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=delete";
        assert_eq!(report.unused, Some(vec![delete.to_owned()]));
    }

    #[test]
    fn permissions_are_written_as_rules_of_a_role() {
        let observed = ObservedRequests {
            allowed: [(access("list"), 1)].into(),
            forbidden: [(access("patch"), 2)].into(),
        };
        let rules = [rule(&["list", "delete", "watch"])];
        let place = |_: &str, _: &str| "role.yaml".to_owned();
        let mut report = Report::new(&observed, &rules, Notation::Rule, place);
        report.look_for_unused(&observed, &rules, &[]);
        assert_eq!(
            report.to_string(),
            "forbidden: patch deployments.apps (2 requests); add to role.yaml:\n  \
             - {apiGroups: [apps], resources: [deployments], verbs: [patch]}\n\
             granted but not used so far (may be needed when a spec shrinks or a child is deleted):\n  \
             - {apiGroups: [apps], resources: [deployments], verbs: [watch, delete]}\n"
        );
    }

    #[test]
    fn a_star_is_used_by_anything() {
        let report = report(&["list"], &[], &[rule(&["*"])], &[]);
        assert_eq!(report.unused, Some(Vec::new()));
    }

    #[test]
    fn a_namespaced_role_is_used_in_its_namespace() {
        let of = |namespace: &str, role_name: Option<&str>| Rule {
            namespace: Some(namespace.to_owned()),
            role_name: role_name.map(str::to_owned),
            ..rule(&["list", "watch"])
        };
        let rules = [of("default", None), of("infra", Some("extra"))];
        let report = report(&["list", "watch"], &[], &rules, &[]);
        let infra = "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=list;watch,namespace=infra,roleName=extra";
        assert_eq!(report.unused, Some(vec![infra.to_owned()]));
    }

    #[test]
    fn markers_for_namespaced_requests_name_the_namespace() {
        let rules = [Rule {
            namespace: Some("default".to_owned()),
            ..rule(&["get"])
        }];
        let report = report(&[], &["list"], &rules, &[]);
        assert_eq!(
            report.forbidden[0].marker,
            "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=list,namespace=default"
        );
    }
}

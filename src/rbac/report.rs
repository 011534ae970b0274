//! The report: what was forbidden, with the marker that grants it; what was granted and never used.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use k8s_openapi::api::rbac::v1::PolicyRule;

use super::audit::{Access, Asked};
use crate::rbac::rule::VERBS;

/// What the operator lacks, and what it has for nothing.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Report {
    /// For each group and resource, the verbs that were forbidden and how often, and the file where the
    /// marker belongs.
    pub forbidden: Vec<Forbidden>,
    /// Markers for what was granted and not used, if that can be told.
    pub unused: Option<Vec<String>>,
}

/// What was forbidden on one resource.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Forbidden {
    /// `deployments.apps`, `pods/log`.
    pub resource: String,
    /// The verbs.
    pub verbs: Vec<String>,
    /// How many requests were refused.
    pub times: usize,
    /// The marker line that grants all of it.
    pub marker: String,
    /// The source file where the marker belongs, relative to the project.
    pub file: String,
}

impl Report {
    /// What was forbidden. `place` finds the source file that works on a group's resource.
    pub fn new(asked: &Asked, place: impl Fn(&str, &str) -> String) -> Self {
        let mut forbidden: BTreeMap<(&str, &str), (BTreeSet<&str>, usize)> = BTreeMap::new();
        for (access, times) in &asked.forbidden {
            let entry = forbidden
                .entry((&access.group, &access.resource))
                .or_default();
            entry.0.insert(&access.verb);
            entry.1 += times;
        }
        let forbidden = forbidden
            .into_iter()
            .map(|((group, resource), (verbs, times))| {
                let verbs = ordered(verbs);
                Forbidden {
                    resource: if group.is_empty() {
                        resource.to_owned()
                    } else {
                        format!("{resource}.{group}")
                    },
                    marker: marker(group, resource, &verbs),
                    file: place(group, resource.split('/').next().unwrap_or_default()),
                    verbs,
                    times,
                }
            });
        Self {
            forbidden: forbidden.collect(),
            unused: None,
        }
    }

    /// Looks what of the rules of the operator's roles no request used. It means something after an operator
    /// has done what it is for; `usual` are rules that stay whether they are used or not.
    pub fn look_for_unused(&mut self, asked: &Asked, rules: &[PolicyRule], usual: &[PolicyRule]) {
        self.unused = Some(unused(asked, rules, usual));
    }
}

/// The markers of the verbs that no request used, one for each resource of each rule.
fn unused(asked: &Asked, rules: &[PolicyRule], usual: &[PolicyRule]) -> Vec<String> {
    let mut unused: BTreeMap<(String, String), BTreeSet<&str>> = BTreeMap::new();
    for rule in rules {
        let (groups, resources) = (
            rule.api_groups.iter().flatten(),
            rule.resources.iter().flatten(),
        );
        for (group, resource) in
            groups.flat_map(|group| resources.clone().map(move |resource| (group, resource)))
        {
            let verbs = rule
                .verbs
                .iter()
                .filter(|verb| !is_used(asked, group, resource, verb))
                .filter(|verb| !usual.iter().any(|rule| grants(rule, group, resource, verb)));
            unused
                .entry((group.clone(), resource.clone()))
                .or_default()
                .extend(verbs.map(String::as_str));
        }
    }
    let unused = unused.into_iter().filter(|(_, verbs)| !verbs.is_empty());
    unused
        .map(|((group, resource), verbs)| marker(&group, &resource, &ordered(verbs)))
        .collect()
}

/// Whether a rule names just this.
fn grants(rule: &PolicyRule, group: &str, resource: &str, verb: &str) -> bool {
    let has = |names: Option<&Vec<String>>, name: &str| {
        names.is_some_and(|names| names.iter().any(|one| one == name))
    };
    has(rule.api_groups.as_ref(), group)
        && has(rule.resources.as_ref(), resource)
        && has(Some(&rule.verbs), verb)
}

fn is_used(asked: &Asked, group: &str, resource: &str, verb: &str) -> bool {
    let fits = |rule: &str, asked: &str| rule == "*" || rule == asked;
    let used = |verb: &str| {
        asked.allowed.keys().any(|a: &Access| {
            fits(group, &a.group) && fits(resource, &a.resource) && fits(verb, &a.verb)
        })
    };
    // Whoever may list sees all that `get` would show: the one adds nothing to the other.
    used(verb) || (verb == "get" && used("list"))
}

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

fn marker(group: &str, resource: &str, verbs: &[String]) -> String {
    let group = if group.is_empty() { "\"\"" } else { group };
    format!(
        "// +kubebuilder:rbac:groups={group},resources={resource},verbs={}",
        verbs.join(";")
    )
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
            Some([]) if self.forbidden.is_empty() => writeln!(
                f,
                "nothing was forbidden, and nothing granted that was not used"
            ),
            None if self.forbidden.is_empty() => writeln!(
                f,
                "nothing was forbidden; what was granted for nothing shows after a `rustop dev` in which \
                 every sample becomes Ready"
            ),
            Some([]) | None => Ok(()),
            Some(unused) => writeln!(
                f,
                "granted and not used so far (a spec that shrinks or a child that goes may need it):\n  {}",
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
            group: "apps".into(),
            resource: "deployments".into(),
            verb: verb.into(),
        }
    }

    fn rule(verbs: &[&str]) -> PolicyRule {
        PolicyRule {
            api_groups: Some(vec!["apps".into()]),
            resources: Some(vec!["deployments".into()]),
            verbs: verbs.iter().map(|verb| (*verb).to_owned()).collect(),
            ..PolicyRule::default()
        }
    }

    fn report(
        allowed: &[&str],
        forbidden: &[&str],
        rules: &[PolicyRule],
        usual: &[PolicyRule],
    ) -> Report {
        let all = |verbs: &[&str]| verbs.iter().map(|verb| (access(verb), 1)).collect();
        let asked = Asked {
            allowed: all(allowed),
            forbidden: all(forbidden),
        };
        let mut report = Report::new(&asked, |_, _| "src/controllers/lolcow.rs".into());
        assert_eq!(report.unused, None, "nobody has looked");
        report.look_for_unused(&asked, rules, usual);
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
    fn only_what_no_request_used_is_unused() {
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
    fn a_star_is_used_by_anything() {
        let report = report(&["list"], &[], &[rule(&["*"])], &[]);
        assert_eq!(report.unused, Some(Vec::new()));
    }
}

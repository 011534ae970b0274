//! Redundant markers.

use super::resource_text::group_name;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::lints::rbac::IMPLIED;
use crate::project::Project;
use crate::rbac::rule::{Grant, Rule};
use crate::sources::marker::Problem;

/// Reports the markers whose permissions another marker of the same file includes. Of two equal
/// markers, the second is reported.
pub fn check(grants: &[Grant], project: &Project) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for file in grants.chunk_by(|a, b| a.marker.line.path == b.marker.line.path) {
        for (n, grant) in file.iter().enumerate() {
            let implies = |(m, other): &(usize, &Grant)| {
                let first = *m < n || !implies(&grant.rule, &other.rule, project);
                *m != n && first && implies(&other.rule, &grant.rule, project)
            };
            if let Some((_, other)) = file.iter().enumerate().find(implies) {
                let whole = 0..grant.marker.arguments().trim_end().len();
                let number = other.marker.line.number;
                let message = format!("line {number} already grants all of this");
                let diagnostic = grant.marker.diagnostic(Problem::new(whole, message));
                found.push(diagnostic.warning(&IMPLIED).help("remove this marker"));
            }
        }
    }
    found
}

/// Reports whether `rule` includes every permission of `other`, for the same subjects.
fn implies(rule: &Rule, other: &Rule, project: &Project) -> bool {
    let names = &rule.resource_names;
    reaches(rule, other, project)
        && has_all(&rule.groups, &other.groups, |has, group| {
            has == "*" || group_name(has) == group_name(group)
        })
        && has_all(&rule.resources, &other.resources, has_resource)
        && has_all(&rule.verbs, &other.verbs, |has, verb| {
            has == "*" || has == verb
        })
        && has_all(&rule.urls, &other.urls, has_url)
        && (names.is_empty()
            || (!other.resource_names.is_empty()
                && has_all(names, &other.resource_names, |a, b| a == b)))
}

/// Reports whether both rules apply to the same role, or `rule` to the operator's ClusterRole,
/// which holds in every namespace.
fn reaches(rule: &Rule, other: &Rule, project: &Project) -> bool {
    let everywhere = rule.namespace.is_none() && rule.role_name.is_none() && !project.namespaced;
    rule.role_name == other.role_name && (rule.namespace == other.namespace || everywhere)
}

fn has_all(all: &[String], some: &[String], has: impl Fn(&str, &str) -> bool) -> bool {
    some.iter().all(|one| all.iter().any(|of| has(of, one)))
}

/// Reports whether `has` includes `resource`. `*` includes every resource and subresource,
/// `*/scale` the `scale` of each.
fn has_resource(has: &str, resource: &str) -> bool {
    let every = |part: &str| {
        resource
            .split_once('/')
            .is_some_and(|(_, other)| other == part)
    };
    has == "*" || has == resource || has.strip_prefix("*/").is_some_and(every)
}

/// Reports whether `has` includes `url`. `/debug/*` includes every URL below it.
fn has_url(has: &str, url: &str) -> bool {
    has == url
        || has
            .strip_suffix('*')
            .is_some_and(|prefix| url.starts_with(prefix))
}

//! Kinds that the sources watch, write or access with an `Api`, and that no marker grants.

use std::collections::{BTreeMap, BTreeSet};

use super::catalogue::Catalogue;
use super::resource_text::list;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::lints::rbac::NOT_GRANTED;
use crate::rbac::role_file::marker;
use crate::rbac::rule::{Grant, Rule};
use crate::sources::kind_usage::{Role, Use};

/// The verbs that a watching controller needs.
const WATCHING: [&str; 3] = ["get", "list", "watch"];

/// Returns a diagnostic for each kind that is watched or accessed with an `Api` without permission.
/// It points to the first place that watches the kind, or else to the first with an `Api` of it.
/// Kinds that are created or applied without permission get a diagnostic of their own, at the first
/// such place for each set of verbs.
pub fn check(grants: &[Grant], uses: &[Use], catalogue: &Catalogue) -> Vec<Diagnostic> {
    let mut first: BTreeMap<(&str, &str), &Use> = BTreeMap::new();
    let is_request = |used: &&Use| is_watched(used) || used.found.role == Role::Api;
    for used in uses.iter().filter(is_request) {
        if let Some(place) = catalogue.of_type(&used.found.path) {
            let so_far = first.entry(place).or_insert(used);
            if is_watched(used) && !is_watched(so_far) {
                *so_far = used;
            }
        }
    }
    let places = first.into_iter();
    let mut found: Vec<_> = places
        .filter_map(|((group, resource), used)| {
            let objects = only_objects(uses, &used.found.path);
            not_granted(grants, group, resource, used, objects)
        })
        .collect();
    found.extend(written(grants, uses, catalogue));
    found
}

/// Returns a diagnostic for each kind that is written without permission, at the first place for
/// each set of verbs.
fn written(grants: &[Grant], uses: &[Use], catalogue: &Catalogue) -> Vec<Diagnostic> {
    let mut first: BTreeMap<(&str, &str, &[&str]), &Use> = BTreeMap::new();
    for used in uses {
        let Some(needed) = writing(used.found.role) else {
            continue;
        };
        if let Some((group, resource)) = catalogue.of_type(&used.found.path) {
            first.entry((group, resource, needed)).or_insert(used);
        }
    }
    let diagnostics = first
        .into_iter()
        .filter_map(|((group, resource, needed), used)| {
            let missing = missing(grants, group, resource, needed);
            let done = if needed.contains(&"patch") {
                "applied"
            } else {
                "created"
            };
            let message = format!(
                "`{resource}` are {done} here, but no marker grants {}",
                list(&missing)
            );
            let rule = rule(group, resource, &missing);
            (!missing.is_empty()).then(|| diagnostic(used, message, &rule))
        });
    diagnostics.collect()
}

/// Returns the verbs that a write needs, or `None` if the use is not a write. Server-side apply
/// creates missing objects.
fn writing(role: Role) -> Option<&'static [&'static str]> {
    match role {
        Role::Created => Some(&["create"]),
        Role::Applied => Some(&["create", "patch"]),
        _ => None,
    }
}

/// Returns those of `verbs` that no marker grants on a resource.
fn missing<'a>(grants: &[Grant], group: &str, resource: &str, verbs: &[&'a str]) -> Vec<&'a str> {
    let has = |verb: &&str| {
        let is_meant = |given: &String| given == "*" || given == verb;
        let mut about = grants
            .iter()
            .filter(|grant| is_about(grant, group, resource));
        about.any(|grant| grant.rule.verbs.iter().any(is_meant))
    };
    verbs.iter().copied().filter(|verb| !has(verb)).collect()
}

fn is_about(grant: &Grant, group: &str, resource: &str) -> bool {
    let mut resources = grant.rule.resources.iter();
    grant.groups().any(|name| name == group || name == "*")
        && resources.any(|name| name == resource || name == "*")
}

/// Returns the names of the objects to which all watches of a kind are limited; none if a watch or
/// an `Api` may read other objects.
fn only_objects(uses: &[Use], path: &str) -> Vec<String> {
    let reads =
        |used: &&Use| used.found.path == path && (is_watched(used) || used.found.role == Role::Api);
    let names = uses
        .iter()
        .filter(reads)
        .map(|used| used.found.object.clone());
    let names: Option<BTreeSet<String>> = names.collect();
    names.into_iter().flatten().collect()
}

fn not_granted(
    grants: &[Grant],
    group: &str,
    resource: &str,
    used: &Use,
    objects: Vec<String>,
) -> Option<Diagnostic> {
    let missing = missing(grants, group, resource, &WATCHING);
    let is_granted = grants.iter().any(|grant| is_about(grant, group, resource));
    let message = if is_watched(used) && !missing.is_empty() {
        format!(
            "`{resource}` are watched here, but no marker grants {}",
            list(&missing)
        )
    } else if !is_watched(used) && !is_granted {
        format!("the code has an `Api` for `{resource}` here, but no marker grants any verb")
    } else {
        return None;
    };
    let rule = rule(group, resource, &missing);
    let rule = Rule {
        resource_names: objects,
        ..rule
    };
    Some(diagnostic(used, message, &rule))
}

fn rule(group: &str, resource: &str, missing: &[&str]) -> Rule {
    Rule {
        groups: vec![group.to_owned()],
        resources: vec![resource.to_owned()],
        verbs: missing.iter().map(ToString::to_string).collect(),
        ..Rule::default()
    }
}

fn diagnostic(used: &Use, message: String, rule: &Rule) -> Diagnostic {
    let marker = marker(rule);
    let place = &used.place;
    let diagnostic = Diagnostic::at(&place.line, place.span.clone(), message);
    diagnostic
        .warning(&NOT_GRANTED)
        .help(format!("add `// {marker}`"))
}

fn is_watched(used: &Use) -> bool {
    matches!(used.found.role, Role::Watched | Role::WatchedWhole)
}

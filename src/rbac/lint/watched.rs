//! Kinds that the sources watch, or have an `Api` for, and no marker grants.

use std::collections::BTreeMap;

use super::catalogue::Catalogue;
use super::words::{list, quoted};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::lints::rbac::NOT_GRANTED;
use crate::rbac::rule::Grant;
use crate::sources::uses::{Role, Use};

/// What a controller needs for a kind that it watches.
const WATCHING: [&str; 3] = ["get", "list", "watch"];

/// One diagnostic for each kind, at the first place that watches it, or else has an `Api` for it.
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
    places
        .filter_map(|((group, resource), used)| not_granted(grants, group, resource, used))
        .collect()
}

fn not_granted(grants: &[Grant], group: &str, resource: &str, used: &Use) -> Option<Diagnostic> {
    let about = |grant: &&Grant| {
        grant.groups().any(|name| name == group || name == "*")
            && grant
                .rule
                .resources
                .iter()
                .any(|name| name == resource || name == "*")
    };
    let about: Vec<_> = grants.iter().filter(about).collect();
    let has = |verb: &&str| {
        let is_meant = |given: &String| given == "*" || given == verb;
        about
            .iter()
            .any(|grant| grant.rule.verbs.iter().any(is_meant))
    };
    let missing: Vec<_> = WATCHING.into_iter().filter(|verb| !has(verb)).collect();
    let message = if is_watched(used) && !missing.is_empty() {
        format!(
            "`{resource}` are watched here, and no marker grants {}",
            list(&missing)
        )
    } else if !is_watched(used) && about.is_empty() {
        format!("there is an `Api` for `{resource}` here, and no marker grants anything on them")
    } else {
        return None;
    };
    let marker = format!(
        "// +kubebuilder:rbac:groups={},resources={resource},verbs={}",
        quoted(group),
        missing.join(";")
    );
    let place = &used.place;
    let diagnostic = Diagnostic::at(&place.line, place.span.clone(), message);
    Some(
        diagnostic
            .warning(&NOT_GRANTED)
            .help(format!("add `{marker}`")),
    )
}

fn is_watched(used: &Use) -> bool {
    matches!(used.found.role, Role::Watched | Role::WatchedWhole)
}

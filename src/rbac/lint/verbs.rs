//! Verbs that never occur in a request for the marker's resources.

use super::catalogue::Catalogue;
use super::resource_text::{list, without_part};
use crate::diagnostic::lints::rbac::{NAMED_CREATE, UNKNOWN_VERB};
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::rbac::rule::{Grant, VERBS};
use crate::sources::marker::Text;

/// The verbs of non-resource URLs: the HTTP methods.
const METHODS: [&str; 7] = ["get", "head", "post", "put", "patch", "delete", "options"];

const RBAC: &str = "rbac.authorization.k8s.io";

/// Verbs that the API server checks for a few resources only: verb, group and resources.
const SPECIAL: [(&str, &str, &[&str]); 10] = [
    ("approve", "certificates.k8s.io", &["signers"]),
    ("attest", "certificates.k8s.io", &["signers"]),
    ("bind", RBAC, &["clusterroles", "roles"]),
    ("escalate", RBAC, &["clusterroles", "roles"]),
    ("impersonate", "", &["groups", "serviceaccounts", "users"]),
    (
        "impersonate",
        "authentication.k8s.io",
        &["uids", "userextras"],
    ),
    ("sign", "certificates.k8s.io", &["signers"]),
    // Checked by components other than the API server itself.
    ("use", "policy", &["podsecuritypolicies"]),
    (
        "use",
        "security.openshift.io",
        &["securitycontextconstraints"],
    ),
    ("request-serviceaccounts-token-audience", "", &["*"]),
];

/// Frequent mistakes for verbs, with the correct ones.
const OTHER_NAMES: [(&str, &str); 6] = [
    ("apply", "patch"),
    ("post", "create"),
    ("put", "update"),
    ("read", "get"),
    ("remove", "delete"),
    ("write", "create;update;patch"),
];

/// Reports verbs that grant nothing.
pub fn check(grant: &Grant, catalogue: &Catalogue) -> Vec<Diagnostic> {
    let verbs = grant.values("verbs").iter();
    verbs
        .filter_map(|verb| unknown(grant, verb, catalogue).or_else(|| named(grant, verb)))
        .collect()
}

fn unknown(grant: &Grant, verb: &Text, catalogue: &Catalogue) -> Option<Diagnostic> {
    let word = verb.text.as_str();
    let warn = |message: String, help: String| {
        Some(grant.at(verb, message).warning(&UNKNOWN_VERB).help(help))
    };
    if !grant.rule.urls.is_empty() {
        if word == "*" || METHODS.contains(&word) {
            return None;
        }
        let help = format!("the verbs of URLs are {}", list(METHODS));
        return warn(format!("URLs do not support the verb `{word}`"), help);
    }
    if word == "*" || VERBS.contains(&word) || is_constrained_impersonation(word) {
        return None;
    }
    if is_special(grant, word) {
        return None;
    }
    // Other groups may define verbs that rustop does not know.
    let is_known = grant
        .groups()
        .all(|group| catalogue.resources(group).is_some());
    let elsewhere = SPECIAL.iter().find(|(special, ..)| *special == word);
    if let Some((_, group, resources)) = elsewhere.filter(|_| is_known) {
        let help = format!("it is one of {} in `{group}`", list(*resources));
        return warn(
            format!("these resources do not support the verb `{word}`"),
            help,
        );
    }
    let meant = OTHER_NAMES.iter().find(|(other, _)| *other == word);
    let meant = meant
        .map(|(_, verb)| *verb)
        .or_else(|| did_you_mean(word, &VERBS));
    match meant {
        Some(meant) => warn(
            format!("unknown verb `{word}`"),
            format!("did you mean `{meant}`?"),
        ),
        None if is_known => warn(
            format!("unknown verb `{word}`"),
            format!("the verbs are {}", list(VERBS)),
        ),
        None => None,
    }
}

/// Reports whether a verb is one of constrained impersonation, such as `impersonate:user-info` or
/// `impersonate-on:serviceaccount:get`.
fn is_constrained_impersonation(verb: &str) -> bool {
    verb.starts_with("impersonate:") || verb.starts_with("impersonate-on:")
}

/// Reports whether a verb is a special verb of one of the marker's resources.
pub fn is_special(grant: &Grant, verb: &str) -> bool {
    let is_here = |group: &str, resources: &[&str]| {
        let is_meant = |name: &str| name == "*" || resources.contains(&name) || resources == ["*"];
        let mut named = grant.rule.resources.iter();
        grant.groups().any(|name| name == group || name == "*")
            && named.any(|name| is_meant(without_part(name)))
    };
    SPECIAL
        .iter()
        .any(|(special, group, resources)| *special == verb && is_here(group, resources))
}

/// Reports `create` and `deletecollection` with `resourceNames`: their requests contain no name.
/// `create` of a subresource is an exception, since its URL contains the name, as for `pods/exec`.
fn named(grant: &Grant, verb: &Text) -> Option<Diagnostic> {
    let word = verb.text.as_str();
    let of_whole = grant.rule.resources.iter().all(|name| !name.contains('/'));
    let never = word == "deletecollection" || (word == "create" && of_whole);
    if grant.rule.resource_names.is_empty() || !never {
        return None;
    }
    let message = format!("`{word}` is never allowed by a rule with `resourceNames`");
    let help = format!("write a second marker without names and with `verbs={word}`");
    Some(grant.at(verb, message).warning(&NAMED_CREATE).help(help))
}

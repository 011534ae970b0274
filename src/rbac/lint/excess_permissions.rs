//! Markers that grant more than an operator needs.

use super::catalogue::Catalogue;
use super::resource_text::without_part;
use super::verbs::is_special;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::lints::rbac::{CLUSTER_SECRETS, ESCALATION, WILDCARD};
use crate::project::Project;
use crate::rbac::rule::{Grant, VERBS};

/// Verbs that allow an operator to obtain any other permission.
const ESCALATING: [&str; 3] = ["bind", "escalate", "impersonate"];

/// Reports wildcards, and cluster-wide permissions that should be limited.
pub fn check(grant: &Grant, catalogue: &Catalogue, project: &Project) -> Vec<Diagnostic> {
    let mut found = stars(grant, catalogue);
    let cluster = grant.rule.namespace.is_none() && !project.namespaced;
    if cluster && grant.rule.resource_names.is_empty() {
        found.extend(cluster_wide(grant));
    }
    found
}

/// Reports the wildcard `*` in groups, resources and verbs.
fn stars(grant: &Grant, catalogue: &Catalogue) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut star = |argument: &str, message: &str, help: String| {
        let value = grant
            .values(argument)
            .iter()
            .find(|value| value.text == "*");
        let diagnostic = value.map(|value| grant.at(value, message.to_owned()));
        found.extend(diagnostic.map(|found| found.warning(&WILDCARD).help(help)));
    };
    star(
        "groups",
        "every API group, whatever is installed",
        "name the groups: `groups=apps;batch`".into(),
    );
    let of_groups = grant
        .groups()
        .filter_map(|group| catalogue.resources(group))
        .flatten();
    let names: Vec<_> = of_groups.map(String::as_str).collect();
    if !names.is_empty() {
        let help = format!("list the needed ones: `resources={}`", names.join(";"));
        star("resources", "every resource of the API group", help);
    }
    let verbs = if grant.rule.urls.is_empty() {
        VERBS.join(";")
    } else {
        "get;post".to_owned()
    };
    star(
        "verbs",
        "every verb",
        format!("list the needed ones: `verbs={verbs}`"),
    );
    found
}

fn cluster_wide(grant: &Grant) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let less = "narrow it with `namespace=…` or `resourceNames=…`";
    let secrets = grant
        .values("resources")
        .iter()
        .find(|value| without_part(&value.text) == "secrets");
    if let Some(secrets) = secrets.filter(|_| grant.groups().any(str::is_empty)) {
        let message = "the Secrets of every namespace".to_owned();
        found.push(
            grant
                .at(secrets, message)
                .warning(&CLUSTER_SECRETS)
                .help(less),
        );
    }
    for verb in grant.values("verbs") {
        let word = verb.text.as_str();
        if !ESCALATING.contains(&word) || !is_special(grant, word) {
            continue;
        }
        let message = format!(
            "`{word}` in the whole cluster allows the operator to grant itself any permission"
        );
        found.push(grant.at(verb, message).warning(&ESCALATION).help(less));
    }
    found
}

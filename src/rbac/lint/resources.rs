//! Resources that do not exist in the API group of their marker.

use super::catalogue::{Catalogue, PARTS};
use super::resource_text::{list, quoted, without_part};
use crate::diagnostic::lints::rbac::UNKNOWN_RESOURCE;
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::rbac::rule::Grant;
use crate::sources::marker::Text;

/// Reports resources that none of the marker's groups has, and groups that have none of its
/// resources.
pub fn check(grant: &Grant, catalogue: &Catalogue) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    // For this verb, the API server checks the token's audience in place of a resource.
    let audience = "request-serviceaccounts-token-audience";
    if grant.rule.verbs.iter().any(|verb| verb == audience) {
        return found;
    }
    let resources = grant.values("resources");
    for resource in resources {
        if !grant
            .groups()
            .any(|group| catalogue.may_have(group, &resource.text))
        {
            found.push(unknown(grant, resource, catalogue));
        }
    }
    if !found.is_empty() {
        return found;
    }
    for (value, group) in grant.values("groups").iter().zip(grant.groups()) {
        let message = if let Some(help) = catalogue.instead_of(group) {
            let diagnostic = grant.at(value, format!("unknown API group `{group}`"));
            found.push(diagnostic.warning(&UNKNOWN_RESOURCE).help(help));
            continue;
        } else if resources
            .iter()
            .any(|resource| catalogue.may_have(group, &resource.text))
        {
            continue;
        } else {
            format!(
                "the API group `{}` has none of these resources",
                quoted(group)
            )
        };
        let help = "remove it; a marker grants each of its resources in each of its groups";
        found.push(
            grant
                .at(value, message)
                .warning(&UNKNOWN_RESOURCE)
                .help(help),
        );
    }
    found
}

fn unknown(grant: &Grant, resource: &Text, catalogue: &Catalogue) -> Diagnostic {
    let name = without_part(&resource.text);
    let groups: Vec<_> = grant.groups().collect();
    let groups_have = match &groups[..] {
        [group] => format!("the API group `{}` has", quoted(group)),
        groups => format!(
            "the API groups {} have",
            list(groups.iter().map(|group| quoted(group)))
        ),
    };
    let has = groups.iter().find(|group| catalogue.may_have(group, name));
    let elsewhere = catalogue.groups_of(name).into_iter().map(quoted);
    let elsewhere: Vec<_> = elsewhere.collect();
    let (message, help) = if let Some(group) = has {
        let part = resource.text.split_once('/').map_or("", |(_, part)| part);
        let help = if catalogue.is_own(group) {
            "a kind of the project has `status`, `scale` and `finalizers`".to_owned()
        } else {
            did_you_mean(part, &PARTS).map_or_else(
                || format!("the subresources are {}", list(PARTS)),
                |meant| format!("did you mean `{name}/{meant}`?"),
            )
        };
        (
            format!(
                "`{name}` of `{}` have no subresource `{part}`",
                quoted(group)
            ),
            help,
        )
    } else if let Some((since, minor)) =
        groups.iter().find_map(|group| catalogue.later(group, name))
    {
        (
            format!("`{name}` require Kubernetes 1.{since} or later, but the project is for 1.{minor}"),
            "set `kubernetesVersion` in PROJECT, and the feature of k8s-openapi in Cargo.toml to match"
                .to_owned(),
        )
    } else if let [group] = &elsewhere[..] {
        (
            format!("{groups_have} no `{name}`"),
            format!("they are in another group: write `groups={group}`"),
        )
    } else if elsewhere.is_empty() {
        let known: Vec<_> = groups
            .iter()
            .filter_map(|group| catalogue.resources(group))
            .flatten()
            .collect();
        let words: Vec<_> = known.iter().map(|name| name.as_str()).collect();
        let help = did_you_mean(name, &words).map_or_else(
            || format!("it has {}", list(&words)),
            |meant| format!("did you mean `{meant}`?"),
        );
        (format!("{groups_have} no `{name}`"), help)
    } else {
        (
            format!("{groups_have} no `{name}`"),
            format!("they are in {}", list(&elsewhere)),
        )
    };
    grant
        .at(resource, message)
        .warning(&UNKNOWN_RESOURCE)
        .help(help)
}

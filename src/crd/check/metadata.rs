//! Checks of a CRD's labels and annotations, including the approval annotation required for
//! protected groups.

use std::collections::BTreeMap;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::crd::finding::CrdProblem;
use crate::names::is_protected;
use crate::names::labels::{is_name, is_qualified_name};

/// The annotation that states whether the Kubernetes API reviewers approved a CRD in a protected
/// group.
const APPROVED: &str = "api-approved.kubernetes.io";

/// Maximum size in bytes of all annotations together.
const MOST_ANNOTATED: usize = 256 << 10;

const KEY: &str = "write `name` or `my.domain/name`; a name has letters, digits, `-`, `_` and `.`, at most 63, and \
    begins and ends with a letter or digit";

/// Reports everything wrong with a CRD's labels and annotations.
pub fn check(crd: &CustomResourceDefinition, found: &mut Vec<CrdProblem>) {
    let none = BTreeMap::new();
    let labels = crd.metadata.labels.as_ref().unwrap_or(&none);
    let annotations = crd.metadata.annotations.as_ref().unwrap_or(&none);
    let mut say = |message: String, help: &str| {
        found.push(CrdProblem::of_crd(message).help(help));
    };
    for (key, value) in labels {
        if !is_qualified_name(key) {
            say(format!("`{key}` is not a valid label key"), KEY);
        }
        if !value.is_empty() && !is_name(value) {
            say(
                format!("`{value}` is not a valid value of the label `{key}`"),
                "letters, digits, `-`, `_` and `.`, at most 63, starting and ending with a letter or digit",
            );
        }
    }
    // The API server does not require keys of annotations to be lower case.
    for key in annotations
        .keys()
        .filter(|key| !is_qualified_name(&key.to_lowercase()))
    {
        say(format!("`{key}` is not a valid annotation key"), KEY);
    }
    let size = annotations
        .iter()
        .map(|(key, value)| key.len() + value.len());
    if size.sum::<usize>() > MOST_ANNOTATED {
        let message = format!("the annotations have more than {MOST_ANNOTATED} bytes together");
        say(message, "store long texts elsewhere");
    }
    let group = &crd.spec.group;
    let approval = annotations.get(APPROVED).map(String::as_str);
    if is_protected(group) && !approval.is_some_and(is_approval) {
        say(
            format!(
                "the group `{group}` belongs to Kubernetes, so its CRDs need the annotation `{APPROVED}` with their approval"
            ),
            "write `annotation(\"api-approved.kubernetes.io\", \"https://..\")` in `#[kube(..)]`, with the pull \
             request, or \"unapproved\"; or choose another group",
        );
    }
}

/// Returns true for a URL or a value that starts with `unapproved`.
fn is_approval(value: &str) -> bool {
    let url = value.split_once("://");
    let has_host = |(scheme, rest): (&str, &str)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && rest.starts_with(|c: char| c.is_ascii_alphanumeric())
    };
    value.starts_with("unapproved") || url.is_some_and(has_host)
}

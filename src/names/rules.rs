//! The rules for names. The error of a rule is the predicate of a sentence about an invalid name:
//! `must not be empty`.

use super::rust::{RESERVED_PROJECT_NAMES, is_rust_keyword};
use crate::text::is_unprintable;

/// The longest suffix that the files in `config/` append to a project's name in a label: that of
/// the Deployment.
pub const LONGEST_SUFFIX: &str = "-controller-manager";

/// Checks that a name can be resolved by DNS: an [`object_name`] with labels of at most 63
/// characters.
pub fn subdomain(value: &str) -> Result<(), String> {
    object_name(value)?;
    match value.split('.').find(|label| label.len() > 63) {
        Some(label) => Err(format!(
            "has a label of {} characters, more than the 63 of DNS",
            label.len()
        )),
        None => Ok(()),
    }
}

/// Checks a DNS subdomain in the sense of Kubernetes (RFC 1123): at most 253 characters, in parts
/// joined by `.`, with lower-case letters, digits and inner `-`. In contrast to DNS, a part may
/// have more than 63 characters.
pub fn object_name(value: &str) -> Result<(), String> {
    if value.is_empty() {
        return Err("must not be empty".into());
    }
    if value.len() > 253 {
        return Err(format!(
            "has {} characters, more than the 253 of a DNS name",
            value.len()
        ));
    }
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_part = |part: &str| {
        part.starts_with(inner)
            && part.ends_with(inner)
            && part.chars().all(|c| inner(c) || c == '-')
    };
    if value.split('.').all(is_part) {
        return Ok(());
    }
    Err(
        "must be a DNS subdomain: lower-case letters, digits and `-`, in parts joined by `.`, \
         each beginning and ending with a letter or digit"
            .into(),
    )
}

/// Checks an image reference, which must have a tag or a digest. Without either, the image would
/// change with every push. <https://github.com/distribution/reference>
pub fn image(value: &str) -> Result<(), String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._-/:@".contains(c);
    if !value.starts_with(|c: char| c.is_ascii_alphanumeric()) || !value.chars().all(is_part) {
        return Err("must be an image, such as `nginx:1.29`".into());
    }
    let name = value.rsplit('/').next().unwrap_or_default();
    match name.split_once([':', '@']) {
        Some((name, version)) if !name.is_empty() && !version.is_empty() => Ok(()),
        _ => Err("has no version: add a tag, as in `nginx:1.29`, or a digest".into()),
    }
}

/// Reports whether a group is reserved for Kubernetes: the API server accepts its CRDs only with an
/// approval annotation.
pub fn is_protected(group: &str) -> bool {
    let mut owned = ["k8s.io", "kubernetes.io"].into_iter();
    owned.any(|owned| group == owned || group.ends_with(&format!(".{owned}")))
}

/// Checks that a version has a form that Kubernetes can sort by priority.
/// <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority>
pub fn version(value: &str) -> Result<(), String> {
    let number = |text: &str| {
        !text.is_empty()
            && text.len() < 10
            && !text.starts_with('0')
            && text.bytes().all(|b| b.is_ascii_digit())
    };
    let rest = value.strip_prefix('v');
    let passes = rest.is_some_and(|rest| {
        ["alpha", "beta"]
            .iter()
            .find_map(|stage| rest.split_once(stage))
            .map_or_else(
                || number(rest),
                |(major, minor)| number(major) && number(minor),
            )
    });
    passes
        .then_some(())
        .ok_or_else(|| "must read like `v1`, `v1alpha1` or `v2beta3`".into())
}

/// Checks that a kind is valid both in Kubernetes and as a Rust type.
pub fn kind(value: &str) -> Result<(), String> {
    if !value.starts_with(|c: char| c.is_ascii_uppercase())
        || !value.chars().all(|c| c.is_ascii_alphanumeric())
    {
        return Err(
            "must be PascalCase: a capital letter, then letters and digits, as in `CronJob`".into(),
        );
    }
    if value.len() > 63 {
        return Err(format!(
            "has {} characters, more than the 63 of a Kubernetes label",
            value.len()
        ));
    }
    if value == "Self" {
        return Err("is a keyword that no Rust type can use as its name".into());
    }
    Ok(())
}

/// Checks that the API server accepts a kind, and that a Rust type name can be derived from it.
pub fn any_kind(value: &str) -> Result<(), String> {
    if value.starts_with(|c: char| c.is_ascii_lowercase()) {
        return label(&value.to_ascii_lowercase());
    }
    kind(value)
}

/// Checks an RFC 1035 label, which begins with a letter.
pub fn label(value: &str) -> Result<(), String> {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    if value.is_empty() || value.len() > 63 {
        return Err("must have 1 to 63 characters".into());
    }
    if !value.starts_with(|c: char| c.is_ascii_lowercase())
        || !value.ends_with(inner)
        || !value.chars().all(|c| inner(c) || c == '-')
    {
        return Err("must be lower-case letters, digits and `-`, beginning with a letter".into());
    }
    Ok(())
}

/// Checks a project name. It must also be a valid crate name, and the names derived from it must be
/// valid labels.
pub fn project_name(value: &str) -> Result<(), String> {
    label(value)?;
    let most = 63 - LONGEST_SUFFIX.len();
    if value.len() > most {
        return Err(format!(
            "has {} characters; with more than {most} the Deployment `<name>{LONGEST_SUFFIX}` has no valid name",
            value.len()
        ));
    }
    if is_rust_keyword(&value.replace('-', "_")) {
        return Err("is a keyword of Rust and cannot be the name of a crate".into());
    }
    if RESERVED_PROJECT_NAMES.contains(&value) {
        return Err(
            "is the name of a crate that the project uses or of one of Cargo's directories".into(),
        );
    }
    Ok(())
}

/// Checks a copyright holder: one line of text without invisible characters.
pub fn owner(value: &str) -> Result<(), String> {
    if value.trim().is_empty() || value.trim() != value {
        return Err("must not start or end with a space".into());
    }
    if value.contains(is_unprintable) || value.chars().count() > 200 {
        return Err("must be one line of at most 200 visible characters".into());
    }
    Ok(())
}

/// Returns the host of a URL, or of a text that may be one, in lower case.
pub fn lower_host(value: &str) -> String {
    let value = value.trim().to_lowercase();
    let host = value
        .split_once("://")
        .map_or(value.as_str(), |(_, rest)| rest);
    host.split(['/', ':'])
        .next()
        .unwrap_or_default()
        .replace('_', "-")
        .trim_matches('.')
        .to_owned()
}

//! What each word must be.

use super::rust::{TAKEN_CRATES, is_rust_word};

/// The longest label that `config/` makes of a project's name: its Deployment's.
pub const LONGEST_SUFFIX: &str = "-controller-manager";

/// What can be looked up in DNS: an [`object_name`] with labels of at most 63 characters.
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

/// What Kubernetes calls a DNS subdomain (RFC 1123): at most 253 characters, lower case, digits and `-`
/// inside, parts joined by `.`. Other than in DNS, a part may be as long as the whole.
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

/// A reference of an image by a tag or a digest. Without either it would be another image whenever somebody pushes one.
/// <https://github.com/distribution/reference>
pub fn image(value: &str) -> Result<(), String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._-/:@".contains(c);
    if !value.starts_with(|c: char| c.is_ascii_alphanumeric()) || !value.chars().all(is_part) {
        return Err("must be an image, such as `nginx:1.29`".into());
    }
    let name = value.rsplit('/').next().unwrap_or_default();
    match name.split_once([':', '@']) {
        Some((name, version)) if !name.is_empty() && !version.is_empty() => Ok(()),
        _ => Err("names no version: add a tag, as in `nginx:1.29`, or a digest".into()),
    }
}

/// Whether a group is Kubernetes' own, of which the API server takes CRDs only with an approval.
pub fn is_protected(group: &str) -> bool {
    let mut owned = ["k8s.io", "kubernetes.io"].into_iter();
    owned.any(|owned| group == owned || group.ends_with(&format!(".{owned}")))
}

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

/// What Rust and Kubernetes take for a kind.
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
        return Err("is the one word that no Rust type can be called".into());
    }
    Ok(())
}

/// What the API server takes for a kind, as far as a Rust type can be called after it.
pub fn any_kind(value: &str) -> Result<(), String> {
    if value.starts_with(|c: char| c.is_ascii_lowercase()) {
        return label(&value.to_ascii_lowercase());
    }
    kind(value)
}

/// RFC 1035: a label that begins with a letter.
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

/// A label, in all that is made of it, and a crate.
pub fn project_name(value: &str) -> Result<(), String> {
    label(value)?;
    let most = 63 - LONGEST_SUFFIX.len();
    if value.len() > most {
        return Err(format!(
            "has {} characters; with more than {most} the Deployment `<name>{LONGEST_SUFFIX}` has no valid name",
            value.len()
        ));
    }
    if is_rust_word(&value.replace('-', "_")) {
        return Err("is a word of Rust, so no crate can be called that".into());
    }
    if TAKEN_CRATES.contains(&value) {
        return Err(
            "is the name of a crate that the project uses or of one of Cargo's directories".into(),
        );
    }
    Ok(())
}

/// A line of text.
pub fn owner(value: &str) -> Result<(), String> {
    if value.trim().is_empty() || value.trim() != value {
        return Err("must be text without space at its ends".into());
    }
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if value.chars().any(breaks) || value.chars().count() > 200 {
        return Err("must be one line of at most 200 characters".into());
    }
    Ok(())
}

/// The host of what may be a URL.
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

//! The words a user gives, parsed once: whoever holds a [`Kind`] need not ask whether it is one.
//!
//! Each type has one rule, the strictest of all that the word must pass later: Kubernetes' for names
//! (RFC 1123 and 1035 labels, the API conventions), Cargo's for packages, Rust's for identifiers.

pub mod labels;
mod plural;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A word that breaks its rule: what it was meant to be, what it is, the rule and, where one can be
/// worked out, a word that would pass.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error("{what} {value:?} {rule}{}", suggestion.as_ref().map(|s| format!("; did you mean `{s}`?")).unwrap_or_default())]
pub struct NameError {
    what: &'static str,
    value: String,
    rule: String,
    suggestion: Option<String>,
}

/// Checks one word; `Err` holds the rule it breaks.
type Check = fn(&str) -> Result<(), String>;

macro_rules! name {
    ($(#[$doc:meta])* $type:ident, $what:literal, $check:expr, $mend:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize, schemars::JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        #[schemars(with = "String")]
        pub struct $type(String);

        impl $type {
            /// The word itself.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $type {
            type Err = NameError;

            fn from_str(value: &str) -> Result<Self, NameError> {
                let check: Check = $check;
                let mend: fn(&str) -> String = $mend;
                match check(value) {
                    Ok(()) => Ok(Self(value.to_owned())),
                    Err(rule) => {
                        let mended = mend(value);
                        Err(NameError {
                            what: $what,
                            value: value.to_owned(),
                            rule,
                            suggestion: (mended != value && check(&mended).is_ok()).then_some(mended),
                        })
                    }
                }
            }
        }

        impl TryFrom<String> for $type {
            type Error = NameError;

            fn try_from(value: String) -> Result<Self, NameError> {
                value.parse()
            }
        }

        impl From<$type> for String {
            fn from(name: $type) -> Self {
                name.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name!(
    /// The suffix of every API group of a project: a DNS subdomain such as `my.domain`.
    Domain, "domain", subdomain, lower_host
);
name!(
    /// An API group as given on the command line: `batch`, or `cert-manager.io` for someone else's.
    Group, "group", subdomain, lower_host
);
name!(
    /// An API version: `v1`, `v1alpha1`, `v2beta3`.
    Version, "version", version, |value| value.trim().to_lowercase()
);
name!(
    /// The kind of a resource, in `PascalCase`.
    Kind, "kind", kind, heck::ToUpperCamelCase::to_upper_camel_case
);
name!(
    /// The plural of a kind, as it stands in URLs, in roles and in the CRD's name.
    Plural, "plural", plural, |value| value.trim().to_lowercase()
);
name!(
    /// The name of a project: of its package, its namespace and the prefix of its cluster-wide names.
    ProjectName, "project name", project_name, heck::ToKebabCase::to_kebab_case
);
name!(
    /// Whoever holds the copyright: one line of text.
    Owner, "owner", owner, |value| value.split_whitespace().collect::<Vec<_>>().join(" ")
);

impl Version {
    /// What orders versions by their age: `v1alpha1`, `v1beta1`, `v1`, `v2alpha1`.
    pub fn age(&self) -> (u32, u8, u32) {
        let number = |text: &str| text.parse().unwrap_or_default();
        let rest = self.0.trim_start_matches('v');
        for (stage, name) in (0..).zip(["alpha", "beta"]) {
            if let Some((major, minor)) = rest.split_once(name) {
                return (number(major), stage, number(minor));
            }
        }
        (number(rest), 2, 0)
    }
}

/// The longest label that `config/` makes of a project's name: its Deployment's.
const LONGEST_SUFFIX: &str = "-controller-manager";

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

/// Whether a group is Kubernetes' own, of which the API server takes CRDs only with an approval.
pub fn is_protected(group: &str) -> bool {
    let mut owned = ["k8s.io", "kubernetes.io"].into_iter();
    owned.any(|owned| group == owned || group.ends_with(&format!(".{owned}")))
}

/// <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority>
fn version(value: &str) -> Result<(), String> {
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

fn kind(value: &str) -> Result<(), String> {
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

/// RFC 1035: a label that begins with a letter.
fn plural(value: &str) -> Result<(), String> {
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

fn project_name(value: &str) -> Result<(), String> {
    plural(value)?;
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

fn owner(value: &str) -> Result<(), String> {
    if value.trim().is_empty() || value.trim() != value {
        return Err("must be text without space at its ends".into());
    }
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if value.chars().any(breaks) || value.chars().count() > 200 {
        return Err("must be one line of at most 200 characters".into());
    }
    Ok(())
}

fn lower_host(value: &str) -> String {
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

/// The crates that the generated project depends on by name, those of Rust itself, and the
/// directories of `target/` that a binary may not be called after.
const TAKEN_CRATES: &[&str] = &[
    "alloc",
    "api",
    "build",
    "clap",
    "core",
    "crdgen",
    "deps",
    "examples",
    "futures",
    "incremental",
    "jiff",
    "k8s-openapi",
    "kube",
    "manager",
    "proc-macro",
    "schemars",
    "serde",
    "serde-json",
    "std",
    "test",
    "thiserror",
    "tokio",
    "tracing",
];

/// The keywords of Rust 2024, strict and reserved, with those that are words only at some places.
const RUST_WORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Whether a word is a keyword of Rust.
pub fn is_rust_word(word: &str) -> bool {
    RUST_WORDS.contains(&word)
}

/// The Rust module for a word: `-` and `.` become `_`, and a word that no file of a module can have
/// (a keyword, or a name that Cargo gives a meaning to) gets a `_` at its end.
pub fn module(word: &str) -> String {
    let module = word.replace(['-', '.'], "_");
    if is_rust_word(&module) || ["bin", "lib", "main", "mod"].contains(&module.as_str()) {
        format!("{module}_")
    } else if module.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{module}")
    } else {
        module
    }
}

impl Plural {
    /// The plural that kubebuilder would choose, or English's.
    ///
    /// # Errors
    /// When it would be too long.
    pub fn of(kind: &Kind) -> Result<Self, NameError> {
        plural::of(kind.as_str()).parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused<T: FromStr<Err = NameError> + fmt::Debug>(words: &[&str]) {
        for word in words {
            word.parse::<T>().expect_err(word);
        }
    }

    fn taken<T: FromStr<Err = NameError>>(words: &[&str]) {
        for word in words {
            assert!(word.parse::<T>().is_ok(), "{word:?} is refused");
        }
    }

    #[test]
    fn domains_are_dns_subdomains() {
        taken::<Domain>(&[
            "my.domain",
            "io",
            "a-b.c1",
            "1password.com",
            &format!("{}.a", "x".repeat(63)),
        ]);
        let long = [&*"x".repeat(63); 4].join(".");
        refused::<Domain>(&[
            "",
            "My.domain",
            "a..b",
            ".a",
            "a.",
            "-a",
            "a_b",
            "https://a.b",
            "a b",
            "a\n",
            &long,
            &"x".repeat(64),
        ]);
    }

    #[test]
    fn an_error_names_the_word_that_would_pass() {
        let error = "https://My.Domain/x"
            .parse::<Domain>()
            .unwrap_err()
            .to_string();
        assert!(error.ends_with("did you mean `my.domain`?"), "{error}");
        let error = "cron-job".parse::<Kind>().unwrap_err().to_string();
        assert!(error.ends_with("did you mean `CronJob`?"), "{error}");
    }

    #[test]
    fn versions_are_those_that_kubernetes_can_order() {
        taken::<Version>(&["v1", "v12", "v1alpha1", "v2beta3"]);
        refused::<Version>(&[
            "",
            "foo",
            "1",
            "v1.2",
            "v0",
            "v1alpha",
            "v1alpha0",
            "valpha1",
            "v1gamma1",
            "v01",
            "v1alpha1beta1",
        ]);
    }

    #[test]
    fn kinds_are_pascal_case() {
        taken::<Kind>(&["Lolcow", "CronJob", "HTTPRoute", "Type", "Option", "K8s"]);
        refused::<Kind>(&[
            "",
            "lolcow",
            "Lol-cow",
            "Lol_cow",
            "Self",
            "1Cow",
            "Lölcow",
            "Lol cow",
            &"X".repeat(64),
        ]);
    }

    #[test]
    fn project_names_fit_kubernetes_and_cargo() {
        taken::<ProjectName>(&["lolcow-operator", "a", "x1"]);
        refused::<ProjectName>(&[
            "",
            "Lolcow",
            "1st",
            "type",
            "kube",
            "std",
            "a_b",
            "a.b",
            "test",
            "a-",
            &"x".repeat(45),
        ]);
    }

    #[test]
    fn the_longest_derived_name_is_a_label() {
        let longest = "x".repeat(63 - LONGEST_SUFFIX.len());
        taken::<ProjectName>(&[&longest]);
        refused::<ProjectName>(&[&format!("{longest}x")]);
    }

    #[test]
    fn modules_are_never_keywords() {
        for (word, expected) in [
            ("type", "type_"),
            ("my-group", "my_group"),
            ("a.b", "a_b"),
            ("mod", "mod_"),
            ("bin", "bin_"),
            ("core", "core"),
        ] {
            assert_eq!(module(word), expected);
        }
    }
}

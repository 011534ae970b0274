//! Validated names. A value such as [`Kind`] is parsed once and is valid from then on.
//!
//! Each type has one rule, the strictest of all rules that the name must satisfy later: those of
//! Kubernetes (RFC 1123 and 1035 labels, the API conventions), of Cargo for packages, and of Rust
//! for identifiers.

pub mod labels;
mod plural;
mod rules;
mod rust;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use rules::{is_protected, object_name, subdomain};
pub use rust::{is_rust_keyword, module};

/// A name that violates its rule: the type of the name, its value, the rule and, if possible, a
/// valid suggestion.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error("{what} {value:?} {rule}{}", suggestion.as_ref().map(|s| format!("; did you mean `{s}`?")).unwrap_or_default())]
pub struct NameError {
    /// The noun for the type of the name, such as `domain`.
    what: &'static str,
    value: String,
    /// The predicate of a sentence about the name, such as `must not be empty`.
    rule: String,
    suggestion: Option<String>,
}

impl NameError {
    /// Returns a valid name that resembles the invalid one, if there is one.
    pub fn suggestion(&self) -> Option<&str> {
        self.suggestion.as_deref()
    }
}

/// A rule for a name. The error is the predicate of a sentence about the name, as in
/// [`NameError`].
type Check = fn(&str) -> Result<(), String>;

/// Returns a name that passes `check`. `fix` computes the suggestion for an invalid one.
fn checked(
    what: &'static str,
    value: &str,
    check: Check,
    fix: fn(&str) -> String,
) -> Result<String, NameError> {
    check(value).map(|()| value.to_owned()).map_err(|rule| {
        let fixed = fix(value);
        NameError {
            what,
            value: value.to_owned(),
            rule,
            suggestion: (fixed != value && check(&fixed).is_ok()).then_some(fixed),
        }
    })
}

macro_rules! name {
    ($(#[$doc:meta])* $type:ident, $what:literal, $check:expr, $fix:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize, schemars::JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        #[schemars(with = "String")]
        pub struct $type(String);

        impl $type {
            /// Returns the name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $type {
            type Err = NameError;

            fn from_str(value: &str) -> Result<Self, NameError> {
                checked($what, value, $check, $fix).map(Self)
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
    Domain, "domain", subdomain, rules::lower_host
);
name!(
    /// An API group as given on the command line: `batch`, or `cert-manager.io` for that of another
    /// project.
    Group, "group", subdomain, rules::lower_host
);
name!(
    /// An API version: `v1`, `v1alpha1`, `v2beta3`, or any other label that an existing API uses.
    Version, "version", rules::label, lower
);
name!(
    /// The kind of a resource, in `PascalCase`. Existing kinds may deviate from that.
    Kind, "kind", rules::any_kind, heck::ToUpperCamelCase::to_upper_camel_case
);
name!(
    /// The plural of a kind, as in URLs, in roles and in the CRD's name.
    Plural, "plural", rules::label, lower
);
name!(
    /// The name of a project, used for its package, its namespace and the prefix of its
    /// cluster-wide names.
    ProjectName, "project name", rules::project_name, heck::ToKebabCase::to_kebab_case
);
name!(
    /// The name of an operator that rustop has not scaffolded: a DNS label, with which the names of
    /// a Helm release and of clusters can begin.
    OperatorName, "name", rules::label, heck::ToKebabCase::to_kebab_case
);
name!(
    /// The copyright holder: one line of text.
    Owner, "owner", rules::owner, |value| value.split_whitespace().collect::<Vec<_>>().join(" ")
);

name!(
    /// A container image with a tag or digest: `nginx:1.29`, `localhost:5000/cow@sha256:...`.
    Image, "image", rules::image, str::to_owned
);

fn lower(value: &str) -> String {
    value.trim().to_lowercase()
}

impl Group {
    /// Splits a group as kubebuilder does in PROJECT: `networking.k8s.io` has the group
    /// `networking` and the domain `k8s.io`. The first part is always present; the domain is `None`
    /// for a group without a dot.
    ///
    /// # Panics
    /// Panics if the text is not a valid group.
    pub fn split(group: &str) -> (Option<Self>, Option<Domain>) {
        let (first, rest) = group
            .split_once('.')
            .map_or((group, None), |(first, rest)| (first, Some(rest)));
        (
            Some(first.parse().expect("part of a group")),
            rest.map(|rest| rest.parse().expect("part of a group")),
        )
    }
}

impl Kind {
    /// Parses a kind for a new API, which must follow the API conventions.
    ///
    /// # Errors
    /// Returns an error if it is not in `PascalCase`.
    pub fn conventional(value: &str) -> Result<Self, NameError> {
        let fix = heck::ToUpperCamelCase::to_upper_camel_case;
        checked("kind", value, rules::kind, fix).map(Self)
    }

    /// Returns the name of the Rust type: the kind, converted to `PascalCase` if necessary.
    pub fn type_name(&self) -> String {
        if rules::kind(&self.0).is_ok() {
            self.0.clone()
        } else {
            heck::ToUpperCamelCase::to_upper_camel_case(self.0.as_str())
        }
    }
}

impl Version {
    /// Parses a version for a new API, which must follow the API conventions.
    ///
    /// # Errors
    /// Returns an error if it does not have the form of `v1` or `v1alpha1`.
    pub fn conventional(value: &str) -> Result<Self, NameError> {
        checked("version", value, rules::version, lower).map(Self)
    }

    /// Returns a sort key that orders versions from the oldest to the newest: `v1alpha1`,
    /// `v1beta1`, `v1`, `v2alpha1`. The key is the major number, the stage (0 for alpha, 1 for
    /// beta, 2 for stable), and the number after the stage.
    pub fn order(&self) -> (u32, u8, u32) {
        // Versions of another form sort before all of these.
        if rules::version(&self.0).is_err() {
            return (0, 0, 0);
        }
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

impl Plural {
    /// Returns the plural that kubebuilder would choose, or the English plural if that is wrong.
    ///
    /// # Errors
    /// Returns an error if the plural is too long.
    pub fn of(kind: &Kind) -> Result<Self, NameError> {
        plural::of(kind.as_str()).parse()
    }
}

#[cfg(test)]
mod tests {
    use super::rules::LONGEST_SUFFIX;
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
        let error = Kind::conventional("cron-job").unwrap_err().to_string();
        assert!(error.ends_with("did you mean `CronJob`?"), "{error}");
    }

    #[test]
    fn versions_are_those_that_kubernetes_can_order() {
        for word in ["v1", "v12", "v1alpha1", "v2beta3"] {
            Version::conventional(word).expect(word);
        }
        for word in [
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
        ] {
            Version::conventional(word).expect_err(word);
        }
    }

    #[test]
    fn versions_that_exist_are_labels_and_older_than_those_in_order() {
        taken::<Version>(&["v1", "match", "v1gamma1", "stable-2"]);
        refused::<Version>(&["", "1", "V1", "v1.2", "v_1", "v1-", &"v".repeat(64)]);
        let order = |word: &str| word.parse::<Version>().unwrap().order();
        assert!(order("stable") < order("v1alpha1") && order("v1alpha1") < order("v1"));
    }

    #[test]
    fn kinds_are_pascal_case() {
        for word in ["Lolcow", "CronJob", "HTTPRoute", "Type", "Option", "K8s"] {
            Kind::conventional(word).expect(word);
        }
        for word in [
            "",
            "lolcow",
            "Lol-cow",
            "Lol_cow",
            "Self",
            "1Cow",
            "Lölcow",
            "Lol cow",
            &"X".repeat(64),
        ] {
            Kind::conventional(word).expect_err(word);
        }
    }

    #[test]
    fn kinds_that_exist_may_begin_small() {
        taken::<Kind>(&["Lolcow", "lolcow", "lol-cow", "cronJob"]);
        refused::<Kind>(&[
            "", "Lol-cow", "lol_cow", "Self", "1cow", "lölcow", "lol cow",
        ]);
        let type_name = |word: &str| word.parse::<Kind>().unwrap().type_name();
        assert_eq!(
            (type_name("lol-cow"), type_name("HTTPRoute")),
            ("LolCow".into(), "HTTPRoute".into())
        );
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

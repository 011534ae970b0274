//! `+kubebuilder:rbac` markers, parsed into rules and validated.
//!
//! Two sorts of markers are errors. The API server would reject the first, so that the operator
//! would get no role at all: a rule without verbs, with both URLs and resources, or with URLs in a
//! namespace. No request would ever match the second: upper-case verbs, or a version in a group.

use serde_json::json;

use crate::diagnostic::Diagnostic;
use crate::sources::comments::{Marker, MarkerKind};
use crate::sources::marker::{Argument, Given, Problem, Text, parse};

/// The verbs of every resource, in the customary order.
pub const VERBS: [&str; 8] = [
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
];

/// Returns a name of a rule as a scalar of a YAML list, with quotes unless every parser reads it as
/// this text without them.
pub fn scalar(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-./".contains(c);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_plain);
    if is_name && !KEYWORDS.contains(&name.to_ascii_lowercase().as_str()) {
        name.to_owned()
    } else {
        json!(name).to_string()
    }
}

/// The words that YAML 1.1 or 1.2 reads as a boolean or as null.
const KEYWORDS: [&str; 9] = ["false", "n", "no", "null", "off", "on", "true", "y", "yes"];

/// The permissions that one marker, or one rule of an existing role, grants.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rule {
    /// API groups; the core group is the empty string or `core`.
    pub groups: Vec<String>,
    /// Resources in the plural, or `resource/subresource`.
    pub resources: Vec<String>,
    /// The names of the objects that the rule is limited to; empty for all objects.
    pub resource_names: Vec<String>,
    /// Verbs on the resources, or HTTP methods in lower case for `urls`; `*` for all.
    pub verbs: Vec<String>,
    /// Non-resource URLs of the API server.
    pub urls: Vec<String>,
    /// The namespace of the Role that contains the rule; `None` for a role without a namespace,
    /// whose kind follows from [`Scope`].
    pub namespace: Option<String>,
    /// The name of the role; `None` for `manager-role`, the default.
    pub role_name: Option<String>,
}

/// A rule with the marker that declares it.
#[derive(Clone, Debug)]
pub struct Grant {
    pub marker: Marker,
    /// The marker's arguments, with their positions in its text.
    pub given: Vec<Given>,
    pub rule: Rule,
}

/// The scope of a marker without a namespace.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Scope {
    /// The whole cluster: the rule belongs to a `ClusterRole`.
    Cluster,
    /// The namespace of the operator: the rule belongs to a Role without a namespace.
    Namespace,
}

const ARGUMENTS: [Argument; 7] = [
    Argument::list("groups"),
    Argument::list("resources"),
    Argument::list("resourceNames"),
    Argument::list("verbs"),
    Argument::list("urls"),
    Argument::one("namespace"),
    Argument::one("roleName"),
];

/// Parses the RBAC markers into grants, in their order, and returns a diagnostic for each problem.
/// A marker with problems has a grant, too, with the arguments that could be read. `scope` is that
/// of markers without a namespace.
pub fn grants(markers: &[Marker], scope: Scope) -> (Vec<Grant>, Vec<Diagnostic>) {
    let mut grants = Vec::new();
    let mut diagnostics = Vec::new();
    let is_rule = |marker: &&Marker| marker.kind == MarkerKind::Rbac;
    for marker in markers.iter().filter(is_rule) {
        let (given, problems) = read(marker.arguments(), scope);
        let problems = problems.into_iter();
        diagnostics.extend(problems.map(|problem| marker.diagnostic(problem)));
        grants.push(Grant {
            marker: marker.clone(),
            rule: Rule::of(&given),
            given,
        });
    }
    (grants, diagnostics)
}

fn read(text: &str, scope: Scope) -> (Vec<Given>, Vec<Problem>) {
    let (given, mut problems) = parse(text, &ARGUMENTS);
    if problems.is_empty() {
        let marker = Arguments {
            text,
            given: &given,
        };
        problems.extend(marker.combination(scope));
        problems.extend(marker.values());
    }
    (given, problems)
}

impl Rule {
    fn of(given: &[Given]) -> Self {
        let mut rule = Self::default();
        for Given { name, values, .. } in given {
            let mut values: Vec<_> = values.iter().map(|value| value.text.clone()).collect();
            match *name {
                "groups" => rule.groups = values,
                "resources" => rule.resources = values,
                "resourceNames" => rule.resource_names = values,
                "verbs" => rule.verbs = values,
                "urls" => rule.urls = values,
                "namespace" => rule.namespace = values.pop().filter(|name| !name.is_empty()),
                _ => rule.role_name = values.pop().filter(|name| !name.is_empty()),
            }
        }
        rule
    }
}

struct Arguments<'a> {
    text: &'a str,
    given: &'a [Given],
}

impl Arguments<'_> {
    fn get(&self, name: &str) -> Option<&Given> {
        self.given.iter().find(|given| given.name == name)
    }

    /// Returns missing arguments, and arguments that exclude each other.
    fn combination(&self, scope: Scope) -> Vec<Problem> {
        let whole = 0..self.text.trim_end().len();
        if self.text.trim().is_empty() {
            let help =
                "write `+kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch`";
            return vec![
                Problem::new(whole, "a marker without arguments grants nothing").help(help),
            ];
        }
        let mut problems = Vec::new();
        let empty = |given: &&Given| given.values.is_empty();
        for given in self.given.iter().filter(empty) {
            let help = match given.name {
                "groups" => "the core group is written `groups=\"\"`".to_owned(),
                name => format!("write `{name}=…` with a value, or leave `{name}` out"),
            };
            let message = format!("`{}` has no value", given.name);
            problems.push(Problem::new(given.span.clone(), message).help(help));
        }
        let missing = |name: &str, example: &str| {
            Problem::new(whole.clone(), format!("`{name}` is missing"))
                .help(format!("add `,{name}={example}`"))
        };
        if self.get("verbs").is_none() {
            problems.push(missing("verbs", "get;list;watch"));
        }
        let Some(urls) = self.get("urls") else {
            if self.get("resources").is_none() {
                problems.push(missing("resources", "pods"));
            } else if self.get("groups").is_none() {
                problems.push(missing("groups", "apps").help(
                    "add the resources' API group, `,groups=apps`; the core group is `,groups=\"\"`",
                ));
            }
            return problems;
        };
        let about_resources = ["groups", "resources", "resourceNames"];
        if let Some(other) = about_resources.iter().find_map(|name| self.get(name)) {
            let message = format!("`urls` and `{}` in one rule", other.name);
            let help = "write two markers: the API server rejects a rule with both";
            problems.push(Problem::new(urls.span.clone(), message).help(help));
        }
        let namespace = self
            .get("namespace")
            .filter(|given| !given.values[0].text.is_empty());
        if let Some(namespace) = namespace {
            let help = "remove the namespace: only a ClusterRole grants URLs";
            let message = "`urls` in a namespace";
            problems.push(Problem::new(namespace.span.clone(), message).help(help));
        } else if scope == Scope::Namespace {
            let help = "only a ClusterRole grants URLs, but a namespaced project has none";
            let message = "`urls` in a namespaced project";
            problems.push(Problem::new(urls.span.clone(), message).help(help));
        }
        problems
    }

    /// Returns values that no request matches, or that are not valid names.
    fn values(&self) -> Vec<Problem> {
        let values = self
            .given
            .iter()
            .flat_map(|given| given.values.iter().map(|value| (given.name, value)));
        values
            .filter_map(|(name, value)| check(name, value))
            .collect()
    }
}

fn check(argument: &str, value: &Text) -> Option<Problem> {
    let text = value.text.as_str();
    let problem = |message: String| Some(Problem::new(value.span.clone(), message));
    let lower = text.to_lowercase();
    let with = |problem: Option<Problem>, help: String| problem.map(|p| p.help(help));
    match argument {
        "groups" | "namespace" | "roleName" if text.is_empty() => None,
        _ if text.is_empty() => with(
            problem(format!("an empty value of `{argument}`")),
            "remove it".to_owned(),
        ),
        _ if text.contains(char::is_control) => {
            problem("a control character in a value".to_owned())
        }
        "verbs" if text != lower => with(
            problem(format!("the verb `{text}` is not lower case")),
            format!("write `{lower}`"),
        ),
        "verbs"
            if !text
                .chars()
                .all(|c| c.is_alphanumeric() || "*-_.:".contains(c)) =>
        {
            let words = text.split(|c: char| !c.is_alphanumeric());
            let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
            with(
                problem(format!("`{text}` is not a verb")),
                format!("write `verbs={}`", words.join(";")),
            )
        }
        "groups" if text.contains('/') => with(
            problem(format!("`{text}` is not an API group")),
            format!(
                "write the group without its version: `{}`",
                text.split('/').next()?
            ),
        ),
        "groups" if text != lower => with(
            problem(format!("the API group `{text}` is not lower case")),
            format!("write `{lower}`"),
        ),
        "groups"
            if !text
                .chars()
                .all(|c| c.is_alphanumeric() || "*-.".contains(c)) =>
        {
            with(
                problem(format!("`{text}` is not an API group")),
                "a group is a DNS name, such as `apps` or `cert-manager.io`".to_owned(),
            )
        }
        "resources"
            if text
                .split('/')
                .next()
                .is_some_and(|name| name != name.to_lowercase()) =>
        {
            with(
                problem(format!("the resource `{text}` is not lower case")),
                format!("write the plural of the kind: `{lower}`"),
            )
        }
        "resources" if text.contains(char::is_whitespace) => with(
            problem(format!("`{text}` is not a resource")),
            format!(
                "write `{}`",
                text.split_whitespace().collect::<Vec<_>>().join(";")
            ),
        ),
        "urls" if !text.starts_with('/') && text != "*" => with(
            problem(format!("the URL `{text}` is not a path")),
            format!("write `/{text}`"),
        ),
        "namespace" if !is_label(text) => with(
            problem(format!("`{text}` is not a valid namespace")),
            "it consists of lower-case letters, digits and `-`, at most 63".to_owned(),
        ),
        "roleName" if text.contains(['/', '%']) || text == "." || text == ".." => with(
            problem(format!("`{text}` is not a valid role name")),
            "it has no `/` and no `%`".to_owned(),
        ),
        _ => None,
    }
}

/// Reports whether a text is a DNS-1123 label.
fn is_label(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    text.len() <= 63 && text.bytes().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}

#[cfg(test)]
mod tests;

//! Checks that handlers support the requests of their webhooks. A handler deserializes objects of
//! one type. It would deny every other request that a marker makes the API server send, and the
//! user's operation would fail.

use k8s_openapi::api::admissionregistration::v1::RuleWithOperations;

use super::handler::Handler;
use super::marked::Webhook;
use super::read::arguments::span_of;
use crate::diagnostic::Diagnostic;
use crate::project::kinds::Kind;
use crate::sources::comments::Marker;
use crate::sources::marker::Problem;

/// Subresources whose objects have a different kind: their name, that kind, and the resources of
/// Kubernetes that have them.
const OTHERS: [(&str, &str, &[&str]); 4] = [
    (
        "scale",
        "Scale",
        &[
            "deployments",
            "replicasets",
            "replicationcontrollers",
            "statefulsets",
        ],
    ),
    ("binding", "Binding", &["pods"]),
    ("eviction", "Eviction", &["pods"]),
    ("token", "TokenRequest", &["serviceaccounts"]),
];

/// Reports all requests of a webhook that its handler does not support. `known` are the kinds of
/// Kubernetes and of the project.
pub fn check(webhook: &Webhook, handler: &Handler, known: &[Kind]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (marker, rules) in &webhook.rules {
        for rule in rules {
            let check = HandlerCheck {
                marker,
                handler,
                known,
            };
            check.check_groups(rule, &mut found);
            check.check_versions(rule, &mut found);
            check.check_resources(rule, &mut found);
            check.check_verbs(rule, &mut found);
        }
    }
    found
}

/// The check of one marker and the handler of its requests.
struct HandlerCheck<'a> {
    marker: &'a Marker,
    handler: &'a Handler,
    /// The kinds of Kubernetes and of the project.
    known: &'a [Kind],
}

impl HandlerCheck<'_> {
    fn diagnostic(&self, argument: &str, message: String, help: impl Into<String>) -> Diagnostic {
        let span = span_of(self.marker, argument);
        self.marker
            .diagnostic(Problem::new(span, message).help(help))
    }

    /// Reports the first value of an argument that is not `own`, the value of the handler's kind.
    /// For `*`, it reports the first of the known `others`, which `*` includes, too.
    fn mismatch(
        &self,
        argument: &str,
        values: Option<&Vec<String>>,
        own: &str,
        mut others: impl Iterator<Item = String>,
    ) -> Option<Diagnostic> {
        let mut values = values.into_iter().flatten();
        let other = values.find_map(|value| match value.as_str() {
            "*" => others.next(),
            value => (value != own).then(|| value.to_owned()),
        })?;
        let Handler { path, kind, .. } = self.handler;
        let shown = if other.is_empty() { "\"\"" } else { &other };
        let message = format!(
            "the handler of `{path}` expects a {} of `{}`, but `{argument}` is `{shown}`",
            kind.kind,
            kind.api_version()
        );
        let own = if own.is_empty() { "\"\"" } else { own };
        Some(self.diagnostic(argument, message, format!("write `{argument}={own}`")))
    }

    fn check_groups(&self, rule: &RuleWithOperations, found: &mut Vec<Diagnostic>) {
        let kind = &self.handler.kind;
        let others = self
            .known
            .iter()
            .filter(|other| other.plural == kind.plural && other.group != kind.group);
        let others = others.map(|other| other.group.clone());
        found.extend(self.mismatch("groups", rule.api_groups.as_ref(), &kind.group, others));
    }

    fn check_versions(&self, rule: &RuleWithOperations, found: &mut Vec<Diagnostic>) {
        let kind = &self.handler.kind;
        let others = self.known.iter().filter(|other| {
            other.group == kind.group && other.kind == kind.kind && other.version != kind.version
        });
        let others = others.map(|other| other.version.clone());
        found.extend(self.mismatch(
            "versions",
            rule.api_versions.as_ref(),
            &kind.version,
            others,
        ));
    }

    fn check_resources(&self, rule: &RuleWithOperations, found: &mut Vec<Diagnostic>) {
        let kind = &self.handler.kind;
        let names = |resource: &String| {
            let name = resource
                .split_once('/')
                .map_or(&**resource, |(name, _)| name);
            name.to_owned()
        };
        let resources = rule.resources.as_ref();
        let whole = resources.map(|all| all.iter().map(names).collect());
        let others = self
            .known
            .iter()
            .filter(|other| other.group == kind.group && other.plural != kind.plural);
        let others = others.map(|other| other.plural.clone());
        let other = self.mismatch("resources", whole.as_ref(), &kind.plural, others);
        let mut parts = resources.into_iter().flatten();
        let part =
            || parts.find_map(|resource| self.check_subresource(resource.split_once('/')?.1));
        found.extend(other.or_else(part));
    }

    /// Reports a rule for a subresource that the handler cannot deserialize or that does not exist.
    /// `part` is its name, or `*`.
    fn check_subresource(&self, part: &str) -> Option<Diagnostic> {
        let Handler { path, kind, .. } = self.handler;
        let plural = &kind.plural;
        let has = |(name, _, of): &&(&str, &str, &[&str])| {
            if self.handler.is_own {
                *name == "scale"
            } else {
                of.contains(&plural.as_str())
            }
        };
        let mut others = OTHERS.iter().filter(has);
        let help = format!("write `resources={plural}`");
        if let Some((name, other, _)) = others.find(|(name, ..)| [name, "*"].contains(&part)) {
            let message = format!(
                "`{plural}/{name}` is a {other}, but the handler of `{path}` expects a {} and would reject it",
                kind.kind
            );
            return Some(self.diagnostic("resources", message, help));
        }
        let is_there = !self.handler.is_own || ["status", "*"].contains(&part);
        (!is_there).then(|| {
            let message = format!("unknown subresource `{plural}/{part}`");
            self.diagnostic("resources", message, help)
        })
    }

    /// Reports operations for which the handler is never called: a `Defaulter` only acts before an
    /// object is stored, a `Validator` also before it is deleted.
    fn check_verbs(&self, rule: &RuleWithOperations, found: &mut Vec<Diagnostic>) {
        let (what, idle): (_, &[&str]) = if self.handler.mutating {
            ("a `Defaulter` is", &["DELETE", "CONNECT"])
        } else {
            ("a `Validator` is", &["CONNECT"])
        };
        let mut verbs = rule.operations.iter().flatten();
        if let Some(verb) = verbs.find(|verb| idle.contains(&verb.as_str())) {
            let verb = verb.to_lowercase();
            let message = format!("{what} never called for `{verb}`");
            found.push(self.diagnostic("verbs", message, "leave it out"));
        }
    }
}

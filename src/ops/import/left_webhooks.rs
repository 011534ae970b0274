//! The webhooks of a Go project that are not carried over, each with its place and the reason.
//!
//! Three sources name webhooks: markers, the configurations below `config`, and the code that
//! registers handlers. A webhook that an earlier source names is not repeated.

use std::collections::BTreeSet;
use std::slice;

use k8s_openapi::api::admissionregistration::v1::RuleWithOperations;

use super::builder_calls::is_of;
use super::conversions::Conversion;
use super::go_project::{Configured, GoSources};
use super::webhooks::{Carried, selects};
use crate::gosource::{GoHandler, HandlerTarget};
use crate::project::{Project, builtin};
use crate::resource::{Admission, Resource};
use crate::sources::comments::{Marker, MarkerKind};
use crate::text::code_span;
use crate::webhook::{self, Webhook};

/// Returns the lines of `IMPORT.md` about these webhooks. `carried` and `conversions` are those
/// that the new project has.
pub fn lines(
    found: &GoSources,
    project: &Project,
    carried: &[Carried],
    conversions: &[Conversion],
) -> Vec<String> {
    let left = Left {
        found,
        project,
        carried,
        conversions,
    };
    let markers = left.markers().filter_map(|marker| left.marker(marker));
    let mut names = BTreeSet::new();
    let configured = found
        .configured
        .iter()
        .filter(|it| names.insert(it.name.as_str()) && !left.is_known(it))
        .map(configured);
    let handlers = found
        .handlers
        .iter()
        .filter_map(|(path, handler)| left.handler(path, handler));
    markers.chain(configured).chain(handlers).collect()
}

/// Returns the line about a webhook that only a configuration names.
fn configured(webhook: &Configured) -> String {
    let Configured {
        path, line, name, ..
    } = webhook;
    format!(
        "- `{path}:{line}`: the webhook {}: no marker in the sources describes it",
        code_span(name)
    )
}

struct Left<'a> {
    found: &'a GoSources,
    project: &'a Project,
    carried: &'a [Carried],
    conversions: &'a [Conversion],
}

impl<'a> Left<'a> {
    /// Returns the webhook markers in the Go sources.
    fn markers(&self) -> impl Iterator<Item = &'a Marker> + use<'a> {
        let all = self.found.markers.iter();
        all.filter(|marker| marker.kind == MarkerKind::Webhook)
    }

    /// Returns the line about a marker, or `None` if its webhook is carried over completely.
    fn marker(&self, marker: &Marker) -> Option<String> {
        let line = &marker.line;
        let place = format!("{}:{}", line.path.display(), line.number);
        let (webhooks, problems) = webhook::read(slice::from_ref(marker));
        let (is_carried, reasons) = if let Some(webhook) = webhooks.webhooks.first() {
            let mut carried = self.carried.iter();
            (carried.any(|it| it.is_of(webhook)), self.reasons(webhook))
        } else {
            let problem = problems.first().map(|it| code_span(&it.message));
            let why = format!("cannot be read: {}", problem.unwrap_or_default());
            (false, BTreeSet::from([why]))
        };
        if is_carried && reasons.is_empty() {
            return None;
        }
        let reasons: Vec<_> = reasons.into_iter().collect();
        let reasons = reasons.join("; ");
        if is_carried {
            return Some(format!("- `{place}`: a part of this webhook: {reasons}"));
        }
        let text = code_span(line.text.trim_start_matches('/').trim());
        Some(format!("- `{place}`: {text}: {reasons}"))
    }

    /// Returns the reasons why a webhook, or a part of it, is not carried over; empty if all of it
    /// is.
    fn reasons(&self, webhook: &Webhook) -> BTreeSet<String> {
        let rules = webhook.rules.iter().flat_map(|(_, rules)| rules);
        let mut reasons = BTreeSet::new();
        for rule in rules {
            for plural in plurals(rule) {
                reasons.extend(self.reason(webhook, rule, plural));
            }
        }
        reasons
    }

    /// Returns the reason why the part of a webhook for one plural is not carried over, or `None`
    /// if it is.
    fn reason(&self, webhook: &Webhook, rule: &RuleWithOperations, plural: &str) -> Option<String> {
        let admission = if webhook.mutating {
            Admission::Defaulting
        } else {
            Admission::Validation
        };
        let names = |all: &Option<Vec<String>>, one: &str| {
            let mut all = all.iter().flatten();
            all.any(|it| it == one || it == "*")
        };
        let mut builtins = builtin::all().iter();
        let builtin = builtins.find(|it| {
            it.plural == plural
                && names(&rule.api_groups, it.group)
                && names(&rule.api_versions, it.version)
        });
        if let Some(builtin) = builtin {
            return Some(format!(
                "{} is a resource of Kubernetes: `rustop create webhook {} --{}`",
                code_span(plural),
                builtin.flags(),
                admission.word()
            ));
        }
        let kinds = self.project.resources.iter();
        let kinds = kinds
            .filter(|it| it.plural.as_str() == plural && names(&rule.api_groups, &it.api_group()));
        let kinds: Vec<_> = kinds.collect();
        if kinds.is_empty() {
            return Some(format!(
                "no CRD of the project defines {}",
                code_span(plural)
            ));
        }
        let carried = self.carried.iter();
        let mut of_kind = carried.filter(|it| {
            it.admission == admission && kinds.iter().any(|kind| kind.same_kind(&it.resource))
        });
        if of_kind.clone().any(|it| it.is_of(webhook)) {
            return None;
        }
        if !kinds.iter().any(|kind| selects(rule, kind)) {
            return Some(format!(
                "its rule names no imported version of {}",
                code_span(plural)
            ));
        }
        let other = of_kind.find_map(Carried::place).unwrap_or_default();
        Some(format!(
            "{} has a {} webhook already, that of `{other}`, and a kind has one of each",
            code_span(plural),
            admission.word()
        ))
    }

    /// Reports whether a webhook of a configuration also has a marker, or was carried over because
    /// PROJECT lists it.
    fn is_known(&self, webhook: &Configured) -> bool {
        let has = |name: &str, value: &str| {
            self.markers()
                .any(|marker| argument(marker, name) == Some(value))
        };
        let mut carried = self.carried.iter();
        has("name", &webhook.name)
            || webhook
                .url_path
                .as_deref()
                .is_some_and(|it| has("path", it))
            || carried.any(|it| {
                let mutating = it.admission == Admission::Defaulting;
                it.webhook.is_none()
                    && mutating == webhook.mutating
                    && webhook.rules.iter().any(|rule| selects(rule, &it.resource))
            })
    }

    /// Returns the line about a handler, or `None` if a marker or a configuration describes its
    /// webhook.
    fn handler(&self, path: &str, handler: &GoHandler) -> Option<String> {
        let line = handler.line;
        match &handler.target {
            HandlerTarget::Path(target) => {
                let mut markers = self.markers();
                let mut configured = self.found.configured.iter();
                let is_known = markers
                    .any(|marker| argument(marker, "path") == Some(target.as_str()))
                    || configured.any(|it| it.url_path.as_ref() == Some(target));
                (!is_known).then(|| {
                    format!(
                        "- `{path}:{line}`: the handler of {}: neither a marker nor a configuration defines the requests for which the API server calls it",
                        code_span(target)
                    )
                })
            }
            HandlerTarget::Kind(kind) => {
                let is_handled = |it: &Resource| is_of(&kind.named(), it);
                let mut markers = self.markers();
                let mut webhooks = self.carried.iter();
                let mut conversions = self.conversions.iter();
                let is_known = markers.any(|it| it.line.path == *path)
                    || webhooks.any(|it| is_handled(&it.resource))
                    || conversions.any(|it| is_handled(&it.resource));
                (!is_known).then(|| {
                    format!(
                        "- `{path}:{line}`: the webhooks of {}: no marker in this file defines the requests for which the API server calls them",
                        code_span(&kind.kind)
                    )
                })
            }
        }
    }
}

/// Returns the plurals that a rule names, without subresources.
fn plurals(rule: &RuleWithOperations) -> BTreeSet<&str> {
    let all = rule.resources.iter().flatten();
    all.map(|it| it.split('/').next().unwrap_or(it)).collect()
}

/// Returns the value of a marker's argument, even if the marker has errors.
fn argument<'a>(marker: &'a Marker, name: &str) -> Option<&'a str> {
    marker.arguments().split(',').find_map(|argument| {
        let (key, value) = argument.split_once('=')?;
        (key.trim() == name).then(|| value.trim().trim_matches(['"', '`']))
    })
}

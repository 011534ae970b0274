//! Generates webhook configurations from `+kubebuilder:webhook` and
//! `+kubebuilder:webhookconfiguration` markers.
//!
//! For markers that controller-gen and the API server accept, the generated file is byte-identical
//! to controller-gen's. There are three extensions: the arguments `namespaceSelector`,
//! `objectSelector` and `matchConditions`; several markers with the same name, which declare one
//! webhook with several rules; and errors for markers that the API server would reject or whose
//! path nothing serves.

mod check;
mod deployed;
mod handler;
mod handler_paths;
mod handler_support;
pub mod labels;
mod lockout;
mod marked;
mod patch;
mod read;

use std::collections::BTreeMap;

use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhook, MutatingWebhookConfiguration, ValidatingWebhook,
    ValidatingWebhookConfiguration,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};

use crate::diagnostic::Diagnostic;
use crate::sources::comments::{Marker, MarkerKind};
use crate::sources::marker::Problem;
use crate::yaml::{self, HEADER};

pub use deployed::check as check_deployed;
pub use handler::path;
pub use handler_paths::check as check_paths;
pub use lockout::check as check_lockout;
pub use marked::Webhook;

/// Path of the generated file, relative to the project.
pub const FILE: &str = "config/webhook/manifests.yaml";

/// All webhooks of a project, and the names of their configurations.
#[derive(Debug, Default)]
pub struct Webhooks {
    /// Ordered by sort, mutating first, and name.
    pub webhooks: Vec<Webhook>,
    /// The name of the mutating configuration. `None` for the default name.
    mutating_name: Option<String>,
    /// The name of the validating configuration. `None` for the default name.
    validating_name: Option<String>,
}

/// Parses webhook markers; `markers` may contain others, which are ignored. Returns the webhooks
/// whose markers are valid, and everything wrong with the markers.
pub fn read(markers: &[Marker]) -> (Webhooks, Vec<Diagnostic>) {
    let mut found = Vec::new();
    let mut each = Vec::new();
    for marker in markers
        .iter()
        .filter(|marker| marker.kind == MarkerKind::Webhook)
    {
        let (webhook, problems) = read::webhook(marker);
        found.extend(
            problems
                .into_iter()
                .map(|problem| marker.diagnostic(problem)),
        );
        each.extend(webhook);
    }
    let webhooks = united(each, &mut found);
    let mut all = Webhooks {
        webhooks,
        ..Webhooks::default()
    };
    let is_name = |marker: &&Marker| marker.kind == MarkerKind::WebhookConfiguration;
    for marker in markers.iter().filter(is_name) {
        if let Err(problem) = all.name(marker) {
            found.push(marker.diagnostic(problem));
        }
    }
    (all, found)
}

/// Merges the markers of each name into one webhook, with all their rules in a canonical order.
/// Adds a diagnostic to `found` if they differ in anything but their rules.
fn united(each: Vec<Webhook>, found: &mut Vec<Diagnostic>) -> Vec<Webhook> {
    let mut by_name: BTreeMap<(bool, String), Webhook> = BTreeMap::new();
    for mut webhook in each {
        let key = (!webhook.mutating, webhook.spec.name.clone());
        let Some(first) = by_name.get_mut(&key) else {
            by_name.insert(key, webhook);
            continue;
        };
        first.rules.append(&mut webhook.rules);
        let rules = webhook.spec.rules.take();
        let so_far = first.spec.rules.take();
        if let Some(field) = difference(&first.spec, &webhook.spec) {
            let message = format!(
                "`{field}` differs from that of the webhook `{}` in {}:{}",
                webhook.spec.name,
                first.marker.line.path.display(),
                first.marker.line.number
            );
            let whole = 0..webhook.marker.arguments().trim_end().len();
            let help = "markers with the same name form one webhook: only groups, resources, versions and verbs may differ; or choose another name";
            found.push(
                webhook
                    .marker
                    .diagnostic(Problem::new(whole, message).help(help)),
            );
        }
        first.spec.rules = if rules == so_far {
            so_far
        } else {
            let mut rules: Vec<_> = so_far.into_iter().chain(rules).flatten().collect();
            rules.sort_by_cached_key(|rule| json!(rule).to_string());
            rules.dedup();
            Some(rules)
        };
    }
    by_name.into_values().collect()
}

/// Returns the name of a field in which two webhooks differ. `None` if they are equal.
fn difference(a: &MutatingWebhook, b: &MutatingWebhook) -> Option<String> {
    let (a, b) = (json!(a), json!(b));
    let (Value::Object(a), Value::Object(b)) = (&a, &b) else {
        return None;
    };
    let mut fields = a.keys().chain(b.keys());
    fields.find(|field| a.get(*field) != b.get(*field)).cloned()
}

impl Webhooks {
    /// Sets the name of a configuration from a marker. Rejects a second marker, and one for which
    /// the project has no webhook.
    fn name(&mut self, marker: &Marker) -> Result<(), Problem> {
        let (mutating, name) = read::configuration(marker)?;
        let whole = || 0..marker.arguments().trim_end().len();
        let kind = if mutating { "mutating" } else { "validating" };
        if !self
            .webhooks
            .iter()
            .any(|webhook| webhook.mutating == mutating)
        {
            let message = format!("the project has no {kind} webhook for this configuration");
            return Err(Problem::new(whole(), message).help("remove the marker"));
        }
        let place = if mutating {
            &mut self.mutating_name
        } else {
            &mut self.validating_name
        };
        if place.is_some() {
            let message = format!("two markers configure the {kind} webhooks");
            return Err(Problem::new(whole(), message).help("remove one of them"));
        }
        *place = Some(name);
        Ok(())
    }

    /// Returns the text of [`FILE`]; `None` if there are no webhooks.
    pub fn file(&self) -> Option<String> {
        let of_kind = |mutating| {
            let webhooks = self
                .webhooks
                .iter()
                .filter(move |webhook| webhook.mutating == mutating);
            webhooks.map(|webhook| webhook.spec.clone())
        };
        let mutating: Vec<_> = of_kind(true).collect();
        let validating: Vec<_> = of_kind(false).map(validating).collect();
        let metadata = |name: &Option<String>, usual: &str| ObjectMeta {
            name: Some(name.as_deref().unwrap_or(usual).to_owned()),
            ..ObjectMeta::default()
        };
        let mut text = HEADER.to_owned();
        let mut document = |value: Value| {
            text.push_str("---\n");
            text.push_str(&yaml::write(&value));
        };
        if !mutating.is_empty() {
            document(json!(MutatingWebhookConfiguration {
                metadata: metadata(&self.mutating_name, "mutating-webhook-configuration"),
                webhooks: Some(mutating),
            }));
        }
        if !validating.is_empty() {
            document(json!(ValidatingWebhookConfiguration {
                metadata: metadata(&self.validating_name, "validating-webhook-configuration"),
                webhooks: Some(validating),
            }));
        }
        (!self.webhooks.is_empty()).then_some(text)
    }
}

/// Converts to a validating webhook, which lacks `reinvocationPolicy`.
fn validating(webhook: MutatingWebhook) -> ValidatingWebhook {
    ValidatingWebhook {
        admission_review_versions: webhook.admission_review_versions,
        client_config: webhook.client_config,
        failure_policy: webhook.failure_policy,
        match_conditions: webhook.match_conditions,
        match_policy: webhook.match_policy,
        name: webhook.name,
        namespace_selector: webhook.namespace_selector,
        object_selector: webhook.object_selector,
        rules: webhook.rules,
        side_effects: webhook.side_effects,
        timeout_seconds: webhook.timeout_seconds,
    }
}

#[cfg(test)]
mod tests;

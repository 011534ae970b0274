//! Webhook configurations, and the choice of the webhooks that are called for a request.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::core::{Selector, SelectorExt};
use serde::Deserialize;
use serde_json::Value;

use super::{
    kinds::Kind,
    refusal::Refusal,
    selector::labels,
    state::{ADMISSION, Key, State},
    target::Target,
};

/// The label with the name of each namespace, which a real API server sets.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// The two kinds of webhooks, in the order in which they are called.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Phase {
    Mutating,
    Validating,
}

impl Phase {
    /// Returns the plural of the kind of its configurations.
    fn configurations(self) -> &'static str {
        match self {
            Self::Mutating => "mutatingwebhookconfigurations",
            Self::Validating => "validatingwebhookconfigurations",
        }
    }
}

/// A webhook, as a configuration describes it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Webhook {
    pub name: String,
    client_config: ClientConfig,
    rules: Vec<Rule>,
    failure_policy: String,
    match_policy: String,
    match_conditions: Vec<Value>,
    namespace_selector: LabelSelector,
    object_selector: LabelSelector,
    reinvocation_policy: String,
    side_effects: String,
    timeout_seconds: Option<u64>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct ClientConfig {
    service: Service,
    url: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Service {
    name: String,
    namespace: String,
    path: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Rule {
    api_groups: Vec<String>,
    api_versions: Vec<String>,
    operations: Vec<String>,
    resources: Vec<String>,
    scope: String,
}

/// A webhook that matches a request.
pub(super) struct Hook {
    pub webhook: Webhook,
    /// The version in which the webhook gets the object.
    pub kind: Arc<Kind>,
}

impl Webhook {
    /// Returns the path with the timeout: `/validate-my-domain-v1-lolcow?timeout=10s`.
    pub fn path(&self) -> String {
        let path = self.client_config.service.path.trim_start_matches('/');
        format!("/{path}?timeout={}s", self.timeout().as_secs())
    }

    /// Returns the URL, as in error messages.
    pub fn url(&self) -> String {
        let Service {
            name, namespace, ..
        } = &self.client_config.service;
        format!("https://{name}.{namespace}.svc:443{}", self.path())
    }

    /// Returns the error (500) of a request whose webhook cannot be called, or gives an invalid
    /// answer. `why` is the cause.
    pub fn failed(&self, why: &str) -> Refusal {
        let (name, url) = (&self.name, self.url());
        let cause = format!(
            "failed calling webhook \"{name}\": failed to call webhook: Post \"{url}\": {why}"
        );
        Refusal::internal(&cause)
    }

    fn not_supported(&self, feature: &str) -> Refusal {
        let what = format!("{feature} of a webhook, as `{}` has", self.name);
        Refusal::not_in_memory(&what)
    }

    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_seconds.unwrap_or(10))
    }

    /// Returns true if the `failurePolicy` is `Ignore`: a request continues when the webhook cannot
    /// be called.
    pub fn ignores_failures(&self) -> bool {
        self.failure_policy == "Ignore"
    }

    /// Returns true if it can be called for a dry run, since it then has no side effects.
    pub fn allows_dry_run(&self) -> bool {
        ["None", "NoneOnDryRun"].contains(&&*self.side_effects)
    }

    /// Returns true if the selector of objects matches the new or the old object. The error is a
    /// 400 for an invalid selector.
    pub fn selects(&self, object: Option<&Value>, old: Option<&Value>) -> Result<bool, Refusal> {
        let selector = selector(&self.object_selector)?;
        let mut objects = [object, old].into_iter().flatten();
        Ok(objects.any(|object| selector.matches(&labels(object))))
    }

    /// Returns true if the selector of namespaces matches the namespace of the target, or the
    /// target if that is a namespace.
    fn selects_namespace(
        &self,
        state: &State,
        target: &Target<'_>,
        object: Option<&Value>,
    ) -> Result<bool, Refusal> {
        let key = &target.key;
        let (name, namespace) = if target.kind.plural == "namespaces" {
            (&key.name, object)
        } else {
            let namespaces = state.kinds.find("", "v1", "namespaces");
            let find = |kind: Arc<Kind>| state.objects.get(&Key::new(&kind, "", &key.namespace));
            (&key.namespace, namespaces.and_then(find))
        };
        if name.is_empty() {
            return Ok(true);
        }
        let mut labels = namespace.map(labels).unwrap_or_default();
        labels.insert(NAME_LABEL.to_owned(), name.clone());
        Ok(selector(&self.namespace_selector)?.matches(&labels))
    }

    /// Returns the version of the target's kind that a rule matches: that of the request or, unless
    /// the policy is `Exact`, any other.
    fn matched(&self, state: &State, target: &Target<'_>, operation: &str) -> Option<Arc<Kind>> {
        let Kind { group, plural, .. } = target.kind;
        let own = |kind: &&Arc<Kind>| kind.version == target.kind.version;
        let versions = || state.kinds.versions(group, plural);
        let others = versions().filter(|kind| !own(kind) && self.match_policy != "Exact");
        let mut kinds = versions().filter(own).chain(others);
        let matches = |kind: &&Arc<Kind>| {
            let mut rules = self.rules.iter();
            rules.any(|rule| rule.matches(kind, target.subresource, operation))
        };
        kinds.find(matches).cloned()
    }

    /// Returns the name of a feature that the webhook uses and that is not supported. `None` if
    /// there is none.
    fn unsupported(&self) -> Option<&'static str> {
        if !self.match_conditions.is_empty() {
            Some("`matchConditions`")
        } else if self.reinvocation_policy == "IfNeeded" {
            Some("the `reinvocationPolicy` `IfNeeded`")
        } else {
            None
        }
    }
}

impl Rule {
    fn matches(&self, kind: &Kind, subresource: &str, operation: &str) -> bool {
        let among = |known: &[String], value: &str| known.iter().any(|it| it == "*" || it == value);
        let is_resource = |resource: &String| {
            let (plural, sub) = resource.split_once('/').unwrap_or((resource, ""));
            (plural == "*" || plural == kind.plural) && (sub == "*" || sub == subresource)
        };
        let is_in_scope = match &*self.scope {
            "Namespaced" => kind.namespaced,
            "Cluster" => !kind.namespaced,
            _ => true,
        };
        among(&self.api_groups, &kind.group)
            && among(&self.api_versions, &kind.version)
            && among(&self.operations, operation)
            && self.resources.iter().any(is_resource)
            && is_in_scope
    }
}

/// Returns the webhooks of a phase that match a request, in the order of their configurations.
/// `operation` is `CREATE`, `UPDATE` or `DELETE`; `object` is the new object, or the old one for a
/// delete. The caller checks their selectors of objects, since each webhook may change the labels.
pub(super) fn matching(
    state: &State,
    phase: Phase,
    target: &Target<'_>,
    operation: &str,
    object: Option<&Value>,
) -> Result<Vec<Hook>, Refusal> {
    let mut hooks = Vec::new();
    if target.key.is_webhook_configuration() {
        return Ok(hooks);
    }
    let first = Key {
        group: ADMISSION.to_owned(),
        plural: phase.configurations().to_owned(),
        namespace: String::new(),
        name: String::new(),
    };
    let all = state.objects.range(first..);
    let of_phase = all.take_while(|(key, _)| {
        key.is_webhook_configuration() && key.plural == phase.configurations()
    });
    for (_, configuration) in of_phase {
        for webhook in webhooks(configuration)? {
            if let Some(kind) = webhook.matched(state, target, operation)
                && webhook.selects_namespace(state, target, object)?
            {
                if webhook.client_config.url.is_some() {
                    return Err(webhook.not_supported("a `url`"));
                }
                hooks.push(Hook { webhook, kind });
            }
        }
    }
    Ok(hooks)
}

/// Checks a webhook configuration that a client writes.
///
/// # Errors
/// Returns 501 if it uses a feature that is not supported.
pub(super) fn check(configuration: &Value) -> Result<(), Refusal> {
    for webhook in webhooks(configuration)? {
        if let Some(feature) = webhook.unsupported() {
            return Err(webhook.not_supported(feature));
        }
    }
    Ok(())
}

fn webhooks(configuration: &Value) -> Result<Vec<Webhook>, Refusal> {
    let all = configuration["webhooks"].as_array().into_iter().flatten();
    let parsed = all.map(|webhook| serde_json::from_value(webhook.clone()));
    let parsed: Result<_, _> = parsed.collect();
    parsed.map_err(|error| Refusal::bad_request(format!("the webhooks are invalid: {error}")))
}

fn selector(selector: &LabelSelector) -> Result<Selector, Refusal> {
    let parsed = Selector::try_from(selector.clone());
    parsed.map_err(|error| Refusal::bad_request(format!("a selector is invalid: {error}")))
}

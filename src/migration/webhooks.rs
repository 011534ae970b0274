//! Webhooks that match equivalent versions, so that the API server sends them objects converted to
//! another version. It also converts the old object of an update. As long as such a webhook exists,
//! an object that cannot be converted cannot be repaired.
//! <https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchpolicy>

use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration as Mutating, RuleWithOperations,
    ValidatingWebhookConfiguration as Validating,
};
use kube::api::{Api, ApiResource, DynamicObject, ListParams};
use kube::{Client, ResourceExt as _};
use serde::Deserialize;
use serde_json::json;

/// The configurations of a cluster, with the webhooks whose match policy is `Equivalent`.
pub struct WebhookConfigurations(Vec<Configuration>);

struct Configuration {
    /// The resource and name for `kubectl`.
    resource: String,
    /// The name and the rules of each webhook.
    webhooks: Vec<(String, Vec<RuleWithOperations>)>,
}

/// The common fields of both types of configurations, as far as they are needed.
#[derive(Deserialize)]
struct Configured {
    #[serde(default)]
    webhooks: Vec<Webhook>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Webhook {
    name: String,
    match_policy: Option<String>,
    #[serde(default)]
    rules: Vec<RuleWithOperations>,
}

/// The `matchPolicy` of a webhook: whether it receives objects in versions that its rules do not
/// name.
#[derive(Clone, Copy)]
pub enum MatchPolicy {
    Exact,
    Equivalent,
}

impl WebhookConfigurations {
    /// Lists the configurations of a cluster.
    ///
    /// # Errors
    /// Returns an error if the API server refuses.
    pub async fn of(client: &Client) -> kube::Result<Self> {
        let sorts = [
            ("validating", ApiResource::erase::<Validating>(&())),
            ("mutating", ApiResource::erase::<Mutating>(&())),
        ];
        let mut found = Vec::new();
        for (sort, resource) in sorts {
            let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
            for one in api.list(&ListParams::default()).await?.items {
                let name = one.name_any();
                let read = Configured::deserialize(one.data);
                let webhooks = read.map_err(kube::Error::SerdeError)?.webhooks;
                found.push(configuration(sort, &name, webhooks));
            }
        }
        Ok(Self(found))
    }

    /// Returns the `kubectl patch` commands that set the match policy of those webhooks that
    /// receive objects of `kind` in another one of its `versions`, such as `v1`, than that of
    /// `kind`.
    pub fn policy_commands(
        &self,
        policy: MatchPolicy,
        kind: &ApiResource,
        versions: &[String],
    ) -> Vec<String> {
        let policy = match policy {
            MatchPolicy::Exact => "Exact",
            MatchPolicy::Equivalent => "Equivalent",
        };
        let command = |configuration: &Configuration| {
            let matching = configuration.webhooks.iter();
            let matching =
                matching.filter(|(_, rules)| matches_other_version(rules, kind, versions));
            let patches: Vec<_> = matching
                .map(|(name, _)| json!({"name": name, "matchPolicy": policy}))
                .collect();
            let (resource, patch) = (&configuration.resource, json!({ "webhooks": patches }));
            (!patches.is_empty()).then(|| format!("kubectl patch {resource} -p '{patch}'"))
        };
        self.0.iter().filter_map(command).collect()
    }
}

fn configuration(sort: &str, name: &str, webhooks: Vec<Webhook>) -> Configuration {
    let webhooks = webhooks.into_iter();
    let taking = webhooks.filter(|webhook| webhook.match_policy.as_deref() != Some("Exact"));
    Configuration {
        resource: format!("{sort}webhookconfiguration {name}"),
        webhooks: taking
            .map(|webhook| (webhook.name, webhook.rules))
            .collect(),
    }
}

/// Reports whether the rules of a webhook match an update or deletion in one of the `versions`, but
/// not in that of `kind`.
fn matches_other_version(
    rules: &[RuleWithOperations],
    kind: &ApiResource,
    versions: &[String],
) -> bool {
    let has = |all: &Option<Vec<String>>, one: &str| {
        all.iter().flatten().any(|is| is == "*" || is == one)
    };
    ["UPDATE", "DELETE"].into_iter().any(|operation| {
        let takes = |version: &str| {
            rules.iter().any(|rule| {
                has(&rule.operations, operation)
                    && has(&rule.api_groups, &kind.group)
                    && (has(&rule.resources, &kind.plural) || has(&rule.resources, "*/*"))
                    && has(&rule.api_versions, version)
            })
        };
        !takes(&kind.version) && versions.iter().any(|version| takes(version))
    })
}

#[cfg(test)]
mod tests {
    use kube::core::GroupVersionKind;
    use serde_json::{Value, from_value};

    use super::*;

    fn matches(rules: Value) -> bool {
        let kind = GroupVersionKind::gvk("my.domain", "v1alpha1", "Cow");
        let kind = ApiResource::from_gvk_with_plural(&kind, "cows");
        let versions = ["v1alpha1", "v1"].map(str::to_owned);
        matches_other_version(&from_value::<Vec<_>>(rules).unwrap(), &kind, &versions)
    }

    fn rule(version: &str, operations: &[&str]) -> Value {
        json!({"apiGroups": ["my.domain"], "apiVersions": [version], "resources": ["cows"], "operations": operations})
    }

    #[test]
    fn webhooks_of_another_version_receive_converted_objects() {
        let old = rule("v1alpha1", &["UPDATE", "DELETE"]);
        let new = rule("v1", &["CREATE", "UPDATE"]);
        assert!(matches(json!([new])));
        assert!(!matches(json!([old])));
        assert!(!matches(json!([new, old])));
        assert!(matches(json!([
            rule("v1", &["*"]),
            rule("v1alpha1", &["UPDATE"])
        ])));
        assert!(!matches(json!([rule("*", &["*"])])));
        assert!(!matches(json!([rule("v1", &["CREATE"])])));
        assert!(!matches(json!([rule("v7", &["*"])])));
    }

    #[test]
    fn other_resources_are_none_of_this() {
        let mut other = rule("v1", &["*"]);
        for (resource, is) in [("cows/status", false), ("*", true), ("*/*", true)] {
            other["resources"] = json!([resource]);
            assert_eq!(matches(json!([other])), is, "{resource}");
        }
        other["apiGroups"] = json!(["apps"]);
        assert!(!matches(json!([other])));
    }

    #[test]
    fn the_commands_name_them_all() {
        let webhook = |name: &str, policy: Option<&str>, version: &str| json!({"name": name, "matchPolicy": policy, "rules": [rule(version, &["UPDATE"])]});
        let webhooks = json!([
            webhook("a", Some("Equivalent"), "v1"),
            webhook("b", Some("Equivalent"), "v1alpha1"),
            webhook("c", Some("Exact"), "v1"),
            webhook("d", None, "v1"),
        ]);
        let webhooks = from_value(webhooks).unwrap();
        let webhooks = WebhookConfigurations(vec![configuration("validating", "mine", webhooks)]);
        let kind = GroupVersionKind::gvk("my.domain", "v1alpha1", "Cow");
        let kind = ApiResource::from_gvk_with_plural(&kind, "cows");
        let commands = |versions: &[&str]| {
            let versions: Vec<_> = versions.iter().map(ToString::to_string).collect();
            webhooks.policy_commands(MatchPolicy::Exact, &kind, &versions)
        };
        let exact = |name: &str| json!({"name": name, "matchPolicy": "Exact"});
        let patch = json!({"webhooks": [exact("a"), exact("d")]});
        let command = format!("kubectl patch validatingwebhookconfiguration mine -p '{patch}'");
        assert_eq!(commands(&["v1alpha1", "v1"]), [command]);
        assert_eq!(commands(&["v1alpha1"]), [""; 0]);
    }
}

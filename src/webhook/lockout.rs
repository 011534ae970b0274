//! The check for webhooks that the operator's own objects must pass: while the operator is down,
//! the API server would reject its Pods, so it could not be started again.

use k8s_openapi::api::admissionregistration::v1::RuleWithOperations;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

use super::marked::Webhook;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::lints::webhook::LOCKOUT;

/// The label with the name of a namespace. Every namespace has it.
const NAME: &str = "kubernetes.io/metadata.name";

/// Groups and resources of the objects that must be created or changed before an operator runs and
/// serves.
const NEEDED: [(&str, &str); 8] = [
    ("", "configmaps"),
    ("", "pods"),
    ("", "secrets"),
    ("", "serviceaccounts"),
    ("", "services"),
    ("apps", "deployments"),
    ("apps", "replicasets"),
    ("coordination.k8s.io", "leases"),
];

/// Returns a warning for each webhook of the operator's own server that is called for objects
/// needed by an operator in `namespace`. A webhook that may be ignored, or that selects objects or
/// has match conditions, gets none.
pub fn check(webhooks: &[Webhook], namespace: &str) -> Vec<Diagnostic> {
    let locks = |webhook: &&Webhook| {
        let spec = &webhook.spec;
        let mut rules = spec.rules.iter().flatten();
        webhook.own_path().is_some()
            && spec.failure_policy.as_deref() != Some("Ignore")
            && spec.object_selector.is_none()
            && spec.match_conditions.is_none()
            && rules.any(is_needed)
            && !is_left_out(spec.namespace_selector.as_ref(), namespace)
    };
    let found = webhooks.iter().filter(locks).map(|webhook| {
        let message =
            "this webhook applies to the operator's own objects, but only the operator serves it";
        let help = format!("write `namespaceSelector=\"{NAME}!={namespace}\"`");
        webhook
            .at("namespaceSelector", message.to_owned(), help)
            .warning(&LOCKOUT)
    });
    found.collect()
}

/// Returns true if a rule applies to creates or updates of a needed object.
fn is_needed(rule: &RuleWithOperations) -> bool {
    let has = |values: &Option<Vec<String>>, wanted: &[&str]| {
        let mut values = values.iter().flatten();
        values.any(|value| wanted.contains(&value.as_str()))
    };
    has(&rule.operations, &["CREATE", "UPDATE", "*"])
        && NEEDED.iter().any(|(group, resource)| {
            has(&rule.api_groups, &[group, "*"]) && has(&rule.resources, &[resource, "*", "*/*"])
        })
}

/// Returns true if the selector excludes the namespace. Only the namespace's name is known: any
/// other label that the selector requires is assumed to be missing.
fn is_left_out(selector: Option<&LabelSelector>, namespace: &str) -> bool {
    let Some(selector) = selector else {
        return false;
    };
    let labels = selector.match_labels.iter().flatten();
    let expressions = selector.match_expressions.iter().flatten();
    labels
        .map(|(key, value)| key != NAME || value != namespace)
        .chain(expressions.map(|expression| refuses(expression, namespace)))
        .any(|refuses| refuses)
}

/// Returns true if the expression excludes a namespace that has only the label with its name.
fn refuses(expression: &LabelSelectorRequirement, namespace: &str) -> bool {
    let mut values = expression.values.iter().flatten();
    let is_known = expression.key == NAME;
    let is_named = is_known && values.any(|value| value == namespace);
    match expression.operator.as_str() {
        "In" => !is_named,
        "NotIn" => is_named,
        "Exists" => !is_known,
        _ => is_known,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::sources::comments as source;
    use crate::webhook;

    /// Returns the warnings about a webhook with these arguments, in the namespace `barn`.
    fn warnings(arguments: &str) -> Vec<String> {
        let usual = "path=/p,mutating=false,failurePolicy=fail,sideEffects=None,groups=\"\",resources=pods,\
                     verbs=create,versions=v1,name=a.b.c,admissionReviewVersions=v1";
        let mut all: Vec<_> = usual.split(',').map(str::to_owned).collect();
        for argument in arguments.split(',').filter(|argument| !argument.is_empty()) {
            let name = argument.split('=').next().unwrap_or_default();
            all.retain(|other| other.split('=').next() != Some(name));
            all.push(argument.to_owned());
        }
        let text = format!("// +kubebuilder:webhook:{}\n", all.join(","));
        let (webhooks, found) = webhook::read(&source::scan(Path::new("a.rs"), &text).markers);
        assert!(found.is_empty(), "{text}");
        let found = check(&webhooks.webhooks, "barn");
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn webhooks_must_exclude_the_operators_namespace() {
        let selector = |text: &str| format!("namespaceSelector=\"{text}\"");
        for locks in [
            "",
            "resources=*",
            "groups=apps,resources=deployments",
            "groups=*,resources=pods",
            &selector("kubernetes.io/metadata.name!=elsewhere"),
            &selector("kubernetes.io/metadata.name=barn"),
            &selector("!example.com/ignore"),
        ] {
            let found = warnings(locks);
            assert_eq!(found.len(), 1, "{locks}");
            let help = "namespaceSelector=\"kubernetes.io/metadata.name!=barn\"";
            assert!(found[0].contains(help), "{}", found[0]);
        }
        for passes in [
            "failurePolicy=ignore",
            "groups=my.domain,resources=lolcows",
            "verbs=delete",
            "serviceName=other",
            &selector("kubernetes.io/metadata.name!=barn"),
            &selector("kubernetes.io/metadata.name=elsewhere"),
            &selector("example.com/checked=yes"),
            "objectSelector=\"checked=yes\"",
        ] {
            assert!(warnings(passes).is_empty(), "{passes}");
        }
    }
}

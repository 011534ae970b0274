//! The `webhookdefinitions` of a bundle. OLM creates the webhook configurations, the Service and
//! the certificate from them.

use serde_json::{Value, json};

use super::config::{ConfigObject, items, text};

/// The fields of a webhook that OLM copies.
const TAKEN: [&str; 8] = [
    "admissionReviewVersions",
    "failurePolicy",
    "matchPolicy",
    "objectSelector",
    "reinvocationPolicy",
    "rules",
    "sideEffects",
    "timeoutSeconds",
];

/// The fields that a bundle cannot express.
const NOT_TAKEN: [&str; 2] = ["namespaceSelector", "matchConditions"];

/// The webhooks of a project in OLM's format.
#[derive(Debug, Default)]
pub struct OlmWebhooks {
    /// The items of `webhookdefinitions`.
    pub json: Vec<Value>,
    /// Notes for the user about fields that a bundle cannot express, one line each.
    pub lost: Vec<String>,
    /// True if any CRD has a conversion webhook.
    pub converts: bool,
}

impl OlmWebhooks {
    /// Collects the webhooks from the configurations, and from the CRDs with a conversion webhook.
    /// `configurations` also contains the Service of the webhooks, and `deployment` is the name of
    /// the Deployment that serves them.
    pub fn of(configurations: &[ConfigObject], crds: &[ConfigObject], deployment: &str) -> Self {
        let mut all = Self::default();
        let port = configurations
            .iter()
            .find(|it| it.text("/kind") == "Service");
        let port = port.map(|service| service.json["spec"]["ports"][0].clone());
        let port = port.unwrap_or_default();
        let at = json!({
            "deploymentName": deployment,
            "containerPort": port["port"],
            "targetPort": port["targetPort"],
        });
        for configuration in configurations {
            let kind = match configuration.text("/kind") {
                "MutatingWebhookConfiguration" => "MutatingAdmissionWebhook",
                "ValidatingWebhookConfiguration" => "ValidatingAdmissionWebhook",
                _ => continue,
            };
            for webhook in items(&configuration.json, "/webhooks") {
                all.admit(kind, webhook, at.clone());
            }
        }
        all.convert(crds, at);
        all
    }

    fn admit(&mut self, kind: &str, webhook: &Value, mut json: Value) {
        let name = text(webhook, "/name");
        json["type"] = kind.into();
        json["generateName"] = name.into();
        json["webhookPath"] = text(webhook, "/clientConfig/service/path").into();
        for field in TAKEN {
            if let Some(value) = webhook.get(field) {
                json[field] = value.clone();
            }
        }
        for field in NOT_TAKEN.iter().filter(|it| webhook.get(it).is_some()) {
            self.lost.push(format!(
                "OLM ignores the {field} of the webhook {name}, since a bundle cannot contain it"
            ));
        }
        self.json.push(json);
    }

    fn convert(&mut self, crds: &[ConfigObject], mut json: Value) {
        let converted = |crd: &&ConfigObject| crd.text("/spec/conversion/strategy") == "Webhook";
        let crds: Vec<_> = crds.iter().filter(converted).collect();
        let Some(first) = crds.first() else { return };
        let webhook = &first.json["spec"]["conversion"]["webhook"];
        let names: Vec<_> = crds.iter().map(|crd| crd.text("/metadata/name")).collect();
        json["type"] = "ConversionWebhook".into();
        json["generateName"] = format!("c{}", names[0]).into();
        json["admissionReviewVersions"] = webhook["conversionReviewVersions"].clone();
        json["sideEffects"] = "None".into();
        json["webhookPath"] = text(webhook, "/clientConfig/service/path").into();
        json["conversionCRDs"] = names.into();
        self.json.push(json);
        self.converts = true;
    }
}

/// Points the conversion webhook of a CRD to the Service that OLM creates for the Deployment's
/// webhooks. Until OLM has completed the configuration, conversions fail, which is better than
/// wrong conversions.
pub fn redirect(crd: &mut Value, deployment: &str) {
    if let Some(service) = crd.pointer_mut("/spec/conversion/webhook/clientConfig/service") {
        service["name"] = format!("{}-service", deployment.replace('.', "-")).into();
    }
}

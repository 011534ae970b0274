//! `webhookdefinitions`: OLM makes the configurations of these, the Service and the certificate.

use serde_json::{Value, json};

use super::config::{Object, items, text};

/// The fields of a webhook that OLM takes as they are.
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

/// Those that it has no place for.
const NOT_TAKEN: [&str; 2] = ["namespaceSelector", "matchConditions"];

/// The webhooks of a project.
#[derive(Debug, Default)]
pub struct Webhooks {
    /// As OLM wants them.
    pub json: Vec<Value>,
    /// What is lost, in a line each.
    pub lost: Vec<String>,
    /// Whether API servers ask to convert objects.
    pub converts: bool,
}

impl Webhooks {
    /// Those of the configurations, and of definitions whose objects are converted.
    pub fn of(configurations: &[Object], crds: &[Object], deployment: &str) -> Self {
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
                "the webhook {name} has a {field}, for which a bundle has no place: OLM calls it without"
            ));
        }
        self.json.push(json);
    }

    fn convert(&mut self, crds: &[Object], mut json: Value) {
        let converted = |crd: &&Object| crd.text("/spec/conversion/strategy") == "Webhook";
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

/// A definition that names the Service which OLM makes for the webhooks of a Deployment: until OLM has written
/// more into it, objects are not converted rather than converted wrongly.
pub fn redirect(crd: &mut Value, deployment: &str) {
    if let Some(service) = crd.pointer_mut("/spec/conversion/webhook/clientConfig/service") {
        service["name"] = format!("{}-service", deployment.replace('.', "-")).into();
    }
}

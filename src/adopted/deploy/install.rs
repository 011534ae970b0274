//! The objects that are applied before the operator runs as a local process: all manifests except
//! for workloads.

use serde_json::{Value, json};

use super::rendered::Rendered;
use super::workload::{Workload, list};

/// Kinds whose objects run programs.
const PROGRAMS: [&str; 8] = [
    "CronJob",
    "DaemonSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "Job",
    "Pod",
    "PodDisruptionBudget",
    "StatefulSet",
];
/// Kubernetes' own kinds without a namespace.
const CLUSTER_SCOPED: [&str; 16] = [
    "APIService",
    "ClusterRole",
    "ClusterRoleBinding",
    "CSIDriver",
    "CustomResourceDefinition",
    "FlowSchema",
    "IngressClass",
    "MutatingWebhookConfiguration",
    "Namespace",
    "Node",
    "PersistentVolume",
    "PriorityClass",
    "RuntimeClass",
    "StorageClass",
    "ValidatingAdmissionPolicy",
    "ValidatingWebhookConfiguration",
];
const CRD: &str = "CustomResourceDefinition";
const SERVICE_ACCOUNT: &str = "ServiceAccount";

/// The objects of an operator that runs outside of the cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Installation {
    /// The objects to apply, CRDs included, each with its namespace.
    pub objects: Vec<Value>,
    /// The port on which the operator serves webhooks: the target port of its Service. `None` if no
    /// webhook leads to the operator.
    pub webhook_port: Option<u16>,
    /// Objects that are left out, other than the workload of the operator: `Deployment barn`.
    pub left_out: Vec<String>,
}

impl Installation {
    /// Selects the objects. `crds` replace those of the manifests with the same names, and `copies`
    /// are added if neither has them. Webhooks that another program serves are left out. Adds the
    /// ServiceAccount of the workload if the manifests lack it.
    pub fn new(
        objects: &[Rendered],
        workload: &Workload,
        crds: &[Value],
        copies: &[Value],
    ) -> Self {
        let mut installation = Self::default();
        let name = |crd: &Value| crd["metadata"]["name"].clone();
        let has = |all: &[Value], crd: &Value| all.iter().any(|it| name(it) == name(crd));
        let mut all: Vec<Value> = crds.to_vec();
        for rendered in objects {
            let is_operator = rendered.kind() == workload.kind && rendered.name() == workload.name;
            if PROGRAMS.contains(&rendered.kind()) {
                if !is_operator {
                    installation.leave_out(&rendered.object);
                }
            } else if rendered.kind() != CRD || !has(&all, &rendered.object) {
                all.push(rendered.object.clone());
            }
        }
        for copy in copies {
            if !has(&all, copy) {
                all.push(copy.clone());
            }
        }
        for object in &mut all {
            place(object, &workload.namespace);
        }
        let is_account = |it: &Value| {
            it["kind"] == SERVICE_ACCOUNT
                && it["metadata"]["name"] == workload.service_account.as_str()
                && it["metadata"]["namespace"] == workload.namespace.as_str()
        };
        if workload.service_account != "default" && !all.iter().any(is_account) {
            all.push(
                json!({"apiVersion": "v1", "kind": SERVICE_ACCOUNT, "metadata":
                {"name": workload.service_account, "namespace": workload.namespace}}),
            );
        }
        installation.direct(&mut all, workload);
        installation.objects.append(&mut all);
        installation
    }

    /// Finds the port of the operator's webhooks, and removes the webhooks of other programs.
    fn direct(&mut self, objects: &mut Vec<Value>, workload: &Workload) {
        let services: Vec<Value> = objects
            .iter()
            .filter(|it| it["kind"] == "Service")
            .cloned()
            .collect();
        let port = |client: &Value| port_of(&client["service"], &services, workload);
        let mut removed = Vec::new();
        for object in objects.iter_mut() {
            if object["kind"] == CRD {
                let client = &object["spec"]["conversion"]["webhook"]["clientConfig"];
                self.webhook_port = self.webhook_port.or_else(|| port(client));
                continue;
            }
            // Indexing would add the field to objects without it.
            let webhooks = object.get_mut("webhooks").and_then(Value::as_array_mut);
            let Some(webhooks) = webhooks else { continue };
            webhooks.retain(|webhook| {
                let client = &webhook["clientConfig"];
                let port = port(client);
                self.webhook_port = self.webhook_port.or(port);
                port.is_some() || client["url"].is_string()
            });
            if webhooks.is_empty() {
                removed.push(object.clone());
            }
        }
        objects.retain(|it| !removed.contains(it));
        for object in &removed {
            self.leave_out(object);
        }
    }

    fn leave_out(&mut self, object: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        self.left_out.push(format!(
            "{} {}",
            text(&object["kind"]),
            text(&object["metadata"]["name"])
        ));
    }
}

/// Sets the namespace of an object that needs one.
fn place(object: &mut Value, namespace: &str) {
    let kind = object["kind"].as_str().unwrap_or_default();
    let is_set = object["metadata"]["namespace"]
        .as_str()
        .is_some_and(|it| !it.is_empty());
    if !is_set && !CLUSTER_SCOPED.contains(&kind) && object["metadata"].is_object() {
        object["metadata"]["namespace"] = json!(namespace);
    }
}

/// Returns the port of the container to which a webhook's Service leads. `None` if its pods are not
/// those of the workload.
fn port_of(reference: &Value, services: &[Value], workload: &Workload) -> Option<u16> {
    let service = services.iter().find(|it| {
        it["metadata"]["name"] == reference["name"]
            && it["metadata"]["namespace"] == reference["namespace"]
    })?;
    let selector = service["spec"]["selector"].as_object()?;
    let selects = selector
        .iter()
        .all(|(key, value)| workload.labels[key] == *value);
    if selector.is_empty() || !selects {
        return None;
    }
    let number = reference["port"].as_u64().unwrap_or(443);
    let ports = list(&service["spec"]["ports"]);
    let port = ports.iter().find(|it| it["port"] == number)?;
    match &port["targetPort"] {
        Value::Null => u16::try_from(number).ok(),
        Value::String(name) => workload
            .ports()
            .into_iter()
            .find_map(|(known, number)| (known == name).then_some(number))
            .or_else(|| name.parse().ok()),
        target => u16::try_from(target.as_u64()?).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::files::parse;
    use super::*;
    use crate::adopted::config::Operator;

    const MANIFESTS: &str = "
kind: Deployment
metadata: {name: barn}
spec:
  template:
    metadata: {labels: {app: barn, tier: x}}
    spec: {serviceAccountName: hand, containers: [{name: barn, ports: [{name: hooks, containerPort: 9443}]}]}
---
{kind: Deployment, metadata: {name: web}}
---
{kind: Service, metadata: {name: barn}, spec: {selector: {app: barn}, ports: [{port: 443, targetPort: hooks}]}}
---
{kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 443}]}}
---
kind: ValidatingWebhookConfiguration
metadata: {name: mine}
webhooks: [{name: a, clientConfig: {service: {name: barn, namespace: farm}}}, {name: b, clientConfig: {service: {name: web, namespace: farm}}}]
---
kind: ValidatingWebhookConfiguration
metadata: {name: theirs}
webhooks: [{name: b, clientConfig: {service: {name: web, namespace: farm}}}]
---
{kind: CustomResourceDefinition, metadata: {name: cows}, spec: {old: true}}
---
{kind: CustomResourceDefinition, metadata: {name: pigs}}
";

    #[test]
    fn workloads_and_webhooks_of_others_are_left_out() {
        let objects = parse("all.yaml".as_ref(), MANIFESTS).unwrap();
        let operator = Operator {
            workload: Some("barn".into()),
            ..Operator::default()
        };
        let workload = Workload::find(&objects, &operator, "barn", "farm").unwrap();
        let crd = |name: &str| json!({"kind": CRD, "metadata": {"name": name}, "spec": {}});
        let made = Installation::new(
            &objects,
            &workload,
            &[crd("cows")],
            &[crd("pigs"), crd("hens")],
        );
        assert_eq!(made.webhook_port, Some(9443));
        assert_eq!(
            made.left_out,
            ["Deployment web", "ValidatingWebhookConfiguration theirs"]
        );
        let names: Vec<_> = made
            .objects
            .iter()
            .map(|it| it["metadata"]["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            ["cows", "barn", "web", "mine", "pigs", "hens", "hand"]
        );
        assert_eq!(made.objects[0]["spec"], json!({}), "the generated CRD wins");
        assert_eq!(made.objects[1]["metadata"]["namespace"], "farm");
        assert!(made.objects[3]["metadata"]["namespace"].is_null());
        assert_eq!(made.objects[3]["webhooks"].as_array().unwrap().len(), 1);
        assert_eq!(made.objects[2].get("webhooks"), None);
    }
}

//! Where objects name each other, and the namespace that they are in: what kustomize does by `namePrefix`, `namespace`
//! and `nameReference`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::slots::{ISSUER, Slot, Slots};
use crate::names::ProjectName;
use crate::project::naming::{ACCOUNT, NAMESPACE, Naming, SERVICE};

/// The kind of which no name is a release's to choose.
pub const DEFINITION: &str = "CustomResourceDefinition";

/// The label by which selectors name a namespace.
const NAMESPACE_LABEL: &str = "kubernetes.io/metadata.name";

/// The Service of the metrics in the files.
const METRICS: &str = "metrics";

/// What stands for the name and the namespace of the Service of the webhooks in the files of cert-manager.
const PARTS_OF_HOST: [&str; 2] = ["SERVICE", "NAMESPACE"];

/// A chart, and how the project goes that it is of.
#[derive(Debug)]
pub struct Chart<'a> {
    /// Its name.
    pub name: &'a ProjectName,
    /// That of the project.
    pub project: &'a ProjectName,
    /// What `config/default` makes of names.
    pub naming: &'a Naming,
    /// Whether the operator's role is one in each namespace.
    pub namespaced: bool,
}

/// The names in `config/`, and what is there instead.
#[derive(Debug)]
pub struct Names<'a> {
    chart: &'a Chart<'a>,
    own: BTreeSet<&'a str>,
    slots: &'a Slots,
}

impl<'a> Names<'a> {
    /// Those of all objects.
    pub fn new(
        chart: &'a Chart<'a>,
        slots: &'a Slots,
        objects: impl Iterator<Item = &'a Value>,
    ) -> Self {
        let own = objects.filter(|object| object["kind"] != DEFINITION);
        let names = own.filter_map(|object| object["metadata"]["name"].as_str());
        Self {
            chart,
            own: names.collect(),
            slots,
        }
    }

    /// The chart's name.
    pub fn chart(&self) -> &str {
        self.chart.name.as_str()
    }

    /// Whether an object stays in the namespace that its file names: a `Role` or `RoleBinding` in a namespace other than the
    /// operator's grants access to that namespace and to no other.
    pub fn keeps_namespace(&self, object: &Value) -> bool {
        let namespace = object["metadata"]["namespace"].as_str().unwrap_or_default();
        ["Role", "RoleBinding"]
            .iter()
            .any(|kind| object["kind"] == *kind)
            && !namespace.is_empty()
            && !self.chart.naming.is_own_namespace(namespace)
    }

    /// A name of the project's own as the release has it.
    pub fn full(&self, name: &str) -> String {
        format!("{}-{name}", self.slots.word(Slot::FullName))
    }

    /// Fills in all names below a value, which is that of `key`.
    pub fn fill(&self, key: &str, value: &mut Value) {
        match value {
            Value::Object(map) => {
                // The place of a name says whose it is, and that of values what they are of.
                let of_namespace = map.get("key").is_some_and(|key| key == NAMESPACE_LABEL);
                if key == "clientConfig"
                    && let Some(name) = map.get("service").and_then(|it| it["name"].as_str())
                    && self.instead("service", name).is_some()
                {
                    self.slots.offer(Slot::CaBundle, map);
                }
                for (field, value) in map {
                    if field == "issuerRef" && value["name"] == ISSUER {
                        *value = self.slots.word(Slot::Issuer).into();
                        continue;
                    }
                    let place = match field.as_str() {
                        "name" => key,
                        "values" if of_namespace => NAMESPACE_LABEL,
                        field => field,
                    };
                    self.fill(place, value);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.fill(key, item)),
            Value::String(text) => {
                if let Some(new) = self.instead(key, text) {
                    *text = new;
                }
            }
            _ => {}
        }
    }

    fn instead(&self, place: &str, text: &str) -> Option<String> {
        let naming = self.chart.naming;
        let namespace = || Some(self.slots.word(Slot::Namespace));
        match place {
            "namespace" if text == NAMESPACE => namespace(),
            "namespace" | NAMESPACE_LABEL if text == naming.namespace => namespace(),
            // The account is none of these objects: the values say what it is called.
            "subjects" | "paramRef" if text == ACCOUNT => {
                Some(self.slots.word(Slot::ServiceAccount))
            }
            "service" if text == format!("{}{SERVICE}", naming.prefix) => Some(self.full(SERVICE)),
            "roleRef" | "subjects" | "service" | "issuerRef" | "resourceNames" | "policyName"
                if self.own.contains(text) =>
            {
                Some(self.full(text))
            }
            // Each release has alerts about its own Service only.
            "expr" => {
                let project = self.chart.project;
                let job = format!(
                    "namespace=\"{}\",job=\"{}\"",
                    self.slots.word(Slot::NamespaceInside),
                    self.full(METRICS)
                );
                let names = [format!("{project}-"), naming.prefix.clone()];
                let replaced = names.iter().fold(text.to_owned(), |text, prefix| {
                    text.replace(&format!("job=\"{prefix}{METRICS}\""), &job)
                });
                (replaced != text).then_some(replaced)
            }
            "secretName" => {
                let name = text.strip_prefix(self.chart.project.as_str())?;
                Some(self.full(name.strip_prefix('-')?))
            }
            "dnsNames" => {
                let [service, namespace] = PARTS_OF_HOST;
                let inside = self.slots.word(Slot::NamespaceInside);
                let host = text.replace(service, &self.full(SERVICE));
                Some(host.replace(namespace, &inside))
            }
            _ => None,
        }
    }
}

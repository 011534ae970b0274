//! Replacement of names and namespaces in references between objects, as kustomize does with
//! `namePrefix`, `namespace` and `nameReference`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::slots::{ISSUER, Slot, Slots};
use crate::names::ProjectName;
use crate::project::naming::{ACCOUNT, NAMESPACE, Naming, SERVICE};

/// The kind whose names are fixed: the release cannot choose the name of a CRD.
pub const DEFINITION: &str = "CustomResourceDefinition";

/// The label that selects a namespace by its name.
const NAMESPACE_LABEL: &str = "kubernetes.io/metadata.name";

/// The name of the metrics Service in `config/`.
const METRICS: &str = "metrics";

/// Placeholders for the name and the namespace of the webhook Service in the cert-manager files.
const PARTS_OF_HOST: [&str; 2] = ["SERVICE", "NAMESPACE"];

/// A chart and the properties of its project.
#[derive(Debug)]
pub struct Chart<'a> {
    /// The name of the chart.
    pub name: &'a ProjectName,
    /// The name of the project.
    pub project: &'a ProjectName,
    /// The name prefix and the namespace that `config/default` sets.
    pub naming: &'a Naming,
    /// True if the operator has a Role in each watched namespace.
    pub namespaced: bool,
}

/// The names in `config/` and their replacements.
#[derive(Debug)]
pub struct ChartNames<'a> {
    chart: &'a Chart<'a>,
    /// The names of the objects in `config/`, without CRDs.
    own: BTreeSet<&'a str>,
    slots: &'a Slots,
}

impl<'a> ChartNames<'a> {
    /// Collects the names of all objects that the chart contains.
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

    /// Returns the name of the chart.
    pub fn chart(&self) -> &str {
        self.chart.name.as_str()
    }

    /// Reports whether an object keeps the namespace from its file. A `Role` or `RoleBinding` in a
    /// namespace other than the operator's grants access to that namespace only.
    pub fn keeps_namespace(&self, object: &Value) -> bool {
        let namespace = object["metadata"]["namespace"].as_str().unwrap_or_default();
        ["Role", "RoleBinding"]
            .iter()
            .any(|kind| object["kind"] == *kind)
            && !namespace.is_empty()
            && !self.chart.naming.is_own_namespace(namespace)
    }

    /// Returns the name that an object of the project has in a release, such as
    /// `helm-FullName-slot-manager` for `manager`. [`Slots::fill`] replaces the slot word in it by
    /// a Helm expression.
    pub fn full(&self, name: &str) -> String {
        format!("{}-{name}", self.slots.word(Slot::FullName))
    }

    /// Replaces all names in a value. `key` is the field that contains the value; empty for a whole
    /// object.
    pub fn fill(&self, key: &str, value: &mut Value) {
        match value {
            Value::Object(map) => {
                // A field `name` is interpreted by its parent field, and `values` by the label key
                // that they belong to.
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
            // The ServiceAccount is not among the converted objects: its name comes from the
            // values.
            "subjects" | "paramRef" if text == ACCOUNT => {
                Some(self.slots.word(Slot::ServiceAccount))
            }
            "service" if text == format!("{}{SERVICE}", naming.prefix) => Some(self.full(SERVICE)),
            "roleRef" | "subjects" | "service" | "issuerRef" | "resourceNames" | "policyName"
                if self.own.contains(text) =>
            {
                Some(self.full(text))
            }
            // The alerts of a release cover its own Service only.
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

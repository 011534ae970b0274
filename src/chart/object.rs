//! Conversion of one object of `config/` to a template.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::names::{ChartNames, DEFINITION};
use super::parts::{CERT_MANAGER, FileGroup};
use super::slots::{ISSUER, Slot, Slots, escaped};
use crate::names::ProjectName;
use crate::yaml;

/// Labels that every object of a release has.
const LABELS: [&str; 5] = [
    "helm.sh/chart",
    "app.kubernetes.io/name",
    "app.kubernetes.io/instance",
    "app.kubernetes.io/version",
    "app.kubernetes.io/managed-by",
];

/// Cluster-scoped kinds.
const CLUSTER_SCOPED: [&str; 7] = [
    "ClusterRole",
    "ClusterRoleBinding",
    DEFINITION,
    "MutatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
];

/// The kinds of webhook configurations, with the suffix of the template that defines their name.
const CONFIGURATIONS: [(&str, &str); 2] = [
    ("MutatingWebhookConfiguration", "mutating"),
    ("ValidatingWebhookConfiguration", "validating"),
];

/// An annotation with a Helm condition.
struct Annotation {
    condition: &'static str,
    line: String,
}

/// An object of `config/` to convert.
pub struct ChartObject<'a> {
    json: &'a Value,
    part: &'a FileGroup,
    /// If true, the object is repeated for each watched namespace, which is `.` in the template.
    each: bool,
}

impl<'a> ChartObject<'a> {
    /// Creates an object of a file of `part`. `each` is true if it is repeated for each watched
    /// namespace.
    pub fn new(json: &'a Value, part: &'a FileGroup, each: bool) -> Self {
        Self { json, part, each }
    }

    /// Returns the template as text that is valid YAML: the places that Helm fills still contain
    /// the words of `slots`.
    pub fn text(&self, names: &ChartNames, slots: &Slots) -> String {
        let kind = self.kind();
        let mut body = self.json.clone();
        let map = body.as_object_mut().expect("an object was read");
        let metadata = map.remove("metadata").unwrap_or_default();
        let [version, own_kind] =
            ["apiVersion", "kind"].map(|field| map.remove(field).unwrap_or_default());
        let head = yaml::write(&serde_json::json!({"apiVersion": version, "kind": own_kind}));
        // In a CRD only the conversion webhook contains names: a schema may have fields with any
        // name.
        let place = if kind == DEFINITION {
            "/spec/conversion"
        } else {
            ""
        };
        if let Some(value) = body.pointer_mut(place) {
            names.fill("", value);
        }
        if kind == "ServiceMonitor"
            && let Some(endpoints) = body.pointer_mut("/spec/endpoints")
        {
            let endpoints = endpoints.as_array_mut().into_iter().flatten();
            for endpoint in endpoints.filter_map(Value::as_object_mut) {
                for option in [Slot::Interval, Slot::ScrapeTimeout] {
                    slots.offer(option, endpoint);
                }
            }
        }
        let rest = match body.as_object() {
            Some(map) if map.is_empty() => String::new(),
            _ => escaped(&yaml::write(&body)),
        };
        let metadata = self.metadata(metadata.as_object(), names, slots);
        format!("{head}metadata:\n{metadata}{rest}")
    }

    /// Reports whether this is the chart's own issuer, which `certManager.issuerRef` in the values
    /// replaces.
    pub fn is_own_issuer(&self) -> bool {
        self.kind() == "Issuer" && self.json["metadata"]["name"] == ISSUER
    }

    fn kind(&self) -> &str {
        self.json["kind"].as_str().unwrap_or_default()
    }

    fn metadata(
        &self,
        metadata: Option<&Map<String, Value>>,
        names: &ChartNames,
        slots: &Slots,
    ) -> String {
        let mut metadata = metadata.cloned().unwrap_or_default();
        let mut take = |field| metadata.remove(field).unwrap_or_default();
        let [name, namespace, labels, annotations] =
            ["name", "namespace", "labels", "annotations"].map(&mut take);
        let name = name.as_str().unwrap_or_default();
        let mut text = match self.kind() {
            DEFINITION => format!("  name: {name}\n"),
            _ => format!("  name: {}\n", names.full(name)),
        };
        if names.keeps_namespace(self.json) {
            let line = yaml::write(&serde_json::json!({ "namespace": namespace }));
            text.push_str(&indented(&escaped(&line), 2));
        } else if self.each {
            text.push_str("  namespace: {{ . | quote }}\n");
        } else if !CLUSTER_SCOPED.contains(&self.kind()) {
            let _ = writeln!(text, "  namespace: {}", slots.word(Slot::Namespace));
        }
        let _ = writeln!(
            text,
            "  labels:\n    {{{{- include \"{}.labels\" $ | nindent 4 }}}}",
            names.chart()
        );
        text.push_str(&own(labels, |key| !LABELS.contains(&key)));
        if let Some(labels) = self.part.labels {
            let _ = writeln!(
                text,
                "    {{{{- with {labels} }}}}\n    {{{{- toYaml . | nindent 4 }}}}\n    {{{{- end }}}}"
            );
        }
        text.push_str(&annotated(
            &own(annotations, |_| true),
            &self.annotations(names, slots),
        ));
        if !metadata.is_empty() {
            text.push_str(&indented(
                &escaped(&yaml::write(&Value::Object(metadata))),
                2,
            ));
        }
        text
    }

    /// Returns the annotations that the chart adds to those of the project.
    fn annotations(&self, names: &ChartNames, slots: &Slots) -> Vec<Annotation> {
        let keep = Annotation {
            condition: ".Values.crds.keep",
            line: "helm.sh/resource-policy: keep".to_owned(),
        };
        let inside = slots.word(Slot::NamespaceInside);
        let certificate = names.full("serving-cert");
        let inject = Annotation {
            condition: CERT_MANAGER,
            line: format!("cert-manager.io/inject-ca-from: {inside}/{certificate}"),
        };
        let is_converted = self.json.pointer("/spec/conversion/webhook").is_some();
        match self.kind() {
            DEFINITION if is_converted => vec![keep, inject],
            DEFINITION => vec![keep],
            kind if CONFIGURATIONS.iter().any(|(one, _)| *one == kind) => vec![inject],
            _ => Vec::new(),
        }
    }
}

/// Returns the labels or annotations of the project for which `is_meant` returns true.
fn own(map: Value, is_meant: impl Fn(&str) -> bool) -> String {
    let Value::Object(mut map) = map else {
        return String::new();
    };
    map.retain(|key, _| is_meant(key));
    if map.is_empty() {
        return String::new();
    }
    indented(&escaped(&yaml::write(&Value::Object(map))), 4)
}

/// Returns the `annotations` block of an object, or an empty text if there cannot be any. The key
/// is rendered only if at least one annotation is.
fn annotated(own: &str, optional: &[Annotation]) -> String {
    let on = |one: &Annotation, text: &str| {
        format!("{{{{- if {} }}}}\n{text}{{{{- end }}}}\n", one.condition)
    };
    let lines = optional
        .iter()
        .map(|one| format!("    {}", on(one, &format!("    {}\n    ", one.line))));
    match (own, optional) {
        ("", []) => String::new(),
        ("", [one]) => format!(
            "  {}",
            on(one, &format!("  annotations:\n    {}\n  ", one.line))
        ),
        ("", several) => {
            let any: Vec<_> = several.iter().map(|one| one.condition).collect();
            let lines: String = lines.collect();
            format!(
                "  {{{{- if or {} }}}}\n  annotations:\n{lines}  {{{{- end }}}}\n",
                any.join(" ")
            )
        }
        (own, _) => format!("  annotations:\n{own}{}", lines.collect::<String>()),
    }
}

fn indented(text: &str, by: usize) -> String {
    let lines = text.lines().map(|line| match line {
        "" => "\n".to_owned(),
        line => format!("{:by$}{line}\n", ""),
    });
    lines.collect()
}

/// Returns the templates that define the names of the webhook configurations, which a marker can
/// set; an empty text if there are none.
pub fn configurations<'a>(chart: &ProjectName, objects: impl Iterator<Item = &'a Value>) -> String {
    let mut text = String::new();
    for object in objects {
        let kind = CONFIGURATIONS
            .iter()
            .find(|(kind, _)| object["kind"] == *kind);
        if let (Some((_, word)), Some(name)) = (kind, object["metadata"]["name"].as_str()) {
            let _ = writeln!(
                text,
                "{{{{- define \"{chart}.{word}\" -}}}}\n{{{{ include \"{chart}.fullname\" . }}}}-{name}\n{{{{- end -}}}}"
            );
        }
    }
    text
}

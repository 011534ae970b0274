//! Types of Kubernetes that are copied into a CRD, and their place in the reference of Kubernetes.

use serde_json::Value;

use crate::crd::keywords::VALIDATIONS;
use crate::crd::node::{Node, Object};
use crate::import::kubernetes::{Known, recognize};
use crate::project::KubernetesVersion;

/// The presentation of Kubernetes' own types: one `PodTemplateSpec` has six hundred objects inside.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum KubernetesTypes {
    /// A link to the reference of Kubernetes.
    #[default]
    Linked,
    /// All fields, after those of the kind itself.
    Expanded,
}

/// Marks a reference with expanded types, so that `rustop manifests` can write it again.
const EXPANDED: &str = "Kubernetes' types are expanded";

impl KubernetesTypes {
    /// Returns the presentation in the text of a reference.
    pub fn in_file(text: &str) -> Self {
        if text.lines().take(2).any(|line| line.contains(EXPANDED)) {
            Self::Expanded
        } else {
            Self::Linked
        }
    }

    /// Returns the sentence about the presentation in the first lines of a reference.
    pub(super) fn note(self) -> String {
        match self {
            Self::Linked => String::new(),
            Self::Expanded => format!(" {EXPANDED}."),
        }
    }
}

/// A type of Kubernetes.
#[derive(Clone, Debug)]
pub struct KubernetesType {
    /// The name of the type without its group: `PodTemplateSpec`.
    pub name: &'static str,
    /// The place in the reference of Kubernetes.
    pub url: String,
}

/// Limits that no type of Kubernetes has in a CRD, except for `Condition`. A copy with one of them
/// has been restricted by the author of the kind, and a link would hide that.
const LIMITS: [&str; 9] = [
    VALIDATIONS,
    "enum",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
];

/// Returns the type that a schema is an unrestricted copy of; `None` if that is not certain.
pub fn type_of(schema: &Object) -> Option<KubernetesType> {
    let mut value = schema.clone();
    // The field that has the type may be null.
    value.remove("nullable");
    let known = recognize(&Value::Object(value))?;
    let is_certain = is_described(schema) && (known.is_condition() || !is_restricted(schema));
    let [group, version] = known.group_version()?;
    is_certain.then(|| KubernetesType {
        name: known.ident(),
        url: url(known, group, version),
    })
}

/// Reports whether a schema shows which type it is a copy of. Without descriptions small types look
/// alike, such as `SecretKeySelector` and `ConfigMapKeySelector`.
fn is_described(schema: &Object) -> bool {
    const ALIKE: usize = 4;
    let fields = schema.get("properties").and_then(Value::as_object);
    fields.is_some_and(|fields| {
        fields.len() > ALIKE || fields.values().any(|it| it["description"].is_string())
    })
}

/// Reports whether a schema inside this one has a limit.
fn is_restricted(schema: &Object) -> bool {
    let mut found = false;
    Node::root(schema).visit(&mut |node| {
        found |= node.parent.is_some() && LIMITS.iter().any(|it| node.schema.contains_key(*it));
    });
    found
}

fn url(known: Known, group: &str, version: &str) -> String {
    let group = match group {
        "networking" | "scheduling" | "storage" => format!("{group}-k8s-io"),
        "rbac" => "rbac-authorization-k8s-io".to_owned(),
        group => group.to_owned(),
    };
    format!(
        "https://kubernetes.io/docs/reference/generated/kubernetes-api/v{}/#{}-{version}-{group}",
        KubernetesVersion::default().as_str(),
        known.ident().to_lowercase(),
    )
}

//! Kubernetes' types with merge strategies, and how to recognize them.

use serde_json::{Map, Value};

/// One of Kubernetes' types, with the merge strategy that its Rust type lacks.
pub struct Known {
    /// A property of the type, and the beginning of its description.
    pub telltale: (&'static str, &'static str),
    /// Properties that are lists, with their merge keys. A list without keys is a set.
    pub lists: &'static [(&'static str, &'static [&'static str])],
    /// True if a value of the type is replaced as a whole (`x-kubernetes-map-type: atomic`).
    pub atomic: bool,
    /// All properties of the type; only needed if the telltale also occurs in another type.
    exactly: &'static [&'static str],
}

impl Known {
    /// Returns true if a schema belongs to the type.
    pub fn is(&self, schema: &Map<String, Value>) -> bool {
        is(schema, self.telltale) && (self.exactly.is_empty() || has_exactly(schema, self.exactly))
    }
}

/// Returns true if a schema has the property and its description begins with the text.
pub fn is(schema: &Map<String, Value>, (property, says): (&str, &str)) -> bool {
    let property = schema
        .get("properties")
        .and_then(|fields| fields.get(property)?.as_object());
    let description = property.and_then(|property| property.get("description")?.as_str());
    description.is_some_and(|description| description.starts_with(says))
}

/// Returns true if a schema has exactly these properties.
fn has_exactly(schema: &Map<String, Value>, names: &[&str]) -> bool {
    let fields = schema.get("properties").and_then(Value::as_object);
    fields.is_some_and(|fields| {
        fields.len() == names.len() && names.iter().all(|name| fields.contains_key(*name))
    })
}

/// Returns a type of which some properties are lists that are merged.
const fn lists(
    telltale: (&'static str, &'static str),
    lists: &'static [(&'static str, &'static [&'static str])],
) -> Known {
    Known {
        telltale,
        lists,
        atomic: false,
        exactly: &[],
    }
}

/// Returns a type whose values are replaced as a whole.
const fn atomic(property: &'static str, says: &'static str) -> Known {
    exact(property, says, &[])
}

/// Returns a type whose values are replaced as a whole, and which has exactly the properties
/// `exactly`; any others if that is empty.
const fn exact(
    property: &'static str,
    says: &'static str,
    exactly: &'static [&'static str],
) -> Known {
    Known {
        telltale: (property, says),
        lists: &[],
        atomic: true,
        exactly,
    }
}

const REFERENT: &str = "Name of the referent. This field is effectively required";

/// The types. The comment above an entry names its type.
pub const KNOWN: &[Known] = &[
    // PodSpec
    lists(
        ("containers", "List of containers belonging to the pod"),
        &[
            ("containers", &["name"]),
            ("ephemeralContainers", &["name"]),
            ("evictionResponders", &["name"]),
            ("hostAliases", &["ip"]),
            ("imagePullSecrets", &["name"]),
            ("initContainers", &["name"]),
            ("resourceClaims", &["name"]),
            ("schedulingGates", &["name"]),
            (
                "topologySpreadConstraints",
                &["topologyKey", "whenUnsatisfiable"],
            ),
            ("volumes", &["name"]),
        ],
    ),
    // Container and EphemeralContainer
    lists(
        (
            "terminationMessagePath",
            "Optional: Path at which the file to which the container's termination",
        ),
        &[
            ("env", &["name"]),
            ("ports", &["containerPort", "protocol"]),
            ("volumeDevices", &["devicePath"]),
            ("volumeMounts", &["mountPath"]),
        ],
    ),
    // EvictionResponder
    atomic(
        "name",
        "name allows you to identify the responder responding to the Eviction",
    ),
    // VolumeMount
    lists(
        (
            "bindMountOptions",
            "bindMountOptions is the list of additional bind mount options",
        ),
        &[("bindMountOptions", &[])],
    ),
    // VolumeHealthStatus
    lists(
        (
            "healthConditions",
            "conditions is the set of adverse conditions reported by the CSI controller plugin",
        ),
        &[("healthConditions", &["status", "reason"])],
    ),
    // JobSchedulingConfiguration
    lists(
        (
            "resourceClaims",
            "ResourceClaims defines which ResourceClaims may be shared among Pods in the Job",
        ),
        &[("resourceClaims", &["name"])],
    ),
    // ResourceRequirements
    lists(
        (
            "claims",
            "Claims lists the names of resources, defined in spec.resourceClaims",
        ),
        &[("claims", &["name"])],
    ),
    // ContainerRestartRuleOnExitCodes
    lists(
        (
            "values",
            "Specifies the set of values to check for container exit codes",
        ),
        &[("values", &[])],
    ),
    // PodFailurePolicyOnExitCodesRequirement
    lists(
        (
            "values",
            "Specifies the set of values. Each returned container exit code",
        ),
        &[("values", &[])],
    ),
    // ServiceSpec
    lists(
        (
            "ports",
            "The list of ports that are exposed by this service",
        ),
        &[("ports", &["port", "protocol"])],
    ),
    // ObjectMeta
    lists(
        ("ownerReferences", "List of objects depended by this object"),
        &[("finalizers", &[]), ("ownerReferences", &["uid"])],
    ),
    // OwnerReference
    atomic("blockOwnerDeletion", "If true, AND if the owner has the"),
    // LabelSelector
    atomic("matchLabels", "matchLabels is a map of {key,value} pairs"),
    // NodeSelector, NodeSelectorTerm
    atomic(
        "nodeSelectorTerms",
        "Required. A list of node selector terms",
    ),
    atomic(
        "matchFields",
        "A list of node selector requirements by node's fields",
    ),
    // ObjectReference, LocalObjectReference, TypedLocalObjectReference
    atomic(
        "fieldPath",
        "If referring to a piece of an object instead of an entire object",
    ),
    exact("name", REFERENT, &["name"]),
    exact(
        "apiGroup",
        "APIGroup is the group for the resource being referenced",
        &["apiGroup", "kind", "name"],
    ),
    // ConfigMapKeySelector and SecretKeySelector
    exact("name", REFERENT, &["key", "name", "optional"]),
    // FileKeySelector, ObjectFieldSelector, ResourceFieldSelector
    atomic(
        "volumeName",
        "The name of the volume mount containing the env file",
    ),
    atomic(
        "fieldPath",
        "Path of the field to select in the specified API version",
    ),
    atomic(
        "divisor",
        "Specifies the output format of the exposed resources",
    ),
    // ServiceBackendPort
    atomic("number", "number is the numerical port number"),
];

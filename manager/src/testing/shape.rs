//! How lists and maps are merged: by the schema of a CRD, or, for the kinds of Kubernetes, by the name of the field.

use serde_json::Value;

/// What is known of a place in an object.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape<'a> {
    /// In a kind of Kubernetes, and in all metadata.
    BuiltIn {
        name: &'a str,
    },
    /// All of a custom resource.
    Root(&'a Value),
    Schema(&'a Value),
}

/// A list is one value, a set, or items with keys, some of which have defaults.
#[derive(Debug, PartialEq)]
pub(super) enum List {
    Atomic,
    Set,
    Keyed(Vec<(String, Option<Value>)>),
}

static NOTHING: Value = Value::Null;

/// The lists of Kubernetes that are merged, and their keys. All others are atomic.
const KEYED: &[(&str, &[&str])] = &[
    ("claims", &["name"]),
    ("conditions", &["type"]),
    ("containers", &["name"]),
    ("env", &["name"]),
    ("ephemeralContainers", &["name"]),
    ("hostAliases", &["ip"]),
    ("imagePullSecrets", &["name"]),
    ("initContainers", &["name"]),
    ("matchConditions", &["name"]),
    ("ownerReferences", &["uid"]),
    ("podIPs", &["ip"]),
    ("resourceClaims", &["name"]),
    ("schedulingGates", &["name"]),
    ("secrets", &["name"]),
    (
        "topologySpreadConstraints",
        &["topologyKey", "whenUnsatisfiable"],
    ),
    ("volumeDevices", &["devicePath"]),
    ("volumeMounts", &["mountPath"]),
    ("volumes", &["name"]),
    ("webhooks", &["name"]),
];

/// The maps of Kubernetes that are one value.
const ATOMIC: &[&str] = &[
    "configMapKeyRef",
    "fieldRef",
    "labelSelector",
    "namespaceSelector",
    "nodeSelector",
    "objectSelector",
    "ownerReference",
    "podSelector",
    "resourceFieldRef",
    "roleRef",
    "secretKeyRef",
    "secretRef",
    "selector",
    "targetRef",
];

impl<'a> Shape<'a> {
    pub fn field<'b>(self, name: &'b str) -> Shape<'b>
    where
        'a: 'b,
    {
        match self {
            Self::BuiltIn { .. } => Shape::BuiltIn { name },
            Self::Root(_) if name == "metadata" => Shape::BuiltIn { name },
            Self::Root(schema) | Self::Schema(schema) => {
                let known = schema["properties"].get(name);
                Shape::Schema(known.unwrap_or(&schema["additionalProperties"]))
            }
        }
    }

    pub fn item(self) -> Self {
        match self {
            Self::BuiltIn {
                name: "ownerReferences",
            } => Self::BuiltIn {
                name: "ownerReference",
            },
            Self::BuiltIn { .. } => Self::BuiltIn { name: "" },
            Self::Root(schema) | Self::Schema(schema) => {
                Self::Schema(schema.get("items").unwrap_or(&NOTHING))
            }
        }
    }

    /// How a list here is merged.
    pub fn list(self, items: &[Value]) -> List {
        match self {
            Self::BuiltIn { name: "finalizers" } => List::Set,
            Self::BuiltIn { name: "ports" } => port_keys(items),
            Self::BuiltIn { name } => {
                let keyed = KEYED.iter().find(|(known, _)| *known == name);
                keyed.map_or(List::Atomic, |(_, keys)| {
                    List::Keyed(keys.iter().map(|key| ((*key).to_owned(), None)).collect())
                })
            }
            Self::Root(schema) | Self::Schema(schema) => {
                match schema["x-kubernetes-list-type"].as_str() {
                    Some("set") => List::Set,
                    Some("map") => {
                        let keys = schema["x-kubernetes-list-map-keys"].as_array();
                        let keys = keys.into_iter().flatten().filter_map(Value::as_str);
                        let default =
                            |key: &str| schema["items"]["properties"][key].get("default").cloned();
                        List::Keyed(keys.map(|key| (key.to_owned(), default(key))).collect())
                    }
                    _ => List::Atomic,
                }
            }
        }
    }

    /// Whether a map here is one value.
    pub fn is_atomic(self) -> bool {
        match self {
            Self::BuiltIn { name } => ATOMIC.contains(&name),
            Self::Root(schema) | Self::Schema(schema) => {
                schema["x-kubernetes-map-type"] == "atomic"
            }
        }
    }

    /// Whether a struct here is there even where it is empty, so that nobody is the one who made it.
    pub fn is_always_there(self) -> bool {
        let always = ["metadata", "spec", "status", "strategy", "template"];
        matches!(self, Self::BuiltIn { name } if always.contains(&name))
    }
}

/// Ports of a container are told apart by one field, those of a Service by another; elsewhere they are one value.
fn port_keys(items: &[Value]) -> List {
    let has = |key: &str| items.iter().any(|item| item.get(key).is_some());
    let number = if has("containerPort") {
        "containerPort"
    } else if has("port") && !has("endPort") {
        "port"
    } else {
        return List::Atomic;
    };
    let protocol = ("protocol".to_owned(), Some("TCP".into()));
    List::Keyed(vec![(number.to_owned(), None), protocol])
}

/// The step of `managedFields` to an item with these keys; `None` where one is missing.
pub(super) fn step(keys: &[(String, Option<Value>)], item: &Value) -> Option<String> {
    let mut sorted: Vec<_> = keys.iter().collect();
    sorted.sort_by_key(|(key, _)| key);
    let pair = |(key, default): &(String, Option<Value>)| {
        let value = item.get(key).or(default.as_ref())?;
        Some(format!("{}:{value}", Value::from(key.as_str())))
    };
    let pairs: Vec<_> = sorted.into_iter().map(pair).collect::<Option<_>>()?;
    Some(format!("k:{{{}}}", pairs.join(",")))
}

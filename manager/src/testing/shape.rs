//! Merge rules of lists and maps: from the schema of a CRD, or by field name for built-in kinds.
//! Server-side apply (`merge.rs`) and the ownership of fields (`fields.rs`) follow them.

use serde_json::Value;

/// The merge rules at one path of an object.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape<'a> {
    /// A part of a built-in kind, or of any object's metadata. The name of the last field decides
    /// the rule, since built-in kinds have no schema here. It is empty for the root of an object
    /// and for an item of a list.
    BuiltIn { name: &'a str },
    /// The root of a custom resource, with the schema of its version.
    Root(&'a Value),
    /// A part of a custom resource, with its schema; null if the schema does not describe it.
    Schema(&'a Value),
}

/// The merge rule of a list.
#[derive(Debug, PartialEq)]
pub(super) enum List {
    /// One value, which is replaced as a whole.
    Atomic,
    /// Scalars, each of which is merged and owned separately.
    Set,
    /// Items that the values of these fields identify, each with the default of the field.
    Keyed(Vec<(String, Option<Value>)>),
}

static NOTHING: Value = Value::Null;

/// The lists of built-in kinds that are merged, with their keys. All other lists are atomic.
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

/// The atomic maps of built-in kinds.
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
    /// Returns the rules of a field of a map here.
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

    /// Returns the rules of an item of a list here.
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

    /// Returns the merge rule of a list here.
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

    /// Returns true if a map here is an atomic value.
    pub fn is_atomic(self) -> bool {
        match self {
            Self::BuiltIn { name } => ATOMIC.contains(&name),
            Self::Root(schema) | Self::Schema(schema) => {
                schema["x-kubernetes-map-type"] == "atomic"
            }
        }
    }

    /// Returns true for a struct that exists even if it is empty, so that no field manager owns the
    /// struct itself.
    pub fn always_exists(self) -> bool {
        let always = ["metadata", "spec", "status", "strategy", "template"];
        matches!(self, Self::BuiltIn { name } if always.contains(&name))
    }
}

/// Returns the merge rule of `ports`. Ports of a container and of a Service have different keys;
/// other lists of ports are atomic.
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

/// Returns the path element in `managedFields` of an item with these keys. `None` if a key is
/// missing.
pub(super) fn path_element(keys: &[(String, Option<Value>)], item: &Value) -> Option<String> {
    let mut sorted: Vec<_> = keys.iter().collect();
    sorted.sort_by_key(|(key, _)| key);
    let pair = |(key, default): &(String, Option<Value>)| {
        let value = item.get(key).or(default.as_ref())?;
        Some(format!("{}:{value}", Value::from(key.as_str())))
    };
    let pairs: Vec<_> = sorted.into_iter().map(pair).collect::<Option<_>>()?;
    Some(format!("k:{{{}}}", pairs.join(",")))
}

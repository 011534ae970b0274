//! What is to be changed in the CRD that the derives make, since no attribute says it.

use serde_json::{Map, Value, json};

use super::attributes::{quoted, rust, says_nothing};
use super::read::Imported;

/// What is said of the CRD whatever the version.
pub fn whole(crd: &Imported, patch: &mut Map<String, Value>) {
    let mut metadata = Map::new();
    for key in ["annotations", "labels"] {
        let map = crd.json["metadata"][key]
            .as_object()
            .cloned()
            .unwrap_or_default();
        let map: Map<_, _> = map
            .into_iter()
            .filter(|(key, _)| !OF_TOOLS.contains(&key.as_str()))
            .collect();
        if !map.is_empty() {
            metadata.insert(key.into(), map.into());
        }
    }
    let mut spec = Map::new();
    let spec_of = &crd.json["spec"];
    if let Some(list) = spec_of["names"]["listKind"].as_str()
        && list != format!("{}List", crd.kind())
    {
        spec.insert("names".into(), json!({"listKind": list}));
    }
    if spec_of["preserveUnknownFields"] == true {
        spec.insert("preserveUnknownFields".into(), true.into());
    }
    if spec_of["conversion"]["strategy"] == "Webhook" {
        spec.insert("conversion".into(), conversion(&spec_of["conversion"]));
    }
    for (key, map) in [("metadata", metadata), ("spec", spec)] {
        if !map.is_empty() {
            patch.insert(key.into(), map.into());
        }
    }
}

/// What generators note about themselves.
const OF_TOOLS: [&str; 3] = [
    "controller-gen.kubebuilder.io/version",
    "rustop.dev/version",
    "kubectl.kubernetes.io/last-applied-configuration",
];

/// A conversion without what only one cluster has.
fn conversion(conversion: &Value) -> Value {
    let mut conversion = conversion.clone();
    if let Some(Value::Object(client)) = conversion.pointer_mut("/webhook/clientConfig") {
        client.shift_remove("caBundle");
    }
    conversion
}

/// What is to be changed in the subresources that kube's derive makes.
pub fn subresources(version: &Value, has_status: bool) -> Map<String, Value> {
    let wanted = &version["subresources"];
    let mut patch = Map::new();
    let wants_status = wanted.get("status").is_some_and(|status| !status.is_null());
    match (has_status, wants_status) {
        (true, false) => patch.insert("status".into(), Value::Null),
        (false, true) => patch.insert("status".into(), json!({})),
        _ => None,
    };
    if let Some(scale) = wanted["scale"].as_object().filter(|_| !has_status) {
        patch.insert("scale".into(), scale.clone().into());
    }
    patch
}

/// What is to be changed in the schema that the derives make. Returns whether an object may have no spec.
pub fn of_schema(
    schema: &Value,
    mut said: Map<String, Value>,
    no_spec: bool,
    patch: &mut Map<String, Value>,
) -> bool {
    let properties = &schema["properties"];
    let mut required: Vec<_> = texts(&schema["required"]).collect();
    required.sort_unstable();
    required.dedup();
    let is_required = required.contains(&"spec") && properties["spec"]["nullable"] != true;
    let mut made: Vec<_> = if no_spec {
        let made = required.iter().copied();
        made.filter(|name| {
            has(properties, name) && !OF_EVERY_OBJECT.contains(name) && *name != "status"
        })
        .collect()
    } else {
        vec!["spec"]
    };
    made.sort_unstable();
    said.shift_remove("required");
    if required != made {
        said.insert(
            "required".into(),
            if required.is_empty() {
                Value::Null
            } else {
                json!(required)
            },
        );
    }
    said.retain(|keyword, value| keyword == "required" || !says_nothing(keyword, value));
    let mut plain = Map::new();
    for name in OF_EVERY_OBJECT {
        if let Some(property) = properties.get(name)
            && !property
                .as_object()
                .is_some_and(|map| map.keys().all(|key| key == "type" || key == "description"))
        {
            plain.insert(name.into(), property.clone());
        }
    }
    if !plain.is_empty() {
        said.insert("properties".into(), plain.into());
    }
    if let Some(nulls) = null_enums(schema) {
        merge(&mut said, nulls);
    }
    if !said.is_empty() {
        patch.insert("schema".into(), said.into());
    }
    !no_spec && !is_required
}

/// The enums of nullable texts that list null, each at its place: no type says the difference to those that do not.
fn null_enums(schema: &Value) -> Option<Map<String, Value>> {
    let mut patch = Map::new();
    schema.as_object()?;
    if let Some(values) = schema["enum"].as_array()
        && schema["type"] == "string"
        && schema["nullable"] == true
        && values.contains(&Value::Null)
    {
        patch.insert("enum".into(), json!(values));
    }
    let properties = schema["properties"].as_object().into_iter().flatten();
    let properties =
        properties.filter_map(|(name, schema)| Some((name.clone(), null_enums(schema)?.into())));
    let properties: Map<_, _> = properties.collect();
    if !properties.is_empty() {
        patch.insert("properties".into(), properties.into());
    }
    for keyword in ["items", "additionalProperties"] {
        patch.extend(null_enums(&schema[keyword]).map(|inner| (keyword.to_owned(), inner.into())));
    }
    (!patch.is_empty()).then_some(patch)
}

fn merge(into: &mut Map<String, Value>, from: Map<String, Value>) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(Value::Object(into)), Value::Object(from)) => merge(into, from),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

fn has(properties: &Value, name: &str) -> bool {
    properties.get(name).is_some()
}

/// The properties of every object.
pub const OF_EVERY_OBJECT: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The patch as text, each of its parts on a line.
pub fn patch(patch: &Map<String, Value>) -> String {
    let parts = patch
        .iter()
        .map(|(key, value)| format!("        {}: {},\n", quoted(key), rust(value)));
    format!("{{\n{}    }}", parts.collect::<String>())
}

/// The texts of a list.
pub fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

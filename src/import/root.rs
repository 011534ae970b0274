//! The kind itself: what `#[kube(..)]` says of it, and what no attribute says.

use serde_json::{Map, Value, json};

use super::attributes::{is_plain, quoted, rules, rust, says_nothing};
use super::model::Arg;
use super::read::Imported;

/// What is said of a version outside of its types.
#[derive(Debug)]
pub struct Root {
    /// The arguments of `#[kube(..)]`.
    pub kube: Vec<Arg>,
    /// What is to be changed in the CRD that the derives make, as `schema::crd` takes it.
    pub patch: Map<String, Value>,
    /// Whether an object may have no spec.
    pub absent_spec: bool,
}

/// The names of Rust types that a root refers to.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// That of the kind.
    pub root: &'a str,
    /// That of its status, if there is any.
    pub status: Option<&'a str>,
}

/// Works out what stands outside of the types of `version`.
pub fn root(crd: &Imported, version: &Value, no_spec: bool, names: Names) -> Root {
    let schema = &version["schema"]["openAPIV3Schema"];
    let mut said = schema.as_object().cloned().unwrap_or_default();
    for known in ["type", "properties"] {
        said.shift_remove(known);
    }
    let (mut kube, is_kube) = arguments(crd, version, no_spec, names, &mut said);
    let schema_derive = if is_kube { "KubeSchema" } else { "JsonSchema" };
    kube.push(leaf("derive", schema_derive));
    kube.push(leaf("schema", "disabled"));
    let mut patch = Map::new();
    if version["storage"] == true {
        whole(crd, &mut patch);
    }
    let subresources = subresources(version, names.status.is_some());
    if !subresources.is_empty() {
        patch.insert("version".into(), json!({"subresources": subresources}));
    }
    let absent_spec = of_schema(schema, said, no_spec, &mut patch);
    Root {
        kube,
        patch,
        absent_spec,
    }
}

fn leaf(key: &str, value: &str) -> Arg {
    Arg::Leaf(format!("{key} = {}", quoted(value)))
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// The arguments that say what attributes can, and whether there is a rule among them.
fn arguments(
    crd: &Imported,
    version: &Value,
    no_spec: bool,
    names: Names,
    said: &mut Map<String, Value>,
) -> (Vec<Arg>, bool) {
    let of_names = &crd.json["spec"]["names"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut kube = vec![
        leaf("group", crd.group()),
        leaf("version", &text(&version["name"])),
        leaf("kind", crd.kind()),
    ];
    if names.root != crd.kind() {
        kube.push(leaf("root", names.root));
    }
    kube.push(leaf("plural", crd.plural()));
    let singular = text(&of_names["singular"]);
    if !singular.is_empty() && singular != crd.kind().to_ascii_lowercase() {
        kube.push(leaf("singular", &singular));
    }
    kube.extend(texts(&of_names["shortNames"]).map(|name| leaf("shortname", name)));
    kube.extend(texts(&of_names["categories"]).map(|name| leaf("category", name)));
    let flags = [("namespaced", crd.namespaced()), ("no_spec", no_spec)];
    kube.extend(
        flags
            .iter()
            .filter(|flag| flag.1)
            .map(|flag| Arg::Leaf(flag.0.into())),
    );
    kube.extend(names.status.map(|status| leaf("status", status)));
    for (flag, value) in [
        ("storage", &version["storage"]),
        ("served", &version["served"]),
    ] {
        if *value == false {
            kube.push(Arg::Leaf(format!("{flag} = false")));
        }
    }
    if version["deprecated"] == true {
        kube.push(match version["deprecationWarning"].as_str() {
            Some(warning) => leaf("deprecated", warning),
            None => Arg::Leaf("deprecated".into()),
        });
    }
    if let Some(description) = said.get("description").and_then(Value::as_str)
        && is_plain(description)
    {
        kube.push(leaf("doc", description));
        said.shift_remove("description");
    }
    kube.extend(scale(version).filter(|_| names.status.is_some()));
    let selectable = version["selectableFields"].as_array().into_iter().flatten();
    kube.extend(selectable.map(|field| leaf("selectable", &text(&field["jsonPath"]))));
    let columns = version["additionalPrinterColumns"]
        .as_array()
        .into_iter()
        .flatten();
    kube.extend(columns.map(column));
    let rules = rules(said);
    let is_kube = !rules.is_empty();
    kube.extend(rules.into_iter().map(Arg::Verbatim));
    (kube, is_kube)
}

fn scale(version: &Value) -> Option<Arg> {
    let scale = version["subresources"]["scale"].as_object()?;
    let paths = [
        ("spec_replicas_path", "specReplicasPath"),
        ("status_replicas_path", "statusReplicasPath"),
        ("label_selector_path", "labelSelectorPath"),
    ];
    let paths = paths.into_iter().filter_map(|(word, key)| {
        let path = scale.get(key)?.as_str()?;
        (!path.is_empty()).then(|| leaf(word, path))
    });
    Some(Arg::Call("scale", paths.collect()))
}

fn column(column: &Value) -> Arg {
    let words = [
        ("name", "name"),
        ("type_", "type"),
        ("json_path", "jsonPath"),
        ("format", "format"),
        ("description", "description"),
    ];
    let words = words.into_iter().filter_map(|(word, key)| {
        let text = column[key].as_str()?;
        (!text.is_empty()).then(|| leaf(word, text))
    });
    let priority = column["priority"]
        .as_i64()
        .filter(|priority| *priority != 0);
    let priority = priority.map(|priority| leaf("priority", &priority.to_string()));
    Arg::Call("printcolumn", words.chain(priority).collect())
}

/// What is said of the CRD whatever the version.
fn whole(crd: &Imported, patch: &mut Map<String, Value>) {
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
fn subresources(version: &Value, has_status: bool) -> Map<String, Value> {
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
fn of_schema(
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
    if !said.is_empty() {
        patch.insert("schema".into(), said.into());
    }
    !no_spec && !is_required
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

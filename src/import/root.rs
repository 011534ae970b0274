//! The kind itself: what `#[kube(..)]` says of it, and what no attribute says.

use serde_json::{Map, Value, json};

use super::attributes::{is_plain, quoted, rules};
use super::model::Arg;
use super::patch::{of_schema, subresources, texts, whole};
use super::read::Imported;
use crate::crd::is_made_up;

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
        // The generated `crd()` takes such a description for that of the derive and drops it; a patch puts it back.
        && !is_made_up(description)
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

//! The kind itself: the arguments of `#[kube(..)]`, and a patch for everything that attributes
//! cannot express.

use serde_json::{Map, Value, json};

use super::attributes::{is_plain, quoted, rules};
use super::model::Arg;
use super::patch::{of_schema, subresources, texts, whole};
use super::read::Imported;
use crate::crd::is_made_up;

/// The parts of a version that are not types.
#[derive(Debug)]
pub struct Root {
    /// The arguments of `#[kube(..)]`.
    pub kube: Vec<Arg>,
    /// Changes to the CRD that the derives generate, as the generated function `schema::crd` takes
    /// them.
    pub patch: Map<String, Value>,
    /// True if `spec` is not required or is nullable. Always false with `no_spec`.
    pub absent_spec: bool,
}

/// The names of Rust types that the attributes of a kind refer to.
#[derive(Clone, Copy, Debug)]
pub struct RootTypes<'a> {
    /// The type of the kind.
    pub root: &'a str,
    /// The type of its status; `None` if the kind has no status.
    pub status: Option<&'a str>,
}

/// Returns the parts of `version`, an entry of the CRD's `spec.versions`, that are not types.
/// `no_spec` is the flag of `#[kube(..)]`: the Rust type has the fields of the whole object except
/// for the status, because the object has fields next to `spec` and `status`, or its spec is not an
/// object.
pub fn root(crd: &Imported, version: &Value, no_spec: bool, names: RootTypes) -> Root {
    let schema = &version["schema"]["openAPIV3Schema"];
    let mut keywords = schema.as_object().cloned().unwrap_or_default();
    for known in ["type", "properties"] {
        keywords.shift_remove(known);
    }
    let (mut kube, is_kube) = arguments(crd, version, no_spec, names, &mut keywords);
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
    let absent_spec = of_schema(schema, keywords, no_spec, &mut patch);
    Root {
        kube,
        patch,
        absent_spec,
    }
}

fn leaf(key: &str, value: &str) -> Arg {
    Arg::Leaf(format!("{key} = {}", quoted(value)))
}

/// Returns the arguments of `#[kube(..)]`, and whether they contain a validation rule.
fn arguments(
    crd: &Imported,
    version: &Value,
    no_spec: bool,
    names: RootTypes,
    keywords: &mut Map<String, Value>,
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
    if let Some(description) = keywords.get("description").and_then(Value::as_str)
        && is_plain(description)
        // The generated `crd()` would drop such a description, taking it for that of the derive:
        // the patch contains it.
        && !is_made_up(description)
    {
        kube.push(leaf("doc", description));
        keywords.shift_remove("description");
    }
    kube.extend(scale(version).filter(|_| names.status.is_some()));
    let selectable = version["selectableFields"].as_array().into_iter().flatten();
    kube.extend(selectable.map(|field| leaf("selectable", &text(&field["jsonPath"]))));
    let columns = version["additionalPrinterColumns"]
        .as_array()
        .into_iter()
        .flatten();
    kube.extend(columns.map(column));
    let rules = rules(keywords);
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

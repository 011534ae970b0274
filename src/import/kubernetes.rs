//! Detection of Kubernetes types that are copied into a CRD, so that a Rust type contains a
//! `corev1::PodTemplateSpec` and not three hundred structs with the same content.
//! `src/import/kubernetes.json` describes the types of k8s-openapi; a test in `kubernetes/tests.rs`
//! compares it with them, and writes it with `RUSTOP_OVERWRITE=1`.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::sync::LazyLock;

use flate2::read::DeflateDecoder;
use serde_json::{Map, Value};

const PREFIX: &str = "#/$defs/";

/// The types of k8s-openapi, one per line: their fields with types and formats, required fields,
/// and the first words of descriptions. A test generates the file and not the program, since the
/// schemas of k8s-openapi would be a tenth of the binary. `build.rs` compresses it.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kubernetes.deflate"));

/// The types by their name in k8s-openapi: `io.k8s.api.core.v1.Container`.
static TYPES: LazyLock<Map<String, Value>> =
    LazyLock::new(|| serde_json::from_str(&text()).expect("a test wrote it"));

fn text() -> String {
    let packed = DeflateDecoder::new(PACKED);
    io::read_to_string(packed).expect("the build packed it")
}

/// The names of the types that have a property, by the name of the property.
static BY_PROPERTY: LazyLock<BTreeMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (name, schema) in TYPES.iter() {
        let properties = schema.get("properties").and_then(Value::as_object);
        for property in properties.into_iter().flat_map(Map::keys) {
            found
                .entry(property.as_str())
                .or_default()
                .push(name.as_str());
        }
    }
    found
});

/// A type of k8s-openapi of which a schema is a copy. Not the `Known` of `crd/topology/known.rs`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Known {
    /// The full name: `io.k8s.api.core.v1.Container`.
    name: &'static str,
}

impl Known {
    /// Returns the name without its module: `Container`.
    pub fn ident(self) -> &'static str {
        self.name.rsplit('.').next().unwrap_or_default()
    }

    /// Returns the path of the module and its alias in a generated file:
    /// `k8s_openapi::api::core::v1` and `corev1`.
    pub fn module(self) -> (String, String) {
        let path: Vec<_> = self.name.split('.').collect();
        let modules = &path[2..path.len() - 1];
        let group = match modules {
            [.., group, version] if version.starts_with('v') => *group,
            [.., group] => *group,
            [] => "",
        };
        let alias = if group == "core" { "corev1" } else { group };
        (
            format!("k8s_openapi::{}", modules.join("::")),
            alias.to_owned(),
        )
    }

    /// Returns the name of the group in k8s-openapi, and the version: `core` and `v1`. `None` for a
    /// type that belongs to no version.
    pub fn group_version(self) -> Option<[&'static str; 2]> {
        let (module, _) = self.name.rsplit_once('.')?;
        let (path, version) = module.rsplit_once('.')?;
        let group = path.rsplit('.').next()?;
        version.starts_with('v').then_some([group, version])
    }

    /// Reports whether the type is the `Condition` of the Kubernetes API conventions.
    pub fn is_condition(self) -> bool {
        self.name.ends_with(".meta.v1.Condition")
    }

    /// Reports whether the Rust type implements `Default`. A default in a schema does not matter.
    pub fn has_default(self) -> bool {
        has_default(self.name, 0)
    }
}

fn has_default(name: &str, depth: u8) -> bool {
    let Some(schema) = TYPES.get(name) else {
        return true;
    };
    if name.ends_with(".Time") || name.ends_with(".MicroTime") {
        return false;
    }
    let required = schema["required"].as_array().into_iter().flatten();
    let mut types = required.filter_map(|field| reference(&schema["properties"][field.as_str()?]));
    depth > 8 || types.all(|field| has_default(field, depth + 1))
}

/// Returns the name of the type that a schema of k8s-openapi refers to.
fn reference(schema: &Value) -> Option<&str> {
    let direct = schema["$ref"].as_str();
    let of_all = schema["allOf"][0]["$ref"].as_str();
    let of_any = schema["anyOf"][0]["$ref"].as_str();
    direct.or(of_all).or(of_any)?.strip_prefix(PREFIX)
}

/// Returns the type that a schema is a copy of, if the type can hold all values of the schema.
pub fn recognize(schema: &Value) -> Option<Known> {
    let properties = schema["properties"].as_object()?;
    if allows_more(schema) || properties.is_empty() {
        return None;
    }
    let rarest = properties.keys().map(|name| BY_PROPERTY.get(name.as_str()));
    let candidates = rarest.collect::<Option<Vec<_>>>()?;
    let candidates = candidates.into_iter().min_by_key(|types| types.len())?;
    let fitting = candidates.iter().filter(|name| holds(name, schema, 0));
    let fitting = fitting.filter_map(|name| Some((evidence(name, properties)?, *name)));
    let best = fitting.max_by_key(|(evidence, name)| (*evidence, std::cmp::Reverse(*name)))?;
    Some(Known { name: best.1 })
}

/// Rates the similarity of a schema to a type by their descriptions, or by their properties if the
/// schema has no descriptions. Returns `None` if the schema is not a copy. A few properties may be
/// missing, since earlier versions of Kubernetes had fewer.
fn evidence(name: &str, properties: &Map<String, Value>) -> Option<(usize, usize)> {
    let known = TYPES.get(name)?["properties"].as_object()?;
    let missing = known.len() - properties.len();
    let rank = |same| Some((same, usize::MAX - missing));
    let described: Vec<_> = properties
        .iter()
        .filter_map(|(name, schema)| Some((name, schema["description"].as_str()?)))
        .collect();
    if described.is_empty() {
        let of_its_own = |name: &String| BY_PROPERTY[name.as_str()].len() == 1;
        let many = properties.len() > 2 && 5 * missing <= known.len();
        let few = properties.len() == 2 && missing == 0 && properties.keys().any(of_its_own);
        return if many || few { rank(1) } else { None };
    }
    let alike = described.iter().filter(|(name, text)| {
        let theirs = known[name.as_str()]["description"].as_str();
        theirs == Some(&beginning(text))
    });
    let alike = alike.count();
    if 2 * alike >= described.len() {
        rank(alike)
    } else {
        None
    }
}

/// Returns the first five words of a description in lower case, without punctuation.
fn beginning(text: &str) -> String {
    let letters = |c: char| !c.is_alphanumeric();
    let words = text.split(letters).filter(|word| !word.is_empty());
    let words: Vec<_> = words.take(5).map(str::to_lowercase).collect();
    words.join(" ")
}

/// Reports whether a schema has a keyword that allows values which a Kubernetes type cannot hold.
fn allows_more(schema: &Value) -> bool {
    let more = [
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-embedded-resource",
        "nullable",
    ];
    more.iter().any(|keyword| schema[keyword] == true)
}

/// Reports whether a type can hold all values of a schema.
fn holds(name: &str, schema: &Value, depth: u8) -> bool {
    if depth > 24 || allows_more(schema) {
        return false;
    }
    match name.rsplit('.').next().unwrap_or_default() {
        "Quantity" => {
            return schema["x-kubernetes-int-or-string"] == true || schema["type"] == "string";
        }
        "IntOrString" => return schema["x-kubernetes-int-or-string"] == true,
        "Time" | "MicroTime" => return schema["format"] == "date-time",
        "FieldsV1" => return schema["type"] == "object",
        "RawExtension" | "JSON" => return false,
        _ => {}
    }
    let Some(known) = TYPES.get(name) else {
        return false;
    };
    let Some(fields) = known["properties"].as_object() else {
        return fits(known, schema, depth);
    };
    if schema["type"] != "object" || schema.get("additionalProperties").is_some() {
        return false;
    }
    // k8s-openapi cannot deserialize an object without a field that has no default value.
    let is_required = |name: &str| {
        let mut required = schema["required"].as_array().into_iter().flatten();
        required.any(|one| one == name)
    };
    let mut needed = known["required"].as_array().into_iter().flatten();
    if !needed.all(|name| {
        let name = name.as_str().unwrap_or_default();
        is_required(name) || reference(&fields[name]).is_none_or(|kind| has_default(kind, 0))
    }) {
        return false;
    }
    let properties = schema["properties"].as_object();
    properties.into_iter().flatten().all(|(name, schema)| {
        fields
            .get(name)
            .is_some_and(|field| fits(field, schema, depth))
    })
}

/// Reports whether a field can hold all values of a schema.
fn fits(field: &Value, schema: &Value, depth: u8) -> bool {
    if let Some(name) = reference(field) {
        return holds(name, schema, depth + 1);
    }
    if allows_more(schema) || schema["x-kubernetes-int-or-string"] == true {
        return false;
    }
    let kind = match &field["type"] {
        Value::Array(kinds) => &kinds[0],
        kind => kind,
    };
    if *kind != schema["type"] {
        return false;
    }
    match kind.as_str() {
        Some("array") => fits(&field["items"], &schema["items"], depth + 1),
        Some("object") => match &schema["additionalProperties"] {
            Value::Object(_) => {
                schema.get("properties").is_none()
                    && fits(
                        &field["additionalProperties"],
                        &schema["additionalProperties"],
                        depth + 1,
                    )
            }
            _ => false,
        },
        Some("string") => schema["format"].is_null() || schema["format"] == field["format"],
        Some("integer") => field["format"] == "int64" || schema["format"] == "int32",
        _ => true,
    }
}

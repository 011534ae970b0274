//! Rejection of CRDs with schema parts that a structural schema cannot contain: the generated types
//! could not produce the same CRD again. Runs before any file is written.

use std::collections::BTreeSet;

use serde_json::Value;

use super::error::{ImportError, Inexpressible, Refusal};
use super::objects::is_required;
use super::read::Imported;

/// Keywords that a structural schema cannot have, with the reason.
const NOT_STRUCTURAL: [(&str, &str); 11] = [
    ("$ref", "a CRD has no references"),
    ("$schema", "a structural schema has no $schema"),
    ("additionalItems", "a list of a CRD has items of one schema"),
    ("definitions", "a CRD has no references"),
    ("dependencies", "the API server rejects it"),
    ("deprecated", "a CRD schema does not have this keyword"),
    ("id", "a structural schema has no id"),
    ("patternProperties", "the API server rejects it"),
    ("readOnly", "a CRD schema does not have this keyword"),
    ("discriminator", "a CRD schema does not have this keyword"),
    (
        "uniqueItems",
        "the API server rejects it; write x-kubernetes-list-type: set instead",
    ),
];

/// The possible types of a schema.
const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// Rejects CRDs with parts that a structural schema cannot contain, except at the paths in
/// `allowed`, such as `v1.spec.replicas`: those parts are left out of the generated CRD.
///
/// # Errors
/// Returns an error that lists these parts.
pub fn check_expressible<'a>(
    crds: impl IntoIterator<Item = &'a Imported>,
    allowed: &[String],
) -> Result<(), ImportError> {
    let inexpressible = crds.into_iter().map(|crd| Inexpressible {
        name: crd.name().to_owned(),
        places: refusals(crd, allowed),
    });
    let crds: Vec<_> = inexpressible.filter(|crd| !crd.places.is_empty()).collect();
    if crds.is_empty() {
        return Ok(());
    }
    Err(ImportError::Inexpressible { crds })
}

/// Returns the paths in `allowed` that have no effect, because nothing is rejected there.
pub fn unused_allowances<'a, 'b>(
    crds: impl IntoIterator<Item = &'a Imported>,
    allowed: &'b [String],
) -> Vec<&'b str> {
    if allowed.is_empty() {
        return Vec::new();
    }
    let refused = crds.into_iter().flat_map(|crd| refusals(crd, &[]));
    let refused: BTreeSet<String> = refused.map(|refusal| refusal.path).collect();
    let unused = allowed.iter().filter(|path| !refused.contains(*path));
    unused.map(String::as_str).collect()
}

/// Returns all parts of a CRD that a structural schema cannot contain, except at the paths in
/// `allowed`.
pub fn refusals(crd: &Imported, allowed: &[String]) -> Vec<Refusal> {
    let mut found = Vec::new();
    for version in crd.versions() {
        let name = version["name"].as_str().unwrap_or_default();
        visit(
            &version["schema"]["openAPIV3Schema"],
            name,
            false,
            &mut found,
        );
    }
    found.retain(|refusal| !allowed.contains(&refusal.path));
    found.sort();
    found.dedup();
    found
}

/// Collects the parts that a structural schema cannot contain, of a schema and of everything below
/// it. `in_branch` is true below `allOf`, `anyOf`, `oneOf` and `not`, where a schema needs no type.
fn visit(schema: &Value, path: &str, in_branch: bool, found: &mut Vec<Refusal>) {
    let Value::Object(node) = schema else { return };
    let mut refuse = |keyword: &str, reason| {
        found.push(Refusal {
            path: path.to_owned(),
            keyword: keyword.to_owned(),
            reason,
        });
    };
    for (keyword, reason) in NOT_STRUCTURAL {
        if node
            .get(keyword)
            .is_some_and(|value| !value.is_null() && *value != false && *value != "")
        {
            refuse(keyword, reason);
        }
    }
    let is_true = |keyword: &str| node.get(keyword) == Some(&Value::Bool(true));
    let accepts_any_type =
        is_true("x-kubernetes-preserve-unknown-fields") || is_true("x-kubernetes-int-or-string");
    let kind = node.get("type").and_then(Value::as_str);
    if kind.is_some_and(|kind| !kind.is_empty() && !TYPES.contains(&kind)) {
        refuse("type", "a CRD has no such type");
    }
    if !in_branch && !accepts_any_type && !node.get("type").is_some_and(Value::is_string) {
        refuse(
            "type",
            "the schema is not structural: every place must have a type",
        );
    }
    if node.contains_key("properties")
        && node
            .get("additionalProperties")
            .is_some_and(Value::is_object)
    {
        refuse(
            "additionalProperties",
            "the schema is not structural: it has properties, too",
        );
    }
    if node.get("items").is_some_and(Value::is_array) {
        refuse("items", "a list of a CRD has items of one schema");
    }
    let below = node.get("properties").and_then(Value::as_object);
    for (name, schema) in below.into_iter().flatten() {
        visit(schema, &format!("{path}.{name}"), in_branch, found);
    }
    for (keyword, mark) in [("items", "[]"), ("additionalProperties", "{}")] {
        if let Some(schema) = node.get(keyword) {
            visit(schema, &format!("{path}{mark}"), in_branch, found);
        }
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for schema in node
            .get(keyword)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            visit(schema, path, true, found);
        }
    }
    if let Some(schema) = node.get("not") {
        visit(schema, path, true, found);
    }
}

/// Returns the paths of the fields of a version that may be null or absent: `spec.hosts[].name`.
/// Rust types do not distinguish the two, so the user is warned: a null value is lost when it is
/// stored again.
pub fn nullable_optional_fields(version: &Value) -> Vec<String> {
    fn visit(schema: &Value, path: &str, found: &mut Vec<String>) {
        let Value::Object(node) = schema else { return };
        for (name, schema) in node
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let path = format!("{path}{}{name}", if path.is_empty() { "" } else { "." });
            if schema["nullable"] == true && !is_required(node, name) {
                found.push(path.clone());
            }
            visit(schema, &path, found);
        }
        for (keyword, mark) in [("items", "[]"), ("additionalProperties", "{}")] {
            if let Some(schema) = node.get(keyword) {
                visit(schema, &format!("{path}{mark}"), found);
            }
        }
    }
    let mut found = Vec::new();
    visit(&version["schema"]["openAPIV3Schema"], "", &mut found);
    found
}

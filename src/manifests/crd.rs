//! CRD files from what the project's `crdgen` prints: a JSON array of
//! `CustomResourceDefinition`s.
//!
//! What a file says is exactly what the Rust types say, in a form that does not depend on the versions of
//! kube and schemars: keys sorted, whole numbers without a fraction, nothing that says nothing (nulls,
//! empty lists of names, the status of an object that does not exist yet, the description that the
//! derive makes up).

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde::Deserialize as _;
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::{HEADER, yaml};

/// Where the files go, relative to the project.
pub const DIRECTORY: &str = "config/crd/bases";
/// The annotation that names the rustop that wrote a CRD.
pub const VERSION_ANNOTATION: &str = "rustop.dev/version";

/// Why there are no CRD files.
#[derive(Debug, Error)]
pub enum CrdError {
    /// The output is no JSON, or no array.
    #[error("crdgen printed no JSON array of CRDs: {0}")]
    NotJson(serde_json::Error),
    /// An item of the array does not have the form of a CRD.
    #[error("crdgen printed something that is no CustomResourceDefinition: {name}: {reason}")]
    NotACrd {
        /// The item's name, or its number.
        name: String,
        /// What does not fit.
        reason: String,
    },
    /// A CRD that the API server would refuse.
    #[error("the CRD `{name}` {reason}")]
    Invalid {
        /// The CRD's name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// The CRD files, by their path in the project, from the JSON that `crdgen` printed.
///
/// # Errors
/// When the text is no array of CRDs, or one of them has not exactly one storage version, serves none,
/// or bears another's name.
pub fn files(json: &str) -> Result<BTreeMap<String, String>, CrdError> {
    let crds: Vec<Value> = serde_json::from_str(json).map_err(CrdError::NotJson)?;
    let mut files = BTreeMap::new();
    for (index, mut crd) in crds.into_iter().enumerate() {
        let typed = typed(&crd, index)?;
        let path = format!(
            "{DIRECTORY}/{}_{}.yaml",
            typed.spec.group, typed.spec.names.plural
        );
        canonical(&mut crd);
        let text = format!("{HEADER}---\n{}", yaml::write(&crd));
        if files.insert(path, text).is_some() {
            let reason = "is there twice: merge its versions into one".to_owned();
            return Err(CrdError::Invalid {
                name: name_of(&crd, index),
                reason,
            });
        }
    }
    Ok(files)
}

fn name_of(crd: &Value, index: usize) -> String {
    let name = crd["metadata"]["name"].as_str();
    name.map_or_else(|| format!("item {}", index + 1), str::to_owned)
}

/// Reads a CRD as its type, and checks what the type does not say.
fn typed(crd: &Value, index: usize) -> Result<CustomResourceDefinition, CrdError> {
    let name = name_of(crd, index);
    let typed = CustomResourceDefinition::deserialize(crd).map_err(|error| CrdError::NotACrd {
        name: name.clone(),
        reason: error.to_string(),
    })?;
    match problem(&typed) {
        Some(reason) => Err(CrdError::Invalid { name, reason }),
        None => Ok(typed),
    }
}

/// What the API server would refuse.
fn problem(crd: &CustomResourceDefinition) -> Option<String> {
    let spec = &crd.spec;
    let is_dns = |text: &str, others: &[u8]| {
        let part = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || others.contains(&b);
        !text.is_empty() && text.bytes().all(part)
    };
    // Both become part of a path.
    if !is_dns(&spec.group, b"-.") || !is_dns(&spec.names.plural, b"-") {
        return Some(format!(
            "has the group `{}` and the plural `{}`; both must be DNS names",
            spec.group, spec.names.plural
        ));
    }
    let name = format!("{}.{}", spec.names.plural, spec.group);
    if crd.metadata.name.as_ref() != Some(&name) {
        return Some(format!(
            "must be named `{name}`, after its plural and its group"
        ));
    }
    let mut names = BTreeSet::new();
    if let Some(twice) = spec
        .versions
        .iter()
        .find(|version| !names.insert(&version.name))
    {
        return Some(format!("has the version `{}` twice", twice.name));
    }
    let all: Vec<_> = spec
        .versions
        .iter()
        .map(|version| version.name.as_str())
        .collect();
    let stored: Vec<_> = spec
        .versions
        .iter()
        .filter(|version| version.storage)
        .collect();
    match stored.len() {
        1 => {}
        0 => return Some(format!("has no storage version among {}", all.join(", "))),
        _ => {
            let stored: Vec<_> = stored.iter().map(|version| version.name.as_str()).collect();
            return Some(format!(
                "has {} storage versions ({}), and exactly one is stored",
                stored.len(),
                stored.join(", ")
            ));
        }
    }
    if !spec.versions.iter().any(|version| version.served) {
        return Some("serves none of its versions".to_owned());
    }
    None
}

fn canonical(crd: &mut Value) {
    let Value::Object(object) = crd else { return };
    object.remove("status");
    if let Some(Value::Array(versions)) = crd.pointer_mut("/spec/versions") {
        versions.iter_mut().for_each(canonical_version);
    }
    drop_nulls(crd);
    if let Some(Value::Object(names)) = crd.pointer_mut("/spec/names") {
        drop_empty(names, &["categories", "shortNames"]);
    }
    if let Value::Object(metadata) = &mut crd["metadata"] {
        let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
        annotations[VERSION_ANNOTATION] = json!(env!("CARGO_PKG_VERSION"));
        drop_empty(metadata, &["labels", "finalizers", "ownerReferences"]);
    }
}

fn canonical_version(version: &mut Value) {
    if let Some(root) = version.pointer_mut("/schema/openAPIV3Schema") {
        if let Value::Object(root) = root
            && root
                .get("description")
                .and_then(Value::as_str)
                .is_some_and(is_made_up)
        {
            root.remove("description");
        }
        canonical_schema(root);
    }
    if let Value::Object(version) = version {
        drop_empty(
            version,
            &[
                "additionalPrinterColumns",
                "selectableFields",
                "subresources",
            ],
        );
    }
}

/// The description that kube's derive gives a kind without one.
fn is_made_up(description: &str) -> bool {
    description.starts_with("Auto-generated derived type for ")
}

fn canonical_schema(schema: &mut Value) {
    let Value::Object(schema) = schema else {
        return;
    };
    schema.retain(|key, value| !value.is_null() || is_data(key));
    for (key, value) in schema {
        match (key.as_str(), value) {
            // A space before a line break cannot be seen, and would force quotes on the text.
            ("description", Value::String(text)) if text.contains(" \n") || text.ends_with(' ') => {
                *text = text
                    .lines()
                    .map(str::trim_end)
                    .collect::<Vec<_>>()
                    .join("\n");
            }
            ("properties" | "patternProperties" | "definitions", Value::Object(schemas)) => {
                schemas.values_mut().for_each(canonical_schema);
            }
            ("allOf" | "anyOf" | "oneOf" | "items", Value::Array(schemas)) => {
                schemas.iter_mut().for_each(canonical_schema);
            }
            ("items" | "additionalProperties" | "not", schema) => canonical_schema(schema),
            _ => {}
        }
    }
}

/// Whether a keyword of a schema holds a value of the user's type, in which a null means something.
fn is_data(keyword: &str) -> bool {
    matches!(keyword, "default" | "example" | "enum")
}

/// Drops the nulls of everything but the schemas.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            let others = map.iter_mut().filter(|(key, _)| *key != "openAPIV3Schema");
            others.for_each(|(_, value)| drop_nulls(value));
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

fn drop_empty(map: &mut Map<String, Value>, keys: &[&str]) {
    map.retain(|key, value| {
        let is_empty = match value {
            Value::Array(items) => items.is_empty(),
            Value::Object(map) => map.is_empty(),
            value => value.is_null(),
        };
        !(is_empty && keys.contains(&key.as_str()))
    });
}

#[cfg(test)]
mod tests;

//! The committed copies of the CRDs, and the comparison of two CRDs by meaning, which ignores their
//! formatting.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Config, Error, documents, paths};
use crate::crd;
use crate::disk::regular;
use crate::error::Io;

/// A CRD in a committed file. A file with several CRDs has several copies.
#[derive(Clone, Debug)]
pub struct CommittedCrd {
    /// The file, relative to the project.
    pub file: PathBuf,
    /// The line at which the CRD begins, counted from 1.
    pub line: usize,
    /// True if the file is a Helm template. rustop reads templates, but does not change them.
    pub is_templated: bool,
    /// The CRD, as far as it is not templated.
    pub crd: Value,
}

/// Returns the name of a CRD, such as `documents.kube.rs`, by which a copy is matched with the
/// generated CRD.
pub fn name(crd: &Value) -> &str {
    crd["metadata"]["name"].as_str().unwrap_or_default()
}

/// Reads the CRDs in all files that `crds.files` lists, each file once. Ignores the actions in Helm
/// templates.
///
/// # Errors
/// Returns an error if a pattern matches no file, or if a file cannot be read or has no CRD.
pub fn read(dir: &Path, config: &Config) -> Result<Vec<CommittedCrd>, Error> {
    let mut copies = Vec::new();
    let mut seen = BTreeSet::new();
    for pattern in &config.crds.files {
        let files = paths::matching(dir, pattern);
        if files.is_empty() {
            return Err(Error::NoCopy {
                pattern: pattern.clone(),
            });
        }
        for file in files {
            let path = dir.join(&file);
            if !seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
                continue;
            }
            let text = regular::text(&path).map_err(Io::on("read", &path))?;
            let found = of_text(&file, &text);
            if found.is_empty() {
                let problem = documents::of_file(&file, &text).0.problem;
                return Err(Error::NoCrd { file, problem });
            }
            copies.extend(found);
        }
    }
    Ok(copies)
}

/// Returns the CRDs in `text`, the contents of `file`.
pub fn of_text(file: &Path, text: &str) -> Vec<CommittedCrd> {
    if !documents::may_have_crds(text) {
        return Vec::new();
    }
    let (parsed, is_templated) = documents::of_file(file, text);
    let crds = parsed.objects.into_iter();
    crds.filter(|(_, object)| documents::is_crd(object))
        .map(|(line, crd)| CommittedCrd {
            file: file.to_owned(),
            line,
            is_templated,
            crd,
        })
        .collect()
}

/// Compares the specs of two CRDs by meaning. Returns one line for each difference: `v1 spec.size:
/// minimum is 1, but 0 in the generated CRD`. `of` is the name of `wanted` in these lines: `the
/// generated CRD`, or a path.
pub fn differences(copy: &Value, wanted: &Value, of: &str) -> Vec<String> {
    let normal = |crd: &Value| crd::comparable(crd.clone())["spec"].take();
    let mut found = Vec::new();
    compare(
        &normal(copy),
        &normal(wanted),
        &ValueLocation::default(),
        of,
        &mut found,
    );
    found
}

/// The place of a value in the spec of a CRD.
#[derive(Clone, Default)]
struct ValueLocation {
    /// The text for messages: the version, the field as in a custom resource, and the keyword: `v1
    /// spec.size: minimum`. A version without a field ends with a space.
    field: String,
    /// True inside of `openAPIV3Schema`.
    is_schema: bool,
    /// True if the value is the `properties` of a schema: its keys are names of fields, not
    /// keywords.
    is_properties: bool,
}

impl ValueLocation {
    /// Returns the place of the value under a key of this one.
    fn below(&self, key: &str) -> Self {
        if self.is_properties {
            let dot = if self.field.is_empty() || self.field.ends_with(' ') {
                ""
            } else {
                "."
            };
            return Self {
                field: format!("{}{dot}{key}", self.field),
                is_schema: true,
                is_properties: false,
            };
        }
        match key {
            "properties" if self.is_schema => Self {
                is_properties: true,
                ..self.clone()
            },
            "items" if self.is_schema => Self {
                field: format!("{}[]", self.field),
                ..self.clone()
            },
            "additionalProperties" if self.is_schema => Self {
                field: format!("{}.*", self.field),
                ..self.clone()
            },
            "schema" | "versions" => self.clone(),
            "openAPIV3Schema" => Self {
                is_schema: true,
                ..self.clone()
            },
            key => {
                let dot = if self.field.is_empty() || self.field.ends_with(' ') {
                    ""
                } else {
                    ": "
                };
                Self {
                    field: format!("{}{dot}{key}", self.field),
                    ..self.clone()
                }
            }
        }
    }

    fn shown(&self) -> &str {
        match self.field.trim_end() {
            "" => "the spec",
            field => field,
        }
    }
}

fn compare(copy: &Value, wanted: &Value, place: &ValueLocation, of: &str, found: &mut Vec<String>) {
    match (copy, wanted) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<_> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let below = place.below(key);
                match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) => compare(a, b, &below, of, found),
                    // If one side has no `properties`, the missing fields are reported, not the
                    // keyword.
                    (Some(a), None) if below.is_properties => {
                        compare(a, &json!({}), &below, of, found);
                    }
                    (None, Some(b)) if below.is_properties => {
                        compare(&json!({}), b, &below, of, found);
                    }
                    (Some(_), None) => found.push(format!("{} is not in {of}", below.shown())),
                    (None, Some(_)) => {
                        found.push(format!("{} is missing, but {of} has it", below.shown()));
                    }
                    (None, None) => {}
                }
            }
        }
        (Value::Array(a), Value::Array(b))
            if place.field.is_empty() && is_named(a) && is_named(b) =>
        {
            versions(a, b, place, of, found);
        }
        (Value::Array(a), Value::Array(b))
            if a.len() == b.len() && a.iter().any(Value::is_object) =>
        {
            for (at, (a, b)) in a.iter().zip(b).enumerate() {
                let below = ValueLocation {
                    field: format!("{}[{at}]", place.field),
                    ..place.clone()
                };
                compare(a, b, &below, of, found);
            }
        }
        (a, b) if same(a, b) => {}
        (a, b) => found.push(format!(
            "{} is {}, but {} in {of}",
            place.shown(),
            short(a),
            short(b)
        )),
    }
}

/// Returns true if all items have a name, as the versions of a CRD have.
fn is_named(list: &[Value]) -> bool {
    list.iter().all(|it| it["name"].is_string())
}

/// Compares two lists of versions by name, so that their order does not matter.
fn versions(a: &[Value], b: &[Value], place: &ValueLocation, of: &str, found: &mut Vec<String>) {
    let named =
        |list: &'_ [Value], name: &Value| list.iter().find(|it| it["name"] == *name).cloned();
    for version in a
        .iter()
        .chain(b.iter().filter(|it| named(a, &it["name"]).is_none()))
    {
        let name = version["name"].as_str().unwrap_or_default();
        let below = ValueLocation {
            field: format!("{name} "),
            ..place.clone()
        };
        match (named(a, &version["name"]), named(b, &version["name"])) {
            (Some(a), Some(b)) => compare(&a, &b, &below, of, found),
            (Some(_), None) => found.push(format!("version {name} is not in {of}")),
            _ => found.push(format!("version {name} is missing, but {of} has it")),
        }
    }
}

/// Returns true if two values mean the same, although they may be written differently.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::String(a), Value::String(b)) => {
            // Generators break the lines of a description at different words.
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            a == b || words(a) == words(b)
        }
        // Lists of plain values, such as `required` and `enum`: their order has no meaning.
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len()
                && a.iter().all(|it| b.contains(it))
                && b.iter().all(|it| a.contains(it))
        }
        (a, b) => a == b,
    }
}

/// Returns a value as JSON, shortened.
fn short(value: &Value) -> String {
    const LONG: usize = 60;
    let text = value.to_string();
    if text.chars().count() <= LONG {
        return text;
    }
    let start: String = text.chars().take(LONG).collect();
    format!("{start}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crd(schema: &Value) -> Value {
        json!({
            "kind": "CustomResourceDefinition",
            "metadata": { "name": "cows.farm.x", "annotations": { "a": "b" } },
            "spec": {
                "group": "farm.x",
                "names": { "kind": "Cow", "plural": "cows", "categories": [] },
                "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
            },
        })
    }

    #[test]
    fn differences_are_named_by_version_and_field() {
        let spec = |spec: Value| crd(&json!({ "type": "object", "properties": { "spec": spec } }));
        let size = |size: Value| {
            spec(
                json!({ "type": "object", "required": ["a", "b"], "properties": { "size": size } }),
            )
        };
        let old = size(json!({ "type": "integer", "minimum": 1.0, "description": "The\nsize." }));
        assert!(
            differences(
                &old,
                &size(json!({ "type": "integer", "minimum": 1, "description": "The size." })),
                "the types"
            )
            .is_empty()
        );
        for (new, expected) in [
            (
                size(json!({ "type": "integer", "minimum": 0, "description": "The size." })),
                "v1 spec.size: minimum is 1.0, but 0 in the types",
            ),
            (
                size(json!({ "type": "integer", "minimum": 1 })),
                "v1 spec.size: description is not in the types",
            ),
            (
                size(
                    json!({ "type": "integer", "minimum": 1, "description": "The size.", "x-kubernetes-validations": [{ "rule": "self > 1" }] }),
                ),
                "v1 spec.size: x-kubernetes-validations is missing, but the types has it",
            ),
            (
                spec(json!({ "type": "object", "required": ["b", "a"] })),
                "v1 spec.size is not in the types",
            ),
        ] {
            let found = differences(&old, &new, "the types");
            assert!(
                found
                    .iter()
                    .any(|it| it.replace("1.0", "1") == expected.replace("1.0", "1")),
                "{found:?}"
            );
        }
        let other = json!({ "metadata": { "name": "cows.farm.x" }, "spec": { "scope": "Cluster", "versions": [{ "name": "v2" }] } });
        let found = differences(&old, &other, "b.yaml");
        assert!(
            found.contains(&"version v1 is not in b.yaml".to_owned()),
            "{found:?}"
        );
        assert!(
            found.contains(&"version v2 is missing, but b.yaml has it".to_owned()),
            "{found:?}"
        );
    }
}

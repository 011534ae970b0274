//! The committed copies of the CRDs, and their differences from the generated ones by meaning.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Config, Error, documents, paths};
use crate::crd;
use crate::disk::regular;
use crate::error::Io;

/// A CRD in a file of the repository.
#[derive(Clone, Debug)]
pub struct Copy {
    /// The file, relative to the project.
    pub file: PathBuf,
    /// The line at which the CRD begins, counted from 1.
    pub line: usize,
    /// True if the file is a template, which rustop does not write.
    pub is_templated: bool,
    pub crd: Value,
}

/// The name of a CRD.
pub fn name(crd: &Value) -> &str {
    crd["metadata"]["name"].as_str().unwrap_or_default()
}

/// Reads all copies that `crds.files` lists. Also finds the CRDs in templates.
///
/// # Errors
/// Returns an error if a pattern matches no file, or if a file cannot be read or has no CRD.
pub fn read(dir: &Path, config: &Config) -> Result<Vec<Copy>, Error> {
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
                return Err(Error::NoCrd { file });
            }
            copies.extend(found);
        }
    }
    Ok(copies)
}

/// Returns the CRDs in the text of a file.
pub fn of_text(file: &Path, text: &str) -> Vec<Copy> {
    let is_templated = documents::is_templated(text);
    let crds = documents::crds(text).into_iter();
    crds.map(|(line, crd)| Copy {
        file: file.to_owned(),
        line,
        is_templated,
        crd,
    })
    .collect()
}

/// Compares the specs of two CRDs by meaning. Returns one line for each difference: `v1 spec.size: minimum is 1, but 0 is
/// generated`. `of` names the origin of `wanted`, as the end of these sentences.
pub fn differences(copy: &Value, wanted: &Value, of: &str) -> Vec<String> {
    let normal = |crd: &Value| crd::comparable(crd.clone())["spec"].take();
    let mut found = Vec::new();
    compare(
        &normal(copy),
        &normal(wanted),
        &Place::default(),
        of,
        &mut found,
    );
    found
}

/// A place in a CRD.
#[derive(Clone, Default)]
struct Place {
    /// The version and the fields, as users write them.
    field: String,
    /// True inside of a schema.
    is_schema: bool,
    /// True if the keys of the value are names of fields.
    is_map: bool,
}

impl Place {
    fn below(&self, key: &str) -> Self {
        if self.is_map {
            let dot = if self.field.is_empty() || self.field.ends_with(' ') {
                ""
            } else {
                "."
            };
            return Self {
                field: format!("{}{dot}{key}", self.field),
                is_schema: true,
                is_map: false,
            };
        }
        match key {
            "properties" if self.is_schema => Self {
                is_map: true,
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

fn compare(copy: &Value, wanted: &Value, place: &Place, of: &str, found: &mut Vec<String>) {
    match (copy, wanted) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<_> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let below = place.below(key);
                match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) => compare(a, b, &below, of, found),
                    (Some(a), None) if below.is_map => {
                        compare(a, &json!({}), &below, of, found);
                    }
                    (None, Some(b)) if below.is_map => {
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
                let below = Place {
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

fn is_named(list: &[Value]) -> bool {
    list.iter().all(|it| it["name"].is_string())
}

fn versions(a: &[Value], b: &[Value], place: &Place, of: &str, found: &mut Vec<String>) {
    let named =
        |list: &'_ [Value], name: &Value| list.iter().find(|it| it["name"] == *name).cloned();
    for version in a
        .iter()
        .chain(b.iter().filter(|it| named(a, &it["name"]).is_none()))
    {
        let name = version["name"].as_str().unwrap_or_default();
        let below = Place {
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

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::String(a), Value::String(b)) => {
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            a == b || words(a) == words(b)
        }
        // The order of these has no meaning.
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().all(|it| b.contains(it))
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

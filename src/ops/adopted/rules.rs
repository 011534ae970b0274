//! Validation rules of Rust types that a copy of their CRD lacks. For CRDs that the command does
//! not generate, this is all that can be compared without building.

use std::path::Path;

use kube::core::GroupVersionKind;
use serde_json::{Map, Value};

use crate::crd::check::versions;
use crate::disk;
use crate::sources::types::Types;

/// The keyword of a rule in a schema.
const RULES: &str = "x-kubernetes-validations";

/// Returns one line, `VERSION FIELD.PATH: …`, for each field whose type has a rule, by an attribute
/// or by the function of `schema_with`, and whose schema in the CRD has none. Only types of the
/// project's own sources below `root` are searched.
pub fn missing(root: &Path, types: &Types, crd: &Value) -> Vec<String> {
    let text = |field: &str| crd["spec"][field].as_str().unwrap_or_default();
    let kind = crd["spec"]["names"]["kind"].as_str().unwrap_or_default();
    let mut found = Vec::new();
    for version in versions(crd) {
        let gvk = GroupVersionKind::gvk(text("group"), version.name, kind);
        version.root().visit(&mut |node| {
            let fields = node.fields();
            let Some(origin) = types.find(&gvk, &fields).filter(|it| it.is_own) else {
                return;
            };
            if fields.is_empty() || has_rule(node.schema) {
                return;
            }
            let place = origin.field.diagnostic(String::new());
            let Some(line) = place.line() else { return };
            let source = disk::read(&root.join(&place.path))
                .ok()
                .flatten()
                .unwrap_or_default();
            if let Some(at) = rule_of(&source, line) {
                found.push(format!(
                    "{} {}: {RULES} is missing, but {}:{at} has a rule",
                    version.name,
                    fields.join("."),
                    place.path.display()
                ));
            }
        });
    }
    found.dedup();
    found
}

/// Returns true if a schema has a rule, also in a part of it.
fn has_rule(schema: &Map<String, Value>) -> bool {
    let is_ruled = |value: &Value| value.to_string().contains(RULES);
    schema.contains_key(RULES) || schema.values().any(is_ruled)
}

/// Returns the line of the rule that the attributes above a field declare, or that the function of
/// their `schema_with` contains, if it is in the same file. `line` is the field's. Lines count from
/// 1.
fn rule_of(source: &str, line: usize) -> Option<usize> {
    let rows: Vec<_> = source.lines().collect();
    let above = rows[..line.min(rows.len()).saturating_sub(1)]
        .iter()
        .enumerate()
        .rev();
    let attributes = above.take_while(|(_, row)| {
        let row = row.trim();
        row.starts_with("#[") || row.starts_with("//") || row.ends_with(")]")
    });
    for (at, row) in attributes {
        if row.contains("x_kube(validation")
            || (row.contains("schemars(extend") && row.contains(RULES))
        {
            return Some(at + 1);
        }
        let function = row
            .split("schema_with = \"")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        let Some(function) = function.and_then(|path| path.rsplit("::").next()) else {
            continue;
        };
        let declares = |row: &&str| {
            row.contains(&format!("fn {function}(")) || row.contains(&format!("fn {function}<"))
        };
        let start = rows.iter().position(declares);
        if let Some(start) = start {
            let body = rows[start..].iter().take_while(|row| **row != "}");
            let rule = body.enumerate().find(|(_, row)| row.contains(RULES));
            if let Some((below, _)) = rule {
                return Some(start + below + 1);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_of_a_field_is_found_by_its_attribute_and_its_function() {
        let source = "pub struct CowSpec {
    /// The size.
    #[schemars(schema_with = \"fixed\")]
    pub size: i32,
    #[x_kube(validation = \"self > 1\")]
    pub age: i32,
    #[schemars(schema_with = \"other\")]
    pub name: String,
}

fn fixed(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ \"x-kubernetes-validations\": [] })
}

fn other(_: &mut SchemaGenerator) -> Schema {
    json_schema!({})
}
";
        assert_eq!(rule_of(source, 4), Some(12));
        assert_eq!(rule_of(source, 6), Some(5));
        assert_eq!(rule_of(source, 8), None);
    }
}

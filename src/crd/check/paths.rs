//! Paths of printer columns and of the scale subresource that do not lead to a field. The API
//! server accepts them but shows no value.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinitionVersion;
use serde_json::Value;

use crate::crd::finding::CrdProblem;
use crate::crd::node::{Object, flag};
use crate::diagnostic::lints::conventions::LOST_PATH;

/// Returns the schema of a version as JSON, or `None` if the version has no schema.
pub fn schema(version: &CustomResourceDefinitionVersion) -> Option<Object> {
    let schema = version.schema.as_ref()?.open_api_v3_schema.as_ref()?;
    match serde_json::to_value(schema) {
        Ok(Value::Object(schema)) => Some(schema),
        _ => None,
    }
}

/// Returns a warning for each path that does not lead to a field.
pub fn lost(version: &CustomResourceDefinitionVersion) -> Vec<CrdProblem> {
    let Some(schema) = schema(version) else {
        return Vec::new();
    };
    let columns = version.additional_printer_columns.iter().flatten();
    let columns =
        columns.map(|column| (format!("the column `{}`", column.name), &column.json_path));
    let subresources = version.subresources.as_ref();
    let scale = subresources.and_then(|subresources| subresources.scale.as_ref());
    let scale = scale.into_iter().flat_map(|scale| {
        let paths = [&scale.spec_replicas_path, &scale.status_replicas_path];
        let all = paths.into_iter().chain(&scale.label_selector_path);
        all.map(|path| ("the scale".to_owned(), path))
    });
    let lost = columns
        .chain(scale)
        .filter(|(_, path)| is_lost(&schema, path));
    let finding = |(what, path): (String, &String)| {
        let message = format!("{what} refers to `{path}`, which is not a field");
        let finding = CrdProblem::of_crd(message).warning(&LOST_PATH);
        finding.help("write the path of a field, with its name in JSON")
    };
    lost.map(finding).collect()
}

/// Returns true if a path leaves the schema. Does not check the path after a bracket or inside of
/// objects with unknown fields.
fn is_lost(schema: &Object, path: &str) -> bool {
    let Some(path) = path.strip_prefix('.') else {
        return false;
    };
    let mut schema = schema;
    for name in path.split('.') {
        let (name, rest) = name.split_at(name.find('[').unwrap_or(name.len()));
        if name.is_empty()
            || name == "metadata"
            || flag(schema, "x-kubernetes-preserve-unknown-fields")
        {
            return false;
        }
        let values = schema.get("additionalProperties");
        let next = match schema.get("properties").and_then(Value::as_object) {
            Some(fields) => fields.get(name),
            None if values.is_some() => values,
            None => return false,
        };
        match next {
            None => return true,
            Some(Value::Object(next)) if rest.is_empty() => schema = next,
            Some(_) => return false,
        }
    }
    false
}

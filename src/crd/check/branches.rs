//! Checks of `allOf`, `anyOf`, `oneOf` and `not`.

use serde_json::Value;

use super::structural::{EMBEDDED, INT_OR_STRING, PRESERVE, pattern_error};
use crate::crd::finding::CrdProblem;
use crate::crd::node::{Node, Object, flag};

/// Reports branches that declare something. `allOf`, `anyOf`, `oneOf` and `not` may only restrict
/// what the schema declares outside of them.
pub fn check(node: &Node, found: &mut Vec<CrdProblem>) {
    let mut problems = Vec::new();
    for (keyword, branch) in branches_of(node.schema) {
        if is_int_or_string(node.schema, keyword, branch) {
            continue;
        }
        nested(branch, keyword, &mut problems);
        // The API server requires this of the root only.
        if node.is_root() {
            undeclared(branch, Some(node.schema), keyword, &mut problems);
        }
    }
    problems.sort();
    problems.dedup();
    found.extend(
        problems
            .into_iter()
            .map(|message| CrdProblem::at(node, message)),
    );
}

fn branches_of(schema: &Object) -> impl Iterator<Item = (&'static str, &Object)> {
    let lists = ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|keyword| {
        let list = schema.get(keyword).and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(move |branch| Some((keyword, branch.as_object()?)))
    });
    lists.chain(
        schema
            .get("not")
            .and_then(Value::as_object)
            .map(|not| ("not", not)),
    )
}

/// Returns true for the only branches that may declare types: `anyOf` with an integer and a string.
fn is_int_or_string(schema: &Object, keyword: &str, branch: &Object) -> bool {
    let pair = serde_json::json!([{ "type": "integer" }, { "type": "string" }]);
    match keyword {
        "anyOf" => schema.get("anyOf") == Some(&pair),
        "allOf" => {
            branch.get("anyOf") == Some(&pair)
                && schema.get("allOf").and_then(|all| all.get(0)?.as_object()) == Some(branch)
        }
        _ => false,
    }
}

/// Collects the forbidden keywords of a branch.
fn nested(branch: &Object, keyword: &str, problems: &mut Vec<String>) {
    const FORBIDDEN: [&str; 10] = [
        "additionalProperties",
        "default",
        "description",
        "title",
        "type",
        EMBEDDED,
        INT_OR_STRING,
        "x-kubernetes-list-map-keys",
        "x-kubernetes-list-type",
        "x-kubernetes-map-type",
    ];
    let flags = ["nullable", PRESERVE]
        .into_iter()
        .filter(|key| flag(branch, key));
    let rules = branch
        .get("x-kubernetes-validations")
        .map(|_| "x-kubernetes-validations");
    let said = FORBIDDEN
        .into_iter()
        .filter(|key| branch.contains_key(*key));
    for key in said.chain(flags).chain(rules) {
        problems.push(format!("`{key}` is not allowed in a branch of `{keyword}`"));
    }
    if let Some(pattern) = branch.get("pattern").and_then(Value::as_str) {
        problems.extend(pattern_error(pattern));
    }
    for (name, inner) in inside(branch) {
        if name == Some("metadata") {
            problems.push(format!(
                "`metadata` is not allowed in a branch of `{keyword}`"
            ));
        }
        nested(inner, keyword, problems);
    }
    for (keyword, branch) in branches_of(branch) {
        nested(branch, keyword, problems);
    }
}

/// Returns the schemas of the properties by name, and of the items.
fn inside(schema: &Object) -> impl Iterator<Item = (Option<&str>, &Object)> {
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    let properties =
        properties.filter_map(|(name, field)| Some((Some(name.as_str()), field.as_object()?)));
    properties.chain(
        schema
            .get("items")
            .and_then(Value::as_object)
            .map(|items| (None, items)),
    )
}

/// Collects the fields of a branch that the schema does not declare outside of all branches.
fn undeclared(
    branch: &Object,
    declared: Option<&Object>,
    keyword: &str,
    problems: &mut Vec<String>,
) {
    for (name, inner) in inside(branch) {
        let outside =
            declared.and_then(|declared| inside(declared).find(|(other, _)| *other == name));
        if outside.is_none() {
            let name = name.unwrap_or("items");
            problems.push(format!(
                "`{name}` is used in a branch of `{keyword}` but not declared outside of it"
            ));
        }
        undeclared(inner, outside.map(|(_, schema)| schema), keyword, problems);
    }
    for (keyword, branch) in branches_of(branch) {
        undeclared(branch, declared, keyword, problems);
    }
}

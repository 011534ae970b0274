//! Checks of the merge strategy of lists and maps: `x-kubernetes-list-type`, its keys, and
//! `x-kubernetes-map-type`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::crd::finding::CrdProblem;
use crate::crd::keywords::LIST_KEYS;
use crate::crd::node::{Node, Object, flag};

const LIST_TYPE: &str = "x-kubernetes-list-type";
const MAP_TYPE: &str = "x-kubernetes-map-type";

/// Reports everything wrong with the merge strategy of a list or map.
pub fn check(node: &Node, found: &mut Vec<CrdProblem>) {
    map_type(node, found);
    list_type(node, found);
}

/// Returns true if the API server accepts the merge strategy of a list.
pub fn has_valid_list_type(list: &Object) -> bool {
    let mut found = Vec::new();
    list_type(&Node::root(list), &mut found);
    found.is_empty()
}

fn map_type(node: &Node, found: &mut Vec<CrdProblem>) {
    let Some(merged) = node.text(MAP_TYPE) else {
        return;
    };
    if !["atomic", "granular"].contains(&merged) {
        found.push(CrdProblem::at(
            node,
            format!("a map is merged `atomic` or `granular`, not `{merged}`"),
        ));
    }
    if node.type_name() != "object" {
        found.push(CrdProblem::at(
            node,
            format!("`{MAP_TYPE}` is for the type `object`"),
        ));
    }
}

fn list_type(node: &Node, found: &mut Vec<CrdProblem>) {
    let keys: Vec<_> = node
        .schema
        .get(LIST_KEYS)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .collect();
    let keys: Vec<&str> = keys.into_iter().filter_map(Value::as_str).collect();
    let merged = node.text(LIST_TYPE);
    if !keys.is_empty() && merged != Some("map") {
        found.push(CrdProblem::at(
            node,
            "only a list that is merged as a `map` can have keys",
        ));
    }
    let Some(merged) = merged else { return };
    if node.type_name() != "array" {
        found.push(CrdProblem::at(
            node,
            format!("`{LIST_TYPE}` is for the type `array`"),
        ));
    }
    let items = node.object("items");
    match merged {
        "atomic" => {}
        "set" => set(node, items, found),
        "map" => map(node, items, &keys, found),
        _ => found.push(CrdProblem::at(
            node,
            format!("a list is merged `atomic`, `set` or `map`, not `{merged}`"),
        )),
    }
}

fn text<'a>(schema: &'a Object, keyword: &str) -> Option<&'a str> {
    schema.get(keyword)?.as_str()
}

fn set(node: &Node, items: Option<&Object>, found: &mut Vec<CrdProblem>) {
    let Some(items) = items else { return };
    not_nullable(node, items, found);
    let whole = match text(items, "type") {
        Some("object") => text(items, MAP_TYPE) == Some("atomic"),
        Some("array") => text(items, LIST_TYPE).is_none_or(|merged| merged == "atomic"),
        _ => true,
    };
    if !whole {
        found.push(
            CrdProblem::at(node, "the items of a set must be atomic, but these are merged by their fields")
                .help("for structs write `ListMerge::Map(vec![\"name\".into()])` with the field that identifies an item"),
        );
    }
}

fn map(node: &Node, items: Option<&Object>, keys: &[&str], found: &mut Vec<CrdProblem>) {
    if keys.is_empty() {
        found.push(
            CrdProblem::at(node, "a list that is merged as a `map` needs keys")
                .help("write `ListMerge::Map(vec![\"name\".into()])`"),
        );
    }
    let items = items.filter(|items| text(items, "type") == Some("object"));
    let Some(items) = items else {
        found.push(CrdProblem::at(
            node,
            "the items of a list that is merged as a `map` must be structs",
        ));
        return;
    };
    not_nullable(node, items, found);
    let mut seen = BTreeSet::new();
    for key in keys {
        if !seen.insert(key) {
            found.push(CrdProblem::at(
                node,
                format!("the key `{key}` is listed twice"),
            ));
        }
        if let Some(message) = key_problem(items, key) {
            found.push(CrdProblem::at(node, format!("the key `{key}` {message}")));
        }
    }
}

fn key_problem(items: &Object, key: &str) -> Option<String> {
    let Some(field) = items
        .get("properties")
        .and_then(|fields| fields.get(key)?.as_object())
    else {
        return Some("is not a field of the items; use the name in JSON".to_owned());
    };
    let required = items
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let has_value = required.into_iter().any(|name| name == key)
        || field.get("default").is_some_and(|value| !value.is_null());
    if matches!(text(field, "type"), Some("array" | "object")) {
        Some("is not a scalar".to_owned())
    } else if flag(field, "nullable") {
        Some("may be null: write its type without `Option`".to_owned())
    } else if !has_value {
        Some("may be missing: make it required or give it a default".to_owned())
    } else {
        None
    }
}

fn not_nullable(node: &Node, items: &Object, found: &mut Vec<CrdProblem>) {
    if flag(items, "nullable") {
        found.push(
            CrdProblem::at(node, "the items of a `set` or `map` cannot be null")
                .help("write the items' type without `Option`"),
        );
    }
}

//! Changes of the merge strategies of lists and maps.

use serde_json::Value;

use super::pair::Pair;
use crate::crd::finding::CrdProblem;
use crate::crd::keywords::LIST_KEYS;
use crate::crd::node::Node;
use crate::diagnostic::lints::compat as rules;

/// Reports changed merge strategies, if the type stays the same.
pub fn check(pair: &Pair, found: &mut Vec<CrdProblem>) {
    if pair.old.type_name() != pair.new.type_name() {
        return;
    }
    match pair.new.type_name() {
        "array" => list(pair, found),
        "object" => map(pair, found),
        _ => {}
    }
}

fn list(pair: &Pair, found: &mut Vec<CrdProblem>) {
    let merged = |node: &Node| match node.text("x-kubernetes-list-type") {
        Some("set") => "set".to_owned(),
        Some("map") => format!("map by {}", keys(node).join(" and ")),
        _ => "atomic".to_owned(),
    };
    let (old, new) = (merged(&pair.old), merged(&pair.new));
    if old == new {
        return;
    }
    let is_free = |node: &Node| !matches!(node.text("x-kubernetes-list-type"), Some("set" | "map"));
    let (before, after) = (keys(&pair.old), keys(&pair.new));
    // With additional keys, items that differed before still differ.
    let is_finer = !before.is_empty() && before.iter().all(|key| after.contains(key));
    let rule = if is_free(&pair.new) || is_finer {
        &rules::MERGE_CHANGED
    } else {
        &rules::LIST_KEYS_CHANGED
    };
    found.push(pair.finding(
        rule,
        format!("the merge strategy of the list changed from {old} to {new}"),
    ));
}

fn keys(node: &Node) -> Vec<String> {
    let keys = node.schema.get(LIST_KEYS).and_then(Value::as_array);
    let keys = keys.into_iter().flatten().filter_map(Value::as_str);
    keys.map(str::to_owned).collect()
}

fn map(pair: &Pair, found: &mut Vec<CrdProblem>) {
    let is_whole = |node: &Node| node.text("x-kubernetes-map-type") == Some("atomic");
    let merged = |is_whole| {
        if is_whole { "atomic" } else { "granular" }
    };
    let (old, new) = (is_whole(&pair.old), is_whole(&pair.new));
    if old != new {
        let message = format!(
            "the merge strategy of the object changed from {} to {}",
            merged(old),
            merged(new)
        );
        found.push(pair.finding(&rules::MERGE_CHANGED, message));
    }
}

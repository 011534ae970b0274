//! CEL rules: one that is new, or says something else, may be broken by what is stored.

use serde_json::Value;

use super::pair::Pair;
use crate::crd::finding::Finding;
use crate::crd::keywords::{VALIDATIONS, one_line};
use crate::crd::node::Node;
use crate::diagnostic::lints::compat as rules;

/// All that a change of a schema does to its CEL rules. What a rule says when it is broken is no matter.
pub fn check(pair: &Pair, found: &mut Vec<Finding>) {
    let before = expressions(&pair.old);
    let added = expressions(&pair.new)
        .into_iter()
        .filter(|rule| !before.contains(rule));
    for rule in added {
        let message = format!("the rule `{rule}` is new");
        let lint = if pair.holds_more() {
            &rules::RULE_OF_OBJECT
        } else {
            &rules::RULE_ADDED
        };
        found.push(pair.finding(lint, message));
    }
}

fn expressions(node: &Node) -> Vec<String> {
    let rules = node.schema.get(VALIDATIONS).and_then(Value::as_array);
    let rules = rules.into_iter().flatten();
    rules
        .filter_map(|rule| rule["rule"].as_str().map(one_line))
        .collect()
}

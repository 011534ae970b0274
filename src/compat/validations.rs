//! Changes of CEL rules: stored objects may violate a new or changed rule.

use serde_json::Value;

use super::pair::Pair;
use crate::crd::cel;
use crate::crd::finding::CrdProblem;
use crate::crd::keywords::{VALIDATIONS, one_line};
use crate::crd::node::Node;
use crate::diagnostic::lints::compat as lints;

/// Reports new and changed CEL rules. Ignores changes of their messages.
pub fn check(pair: &Pair, found: &mut Vec<CrdProblem>) {
    let before: Vec<_> = rules(&pair.old).collect();
    let added = rules(&pair.new).filter(|rule| {
        let mut before = before.iter();
        !before.any(|old| cel::is_same(text(old), text(rule)))
    });
    for rule in added {
        let message = format!("the rule `{}` was added", one_line(text(rule)));
        // A transition rule does not apply to stored objects until they change.
        let is_transition = cel::is_transition(text(rule)) && rule["optionalOldSelf"] != true;
        let lint = if pair.is_container() && !is_transition {
            &lints::RULE_OF_OBJECT
        } else {
            &lints::RULE_ADDED
        };
        found.push(pair.finding(lint, message));
    }
}

fn rules<'a>(node: &Node<'a>) -> impl Iterator<Item = &'a Value> + use<'a> {
    let rules = node.schema.get(VALIDATIONS).and_then(Value::as_array);
    let rules = rules.into_iter().flatten();
    rules.filter(|rule| rule["rule"].is_string())
}

fn text(rule: &Value) -> &str {
    rule["rule"].as_str().unwrap_or_default()
}

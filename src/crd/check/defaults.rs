//! Checks that defaults are valid values.

use crate::crd::cel;
use crate::crd::finding::CrdProblem;
use crate::crd::keywords::VALIDATIONS;
use crate::crd::node::{Node, SchemaStep};

use super::structural::in_metadata;
use super::value::misfit;

/// Reports a default that its schema does not accept.
pub fn check(node: &Node, found: &mut Vec<CrdProblem>) {
    let Some(default) = node.schema.get("default").filter(|value| !value.is_null()) else {
        return;
    };
    if in_metadata(node) {
        let top = node.ancestors().any(|node| {
            matches!(node.step, SchemaStep::Field(_))
                && node.parent.is_some_and(Node::is_root)
                && matches!(
                    node.step,
                    SchemaStep::Field("apiVersion" | "kind" | "metadata")
                )
        });
        if top {
            found.push(CrdProblem::at(
                node,
                "`apiVersion`, `kind` and `metadata` cannot have defaults",
            ));
        }
        return;
    }
    // The API server does not check defaults inside of maps.
    if node.ancestors().any(|node| node.step == SchemaStep::Value) {
        return;
    }
    let wrong = misfit(default, node.schema, "").or_else(|| broken_rule(node, default));
    if let Some(why) = wrong {
        found.push(
            CrdProblem::at(node, format!("the default {default} {why}"))
                .help("a default must be a valid value of the field"),
        );
    }
}

/// Returns the error for a rule of the schema that the default certainly violates.
fn broken_rule(node: &Node, default: &serde_json::Value) -> Option<String> {
    let rules = node.schema.get(VALIDATIONS)?.as_array()?;
    let rules = rules.iter().filter_map(|rule| rule.get("rule")?.as_str());
    rules
        .into_iter()
        .find(|rule| cel::is_false(rule, default, node.type_name()))
        .map(|rule| format!("violates the rule `{rule}`"))
}

//! Changes of enums, defaults and branches.

use serde_json::Value;

use super::pair::Pair;
use crate::crd::finding::Finding;
use crate::crd::node::Node;
use crate::diagnostic::lints::compat as rules;

/// Keywords with schemas that a value must match as a whole.
const BRANCHES: [&str; 4] = ["allOf", "anyOf", "not", "oneOf"];

/// Reports changes of the allowed values and the defaults.
pub fn check(pair: &Pair, found: &mut Vec<Finding>) {
    if pair.old.kind() != pair.new.kind() {
        return;
    }
    enums(pair, found);
    defaults(pair, found);
    for keyword in BRANCHES {
        if let Some((_, Some(_))) = pair.changed(keyword)
            && !pair.new.flag("x-kubernetes-int-or-string")
            && !only_widens(pair, keyword)
        {
            let message = format!("`{keyword}` changed");
            let rule = if pair.holds_more() {
                &rules::BRANCHES_OF_OBJECT
            } else {
                &rules::BRANCHES_CHANGED
            };
            found.push(pair.finding(rule, message));
        }
    }
}

/// Returns true if all values that matched still match: `anyOf` only gains branches, or every branch of `allOf` existed
/// before or repeats keywords of the schema itself.
fn only_widens(pair: &Pair, keyword: &str) -> bool {
    let branches = |node: &Node| {
        let branches = node.schema.get(keyword).and_then(Value::as_array);
        branches.cloned().unwrap_or_default()
    };
    let (old, new) = (branches(&pair.old), branches(&pair.new));
    let is_said = |branch: &Value| {
        let mut said = branch.as_object().into_iter().flatten();
        said.all(|(keyword, value)| pair.old.schema.get(keyword) == Some(value))
    };
    match keyword {
        "anyOf" => !old.is_empty() && old.iter().all(|branch| new.contains(branch)),
        "allOf" => new
            .iter()
            .all(|branch| old.contains(branch) || is_said(branch)),
        _ => false,
    }
}

/// Returns the values of an enum, except null, which depends on `nullable`.
fn allowed<'a>(node: &Node<'a>) -> Option<Vec<&'a Value>> {
    let values = node.schema.get("enum")?.as_array()?;
    Some(values.iter().filter(|value| !value.is_null()).collect())
}

fn enums(pair: &Pair, found: &mut Vec<Finding>) {
    let list = |values: &[&Value]| {
        let values: Vec<_> = values.iter().map(ToString::to_string).collect();
        values.join(", ")
    };
    match (allowed(&pair.old), allowed(&pair.new)) {
        (None, Some(new)) => {
            let message = format!("accepted any value, and now only {}", list(&new));
            found.push(pair.finding(&rules::ENUM_NARROWED, message));
        }
        (Some(old), Some(new)) => {
            let without = |all: &[&'_ Value], others: &[&Value]| {
                let rest = all.iter().filter(|value| !others.contains(value));
                let rest: Vec<_> = rest.map(ToString::to_string).collect();
                rest.join(", ")
            };
            let (gone, added) = (without(&old, &new), without(&new, &old));
            if !gone.is_empty() {
                let message = format!("no longer accepts {gone}");
                found.push(pair.finding(&rules::ENUM_NARROWED, message));
            }
            if !added.is_empty() {
                let message = format!("now also accepts {added}");
                found.push(pair.finding(&rules::ENUM_WIDENED, message));
            }
        }
        (Some(_), None) => found.push(pair.finding(&rules::ENUM_WIDENED, "now accepts any value")),
        (None, None) => {}
    }
}

fn defaults(pair: &Pair, found: &mut Vec<Finding>) {
    let Some((old, new)) = pair.changed("default") else {
        return;
    };
    let (rule, message) = match (old, new) {
        (Some(old), None) => (
            &rules::DEFAULT_GONE,
            format!("the default {old} was removed"),
        ),
        (Some(old), Some(new)) => {
            let message = format!("the default changed from {old} to {new}");
            (&rules::DEFAULT_CHANGED, message)
        }
        (_, new) => {
            let new = new.map(ToString::to_string).unwrap_or_default();
            (
                &rules::DEFAULT_CHANGED,
                format!("the default {new} was added"),
            )
        }
    };
    found.push(pair.finding(rule, message));
}

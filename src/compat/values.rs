//! Comparison of enums, defaults and branches (`allOf`, `anyOf`, `not`, `oneOf`) at a place that
//! exists in the schemas of two CRDs.

use serde_json::Value;

use super::pair::Pair;
use crate::crd::finding::CrdProblem;
use crate::crd::node::{Node, Object};
use crate::diagnostic::lints::compat as rules;

/// Keywords whose schemas apply to the whole value, not to a part of it.
const BRANCHES: [&str; 4] = ["allOf", "anyOf", "not", "oneOf"];

/// Appends a finding for each change of the enum, the default, or a branch. A branch that only
/// accepts more values, or that repeats a part of the old `allOf`, is not reported. Finds nothing
/// if the type changed, which `shape` reports.
pub fn check(pair: &Pair, found: &mut Vec<CrdProblem>) {
    if pair.old.type_name() != pair.new.type_name() {
        return;
    }
    enums(pair, found);
    defaults(pair, found);
    for keyword in BRANCHES {
        if let Some((_, Some(_))) = pair.changed(keyword)
            && !pair.new.flag("x-kubernetes-int-or-string")
            && !only_widens(pair, keyword)
            && !moved(pair, keyword)
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

/// Returns true if a branch of the old `allOf` has the new value of a keyword.
fn moved(pair: &Pair, keyword: &str) -> bool {
    let new = pair.new.schema.get(keyword);
    let old = pair.old.conjuncts();
    old.iter().any(|schema| schema.get(keyword) == new)
}

/// Returns true if all values that matched still match: `anyOf` only gains branches, or every
/// branch of `allOf` repeats keywords of the old schema or of a branch of its `allOf`.
fn only_widens(pair: &Pair, keyword: &str) -> bool {
    let branches = |node: &Node| {
        let branches = node.schema.get(keyword).and_then(Value::as_array);
        branches.cloned().unwrap_or_default()
    };
    let (old, new) = (branches(&pair.old), branches(&pair.new));
    let conjuncts = pair.old.conjuncts();
    let is_implied = |branch: &Value| {
        let has = |schema: &&Object| {
            let mut keywords = branch.as_object().into_iter().flatten();
            keywords.all(|(keyword, value)| schema.get(keyword) == Some(value))
        };
        conjuncts.iter().any(has)
    };
    match keyword {
        "anyOf" => !old.is_empty() && old.iter().all(|branch| new.contains(branch)),
        "allOf" => new.iter().all(is_implied),
        _ => false,
    }
}

/// Returns the values that the enums of a schema and of the branches of its `allOf` have in common,
/// except null, which depends on `nullable`. `None` if there is no enum.
fn allowed<'a>(node: &Node<'a>) -> Option<Vec<&'a Value>> {
    let schemas = node.conjuncts().into_iter();
    let mut enums = schemas.filter_map(|schema| schema.get("enum")?.as_array());
    let mut values: Vec<_> = enums.next()?.iter().collect();
    values.retain(|value| !value.is_null());
    for other in enums {
        values.retain(|value| other.contains(value));
    }
    Some(values)
}

/// Reports values that an enum lost or gained. An enum in a branch of `allOf` counts like one in
/// the schema itself.
fn enums(pair: &Pair, found: &mut Vec<CrdProblem>) {
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

fn defaults(pair: &Pair, found: &mut Vec<CrdProblem>) {
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
        (None, Some(new)) => (
            &rules::DEFAULT_CHANGED,
            format!("the default {new} was added"),
        ),
        (None, None) => return,
    };
    found.push(pair.finding(rule, message));
}

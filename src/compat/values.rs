//! Comparison of enums, defaults and branches (`allOf`, `anyOf`, `not`, `oneOf`) at a place that
//! exists in the schemas of two CRDs.

use serde_json::Value;

use super::constraints::{AT_LEAST, AT_MOST};
use super::pair::Pair;
use crate::crd::finding::CrdProblem;
use crate::crd::node::{Node, Object};
use crate::diagnostic::lints::compat as rules;

/// Keywords whose schemas apply to the whole value, not to a part of it.
const BRANCHES: [&str; 4] = ["allOf", "anyOf", "not", "oneOf"];

/// Appends a finding for each change of the enum, the default, or a branch. A branch that only
/// accepts more values, or that moved out of the old `allOf`, is not reported. Finds nothing if the
/// type changed, which `shape` reports.
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
            let rule = if pair.is_container() {
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

/// Returns true if all values that matched still match: every old branch of `anyOf` implies a new
/// one, every new branch of `allOf` is implied by the old schema or a branch of its `allOf`, or the
/// new `not` implies the old one.
fn only_widens(pair: &Pair, keyword: &str) -> bool {
    fn branches<'a>(node: &Node<'a>, keyword: &str) -> Vec<&'a Object> {
        let branches = node.schema.get(keyword).and_then(Value::as_array);
        let branches = branches.into_iter().flatten();
        branches.filter_map(Value::as_object).collect()
    }
    let (old, new) = (branches(&pair.old, keyword), branches(&pair.new, keyword));
    let conjuncts = pair.old.conjuncts();
    match keyword {
        "anyOf" => !old.is_empty() && old.iter().all(|it| new.iter().any(|new| implies(it, new))),
        "allOf" => new
            .iter()
            .all(|new| conjuncts.iter().any(|it| implies(it, new))),
        "not" => match (pair.old.object(keyword), pair.new.object(keyword)) {
            (Some(old), Some(new)) => implies(new, old),
            _ => false,
        },
        _ => false,
    }
}

/// Returns true if every value that matches `narrow` also matches `wide`, as far as limits, enums,
/// required fields and equal keywords show it.
fn implies(narrow: &Object, wide: &Object) -> bool {
    wide.iter().all(|(keyword, wide)| {
        let Some(narrow) = narrow.get(keyword) else {
            return false;
        };
        if narrow == wide {
            return true;
        }
        match (keyword.as_str(), narrow.as_f64(), wide.as_f64()) {
            (limit, Some(narrow), Some(wide)) if AT_MOST.contains(&limit) => narrow <= wide,
            (limit, Some(narrow), Some(wide)) if AT_LEAST.contains(&limit) => narrow >= wide,
            ("enum", ..) => contains(wide, narrow),
            ("required", ..) => contains(narrow, wide),
            _ => false,
        }
    })
}

/// Returns true if a list has all items of another one. What is not a list has no items.
fn contains(all: &Value, some: &Value) -> bool {
    fn items(list: &Value) -> &[Value] {
        list.as_array().map_or(&[], Vec::as_slice)
    }
    items(some).iter().all(|item| items(all).contains(item))
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

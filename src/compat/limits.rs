//! Changes of numeric limits, lengths, patterns and formats.

use serde_json::Value;

use super::pair::Pair;
use crate::crd::finding::Finding;
use crate::crd::keywords::STRING_FORMATS;
use crate::crd::node::Node;
use crate::diagnostic::lints::compat as rules;

/// Keywords for upper limits, and those for lower limits.
const AT_MOST: [&str; 4] = ["maximum", "maxItems", "maxLength", "maxProperties"];
const AT_LEAST: [&str; 4] = ["minimum", "minItems", "minLength", "minProperties"];

/// Formats that include all values of another one: narrow, wide.
const WIDER: [(&str, &str); 2] = [("int32", "int64"), ("float", "double")];

/// Formats of numbers known to the API server or to client types.
const NUMBER_FORMATS: [&str; 4] = ["double", "float", "int32", "int64"];

/// Reports changed limits, if the type stays the same.
pub fn check(pair: &Pair, found: &mut Vec<Finding>) {
    if pair.old.kind() != pair.new.kind() {
        return;
    }
    let tighter = AT_MOST
        .iter()
        .filter(|keyword| is_tighter(pair, keyword, f64::lt));
    let higher = AT_LEAST
        .iter()
        .filter(|keyword| is_tighter(pair, keyword, f64::gt));
    let steps = ["multipleOf"];
    let steps = steps.iter().filter(|_| is_coarser(pair));
    let mut changed: Vec<_> = tighter.chain(higher).chain(steps).copied().collect();
    for (flag, limit) in [
        ("exclusiveMaximum", "maximum"),
        ("exclusiveMinimum", "minimum"),
    ] {
        let becomes = pair.new.flag(flag) && !pair.old.flag(flag);
        if becomes && pair.old.schema.contains_key(limit) && !changed.contains(&limit) {
            changed.push(flag);
        }
    }
    found.extend(changed.into_iter().map(|keyword| {
        let message = change(pair, keyword);
        pair.finding(&rules::LIMIT_TIGHTENED, message)
    }));
    text(pair, found);
}

fn limit(node: &Node, keyword: &str) -> Option<f64> {
    node.schema.get(keyword).and_then(Value::as_f64)
}

/// Returns true if a limit is new or tighter. Lengths always have the lower limit 0.
fn is_tighter(pair: &Pair, keyword: &str, is_closer: fn(&f64, &f64) -> bool) -> bool {
    let Some(new) = limit(&pair.new, keyword) else {
        return false;
    };
    let is_length = keyword.starts_with("min") && keyword != "minimum";
    let old = limit(&pair.old, keyword).or(is_length.then_some(0.0));
    old.is_none_or(|old| is_closer(&new, &old))
}

/// Returns true if some multiples of the old step are not multiples of the new one.
fn is_coarser(pair: &Pair) -> bool {
    let Some(new) = limit(&pair.new, "multipleOf").filter(|new| *new > 0.0) else {
        return false;
    };
    limit(&pair.old, "multipleOf").is_none_or(|old| (old / new).fract() != 0.0)
}

fn text(pair: &Pair, found: &mut Vec<Finding>) {
    if let Some((_, new)) = pair.changed("pattern") {
        let rule = match new {
            Some(_) => &rules::PATTERN_CHANGED,
            None => &rules::VALUES_WIDENED,
        };
        found.push(pair.finding(rule, change(pair, "pattern")));
    }
    // The API server ignores unknown formats.
    let is_known = |format: &Value| {
        let format = format.as_str();
        format.is_some_and(|it| STRING_FORMATS.contains(&it) || NUMBER_FORMATS.contains(&it))
    };
    if let Some((old, Some(new))) = pair.changed("format")
        && (is_known(new) || old.is_some_and(is_known))
    {
        let both = (old.and_then(Value::as_str), new.as_str());
        let is_wider = WIDER
            .iter()
            .any(|(old, new)| both == (Some(old), Some(new)));
        let is_narrower = pair.new.kind() == "integer" && both.1 == Some("int32");
        let rule = if is_wider {
            &rules::VALUES_WIDENED
        } else if is_narrower {
            &rules::FORMAT_NARROWED
        } else {
            &rules::FORMAT_CHANGED
        };
        found.push(pair.finding(rule, change(pair, "format")));
    }
}

/// Describes the change of a keyword.
fn change(pair: &Pair, keyword: &str) -> String {
    let (old, new) = (pair.old.schema.get(keyword), pair.new.schema.get(keyword));
    match (old, new) {
        (None, Some(new)) => format!("`{keyword}: {new}` was added"),
        (Some(old), Some(new)) => format!("`{keyword}` changed from {old} to {new}"),
        _ => format!("`{keyword}` was removed"),
    }
}

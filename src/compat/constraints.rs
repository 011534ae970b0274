//! Changes of numeric limits, lengths, patterns and formats.

use serde_json::Value;

use super::pair::Pair;
use crate::crd::check::value::is_multiple;
use crate::crd::finding::CrdProblem;
use crate::crd::keywords::STRING_FORMATS;
use crate::crd::node::{self, Node, Object};
use crate::diagnostic::lints::compat as rules;

/// Keywords for upper limits, and those for lower limits.
pub const AT_MOST: [&str; 4] = ["maximum", "maxItems", "maxLength", "maxProperties"];
pub const AT_LEAST: [&str; 4] = ["minimum", "minItems", "minLength", "minProperties"];

/// Formats that include all values of another one: narrow, wide.
const WIDER: [(&str, &str); 2] = [("int32", "int64"), ("float", "double")];

/// Formats of numbers known to the API server or to client types.
const NUMBER_FORMATS: [&str; 4] = ["double", "float", "int32", "int64"];

/// Reports changed limits, if the type stays the same.
pub fn check(pair: &Pair, found: &mut Vec<CrdProblem>) {
    if pair.old.type_name() != pair.new.type_name() {
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
    for (flag, limit, is_closer) in [
        (
            "exclusiveMaximum",
            "maximum",
            f64::lt as fn(&f64, &f64) -> bool,
        ),
        ("exclusiveMinimum", "minimum", f64::gt),
    ] {
        if !changed.contains(&limit) && excludes(pair, flag, limit, is_closer) {
            changed.push(flag);
        }
    }
    found.extend(changed.into_iter().map(|keyword| {
        let message = change(pair, keyword);
        pair.finding(&rules::LIMIT_TIGHTENED, message)
    }));
    string_limits(pair, found);
}

fn limit(schema: &Object, keyword: &str) -> Option<f64> {
    schema.get(keyword).and_then(Value::as_f64)
}

/// Returns the tightest value of a limit in a schema and in the branches of its `allOf`.
fn tightest(node: &Node, keyword: &str, is_closer: fn(&f64, &f64) -> bool) -> Option<f64> {
    let limits = node.conjuncts().into_iter();
    limits
        .filter_map(|schema| limit(schema, keyword))
        .reduce(|a, b| if is_closer(&b, &a) { b } else { a })
}

/// Returns true if a limit of the new schema is tighter than all limits of the old one. Lengths
/// always have the lower limit 0.
fn is_tighter(pair: &Pair, keyword: &str, is_closer: fn(&f64, &f64) -> bool) -> bool {
    let Some(new) = limit(pair.new.schema, keyword) else {
        return false;
    };
    let is_length = keyword.starts_with("min") && keyword != "minimum";
    let old = tightest(&pair.old, keyword, is_closer).or(is_length.then_some(0.0));
    old.is_none_or(|old| is_closer(&new, &old))
}

/// Returns true if the limit itself is no longer allowed. A limit that the old schema did not have
/// is reported by its own keyword.
fn excludes(pair: &Pair, flag: &str, keyword: &str, is_closer: fn(&f64, &f64) -> bool) -> bool {
    let Some(new) = limit(pair.new.schema, keyword).filter(|_| pair.new.flag(flag)) else {
        return false;
    };
    let Some(old) = tightest(&pair.old, keyword, is_closer) else {
        return false;
    };
    let was_excluded = |schema: &&Object| {
        let is_same = limit(schema, keyword).is_some_and(|old| old.total_cmp(&new).is_eq());
        is_same && node::flag(schema, flag)
    };
    !is_closer(&old, &new) && !pair.old.conjuncts().iter().any(was_excluded)
}

/// Returns true if some multiples of the old steps are not multiples of the new one.
fn is_coarser(pair: &Pair) -> bool {
    let Some(new) = limit(pair.new.schema, "multipleOf").filter(|new| *new > 0.0) else {
        return false;
    };
    let old = pair.old.conjuncts();
    let mut old = old.iter().filter_map(|it| limit(it, "multipleOf"));
    !old.any(|old| is_multiple(old, new))
}

/// Returns true if a schema or a branch of its `allOf` has a keyword with this value.
fn has(node: &Node, keyword: &str, value: &Value) -> bool {
    let schemas = node.conjuncts();
    schemas.iter().any(|it| it.get(keyword) == Some(value))
}

/// Compares `pattern` and `format`.
fn string_limits(pair: &Pair, found: &mut Vec<CrdProblem>) {
    if let Some((old, new)) = pair.changed("pattern") {
        let is_narrower = new.is_some_and(|new| !has(&pair.old, "pattern", new));
        let is_wider = old.is_some_and(|old| !has(&pair.new, "pattern", old));
        let rule = match (is_narrower, is_wider) {
            (true, _) => Some(&rules::PATTERN_CHANGED),
            (false, true) => Some(&rules::VALUES_WIDENED),
            // The pattern moved between the schema and its `allOf`.
            (false, false) => None,
        };
        found.extend(rule.map(|rule| pair.finding(rule, change(pair, "pattern"))));
    }
    // The API server ignores unknown formats.
    let is_known = |format: &Value| {
        let format = format.as_str();
        format.is_some_and(|it| STRING_FORMATS.contains(&it) || NUMBER_FORMATS.contains(&it))
    };
    if let Some((old, Some(new))) = pair.changed("format")
        && !has(&pair.old, "format", new)
        && is_known(new)
    {
        let both = (old.and_then(Value::as_str), new.as_str());
        let is_int32 = pair.new.type_name() == "integer" && both.1 == Some("int32");
        if is_int32 && fits_int32(&pair.old) {
            return;
        }
        let is_wider = WIDER
            .iter()
            .any(|(old, new)| both == (Some(old), Some(new)));
        let rule = if is_wider {
            &rules::VALUES_WIDENED
        } else if is_int32 {
            &rules::FORMAT_NARROWED
        } else {
            &rules::FORMAT_CHANGED
        };
        found.push(pair.finding(rule, change(pair, "format")));
    }
}

/// Returns true if the limits of a schema allow only integers of 32 bits.
fn fits_int32(node: &Node) -> bool {
    let lowest = tightest(node, "minimum", f64::gt);
    let highest = tightest(node, "maximum", f64::lt);
    lowest.is_some_and(|it| it >= f64::from(i32::MIN))
        && highest.is_some_and(|it| it <= f64::from(i32::MAX))
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

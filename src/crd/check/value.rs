//! Checks that a value matches a schema, as the API server does for defaults.

use serde_json::Value;

use crate::crd::node::{Object, flag};
use crate::crd::pattern::Pattern;

/// Returns why a value does not match a schema, as the predicate of a sentence about it; `None` if
/// it matches. `at` is the path of the part that is checked, such as `.ports[0]`; empty for the
/// whole value.
pub fn misfit(value: &Value, schema: &Object, at: &str) -> Option<String> {
    if value.is_null() {
        if !flag(schema, "nullable") {
            return Some(format!("{}is null", name(at)));
        }
        // The API server skips nulls in the list of allowed values, so a null never matches.
        let has_enum = schema.contains_key("enum");
        return has_enum.then(|| {
            format!(
                "{}is null, which the API server rejects for an enum",
                name(at)
            )
        });
    }
    let kind = schema
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if !has_type(value, kind, flag(schema, "x-kubernetes-int-or-string")) {
        return Some(format!("{}is not of the type `{kind}`", name(at)));
    }
    scalar(value, schema)
        .map(|why| format!("{}{why}", name(at)))
        .or_else(|| branches(value, schema, at))
        .or_else(|| inside(value, schema, at))
}

fn name(at: &str) -> String {
    if at.is_empty() {
        String::new()
    } else {
        format!("`{at}` ")
    }
}

fn has_type(value: &Value, kind: &str, int_or_string: bool) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|n| n.fract() == 0.0),
        _ => !int_or_string || value.is_string() || has_type(value, "integer", false),
    }
}

fn scalar(value: &Value, schema: &Object) -> Option<String> {
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.iter().any(|allowed| same(allowed, value))
    {
        let allowed: Vec<_> = allowed.iter().map(Value::to_string).collect();
        return Some(format!("is not one of {}", allowed.join(", ")));
    }
    let limit = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    if let Some(n) = value.as_f64() {
        let below = |least: f64| n < least || (flag(schema, "exclusiveMinimum") && n <= least);
        let above = |most: f64| n > most || (flag(schema, "exclusiveMaximum") && n >= most);
        if let Some(least) = limit("minimum").filter(|least| below(*least)) {
            return Some(format!("is less than the minimum, {least}"));
        }
        if let Some(most) = limit("maximum").filter(|most| above(*most)) {
            return Some(format!("is more than the maximum, {most}"));
        }
        if let Some(step) = limit("multipleOf").filter(|step| *step > 0.0 && !is_multiple(n, *step))
        {
            return Some(format!("is not a multiple of {step}"));
        }
    }
    let (count, least, most) = match value {
        Value::String(text) => (text.chars().count(), "minLength", "maxLength"),
        Value::Array(items) => (items.len(), "minItems", "maxItems"),
        Value::Object(fields) => (fields.len(), "minProperties", "maxProperties"),
        _ => return None,
    };
    #[expect(clippy::cast_precision_loss, reason = "a length")]
    let count = count as f64;
    for (keyword, breaks) in [(least, f64::lt as fn(&f64, &f64) -> bool), (most, f64::gt)] {
        if let Some(limit) = limit(keyword).filter(|limit| breaks(&count, limit)) {
            return Some(format!("violates `{keyword}: {limit}`"));
        }
    }
    let pattern = schema.get("pattern")?.as_str()?;
    let text = value.as_str()?;
    // An invalid pattern is reported at its schema.
    let matches = Pattern::parse(pattern).ok()?.is_match(text)?;
    (!matches).then(|| format!("does not match `{pattern}`"))
}

/// Reports whether `n` is a multiple of `step`, which is positive. Like the API server, allows for
/// a relative rounding error of 1e-9: 0.3 / 0.1 is less than 3.
pub fn is_multiple(n: f64, step: f64) -> bool {
    let times = n / step;
    let whole = times.round();
    (times - whole).abs() <= 1e-9 * whole.abs()
}

/// Compares values; equal numbers may have different notations, such as 1 and 1.0.
fn same(a: &Value, b: &Value) -> bool {
    a == b || matches!((a.as_f64(), b.as_f64()), (Some(a), Some(b)) if (a - b).abs() < f64::EPSILON)
}

/// Checks a value against the branches of `allOf`, `anyOf`, `oneOf` and `not`.
fn branches(value: &Value, schema: &Object, at: &str) -> Option<String> {
    let fitting = |keyword: &str| {
        let branches = schema.get(keyword)?.as_array()?;
        let branches: Vec<_> = branches.iter().filter_map(Value::as_object).collect();
        let fitting = branches
            .iter()
            .filter(|branch| misfit_of_branch(value, branch, at).is_none())
            .count();
        Some((fitting, branches.len()))
    };
    if let Some((fitting, all)) = fitting("allOf")
        && fitting < all
    {
        return Some(format!("{}does not match all of `allOf`", name(at)));
    }
    if fitting("anyOf").is_some_and(|(fitting, _)| fitting == 0) {
        return Some(format!("{}matches no branch of `anyOf`", name(at)));
    }
    if let Some((fitting, _)) = fitting("oneOf").filter(|(fitting, _)| *fitting != 1) {
        return Some(format!(
            "{}matches {fitting} branches of `oneOf`, but must match exactly one",
            name(at)
        ));
    }
    let not = schema.get("not")?.as_object()?;
    misfit_of_branch(value, not, at)
        .is_none()
        .then(|| format!("{}matches the schema in `not`", name(at)))
}

/// Checks a value against a branch. A branch declares no fields, so any field is allowed.
fn misfit_of_branch(value: &Value, branch: &Object, at: &str) -> Option<String> {
    let mut open = branch.clone();
    open.insert("x-kubernetes-preserve-unknown-fields".into(), true.into());
    misfit(value, &open, at)
}

fn inside(value: &Value, schema: &Object, at: &str) -> Option<String> {
    match value {
        Value::Array(items) => {
            let schema = schema.get("items")?.as_object()?;
            items
                .iter()
                .enumerate()
                .find_map(|(n, item)| misfit(item, schema, &format!("{at}[{n}]")))
        }
        Value::Object(fields) => fields_misfit(fields, schema, at),
        _ => None,
    }
}

fn fields_misfit(fields: &Object, schema: &Object, at: &str) -> Option<String> {
    let required = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let missing = required
        .into_iter()
        .filter_map(Value::as_str)
        .find(|name| !fields.contains_key(*name));
    if let Some(missing) = missing {
        return Some(format!("{}lacks `{missing}`", name(at)));
    }
    let open = flag(schema, "x-kubernetes-preserve-unknown-fields");
    let values = schema.get("additionalProperties");
    fields.iter().find_map(|(key, value)| {
        let at = format!("{at}.{key}");
        let known = schema
            .get("properties")
            .and_then(|fields| fields.get(key))
            .or(values);
        match known {
            Some(Value::Object(schema)) => misfit(value, schema, &at),
            Some(Value::Bool(true)) => None,
            _ if open => None,
            _ => Some(format!("`{at}` is not a field")),
        }
    })
}

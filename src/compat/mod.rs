//! Checks whether a CRD can replace another one: the effects of its changes on stored objects and
//! existing clients. The comparison takes two CRDs and returns findings; only [`baseline`] performs
//! I/O.
//!
//! The findings reflect the behavior of the API server. Since 1.33, it tolerates a value that
//! violates a new limit as long as the value does not change (ratcheting). So a limit on a string
//! or number affects only new values, and existing objects can still be edited. A rule on an
//! object, however, is evaluated whenever any part of the object changes. `testdata/changes.yaml`
//! has a pair of CRDs and an object for each finding, and a test applies all of them to a real API
//! server.

pub mod baseline;
mod constraints;
mod lists;
mod pair;
mod shape;
mod validations;
mod values;
mod versions;

use serde_json::{Number, Value};

use crate::crd::finding::CrdProblem;
use crate::diagnostic::lints::compat::{Harm, harm};

/// Returns the effects of replacing `old` with `new`, as warnings of rules in `lints::compat`. Each
/// message states the change and its harm. `old` may be the CRD of a cluster, including its status,
/// which names the versions in which objects are stored.
pub fn compare(old: &Value, new: &Value) -> Vec<CrdProblem> {
    let (old, new) = (&with_whole_numbers(old), &with_whole_numbers(new));
    let mut found = Vec::new();
    versions::check(old, new, &mut found);
    for (before, after) in versions::pairs(old, new) {
        let start = found.len();
        let pair = pair::Pair::root(before, after);
        pair.visit(&mut |pair| {
            shape::check(pair, &mut found);
            constraints::check(pair, &mut found);
            values::check(pair, &mut found);
            lists::check(pair, &mut found);
            validations::check(pair, &mut found);
        });
        for finding in &mut found[start..] {
            finding.version = after["name"].as_str().map(str::to_owned);
        }
    }
    for finding in &mut found {
        let harm = finding.lint.map_or(Harm::Care, harm);
        finding.message = format!("{}, which {harm}", finding.message);
    }
    found
}

/// Replaces numbers such as 3.0 by 3, because tools that read and write CRDs convert between the
/// two notations.
fn with_whole_numbers(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter();
            fields
                .map(|(key, value)| (key.clone(), with_whole_numbers(value)))
                .collect()
        }
        Value::Array(items) => items.iter().map(with_whole_numbers).collect(),
        Value::Number(number) => whole(number).map_or_else(|| value.clone(), Value::from),
        _ => value.clone(),
    }
}

fn whole(number: &Number) -> Option<i64> {
    let text = number
        .is_f64()
        .then(|| number.as_f64().map(|it| it.to_string()))?;
    text?.parse().ok()
}

#[cfg(test)]
mod tests;

//! Whether a CRD may take the place of another one: what its change does to the objects that are stored and to
//! the clients that exist. Two CRDs go in, findings come out; [`before`] alone reads anything.
//!
//! What is said follows what the API server does. Since 1.33 it lets a value pass that breaks a new limit as
//! long as nobody changes it (ratcheting), so a limit on a text or a number stops those who write, and objects stay
//! editable; a rule on an object is asked again as soon as anything in it changes. `testdata/changes.yaml` has a pair
//! of CRDs and an object for each rule, and a test tries them all on the API server.

pub mod before;
mod limits;
mod lists;
mod pair;
mod shape;
mod validations;
mod values;
mod versions;

use serde_json::{Number, Value};

use crate::crd::finding::Finding;
use crate::diagnostic::lints::compat::{Harm, harm};

/// All that a change of a CRD does. `old` may be the CRD of a cluster, with its status.
pub fn compare(old: &Value, new: &Value) -> Vec<Finding> {
    let (old, new) = (&with_whole_numbers(old), &with_whole_numbers(new));
    let mut found = Vec::new();
    versions::check(old, new, &mut found);
    for (before, after) in versions::pairs(old, new) {
        let start = found.len();
        let pair = pair::Pair::root(before, after);
        pair.visit(&mut |pair| {
            shape::check(pair, &mut found);
            limits::check(pair, &mut found);
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

/// The same value with 3 for 3.0: who reads and writes CRDs turns the one into the other.
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

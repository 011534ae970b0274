//! Tests rustop's findings for a table of changes. The header of `testdata/changes.yaml` explains
//! its columns. `tests/cluster/against.rs` checks the table against a real API server.

use super::*;
use crate::diagnostic::lints::compat::{CRD_GONE, LINTS};

#[path = "testdata/changes.rs"]
#[allow(dead_code, reason = "objects are for the API server")]
mod changes;

#[test]
fn every_change_is_reported_by_the_expected_rules_and_harm() {
    let mut wrong = Vec::new();
    for (number, change) in changes::table().iter().enumerate() {
        let (old, new) = (changes::old(number, change), changes::new(number, change));
        let found = compare(&old, &new);
        let mut rules: Vec<_> = found
            .iter()
            .filter_map(|it| it.lint)
            .map(|it| it.id)
            .collect();
        rules.sort_unstable();
        rules.dedup();
        let expected = changes::rules(change);
        let worst = found
            .iter()
            .filter_map(|it| it.lint)
            .map(harm)
            .max()
            .unwrap_or(Harm::Care);
        // The table gives the outcome at the API server. A `hidden` effect concerns typed clients
        // only.
        let harm = match (case_text(change, "hidden"), changes::outcome(change)) {
            ("clients", _) | ("", "stranger" | "unapplied") => Harm::Clients,
            ("", "fine") => Harm::Care,
            _ => Harm::Stored,
        };
        if rules != expected || worst != harm {
            let messages: Vec<_> = found.iter().map(|it| (&it.path, &it.message)).collect();
            wrong.push(format!(
                "{}: {expected:?}, found {messages:#?}",
                change["name"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn case_text<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key].as_str().unwrap_or_default()
}

#[test]
fn the_table_of_changes_covers_every_rule() {
    let table = changes::table();
    let tried: Vec<_> = table.iter().flat_map(changes::rules).collect();
    for rule in LINTS.iter().filter(|rule| rule.id != CRD_GONE.id) {
        assert!(
            tried.contains(&rule.id.to_owned()),
            "no change in the table triggers {}",
            rule.id
        );
    }
}

#[test]
fn an_unchanged_crd_has_no_findings() {
    for (number, change) in changes::table().iter().enumerate() {
        for crd in [changes::old(number, change), changes::new(number, change)] {
            assert_eq!(compare(&crd, &crd), [], "{}", change["name"]);
        }
    }
}

#[test]
fn a_rename_is_suggested_for_a_new_field_of_the_same_type() {
    let change = serde_yaml::from_str(
        "{ name: renamed, old: { fields: { size: { type: string } } }, new: { fields: { length: { type: string } } } }",
    );
    let change: Value = change.unwrap();
    let found = compare(&changes::old(0, &change), &changes::new(0, &change));
    let [one] = &found[..] else {
        panic!("{found:#?}");
    };
    assert_eq!(
        (one.path.as_str(), &one.fields[..]),
        (".spec.size", &["spec".to_owned(), "size".to_owned()][..])
    );
    assert!(one.help.as_ref().unwrap().contains("`length`"), "{one:?}");
    assert_eq!(
        one.message,
        "the field was removed, which breaks stored objects"
    );
}

#[test]
fn equal_numbers_in_different_notation_are_not_a_change() {
    let side = |three: &str| {
        let field = format!(
            "{{ type: number, maximum: {three}, default: {three}, not: {{ enum: [{three}] }} }}"
        );
        let change = format!("{{ name: three, old: {{ fields: {{ size: {field} }} }} }}");
        let change: Value = serde_yaml::from_str(&change).unwrap();
        changes::old(0, &change)
    };
    assert_eq!(compare(&side("3"), &side("3.0")), []);
}

//! Tests rustop's findings for a table of changes. `tests/cluster/against.rs` checks the table against a real API
//! server.

use super::*;
use crate::diagnostic::lints::compat::{CRD_GONE, LINTS};

#[path = "testdata/changes.rs"]
#[allow(dead_code, reason = "objects are for the API server")]
mod changes;

#[test]
fn each_change_of_the_table_is_found_by_its_rules_and_does_the_harm_that_they_name() {
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
fn every_rule_is_in_the_table_of_changes() {
    let table = changes::table();
    let tried: Vec<_> = table.iter().flat_map(changes::rules).collect();
    for rule in LINTS.iter().filter(|rule| rule.id != CRD_GONE.id) {
        assert!(
            tried.contains(&rule.id.to_owned()),
            "{} is not tried",
            rule.id
        );
    }
}

#[test]
fn a_crd_that_stays_as_it_is_breaks_nothing() {
    for (number, change) in changes::table().iter().enumerate() {
        for crd in [changes::old(number, change), changes::new(number, change)] {
            assert_eq!(compare(&crd, &crd), [], "{}", change["name"]);
        }
    }
}

#[test]
fn a_removed_field_beside_a_new_one_of_its_form_may_have_been_renamed() {
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
fn three_is_three_however_it_is_written() {
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

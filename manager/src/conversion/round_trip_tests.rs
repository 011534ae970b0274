//! Tests that the round-trip test finds errors in conversions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::from_value;

use super::*;
use crate::conversion::{cows::versions, databases::databases};

/// Returns the round-trip test of the cows, with these fields of v1alpha1.
fn cows(fields: &Value) -> RoundTrip {
    let version = |name: &str, fields: &Value| {
        let spec = json!({"type": "object", "properties": fields, "required": ["loud", "volume"]});
        let status = json!({"type": "object", "required": ["seen"], "properties": {"seen": {"type": "integer"}}});
        json!({"name": name, "served": true, "storage": name == "v1", "schema": {"openAPIV3Schema":
            {"type": "object", "properties": {"spec": spec, "status": status}}}})
    };
    let text = json!({"type": "string", "nullable": true});
    let volume = json!({"type": "integer", "format": "uint8"});
    let moods = json!({"type": "array", "items": {"type": "string"}});
    let crd = json!({"metadata": {"name": "cows.my.domain"}, "spec": {"group": "my.domain", "scope": "Cluster",
        "names": {"kind": "Cow", "plural": "cows"}, "versions": [
            version("v1alpha1", fields),
            version("v1beta1", &json!({"message": text, "volume": volume, "herd": text})),
            version("v1", &json!({"text": text, "volume": volume, "moods": moods}))]}});
    RoundTrip::new(versions(), vec![from_value(crd).unwrap()])
}

fn fields() -> Value {
    let text = json!({"type": "string", "nullable": true});
    json!({"message": text, "loud": {"type": "boolean"}, "herd": text})
}

fn all_but_the_volume(round_trip: RoundTrip) -> RoundTrip {
    let round_trip = round_trip.kept("v1", "spec.moods");
    round_trip
        .kept("v1alpha1", "spec.herd")
        .kept("v1beta1", "spec.herd")
}

fn failure(round_trip: RoundTrip) -> String {
    let result = catch_unwind(AssertUnwindSafe(|| round_trip.check()));
    *result.unwrap_err().downcast::<String>().unwrap()
}

#[test]
fn the_test_passes_if_all_preserved_fields_are_declared() {
    let round_trip = all_but_the_volume(cows(&fields()));
    let round_trip = round_trip.kept("v1", "spec.volume");
    round_trip.kept("v1beta1", "spec.volume").check();
}

#[test]
fn unconverted_fields_are_named() {
    let text = failure(all_but_the_volume(cows(&fields())).kept("v1", "spec.volumes"));
    assert!(text.contains("`spec.volume` of v1"), "{text}");
    assert!(
        text.contains("after conversion to v1alpha1 and back"),
        "{text}"
    );
    assert!(
        text.contains(".kept(\"v1") && text.contains("CONVERSION_SEED="),
        "{text}"
    );
}

#[test]
fn conversion_errors_are_shown() {
    let mut fields = fields();
    fields["message"] = json!({"type": "string", "enum": ["unspeakable"]});
    let mut round_trip = all_but_the_volume(cows(&fields));
    round_trip.schemas.get_mut("v1alpha1").unwrap();
    let text = failure(round_trip);
    assert!(
        text.contains("cannot convert Cow from v1alpha1 to v1beta1"),
        "{text}"
    );
    assert!(
        text.contains("spec: `message` cannot be expressed"),
        "{text}"
    );
}

#[test]
fn fields_with_a_pattern_need_samples() {
    let mut fields = fields();
    fields["message"] = json!({"type": "string", "pattern": "^moo$"});
    let text = failure(cows(&fields));
    assert!(
        text.contains(".samples(\"v1alpha1\", \"spec.message\", [..])"),
        "{text}"
    );
    let round_trip = cows(&fields).samples("v1alpha1", "spec.message", ["moo"]);
    let round_trip = all_but_the_volume(round_trip).kept("v1", "spec.volume");
    round_trip.kept("v1beta1", "spec.volume").check();
}

#[test]
fn single_fields_of_list_items_can_be_declared() {
    let databases = || {
        let (versions, crd) = databases();
        let round_trip = RoundTrip::new(versions, vec![crd]);
        // fields that the conversion merges, narrows or omits on purpose
        let old = ["engine", "replicas", "backup.targets"].into_iter();
        let round_trip = old.fold(round_trip, |round_trip, field| {
            round_trip.kept("v1alpha1", &format!("spec.{field}"))
        });
        round_trip
            .kept("v1", "spec.labels")
            .samples("v1", "spec.address", ["a.my.domain:1"])
            .samples("v1alpha1", "spec.storage.size", [json!("1Gi"), json!(2)])
            .samples(
                "v1alpha1",
                "spec.users",
                [json!([
                    {"name": "jane", "role": "admin", "comment": "x"},
                    {"name": "joe", "role": "guest"},
                ])],
            )
    };
    let text = failure(databases());
    assert!(
        text.contains("`spec.users[].comment` of v1alpha1 was \"x\""),
        "{text}"
    );
    assert!(!text[..200].contains("guest"), "{text}");
    databases().kept("v1alpha1", "spec.users[].comment").check();
    let text = failure(databases().kept("v1alpha1", "spec.users[].name"));
    assert!(text.contains("`spec.users[].comment`"), "{text}");
}

#[test]
fn preserved_paths_include_nested_fields() {
    for (kept, path, is) in [
        ("spec.a", "spec.a", true),
        ("spec.a", "spec.a.b", true),
        ("spec.a", "spec.a[].b", true),
        ("spec.a[].b", "spec.a[].b", true),
        ("spec.a[].b", "spec.a[].c", false),
        ("spec.a", "spec.ab", false),
        ("spec.a.b", "spec.a", false),
        ("spec.m.*.b", "spec.m.*.b", true),
    ] {
        assert_eq!(holds(kept, path), is, "{kept} {path}");
    }
}

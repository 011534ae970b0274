//! What an object becomes, what is kept of it, and what comes back.

use serde_json::json;

use super::*;
use crate::conversion::cows;

fn convert(object: &Value, to: &str) -> Result<Value, String> {
    cows().convert(object.as_object().unwrap().clone(), to)
}

fn cow(version: &str, spec: &Value) -> Value {
    json!({"apiVersion": format!("my.domain/{version}"), "kind": "Cow", "metadata": {"name": "c"}, "spec": spec})
}

/// What is kept of one field of a version.
fn kept(object: &Value, version: &str, field: &str) -> Value {
    let name = format!("{version}.webhook-conversion/{field}");
    let text = &object["metadata"]["annotations"][name];
    serde_json::from_str(text.as_str().unwrap()).unwrap()
}

#[test]
fn the_way_leads_through_every_version_between() {
    let old = json!({"message": "moo", "loud": true});
    let mut old = cow("v1alpha1", &old);
    old["status"] = json!({"seen": 3});
    let new = convert(&old, "v1").unwrap();
    assert_eq!(new["apiVersion"], "my.domain/v1");
    assert_eq!(new["spec"], json!({"text": "moo", "volume": 11}));
    assert_eq!(new["status"], json!({"seen": 3}));
    assert_eq!(new["metadata"], json!({"name": "c"}), "nothing to keep");
    assert_eq!(convert(&new, "v1alpha1").unwrap(), old);
    assert_eq!(convert(&old, "v1alpha1").unwrap(), old);
}

#[test]
fn what_the_older_version_cannot_hold_comes_back() {
    let mut new = cow(
        "v1",
        &json!({"text": "moo", "volume": 7, "moods": ["glad", "sad"]}),
    );
    new["metadata"]["annotations"] = json!({"mine": "x"});
    let old = convert(&new, "v1alpha1").unwrap();
    assert_eq!(old["spec"], json!({"message": "moo", "loud": true}));
    assert_eq!(old["metadata"]["annotations"]["mine"], "x");
    assert_eq!(
        kept(&old, "v1", "spec.moods"),
        json!({"path": "/spec/moods", "was": ["glad", "sad"]})
    );
    assert_eq!(
        kept(&old, "v1", "spec.volume"),
        json!({"path": "/spec/volume", "was": 7, "became": 11})
    );
    assert_eq!(convert(&old, "v1").unwrap(), new);
}

#[test]
fn what_the_newer_version_cannot_hold_comes_back_too() {
    let old = cow(
        "v1alpha1",
        &json!({"message": "moo", "loud": false, "herd": "north"}),
    );
    let new = convert(&old, "v1").unwrap();
    assert_eq!(
        kept(&new, "v1alpha1", "spec.herd"),
        json!({"path": "/spec/herd", "was": "north"})
    );
    assert_eq!(convert(&new, "v1alpha1").unwrap(), old);
}

#[test]
fn who_changes_it_has_the_last_word() {
    let new = cow(
        "v1",
        &json!({"text": "moo", "volume": 7, "moods": ["glad"]}),
    );
    let mut old = convert(&new, "v1alpha1").unwrap();
    old["spec"]["message"] = json!("MOO");
    let both = convert(&old, "v1").unwrap();
    assert_eq!(
        both["spec"],
        json!({"text": "MOO", "volume": 7, "moods": ["glad"]})
    );
    old["spec"]["loud"] = json!(false);
    let changed = convert(&old, "v1").unwrap();
    assert_eq!(
        changed["spec"],
        json!({"text": "MOO", "volume": 3, "moods": ["glad"]})
    );
}

#[test]
fn what_is_kept_of_one_version_survives_the_others() {
    let old = cow(
        "v1alpha1",
        &json!({"message": "moo", "loud": true, "herd": "north"}),
    );
    let mut new = convert(&old, "v1").unwrap();
    new["spec"]["moods"] = json!(["glad"]);
    let between = convert(&new, "v1beta1").unwrap();
    assert_eq!(convert(&between, "v1").unwrap(), new);
    let mut old = old;
    let back = convert(&new, "v1alpha1").unwrap();
    assert_eq!(back["spec"], old["spec"]);
    old["metadata"] = back["metadata"].clone();
    assert_eq!(convert(&back, "v1").unwrap(), new);
}

#[test]
fn a_field_without_a_value_and_a_round_number_are_no_difference() {
    let old = cow(
        "v1alpha1",
        &json!({"message": null, "loud": false, "herd": null}),
    );
    assert_eq!(
        convert(&old, "v1").unwrap()["metadata"],
        json!({"name": "c"})
    );
    let lost =
        |was: Value, normal: Value, became: Value| kept::differences(&was, &normal, &became).len();
    let round = json!({"a": [{"b": 1.0}]});
    assert_eq!(
        lost(json!({"a": [{"b": 1, "c": null}]}), round.clone(), round),
        0
    );
    assert_eq!(lost(json!({"a": 1}), json!({"a": 1}), json!({"a": "1"})), 1);
}

#[test]
fn what_the_type_itself_leaves_out_is_no_difference() {
    for was in [json!([]), json!({}), json!(false), json!(0), json!("")] {
        let was = json!({"a": was, "list": [{"a": was}]});
        let normal = json!({"list": [{}]});
        assert_eq!(kept::differences(&was, &normal, &normal), []);
        // Another version may tell it from nothing, and then something is lost.
        assert_eq!(kept::differences(&was, &was, &normal).len(), 2, "{was}");
    }
    let unknown = json!({"a": "x"});
    assert_eq!(kept::differences(&unknown, &json!({}), &json!({})).len(), 1);
}

#[test]
fn names_with_slashes_are_found_again() {
    let was = json!({"a/b": {"c~d": 1}, "same": 1});
    let lost = kept::differences(&was, &was, &json!({"a/b": {}, "same": 1, "more": 2}));
    assert_eq!(lost[0].path, "/a~1b/c~0d");
    let mut kept = Kept::default();
    kept.remember("v1", lost.clone());
    let mut back = json!({"a/b": {}, "same": 1, "more": 2});
    kept.restore("v1", &mut back);
    assert_eq!(back, was);
    // Where somebody took away all around it, it has no place any more.
    let mut kept = Kept::default();
    kept.remember("v1", lost.clone());
    let mut gone = json!({"same": 1});
    kept.restore("v1", &mut gone);
    assert_eq!(gone, json!({"same": 1}));
}

#[test]
fn annotations_have_names_that_are_allowed() {
    let long = format!("/spec/{}", "deep/".repeat(20));
    for path in ["/spec/volume", "/spec/a~1b ü", "/spec/~0", &long] {
        let mut kept = Kept::default();
        let one = json!({"path": path, "was": 1});
        kept.remember("v1", vec![serde_json::from_value(one).unwrap()]);
        let mut object = Map::new();
        kept.put(&mut object).unwrap();
        let annotations = object["metadata"]["annotations"].as_object().unwrap();
        let name = annotations.keys().next().unwrap();
        let name = name.strip_prefix("v1.webhook-conversion/").unwrap();
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        assert!(name.len() <= 63 && name.chars().all(fits), "{name}");
        let ends = |c: char| c.is_ascii_alphanumeric();
        assert!(name.starts_with(ends) && name.ends_with(ends), "{name}");
        assert_eq!(Kept::take(&mut object).of("v1")[0].path, path);
    }
}

#[test]
fn an_annotation_that_somebody_broke_keeps_nothing_back() {
    for text in ["", "{", "[1]", "{\"was\": 3}"] {
        let mut old = cow("v1alpha1", &json!({"loud": true}));
        old["metadata"]["annotations"] = json!({"v1.webhook-conversion/spec.moods": text});
        let new = convert(&old, "v1").unwrap();
        assert_eq!(new["metadata"], json!({"name": "c"}), "{text}");
    }
}

#[test]
fn more_than_annotations_can_hold_is_an_error_that_names_the_field() {
    let moods = ["sad".repeat(100_000)];
    let new = cow("v1", &json!({"volume": 11, "moods": moods}));
    let error = convert(&new, "v1alpha1").unwrap_err();
    assert!(
        error.contains("may have 262144") && error.contains("`spec.moods` of v1"),
        "{error}"
    );
}

#[test]
fn an_object_that_does_not_fit_is_an_error_that_names_the_field() {
    for (spec, error) in [
        (
            json!({"loud": "yes"}),
            "spec.loud: invalid type: string \"yes\", expected a boolean",
        ),
        (json!({"message": "moo"}), "spec: missing field `loud`"),
        (
            json!({"loud": true, "message": "unspeakable"}),
            "spec: `message` cannot be said",
        ),
        (
            json!([]),
            "spec: invalid length 0, expected struct CowSpec with 3 elements",
        ),
    ] {
        assert_eq!(convert(&cow("v1alpha1", &spec), "v1").unwrap_err(), error);
    }
    let error = convert(&cow("v2", &json!({})), "v1").unwrap_err();
    assert_eq!(error, "`v2` is none of the versions v1alpha1, v1beta1, v1");
    let odd = json!({"apiVersion": 3, "spec": {}});
    assert!(convert(&odd, "v1").is_err());
}

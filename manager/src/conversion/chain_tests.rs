//! Tests of conversions, preserved fields, and round trips.

use serde_json::json;

use super::*;
use crate::conversion::cows;

fn convert(object: &Value, to: &str) -> Result<Value, String> {
    cows().convert(object.as_object().unwrap().clone(), to, drop)
}

fn cow(version: &str, spec: &Value) -> Value {
    json!({"apiVersion": format!("my.domain/{version}"), "kind": "Cow", "metadata": {"name": "c"}, "spec": spec})
}

/// Returns the preserved value of one field of a version.
fn kept(object: &Value, version: &str, field: &str) -> Value {
    let name = format!("{version}.webhook-conversion/{field}");
    let text = &object["metadata"]["annotations"][name];
    serde_json::from_str(text.as_str().unwrap()).unwrap()
}

#[test]
fn conversions_pass_through_all_versions_between() {
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
fn fields_missing_in_the_older_version_are_restored() {
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
        kept(&old, "v1beta1", "spec.volume"),
        json!({"path": "/spec/volume", "was": 7, "became": 11})
    );
    assert_eq!(convert(&old, "v1").unwrap(), new);
}

#[test]
fn fields_missing_in_the_newer_version_are_restored() {
    let old = cow(
        "v1alpha1",
        &json!({"message": "moo", "loud": false, "herd": "north"}),
    );
    let new = convert(&old, "v1").unwrap();
    assert_eq!(
        kept(&new, "v1beta1", "spec.herd"),
        json!({"path": "/spec/herd", "was": "north"})
    );
    assert_eq!(convert(&new, "v1alpha1").unwrap(), old);
}

#[test]
fn preserved_fields_are_visible_in_every_version_that_has_them() {
    let old = cow(
        "v1alpha1",
        &json!({"message": "moo", "loud": false, "herd": "north"}),
    );
    let stored = convert(&old, "v1").unwrap();
    let mut between = convert(&stored, "v1beta1").unwrap();
    assert_eq!(between["spec"]["herd"], "north");
    between["spec"]["herd"] = json!("south");
    let stored = convert(&between, "v1").unwrap();
    let old = convert(&stored, "v1alpha1").unwrap();
    assert_eq!(old["spec"]["herd"], "south");
}

#[test]
fn changes_override_preserved_fields() {
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
fn preserved_fields_survive_further_conversions() {
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
fn equal_numbers_in_other_notations_do_not_differ() {
    let lost = |was: Value, normal: Value, became: Value| {
        differences(&was, &normal, &became, None, Items::Keyed).len()
    };
    let round = json!({"a": [{"b": 1.0}]});
    assert_eq!(lost(json!({"a": [{"b": 1}]}), round.clone(), round), 0);
    assert_eq!(lost(json!({"a": 1}), json!({"a": 1}), json!({"a": "1"})), 1);
}

#[test]
fn deeply_nested_values_are_compared() {
    let nested = |n: u32| (0..100).fold(json!(n), |inside, _| json!({"a": inside}));
    let lost = |a: &Value, b: &Value| differences(a, a, b, None, Items::Keyed);
    assert_eq!(lost(&nested(1), &nested(1)), []);
    assert_eq!(lost(&nested(1), &nested(2))[0].path, "/a".repeat(100));
}

#[test]
fn values_that_the_type_normalizes_do_not_differ() {
    let found = |was: &Value, normal: &Value, became: &Value| {
        let found = differences(was, normal, became, None, Items::Keyed);
        found.into_iter().map(|one| one.path).collect::<Vec<_>>()
    };
    let container = |cpu: Value, env: &str| json!({"name": "web", "cpu": cpu, "env": [{"name": "A", "value": env}]});
    let list =
        |cpu: Value, env: &str| json!({"containers": [container(cpu, env)], "args": [["a", 1]]});
    let (was, normal) = (list(json!(2), "secret"), list(json!("2"), "secret"));
    assert_eq!(found(&was, &normal, &normal), [""; 0]);
    // Only the lost field is preserved, not the whole list.
    let became = list(json!("2"), "");
    let path = r#"/containers/k:{"name":"web"}/env/k:{"name":"A"}/value"#;
    assert_eq!(found(&was, &normal, &became), [path]);
    // These items have no keys.
    let (was, became) = (json!({"l": [{"a": 1}]}), json!({"l": [{"a": 2}]}));
    assert_eq!(found(&was, &was, &became), ["/l"]);
    let large = |n: u64| json!({ "n": n });
    let (was, became) = (large(u64::MAX), large(u64::MAX - 1));
    assert_eq!(found(&was, &was, &became), ["/n"]);
    let unknown = json!({"a": "x"});
    assert_eq!(found(&unknown, &json!({}), &json!({})), ["/a"]);
}

#[test]
fn fields_of_moved_list_items_are_restored() {
    let users = |roles: [&str; 2]| json!({"spec": {"users": [{"name": "jane", "role": roles[0]}, {"name": "joe/x", "role": roles[1]}]}});
    let (was, mut became) = (users(["admin", "guest"]), users(["", ""]));
    let lost = differences(&was, &was, &became, None, Items::Keyed);
    assert_eq!(lost[1].dotted(), "spec.users[name=joe/x].role");
    let users = became["spec"]["users"].as_array_mut().unwrap();
    users.reverse();
    users.insert(0, json!({"name": "new", "role": ""}));
    users.pop();
    for one in &lost {
        one.undo(&mut became, true);
    }
    assert_eq!(
        became["spec"]["users"],
        json!([{"name": "new", "role": ""}, {"name": "joe/x", "role": "guest"}])
    );
}

/// Returns an object as the API server sends it for storage.
fn stored(version: &str, spec: &Value) -> Value {
    let mut cow = cow(version, spec);
    cow["metadata"]["uid"] = json!("u-1");
    cow
}

#[test]
fn empty_lists_and_nulls_survive() {
    for spec in [
        json!({"message": null, "loud": false, "herd": ""}),
        json!({"message": "", "loud": false, "herd": null}),
    ] {
        let old = stored("v1alpha1", &spec);
        let new = convert(&old, "v1").unwrap();
        assert_eq!(convert(&new, "v1alpha1").unwrap(), old);
    }
    let new = stored("v1", &json!({"text": null, "volume": 3, "moods": []}));
    let old = convert(&new, "v1alpha1").unwrap();
    assert_eq!(convert(&old, "v1").unwrap(), new);
    let seen = json!({"path": "/spec/text", "was": null});
    assert_eq!(kept(&old, "v1", "spec.text"), seen);
}

#[test]
fn values_that_both_versions_allow_are_not_preserved() {
    let mut cows = cows();
    let text = json!({"type": "string", "nullable": true});
    let spec = json!({"type": "object", "properties": {"message": text, "herd": text}});
    let version = |name: &str| {
        json!({"name": name, "served": true, "storage": name == "v1", "schema": {"openAPIV3Schema":
            {"type": "object", "properties": {"spec": spec}}}})
    };
    let crd = json!({"metadata": {"name": "cows.my.domain"}, "spec": {"group": "my.domain", "scope": "Cluster",
        "names": {"kind": "Cow", "plural": "cows"}, "versions": [version("v1alpha1"), version("v1beta1")]}});
    cows.learn(&[serde_json::from_value(crd).unwrap()]);
    let old = stored(
        "v1alpha1",
        &json!({"message": null, "loud": false, "herd": null}),
    );
    let object = old.as_object().unwrap().clone();
    let new = cows.convert(object, "v1beta1", drop).unwrap();
    assert_eq!(
        new["spec"],
        json!({"message": null, "volume": 3, "herd": null})
    );
    assert_eq!(new["metadata"], old["metadata"]);
    let object = new.as_object().unwrap().clone();
    assert_eq!(cows.convert(object, "v1alpha1", drop).unwrap(), old);
}

#[test]
fn fields_with_slashes_in_their_names_are_restored() {
    let was = json!({"a/b": {"c~d": 1}, "same": 1});
    let became = json!({"a/b": {}, "same": 1, "more": 2});
    let lost = differences(&was, &was, &became, None, Items::Keyed);
    assert_eq!(lost[0].path, "/a~1b/c~0d");
    let undone = |mut object: Value| {
        for one in &lost {
            one.undo(&mut object, true);
        }
        object
    };
    assert_eq!(undone(became), was);
    // The parent of the field was removed, so it is not restored.
    assert_eq!(undone(json!({"same": 1})), json!({"same": 1}));
}

#[test]
fn annotations_have_valid_names() {
    let long = format!("/spec/{}", "deep/".repeat(20));
    for path in [
        "/spec/volume",
        "/spec/a~1b ü",
        "/spec/~0",
        "/spec/l/k:{\"name\":\"a\"}/b",
        &long,
    ] {
        let mut preserved = PreservedFields::default();
        let one = json!({"path": path, "was": 1});
        preserved.preserve("v1", vec![serde_json::from_value(one).unwrap()]);
        let mut object = Map::new();
        assert!(preserved.write_annotations(&mut object).is_empty());
        let annotations = object["metadata"]["annotations"].as_object().unwrap();
        let name = annotations.keys().next().unwrap();
        let name = name.strip_prefix("v1.webhook-conversion/").unwrap();
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        assert!(name.len() <= 63 && name.chars().all(fits), "{name}");
        let ends = |c: char| c.is_ascii_alphanumeric();
        assert!(name.starts_with(ends) && name.ends_with(ends), "{name}");
        assert_eq!(
            PreservedFields::read_annotations(&mut object, drop).of("v1")[0].path,
            path
        );
    }
}

/// Converts a v1alpha1 cow with these annotations. Returns the result and the warnings.
fn with_annotations(annotations: &Value) -> (Value, Vec<String>) {
    let mut old = stored("v1alpha1", &json!({"message": "moo", "loud": true}));
    old["metadata"]["annotations"] = annotations.clone();
    let mut warnings = Vec::new();
    let old = old.as_object().unwrap().clone();
    let new = cows().convert(old, "v1", |warning| warnings.push(warning));
    (new.unwrap(), warnings)
}

#[test]
fn invalid_annotations_are_ignored_with_a_warning() {
    let whole = json!({"text": "moo", "volume": 11});
    for text in [
        "",
        "{",
        "[1]",
        r#"{"was": 3}"#,
        r#"{"path": "/spec/volume", "was": "Nonsense", "became": 11}"#,
        r#"{"path": "/spec/volume", "was": -1, "became": 11}"#,
        r#"{"path": "/spec", "was": [], "became": {"text": "moo", "volume": 11}}"#,
        r#"{"path": "/metadata", "was": {}}"#,
        r#"{"path": "/apiVersion", "was": "v9"}"#,
        r#"{"path": "", "was": 1}"#,
    ] {
        let (new, warnings) = with_annotations(&json!({"v1.webhook-conversion/spec.x": text}));
        assert_eq!(new["spec"], whole, "{text}");
        assert_eq!(new["apiVersion"], "my.domain/v1", "{text}");
        assert_eq!(
            new["metadata"],
            json!({"name": "c", "uid": "u-1"}),
            "{text}"
        );
        assert_eq!(warnings.len(), 1, "{text}: {warnings:?}");
    }
    // Values that fail or panic in the conversion back.
    for was in ["unspeakable", "panic"] {
        let mut new = stored("v1", &whole);
        let text = json!({"path": "/spec/message", "was": was, "became": "moo"}).to_string();
        new["metadata"]["annotations"] = json!({"v1alpha1.webhook-conversion/x": text});
        assert_eq!(
            convert(&new, "v1alpha1").unwrap()["spec"],
            json!({"message": "moo", "loud": true})
        );
    }
    // The other preserved fields are restored.
    let (new, warnings) = with_annotations(&json!({
        "v1.webhook-conversion/a": r#"{"path": "/spec/moods", "was": ["glad"]}"#,
        "v1.webhook-conversion/b": r#"{"path": "/spec/volume", "was": "Nonsense", "became": 11}"#,
        "v1.webhook-conversion/c": r#"{"path": "/spec/volume", "was": 7, "became": 11}"#,
    }));
    assert_eq!(
        new["spec"],
        json!({"text": "moo", "volume": 7, "moods": ["glad"]})
    );
    assert!(
        warnings.len() == 1 && warnings[0].contains("`spec.volume` of v1"),
        "{warnings:?}"
    );
}

#[test]
fn fields_too_large_for_annotations_are_dropped_unless_stored() {
    let moods = ["sad".repeat(100_000)];
    let new = stored("v1", &json!({"text": null, "volume": 11, "moods": moods}));
    let object = new.as_object().unwrap();
    let mut cows = cows();
    for storage in [None, Some("v1".to_owned())] {
        cows.storage = storage;
        let mut warnings = Vec::new();
        let old = cows.convert(object.clone(), "v1alpha1", |warning| warnings.push(warning));
        let old = old.unwrap();
        let names: Vec<_> = old["metadata"]["annotations"]
            .as_object()
            .unwrap()
            .keys()
            .collect();
        assert_eq!(
            names,
            ["v1.webhook-conversion/spec.text"],
            "values that fit are kept"
        );
        assert!(
            warnings.len() == 1 && warnings[0].contains("`spec.moods`"),
            "{warnings:?}"
        );
    }
    cows.storage = Some("v1alpha1".to_owned());
    let error = cows.convert(object.clone(), "v1alpha1", drop).unwrap_err();
    assert_eq!(
        error,
        "v1alpha1 has no field for `spec.moods`, and the annotations have no space left"
    );
}

#[test]
fn errors_of_invalid_objects_name_the_field() {
    for (spec, error) in [
        (
            json!({"loud": "yes"}),
            "spec.loud: invalid type: string \"yes\", expected a boolean",
        ),
        (json!({"message": "moo"}), "spec: missing field `loud`"),
        (
            json!({"loud": true, "message": "unspeakable"}),
            "spec: `message` cannot be expressed",
        ),
        (
            json!({"loud": true, "message": "unpathed"}),
            "spec.message: cannot be expressed",
        ),
        (
            json!([]),
            "spec: invalid length 0, expected struct CowSpec with 3 elements",
        ),
    ] {
        assert_eq!(convert(&cow("v1alpha1", &spec), "v1").unwrap_err(), error);
    }
    let error = convert(&cow("v2", &json!({})), "v1").unwrap_err();
    assert_eq!(
        error,
        "unknown version `v2`; known versions: v1alpha1, v1beta1, v1"
    );
    let odd = json!({"apiVersion": 3, "spec": {}});
    assert!(convert(&odd, "v1").is_err());
}

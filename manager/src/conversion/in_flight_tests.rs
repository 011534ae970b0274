//! Tests of conversions of incomplete objects: every present field is converted, and no value is
//! invented.

use serde_json::json;

use super::*;
use crate::conversion::{databases::databases, random::Random, schema::Generator};

fn chain() -> Chain {
    let (versions, crd) = databases();
    let mut chain = versions.chain;
    chain.learn(&[crd]);
    chain
}

fn convert(chain: &Chain, object: &Value, to: &str) -> Result<Value, String> {
    chain.convert(object.as_object().unwrap().clone(), to, drop)
}

fn database(version: &str, spec: &Value) -> Value {
    json!({"apiVersion": format!("my.domain/{version}"), "kind": "Database", "metadata": {"name": "d"}, "spec": spec})
}

fn old(spec: &Value) -> Value {
    database("v1alpha1", spec)
}

#[test]
fn a_required_field_that_an_applier_owns_may_be_missing() {
    let chain = chain();
    // all fields except the users and the storage class were removed
    let partial = old(
        &json!({"storage": {"class": "fast"}, "host": null, "backup": {},
        "users": [{"name": "jane", "role": "admin"}, {"name": "joe"}]}),
    );
    let new = convert(&chain, &partial, "v1").unwrap();
    assert_eq!(
        new["spec"],
        json!({"storageClass": "fast", "roles": {"jane": "admin"}})
    );
    let back = convert(&chain, &new, "v1alpha1").unwrap();
    assert_eq!(
        back["spec"]["users"], partial["spec"]["users"],
        "joe waits in an annotation"
    );
    assert_eq!(back["spec"]["storage"], json!({"class": "fast"}));
    assert_eq!(back["spec"].get("engine"), None);
}

#[test]
fn a_conversion_that_takes_few_texts_has_to_say_which() {
    let mut chain = chain();
    let partial = database("v1", &json!({"storageClass": "fast"}));
    let old = convert(&chain, &partial, "v1alpha1").unwrap();
    assert_eq!(old["spec"], json!({"storage": {"class": "fast"}}));
    let spec = chain.schemas.get_mut("v1").unwrap().properties.as_mut();
    let spec = spec.unwrap().get_mut("spec").unwrap().properties.as_mut();
    spec.unwrap().get_mut("address").unwrap().pattern = None;
    let error = convert(&chain, &partial, "v1alpha1").unwrap_err();
    assert!(error.starts_with("spec: missing field `"), "{error}");
    assert!(
        error.contains(": spec: `` is not an address; help: add an enum or a `pattern`"),
        "{error}"
    );
}

#[test]
fn incomplete_merged_fields_are_stored_in_an_annotation() {
    let chain = chain();
    let new = convert(&chain, &old(&json!({"host": "db.my.domain"})), "v1").unwrap();
    assert_eq!(new.get("spec"), None);
    let back = convert(&chain, &new, "v1alpha1").unwrap();
    assert_eq!(new["metadata"]["annotations"].as_object().unwrap().len(), 1);
    // The annotation has the same name as for a more complete object, because server-side apply
    // compares the two.
    let kept = r#"{"path":"/spec/host","was":"db.my.domain"}"#;
    assert_eq!(
        new["metadata"]["annotations"]["v1alpha1.webhook-conversion/spec.host"],
        kept
    );
    assert_eq!(back["spec"], json!({"host": "db.my.domain"}));
}

#[test]
fn incomplete_objects_are_not_stored() {
    let chain = chain();
    let mut broken = old(&json!({"engine": "Postgres"}));
    broken["metadata"]["uid"] = json!("u-1");
    let error = convert(&chain, &broken, "v1").unwrap_err();
    assert!(error.starts_with("spec: missing field `"), "{error}");
    broken["metadata"]["resourceVersion"] = json!("7");
    let new = convert(&chain, &broken, "v1").unwrap();
    assert_eq!(new["spec"], json!({"engine": "relational"}));
}

/// Returns a complete random object, as the API server sends it.
fn whole(chain: &Chain, version: &str, random: &mut Random) -> Value {
    let sizes = vec![json!("1Gi"), json!("2")];
    let addresses = vec![json!("a:1"), json!("b.my.domain:65535")];
    let samples = BTreeMap::from([
        ("spec.address".to_owned(), addresses),
        ("spec.storage.size".to_owned(), sizes.clone()),
        ("spec.storageSize".to_owned(), sizes),
    ]);
    let mut generator = Generator {
        random,
        samples: &samples,
    };
    let schema = below(Some(&chain.schemas[version]), "spec").unwrap();
    let mut spec = generator.value(schema, "spec").unwrap();
    if let Some(users) = spec.get_mut("users").and_then(Value::as_array_mut) {
        // the names in a list map are unique
        for (n, user) in users.iter_mut().enumerate() {
            user["name"] = json!(format!("{n}{}", user["name"].as_str().unwrap()));
        }
    }
    let mut object = database(version, &spec);
    object["metadata"]["annotations"] = json!({"mine": "x"});
    object
}

/// Removes random fields, as server-side apply does.
fn prune(value: &mut Value, random: &mut Random) {
    match value {
        Value::Object(fields) => {
            let names: Vec<_> = fields.keys().cloned().collect();
            for name in names {
                match random.below(8) {
                    0 | 1 => drop(fields.remove(&name)),
                    2 => drop(fields.insert(name, Value::Null)),
                    _ => prune(&mut fields[&name], random),
                }
            }
        }
        Value::Array(items) if items.iter().all(Value::is_object) => {
            items.retain(|_| !random.once_in(4));
            for item in items {
                let name = item.get("name").cloned();
                prune(item, random);
                if let (Some(name), Some(item)) = (name, item.as_object_mut()) {
                    item.insert("name".to_owned(), name);
                }
            }
        }
        _ => {}
    }
}

/// Returns true if every value of `part` is at the same place in `whole`. List items are matched by
/// name.
fn is_within(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => part
            .iter()
            .all(|(key, part)| whole.get(key).is_some_and(|whole| is_within(part, whole))),
        (Value::Array(part), Value::Array(whole)) => part.iter().all(|part| {
            whole
                .iter()
                .any(|whole| part.get("name") == whole.get("name") && is_within(part, whole))
        }),
        (part, whole) => part == whole || part.is_null(),
    }
}

#[test]
fn partial_objects_are_converted_without_invented_fields() {
    let chain = chain();
    let mut random = Random::seeded();
    println!("CONVERSION_SEED={}", random.seed);
    for round in 0..500 {
        let (from, to) = if round % 2 == 0 {
            ("v1alpha1", "v1")
        } else {
            ("v1", "v1alpha1")
        };
        let object = whole(&chain, from, &mut random);
        let whole = convert(&chain, &object, to).unwrap();
        let mut partial = object.clone();
        prune(&mut partial["spec"], &mut random);
        let became = convert(&chain, &partial, to);
        let became = became.unwrap_or_else(|error| panic!("{error}\n{partial:#}"));
        let none = json!({});
        let spec = became.get("spec").unwrap_or(&none);
        assert!(
            is_within(spec, &whole["spec"]),
            "{partial:#}\nbecame\n{became:#}\nand all of it\n{whole:#}"
        );
        // Every present field is converted or preserved in an annotation.
        let back = convert(&chain, &became, from).unwrap();
        let mut left = partial.clone();
        let position = chain.position(from).unwrap();
        let mut parts = parts(left.as_object().unwrap());
        remove_nulls(chain.schema(position), &mut parts);
        left["spec"] = parts["spec"].clone();
        assert_eq!(back, left, "{partial:#}\nbecame\n{became:#}");
    }
}

#[test]
fn complete_objects_are_converted_alike_in_flight() {
    let chain = chain();
    let mut random = Random::seeded();
    println!("CONVERSION_SEED={}", random.seed);
    for round in 0..200 {
        let (from, to) = if round % 2 == 0 {
            ("v1alpha1", "v1")
        } else {
            ("v1", "v1alpha1")
        };
        let mut object = whole(&chain, from, &mut random);
        remove_nulls(Some(&chain.schemas[from]), &mut object);
        let mut in_flight = convert(&chain, &object, to).unwrap();
        object["metadata"]["uid"] = json!("u-1");
        in_flight["metadata"]["uid"] = json!("u-1");
        assert_eq!(convert(&chain, &object, to).unwrap(), in_flight);
    }
}

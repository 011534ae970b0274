//! Tests that random values match their schemas.

use serde_json::{from_value, json};

use super::*;

fn schema(text: &Value) -> Schema {
    from_value(text.clone()).unwrap()
}

/// Returns many values of a schema.
fn values(text: &Value) -> Vec<Value> {
    let mut random = Random::seeded();
    println!("seed {}", random.seed);
    let samples = BTreeMap::from([("spec.email".to_owned(), vec![json!("moo@my.domain")])]);
    let mut generator = Generator {
        random: &mut random,
        samples: &samples,
    };
    let schema = schema(text);
    (0..300)
        .map(|_| generator.value(&schema, "spec").unwrap())
        .collect()
}

#[test]
fn numbers_and_strings_keep_to_their_bounds() {
    for number in values(&json!({"type": "integer", "minimum": 3, "maximum": 5})) {
        assert!((3..=5).contains(&number.as_i64().unwrap()), "{number}");
    }
    for number in values(
        &json!({"type": "integer", "format": "uint8", "minimum": 0, "exclusiveMinimum": true}),
    ) {
        assert!((1..=255).contains(&number.as_i64().unwrap()), "{number}");
    }
    for number in values(&json!({"type": "number", "minimum": 0.5, "maximum": 1.5})) {
        assert!((0.5..=1.5).contains(&number.as_f64().unwrap()), "{number}");
    }
    for number in values(&json!({
        "type": "number", "minimum": 0, "exclusiveMinimum": true, "maximum": 0.5, "exclusiveMaximum": true,
    })) {
        let number = number.as_f64().unwrap();
        assert!(number > 0.0 && number < 0.5, "{number}");
    }
    for text in values(&json!({"type": "string", "minLength": 2, "maxLength": 4})) {
        assert!(
            (2..=4).contains(&text.as_str().unwrap().chars().count()),
            "{text}"
        );
    }
    for items in values(
        &json!({"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "boolean"}}),
    ) {
        let items = items.as_array().unwrap();
        assert!((1..=2).contains(&items.len()) && items.iter().all(Value::is_boolean));
    }
}

#[test]
fn bounds_may_contradict_the_format_and_each_other() {
    for (schema, expected) in [
        (
            json!({"type": "integer", "format": "uint8", "minimum": 300}),
            json!(300),
        ),
        (
            json!({"type": "integer", "format": "uint8", "maximum": -5}),
            json!(-5),
        ),
        (
            json!({"type": "integer", "minimum": 5, "maximum": 3}),
            json!(3),
        ),
        (
            json!({"type": "array", "minItems": 2, "maxItems": 1, "items": {"type": "string", "enum": ["a"]}}),
            json!(["a", "a"]),
        ),
    ] {
        let values = values(&schema);
        assert!(values.iter().all(|value| *value == expected), "{values:?}");
    }
    for text in values(&json!({"type": "string", "minLength": 3, "maxLength": 2})) {
        assert_eq!(text.as_str().unwrap().chars().count(), 3);
    }
}

#[test]
fn every_choice_comes_up() {
    for text in [
        json!({"type": "string", "enum": ["a", "b", "c"]}),
        json!({"type": "boolean", "nullable": true}),
    ] {
        let values: BTreeSet<_> = values(&text).iter().map(Value::to_string).collect();
        assert_eq!(values.len(), 3, "{values:?}");
    }
    let either = values(
        &json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]}),
    );
    assert!(either.iter().any(Value::is_string) && either.iter().any(Value::is_number));
    assert!(
        either
            .iter()
            .all(|value| value.is_string() || value.is_number())
    );
}

#[test]
fn generated_objects_have_required_fields_and_one_branch() {
    let both = json!({"type": "object", "required": ["name"],
        "properties": {"name": {"type": "string"}, "size": {"type": "integer"},
            "circle": {"type": "boolean"}, "square": {"type": "boolean"}},
        "oneOf": [{"required": ["circle"]}, {"required": ["square"]}]});
    let values = values(&both);
    assert!(values.iter().all(|value| value.get("name").is_some()));
    assert!(
        values
            .iter()
            .all(|value| value.get("circle").is_some() != value.get("square").is_some())
    );
    assert!(values.iter().any(|value| value.get("circle").is_some()));
    assert!(values.iter().any(|value| value.get("size").is_some()));
    assert!(values.iter().any(|value| value.get("size").is_none()));
}

#[test]
fn each_of_many_fields_is_generated_sometimes() {
    let fields: Map<_, _> = (0..50)
        .map(|n| (format!("f{n}"), json!({"type": "boolean"})))
        .collect();
    let values = values(&json!({"type": "object", "properties": fields}));
    let objects = || values.iter().filter_map(Value::as_object);
    let seen: BTreeSet<_> = objects().flat_map(Map::keys).collect();
    assert_eq!(seen.len(), 50);
    let all: usize = objects().map(Map::len).sum();
    assert!(all < 6 * values.len(), "{all} fields");
}

#[test]
fn fields_with_a_default_are_always_generated() {
    let text =
        json!({"type": "object", "properties": {"loud": {"type": "boolean", "default": true}}});
    let values = values(&text);
    assert!(values.iter().all(|value| value["loud"].is_boolean()));
}

#[test]
fn maps_have_values_of_their_schema() {
    let map = json!({"type": "object", "additionalProperties": {"type": "integer", "minimum": 1, "maximum": 1}});
    let values = values(&map);
    assert!(values.iter().any(|map| map.as_object().unwrap().len() > 1));
    let mut all = values
        .iter()
        .flat_map(|map| map.as_object().unwrap().values());
    assert!(all.all(|value| value == 1));
}

#[test]
fn a_pattern_needs_samples() {
    let email = json!({"type": "object", "required": ["email", "more"], "properties": {
        "email": {"type": "string", "pattern": ".*@.*"}}});
    assert!(
        values(&email)
            .iter()
            .all(|value| value["email"] == "moo@my.domain")
    );
    let mut random = Random::seeded();
    let samples = BTreeMap::new();
    let mut generator = Generator {
        random: &mut random,
        samples: &samples,
    };
    assert_eq!(
        generator.value(&schema(&email), "spec").unwrap_err(),
        "spec.email"
    );
}

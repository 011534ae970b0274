//! Generation of a minimal object of a CRD.

use serde_json::{Map, Value, json};

use super::read::Imported;

/// Texts that match common patterns.
const TEXTS: [&str; 14] = [
    "example",
    "a",
    "1",
    "10m",
    "1h",
    "1Gi",
    "1.2.3",
    "v1.2.3",
    "example.com",
    "https://example.com",
    "example/example",
    "10.0.0.0/8",
    "oci://example.com/example",
    "Example",
];

/// Returns an object of a version, an entry of the CRD's `spec.versions`, with the required fields
/// only. `name` is the name of the object. Texts that must match a pattern are guessed.
pub fn sample(crd: &Imported, version: &Value, name: &str) -> Value {
    let schema = &version["schema"]["openAPIV3Schema"];
    let mut object = json!({
        "apiVersion": format!("{}/{}", crd.group(), version["name"].as_str().unwrap_or_default()),
        "kind": crd.kind(),
        "metadata": {"name": name},
    });
    for (key, value) in required(schema) {
        if key != "status" && object.get(&key).is_none() {
            object[key] = value;
        }
    }
    if schema["properties"]["spec"]["type"] == "object" && object.get("spec").is_none() {
        object["spec"] = value(&schema["properties"]["spec"]);
    }
    object
}

/// Returns the required properties, those of the first alternative of a choice, and more up to the
/// minimum number.
fn required(schema: &Value) -> Map<String, Value> {
    let properties = &schema["properties"];
    let choices = ["oneOf", "anyOf"].map(|keyword| &schema[keyword][0]["required"]);
    let names = choices.into_iter().chain([&schema["required"]]);
    let names = names.filter_map(Value::as_array).flatten();
    let needed = names.filter_map(|name| {
        let name = name.as_str()?;
        let property = properties.get(name)?;
        let is_given = property.get("default").is_some();
        (!is_given).then(|| (name.to_owned(), value(property)))
    });
    let mut made: Map<_, _> = needed.collect();
    let least = schema["minProperties"].as_u64().unwrap_or_default();
    for (name, property) in properties.as_object().into_iter().flatten() {
        if made.len() as u64 >= least {
            break;
        }
        made.entry(name).or_insert_with(|| value(property));
    }
    made
}

fn value(schema: &Value) -> Value {
    for keyword in ["default", "example"] {
        if let Some(value) = schema.get(keyword).filter(|value| !value.is_null()) {
            return value.clone();
        }
    }
    if let Some(first) = schema["enum"]
        .as_array()
        .and_then(|all| all.iter().find(|value| **value != ""))
    {
        return first.clone();
    }
    if schema["x-kubernetes-int-or-string"] == true {
        return json!(1);
    }
    match schema["type"].as_str() {
        Some("boolean") => json!(false),
        Some("integer" | "number") => {
            schema["minimum"]
                .as_f64()
                .map_or(json!(1), |least| match least {
                    least if schema["exclusiveMinimum"] == true => json!(least + 1.0),
                    least if least.fract() == 0.0 => schema["minimum"].clone(),
                    least => json!(least),
                })
        }
        Some("string") => json!(text(schema)),
        Some("array") => {
            let least = schema["minItems"].as_u64().unwrap_or_default();
            (0..least).map(|_| value(&schema["items"])).collect()
        }
        Some("object") => required(schema).into(),
        _ => json!({}),
    }
}

fn text(schema: &Value) -> String {
    if schema["format"] == "date-time" {
        return "2026-01-01T00:00:00Z".to_owned();
    }
    let pattern = schema["pattern"]
        .as_str()
        .and_then(|pattern| regex::Regex::new(pattern).ok());
    let fits = |text: &&&str| {
        pattern
            .as_ref()
            .is_none_or(|pattern| pattern.is_match(text))
    };
    let mut text = TEXTS
        .iter()
        .find(fits)
        .map_or("example", |text| text)
        .to_owned();
    let least =
        usize::try_from(schema["minLength"].as_u64().unwrap_or_default()).unwrap_or_default();
    while text.len() < least.min(253) {
        text.push('x');
    }
    text
}

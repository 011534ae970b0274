//! The least object of a CRD.

use serde_json::{Map, Value, json};

use super::read::Imported;

/// Texts that patterns often ask for.
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

/// An object of a version that has what it must have, and no more. What a text must look like is guessed.
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

fn required(schema: &Value) -> Map<String, Value> {
    let names = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let properties = &schema["properties"];
    let needed = names.filter(|name| properties[*name].get("default").is_none());
    needed
        .filter(|name| properties.get(*name).is_some())
        .map(|name| (name.to_owned(), value(&properties[name])))
        .collect()
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

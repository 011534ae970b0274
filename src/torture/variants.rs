//! The values that a schema allows beside those of a sample: set, changed, unset, least, greatest, each of an
//! enumeration; lists grown, shrunk and turned round; and texts that no child can hold.

use serde_json::{Value, json};

use super::scenario::Variant;

/// More of anything would only take time.
const MOST: i64 = 7;
/// What a schema accepts where it accepts any text, and hardly anything made of it does.
const AWKWARD: &str = "Not a Name/ or: anything!";

/// All specs that differ from `spec` in one field. Whether the API server takes each is for it to say.
pub fn variants(schema: &Value, spec: &Value) -> Vec<Variant> {
    let mut variants = Vec::new();
    let whole = Whole { spec };
    whole.object(schema, spec, &mut Vec::new(), &mut variants);
    variants.retain(|variant| variant.spec != *spec);
    variants.dedup_by(|a, b| a.spec == b.spec);
    variants
}

struct Whole<'a> {
    spec: &'a Value,
}

impl Whole<'_> {
    fn object(
        &self,
        schema: &Value,
        value: &Value,
        path: &mut Vec<String>,
        out: &mut Vec<Variant>,
    ) {
        let required: Vec<&str> = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            path.push(name.clone());
            let value = value.get(name);
            if value.is_some() && !required.contains(&name.as_str()) {
                self.put(path, None, "is unset", out);
            }
            self.field(schema, value, path, out);
            path.pop();
        }
    }

    fn field(
        &self,
        schema: &Value,
        value: Option<&Value>,
        path: &mut Vec<String>,
        out: &mut Vec<Variant>,
    ) {
        for wanted in schema["enum"].as_array().into_iter().flatten() {
            self.set(path, wanted.clone(), out);
        }
        if schema["x-kubernetes-int-or-string"] == true {
            return;
        }
        match schema["type"].as_str() {
            Some("boolean") => self.set(path, json!(value != Some(&json!(true))), out),
            Some("integer" | "number") => {
                for number in numbers(schema, value) {
                    self.set(path, number.into(), out);
                }
            }
            Some("string") if schema["enum"].is_null() => {
                for text in texts(schema, value.and_then(Value::as_str)) {
                    self.set(path, text.into(), out);
                }
            }
            Some("array") => {
                for (says, list) in lists(value) {
                    self.put(path, Some(list), says, out);
                }
            }
            Some("object") if schema["properties"].is_object() => {
                if let Some(value) = value {
                    self.object(schema, value, path, out);
                }
            }
            Some("object") => {
                for (says, map) in maps(schema, value) {
                    self.put(path, Some(map), says, out);
                }
            }
            _ => {}
        }
    }

    fn set(&self, path: &[String], value: Value, out: &mut Vec<Variant>) {
        let says = format!("is {value}");
        self.put(path, Some(value), &says, out);
    }

    /// The spec with another value at a place, or with none.
    fn put(&self, path: &[String], value: Option<Value>, says: &str, out: &mut Vec<Variant>) {
        let mut spec = self.spec.clone();
        let Some((last, parents)) = path.split_last() else {
            return;
        };
        let mut place = &mut spec;
        for parent in parents {
            place = &mut place[parent.as_str()];
        }
        match value {
            Some(value) => place[last.as_str()] = value,
            None => drop(place.as_object_mut().and_then(|map| map.remove(last))),
        }
        let field = format!("spec.{}", path.join("."));
        let says = format!("{field} {says}");
        out.push(Variant { field, says, spec });
    }
}

/// Up, down, least and greatest.
fn numbers(schema: &Value, value: Option<&Value>) -> Vec<i64> {
    let (least, greatest) = (schema["minimum"].as_i64(), schema["maximum"].as_i64());
    let now = value.and_then(Value::as_i64).or(schema["default"].as_i64());
    let mut numbers = match now {
        Some(now) => vec![now + 1, now - 1],
        None => vec![least.unwrap_or(1), 2],
    };
    let bearable =
        |number: &i64| number.abs() <= MOST || now.is_some_and(|now| (number - now).abs() <= MOST);
    numbers.extend(least.into_iter().chain(greatest).filter(bearable));
    let mut known = Vec::new();
    numbers.retain(|number| {
        let in_range = least.is_none_or(|least| *number >= least)
            && greatest.is_none_or(|most| *number <= most);
        let new = !known.contains(number);
        known.push(*number);
        in_range && new && Some(*number) != now
    });
    numbers
}

/// Texts of the formats that the API server checks.
const FORMATTED: &[(&str, &str)] = &[
    ("byte", "dG9ydHVyZQ=="),
    ("date", "2020-01-02"),
    ("date-time", "2020-01-02T03:04:05Z"),
    ("duration", "7s"),
    ("email", "torture@example.com"),
    ("hostname", "torture.example.com"),
    ("ipv4", "192.0.2.7"),
    ("ipv6", "2001:db8::7"),
    ("cidr", "192.0.2.0/24"),
    ("uri", "https://example.com/torture"),
    ("uuid", "7c9b7c1a-3f55-4f0e-9a59-3d2d2f9f7a10"),
];

/// A text where there was none.
fn text(schema: &Value) -> &'static str {
    let of = |(format, _): &&(&str, &str)| schema["format"] == *format;
    FORMATTED
        .iter()
        .find(of)
        .map_or("torture", |(_, text)| text)
}

/// Another one, a similar one, and one that is hard to use.
fn texts(schema: &Value, value: Option<&str>) -> Vec<String> {
    let similar = value.map_or_else(|| text(schema).to_owned(), |text| format!("{text}x"));
    let other = value.filter(|text| text.len() > 1).and_then(|text| {
        let shorter: String = text.chars().take(text.chars().count() - 1).collect();
        (shorter != text).then_some(shorter)
    });
    [Some(similar), other, Some(AWKWARD.to_owned())]
        .into_iter()
        .flatten()
        .collect()
}

/// Grown, shrunk, turned round, empty.
fn lists(value: Option<&Value>) -> Vec<(&'static str, Value)> {
    let items = value.and_then(Value::as_array).cloned().unwrap_or_default();
    let mut lists = Vec::new();
    if let Some(last) = items.last() {
        let mut more = items.clone();
        more.push(another(last));
        lists.push(("has one more", json!(more)));
        lists.push(("has one less", json!(items[..items.len() - 1])));
        let turned: Vec<_> = items.iter().rev().cloned().collect();
        lists.push(("is in another order", json!(turned)));
        lists.push(("is empty", json!([])));
    } else {
        lists.push(("has one", json!(["torture"])));
    }
    lists
}

/// One like this with another name.
fn another(item: &Value) -> Value {
    match item {
        Value::String(text) => json!(format!("{text}x")),
        Value::Number(number) => json!(number.as_i64().unwrap_or_default() + 1),
        Value::Object(map) => {
            let mut map = map.clone();
            let name = ["name", "key", "id"]
                .into_iter()
                .find(|key| map.contains_key(*key));
            if let Some(name) = name
                .map(str::to_owned)
                .or_else(|| map.keys().next().cloned())
            {
                map[&name] = another(&map[&name]);
            }
            Value::Object(map)
        }
        other => other.clone(),
    }
}

/// A key more, another value, a key less.
fn maps(schema: &Value, value: Option<&Value>) -> Vec<(&'static str, Value)> {
    let map = value
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    let sample = map.values().next().cloned();
    let of_values = &schema["additionalProperties"];
    let of_schema = match of_values["type"].as_str() {
        Some("string") => Some(json!(text(of_values))),
        Some("integer") => Some(json!(1)),
        _ => None,
    };
    let mut maps = Vec::new();
    if let Some(value) = of_schema.or_else(|| sample.as_ref().map(another)) {
        let mut more = map.clone();
        more.insert("torture".into(), value);
        maps.push(("has a key more", Value::Object(more)));
    }
    if let Some((key, value)) = map.iter().next() {
        let mut changed = map.clone();
        changed[key] = another(value);
        maps.push(("has another value", Value::Object(changed)));
        let mut less = map.clone();
        less.remove(key);
        maps.push(("has a key less", Value::Object(less)));
    }
    maps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(schema: &Value, spec: &Value) -> Vec<String> {
        variants(schema, spec)
            .into_iter()
            .map(|variant| variant.says)
            .collect()
    }

    #[test]
    fn each_field_goes_through_its_values() {
        let schema = json!({"required": ["size"], "properties": {
            "size": {"type": "string", "enum": ["small", "large"]},
            "replicas": {"type": "integer", "minimum": 0, "maximum": 500},
            "paused": {"type": "boolean"},
            "inner": {"type": "object", "properties": {"text": {"type": "string"}}}}});
        let spec = json!({"size": "small", "replicas": 2, "inner": {"text": "ab"}});
        assert_eq!(
            said(&schema, &spec),
            [
                "spec.size is \"large\"",
                "spec.replicas is unset",
                "spec.replicas is 3",
                "spec.replicas is 1",
                "spec.replicas is 0",
                "spec.paused is true",
                "spec.inner is unset",
                "spec.inner.text is unset",
                "spec.inner.text is \"abx\"",
                "spec.inner.text is \"a\"",
                &format!("spec.inner.text is \"{AWKWARD}\"")
            ]
        );
    }

    #[test]
    fn a_text_where_there_was_none_is_of_its_format() {
        let bytes = json!({"type": "string", "format": "byte"});
        let schema = json!({"properties": {
            "since": {"type": "string", "format": "date-time"},
            "data": {"type": "object", "additionalProperties": bytes}}});
        let specs: Vec<_> = variants(&schema, &json!({}))
            .into_iter()
            .map(|variant| variant.spec)
            .collect();
        assert!(specs.contains(&json!({"since": "2020-01-02T03:04:05Z"})));
        assert!(specs.contains(&json!({"data": {"torture": "dG9ydHVyZQ=="}})));
    }

    #[test]
    fn lists_grow_shrink_and_turn() {
        let schema = json!({"properties": {"names": {"type": "array"}, "labels": {"type": "object", "additionalProperties": {"type": "string"}}}});
        let spec = json!({"names": ["a", "b"], "labels": {"x": "y"}});
        let said = said(&schema, &spec);
        assert_eq!(
            said,
            [
                "spec.names is unset",
                "spec.names has one more",
                "spec.names has one less",
                "spec.names is in another order",
                "spec.names is empty",
                "spec.labels is unset",
                "spec.labels has a key more",
                "spec.labels has another value",
                "spec.labels has a key less"
            ]
            .map(str::to_owned)
        );
    }
}

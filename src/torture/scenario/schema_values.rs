//! The values that a schema allows for one field.

use regex::Regex;
use serde_json::{Map, Value, json};

use crate::torture::scenario::pattern::matching_text;

/// The largest count that is tried: more objects would only take time.
const MOST: i64 = 7;
/// A text that is valid for a schema without a pattern, but not as a name or label of a child.
pub(super) const AWKWARD: &str = "Not a Name/ or: anything!";

/// Returns the values that a field may have in addition to its current one, each after its
/// description, such as `is 3` or `has one more`. `value` is the current one; `None` if the field
/// is unset.
pub(super) fn values(schema: &Value, value: Option<&Value>) -> Vec<(String, Value)> {
    let is = |value: Value| (format!("is {value}"), value);
    let named = |(description, value): (&str, Value)| (description.to_owned(), value);
    if let Some(all) = schema["enum"].as_array() {
        return all.iter().cloned().map(is).collect();
    }
    if schema["x-kubernetes-int-or-string"] == true {
        let other = match value {
            Some(value) => more_of(value),
            None => Some(least(schema)),
        };
        return other.map(is).into_iter().collect();
    }
    match schema["type"].as_str() {
        Some("boolean") => vec![is(json!(value != Some(&json!(true))))],
        Some("integer" | "number") => {
            let numbers = numbers(schema, value).into_iter();
            numbers.map(|number| is(number.into())).collect()
        }
        Some("string") => {
            let texts = texts(schema, value.and_then(Value::as_str)).into_iter();
            texts.map(|text| is(text.into())).collect()
        }
        Some("array") => lists(schema, value).into_iter().map(named).collect(),
        Some("object") if schema["properties"].is_object() => {
            let new = value.is_none().then(|| least(schema));
            new.map(is).into_iter().collect()
        }
        Some("object") => maps(schema, value).into_iter().map(named).collect(),
        _ => Vec::new(),
    }
}

/// Returns the minimum and maximum of a number if they are far from its current value, each after
/// its description: `is 1000`. `value` is the current one; `None` if the field is unset.
pub(super) fn limits(schema: &Value, value: Option<&Value>) -> Vec<(String, Value)> {
    if !matches!(schema["type"].as_str(), Some("integer" | "number")) {
        return Vec::new();
    }
    let now = number(schema, value);
    let limits = bounds(schema).into_iter().flatten();
    let far = limits.filter(|limit| !is_near(*limit, now));
    far.map(|limit| (format!("is {limit}"), limit.into()))
        .collect()
}

fn bounds(schema: &Value) -> [Option<i64>; 2] {
    ["minimum", "maximum"].map(|bound| {
        let bound = &schema[bound];
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a bound of whole numbers is one"
        )]
        let whole = || bound.as_f64().map(|bound| bound as i64);
        bound.as_i64().or_else(whole)
    })
}

fn number(schema: &Value, value: Option<&Value>) -> Option<i64> {
    let given = value.and_then(Value::as_i64);
    given.or(schema["default"].as_i64())
}

/// Reports whether a number is small enough to be tried as a count of objects: it is near 0 or near
/// the current value `now`.
fn is_near(limit: i64, now: Option<i64>) -> bool {
    let from_now = |now: i64| limit.abs_diff(now) <= MOST.unsigned_abs();
    limit.unsigned_abs() <= MOST.unsigned_abs() || now.is_some_and(from_now)
}

/// Returns the neighbours of a number, and its minimum and maximum.
fn numbers(schema: &Value, value: Option<&Value>) -> Vec<i64> {
    let [least, greatest] = bounds(schema);
    let now = number(schema, value);
    let mut numbers = match now {
        Some(now) => vec![now + 1, now - 1],
        None => vec![least.unwrap_or(1), 2],
    };
    let limits = least.into_iter().chain(greatest);
    numbers.extend(limits.filter(|limit| is_near(*limit, now)));
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

/// Increments a quantity: `1` to `2`, `1Gi` to `2Gi`.
fn more_of(value: &Value) -> Option<Value> {
    if let Some(number) = value.as_i64() {
        return Some((number + 1).into());
    }
    let text = value.as_str()?;
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number: u64 = text[..text.len() - unit.len()].parse().ok()?;
    Some(format!("{}{unit}", number.checked_add(1)?).into())
}

/// Returns the smallest value that a schema accepts.
fn least(schema: &Value) -> Value {
    if let Some(default) = schema.get("default") {
        return default.clone();
    }
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("boolean") => json!(true),
        Some("integer" | "number") => bounds(schema)[0].unwrap_or(1).into(),
        Some("string") => json!(text(schema)),
        Some("array") => json!([least(&schema["items"])]),
        Some("object") => least_object(schema),
        _ if schema["x-kubernetes-int-or-string"] == true => json!(1),
        _ => json!({}),
    }
}

/// Returns an object with its required fields, or with its first field if none is required.
fn least_object(schema: &Value) -> Value {
    let required: Vec<&str> = required(schema).collect();
    let all = schema["properties"].as_object().into_iter().flatten();
    let wanted = all
        .clone()
        .filter(|(name, _)| required.contains(&name.as_str()));
    let wanted: Vec<_> = if required.is_empty() {
        all.take(1).collect()
    } else {
        wanted.collect()
    };
    let fields = wanted
        .into_iter()
        .map(|(name, schema)| (name.clone(), least(schema)));
    Value::Object(fields.collect::<Map<_, _>>())
}

/// Returns the names of the required fields.
pub(super) fn required(schema: &Value) -> impl Iterator<Item = &str> {
    let names = schema["required"].as_array().into_iter().flatten();
    names.filter_map(Value::as_str)
}

/// The formats of strings that the API server validates, each with two valid texts.
const FORMATTED: &[(&str, [&str; 2])] = &[
    ("byte", ["dG9ydHVyZQ==", "cnVzdG9w"]),
    ("cidr", ["192.0.2.0/24", "198.51.100.0/25"]),
    ("date", ["2020-01-02", "2021-03-04"]),
    (
        "date-time",
        ["2020-01-02T03:04:05Z", "2021-03-04T05:06:07Z"],
    ),
    ("datetime", ["2020-01-02T03:04:05Z", "2021-03-04T05:06:07Z"]),
    ("duration", ["7s", "9m"]),
    ("email", ["torture@example.com", "rustop@example.com"]),
    ("hexcolor", ["#0a1b2c", "#c0ffee"]),
    ("hostname", ["torture.example.com", "rustop.example.com"]),
    ("ipv4", ["192.0.2.7", "192.0.2.9"]),
    ("ipv6", ["2001:db8::7", "2001:db8::9"]),
    (
        "k8s-long-name",
        ["torture.example.com", "rustop.example.com"],
    ),
    ("k8s-short-name", ["torture", "rustop"]),
    ("mac", ["02:00:5e:10:00:07", "02:00:5e:10:00:09"]),
    (
        "uri",
        ["https://example.com/torture", "https://example.com/rustop"],
    ),
    ("uuid", UUIDS),
    ("uuid4", UUIDS),
];

const UUIDS: [&str; 2] = [
    "7c9b7c1a-3f55-4f0e-9a59-3d2d2f9f7a10",
    "0e1f5c52-6a0b-4b4e-8f38-1c5d9c3a2b47",
];

/// The maximum number of additional repetitions in a pattern.
const MOST_REPETITIONS: u32 = 64;

/// Returns texts that a schema without an enum allows, those of its format or pattern if it has
/// one. There are at most two.
fn allowed_texts(schema: &Value) -> Vec<String> {
    if let Some(texts) = formatted(schema) {
        return texts.map(str::to_owned).into();
    }
    let texts: Vec<_> = match schema["pattern"].as_str() {
        Some(pattern) => (0..=MOST_REPETITIONS)
            .filter_map(|more| matching_text(pattern, more))
            .collect(),
        None => vec![of_length(schema, "torture")],
    };
    let mut allowed = Vec::new();
    for text in texts {
        let is_new = !text.is_empty() && !allowed.contains(&text);
        if is_new && is_allowed(schema, &text) && allowed.len() < 2 {
            allowed.push(text);
        }
    }
    allowed
}

/// Returns the texts of the format of a schema; `None` if it has no format that is known.
fn formatted(schema: &Value) -> Option<[&'static str; 2]> {
    let mut known = FORMATTED.iter();
    let known = known.find(|(format, _)| schema["format"] == *format);
    known.map(|(_, texts)| *texts)
}

/// Returns a text that is repeated or cut to the lengths of a schema.
fn of_length(schema: &Value, text: &str) -> String {
    let [least, most] = lengths(schema);
    let length = text.len().max(least).min(most);
    text.chars().cycle().take(length).collect()
}

/// Returns the minimum and maximum length of a string.
fn lengths(schema: &Value) -> [usize; 2] {
    let length = |bound: &str| schema[bound].as_u64().map(|it| it.try_into().ok());
    [
        length("minLength").flatten().unwrap_or(0),
        length("maxLength").flatten().unwrap_or(usize::MAX),
    ]
}

/// Reports whether a text has the length and the pattern of a schema. The API server checks the
/// patterns that Rust's `regex` does not support.
fn is_allowed(schema: &Value, text: &str) -> bool {
    let [least, most] = lengths(schema);
    let pattern = schema["pattern"].as_str();
    let pattern = pattern.and_then(|pattern| Regex::new(pattern).ok());
    (least..=most).contains(&text.chars().count())
        && pattern.is_none_or(|pattern| pattern.is_match(text))
}

/// Returns one text that a schema allows, as far as that can be derived.
fn text(schema: &Value) -> String {
    let mut allowed = allowed_texts(schema).into_iter();
    allowed.next().unwrap_or_else(|| "torture".to_owned())
}

/// Returns the values that a string may have in addition to its current one: the default, a longer
/// and a shorter text, texts of its pattern or format, and at last an awkward text if it has
/// neither of them.
fn texts(schema: &Value, value: Option<&str>) -> Vec<String> {
    let is_formatted = formatted(schema).is_some();
    let is_free = !is_formatted && schema["pattern"].is_null();
    let own = value.filter(|_| !is_formatted);
    let longer = own.map(|text| format!("{text}x"));
    let shorter = own.filter(|text| text.len() > 1).map(|text| {
        let length = text.chars().count() - 1;
        text.chars().take(length).collect()
    });
    let derived = (own.is_none() || !is_free).then(|| allowed_texts(schema));
    let awkward = is_free.then(|| AWKWARD.to_owned());
    let all = schema["default"].as_str().map(str::to_owned).into_iter();
    let all = all.chain(longer).chain(shorter);
    let all = all.chain(derived.into_iter().flatten()).chain(awkward);
    let mut texts = Vec::new();
    for text in all {
        let is_new = Some(text.as_str()) != value && !texts.contains(&text);
        if is_new && is_allowed(schema, &text) {
            texts.push(text);
        }
    }
    texts
}

/// Returns a longer, a shorter, a reversed, and an empty list.
fn lists(schema: &Value, value: Option<&Value>) -> Vec<(&'static str, Value)> {
    let items = value.and_then(Value::as_array).cloned().unwrap_or_default();
    let mut lists = Vec::new();
    if let Some(last) = items.last() {
        let mut more = items.clone();
        more.push(another(&schema["items"], last));
        lists.push(("has one more", json!(more)));
        lists.push(("has one less", json!(items[..items.len() - 1])));
        let turned: Vec<_> = items.iter().rev().cloned().collect();
        lists.push(("is in another order", json!(turned)));
        lists.push(("is empty", json!([])));
    } else {
        lists.push(("has one", json!([least(&schema["items"])])));
    }
    lists
}

/// Returns another value for an item of a list or map: a copy with another name if it is an object.
fn another(schema: &Value, item: &Value) -> Value {
    let mut choices = schema["enum"].as_array().into_iter().flatten();
    if let Some(choice) = choices.find(|choice| *choice != item) {
        return choice.clone();
    }
    match item {
        Value::String(text) => {
            let mut allowed = texts(schema, Some(text)).into_iter();
            json!(allowed.next().unwrap_or_else(|| format!("{text}x")))
        }
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
                map[&name] = another(&schema["properties"][&name], &map[&name]);
            }
            Value::Object(map)
        }
        other => other.clone(),
    }
}

/// Returns a map with one more key, with another value, and with one key less.
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
    if let Some(value) =
        of_schema.or_else(|| sample.as_ref().map(|value| another(of_values, value)))
    {
        let mut more = map.clone();
        more.insert("torture".into(), value);
        maps.push(("has a key more", Value::Object(more)));
    }
    if let Some((key, value)) = map.iter().next() {
        let mut changed = map.clone();
        changed[key] = another(of_values, value);
        maps.push(("has another value", Value::Object(changed)));
        let mut less = map.clone();
        less.remove(key);
        maps.push(("has a key less", Value::Object(less)));
    }
    maps
}

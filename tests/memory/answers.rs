//! Answers without what is another with each run.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::Value;

/// Fields whose values are generated.
const GENERATED: [&str; 8] = [
    "continue",
    "creationTimestamp",
    "deletionTimestamp",
    "lastTransitionTime",
    "resourceVersion",
    "selfLink",
    "time",
    "uid",
];

/// Puts names in the place of what is generated. `kept` values have theirs.
pub fn without_what_is_generated(mut answer: Value, kept: &BTreeMap<String, String>) -> Value {
    let uid = Regex::new("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").unwrap();
    let time = Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ").unwrap();
    let version = Regex::new(r"(resource version:|precondition|record) \(?\d+\)?").unwrap();
    walk(&mut answer, &|text| {
        let mut text = text.to_owned();
        for (name, value) in kept.iter().filter(|(_, value)| value.len() > 8) {
            text = text.replace(value, &format!("<{name}>"));
        }
        let text = uid.replace_all(&text, "<uid>");
        let text = time.replace_all(&text, "<time>");
        version.replace_all(&text, "$1 <version>").into_owned()
    });
    answer
}

fn walk(value: &mut Value, rewritten: &dyn Fn(&str) -> String) {
    match value {
        Value::Object(map) => {
            // Only Go's types show which structs exist although they are empty, so the owners of
            // such fields are not compared.
            if map
                .get("operation")
                .is_some_and(|operation| operation == "Update")
            {
                let fields = map.get_mut("fieldsV1");
                fields.into_iter().for_each(without_dots);
            }
            for (name, value) in map.iter_mut() {
                let is_generated = GENERATED.contains(&name.as_str());
                if is_generated && value.as_str().is_some_and(|text| !text.is_empty()) {
                    *value = format!("<{name}>").into();
                } else {
                    walk(value, rewritten);
                }
            }
            // `k:{"uid":".."}`, say
            let renamed = map
                .iter()
                .map(|(name, value)| (rewritten(name), value.clone()));
            *map = renamed.collect();
            map.sort_keys();
        }
        Value::Array(items) => {
            for item in items.iter_mut() {
                walk(item, rewritten);
            }
            // Their order follows from the second in which they were made, or from nothing at all.
            if items
                .iter()
                .all(|item| item.get("fieldsV1").or(item.get("field")).is_some())
            {
                items.sort_by_cached_key(Value::to_string);
            }
        }
        Value::String(text) => *text = rewritten(text),
        _ => {}
    }
}

fn without_dots(fields: &mut Value) {
    if let Value::Object(map) = fields {
        map.remove(".");
        map.values_mut().for_each(without_dots);
    }
}

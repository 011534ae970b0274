//! The changes of a defaulter as a JSON patch (RFC 6902).
//!
//! The patch is the difference between the typed object before and after the defaulter, applied to
//! the JSON that the API server sent. So fields that the Rust type does not have are preserved, and
//! a field that the type merely serializes in another way is not changed.

use serde::Serialize;
use serde_json::Value;

/// One operation of a JSON patch. Each `path` is a JSON pointer, such as `/spec/replicas`.
#[derive(Debug, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub(crate) enum JsonPatchStep {
    Add { path: String, value: Value },
    Replace { path: String, value: Value },
    Remove { path: String },
}

/// Returns the operations that apply the difference between `before` and `after` to `sent`. Lists
/// of the same length are compared item by item; a list whose length changes is replaced.
pub(super) fn between(sent: &Value, before: &Value, after: &Value) -> Vec<JsonPatchStep> {
    let mut steps = Vec::new();
    compare(String::new(), sent, before, after, &mut steps);
    steps
}

fn compare(
    path: String,
    sent: &Value,
    before: &Value,
    after: &Value,
    steps: &mut Vec<JsonPatchStep>,
) {
    if before == after {
        return;
    }
    match (sent, before, after) {
        (Value::Object(sent), Value::Object(before), Value::Object(after)) => {
            for key in before.keys().filter(|key| !after.contains_key(*key)) {
                if sent.contains_key(key) {
                    steps.push(JsonPatchStep::Remove {
                        path: below(&path, key),
                    });
                }
            }
            for (key, value) in after {
                let path = below(&path, key);
                let before = before.get(key);
                match sent.get(key) {
                    Some(sent) => {
                        compare(path, sent, before.unwrap_or(&Value::Null), value, steps);
                    }
                    // the type serializes this field, but the defaulter did not change it
                    None if before == Some(value) => {}
                    None => steps.push(JsonPatchStep::Add {
                        path,
                        value: value.clone(),
                    }),
                }
            }
        }
        (Value::Array(sent), Value::Array(before), Value::Array(after))
            if sent.len() == after.len() && before.len() == after.len() =>
        {
            for (index, value) in after.iter().enumerate() {
                let path = below(&path, &index.to_string());
                compare(path, &sent[index], &before[index], value, steps);
            }
        }
        _ => steps.push(JsonPatchStep::Replace {
            path,
            value: after.clone(),
        }),
    }
}

/// Returns the JSON pointer of the field or item `key` inside `path`.
fn below(path: &str, key: &str) -> String {
    format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn steps(sent: &Value, before: &Value, after: &Value) -> Value {
        serde_json::to_value(between(sent, before, after)).unwrap()
    }

    #[test]
    fn each_addition_change_and_removal_is_one_step() {
        let sent = json!({"spec": {"a": 1, "b": {"c": 2}, "d": 3}});
        let after = json!({"spec": {"a": 1, "b": {"c": 9}, "e": {"f": 4}}});
        assert_eq!(
            steps(&sent, &sent, &after),
            json!([
                {"op": "remove", "path": "/spec/d"},
                {"op": "replace", "path": "/spec/b/c", "value": 9},
                {"op": "add", "path": "/spec/e", "value": {"f": 4}}
            ])
        );
    }

    #[test]
    fn fields_unknown_to_the_type_stay() {
        let sent = json!({"spec": {"known": 1, "new": true, "list": [{"name": "a", "x": 1}]}});
        let before = json!({"spec": {"known": 1, "list": [{"name": "a"}]}});
        let after = json!({"spec": {"known": 2, "list": [{"name": "b"}]}});
        assert_eq!(
            steps(&sent, &before, &after),
            json!([
                {"op": "replace", "path": "/spec/known", "value": 2},
                {"op": "replace", "path": "/spec/list/0/name", "value": "b"}
            ])
        );
    }

    #[test]
    fn values_that_the_type_normalizes_are_not_changed() {
        let sent = json!({"cpu": "0.5"});
        let typed = json!({"cpu": "500m", "ports": []});
        assert_eq!(steps(&sent, &typed, &typed), json!([]));
    }

    #[test]
    fn a_missing_parent_field_is_added_completely() {
        let (sent, before) = (json!({}), json!({"status": {"a": 1}}));
        let after = json!({"status": {"a": 1, "b": 2}});
        assert_eq!(
            steps(&sent, &before, &after),
            json!([{"op": "add", "path": "/status", "value": {"a": 1, "b": 2}}])
        );
    }

    #[test]
    fn a_list_of_another_length_is_replaced() {
        let (sent, after) = (json!({"l": [1, 2]}), json!({"l": [1, 2, 3]}));
        assert_eq!(
            steps(&sent, &sent, &after),
            json!([{"op": "replace", "path": "/l", "value": [1, 2, 3]}])
        );
    }

    #[test]
    fn keys_are_escaped() {
        let (sent, after) = (json!({"a": {}}), json!({"a": {"x/y~z": "1"}}));
        let all = steps(&sent, &sent, &after);
        assert_eq!(all[0]["path"], "/a/x~1y~0z");
    }
}

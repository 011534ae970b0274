//! Operations on values and their schemas: parts, validation, fields that may be added or omitted.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps as Schema, JSONSchemaPropsOrArray as Items, JSONSchemaPropsOrBool as Additional,
};
use serde_json::{Map, Value};

/// The converted parts of an object. All other parts are the same in every version.
pub(super) const PARTS: [&str; 2] = ["spec", "status"];

/// Returns the schema of the field `key` of an object, or of the values of a map. `None` if
/// `schema` is `None` or does not describe it.
pub(super) fn below<'a>(schema: Option<&'a Schema>, key: &str) -> Option<&'a Schema> {
    let schema = schema?;
    let property = schema.properties.as_ref().and_then(|all| all.get(key));
    property.or(match &schema.additional_properties {
        Some(Additional::Schema(each)) => Some(&**each),
        _ => None,
    })
}

/// Returns the schema of the items of a list. `None` if `schema` is `None` or does not describe
/// them.
pub(super) fn each(schema: Option<&Schema>) -> Option<&Schema> {
    match schema?.items.as_ref()? {
        Items::Schema(each) => Some(each),
        Items::Schemas(_) => None,
    }
}

pub(super) fn is_required(schema: &Schema, name: &str) -> bool {
    let mut required = schema.required.iter().flatten();
    required.any(|required| required == name)
}

/// Returns true if an API server certainly rejects a value. The API server has more rules, so it
/// may reject others, too.
pub(crate) fn refuses(schema: &Schema, value: &Value) -> bool {
    if value.is_null() {
        // the API server omits nulls or replaces them by a default
        return false;
    }
    let choices = schema.enum_.as_ref();
    let is_chosen = choices.is_none_or(|all| all.iter().any(|choice| choice.0 == *value));
    !is_chosen || !is_of_type(schema, value) || is_out_of_bounds(schema, value) || {
        let schema = Some(schema);
        match value {
            Value::Array(items) => each(schema).is_some_and(|each| any(items, each)),
            Value::Object(fields) => fields.iter().any(|(key, value)| {
                below(schema, key).is_some_and(|schema| refuses(schema, value))
            }),
            _ => false,
        }
    }
}

/// Returns true if an API server certainly rejects one of the items.
fn any(items: &[Value], schema: &Schema) -> bool {
    items.iter().any(|item| refuses(schema, item))
}

fn is_of_type(schema: &Schema, value: &Value) -> bool {
    let is_integer =
        value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0);
    if schema.x_kubernetes_int_or_string == Some(true) {
        return is_integer || value.is_string();
    }
    match schema.type_.as_deref() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("number") => value.is_number(),
        Some("integer") => is_integer,
        _ => true,
    }
}

fn is_out_of_bounds(schema: &Schema, value: &Value) -> bool {
    let length = |length: usize, least: Option<i64>, most: Option<i64>| {
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        least.is_some_and(|least| length < least) || most.is_some_and(|most| length > most)
    };
    match value {
        Value::Number(number) => number.as_f64().is_some_and(|number| {
            let is_exclusive = |exclusive: Option<bool>| exclusive == Some(true);
            schema.minimum.is_some_and(|least| {
                number < least || is_exclusive(schema.exclusive_minimum) && number <= least
            }) || schema.maximum.is_some_and(|most| {
                number > most || is_exclusive(schema.exclusive_maximum) && number >= most
            })
        }),
        Value::String(text) => length(text.chars().count(), schema.min_length, schema.max_length),
        Value::Array(items) => length(items.len(), schema.min_items, schema.max_items),
        Value::Object(fields) => {
            let has = |name: &String| fields.get(name).is_some_and(|value| !value.is_null());
            let has_default =
                |name: &str| below(Some(schema), name).is_some_and(|field| field.default.is_some());
            let mut required = schema.required.iter().flatten();
            required.any(|name| !has(name) && !has_default(name))
        }
        _ => false,
    }
}

/// Returns the least and the greatest integer between the `minimum` and the `maximum` of a schema.
pub(super) fn integer_bounds(schema: &Schema) -> (Option<i64>, Option<i64>) {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "rounded, and the range of an i64 is enough"
    )]
    let round = |bound: f64| bound as i64;
    let least = schema.minimum.map(|least| match schema.exclusive_minimum {
        Some(true) => round(least.floor()).saturating_add(1),
        _ => round(least.ceil()),
    });
    let most = schema.maximum.map(|most| match schema.exclusive_maximum {
        Some(true) => round(most.ceil()).saturating_sub(1),
        _ => round(most.floor()),
    });
    (least, most)
}

/// Removes every field that is null but not nullable. A null in a field without a schema is kept,
/// because it may have a meaning.
pub(super) fn remove_nulls(schema: Option<&Schema>, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|key, value| {
                let Some(field) = below(schema, key) else {
                    return true;
                };
                remove_nulls(Some(field), value);
                !value.is_null() || field.nullable == Some(true)
            });
        }
        Value::Array(items) => {
            for item in items {
                remove_nulls(each(schema), item);
            }
        }
        _ => {}
    }
}

/// Removes list items that lack one of the fields in `x-kubernetes-list-map-keys` of the schema.
/// The API server cannot merge such items.
pub(super) fn remove_keyless(schema: Option<&Schema>, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                remove_keyless(below(schema, key), value);
            }
        }
        Value::Array(items) => {
            let keys = schema.and_then(|schema| schema.x_kubernetes_list_map_keys.as_ref());
            let is_whole = |item: &Value| {
                let mut keys = keys.into_iter().flatten();
                keys.all(|key| item.get(key).is_some())
            };
            items.retain(is_whole);
            for item in items {
                remove_keyless(each(schema), item);
            }
        }
        _ => {}
    }
}

/// Returns true if the value is or contains an empty value, such as an empty list or null.
pub(super) fn has_empty(value: &Value) -> bool {
    is_empty(value)
        || match value {
            Value::Object(fields) => fields.values().any(has_empty),
            _ => false,
        }
}

/// Adds empty values of `was` to its conversion `became`, if the type of `was` omits them and
/// `schema`, the schema of the other version, allows them. `normal` is `was` as its type serializes
/// it.
pub(super) fn carry(was: &Value, normal: &Value, schema: Option<&Schema>, became: &mut Value) {
    let (Value::Object(was), Value::Object(became)) = (was, became) else {
        return;
    };
    for (key, was) in was {
        let Some(schema) = below(schema, key) else {
            continue;
        };
        match (normal.get(key), became.get_mut(key)) {
            (None, None) if is_empty(was) && accepts(schema, was) => {
                became.insert(key.clone(), was.clone());
            }
            (Some(normal), Some(became)) => carry(was, normal, Some(schema), became),
            _ => {}
        }
    }
}

fn accepts(schema: &Schema, value: &Value) -> bool {
    if value.is_null() {
        schema.nullable == Some(true)
    } else {
        schema.type_.is_some() && !refuses(schema, value)
    }
}

/// Returns the fields and list items that two values have in common. `None` if there are none.
pub(super) fn common(a: Value, b: &Value) -> Option<Value> {
    if a == *b {
        return Some(a);
    }
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let both = a.into_iter().filter_map(|(key, value)| {
                let value = common(value, b.get(&key)?)?;
                Some((key, value))
            });
            let both: Map<_, _> = both.collect();
            (!both.is_empty()).then_some(Value::Object(both))
        }
        (Value::Array(a), Value::Array(b)) => {
            let both: Vec<_> = if a.len() == b.len() {
                let pairs = a.into_iter().zip(b);
                pairs.filter_map(|(a, b)| common(a, b)).collect()
            } else {
                a.into_iter().filter(|item| b.contains(item)).collect()
            };
            (!both.is_empty()).then_some(Value::Array(both))
        }
        _ => None,
    }
}

/// Returns true for values that a type may omit when it is serialized.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(is) => !is,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

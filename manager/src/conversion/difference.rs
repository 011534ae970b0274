//! The differences between a value and the result of its round trip, field by field, including the
//! items of lists.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps as Schema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::shape::{below, each};

/// A field that a conversion to another version and back changes. Its JSON is the value of the
/// annotation that preserves the field.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Difference {
    /// The path of the field as a JSON pointer, for example `/spec/volume`. An item of a list is
    /// identified by its key instead of its index, as in managed fields:
    /// `/spec/users/k:{"name":"jane"}/role`.
    pub path: String,
    /// The original value. `None` if the field was missing.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub was: Option<Value>,
    /// The value after the round trip. `None` if the field is missing then.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub became: Option<Value>,
}

/// Deserializes a field that is present. It may be null.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Difference {
    /// Restores the original value in `object`, the spec and status after the conversion back,
    /// unless the field was changed or its parent was removed in the meantime. A missing parent is
    /// created in an object that is not `whole`, because server-side apply may have removed only a
    /// part of it; but not for a field of a list item.
    pub fn undo(&self, object: &mut Value, whole: bool) {
        let Some((parents, name)) = self.path.rsplit_once('/') else {
            return;
        };
        let mut parents = parents.split('/').skip(1);
        // lists are not created
        let whole = whole || self.path.contains("/k:");
        let down = |object, part| step(object, part, whole);
        let Some(Value::Object(fields)) = parents.try_fold(object, down) else {
            return;
        };
        let name = unescaped(name);
        let is = fields.get(&name).filter(|is| !is.is_null());
        let became = self.became.as_ref().filter(|became| !became.is_null());
        if !same(is, became) {
            return;
        }
        match &self.was {
            Some(was) => fields.insert(name, was.clone()),
            None => fields.remove(&name),
        };
    }

    /// Returns the elements of the path. Those of list items start with `k:` or `i:`.
    pub fn parts(&self) -> impl Iterator<Item = String> {
        self.path.split('/').skip(1).map(unescaped)
    }

    /// Returns a readable path, for example `spec.users[name=jane].role`, for messages and for
    /// names of annotations.
    pub fn dotted(&self) -> String {
        let mut dotted = String::new();
        for part in self.parts() {
            let key = part.strip_prefix("k:").map(serde_json::from_str);
            if let Some(Ok(key)) = key {
                let key: Map<String, Value> = key;
                let texts = key.iter().map(|(name, value)| match value {
                    Value::String(text) => format!("{name}={text}"),
                    value => format!("{name}={value}"),
                });
                dotted = format!("{dotted}[{}]", texts.collect::<Vec<_>>().join(","));
            } else if dotted.is_empty() {
                dotted = part;
            } else {
                dotted = format!("{dotted}.{part}");
            }
        }
        dotted
    }
}

/// Follows one element of a path, a field name or the key of a list item. Creates a missing object
/// unless `whole`. `None` if the element does not exist.
fn step<'a>(value: &'a mut Value, part: &str, whole: bool) -> Option<&'a mut Value> {
    let part = unescaped(part);
    match value {
        Value::Object(fields) => {
            if !whole && !fields.contains_key(&part) {
                fields.insert(part.clone(), Map::new().into());
            }
            fields.get_mut(&part)
        }
        Value::Array(items) => {
            let key: Map<String, Value> = serde_json::from_str(part.strip_prefix("k:")?).ok()?;
            let is_it = |item: &&mut Value| {
                key.iter()
                    .all(|(name, value)| item.get(name) == Some(value))
            };
            items.iter_mut().find(is_it)
        }
        _ => None,
    }
}

/// The way in which list items are identified.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Items {
    /// By their keys, which stay the same when other items are added or removed. A list whose items
    /// have no keys is compared as a whole.
    Keyed,
    /// By their keys, in an object that may be incomplete. For a missing object, each of its fields
    /// is reported, because each may belong to another applier of server-side apply.
    InFlight,
    /// By their index.
    Indexed,
}

/// Returns the differences between `was` and `became`. `normal` is `was` as its own type serializes
/// it. A field that only its type serializes differently, such as 2 as "2", is not a difference.
/// `schema` is that of the values, which names the keys of list items.
pub(super) fn differences(
    was: &Value,
    normal: &Value,
    became: &Value,
    schema: Option<&Schema>,
    items: Items,
) -> Vec<Difference> {
    let mut search = Search {
        items,
        found: Vec::new(),
    };
    search.compare("", [Some(was), Some(normal), Some(became)], schema);
    search.found
}

struct Search {
    items: Items,
    found: Vec<Difference>,
}

/// The original value of a field, its value as serialized by its type, and its value after the
/// round trip.
type Three<'a> = [Option<&'a Value>; 3];

impl Search {
    /// Adds the differences at `path` and below it.
    fn compare(&mut self, path: &str, three: Three<'_>, schema: Option<&Schema>) {
        let [was, normal, became] = three;
        match (was, became) {
            _ if same(was, became) => {}
            (Some(Value::Object(old)), Some(Value::Object(new))) => {
                let added = new.keys().filter(|key| !old.contains_key(*key));
                for key in old.keys().chain(added) {
                    let normal = normal.and_then(|normal| normal.get(key));
                    let path = format!("{path}/{}", escaped(key));
                    let schema = below(schema, key);
                    self.compare(&path, [old.get(key), normal, new.get(key)], schema);
                }
            }
            (Some(Value::Array(old)), Some(Value::Array(new))) if old.len() == new.len() => {
                let found = self.list(path, (old, normal, new), schema);
                match found {
                    Some(found) => self.found.extend(found),
                    None => self.add(path, three),
                }
            }
            (Some(Value::Object(old)), None)
                if self.items == Items::InFlight && !old.is_empty() =>
            {
                for (key, old) in old {
                    let normal = normal.and_then(|normal| normal.get(key));
                    let path = format!("{path}/{}", escaped(key));
                    self.compare(&path, [Some(old), normal, None], below(schema, key));
                }
            }
            _ if normal.is_some() && same(normal, became) => {}
            _ => self.add(path, three),
        }
    }

    /// Returns the differences in the items of a list. `None` if items differ but cannot be
    /// identified.
    fn list(
        &self,
        path: &str,
        (old, normal, new): (&[Value], Option<&Value>, &[Value]),
        schema: Option<&Schema>,
    ) -> Option<Vec<Difference>> {
        let keys = match self.items {
            Items::Keyed | Items::InFlight => keys(old, new, schema),
            Items::Indexed => None,
        };
        let normal = normal.and_then(Value::as_array);
        let normal = normal.filter(|normal| normal.len() == old.len());
        let mut inside = Self {
            items: self.items,
            found: Vec::new(),
        };
        for (index, (old, new)) in old.iter().zip(new).enumerate() {
            let part = match &keys {
                Some(keys) => format!("k:{}", keys[index]),
                None => format!("i:{index}"),
            };
            let normal = normal.map(|normal| &normal[index]);
            let path = format!("{path}/{}", escaped(&part));
            inside.compare(&path, [Some(old), normal, Some(new)], each(schema));
        }
        let is_identified =
            keys.is_some() || self.items == Items::Indexed || inside.found.is_empty();
        is_identified.then_some(inside.found)
    }

    fn add(&mut self, path: &str, [was, _, became]: Three<'_>) {
        self.found.push(Difference {
            path: path.to_owned(),
            was: was.cloned(),
            became: became.cloned(),
        });
    }
}

/// Returns the keys of the list items as JSON objects, such as `{"name":"jane"}`: the fields named
/// in `x-kubernetes-list-map-keys` of the schema, or else the name. `None` unless every item has a
/// unique key that is the same in both lists.
fn keys(old: &[Value], new: &[Value], schema: Option<&Schema>) -> Option<Vec<String>> {
    let name = vec!["name".to_owned()];
    let names = schema.and_then(|schema| schema.x_kubernetes_list_map_keys.as_ref());
    let names = names.unwrap_or(&name);
    let key = |item: &Value| {
        let fields = names.iter().map(|name| {
            let value = item.get(name)?;
            let is_one = !value.is_object() && !value.is_array() && !value.is_null();
            is_one.then(|| (name.clone(), value.clone()))
        });
        let key: Map<String, Value> = fields.collect::<Option<_>>()?;
        Some(Value::Object(key).to_string())
    };
    let keys: Vec<_> = old.iter().map(key).collect::<Option<_>>()?;
    let are_still: Option<Vec<_>> = new.iter().map(key).collect();
    let distinct: std::collections::BTreeSet<_> = keys.iter().collect();
    (are_still.as_ref() == Some(&keys) && distinct.len() == keys.len()).then_some(keys)
}

/// Returns true if two values are equal. Numbers are compared by value, so 1 is equal to 1.0.
fn same(a: Option<&Value>, b: Option<&Value>) -> bool {
    match (a, b) {
        (Some(Value::Number(a)), Some(Value::Number(b))) => {
            a == b || ((a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64())
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) => {
            let mut pairs = a.iter().zip(b);
            a.len() == b.len() && pairs.all(|(a, b)| same(Some(a), Some(b)))
        }
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            // compares each pair once: twice would take exponential time in the depth
            let mut fields = a.iter();
            a.len() == b.len() && fields.all(|(key, a)| same(Some(a), b.get(key)))
        }
        (a, b) => a == b,
    }
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn unescaped(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

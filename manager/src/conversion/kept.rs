//! What a version cannot hold, in annotations until the way back.
//!
//! Each field has an annotation of its own, `v1.webhook-conversion/spec.volume`. Server-side apply takes an
//! annotation for one thing: were all fields in one, none could be taken out of it by an applier that does
//! not apply it any more.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// What stands between the version and the field in the annotation's name.
const PREFIX: &str = ".webhook-conversion/";
/// The longest that may stand behind a slash.
const LONGEST_NAME: usize = 63;
/// The API server takes so many bytes in all annotations of an object together.
/// <https://kubernetes.io/docs/concepts/overview/working-with-objects/annotations/>
const MOST: usize = 256 * 1024;

/// A field that the way to another version and back changes. Null is a field that is not there.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Difference {
    /// Where in the object, as a JSON pointer: `/spec/volume`.
    pub path: String,
    /// What it was.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub was: Value,
    /// What came back.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub became: Value,
}

/// All that is kept of an object, by the version that it is a part of.
#[derive(Debug, Default)]
pub(super) struct Kept(BTreeMap<String, Vec<Difference>>);

impl Kept {
    /// Takes it off an object.
    pub fn take(object: &mut Map<String, Value>) -> Self {
        let annotations = object
            .get_mut("metadata")
            .and_then(|metadata| metadata.get_mut("annotations"));
        let mut kept = Self::default();
        let Some(annotations) = annotations.and_then(Value::as_object_mut) else {
            return kept;
        };
        annotations.retain(|name, value| {
            let Some((version, _)) = name.split_once(PREFIX) else {
                return true;
            };
            match serde_json::from_str(value.as_str().unwrap_or_default()) {
                Ok(one) => kept.0.entry(version.to_owned()).or_default().push(one),
                Err(error) => {
                    tracing::warn!("somebody broke the annotation {name}, it is lost: {error}");
                }
            }
            false
        });
        kept
    }

    /// Puts it onto an object, if there is any.
    ///
    /// # Errors
    /// When it is too much for annotations.
    pub fn put(&self, object: &mut Map<String, Value>) -> Result<(), String> {
        let metadata = object
            .entry("metadata")
            .or_insert_with(|| json!({}))
            .as_object_mut();
        let Some(metadata) = metadata else {
            return Err("`metadata` is no object".to_owned());
        };
        if !self.0.is_empty() {
            let annotations = metadata.entry("annotations").or_insert(Value::Null);
            if annotations.is_null() {
                *annotations = json!({});
            }
            for (version, one) in self.all() {
                annotations[name(version, &one.path)] = json!(one).to_string().into();
            }
        }
        let Some(annotations) = metadata.get("annotations").and_then(Value::as_object) else {
            return Ok(());
        };
        if annotations.is_empty() {
            metadata.remove("annotations");
            return Ok(());
        }
        let length =
            |(key, value): (&String, &Value)| key.len() + value.as_str().map_or(0, str::len);
        let bytes: usize = annotations.iter().map(length).sum();
        if self.0.is_empty() || bytes <= MOST {
            return Ok(());
        }
        Err(format!(
            "annotations would have {bytes} bytes and may have {MOST}: the most of it is to keep {}, for which the version has no place",
            self.largest()
        ))
    }

    /// Makes the fields of `version` what they were, but for those that somebody changed since.
    pub fn restore(&mut self, version: &str, object: &mut Value) {
        for Difference { path, was, became } in self.0.remove(version).unwrap_or_default() {
            let Some((parent, name)) = path.rsplit_once('/') else {
                continue;
            };
            let parent = object.pointer_mut(parent).and_then(Value::as_object_mut);
            let name = unescaped(name);
            let Some(parent) = parent else { continue };
            let is = parent.get(&name).unwrap_or(&Value::Null);
            if !same(is, &became, Value::is_null) {
                continue;
            }
            if was.is_null() {
                parent.remove(&name);
            } else {
                parent.insert(name, was);
            }
        }
    }

    /// Keeps what is lost of `version`.
    pub fn remember(&mut self, version: &str, lost: Vec<Difference>) {
        if lost.is_empty() {
            self.0.remove(version);
        } else {
            self.0.insert(version.to_owned(), lost);
        }
    }

    /// What is kept of `version`.
    pub fn of(&self, version: &str) -> &[Difference] {
        self.0.get(version).map_or(&[], Vec::as_slice)
    }

    fn all(&self) -> impl Iterator<Item = (&String, &Difference)> {
        let all = self.0.iter();
        all.flat_map(|(version, kept)| kept.iter().map(move |one| (version, one)))
    }

    fn largest(&self) -> String {
        let largest = self.all().max_by_key(|(_, one)| one.was.to_string().len());
        largest.map_or_else(String::new, |(version, one)| {
            format!("`{}` of {version}", dotted(&one.path))
        })
    }
}

/// Where a value differs from what came back of it, as deep as both are objects. `normal` is what its own
/// type makes of the value: where the type cannot tell an empty list from none, nothing is lost.
pub(super) fn differences(was: &Value, normal: &Value, became: &Value) -> Vec<Difference> {
    fn find(path: &str, was: &Value, normal: &Value, became: &Value, found: &mut Vec<Difference>) {
        let (Value::Object(old), Value::Object(new)) = (was, became) else {
            let is_told = !same(normal, became, Value::is_null) || !same(was, became, is_empty);
            if is_told && !same(was, became, Value::is_null) {
                found.push(Difference {
                    path: path.to_owned(),
                    was: was.clone(),
                    became: became.clone(),
                });
            }
            return;
        };
        let added = new.keys().filter(|key| !old.contains_key(*key));
        for key in old.keys().chain(added) {
            let (old, new) = (&was[key.as_str()], &became[key.as_str()]);
            let normal = normal.get(key).unwrap_or(&Value::Null);
            find(&format!("{path}/{}", escaped(key)), old, normal, new, found);
        }
    }
    let mut found = Vec::new();
    find("", was, normal, became, &mut found);
    found
}

/// Whether two values say the same: 1 is 1.0, and a field is none when `is_nothing` says so of its value.
fn same(a: &Value, b: &Value, is_nothing: fn(&Value) -> bool) -> bool {
    match (a, b) {
        (a, b) if is_nothing(a) && is_nothing(b) => true,
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            let mut pairs = a.iter().zip(b);
            a.len() == b.len() && pairs.all(|(a, b)| same(a, b, is_nothing))
        }
        (Value::Object(x), Value::Object(y)) => {
            let mut keys = x.keys().chain(y.keys());
            keys.all(|key| same(&a[key.as_str()], &b[key.as_str()], is_nothing))
        }
        _ => a == b,
    }
}

/// What a type may leave out when it is written.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(is) => !is,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

/// The name of the annotation for a field. Where its path is too long or has characters that no name may
/// have, a part of it and a hash have to do: the whole path is in the value.
fn name(version: &str, path: &str) -> String {
    let field = dotted(path);
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let is_name = field.len() <= LONGEST_NAME
        && field.chars().all(fits)
        && field.ends_with(|c: char| c.is_ascii_alphanumeric());
    if is_name {
        return format!("{version}{PREFIX}{field}");
    }
    let mut hasher = DefaultHasher::new();
    field.hash(&mut hasher);
    let start: String = field.chars().filter(|c| fits(*c)).take(40).collect();
    format!("{version}{PREFIX}{start}-{:016x}", hasher.finish())
}

/// `spec.volume`, for people.
pub(super) fn dotted(path: &str) -> String {
    let parts = path.split('/').skip(1).map(unescaped);
    parts.collect::<Vec<_>>().join(".")
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn unescaped(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

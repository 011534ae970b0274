//! Field sets, as in `managedFields`: the fields of an object, and the difference between two
//! objects.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::shape::{List, Shape, path_element};

/// A set of fields, as a tree of path elements, as in `fieldsV1`: `f:<name>` for a field,
/// `k:<keys>` for a list item with its keys as JSON, `v:<value>` for a member of a set.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fields {
    /// True if the field at this path is itself in the set.
    is_member: bool,
    /// The fields inside this one, by path element.
    children: BTreeMap<String, Fields>,
}

/// Returns the parts of a map or list that are merged separately, with their path elements. `None`
/// for an atomic value.
pub(super) fn merged_parts<'a>(
    value: &'a Value,
    shape: Shape<'a>,
) -> Option<Vec<(String, &'a Value, Shape<'a>)>> {
    match value {
        Value::Object(map) if !shape.is_atomic() && !map.is_empty() => {
            let part = |(name, value): (&'a String, &'a Value)| {
                (format!("f:{name}"), value, shape.field(name))
            };
            Some(
                map.iter()
                    .filter(|(_, value)| !value.is_null())
                    .map(part)
                    .collect(),
            )
        }
        Value::Array(items) if !items.is_empty() => match shape.list(items) {
            List::Atomic => None,
            List::Set => Some(
                items
                    .iter()
                    .map(|item| (format!("v:{item}"), item, shape.item()))
                    .collect(),
            ),
            List::Keyed(keys) => items
                .iter()
                .map(|item| Some((path_element(&keys, item)?, item, shape.item())))
                .collect(),
        },
        _ => None,
    }
}

impl Fields {
    /// Returns a set of only the field at this path.
    fn leaf() -> Self {
        Self {
            is_member: true,
            children: BTreeMap::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        !self.is_member && self.children.is_empty()
    }

    /// Returns the fields that an apply of `value` owns: its leaves, and the list items with keys.
    pub fn applied(value: &Value, shape: Shape<'_>) -> Self {
        Self::collect_fields(value, shape, &|element, _| element.starts_with("k:"))
    }

    /// Returns all fields of `value`, including the maps and list items themselves.
    fn all(value: &Value, shape: Shape<'_>) -> Self {
        Self::collect_fields(value, shape, &|_, shape| !shape.always_exists())
    }

    /// Collects the fields of `value`. `is_counted` decides whether a field that contains others is
    /// itself in the set.
    fn collect_fields(
        value: &Value,
        shape: Shape<'_>,
        is_counted: &dyn Fn(&str, Shape<'_>) -> bool,
    ) -> Self {
        let Some(parts) = merged_parts(value, shape) else {
            // The items of a set or of a list with keys have owners, and the list itself has none.
            let items = value.as_array().filter(|items| items.is_empty());
            let is_merged = items.is_some_and(|items| shape.list(items) != List::Atomic);
            return if is_merged {
                Self::default()
            } else {
                Self::leaf()
            };
        };
        let mut fields = Self::default();
        for (element, value, shape) in parts {
            let mut part = Self::collect_fields(value, shape, is_counted);
            part.is_member |= is_counted(&element, shape);
            fields.add(&element, part);
        }
        fields
    }

    /// Returns two sets: the fields that are new or changed in `now`, and those of `before` that
    /// are removed. `shape` describes both values.
    pub fn differing(before: &Value, now: &Value, shape: Shape<'_>) -> (Self, Self) {
        let (mut changed, mut gone) = (Self::default(), Self::default());
        if before == now {
            return (changed, gone);
        }
        let is_list = |value: &Value| value.is_array();
        let comparable = is_list(before) == is_list(now);
        let empty = |value: &Value| matches!(value, Value::Object(map) if map.is_empty() && !shape.is_atomic());
        let some = |value| merged_parts(value, shape).or_else(|| empty(value).then(Vec::new));
        let (Some(old), Some(new)) = (some(before), some(now)) else {
            return (Self::leaf(), Self::default());
        };
        if !comparable {
            return (Self::leaf(), Self::default());
        }
        let old: BTreeMap<_, _> = old
            .into_iter()
            .map(|(element, value, _)| (element, value))
            .collect();
        let mut left = old.clone();
        for (element, value, shape) in new {
            let (part, lost) = if let Some(before) = old.get(&element) {
                Self::differing(before, value, shape)
            } else {
                let mut all = Self::all(value, shape);
                all.is_member |= !shape.always_exists() || !value.is_object();
                (all, Self::default())
            };
            left.remove(&element);
            changed.add(&element, part);
            gone.add(&element, lost);
        }
        let shapes: BTreeMap<_, _> = merged_parts(before, shape)
            .into_iter()
            .flatten()
            .map(|(element, _, shape)| (element, shape))
            .collect();
        for (element, value) in left {
            let mut all = Self::collect_fields(value, shapes[&element], &|_, _| true);
            all.is_member = true;
            gone.add(&element, all);
        }
        (changed, gone)
    }

    /// Adds a set of fields below a path element, unless the set is empty.
    fn add(&mut self, element: &str, part: Self) {
        if !part.is_empty() {
            self.children.insert(element.to_owned(), part);
        }
    }

    /// Adds the fields of `other`.
    pub fn union(&mut self, other: &Self) {
        self.is_member |= other.is_member;
        for (element, part) in &other.children {
            self.children
                .entry(element.clone())
                .or_default()
                .union(part);
        }
    }

    /// Returns the fields that are not in `other`.
    pub fn without(&self, other: &Self) -> Self {
        let mut rest = Self {
            is_member: self.is_member && !other.is_member,
            children: BTreeMap::new(),
        };
        for (element, part) in &self.children {
            let part = other
                .children
                .get(element)
                .map_or_else(|| part.clone(), |other| part.without(other));
            rest.add(element, part);
        }
        rest
    }

    /// Returns the fields that are in both sets.
    pub fn common(&self, other: &Self) -> Self {
        let mut common = Self {
            is_member: self.is_member && other.is_member,
            children: BTreeMap::new(),
        };
        for (element, part) in &self.children {
            if let Some(other) = other.children.get(element) {
                common.add(element, part.common(other));
            }
        }
        common
    }

    /// Removes a field and everything inside it from the set. `path` has path elements, for example
    /// `["f:metadata", "f:name"]`.
    pub fn cut(&mut self, path: &[&str]) {
        match path {
            [] => {}
            [last] => drop(self.children.remove(*last)),
            [first, rest @ ..] => {
                if let Some(part) = self.children.get_mut(*first) {
                    part.cut(rest);
                    if part.is_empty() {
                        self.children.remove(*first);
                    }
                }
            }
        }
    }

    /// Removes everything from the set except one top-level field, such as `f:status`.
    pub fn keep(&mut self, element: &str) {
        self.children.retain(|known, _| known == element);
    }

    /// Removes the fields of the set from `value`. Also removes maps and lists that become empty.
    pub fn remove_from(&self, value: &mut Value, shape: Shape<'_>) {
        let elements: Vec<String> = merged_parts(value, shape)
            .into_iter()
            .flatten()
            .map(|(element, ..)| element)
            .collect();
        let goes = |element: &String| {
            self.children
                .get(element)
                .is_some_and(|part| part.is_member && part.children.is_empty())
        };
        match value {
            Value::Object(map) => {
                for element in elements {
                    let name = element.trim_start_matches("f:");
                    let Some(part) = self.children.get(&element) else {
                        continue;
                    };
                    if let Some(value) = map.get_mut(name) {
                        part.remove_from(value, shape.field(name));
                        let is_bare = |value: &Value| match value {
                            Value::Object(map) => map.is_empty(),
                            Value::Array(items) => items.is_empty(),
                            _ => false,
                        };
                        if goes(&element) || is_bare(value) {
                            map.remove(name);
                        }
                    }
                }
            }
            Value::Array(items) => {
                let mut elements = elements.into_iter();
                items.retain_mut(|item| {
                    let Some(element) = elements.next() else {
                        return true;
                    };
                    let Some(part) = self.children.get(&element) else {
                        return true;
                    };
                    part.remove_from(item, shape.item());
                    !part.is_member
                });
            }
            _ => {}
        }
    }

    /// Returns the paths of the fields as in messages of the API server, for example
    /// `.spec.containers[name="web"].image`.
    pub fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.add_paths("", &mut paths);
        paths
    }

    fn add_paths(&self, path: &str, paths: &mut Vec<String>) {
        if self.is_member {
            paths.push(path.to_owned());
        }
        for (element, part) in &self.children {
            let element = match element.split_once(':') {
                Some(("f", name)) => format!(".{name}"),
                Some(("k", keys)) => {
                    let keys: Map<String, Value> = serde_json::from_str(keys).unwrap_or_default();
                    let keys: Vec<_> = keys
                        .iter()
                        .map(|(key, value)| format!("{key}={value}"))
                        .collect();
                    format!("[{}]", keys.join(","))
                }
                Some((_, value)) => format!("[={value}]"),
                None => element.clone(),
            };
            part.add_paths(&format!("{path}{element}"), paths);
        }
    }

    /// Parses `fieldsV1`. An empty object is a field, and `.` means that a field with others inside
    /// it is itself in the set.
    pub fn read(value: &Value) -> Self {
        let Some(map) = value.as_object() else {
            return Self::default();
        };
        let children = map.iter().filter(|(element, _)| *element != ".");
        Self {
            is_member: map.is_empty() || map.contains_key("."),
            children: children
                .map(|(element, part)| (element.clone(), Self::read(part)))
                .collect(),
        }
    }

    /// Returns the set as `fieldsV1`.
    pub fn write(&self) -> Value {
        let mut map = Map::new();
        if self.is_member && !self.children.is_empty() {
            map.insert(".".to_owned(), Map::new().into());
        }
        map.extend(
            self.children
                .iter()
                .map(|(element, part)| (element.clone(), part.write())),
        );
        map.into()
    }
}

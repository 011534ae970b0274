//! Sets of fields, as `managedFields` has them: what an object holds, and what differs between two.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::shape::{List, Shape, step};

/// Fields by their steps: `f:<name>`, `k:<keys>` for an item, `v:<value>` for a member of a set.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fields {
    /// Whether the place itself belongs to the set.
    here: bool,
    inside: BTreeMap<String, Fields>,
}

/// The parts of a map or list that are merged one by one, by their steps; `None` for what is one value.
pub(super) fn parts<'a>(
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
                .map(|item| Some((step(&keys, item)?, item, shape.item())))
                .collect(),
        },
        _ => None,
    }
}

impl Fields {
    fn leaf() -> Self {
        Self {
            here: true,
            inside: BTreeMap::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        !self.here && self.inside.is_empty()
    }

    /// What an apply of `value` says.
    pub fn applied(value: &Value, shape: Shape<'_>) -> Self {
        Self::of(value, shape, &|step, _| step.starts_with("k:"))
    }

    /// Everything in `value`, with the maps and items themselves.
    fn all(value: &Value, shape: Shape<'_>) -> Self {
        Self::of(value, shape, &|_, shape| !shape.is_always_there())
    }

    /// `is_counted` tells which of the places that have others inside are in the set themselves.
    fn of(value: &Value, shape: Shape<'_>, is_counted: &dyn Fn(&str, Shape<'_>) -> bool) -> Self {
        let Some(parts) = parts(value, shape) else {
            return Self::leaf();
        };
        let mut fields = Self::default();
        for (step, value, shape) in parts {
            let mut part = Self::of(value, shape, is_counted);
            part.here |= is_counted(&step, shape);
            fields.inside.insert(step, part);
        }
        fields
    }

    /// What of `now` is new or changed, and what of `before` is gone.
    pub fn differing(before: &Value, now: &Value, shape: Shape<'_>) -> (Self, Self) {
        let (mut changed, mut gone) = (Self::default(), Self::default());
        if before == now {
            return (changed, gone);
        }
        let is_list = |value: &Value| value.is_array();
        let comparable = is_list(before) == is_list(now);
        let empty = |value: &Value| matches!(value, Value::Object(map) if map.is_empty() && !shape.is_atomic());
        let some = |value| parts(value, shape).or_else(|| empty(value).then(Vec::new));
        let (Some(old), Some(new)) = (some(before), some(now)) else {
            return (Self::leaf(), Self::default());
        };
        if !comparable {
            return (Self::leaf(), Self::default());
        }
        let old: BTreeMap<_, _> = old
            .into_iter()
            .map(|(step, value, _)| (step, value))
            .collect();
        let mut left = old.clone();
        for (step, value, shape) in new {
            let (part, lost) = if let Some(before) = old.get(&step) {
                Self::differing(before, value, shape)
            } else {
                let mut all = Self::all(value, shape);
                all.here |= !shape.is_always_there() || !value.is_object();
                (all, Self::default())
            };
            left.remove(&step);
            changed.add(&step, part);
            gone.add(&step, lost);
        }
        let shapes: BTreeMap<_, _> = parts(before, shape)
            .into_iter()
            .flatten()
            .map(|(step, _, shape)| (step, shape))
            .collect();
        for (step, value) in left {
            let mut all = Self::of(value, shapes[&step], &|_, _| true);
            all.here = true;
            gone.add(&step, all);
        }
        (changed, gone)
    }

    fn add(&mut self, step: &str, part: Self) {
        if !part.is_empty() {
            self.inside.insert(step.to_owned(), part);
        }
    }

    pub fn union(&mut self, other: &Self) {
        self.here |= other.here;
        for (step, part) in &other.inside {
            self.inside.entry(step.clone()).or_default().union(part);
        }
    }

    pub fn without(&self, other: &Self) -> Self {
        let mut rest = Self {
            here: self.here && !other.here,
            inside: BTreeMap::new(),
        };
        for (step, part) in &self.inside {
            let part = other
                .inside
                .get(step)
                .map_or_else(|| part.clone(), |other| part.without(other));
            rest.add(step, part);
        }
        rest
    }

    pub fn common(&self, other: &Self) -> Self {
        let mut common = Self {
            here: self.here && other.here,
            inside: BTreeMap::new(),
        };
        for (step, part) in &self.inside {
            if let Some(other) = other.inside.get(step) {
                common.add(step, part.common(other));
            }
        }
        common
    }

    /// Takes a place and all inside of it away.
    pub fn cut(&mut self, path: &[&str]) {
        match path {
            [] => {}
            [last] => drop(self.inside.remove(*last)),
            [first, rest @ ..] => {
                if let Some(part) = self.inside.get_mut(*first) {
                    part.cut(rest);
                    if part.is_empty() {
                        self.inside.remove(*first);
                    }
                }
            }
        }
    }

    /// Keeps one field of the object, and nothing else.
    pub fn keep(&mut self, step: &str) {
        self.inside.retain(|known, _| known == step);
    }

    /// Takes what is in the set out of `value`: a map that is empty then goes, too.
    pub fn remove_from(&self, value: &mut Value, shape: Shape<'_>) {
        let steps: Vec<String> = parts(value, shape)
            .into_iter()
            .flatten()
            .map(|(step, ..)| step)
            .collect();
        let goes = |step: &String| {
            self.inside
                .get(step)
                .is_some_and(|part| part.here && part.inside.is_empty())
        };
        match value {
            Value::Object(map) => {
                for step in steps {
                    let name = step.trim_start_matches("f:");
                    let Some(part) = self.inside.get(&step) else {
                        continue;
                    };
                    if let Some(value) = map.get_mut(name) {
                        part.remove_from(value, shape.field(name));
                        let is_bare = |value: &Value| match value {
                            Value::Object(map) => map.is_empty(),
                            Value::Array(items) => items.is_empty(),
                            _ => false,
                        };
                        if goes(&step) || is_bare(value) {
                            map.remove(name);
                        }
                    }
                }
            }
            Value::Array(items) => {
                let mut steps = steps.into_iter();
                items.retain_mut(|item| {
                    let Some(step) = steps.next() else {
                        return true;
                    };
                    let Some(part) = self.inside.get(&step) else {
                        return true;
                    };
                    part.remove_from(item, shape.item());
                    !part.here
                });
            }
            _ => {}
        }
    }

    /// The places in the set, as the API server writes them.
    pub fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.collect("", &mut paths);
        paths
    }

    fn collect(&self, path: &str, paths: &mut Vec<String>) {
        if self.here {
            paths.push(path.to_owned());
        }
        for (step, part) in &self.inside {
            let step = match step.split_once(':') {
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
                None => step.clone(),
            };
            part.collect(&format!("{path}{step}"), paths);
        }
    }

    /// From `fieldsV1`.
    pub fn read(value: &Value) -> Self {
        let Some(map) = value.as_object() else {
            return Self::default();
        };
        let inside = map.iter().filter(|(step, _)| *step != ".");
        Self {
            here: map.is_empty() || map.contains_key("."),
            inside: inside
                .map(|(step, part)| (step.clone(), Self::read(part)))
                .collect(),
        }
    }

    /// As `fieldsV1`.
    pub fn write(&self) -> Value {
        let mut map = Map::new();
        if self.here && !self.inside.is_empty() {
            map.insert(".".to_owned(), Map::new().into());
        }
        map.extend(
            self.inside
                .iter()
                .map(|(step, part)| (step.clone(), part.write())),
        );
        map.into()
    }
}

//! Random values that match a schema: its types, enums, bounds and formats. CEL rules are ignored,
//! and for a `pattern` values are taken from samples.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps as Schema, JSONSchemaPropsOrArray as Items, JSONSchemaPropsOrBool as Additional,
};
use serde_json::{Map, Value, json};

use super::random::Random;
use super::shape::{integer_bounds, refuses};

/// Maximum depth of optional fields.
const DEEP: usize = 12;
/// With up to this number of optional fields, two thirds of them are present. With more, the
/// average number does not increase further: some types would result in objects of megabytes, and
/// it is enough that each field is present in some of them.
const FEW_FIELDS: usize = 6;
/// Characters with a special meaning in JSON, JSON pointers or Unicode, and ordinary ones.
const CHARACTERS: [char; 16] = [
    'a', 'b', 'Z', '0', '9', '-', '.', '_', '/', '~', '"', '\\', ' ', '\n', 'ü', '😺',
];

/// A generator of random values for a schema.
pub(super) struct Generator<'a> {
    pub random: &'a mut Random,
    /// Values for fields, by path, for example `spec.email`, `spec.users[].name` for list items, or
    /// `spec.labels.*` for map values. They are used instead of random ones.
    pub samples: &'a BTreeMap<String, Vec<Value>>,
}

impl Generator<'_> {
    /// Returns a random value of the field at `path`, which `schema` describes.
    ///
    /// # Errors
    /// Returns the path of a field that has a `pattern` but no samples.
    pub fn value(&mut self, schema: &Schema, path: &str) -> Result<Value, String> {
        if let Some(samples) = self.samples.get(path) {
            return Ok(self.random.pick(samples).clone());
        }
        if schema.nullable == Some(true) && self.random.once_in(8) {
            return Ok(Value::Null);
        }
        if let Some(choices) = &schema.enum_ {
            return Ok(self.random.pick(choices).0.clone());
        }
        if schema.x_kubernetes_int_or_string == Some(true) {
            return Ok(if self.random.once_in(2) {
                json!(self.random.below(100))
            } else {
                json!(format!("{}%", self.random.below(100)))
            });
        }
        match schema.type_.as_deref() {
            Some("object") => self.object(schema, path),
            Some("array") => self.array(schema, path),
            Some("string") => self.string(schema, path),
            Some("integer") => Ok(self.integer(schema).into()),
            Some("number") => Ok(self.number(schema).into()),
            Some("boolean") => Ok(self.random.once_in(2).into()),
            _ => Ok(self.anything()),
        }
    }

    fn object(&mut self, schema: &Schema, path: &str) -> Result<Value, String> {
        let none = BTreeMap::new();
        let properties = schema.properties.as_ref().unwrap_or(&none);
        let branches = schema.one_of.as_ref().or(schema.any_of.as_ref());
        let branches = branches.map_or(&[][..], Vec::as_slice);
        let required = |schema: &Schema| schema.required.iter().flatten().cloned().collect();
        let mut wanted: BTreeSet<String> = required(schema);
        let mut open: BTreeSet<_> = properties.keys().cloned().collect();
        if !branches.is_empty() {
            // the fields of one branch, and none of the other branches
            let of_branches = branches
                .iter()
                .flat_map(|branch| branch.required.iter().flatten());
            let of_branches: BTreeSet<_> = of_branches.cloned().collect();
            open.retain(|name| !of_branches.contains(name));
            let branch: BTreeSet<_> = required(self.random.pick(branches));
            wanted.extend(branch);
        }
        let deep = path.matches('.').count() > DEEP;
        let share = open.len().max(FEW_FIELDS);
        let mut fields = Map::new();
        for (name, property) in properties {
            let is_taken =
                open.contains(name) && !deep && self.random.below(share) < FEW_FIELDS * 2 / 3;
            if wanted.contains(name) || is_taken {
                let value = self.value(property, &format!("{path}.{name}"))?;
                fields.insert(name.clone(), value);
            } else if let Some(default) = &property.default {
                // as the API server does
                fields.insert(name.clone(), default.0.clone());
            }
        }
        if let Some(Additional::Schema(each)) = &schema.additional_properties {
            for _ in 0..self.random.below(if deep { 1 } else { 4 }) {
                let key = self.text(1, 10);
                let value = self.value(each, &format!("{path}.*"))?;
                fields.insert(key, value);
            }
        } else if schema.x_kubernetes_preserve_unknown_fields == Some(true) {
            fields.insert(format!("x{}", self.random.below(9)), self.anything());
        }
        Ok(Value::Object(fields))
    }

    fn array(&mut self, schema: &Schema, path: &str) -> Result<Value, String> {
        let Some(Items::Schema(each)) = &schema.items else {
            return Ok(json!([]));
        };
        let least = size(schema.min_items).unwrap_or(0);
        let most = size(schema.max_items).unwrap_or(usize::MAX);
        let most = most.clamp(least, least + 3);
        let length = least + self.random.below(most - least + 1);
        let items = (0..length).map(|_| self.value(each, &format!("{path}[]")));
        items.collect::<Result<Vec<_>, _>>().map(Value::Array)
    }

    fn string(&mut self, schema: &Schema, path: &str) -> Result<Value, String> {
        let n = self.random.below(60);
        let text = match schema.format.as_deref() {
            _ if schema.pattern.is_some() => return Err(path.to_owned()),
            Some("date-time" | "datetime") => format!("2026-11-{:02}T21:{n:02}:00Z", n % 30 + 1),
            Some("date") => format!("2026-11-{:02}", n % 30 + 1),
            Some("duration") => format!("{n}m"),
            Some("byte") => "bW9v".to_owned(),
            Some("uuid" | "uuid4") => format!("01234567-89ab-4def-8123-4567890123{n:02}"),
            Some("ipv4" | "ip") => format!("10.0.0.{n}"),
            Some("ipv6") => format!("fd00::{n}"),
            Some("cidr") => format!("10.0.{n}.0/24"),
            Some("uri") => format!("https://my.domain/{n}"),
            Some("hostname") => format!("host-{n}.my.domain"),
            Some("email") => format!("cow{n}@my.domain"),
            _ => {
                let least = size(schema.min_length).unwrap_or(0);
                let most = size(schema.max_length).unwrap_or(usize::MAX);
                self.text(least, most.clamp(least, least + 12))
            }
        };
        Ok(text.into())
    }

    /// Returns a text of `least` to `most` characters.
    fn text(&mut self, least: usize, most: usize) -> String {
        let length = least + self.random.below(most - least + 1);
        (0..length)
            .map(|_| *self.random.pick(&CHARACTERS))
            .collect()
    }

    /// Returns a random integer, often one of the bounds.
    fn integer(&mut self, schema: &Schema) -> i64 {
        let (least, most) = match schema.format.as_deref() {
            Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
            Some("uint8") => (0, i64::from(u8::MAX)),
            Some("uint16") => (0, i64::from(u16::MAX)),
            Some("uint32") => (0, i64::from(u32::MAX)),
            Some("uint64" | "uint") => (0, i64::MAX),
            Some("int8") => (i64::from(i8::MIN), i64::from(i8::MAX)),
            Some("int16") => (i64::from(i16::MIN), i64::from(i16::MAX)),
            _ => (i64::MIN, i64::MAX),
        };
        let (given_least, given_most) = integer_bounds(schema);
        // A bound may be outside of the format, and above the other bound.
        let least = given_least.unwrap_or(least);
        let most = given_most.unwrap_or(most.max(least));
        let least = least.min(most);
        let step = i64::try_from(self.random.below(100)).unwrap_or_default();
        match self.random.below(4) {
            0 => least,
            1 => most,
            2 => step.clamp(least, most),
            _ => least.saturating_add(step).min(most),
        }
    }

    fn number(&mut self, schema: &Schema) -> f64 {
        let steps = i32::try_from(self.random.below(400)).unwrap_or_default();
        let most = schema.maximum.unwrap_or(f64::MAX);
        let least = schema.minimum.unwrap_or_else(|| (most - 1.0).min(-50.0));
        let number = (least + f64::from(steps) / 4.0).min(most);
        if refuses(schema, &json!(number)) {
            // An exclusive bound, next to which another number is allowed.
            return least + (most - least).min(1.0) / 2.0;
        }
        number
    }

    /// Returns a random value of any type.
    fn anything(&mut self) -> Value {
        match self.random.below(5) {
            0 => json!(self.random.below(10)),
            1 => json!({"any": [1, {"thing": "at all"}]}),
            2 => json!(self.random.once_in(2)),
            3 => json!([]),
            _ => json!(self.text(0, 8)),
        }
    }
}

fn size(bound: Option<i64>) -> Option<usize> {
    bound.and_then(|bound| usize::try_from(bound).ok())
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;

//! Placeholders for the missing fields of an object in flight while it is converted.
//!
//! Server-side apply requests conversions of objects from which it removed the fields of one
//! applier, including required ones. Such an object does not fit its type. So several fillers
//! complete it with different values. The parts of the result that are the same for all fillers are
//! the conversion of the object itself.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps as Schema, JSONSchemaPropsOrBool as Additional,
};
use serde_json::{Map, Value, json};

use super::{
    pattern,
    shape::{below, each, integer_bounds, is_required, refuses},
};

/// Zero first, which every conversion accepts. The large one is for conversions that divide storage
/// sizes.
const NUMBERS: [i32; 6] = [0, 1, 1 << 30, 2, 100, 7];
/// Fractions of a range, for bounds between which none of [`NUMBERS`] is.
const FRACTIONS: [f64; NUMBERS.len()] = [0.5, 0.25, 0.75, 0.125, 0.625, 0.875];
/// Some have several parts, which a conversion may split.
const TEXTS: [&str; 6] = ["", "x", "0", "1", "my.domain:7", "a=7,b=c/d"];
/// Maximum depth of optional fields.
const DEEP: usize = 8;

/// One way to fill in missing fields: an index in [`NUMBERS`] and [`TEXTS`], from which each
/// missing number and text gets its value.
#[derive(Clone, Copy)]
pub(super) struct Filler(usize);

impl Filler {
    pub fn all() -> impl Iterator<Item = Self> {
        (0..NUMBERS.len()).map(Self)
    }

    /// Fills in missing fields of `value` that are required or have a default. (The API server
    /// always sets defaults.) Returns true if there were any; false, too, without a schema.
    pub fn complete(self, schema: Option<&Schema>, value: &mut Value) -> bool {
        let Some(known) = schema else { return false };
        match value {
            Value::Object(fields) => {
                let mut is_filled = false;
                for (name, value) in fields.iter_mut() {
                    is_filled |= self.complete(below(schema, name), value);
                }
                for (name, field) in known.properties.iter().flatten() {
                    let must = is_required(known, name) || field.default.is_some();
                    if must && !fields.contains_key(name) {
                        fields.insert(name.clone(), self.value(field, 0));
                        is_filled = true;
                    }
                }
                self.branch(known, fields) || is_filled
            }
            Value::Array(items) => {
                let complete = |is_filled, item| self.complete(each(schema), item) || is_filled;
                items.iter_mut().fold(false, complete)
            }
            _ => false,
        }
    }

    /// Completes one branch of a `oneOf` or `anyOf`: the one with the most fields present. Returns
    /// false if one is complete already.
    fn branch(self, schema: &Schema, fields: &mut Map<String, Value>) -> bool {
        let branches = schema.one_of.as_ref().or(schema.any_of.as_ref());
        let branches = branches.map_or(&[][..], Vec::as_slice);
        let lacks = |branch: &Schema| -> Vec<String> {
            let required = branch.required.iter().flatten();
            let lacks = required.filter(|name| !fields.contains_key(*name));
            lacks.cloned().collect()
        };
        let there = |branch: &Schema| {
            let required = branch.required.as_ref().map_or(0, Vec::len);
            required - lacks(branch).len()
        };
        if branches.is_empty() || branches.iter().any(|branch| lacks(branch).is_empty()) {
            return false;
        }
        let most = branches.iter().map(there).max();
        let best = branches.iter().filter(|one| Some(there(one)) == most);
        let best: Vec<_> = best.map(lacks).collect();
        for name in &best[self.0 % best.len()] {
            if let Some(field) = below(Some(schema), name) {
                fields.insert(name.clone(), self.value(field, 0));
            }
        }
        true
    }

    /// Returns true for every second filler, which also fills in optional fields.
    fn is_full(self) -> bool {
        self.0 % 2 == 1
    }

    fn value(self, schema: &Schema, depth: usize) -> Value {
        if let Some(choices) = schema.enum_.as_ref().filter(|choices| !choices.is_empty()) {
            return choices[self.0 % choices.len()].0.clone();
        }
        if schema.x_kubernetes_int_or_string == Some(true) {
            return NUMBERS[self.0].to_string().into();
        }
        match schema.type_.as_deref() {
            Some("object") => self.object(schema, depth),
            Some("array") => self.array(schema, depth),
            Some("string") => self.string(schema).into(),
            Some("integer") => self.integer(schema).into(),
            Some("number") => json!(self.number(schema)),
            Some("boolean") => self.is_full().into(),
            _ => json!({}),
        }
    }

    fn object(self, schema: &Schema, depth: usize) -> Value {
        let is_full = self.is_full() && depth < DEEP;
        let has_branches = schema.one_of.is_some() || schema.any_of.is_some();
        let properties = schema.properties.iter().flatten();
        let wanted =
            properties.filter(|(name, _)| is_required(schema, name) || (is_full && !has_branches));
        let fields = wanted.map(|(name, field)| (name.clone(), self.value(field, depth + 1)));
        let mut fields: Map<_, _> = fields.collect();
        self.branch(schema, &mut fields);
        if let Some(Additional::Schema(each)) = &schema.additional_properties
            && is_full
        {
            fields.insert("x".to_owned(), self.value(each, depth + 1));
        }
        Value::Object(fields)
    }

    fn array(self, schema: &Schema, depth: usize) -> Value {
        let least = schema.min_items.unwrap_or(0);
        let wanted = i64::from(self.is_full() && depth < DEEP).max(least);
        let item = each(Some(schema)).map(|each| self.value(each, depth + 1));
        let items = (0..wanted).map_while(|_| item.clone());
        items.collect()
    }

    fn string(self, schema: &Schema) -> String {
        if let Some(text) = self.text_of_pattern(schema) {
            return text;
        }
        let n = self.0 + 1;
        match schema.format.as_deref() {
            Some("date-time" | "datetime") => format!("200{n}-01-01T00:00:00Z"),
            Some("date") => format!("200{n}-01-01"),
            Some("duration") => format!("{n}s"),
            Some("byte") => ["", "eA==", "MA==", "MQ==", "eHg=", "eHl6"][self.0].to_owned(),
            Some("uuid" | "uuid4") => format!("00000000-0000-4000-8000-00000000000{n}"),
            Some("ip" | "ipv4") => format!("10.0.0.{n}"),
            Some("ipv6") => format!("fd00::{n}"),
            Some("cidr") => format!("10.0.{n}.0/24"),
            Some("uri") => format!("https://my.domain/{n}"),
            _ => {
                let least = schema
                    .min_length
                    .and_then(|least| usize::try_from(least).ok());
                let text = TEXTS[self.0];
                format!("{text:0<width$}", width = least.unwrap_or(0))
            }
        }
    }

    /// Returns a text that matches the `pattern` and other rules of the schema. A conversion need
    /// not accept other texts. `None` if the schema has no `pattern`, or if no such text is found.
    fn text_of_pattern(self, schema: &Schema) -> Option<String> {
        let pattern = schema.pattern.as_ref()?;
        let texts = (0..TEXTS.len()).map(|n| (self.0 + n) % TEXTS.len());
        let mut texts = texts.filter_map(|n| pattern::text(pattern, n));
        texts.find(|text| !refuses(schema, &json!(text)))
    }

    fn integer(self, schema: &Schema) -> i64 {
        let (least, most) = match schema.format.as_deref() {
            Some("uint8") => (0, i64::from(u8::MAX)),
            Some("int8") => (i64::from(i8::MIN), i64::from(i8::MAX)),
            Some("uint16") => (0, i64::from(u16::MAX)),
            Some("int16") => (i64::from(i16::MIN), i64::from(i16::MAX)),
            Some("uint" | "uint32" | "uint64") => (0, i64::MAX),
            _ => (i64::MIN, i64::MAX),
        };
        let (given_least, given_most) = integer_bounds(schema);
        let most = given_most.map_or(most, |given| given.min(most));
        let number = i64::from(NUMBERS[self.0]);
        match given_least {
            None if most <= 0 => most.saturating_sub(number).max(least),
            _ => given_least.unwrap_or(0).saturating_add(number).min(most),
        }
    }

    fn number(self, schema: &Schema) -> f64 {
        let number = f64::from(NUMBERS[self.0]);
        let least = schema.minimum.unwrap_or(0.0);
        let (above, most) = (least + number, schema.maximum.unwrap_or(f64::MAX));
        // The others are for a bound that is exclusive.
        let numbers = if schema.minimum.is_none() && most <= 0.0 {
            [most - number, most - number - 1.0, most]
        } else {
            let between = least + (most - least) * FRACTIONS[self.0];
            [above.min(most), above + 1.0, between]
        };
        let mut fitting = numbers
            .into_iter()
            .filter(|number| !refuses(schema, &json!(number)));
        fitting.next().unwrap_or(most)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::from_value;

    use super::*;

    /// Returns the values of all fillers for a schema.
    fn values(schema: &Value) -> Vec<Value> {
        let schema: Schema = from_value(schema.clone()).unwrap();
        Filler::all()
            .map(|filler| filler.value(&schema, 0))
            .collect()
    }

    #[test]
    fn numbers_differ_within_their_bounds() {
        for schema in [
            json!({"type": "integer", "maximum": 0}),
            json!({"type": "integer", "maximum": -7}),
            json!({"type": "integer", "format": "int8", "maximum": -7}),
            json!({"type": "integer", "minimum": -9, "maximum": -8}),
            json!({"type": "integer", "minimum": 0, "exclusiveMinimum": true, "maximum": 2}),
            json!({"type": "number", "maximum": -7}),
            json!({"type": "integer", "minimum": -9.5, "maximum": -7.5, "exclusiveMaximum": true}),
            json!({"type": "number", "minimum": 3, "maximum": 4}),
            json!({"type": "number", "maximum": -7, "exclusiveMaximum": true}),
            json!({"type": "number", "maximum": 5, "exclusiveMaximum": true}),
            json!({"type": "number", "minimum": 0, "exclusiveMinimum": true}),
            json!({
                "type": "number", "minimum": 0, "exclusiveMinimum": true,
                "maximum": 1, "exclusiveMaximum": true,
            }),
        ] {
            let values = values(&schema);
            let fits = |value: &Value| {
                let number = value.as_f64().unwrap();
                let least = schema["minimum"].as_f64().unwrap_or(-2e9);
                let most = schema["maximum"].as_f64().unwrap_or(2e9);
                (least..=most).contains(&number)
                    && (schema["exclusiveMinimum"] != true || number > least)
                    && (schema["exclusiveMaximum"] != true || number < most)
            };
            assert!(values.iter().all(fits), "{schema}: {values:?}");
            let different: BTreeSet<_> = values.iter().map(Value::to_string).collect();
            assert!(different.len() > 1, "{schema}: {values:?}");
        }
        let of_uint = json!({"type": "integer", "format": "uint8", "maximum": 0});
        assert!(values(&of_uint).iter().all(|value| *value == 0));
    }

    #[test]
    fn texts_match_a_pattern_if_some_are_rejected() {
        let schema = json!({"type": "string", "pattern": "^[a-z]*$", "minLength": 1});
        let values = values(&schema);
        let matches = |value: &Value| {
            let text = value.as_str().unwrap();
            !text.is_empty() && text.chars().all(|it| it.is_ascii_lowercase())
        };
        assert!(values.iter().all(matches), "{values:?}");
        let different: BTreeSet<_> = values.iter().map(Value::to_string).collect();
        assert!(different.len() > 1, "{values:?}");
    }
}

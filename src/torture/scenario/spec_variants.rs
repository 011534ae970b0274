//! Generates the specs that differ from a sample's in one field, which gets other values that its
//! schema allows.

use serde_json::Value;

use crate::torture::scenario::SpecVariant;
use crate::torture::scenario::schema_values::{limits, required, values};

/// Returns the specs that differ from `spec` in one field, by the order of the fields in `schema`,
/// the schema of the spec. The API server may reject some of them.
pub fn variants(schema: &Value, spec: &Value) -> Vec<SpecVariant> {
    let of = |field: &SpecField| {
        let unset =
            (field.value.is_some() && !field.required).then(|| ("is unset".to_owned(), None));
        let values = values(field.schema, field.value).into_iter();
        let set = values.map(|(description, value)| (description, Some(value)));
        unset.into_iter().chain(set).collect()
    };
    variants_of(schema, spec, of)
}

/// Returns the specs that differ from `spec` in one number, which has its minimum or maximum, if
/// that is far from its current value. `schema` is that of the spec.
pub fn at_limits(schema: &Value, spec: &Value) -> Vec<SpecVariant> {
    let of = |field: &SpecField| {
        let limits = limits(field.schema, field.value).into_iter();
        limits
            .map(|(description, value)| (description, Some(value)))
            .collect()
    };
    variants_of(schema, spec, of)
}

/// The description of a change and the new value; `None` removes the field.
type FieldChange = (String, Option<Value>);

fn variants_of(
    schema: &Value,
    spec: &Value,
    of: impl Fn(&SpecField) -> Vec<FieldChange>,
) -> Vec<SpecVariant> {
    let mut fields = Vec::new();
    properties(schema, spec, &[], &mut fields);
    let each = fields.iter().flat_map(|field| {
        let changes = of(field).into_iter();
        changes.filter_map(|(description, value)| field.with_value(spec, &description, value))
    });
    let mut variants: Vec<_> = each.filter(|variant| variant.spec != *spec).collect();
    variants.dedup_by(|a, b| a.spec == b.spec);
    variants
}

/// A field that a spec may have, with its schema and current value.
struct SpecField<'a> {
    /// The names of fields and the indices of list items.
    path: Vec<String>,
    schema: &'a Value,
    value: Option<&'a Value>,
    required: bool,
}

impl SpecField<'_> {
    /// Returns the spec with another value in this field, or without the field for `None`.
    /// `description` describes the value.
    fn with_value(
        &self,
        spec: &Value,
        description: &str,
        value: Option<Value>,
    ) -> Option<SpecVariant> {
        let mut spec = spec.clone();
        let (last, parents) = self.path.split_last()?;
        let escaped = parents
            .iter()
            .map(|part| format!("/{}", part.replace('~', "~0").replace('/', "~1")));
        let parent = spec.pointer_mut(&escaped.collect::<String>())?;
        let fields = parent.as_object_mut()?;
        match value {
            Some(value) => drop(fields.insert(last.clone(), value)),
            None => drop(fields.remove(last)),
        }
        let field = self.name();
        let description = format!("{field} {description}");
        Some(SpecVariant {
            field,
            description,
            spec,
        })
    }

    /// Returns the path with list items in brackets: `spec.ports[0].name`.
    fn name(&self) -> String {
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let parts = self.path.iter().map(|part| {
            if is_number(part) {
                format!("[{part}]")
            } else {
                format!(".{part}")
            }
        });
        format!("spec{}", parts.collect::<String>())
    }
}

/// Collects the fields of an object and of the objects in it.
fn properties<'a>(
    schema: &'a Value,
    value: &'a Value,
    path: &[String],
    out: &mut Vec<SpecField<'a>>,
) {
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let mut path = path.to_vec();
        path.push(name.clone());
        let value = value.get(name);
        out.push(SpecField {
            path: path.clone(),
            schema: field,
            value,
            required: required(schema).any(|required| required == name),
        });
        let Some(value) = value else { continue };
        properties(field, value, &path, out);
        // The first item stands for the others.
        if let Some(item) = value.get(0) {
            path.push("0".into());
            properties(&field["items"], item, &path, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::torture::scenario::schema_values::AWKWARD;

    fn said(schema: &Value, spec: &Value) -> Vec<String> {
        variants(schema, spec)
            .into_iter()
            .map(|variant| variant.description)
            .collect()
    }

    #[test]
    fn each_field_goes_through_its_values() {
        let schema = json!({"required": ["size"], "properties": {
            "size": {"type": "string", "enum": ["small", "large"]},
            "replicas": {"type": "integer", "minimum": 0, "maximum": 500},
            "paused": {"type": "boolean"},
            "inner": {"type": "object", "properties": {"text": {"type": "string"}}}}});
        let spec = json!({"size": "small", "replicas": 2, "inner": {"text": "ab"}});
        assert_eq!(
            said(&schema, &spec),
            [
                "spec.size is \"large\"",
                "spec.replicas is unset",
                "spec.replicas is 3",
                "spec.replicas is 1",
                "spec.replicas is 0",
                "spec.paused is true",
                "spec.inner is unset",
                "spec.inner.text is unset",
                "spec.inner.text is \"abx\"",
                "spec.inner.text is \"a\"",
                &format!("spec.inner.text is \"{AWKWARD}\"")
            ]
        );
    }

    #[test]
    fn generated_strings_have_the_format_of_the_schema() {
        let bytes = json!({"type": "string", "format": "byte"});
        let schema = json!({"properties": {
            "since": {"type": "string", "format": "date-time"},
            "data": {"type": "object", "additionalProperties": bytes}}});
        let specs: Vec<_> = variants(&schema, &json!({}))
            .into_iter()
            .map(|variant| variant.spec)
            .collect();
        assert!(specs.contains(&json!({"since": "2020-01-02T03:04:05Z"})));
        assert!(specs.contains(&json!({"data": {"torture": "dG9ydHVyZQ=="}})));
    }

    #[test]
    fn strings_get_values_of_their_pattern_format_and_length() {
        const AS_PATTERN: &str = "^[0-9]+(m|h)$";
        for (schema, value, expected) in [
            (json!({"pattern": AS_PATTERN}), None, &["1h", "11h"][..]),
            (json!({"pattern": AS_PATTERN}), Some("1h"), &["11h"]),
            (
                json!({"pattern": "^[a-z]*$"}),
                Some("ab"),
                &["abx", "a", "aa"],
            ),
            (json!({"format": "ipv4"}), Some("192.0.2.7"), &["192.0.2.9"]),
            (
                json!({"format": "duration", "default": "1m"}),
                Some("7s"),
                &["1m", "9m"],
            ),
            (json!({"maxLength": 4}), None, &["tort"]),
            (
                json!({"minLength": 9, "maxLength": 9}),
                None,
                &["tortureto"],
            ),
            (json!({"pattern": "^a{3}$", "minLength": 9}), None, &[]),
        ] {
            let mut string = schema.clone();
            string["type"] = json!("string");
            let schema = json!({"properties": {"text": string}, "required": ["text"]});
            let spec = value.map_or(json!({}), |value| json!({ "text": value }));
            let specs = variants(&schema, &spec).into_iter().map(|it| it.spec);
            let expected: Vec<_> = expected.iter().map(|it| json!({ "text": it })).collect();
            assert_eq!(specs.collect::<Vec<_>>(), expected, "{schema}");
        }
    }

    #[test]
    fn items_of_lists_get_values_of_their_schema() {
        let of = |items: Value, item: &str| {
            let schema = json!({"properties": {"all": {"type": "array", "items": items}}});
            let variants = variants(&schema, &json!({"all": [item]}));
            let more = variants
                .iter()
                .find(|it| it.description.ends_with("has one more"));
            more.unwrap().spec["all"][1].clone()
        };
        let days = json!({"type": "string", "enum": ["Monday", "Friday"]});
        assert_eq!(of(days, "Monday"), "Friday");
        let zones = json!({"type": "string", "pattern": "^eu-[0-9]$"});
        assert_eq!(of(zones, "eu-7"), "eu-1");
    }

    #[test]
    fn the_default_of_a_string_is_its_first_value() {
        let schema =
            json!({"properties": {"host": {"type": "string", "default": "a.example.com"}}});
        let said = said(&schema, &json!({"host": "b"}));
        assert_eq!(
            said[..2],
            ["spec.host is unset", "spec.host is \"a.example.com\""]
        );
        assert!(
            !variants(&schema, &json!({"host": "a.example.com"}))
                .iter()
                .any(|it| it.description == "spec.host is \"a.example.com\"")
        );
    }

    #[test]
    fn lists_grow_shrink_and_turn() {
        let schema = json!({"properties": {"names": {"type": "array"}, "labels": {"type": "object", "additionalProperties": {"type": "string"}}}});
        let spec = json!({"names": ["a", "b"], "labels": {"x": "y"}});
        let said = said(&schema, &spec);
        assert_eq!(
            said,
            [
                "spec.names is unset",
                "spec.names has one more",
                "spec.names has one less",
                "spec.names is in another order",
                "spec.names is empty",
                "spec.labels is unset",
                "spec.labels has a key more",
                "spec.labels has another value",
                "spec.labels has a key less"
            ]
            .map(str::to_owned)
        );
    }

    #[test]
    fn list_items_and_missing_fields_have_variants() {
        let port = json!({"type": "object", "required": ["name", "port"], "properties": {
            "name": {"type": "string"}, "port": {"type": "integer", "maximum": 65535.0}}});
        let schema = json!({"properties": {
            "ports": {"type": "array", "items": port},
            "more": {"type": "array", "items": port},
            "backup": {"type": "object", "properties": {"keep": {"type": "integer", "default": 3}}},
            "size": {"x-kubernetes-int-or-string": true}}});
        let spec = json!({"ports": [{"name": "web", "port": 80}], "size": "1Gi"});
        let variants = variants(&schema, &spec);
        let called = |description: &str| {
            let found = variants
                .iter()
                .find(|variant| variant.description == description);
            found.map(|variant| variant.spec.clone())
        };
        let other = called("spec.ports[0].port is 81").unwrap();
        assert_eq!(other["ports"], json!([{"name": "web", "port": 81}]));
        assert_eq!(
            called("spec.more has one").unwrap()["more"],
            json!([{"name": "torture", "port": 1}])
        );
        assert!(called("spec.backup is {\"keep\":3}").is_some());
        assert!(called("spec.size is \"2Gi\"").is_some());
    }

    #[test]
    fn only_explicit_distant_limits_are_tried() {
        let schema = json!({"properties": {
            "seconds": {"type": "integer", "minimum": 1, "maximum": 2_147_483_647_i64},
            "replicas": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 5}}});
        let spec = json!({"seconds": 30, "replicas": 2});
        let limits = at_limits(&schema, &spec);
        let descriptions: Vec<_> = limits
            .iter()
            .map(|limit| limit.description.as_str())
            .collect();
        assert_eq!(descriptions, ["spec.seconds is 2147483647"]);
    }
}

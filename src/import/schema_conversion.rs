//! Conversion of the schemas of a CRD to Rust types.

use std::collections::BTreeSet;

use serde_json::Value;

use super::model::{Body, Field, Item, Model, Type};
use super::objects::{beside_fields, inexpressible_required, is_open};
use super::scalars::{int_or_string, number};
use super::type_registry::{At, RustForm, TypeRegistry};

/// Returns the types of a version: those of the roots, given as `(name, path, schema)`, and all
/// types below them.
pub fn convert_schemas(roots: &[(String, Vec<String>, &Value)]) -> Model {
    // The descriptions that the uses of a type give it are known after all schemas are converted,
    // so the conversion is repeated until no further type has several.
    let mut with_several = BTreeSet::new();
    loop {
        let mut registry = TypeRegistry {
            with_several_descriptions: with_several.clone(),
            ..TypeRegistry::default()
        };
        for (name, path, schema) in roots {
            registry.add_root(name, path, schema);
        }
        let found = registry
            .descriptions
            .iter()
            .filter(|(_, descriptions)| descriptions.len() > 1);
        let found: Vec<_> = found.map(|(key, _)| key.clone()).collect();
        if found.iter().all(|key| with_several.contains(key)) {
            return registry.model;
        }
        with_several.extend(found);
    }
}

impl TypeRegistry {
    /// Adds a root type, which has a fixed name and its own struct even if another schema is equal.
    fn add_root(&mut self, name: &str, path: &[String], schema: &Value) {
        let node = schema.as_object().cloned().unwrap_or_default();
        if node.get("type").is_none_or(|kind| kind != "object") {
            return self.add_root_value(name, path, schema);
        }
        let index = self.reserve(path);
        let fields = self.fields(&node, path);
        let mut keywords = beside_fields(&node);
        keywords.extend(inexpressible_required(&node).map(|all| ("required".to_owned(), all)));
        self.model.items[index] = Item {
            path: path.to_vec(),
            fixed: Some(name.to_owned()),
            home: None,
            keywords,
            transparent: false,
            body: Body::Struct(fields),
        };
    }

    /// Adds a root type around a value that is not an object, because kube needs a named type.
    fn add_root_value(&mut self, name: &str, path: &[String], schema: &Value) {
        let index = self.reserve(path);
        let RustForm {
            kind,
            with,
            rest: mut keywords,
            inner,
        } = self.convert(schema, path, At::Field);
        let description = keywords.shift_remove_entry("description");
        let field = Field {
            name: Some("value".to_owned()),
            kind,
            with,
            required: true,
            keywords,
            inner,
        };
        self.model.items[index] = Item {
            path: path.to_vec(),
            fixed: Some(name.to_owned()),
            home: None,
            keywords: description.into_iter().collect(),
            transparent: true,
            body: Body::Struct(vec![field]),
        };
    }

    /// Converts the schema at a path. If the schema needs a struct or an enum, the path gives it
    /// its name.
    pub fn convert(&mut self, schema: &Value, path: &[String], at: At) -> RustForm {
        let Value::Object(node) = schema else {
            return self.keep(schema, path, Type::Plain("Value"));
        };
        let mut rest = node.clone();
        let kind = node.get("type").and_then(Value::as_str);
        if node.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true)) {
            return int_or_string(rest);
        }
        if is_open(node)
            && !node.contains_key("properties")
            && !node.contains_key("additionalProperties")
        {
            return self.anything(schema, path, at);
        }
        rest.shift_remove("type");
        match kind {
            Some("string") => self.string(node, rest, path, at),
            Some("integer") => number(
                rest,
                &[("int32", "i32"), ("int64", "i64")],
                "schema::Integer",
                "i64",
            ),
            Some("number") => number(
                rest,
                &[("float", "f32"), ("double", "f64")],
                "schema::Number",
                "f64",
            ),
            Some("boolean") => RustForm::new(Type::Plain("bool"), rest),
            Some("array") => self.list(schema, rest, path),
            Some("object") => self.object(schema, rest, path, at),
            _ => self.keep(schema, path, Type::Plain("Value")),
        }
    }
}

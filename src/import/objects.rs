//! Conversion of schemas of objects to a struct, a map or a Kubernetes type.

use serde_json::{Map, Value, json};

use super::kubernetes;
use super::model::{Body, Field, Type};
use super::type_registry::{At, OF_THE_FIELD, RustForm, TypeRegistry, undescribed};
use super::type_words;

impl TypeRegistry {
    /// Converts the schema of an object: to a Kubernetes type if it is a copy of one, to a struct
    /// if it has properties, to a map of any values if it has neither `properties` nor
    /// `additionalProperties`, and to a map if it has only the latter. Any other schema is copied,
    /// and its Rust type is a map of any values. `rest` is the schema without `type`; the keywords
    /// that the result does not express stay in its `rest`. `path` is the path in the CRD, from
    /// which the name of a struct is derived. `at` decides which keywords belong to a field.
    pub fn object(
        &mut self,
        schema: &Value,
        mut rest: Map<String, Value>,
        path: &[String],
        at: At,
    ) -> RustForm {
        let values = || Type::Map(Box::new(Type::Plain("Value")));
        match (
            rest.get("properties").and_then(Value::as_object),
            rest.get("additionalProperties"),
        ) {
            (Some(properties), None | Some(Value::Bool(true))) if !properties.is_empty() => {
                if let Some(known) = kubernetes::recognize(schema) {
                    return self.keep_known(schema, path, Type::Known(known), Some(known), at);
                }
                self.structure(schema, path, at)
            }
            (_, Some(Value::Object(inner)))
                if !inner.is_empty() && !rest.contains_key("properties") =>
            {
                let mut path = path.to_vec();
                if let Some(last) = path.last_mut() {
                    *last = type_words::singular(last);
                }
                let inner = Value::Object(inner.clone());
                rest.shift_remove("additionalProperties");
                let (kind, with, _) = self.inner(&inner, &path, false);
                let shape = RustForm::new(Type::Map(Box::new(kind)), rest);
                match with {
                    Some(with) => shape.with(Type::Map(Box::new(with))),
                    None => shape,
                }
            }
            (None, None) => RustForm::new(values(), rest).with(Type::Plain("schema::Object")),
            _ => self.keep_known(schema, path, values(), None, at),
        }
    }

    /// Returns the struct for the schema of an object with properties. Equal schemas share one
    /// struct, see [`Self::item`].
    pub fn structure(&mut self, schema: &Value, path: &[String], at: At) -> RustForm {
        let mut own = schema.as_object().cloned().unwrap_or_default();
        let mut rest = Map::new();
        if at == At::Field {
            for keyword in OF_THE_FIELD {
                rest.extend(
                    own.shift_remove(keyword)
                        .map(|value| (keyword.to_owned(), value)),
                );
            }
        }
        let key = Value::Object(undescribed(&own)).to_string();
        let index = self.item(&key, beside_fields(&own), &rest, path, at, |shaper| {
            Body::Struct(shaper.fields(&own, path))
        });
        if let Some(required) = inexpressible_required(&own) {
            self.model.items[index]
                .keywords
                .insert("required".into(), required);
        }
        RustForm::new(Type::Item(index), rest)
    }

    /// Returns the fields of a struct. If the schema is open or has no properties, the last field
    /// has no name: the map of all other fields.
    pub fn fields(&mut self, node: &Map<String, Value>, path: &[String]) -> Vec<Field> {
        let properties = node.get("properties").and_then(Value::as_object);
        let mut fields = Vec::new();
        for (name, schema) in properties.into_iter().flatten() {
            fields.push(self.field(name, schema, is_required(node, name), path));
        }
        if is_open(node) || properties.is_none() {
            fields.push(Field {
                name: None,
                kind: Type::Plain("Value"),
                with: None,
                required: true,
                keywords: Map::new(),
                inner: Vec::new(),
            });
        }
        fields
    }

    /// Converts a property to a field of a struct. `path` is that of the struct.
    pub fn field(&mut self, name: &str, schema: &Value, required: bool, path: &[String]) -> Field {
        let path = [path, &[name.to_owned()]].concat();
        let RustForm {
            mut kind,
            mut with,
            rest,
            inner,
        } = self.convert(schema, &path, At::Field);
        let is_nullable = schema["nullable"] == true;
        if !required || is_nullable {
            kind = kind.optional();
            with = with.map(|with| if required { with } else { with.optional() });
        }
        Field {
            name: Some(name.to_owned()),
            kind,
            with,
            required,
            keywords: rest,
            inner,
        }
    }

    /// Converts an open schema without properties: to any value if it has no type, to a map if it
    /// is an object. With another type, it is copied.
    pub fn anything(&mut self, schema: &Value, path: &[String], at: At) -> RustForm {
        let mut rest = schema.as_object().cloned().unwrap_or_default();
        rest.shift_remove("x-kubernetes-preserve-unknown-fields");
        match rest.shift_remove("type").as_ref().and_then(Value::as_str) {
            None => RustForm::new(Type::Plain("Value"), rest).with(Type::Plain("schema::Any")),
            Some("object") => {
                let kind = Type::Map(Box::new(Type::Plain("Value")));
                RustForm::new(kind, rest).with(Type::Plain("schema::AnyObject"))
            }
            Some(_) => self.keep_known(schema, path, Type::Plain("Value"), None, at),
        }
    }
}

/// Reports whether a schema accepts fields that it does not list. `additionalProperties` with a
/// schema does not count: that is a map.
pub fn is_open(node: &Map<String, Value>) -> bool {
    [
        "x-kubernetes-preserve-unknown-fields",
        "additionalProperties",
    ]
    .iter()
    .any(|keyword| node.get(*keyword) == Some(&Value::Bool(true)))
}

/// Reports whether a schema requires a property.
pub fn is_required(node: &Map<String, Value>, name: &str) -> bool {
    let required = node.get("required").and_then(Value::as_array);
    required.is_some_and(|all| all.iter().any(|one| one == name))
}

/// Returns the keywords of a schema with properties that the fields of the struct do not express.
pub fn beside_fields(node: &Map<String, Value>) -> Map<String, Value> {
    let mut keywords = node.clone();
    for said in ["type", "properties", "required"] {
        keywords.shift_remove(said);
    }
    keywords
}

/// Returns the whole list of required names if one of them is not a property, which no Rust type
/// can express.
pub fn inexpressible_required(node: &Map<String, Value>) -> Option<Value> {
    let required = node.get("required")?.as_array()?;
    let properties = node.get("properties").and_then(Value::as_object);
    let is_property = |name: &Value| {
        let name = name.as_str();
        name.is_some_and(|name| properties.is_some_and(|all| all.contains_key(name)))
    };
    (!required.iter().all(is_property)).then(|| json!(required))
}

//! The state of a conversion: the types found so far, one for all equal schemas.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::kubernetes;
use super::model::{Arg, Body, Item, Kept, Model, Type};

/// The position of a schema.
#[derive(Clone, Copy, PartialEq)]
pub enum At {
    /// The schema of a field, which can have attributes.
    Field,
    /// The schema of list items or map values.
    Inner,
}

/// The Rust form of a schema.
pub struct RustForm {
    /// The type of the value.
    pub kind: Type,
    /// The type that provides the schema, if it differs from `kind`.
    pub with: Option<Type>,
    /// Keywords that the type does not express.
    pub rest: Map<String, Value>,
    /// Attribute arguments for the items of a list.
    pub inner: Vec<Arg>,
}

impl RustForm {
    /// Creates a form from a type and the keywords that it does not express.
    pub fn new(kind: Type, rest: Map<String, Value>) -> Self {
        Self {
            kind,
            with: None,
            rest,
            inner: Vec::new(),
        }
    }

    /// Sets a type that provides the schema.
    pub fn with(self, with: Type) -> Self {
        Self {
            with: Some(with),
            ..self
        }
    }
}

/// The conversion of the schemas of one version to types.
#[derive(Default)]
pub struct TypeRegistry {
    /// The types found so far.
    pub model: Model,
    /// The index of each type by its schema as text, without the description.
    pub items: BTreeMap<String, usize>,
    /// The index of each copied schema by its text.
    pub kept: BTreeMap<String, usize>,
    /// The descriptions that the uses of a type give it, by the schema of the type.
    pub descriptions: BTreeMap<String, BTreeSet<Option<String>>>,
    /// The types that have different descriptions at different uses: each description gets its own
    /// type.
    pub with_several_descriptions: BTreeSet<String>,
}

impl TypeRegistry {
    /// Reserves the index of a type that is defined later.
    pub fn reserve(&mut self, path: &[String]) -> usize {
        self.model.items.push(Item {
            path: path.to_vec(),
            fixed: None,
            home: None,
            keywords: Map::new(),
            transparent: false,
            body: Body::Struct(Vec::new()),
        });
        self.model.items.len() - 1
    }

    /// Returns the index of the type for a schema, and adds the type if it does not exist. `key` is
    /// the schema as text without its description, `keywords` are those that the type expresses as
    /// attributes, `rest` those of the field, and `body` creates the definition.
    pub fn item(
        &mut self,
        key: &str,
        keywords: Map<String, Value>,
        rest: &Map<String, Value>,
        path: &[String],
        at: At,
        body: impl FnOnce(&mut Self) -> Body,
    ) -> usize {
        let description = match at {
            At::Inner => keywords.get("description"),
            At::Field => rest.get("description"),
        };
        let description = description.and_then(Value::as_str).map(str::to_owned);
        let mut key = key.to_owned();
        // The description of a field hides that of its type.
        if at == At::Inner || description.is_none() {
            self.descriptions
                .entry(key.clone())
                .or_default()
                .insert(description.clone());
            if self.with_several_descriptions.contains(&key) {
                key += &json!(description).to_string();
            }
        }
        let index = if let Some(index) = self.items.get(&key) {
            *index
        } else {
            let index = self.reserve(path);
            self.items.insert(key, index);
            let body = body(self);
            self.model.items[index].body = body;
            self.model.items[index].keywords = keywords;
            index
        };
        let item = &mut self.model.items[index];
        if path.len() < item.path.len() {
            item.path = path.to_vec();
        }
        if let (At::Inner, Some(text)) = (at, description) {
            item.keywords.insert("description".into(), text.into());
        }
        index
    }

    /// Copies a schema unchanged as a value of the type `kind`, except for keywords that belong to
    /// the field.
    pub fn keep(&mut self, schema: &Value, path: &[String], kind: Type) -> RustForm {
        self.keep_known(schema, path, kind, None, At::Field)
    }

    /// Copies a schema unchanged as a value of the type `kind`. `known` is the Kubernetes type that
    /// it is a copy of.
    pub fn keep_known(
        &mut self,
        schema: &Value,
        path: &[String],
        kind: Type,
        known: Option<kubernetes::Known>,
        at: At,
    ) -> RustForm {
        let mut schema = schema.clone();
        let mut rest = Map::new();
        if let (At::Field, Value::Object(node)) = (at, &mut schema) {
            for keyword in OF_THE_FIELD {
                rest.extend(
                    node.shift_remove(keyword)
                        .map(|value| (keyword.to_owned(), value)),
                );
            }
        }
        let key = schema.to_string();
        let index = *self.kept.entry(key).or_insert_with(|| {
            let path = path.to_vec();
            self.model.kept.push(Kept {
                path,
                known,
                schema,
            });
            self.model.kept.len() - 1
        });
        RustForm::new(kind, rest).with(Type::Kept(index))
    }
}

/// Keywords that belong to a field and not to its type.
pub const OF_THE_FIELD: [&str; 5] = ["default", "description", "example", "nullable", "title"];

/// Returns a schema without its description.
pub fn undescribed(node: &Map<String, Value>) -> Map<String, Value> {
    let mut node = node.clone();
    node.shift_remove("description");
    node
}

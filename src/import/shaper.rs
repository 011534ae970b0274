//! The types that are found, each once for all schemas that are alike.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::kubernetes;
use super::model::{Arg, Body, Item, Kept, Model, Type};

/// Where a schema stands.
#[derive(Clone, Copy, PartialEq)]
pub enum At {
    /// It is that of a field, which can have attributes.
    Field,
    /// It is that of the items of a list, or of the values of a map.
    Inner,
}

/// What a schema is in Rust.
pub struct Shape {
    /// The type of the value.
    pub kind: Type,
    /// What it is for the schema, where that is something else.
    pub with: Option<Type>,
    /// What the type does not say of it.
    pub rest: Map<String, Value>,
    /// What is said of the items of a list.
    pub inner: Vec<Arg>,
}

impl Shape {
    /// A type, and what it does not say.
    pub fn new(kind: Type, rest: Map<String, Value>) -> Self {
        Self {
            kind,
            with: None,
            rest,
            inner: Vec::new(),
        }
    }

    /// The same with another type for the schema.
    pub fn with(self, with: Type) -> Self {
        Self {
            with: Some(with),
            ..self
        }
    }
}

/// Works out the types of a version.
#[derive(Default)]
pub struct Shaper {
    /// What is made so far.
    pub model: Model,
    /// The types by their schemas.
    pub items: BTreeMap<String, usize>,
    /// The kept schemas by their texts.
    pub kept: BTreeMap<String, usize>,
    /// The descriptions that the uses of a type give it.
    pub said: BTreeMap<String, BTreeSet<Option<String>>>,
    /// The types that different uses describe differently: each description gets its own.
    pub disputed: BTreeSet<String>,
}

impl Shaper {
    /// Room for a type, which is not known yet.
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

    /// The type of the file that a schema is, made where there is none yet.
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
        let said = description.and_then(Value::as_str).map(str::to_owned);
        let mut key = key.to_owned();
        // The description of a field hides that of its type.
        if at == At::Inner || said.is_none() {
            self.said
                .entry(key.clone())
                .or_default()
                .insert(said.clone());
            if self.disputed.contains(&key) {
                key += &json!(said).to_string();
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
        if let (At::Inner, Some(text)) = (at, said) {
            item.keywords.insert("description".into(), text.into());
        }
        index
    }

    /// A schema as it came in, but for what is said of the field.
    pub fn keep(&mut self, schema: &Value, path: &[String], kind: Type) -> Shape {
        self.keep_known(schema, path, kind, None, At::Field)
    }

    pub fn keep_known(
        &mut self,
        schema: &Value,
        path: &[String],
        kind: Type,
        known: Option<kubernetes::Known>,
        at: At,
    ) -> Shape {
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
        Shape::new(kind, rest).with(Type::Kept(index))
    }
}

/// What is said of a field rather than of its type.
pub const OF_THE_FIELD: [&str; 5] = ["default", "description", "example", "nullable", "title"];

/// A schema without what is said of it.
pub fn undescribed(node: &Map<String, Value>) -> Map<String, Value> {
    let mut node = node.clone();
    node.shift_remove("description");
    node
}

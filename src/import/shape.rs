//! From a schema to types.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::attributes;
use super::kubernetes;
use super::model::{Arg, Body, Field, Item, Kept, Model, Type};
use super::names;

/// What is said of a field rather than of its type.
const OF_THE_FIELD: [&str; 5] = ["default", "description", "example", "nullable", "title"];

/// What Kubernetes' own markers write for a quantity.
pub const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

/// Where a schema stands.
#[derive(Clone, Copy, PartialEq)]
enum At {
    /// It is that of a field, which can have attributes.
    Field,
    /// It is that of the items of a list, or of the values of a map.
    Inner,
}

/// What a schema is in Rust.
struct Shape {
    kind: Type,
    with: Option<Type>,
    /// What the type does not say of it.
    rest: Map<String, Value>,
    inner: Vec<Arg>,
}

impl Shape {
    fn new(kind: Type, rest: Map<String, Value>) -> Self {
        Self {
            kind,
            with: None,
            rest,
            inner: Vec::new(),
        }
    }

    fn with(self, with: Type) -> Self {
        Self {
            with: Some(with),
            ..self
        }
    }
}

/// Works out the types of a version.
#[derive(Default)]
pub struct Shaper {
    model: Model,
    items: BTreeMap<String, usize>,
    kept: BTreeMap<String, usize>,
    /// The descriptions that the uses of a type give it.
    said: BTreeMap<String, BTreeSet<Option<String>>>,
    /// The types that different uses describe differently: each description gets its own.
    disputed: BTreeSet<String>,
}

/// The types of a version: those of the roots `(name, way, schema)`, and all below them.
pub fn shape(roots: &[(String, Vec<String>, &Value)]) -> Model {
    let mut disputed = BTreeSet::new();
    loop {
        let mut shaper = Shaper {
            disputed: disputed.clone(),
            ..Shaper::default()
        };
        for (name, path, schema) in roots {
            shaper.root(name, path, schema);
        }
        let found = shaper.said.iter().filter(|(_, said)| said.len() > 1);
        let found: Vec<_> = found.map(|(key, _)| key.clone()).collect();
        if found.iter().all(|key| disputed.contains(key)) {
            return shaper.model;
        }
        disputed.extend(found);
    }
}

impl Shaper {
    fn root(&mut self, name: &str, path: &[String], schema: &Value) {
        let node = schema.as_object().cloned().unwrap_or_default();
        let index = self.reserve(path);
        let (fields, keywords) = self.fields(&node, path);
        self.model.items[index] = Item {
            path: path.to_vec(),
            fixed: Some(name.to_owned()),
            keywords,
            body: Body::Struct(fields),
        };
    }

    fn reserve(&mut self, path: &[String]) -> usize {
        self.model.items.push(Item {
            path: path.to_vec(),
            fixed: None,
            keywords: Map::new(),
            body: Body::Struct(Vec::new()),
        });
        self.model.items.len() - 1
    }

    /// The fields of a schema with properties, and what else it says.
    fn fields(
        &mut self,
        node: &Map<String, Value>,
        path: &[String],
    ) -> (Vec<Field>, Map<String, Value>) {
        let mut keywords = node.clone();
        for said in ["type", "properties", "required"] {
            keywords.shift_remove(said);
        }
        let properties = node.get("properties").and_then(Value::as_object);
        let required: Vec<_> = node
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .collect();
        let mut fields = Vec::new();
        for (name, schema) in properties.into_iter().flatten() {
            let required = required.iter().any(|field| *field == name);
            fields.push(self.field(name, schema, required, path));
        }
        // What is required is a property, or nothing that a type could say.
        let has = |name: &Value| {
            properties.is_some_and(|all| name.as_str().is_some_and(|name| all.contains_key(name)))
        };
        if !required.iter().all(|name| has(name)) {
            keywords.insert("required".into(), json!(required));
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
        (fields, keywords)
    }

    fn field(&mut self, name: &str, schema: &Value, required: bool, path: &[String]) -> Field {
        let path = [path, &[name.to_owned()]].concat();
        let Shape {
            mut kind,
            mut with,
            rest,
            inner,
        } = self.shape(schema, &path, At::Field);
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

    fn shape(&mut self, schema: &Value, path: &[String], at: At) -> Shape {
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
            Some("boolean") => Shape::new(Type::Plain("bool"), rest),
            Some("array") => self.list(schema, rest, path),
            Some("object") => self.object(schema, rest, path, at),
            _ => self.keep(schema, path, Type::Plain("Value")),
        }
    }

    /// A schema as it came in, but for what is said of the field.
    fn keep(&mut self, schema: &Value, path: &[String], kind: Type) -> Shape {
        self.keep_known(schema, path, kind, None, At::Field)
    }

    fn keep_known(
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

    /// Whatever an object has.
    fn anything(&mut self, schema: &Value, path: &[String], at: At) -> Shape {
        let mut rest = schema.as_object().cloned().unwrap_or_default();
        rest.shift_remove("x-kubernetes-preserve-unknown-fields");
        match rest.shift_remove("type").as_ref().and_then(Value::as_str) {
            None => Shape::new(Type::Plain("Value"), rest).with(Type::Plain("schema::Any")),
            Some("object") => {
                let kind = Type::Map(Box::new(Type::Plain("Value")));
                Shape::new(kind, rest).with(Type::Plain("schema::AnyObject"))
            }
            Some(_) => self.keep_known(schema, path, Type::Plain("Value"), None, at),
        }
    }

    fn string(
        &mut self,
        node: &Map<String, Value>,
        mut rest: Map<String, Value>,
        path: &[String],
        at: At,
    ) -> Shape {
        let texts = node.get("enum").and_then(Value::as_array);
        let texts = texts.and_then(|all| all.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
        if let Some(texts) = texts.filter(|texts| !texts.is_empty() && no_twice(texts)) {
            rest.shift_remove("enum");
            let texts: Vec<_> = texts.into_iter().map(str::to_owned).collect();
            let own = if at == At::Inner {
                std::mem::take(&mut rest)
            } else {
                Map::new()
            };
            let mut sorted = texts.clone();
            sorted.sort();
            let key = json!([sorted, undescribed(&own)]).to_string();
            let index = self.item(&key, own, &rest, path, at, |_| Body::Enum(texts));
            return Shape::new(Type::Item(index), rest);
        }
        if node
            .get("format")
            .is_some_and(|format| format == "date-time")
            && !node.contains_key("enum")
        {
            rest.shift_remove("format");
            return Shape::new(Type::Plain("Time"), rest).with(Type::Plain("schema::Time"));
        }
        Shape::new(Type::Plain("String"), rest)
    }

    fn list(&mut self, schema: &Value, mut rest: Map<String, Value>, path: &[String]) -> Shape {
        let Some(items) = rest.shift_remove("items") else {
            return self.keep(schema, path, Type::List(Box::new(Type::Plain("Value"))));
        };
        let mut path = path.to_vec();
        if let Some(last) = path.last_mut() {
            *last = names::singular(last);
        }
        let (kind, with, inner) = self.inner(&items, &path, true);
        let with = with.map(|with| Type::List(Box::new(with)));
        Shape {
            kind: Type::List(Box::new(kind)),
            with,
            rest,
            inner,
        }
    }

    /// The items of a list or the values of a map; what is said of the items of a list can stand at its field.
    fn inner(
        &mut self,
        schema: &Value,
        path: &[String],
        of_list: bool,
    ) -> (Type, Option<Type>, Vec<Arg>) {
        let Shape {
            kind,
            with,
            mut rest,
            inner,
        } = self.shape(schema, path, At::Inner);
        let is_nullable =
            rest.get("nullable") == Some(&Value::Bool(true)) || schema["nullable"] == true;
        let optional = |kind: Type| if is_nullable { kind.optional() } else { kind };
        let args = if of_list {
            attributes::validations(&mut rest, &schema["type"])
        } else {
            Vec::new()
        };
        if rest.is_empty() && (of_list || inner.is_empty()) && !(is_nullable && with.is_none()) {
            let inner = [args, inner].concat();
            let inner = if inner.is_empty() {
                inner
            } else {
                vec![Arg::Call("inner", inner)]
            };
            return (optional(kind), with, inner);
        }
        let kept = self.keep_known(schema, path, Type::Plain("Value"), None, At::Inner);
        (optional(kind), kept.with, Vec::new())
    }

    fn object(
        &mut self,
        schema: &Value,
        mut rest: Map<String, Value>,
        path: &[String],
        at: At,
    ) -> Shape {
        let values = || Type::Map(Box::new(Type::Plain("Value")));
        match (
            rest.get("properties").and_then(Value::as_object),
            rest.get("additionalProperties"),
        ) {
            (Some(properties), None) if !properties.is_empty() => {
                if let Some(known) = kubernetes::recognise(schema) {
                    return self.keep_known(schema, path, Type::Known(known), Some(known), at);
                }
                self.structure(schema, path, at)
            }
            (_, Some(Value::Object(inner)))
                if !inner.is_empty() && !rest.contains_key("properties") =>
            {
                let mut path = path.to_vec();
                if let Some(last) = path.last_mut() {
                    *last = names::singular(last);
                }
                let inner = Value::Object(inner.clone());
                rest.shift_remove("additionalProperties");
                let (kind, with, _) = self.inner(&inner, &path, false);
                let shape = Shape::new(Type::Map(Box::new(kind)), rest);
                match with {
                    Some(with) => shape.with(Type::Map(Box::new(with))),
                    None => shape,
                }
            }
            (None, None) => Shape::new(values(), rest).with(Type::Plain("schema::Object")),
            _ => self.keep_known(schema, path, values(), None, at),
        }
    }

    fn structure(&mut self, schema: &Value, path: &[String], at: At) -> Shape {
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
        let node = own.clone();
        let mut keywords = own;
        for said in ["type", "properties", "required"] {
            keywords.shift_remove(said);
        }
        let index = self.item(&key, keywords, &rest, path, at, |shaper| {
            Body::Struct(shaper.fields(&node, path).0)
        });
        if let Some(required) = unsayable_required(&node) {
            self.model.items[index]
                .keywords
                .insert("required".into(), required);
        }
        Shape::new(Type::Item(index), rest)
    }

    /// The type of the file that a schema is, made where there is none yet.
    fn item(
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
}

/// Whether an object keeps what its schema does not name.
fn is_open(node: &Map<String, Value>) -> bool {
    node.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(true))
}

/// What is required without being a property, with all else that is.
fn unsayable_required(node: &Map<String, Value>) -> Option<Value> {
    let required = node.get("required")?.as_array()?;
    let properties = node.get("properties")?.as_object()?;
    let is_property = |name: &Value| {
        name.as_str()
            .is_some_and(|name| properties.contains_key(name))
    };
    (!required.iter().all(is_property)).then(|| json!(required))
}

fn undescribed(node: &Map<String, Value>) -> Map<String, Value> {
    let mut node = node.clone();
    node.shift_remove("description");
    node
}

fn no_twice(texts: &[&str]) -> bool {
    texts.iter().collect::<BTreeSet<_>>().len() == texts.len()
}

/// The two types that an int-or-string has.
pub fn pair() -> Value {
    json!([{"type": "integer"}, {"type": "string"}])
}

fn int_or_string(mut rest: Map<String, Value>) -> Shape {
    rest.shift_remove("x-kubernetes-int-or-string");
    if rest.get("anyOf") == Some(&pair()) {
        rest.shift_remove("anyOf");
    }
    if rest
        .get("pattern")
        .is_some_and(|pattern| pattern == QUANTITY)
    {
        rest.shift_remove("pattern");
        return Shape::new(Type::Plain("Quantity"), rest).with(Type::Plain("schema::Quantity"));
    }
    Shape::new(Type::Plain("IntOrString"), rest).with(Type::Plain("schema::IntOrString"))
}

/// A number by its format.
fn number(
    mut rest: Map<String, Value>,
    formats: &[(&str, &'static str)],
    plain: &'static str,
    widest: &'static str,
) -> Shape {
    let format = rest.get("format").and_then(Value::as_str);
    if let Some((_, kind)) = formats.iter().find(|(known, _)| Some(*known) == format) {
        rest.shift_remove("format");
        return Shape::new(Type::Plain(kind), rest);
    }
    Shape::new(Type::Plain(widest), rest).with(Type::Plain(plain))
}

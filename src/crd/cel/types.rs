//! The CEL type of a schema with the maximum size of its values, like Kubernetes' `SchemaDeclType`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::quoted;
use crate::crd::node::{Node, Object, flag};

/// Maximum size of a request to the API server, in bytes (3 MiB).
pub const MOST_BYTES: u64 = 3 << 20;

/// The CEL type of the values of a schema.
#[derive(Clone, Debug)]
pub struct Type {
    pub shape: Shape,
    /// Maximum number of items of a list or entries of a map. For text, bytes, times, durations and
    /// `Dyn`, the maximum number of bytes, of which a character takes up to four. 0 for other
    /// types.
    pub most: u64,
    /// Minimum size of a value in JSON, in bytes.
    pub least_bytes: u64,
}

/// The CEL type without sizes.
#[derive(Clone, Debug)]
pub enum Shape {
    Bool,
    Bytes,
    Double,
    Duration,
    /// An integer or a string.
    Dyn,
    Int,
    List(Box<Type>),
    /// A map from strings to values of this type.
    Map(Box<Type>),
    /// An object: the types of its fields, by the names that CEL uses for them (`__namespace__`).
    /// Fields that CEL cannot access are left out.
    Object(BTreeMap<String, Type>),
    Text,
    Time,
}

impl Type {
    /// Returns the type of the values of a schema; `None` if the schema has no known `type`, or if
    /// that is missing in the items or values below.
    pub fn of(node: &Node) -> Option<Self> {
        of(node.schema, node.is_resource())
    }

    fn new(shape: Shape, most: u64, least_bytes: u64) -> Self {
        Self {
            shape,
            most,
            least_bytes,
        }
    }
}

fn of(schema: &Object, is_resource: bool) -> Option<Type> {
    let number = |keyword: &str| schema.get(keyword).and_then(Value::as_f64).map(whole);
    let text = |keyword: &str| {
        schema
            .get(keyword)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    if flag(schema, "x-kubernetes-int-or-string") {
        let most = number("maxLength").map_or(MOST_BYTES - 2, |most| most.saturating_mul(4));
        return Some(Type::new(Shape::Dyn, most, 1));
    }
    match text("type") {
        "array" => {
            let item = inner(schema.get("items")?)?;
            let most = number("maxItems").unwrap_or((MOST_BYTES - 2) / (item.least_bytes + 1));
            Some(Type::new(Shape::List(Box::new(item)), most, 2))
        }
        "object" => match schema.get("additionalProperties") {
            Some(Value::Object(_)) if !is_resource => {
                let value = inner(&schema["additionalProperties"])?;
                let most =
                    number("maxProperties").unwrap_or((MOST_BYTES - 2) / (value.least_bytes + 6));
                Some(Type::new(Shape::Map(Box::new(value)), most, 2))
            }
            _ => Some(object(schema, is_resource)),
        },
        "string" => Some(string(schema, text("format"), number("maxLength"))),
        "boolean" => Some(Type::new(Shape::Bool, 0, 4)),
        "number" => Some(Type::new(Shape::Double, 0, 1)),
        "integer" => Some(Type::new(Shape::Int, 0, 1)),
        _ => None,
    }
}

fn inner(schema: &Value) -> Option<Type> {
    let schema = schema.as_object()?;
    of(schema, flag(schema, "x-kubernetes-embedded-resource"))
}

fn object(schema: &Object, is_resource: bool) -> Type {
    let mut properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    if is_resource {
        let text = json!({ "type": "string" });
        let metadata =
            json!({ "type": "object", "properties": { "name": text, "generateName": text } });
        properties.extend([
            ("apiVersion".to_owned(), text.clone()),
            ("kind".to_owned(), text),
            ("metadata".to_owned(), metadata),
        ]);
    }
    let required: Vec<_> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .collect();
    let mut least_bytes = 2;
    let mut fields = BTreeMap::new();
    for (name, schema) in &properties {
        let Some(field) = inner(schema) else { continue };
        if required.iter().any(|required| *required == name) && schema.get("default").is_none() {
            least_bytes += name.len() as u64 + field.least_bytes + 4;
        }
        fields.extend(escaped(name).map(|name| (name, field)));
    }
    Type::new(Shape::Object(fields), 0, least_bytes)
}

fn string(schema: &Object, format: &str, longest: Option<u64>) -> Type {
    match format {
        "byte" => Type::new(Shape::Bytes, longest.unwrap_or(MOST_BYTES - 2), 2),
        "duration" => Type::new(Shape::Duration, 32, 3),
        "date" => Type::new(Shape::Time, 12, 12),
        "date-time" => Type::new(Shape::Time, 32, 21),
        _ => {
            let values = schema
                .get("enum")
                .and_then(Value::as_array)
                .filter(|values| !values.is_empty());
            let of_enum = values.map(|values| {
                values
                    .iter()
                    .filter_map(Value::as_str)
                    .map(str::len)
                    .max()
                    .unwrap_or(0) as u64
            });
            // A character takes up to four bytes.
            let most = longest.map(|most| most.saturating_mul(4)).or(of_enum);
            Type::new(Shape::Text, most.unwrap_or(MOST_BYTES - 2), 2)
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "limits are whole numbers; a negative one counts as 0"
)]
fn whole(number: f64) -> u64 {
    number.max(0.0) as u64
}

/// Words reserved by CEL's grammar.
const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// Returns the type of the field that a name in an expression refers to. Since Kubernetes 1.32,
/// expressions may use reserved words unescaped: `self.namespace` is the same as
/// `self.__namespace__`.
pub fn field<'a>(fields: &'a BTreeMap<String, Type>, name: &str) -> Option<&'a Type> {
    let name = &*quoted::field(name);
    let escaped = || RESERVED.contains(&name).then(|| format!("__{name}__"));
    fields.get(name).or_else(|| fields.get(&escaped()?))
}

/// Returns the name of a property in CEL; `None` if CEL cannot access it.
fn escaped(name: &str) -> Option<String> {
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    let fine = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(fine)
    {
        return None;
    }
    let escapes = [
        ("__", "__underscores__"),
        (".", "__dot__"),
        ("-", "__dash__"),
        ("/", "__slash__"),
    ];
    Some(
        escapes
            .iter()
            .fold(name.to_owned(), |name, (from, to)| name.replace(from, to)),
    )
}

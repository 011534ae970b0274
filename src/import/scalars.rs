//! Conversion of schemas of scalar values to types.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::model::{Body, Type};
use super::type_registry::{At, RustForm, TypeRegistry, undescribed};

/// The pattern of a quantity, as the markers of Kubernetes' own types define it.
pub const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

impl TypeRegistry {
    /// Converts the schema of a string: to an enum, a time or a `String`. `node` is the schema, and
    /// `rest` the schema without `type`.
    pub fn string(
        &mut self,
        node: &Map<String, Value>,
        mut rest: Map<String, Value>,
        path: &[String],
        at: At,
    ) -> RustForm {
        // A nullable enum with the value null becomes an `Option`; the patch adds null to the enum
        // again.
        let is_nullable = node.get("nullable") == Some(&Value::Bool(true));
        let texts = node.get("enum").and_then(Value::as_array);
        let texts = texts.and_then(|all| {
            let texts = all.iter().filter(|value| !is_nullable || !value.is_null());
            texts.map(Value::as_str).collect::<Option<Vec<_>>>()
        });
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
            return RustForm::new(Type::Item(index), rest);
        }
        if node
            .get("format")
            .is_some_and(|format| format == "date-time")
            && !node.contains_key("enum")
        {
            rest.shift_remove("format");
            return RustForm::new(Type::Plain("Time"), rest).with(Type::Plain("schema::Time"));
        }
        RustForm::new(Type::Plain("String"), rest)
    }
}

fn no_twice(texts: &[&str]) -> bool {
    texts.iter().collect::<BTreeSet<_>>().len() == texts.len()
}

/// Returns the `anyOf` of an int-or-string.
pub fn int_or_string_any_of() -> Value {
    json!([{"type": "integer"}, {"type": "string"}])
}

/// Converts the schema of an int-or-string: to a `Quantity` if it has the pattern of one.
pub fn int_or_string(mut rest: Map<String, Value>) -> RustForm {
    rest.shift_remove("x-kubernetes-int-or-string");
    if rest.get("anyOf") == Some(&int_or_string_any_of()) {
        rest.shift_remove("anyOf");
    }
    if rest
        .get("pattern")
        .is_some_and(|pattern| pattern == QUANTITY)
    {
        rest.shift_remove("pattern");
        return RustForm::new(Type::Plain("Quantity"), rest).with(Type::Plain("schema::Quantity"));
    }
    RustForm::new(Type::Plain("IntOrString"), rest).with(Type::Plain("schema::IntOrString"))
}

/// Converts the schema of a number. `formats` maps formats to types; for other formats `widest` is
/// the Rust type, and `plain` provides the schema.
pub fn number(
    mut rest: Map<String, Value>,
    formats: &[(&str, &'static str)],
    plain: &'static str,
    widest: &'static str,
) -> RustForm {
    let format = rest.get("format").and_then(Value::as_str);
    if let Some((_, kind)) = formats.iter().find(|(known, _)| Some(*known) == format) {
        rest.shift_remove("format");
        return RustForm::new(Type::Plain(kind), rest);
    }
    RustForm::new(Type::Plain(widest), rest).with(Type::Plain(plain))
}

//! Conversion of schemas of lists and maps to types.

use serde_json::{Map, Value};

use super::attributes;
use super::model::{Arg, Type};
use super::type_registry::{At, RustForm, TypeRegistry};
use super::type_words;

impl TypeRegistry {
    /// Converts the schema of a list. `rest` is the schema without `type`, and `path` the path in
    /// the CRD, from which the name of a struct for the items is derived.
    pub fn list(
        &mut self,
        schema: &Value,
        mut rest: Map<String, Value>,
        path: &[String],
    ) -> RustForm {
        let Some(items) = rest.shift_remove("items") else {
            return self.keep(schema, path, Type::List(Box::new(Type::Plain("Value"))));
        };
        let mut path = path.to_vec();
        if let Some(last) = path.last_mut() {
            *last = type_words::singular(last);
        }
        let (kind, with, inner) = self.inner(&items, &path, true);
        let with = with.map(|with| Type::List(Box::new(with)));
        RustForm {
            kind: Type::List(Box::new(kind)),
            with,
            rest,
            inner,
        }
    }

    /// Converts the schema of list items or map values. Returns the type, the type that provides
    /// the schema if it differs, and the arguments of `#[schemars(..)]` of the field: limits of
    /// list items can be attributes of the field, those of map values cannot. A schema that this
    /// does not express is copied.
    pub fn inner(
        &mut self,
        schema: &Value,
        path: &[String],
        of_list: bool,
    ) -> (Type, Option<Type>, Vec<Arg>) {
        let RustForm {
            kind,
            with,
            mut rest,
            inner,
        } = self.convert(schema, path, At::Inner);
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
}

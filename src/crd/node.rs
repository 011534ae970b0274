//! Schemas with their location. All checks of a CRD traverse them.

use std::fmt;

use serde_json::{Map, Value};

/// A JSON object: a schema, or the value of a keyword that maps names to schemas.
pub type Object = Map<String, Value>;

/// A schema with the path to it.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    pub schema: &'a Object,
    /// The step from the parent to this schema.
    pub step: SchemaStep<'a>,
    /// The enclosing schema; `None` at the root.
    pub parent: Option<&'a Node<'a>>,
}

/// A step from a schema to one inside it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SchemaStep<'a> {
    /// No step: the schema of a whole object.
    Root,
    /// To the property with this name.
    Field(&'a str),
    /// To the schema of list items, in `items`.
    Item,
    /// To the schema of map values, in `additionalProperties`.
    Value,
}

impl<'a> Node<'a> {
    /// Creates the root node for the schema of a whole object.
    pub fn root(schema: &'a Object) -> Self {
        Self {
            schema,
            step: SchemaStep::Root,
            parent: None,
        }
    }

    /// Visits this schema and all schemas inside it, but not the branches of `allOf`, `anyOf`,
    /// `oneOf` and `not`, which only restrict it.
    pub fn visit(&self, see: &mut dyn FnMut(&Node)) {
        see(self);
        for (step, schema) in self.inside() {
            let node = Node {
                schema,
                step,
                parent: Some(self),
            };
            node.visit(see);
        }
    }

    fn inside(&self) -> Vec<(SchemaStep<'a>, &'a Object)> {
        let mut inside: Vec<_> = self
            .properties()
            .filter_map(|(name, schema)| {
                Some((SchemaStep::Field(name.as_str()), schema.as_object()?))
            })
            .collect();
        for (keyword, step) in [
            ("items", SchemaStep::Item),
            ("additionalProperties", SchemaStep::Value),
        ] {
            inside.extend(self.object(keyword).map(|schema| (step, schema)));
        }
        inside
    }

    /// Returns this schema and the branches of `allOf` in it, at any depth. A value must match each
    /// of them.
    pub fn conjuncts(&self) -> Vec<&'a Object> {
        let mut found = vec![self.schema];
        let mut next = 0;
        while let Some(schema) = found.get(next).copied() {
            let branches = schema.get("allOf").and_then(Value::as_array);
            let branches = branches.into_iter().flatten();
            found.extend(branches.filter_map(Value::as_object));
            next += 1;
        }
        found
    }

    /// Returns the properties with their schemas.
    pub fn properties(&self) -> impl Iterator<Item = (&'a String, &'a Value)> + use<'a> {
        self.object("properties").into_iter().flatten()
    }

    /// Returns the value of a keyword if it is an object.
    pub fn object(&self, keyword: &str) -> Option<&'a Object> {
        self.schema.get(keyword)?.as_object()
    }

    /// Returns the value of a keyword if it is a string.
    pub fn text(&self, keyword: &str) -> Option<&'a str> {
        self.schema.get(keyword)?.as_str()
    }

    /// Returns the value of a keyword if it is a non-negative integer.
    pub fn number(&self, keyword: &str) -> Option<u64> {
        let value = self.schema.get(keyword)?;
        value.as_u64().or_else(|| number(value.as_f64()?))
    }

    /// Returns true if a keyword is `true`.
    pub fn flag(&self, keyword: &str) -> bool {
        flag(self.schema, keyword)
    }

    /// Returns the type; empty if the schema has none.
    pub fn type_name(&self) -> &'a str {
        self.text("type").unwrap_or_default()
    }

    pub fn is_root(&self) -> bool {
        self.step == SchemaStep::Root
    }

    /// Returns true if the schema describes whole resources with `apiVersion`, `kind` and metadata.
    pub fn is_resource(&self) -> bool {
        self.is_root() || self.flag("x-kubernetes-embedded-resource")
    }

    /// Returns this schema and all enclosing ones, the innermost first.
    pub fn ancestors(&self) -> impl Iterator<Item = &Node<'a>> {
        std::iter::successors(Some(self), |node| node.parent)
    }

    /// Returns the path of the values, for example `.spec.ports[].name`; `.` for the root.
    pub fn path(&self) -> String {
        let mut steps: Vec<_> = self.ancestors().map(|node| node.step.to_string()).collect();
        steps.reverse();
        let path = steps.concat();
        if path.is_empty() { ".".into() } else { path }
    }

    /// Returns the names of the fields in the path.
    pub fn fields(&self) -> Vec<String> {
        let mut fields: Vec<_> = self
            .ancestors()
            .filter_map(|node| match node.step {
                SchemaStep::Field(name) => Some(name.to_owned()),
                _ => None,
            })
            .collect();
        fields.reverse();
        fields
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole and not negative"
)]
fn number(value: f64) -> Option<u64> {
    (value >= 0.0 && value.fract() == 0.0).then_some(value as u64)
}

/// Returns true if a keyword of a schema is `true`.
pub fn flag(schema: &Object, keyword: &str) -> bool {
    schema.get(keyword) == Some(&Value::Bool(true))
}

impl fmt::Display for SchemaStep<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(name) => write!(f, ".{name}"),
            Self::Item => f.write_str("[]"),
            Self::Value => f.write_str("[*]"),
        }
    }
}

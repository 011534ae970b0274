//! A place that exists in two schemas.

use serde_json::Value;

use crate::crd::finding::CrdProblem;
use crate::crd::node::{Node, Object, SchemaStep};
use crate::diagnostic::Lint;

/// The keyword that preserves unknown fields.
pub const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// A place that exists in both schemas.
#[derive(Debug)]
pub struct Pair<'a> {
    /// The schema of the place before the change.
    pub old: Node<'a>,
    /// The schema of the place after the change.
    pub new: Node<'a>,
}

/// The schema of a version without one.
static NOTHING: std::sync::LazyLock<Object> = std::sync::LazyLock::new(Object::new);

impl<'a> Pair<'a> {
    /// Creates the pair for the whole objects of two versions.
    pub fn root(old: &'a Value, new: &'a Value) -> Self {
        let schema = |version: &'a Value| {
            let schema = version.pointer("/schema/openAPIV3Schema");
            Node::root(schema.and_then(Value::as_object).unwrap_or(&NOTHING))
        };
        Self {
            old: schema(old),
            new: schema(new),
        }
    }

    /// Visits this place and all places inside of it that exist in both schemas. Skips the inside
    /// if the type changes.
    pub fn visit(&self, see: &mut dyn FnMut(&Pair)) {
        see(self);
        if self.old.type_name() != self.new.type_name() {
            return;
        }
        for (name, old) in self.old.properties() {
            // The API server defines these fields of embedded resources itself.
            let is_meta = self.new.is_resource()
                && ["apiVersion", "kind", "metadata"].contains(&name.as_str());
            if let Some(new) = self.field(name).filter(|_| !is_meta) {
                self.step(SchemaStep::Field(name), old, new, see);
            }
        }
        for (keyword, step) in [
            ("items", SchemaStep::Item),
            ("additionalProperties", SchemaStep::Value),
        ] {
            if let (Some(old), Some(new)) =
                (self.old.schema.get(keyword), self.new.schema.get(keyword))
            {
                self.step(step, old, new, see);
            }
        }
    }

    fn step(&self, step: SchemaStep, old: &Value, new: &Value, see: &mut dyn FnMut(&Pair)) {
        let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else {
            return;
        };
        let inside = Pair {
            old: Node {
                schema: old,
                step,
                parent: Some(&self.old),
            },
            new: Node {
                schema: new,
                step,
                parent: Some(&self.new),
            },
        };
        inside.visit(see);
    }

    /// Returns the new schema of a field: its own, or the one for all values.
    pub fn field(&self, name: &str) -> Option<&'a Value> {
        let schema: &'a Object = self.new.schema;
        let own = schema.get("properties").and_then(|fields| fields.get(name));
        own.or_else(|| schema.get("additionalProperties"))
    }

    /// Returns the old and the new value of a keyword, each `None` if its schema does not have the
    /// keyword. Returns `None` if the two are equal.
    pub fn changed(&self, keyword: &str) -> Option<(Option<&'a Value>, Option<&'a Value>)> {
        let (old, new) = (self.old.schema.get(keyword), self.new.schema.get(keyword));
        (old != new).then_some((old, new))
    }

    /// Returns true if the value has parts that can change. The API server then validates the whole
    /// value again after each change of a part, so ratcheting does not tolerate an old violation.
    pub fn is_container(&self) -> bool {
        ["array", "object"].contains(&self.new.type_name())
    }

    /// Creates a finding of a rule for this place.
    pub fn finding(&self, rule: &'static Lint, message: impl Into<String>) -> CrdProblem {
        finding(&self.new, rule, message)
    }
}

/// Creates a finding of a rule for a place.
pub fn finding(node: &Node, rule: &'static Lint, message: impl Into<String>) -> CrdProblem {
    CrdProblem::at(node, message).warning(rule)
}

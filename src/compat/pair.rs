//! The same place in two schemas.

use serde_json::Value;

use crate::crd::finding::Finding;
use crate::crd::node::{Node, Object, Step};
use crate::diagnostic::Lint;

/// Keeps what the schema does not name.
pub const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// A place that both schemas have.
#[derive(Debug)]
pub struct Pair<'a> {
    /// As it was.
    pub old: Node<'a>,
    /// As it is to be.
    pub new: Node<'a>,
}

static NOTHING: std::sync::LazyLock<Object> = std::sync::LazyLock::new(Object::new);

impl<'a> Pair<'a> {
    /// The whole objects of two versions of a CRD.
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

    /// Visits this place and all inside of it that both have. What has another type is not looked into.
    pub fn visit(&self, see: &mut dyn FnMut(&Pair)) {
        see(self);
        if self.old.kind() != self.new.kind() {
            return;
        }
        for (name, old) in self.old.properties() {
            // Of a resource in a resource the API server knows these by itself.
            let is_meta = self.new.is_resource()
                && ["apiVersion", "kind", "metadata"].contains(&name.as_str());
            if let Some(new) = self.field(name).filter(|_| !is_meta) {
                self.step(Step::Field(name), old, new, see);
            }
        }
        for (keyword, step) in [("items", Step::Item), ("additionalProperties", Step::Value)] {
            if let (Some(old), Some(new)) =
                (self.old.schema.get(keyword), self.new.schema.get(keyword))
            {
                self.step(step, old, new, see);
            }
        }
    }

    fn step(&self, step: Step, old: &Value, new: &Value, see: &mut dyn FnMut(&Pair)) {
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

    /// The new schema of a field: its own, or that of all values.
    pub fn field(&self, name: &str) -> Option<&'a Value> {
        let schema: &'a Object = self.new.schema;
        let own = schema.get("properties").and_then(|fields| fields.get(name));
        own.or_else(|| schema.get("additionalProperties"))
    }

    /// A keyword in both, where it is not the same.
    pub fn changed(&self, keyword: &str) -> Option<(Option<&'a Value>, Option<&'a Value>)> {
        let (old, new) = (self.old.schema.get(keyword), self.new.schema.get(keyword));
        (old != new).then_some((old, new))
    }

    /// Whether a change elsewhere may lie inside of this place. The API server then asks anew for all of it.
    pub fn holds_more(&self) -> bool {
        ["array", "object"].contains(&self.new.kind())
    }

    /// What a rule says of this place.
    pub fn finding(&self, rule: &'static Lint, message: impl Into<String>) -> Finding {
        finding(&self.new, rule, message)
    }
}

/// What a rule says of a place.
pub fn finding(node: &Node, rule: &'static Lint, message: impl Into<String>) -> Finding {
    Finding::refused(node, message).warning(rule)
}

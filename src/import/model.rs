//! The model of a CRD version: structs, enums, and the schemas that Rust types cannot express.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::kubernetes::Known;

/// The Rust type of a field, or the type that provides its schema.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A type without parameters, by its name: `String`, `Value`, `schema::Any`.
    Plain(&'static str),
    /// A type of Kubernetes.
    Known(Known),
    /// A struct or an enum of the model, by its index in `Model::items`.
    Item(usize),
    /// A schema copied from the CRD, by its index in `Model::kept`.
    Kept(usize),
    Option(Box<Self>),
    /// `Vec<..>`.
    List(Box<Self>),
    /// `BTreeMap<String, ..>`.
    Map(Box<Self>),
}

impl Type {
    /// Wraps the type in an `Option`.
    pub fn optional(self) -> Self {
        Self::Option(Box::new(self))
    }

    /// Returns the type inside all options, lists and maps.
    pub fn innermost(&self) -> &Self {
        match self {
            Self::Option(inner) | Self::List(inner) | Self::Map(inner) => inner.innermost(),
            other => other,
        }
    }
}

/// An argument of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// `required`, `min = 1`.
    Leaf(String),
    /// An argument that rustfmt does not format: `extend("a" = 1)`.
    Verbatim(String),
    /// `length(min = 1)`.
    Call(&'static str, Vec<Self>),
}

/// A struct or an enum.
#[derive(Clone, Debug)]
pub struct Item {
    /// The path to it in the schema, such as `spec` and `template`; the shortest one if there are
    /// several. The name of the type is derived from it.
    pub path: Vec<String>,
    /// The name, if it is fixed; `None` if it is derived from the path.
    pub fixed: Option<String>,
    /// The module of another kind that defines the type; `None` if this file defines it.
    pub home: Option<String>,
    /// Keywords of the schema that the Rust type does not express.
    pub keywords: Map<String, Value>,
    /// If true, serde serializes the only field in place of the struct: a root type is a struct,
    /// also if a spec or a status is not an object.
    pub transparent: bool,
    pub body: Body,
}

/// The definition of an [`Item`].
#[derive(Clone, Debug)]
pub enum Body {
    /// A struct with these fields.
    Struct(Vec<Field>),
    /// An enum with these values.
    Enum(Vec<String>),
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name in JSON; `None` for the map with all other fields of an object.
    pub name: Option<String>,
    /// The Rust type; `Option` if the field may be absent or null.
    pub kind: Type,
    /// The type that provides the schema, if it differs from `kind`: `#[schemars(with = "..")]`.
    pub with: Option<Type>,
    /// True if the schema requires the field.
    pub required: bool,
    /// Keywords of the schema that the Rust type does not express.
    pub keywords: Map<String, Value>,
    /// Arguments of `#[schemars(..)]` for the items of a list.
    pub inner: Vec<Arg>,
}

/// A schema copied from the CRD.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The path to it in the schema of the CRD.
    pub path: Vec<String>,
    /// The Kubernetes type that it is a copy of, if it is one.
    pub known: Option<Known>,
    /// The schema as JSON, without the keywords that belong to the field.
    pub schema: Value,
}

/// The types and schemas of a version.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The structs and enums; an outer type comes before the types in it.
    pub items: Vec<Item>,
    /// The schemas that Rust types cannot express.
    pub kept: Vec<Kept>,
}

impl Model {
    /// Returns the indices of the types that the file defines, in their order in the file: each
    /// after the first type that uses it.
    pub fn order(&self) -> Vec<usize> {
        let (mut seen, mut order) = (BTreeSet::new(), Vec::new());
        for (index, item) in self.items.iter().enumerate() {
            if item.fixed.is_some() {
                self.visit(index, &mut seen, &mut order);
            }
        }
        order
    }

    fn visit(&self, index: usize, seen: &mut BTreeSet<usize>, order: &mut Vec<usize>) {
        let item = &self.items[index];
        if item.home.is_some() || !seen.insert(index) {
            return;
        }
        order.push(index);
        if let Body::Struct(fields) = &item.body {
            for field in fields {
                if let Type::Item(index) = field.kind.innermost() {
                    self.visit(*index, seen, order);
                }
            }
        }
    }

    /// Returns the indices in `kept` of the copied schemas that these types use.
    pub fn kept_of(&self, order: &[usize]) -> BTreeSet<usize> {
        let mut kept = BTreeSet::new();
        for &index in order {
            let Body::Struct(fields) = &self.items[index].body else {
                continue;
            };
            let kinds = fields
                .iter()
                .flat_map(|field| [Some(&field.kind), field.with.as_ref()]);
            for kind in kinds.flatten() {
                if let Type::Kept(index) = kind.innermost() {
                    kept.insert(*index);
                }
            }
        }
        kept
    }
}

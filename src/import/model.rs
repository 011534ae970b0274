//! What is to be written of a version: structs, enums, and the schemas that no type says.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::kubernetes::Known;

/// A Rust type, or what stands for one in a schema.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// One that needs no import but those of every file: `String`, `Value`.
    Plain(&'static str),
    /// Of Kubernetes.
    Known(Known),
    /// A struct or an enum of the file.
    Item(usize),
    /// A schema as it came in.
    Kept(usize),
    /// `Option<..>`.
    Option(Box<Self>),
    /// `Vec<..>`.
    List(Box<Self>),
    /// `BTreeMap<String, ..>`.
    Map(Box<Self>),
}

impl Type {
    /// The type in an `Option`.
    pub fn optional(self) -> Self {
        Self::Option(Box::new(self))
    }

    /// What it is in the end, without options, lists and maps.
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
    /// What rustfmt takes for no argument and leaves as it is: `extend("a" = 1)`.
    Verbatim(String),
    /// `length(min = 1)`.
    Call(&'static str, Vec<Self>),
}

/// A type of the file.
#[derive(Clone, Debug)]
pub struct Item {
    /// The way to it in the schema; the shortest one.
    pub path: Vec<String>,
    /// The name, where that is no choice.
    pub fixed: Option<String>,
    /// The module of the kind that writes it, where this one only uses it.
    pub home: Option<String>,
    /// What the schema says of it that its type does not.
    pub keywords: Map<String, Value>,
    /// If true, serde writes the value of the only field in place of the struct: a status need not be an object.
    pub transparent: bool,
    /// What it is.
    pub body: Body,
}

/// What an [`Item`] is.
#[derive(Clone, Debug)]
pub enum Body {
    /// With these fields.
    Struct(Vec<Field>),
    /// Of these texts; whether one of them is needed as a default.
    Enum(Vec<String>),
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub struct Field {
    /// What it is called in JSON; none for whatever else an object has.
    pub name: Option<String>,
    /// Its type.
    pub kind: Type,
    /// What it is for the schema, where that is something else.
    pub with: Option<Type>,
    /// Whether it must be there.
    pub required: bool,
    /// What the schema says of it that its type does not.
    pub keywords: Map<String, Value>,
    /// What is said of the items of a list.
    pub inner: Vec<Arg>,
}

/// A schema as it came in.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The way to it.
    pub path: Vec<String>,
    /// What it is a copy of.
    pub known: Option<Known>,
    /// The schema.
    pub schema: Value,
}

/// All of a version.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Its types, the outer ones first.
    pub items: Vec<Item>,
    /// Its schemas.
    pub kept: Vec<Kept>,
}

impl Model {
    /// The types that the file has, in the order in which they stand: each below the first one that has it.
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

    /// The kept schemas that types of the file have.
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

//! What is to be written of a version: structs, enums, and the schemas that no type says.

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
    /// What the schema says of it that its type does not.
    pub keywords: Map<String, Value>,
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

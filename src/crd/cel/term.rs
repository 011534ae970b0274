//! What is known of a value in an expression: its kind and its size.

use std::collections::BTreeMap;

use cel::common::ast::LiteralValue;

use super::types::{Shape, Type};

/// A size that nothing bounds.
pub const UNKNOWN: u64 = u64::MAX;

/// What a value is, and its size.
#[derive(Clone, Debug)]
pub struct Term<'a> {
    pub kind: Kind<'a>,
    pub least: u64,
    pub most: u64,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum Kind<'a> {
    Bool,
    Bytes,
    Double,
    Int,
    List(Box<Term<'a>>),
    Map(Box<Term<'a>>),
    /// Its fields, and whether the API server knows how large they may be: not for what a macro or a list
    /// in the rule has made.
    Object(&'a BTreeMap<String, Type>, bool),
    Optional(Box<Term<'a>>),
    Text,
    /// A moment or a span of time.
    Time,
    /// Not known here.
    Any,
}

impl PartialEq for Kind<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl Kind<'_> {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Bytes => "bytes",
            Self::Double => "double",
            Self::Int => "int",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Object(..) => "object",
            Self::Optional(_) => "optional",
            Self::Text => "string",
            Self::Time => "time",
            Self::Any => "dyn",
        }
    }

    pub fn is_known(&self) -> bool {
        !matches!(self, Self::Any)
    }
}

impl<'a> Term<'a> {
    pub fn new(kind: Kind<'a>, most: u64) -> Self {
        Self {
            kind,
            least: 0,
            most,
        }
    }

    pub fn scalar(kind: Kind<'a>) -> Self {
        Self {
            kind,
            least: 1,
            most: 1,
        }
    }

    pub fn any() -> Self {
        Self::new(Kind::Any, UNKNOWN)
    }

    pub fn of(declared: &'a Type) -> Self {
        let kind = match &declared.shape {
            Shape::Bool => Kind::Bool,
            Shape::Bytes => Kind::Bytes,
            Shape::Double => Kind::Double,
            Shape::Duration | Shape::Time => Kind::Time,
            Shape::Dyn => Kind::Any,
            Shape::Int => Kind::Int,
            Shape::List(item) => Kind::List(Box::new(Self::of(item))),
            Shape::Map(value) => Kind::Map(Box::new(Self::of(value))),
            Shape::Object(fields) => Kind::Object(fields, true),
            Shape::Text => Kind::Text,
        };
        Self::new(kind, declared.most)
    }

    /// As an item of a list that the rule makes: the API server keeps its size and forgets those of its parts.
    pub fn made(self) -> Self {
        let kind = match self.kind {
            Kind::Object(fields, _) => Kind::Object(fields, false),
            Kind::List(item) => Kind::List(Box::new(item.forgotten())),
            Kind::Map(value) => Kind::Map(Box::new(value.forgotten())),
            kind => kind,
        };
        Self { kind, ..self }
    }

    /// As a part of something made.
    pub fn forgotten(self) -> Self {
        let scalar = matches!(
            self.kind,
            Kind::Bool | Kind::Double | Kind::Int | Kind::Time
        );
        let most = if scalar { 1 } else { UNKNOWN };
        Self {
            most,
            ..self.made()
        }
    }

    /// Either of two.
    pub fn or(self, other: Self) -> Self {
        let kind = if self.kind == other.kind || !other.kind.is_known() {
            self.kind
        } else {
            other.kind
        };
        Self {
            kind,
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }
}
pub fn literal<'a>(value: &LiteralValue) -> Term<'a> {
    let sized = |kind, size: usize| Term {
        kind,
        least: size as u64,
        most: size as u64,
    };
    match value {
        LiteralValue::Boolean(_) => Term::scalar(Kind::Bool),
        LiteralValue::Bytes(bytes) => sized(Kind::Bytes, bytes.inner().len()),
        LiteralValue::Double(_) => Term::scalar(Kind::Double),
        LiteralValue::Int(_) => Term::scalar(Kind::Int),
        LiteralValue::Null | LiteralValue::UInt(_) => Term::scalar(Kind::Any),
        LiteralValue::String(text) => sized(Kind::Text, text.inner().chars().count()),
    }
}

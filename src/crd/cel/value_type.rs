//! The static types of CEL expressions, and the unification of type variables in overload
//! resolution.
//!
//! The rules are those of the CEL specification as the API server applies them: `dyn` fits
//! everything; `null` fits objects, timestamps, durations and library types; two object types are
//! equal only if they are the same place of the schema.

use std::collections::HashMap;
use std::fmt;

use super::types::{Shape, Type};

/// The name of the type of optional values.
pub const OPTIONAL: &str = "optional";

/// The static type of an expression.
#[derive(Clone, Debug)]
pub enum ValueType<'a> {
    Bool,
    Bytes,
    Double,
    Duration,
    /// A value of any type, checked at runtime.
    Dyn,
    Int,
    List(Box<Self>),
    /// The types of the keys and of the values.
    Map(Box<Self>, Box<Self>),
    Null,
    /// An object declared in the schema.
    Object(&'a Type),
    /// A library type by its name, with its parameters: `kubernetes.Quantity`, `optional<A>`.
    Opaque(String, Vec<Self>),
    Text,
    Timestamp,
    /// The type of a type, for example of `int` and of `type(self)`.
    Type,
    Uint,
    /// A type variable, by its number: a type that [`Bindings`] may bind.
    Variable(usize),
}

impl<'a> ValueType<'a> {
    /// Returns the type of the values of a schema.
    pub fn of(declared: &'a Type) -> Self {
        match &declared.shape {
            Shape::Bool => Self::Bool,
            Shape::Bytes => Self::Bytes,
            Shape::Double => Self::Double,
            Shape::Duration => Self::Duration,
            Shape::Dyn => Self::Dyn,
            Shape::Int => Self::Int,
            Shape::List(item) => Self::List(Box::new(Self::of(item))),
            Shape::Map(value) => Self::Map(Box::new(Self::Text), Box::new(Self::of(value))),
            Shape::Object(_) => Self::Object(declared),
            Shape::Text => Self::Text,
            Shape::Time => Self::Timestamp,
        }
    }

    /// Returns the type of an optional value of this type.
    pub fn optional(self) -> Self {
        Self::Opaque(OPTIONAL.to_owned(), vec![self])
    }

    /// Unwraps an optional type. Returns the inner type and true, or this type and false if it is
    /// not optional.
    pub fn unwrapped(self) -> (Self, bool) {
        match self {
            Self::Opaque(name, mut parameters) if name == OPTIONAL && parameters.len() == 1 => {
                (parameters.remove(0), true)
            }
            other => (other, false),
        }
    }

    /// Returns the type with a function applied to its direct parts.
    pub fn map_parts(&self, change: &mut dyn FnMut(&Self) -> Self) -> Self {
        match self {
            Self::List(item) => Self::List(Box::new(change(item))),
            Self::Map(key, value) => {
                let key = change(key);
                Self::Map(Box::new(key), Box::new(change(value)))
            }
            Self::Opaque(name, parameters) => {
                Self::Opaque(name.clone(), parameters.iter().map(change).collect())
            }
            other => other.clone(),
        }
    }

    fn parts(&self) -> Vec<&Self> {
        match self {
            Self::List(item) => vec![item],
            Self::Map(key, value) => vec![key, value],
            Self::Opaque(_, parameters) => parameters.iter().collect(),
            _ => Vec::new(),
        }
    }

    fn can_be_null(&self) -> bool {
        matches!(
            self,
            Self::Duration | Self::Null | Self::Object(_) | Self::Opaque(..) | Self::Timestamp
        )
    }
}

impl PartialEq for ValueType<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Object(a), Self::Object(b)) => std::ptr::eq(*a, *b),
            (Self::Opaque(a, _), Self::Opaque(b, _)) if a != b => false,
            (Self::Variable(a), Self::Variable(b)) => a == b,
            (a, b) if std::mem::discriminant(a) != std::mem::discriminant(b) => false,
            (a, b) => a.parts() == b.parts(),
        }
    }
}

impl fmt::Display for ValueType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let name = match self {
            Self::Bool => "bool",
            Self::Bytes => "bytes",
            Self::Double => "double",
            Self::Duration => "duration",
            Self::Dyn | Self::Variable(_) => "dyn",
            Self::Int => "int",
            Self::List(item) => return write!(f, "list<{item}>"),
            Self::Map(key, value) => return write!(f, "map<{key}, {value}>"),
            Self::Null => "null",
            Self::Object(_) => "object",
            Self::Opaque(name, parameters) => {
                f.write_str(name)?;
                return match &parameters[..] {
                    [] => Ok(()),
                    parameters => {
                        let parameters: Vec<_> = parameters.iter().map(Self::to_string).collect();
                        write!(f, "<{}>", parameters.join(", "))
                    }
                };
            }
            Self::Text => "string",
            Self::Timestamp => "timestamp",
            Self::Type => "type",
            Self::Uint => "uint",
        };
        f.write_str(name)
    }
}

/// The types bound to type variables.
#[derive(Clone, Debug, Default)]
pub struct Bindings<'a> {
    bound: HashMap<usize, ValueType<'a>>,
}

/// The result of binding a type variable.
#[derive(Eq, PartialEq)]
enum Binding {
    Bound,
    /// The variable is already bound to another type.
    Conflict,
    /// The type contains the variable.
    Cyclic,
}

impl<'a> Bindings<'a> {
    /// Returns true if each type fits its counterpart. Binds variables only in that case.
    pub fn fit_all(&mut self, given: &[ValueType<'a>], wanted: &[ValueType<'a>]) -> bool {
        let mut trial = self.clone();
        let fits =
            given.len() == wanted.len() && given.iter().zip(wanted).all(|(a, b)| trial.unify(a, b));
        if fits {
            *self = trial;
        }
        fits
    }

    /// Returns true if a type fits another. Binds variables only in that case.
    pub fn fit(&mut self, given: &ValueType<'a>, wanted: &ValueType<'a>) -> bool {
        self.fit_all(std::slice::from_ref(given), std::slice::from_ref(wanted))
    }

    /// Returns a type with its bound variables replaced. Unbound ones become `rest`, if given.
    pub fn resolve(&self, of: &ValueType<'a>, rest: Option<&ValueType<'a>>) -> ValueType<'a> {
        match of {
            ValueType::Variable(variable) => match (self.bound.get(variable), rest) {
                (Some(bound), _) => self.resolve(bound, rest),
                (None, Some(rest)) => rest.clone(),
                (None, None) => of.clone(),
            },
            of => of.map_parts(&mut |part| self.resolve(part, rest)),
        }
    }

    fn unify(&mut self, a: &ValueType<'a>, b: &ValueType<'a>) -> bool {
        if let ValueType::Variable(variable) = b {
            match self.bind(*variable, a) {
                Binding::Bound => return true,
                Binding::Conflict => return false,
                Binding::Cyclic => {}
            }
        }
        if let ValueType::Variable(variable) = a {
            return self.bind(*variable, b) == Binding::Bound;
        }
        match (a, b) {
            (ValueType::Dyn, _) | (_, ValueType::Dyn) => true,
            (ValueType::Null, other) | (other, ValueType::Null) => other.can_be_null(),
            (ValueType::Object(_), _) => a == b,
            (ValueType::Opaque(a, _), ValueType::Opaque(b, _)) if a != b => false,
            (a, b) if std::mem::discriminant(a) != std::mem::discriminant(b) => false,
            (a, b) => {
                let (a, b) = (a.parts(), b.parts());
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.unify(a, b))
            }
        }
    }

    fn bind(&mut self, variable: usize, to: &ValueType<'a>) -> Binding {
        if matches!(to, ValueType::Variable(other) if *other == variable) {
            return Binding::Bound;
        }
        let Some(current) = self.bound.get(&variable).cloned() else {
            if self.contains(to, variable) {
                return Binding::Cyclic;
            }
            self.bound.insert(variable, to.clone());
            return Binding::Bound;
        };
        if current == *to {
            return Binding::Bound;
        }
        if !self.unify(to, &current) {
            return Binding::Conflict;
        }
        let general = more_general(to, &current);
        if !self.contains(general, variable) {
            self.bound.insert(variable, general.clone());
        }
        Binding::Bound
    }

    /// Returns true if a type contains a variable, directly or through other variables.
    fn contains(&self, of: &ValueType<'a>, variable: usize) -> bool {
        match of {
            ValueType::Variable(other) if *other == variable => true,
            ValueType::Variable(other) => self
                .bound
                .get(other)
                .is_some_and(|bound| self.contains(bound, variable)),
            of => of
                .parts()
                .into_iter()
                .any(|part| self.contains(part, variable)),
        }
    }
}

/// Returns the more general of two types; the second one if neither is more general.
pub fn more_general<'t, 'a>(a: &'t ValueType<'a>, b: &'t ValueType<'a>) -> &'t ValueType<'a> {
    if covers(a, b) { a } else { b }
}

/// Returns true if the first type is equal to the second or more general.
fn covers(a: &ValueType, b: &ValueType) -> bool {
    let is_open = |of: &ValueType| matches!(of, ValueType::Dyn | ValueType::Variable(_));
    match (a, b) {
        (a, _) if is_open(a) => true,
        (_, b) if is_open(b) => false,
        (ValueType::Object(_), _) => a == b,
        (ValueType::Opaque(a, _), ValueType::Opaque(b, _)) if a != b => false,
        (a, b) if std::mem::discriminant(a) != std::mem::discriminant(b) => false,
        (a, b) => {
            let (a, b) = (a.parts(), b.parts());
            a.len() == b.len() && a.into_iter().zip(b).all(|(a, b)| covers(a, b))
        }
    }
}

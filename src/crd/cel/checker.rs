//! The type checker: computes the static type of every subexpression, and reports the errors with
//! which the API server would reject the expression.

mod calls;
mod format;

use std::collections::HashMap;

use cel::common::ast::{ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, SelectExpr};

use super::functions::{self, Overload};
use super::quoted;
use super::types::{Shape, Type, field};
use super::value_type::{Bindings, ValueType, more_general};

/// Names of types that can be used as values, as in `type(self.x) == int`.
const TYPES: [&str; 15] = [
    "bool",
    "bytes",
    "double",
    "google.protobuf.Duration",
    "google.protobuf.Timestamp",
    "int",
    "list",
    "map",
    "net.CIDR",
    "net.IP",
    "null_type",
    "optional_type",
    "string",
    "type",
    "uint",
];

/// The result of type checking an expression.
pub struct Checked<'a> {
    /// The type of the expression; `dyn` if it is only known at runtime.
    pub result: ValueType<'a>,
    /// False after an error, and if the expression creates messages of libraries that rustop does
    /// not know.
    pub is_certain: bool,
    /// The errors. Each completes a sentence that begins with the expression.
    pub errors: Vec<String>,
    pub uses_old_self: bool,
    /// The types of the subexpressions by their ids.
    pub types: HashMap<u64, ValueType<'a>>,
    /// The names of the called functions and their matching overloads, by the ids of the calls.
    pub calls: HashMap<u64, (String, Vec<&'static Overload>)>,
}

/// A type checker for one expression.
pub struct Checker<'a> {
    /// The type of `self`.
    declared: &'a Type,
    /// True if `oldSelf` is an optional value, by `optionalOldSelf`.
    optional_old: bool,
    /// The minor version of the Kubernetes release.
    minor: u8,
    bindings: Bindings<'a>,
    /// The highest number of a type variable so far.
    variables: usize,
    /// The types of the variables of macros by name. The last one is the innermost.
    locals: HashMap<String, Vec<ValueType<'a>>>,
    /// The element types of list and map literals. They must be equal once all variables are bound.
    literals: Vec<Vec<ValueType<'a>>>,
    /// The number of calls of `format` around the current subexpression.
    formats: usize,
    checked: Checked<'a>,
}

impl<'a> Checker<'a> {
    /// Creates a checker of rules on values of the type `declared`, for Kubernetes 1.`minor`.
    /// `optional_old` is true for a rule with `optionalOldSelf`.
    pub fn new(declared: &'a Type, optional_old: bool, minor: u8) -> Self {
        Self {
            declared,
            optional_old,
            minor,
            bindings: Bindings::default(),
            // Smaller numbers are reserved for the type parameters in the table of functions, which
            // are single letters.
            variables: 256,
            locals: HashMap::new(),
            literals: Vec::new(),
            formats: 0,
            checked: Checked {
                result: ValueType::Dyn,
                is_certain: true,
                errors: Vec::new(),
                uses_old_self: false,
                types: HashMap::new(),
                calls: HashMap::new(),
            },
        }
    }

    /// Checks an expression. Errors do not end the check: they are part of the result.
    pub fn run(mut self, expression: &IdedExpr) -> Checked<'a> {
        let result = self.check(expression);
        self.checked.result = self.resolved(&result);
        for types in std::mem::take(&mut self.literals) {
            let types: Vec<_> = types.iter().map(|of| self.resolved(of)).collect();
            if let Some(other) = types.iter().find(|of| **of != types[0]) {
                let other = other.clone();
                self.mixed(&types[0], &other);
            }
        }
        self.checked.is_certain &= self.checked.errors.is_empty();
        let types = std::mem::take(&mut self.checked.types);
        let types = types.into_iter().map(|(id, of)| (id, self.resolved(&of)));
        self.checked.types = types.collect();
        self.checked
    }

    /// Records an error once. Returns `dyn`, which causes no further errors.
    fn error(&mut self, what: String) -> ValueType<'a> {
        if !self.checked.errors.contains(&what) {
            self.checked.errors.push(what);
        }
        ValueType::Dyn
    }

    /// Returns a new type variable.
    fn fresh(&mut self) -> ValueType<'a> {
        self.variables += 1;
        ValueType::Variable(self.variables)
    }

    /// Returns a type with bound variables replaced and unbound ones turned into `dyn`.
    fn resolved(&self, of: &ValueType<'a>) -> ValueType<'a> {
        self.bindings.resolve(of, Some(&ValueType::Dyn))
    }

    /// Returns a type with its bound variables replaced.
    fn known(&self, of: &ValueType<'a>) -> ValueType<'a> {
        self.bindings.resolve(of, None)
    }

    /// Returns the type of a subexpression, and records it in the result.
    fn check(&mut self, expression: &IdedExpr) -> ValueType<'a> {
        let of = self.type_of(expression);
        self.checked.types.insert(expression.id, of.clone());
        of
    }

    fn type_of(&mut self, expression: &IdedExpr) -> ValueType<'a> {
        match &expression.expr {
            Expr::Literal(value) => literal(value),
            Expr::Ident(name) => self.name(name),
            Expr::Select(select) => self.select(expression, select),
            Expr::Call(call) => self.call(expression.id, call),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::List(list) => {
                let mut types = Vec::new();
                for (n, item) in list.elements.iter().enumerate() {
                    let of = self.check(item);
                    let is_optional = list.optional_indices.contains(&n);
                    types.push(self.element(of, is_optional));
                }
                ValueType::List(Box::new(self.joined(types)))
            }
            Expr::Map(map) => {
                let (mut keys, mut values) = (Vec::new(), Vec::new());
                for entry in &map.entries {
                    let EntryExpr::MapEntry(entry) = &entry.expr else {
                        continue;
                    };
                    let key = self.check(&entry.key);
                    keys.push(key);
                    let value = self.check(&entry.value);
                    values.push(self.element(value, entry.optional));
                }
                let key = self.joined(keys);
                ValueType::Map(Box::new(key), Box::new(self.joined(values)))
            }
            Expr::Struct(message) => {
                for entry in &message.entries {
                    if let EntryExpr::StructField(field) = &entry.expr {
                        self.check(&field.value);
                    }
                }
                if !message
                    .type_name
                    .trim_start_matches('.')
                    .starts_with("google.")
                {
                    let name = &message.type_name;
                    return self.error(format!("creates a `{name}`, which is not a known type"));
                }
                self.unknown()
            }
            Expr::Unspecified => self.unknown(),
        }
    }

    fn unknown(&mut self) -> ValueType<'a> {
        self.checked.is_certain = false;
        ValueType::Dyn
    }

    /// Returns the type of an element of a literal. An element marked with `?` must have an
    /// optional value.
    fn element(&mut self, of: ValueType<'a>, is_optional: bool) -> ValueType<'a> {
        if !is_optional {
            return of;
        }
        let (inner, was_optional) = self.known(&of).unwrapped();
        if !was_optional && inner != ValueType::Dyn {
            return self.error(format!(
                "marks a value of the type {inner} with `?`, which is for optional values"
            ));
        }
        inner
    }

    /// Returns the common type of the elements of a literal.
    fn joined(&mut self, types: Vec<ValueType<'a>>) -> ValueType<'a> {
        let mut all = types.iter().cloned();
        let Some(mut common) = all.next() else {
            return self.fresh();
        };
        for of in all {
            if !self.bindings.fit(&common, &of) {
                // The argument list of `format` may mix types.
                if self.formats > 0 {
                    return ValueType::Dyn;
                }
                return self.mixed(&common, &of);
            }
            common = more_general(&common, &of).clone();
        }
        if self.formats == 0 {
            self.literals.push(types);
        }
        common
    }

    fn mixed(&mut self, one: &ValueType<'a>, other: &ValueType<'a>) -> ValueType<'a> {
        let (one, other) = (self.resolved(one), self.resolved(other));
        self.error(format!(
            "mixes the types {one} and {other} in one list or map"
        ))
    }

    /// Returns true if a name is a variable or a type.
    fn is_declared(&self, name: &str) -> bool {
        let is_local = self.locals.get(name).is_some_and(|types| !types.is_empty());
        is_local || ["self", "oldSelf"].contains(&name) || TYPES.contains(&name)
    }

    fn name(&mut self, name: &str) -> ValueType<'a> {
        if let Some(local) = self.locals.get(name).and_then(|types| types.last()) {
            return local.clone();
        }
        match name {
            "self" => ValueType::of(self.declared),
            "oldSelf" => {
                self.checked.uses_old_self = true;
                let old = ValueType::of(self.declared);
                if self.optional_old {
                    old.optional()
                } else {
                    old
                }
            }
            name if TYPES.contains(&name) => ValueType::Type,
            name => self.error(if functions::is_namespace(name) {
                format!("uses `{name}` as a value, but it is a namespace of functions")
            } else {
                format!("uses the unknown variable `{name}`; only `self` and `oldSelf` exist")
            }),
        }
    }

    fn select(&mut self, expression: &IdedExpr, select: &SelectExpr) -> ValueType<'a> {
        let qualified = qualified(expression);
        if qualified.is_some_and(|name| TYPES.contains(&name.as_str())) {
            return ValueType::Type;
        }
        let of = self.check(&select.operand);
        let field = self.selected(&of, &select.field, false);
        if select.test { ValueType::Bool } else { field }
    }

    /// Returns the type of a field; optional if the value or the access is optional.
    fn selected(&mut self, of: &ValueType<'a>, name: &str, optional: bool) -> ValueType<'a> {
        let (of, was_optional) = self.known(of).unwrapped();
        let field = match &of {
            ValueType::Map(_, value) => value.as_ref().clone(),
            ValueType::Object(Type {
                shape: Shape::Object(fields),
                ..
            }) => {
                if let Some(field) = field(fields, name) {
                    ValueType::of(field)
                } else {
                    let name = quoted::field(name);
                    self.error(format!("uses the field `{name}`, which is not declared"))
                }
            }
            ValueType::Variable(_) => {
                self.bindings.fit(&ValueType::Dyn, &of);
                ValueType::Dyn
            }
            ValueType::Dyn => ValueType::Dyn,
            of => {
                let name = quoted::field(name);
                self.error(format!(
                    "accesses the field `{name}` of a value of the type {of}"
                ))
            }
        };
        let field = self.known(&field);
        if was_optional || optional {
            field.optional()
        } else {
            field
        }
    }

    /// Checks the loop into which the parser expands macros such as `all`, `exists` and `map`.
    fn comprehension(&mut self, of: &ComprehensionExpr) -> ValueType<'a> {
        let range = self.check(&of.iter_range);
        let accumulated = self.check(&of.accu_init);
        let range = self.known(&range);
        let (one, two) = match &range {
            ValueType::List(item) if of.iter_var2.is_some() => {
                (ValueType::Int, item.as_ref().clone())
            }
            ValueType::List(item) => (item.as_ref().clone(), ValueType::Dyn),
            ValueType::Map(key, value) => (key.as_ref().clone(), value.as_ref().clone()),
            ValueType::Dyn | ValueType::Variable(_) => {
                self.bindings.fit(&ValueType::Dyn, &range);
                (ValueType::Dyn, ValueType::Dyn)
            }
            range => {
                self.error(format!(
                    "iterates over a value of the type {range}, which is neither a list nor a map"
                ));
                (ValueType::Dyn, ValueType::Dyn)
            }
        };
        let mut names = vec![(&of.iter_var, one)];
        names.extend(of.iter_var2.as_ref().map(|name| (name, two)));
        self.declare(&of.accu_var, accumulated.clone());
        for (name, of) in &names {
            self.declare(name, of.clone());
        }
        let condition = self.check(&of.loop_cond);
        self.needs(&condition, &ValueType::Bool);
        let step = self.check(&of.loop_step);
        self.needs(&step, &accumulated);
        for (name, _) in &names {
            self.forget(name);
        }
        let result = self.check(&of.result);
        self.forget(&of.accu_var);
        self.known(&result)
    }

    fn declare(&mut self, name: &str, of: ValueType<'a>) {
        self.locals.entry(name.to_owned()).or_default().push(of);
    }

    fn forget(&mut self, name: &str) {
        self.locals.get_mut(name).map(Vec::pop);
    }

    fn needs(&mut self, given: &ValueType<'a>, wanted: &ValueType<'a>) {
        if !self.bindings.fit(wanted, given) {
            let (given, wanted) = (self.resolved(given), self.resolved(wanted));
            self.error(format!(
                "uses a value of the type {given} where the type {wanted} is required"
            ));
        }
    }
}

fn literal<'a>(value: &LiteralValue) -> ValueType<'a> {
    match value {
        LiteralValue::Boolean(_) => ValueType::Bool,
        LiteralValue::Bytes(_) => ValueType::Bytes,
        LiteralValue::Double(_) => ValueType::Double,
        LiteralValue::Int(_) => ValueType::Int,
        LiteralValue::Null => ValueType::Null,
        LiteralValue::String(_) => ValueType::Text,
        LiteralValue::UInt(_) => ValueType::Uint,
    }
}

/// Returns the dotted name that an expression spells; `None` for any other expression.
fn qualified(expression: &IdedExpr) -> Option<String> {
    match &expression.expr {
        Expr::Ident(name) => Some(name.clone()),
        Expr::Select(select) if !select.test => {
            Some(format!("{}.{}", qualified(&select.operand)?, select.field))
        }
        _ => None,
    }
}

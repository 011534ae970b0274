//! Computes the maximum cost of a type-checked expression, like cel-go's `checker.Cost` with
//! Kubernetes' sizes.
//!
//! The size of a value is known if the expression refers to a place of the schema, which declares
//! it, or if it follows from the sizes of subexpressions. Any other size is unbounded.

mod calls;
mod size;

use std::collections::HashMap;

use cel::common::ast::{ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, SelectExpr};

use super::checker::Checked;
use super::quoted;
use super::types::{Shape, Type};
use super::value_type::ValueType;
use size::Size;

/// Costs of creating a list, a map and a message, in the API server's units.
const LIST: u64 = 10;
const MAP: u64 = 30;
const STRUCT: u64 = 40;

/// The part of the schema to which an expression refers.
#[derive(Clone, Copy)]
enum SchemaPart<'a> {
    /// The values of this type.
    At(&'a Type),
    /// The keys of a map, whose size the schema does not limit.
    Keys,
    /// A part that the schema does not declare.
    Nowhere,
}

/// The sizes of the keys (or indices) and of the values of a list or map that the expression
/// creates.
#[derive(Clone, Copy)]
struct Entry {
    is_list: bool,
    key: Size,
    value: Size,
}

impl Entry {
    fn or(self, other: Self) -> Self {
        Self {
            is_list: self.is_list,
            key: self.key.or(other.key),
            value: self.value.or(other.value),
        }
    }
}

/// The estimate for a subexpression.
#[derive(Clone, Copy, Default)]
struct PartialCost<'a> {
    /// The maximum cost, in the API server's units.
    cost: u64,
    /// The part of the schema that the value comes from; `None` if it is computed.
    place: Option<SchemaPart<'a>>,
    /// The size of the value; `None` if it is not known.
    size: Option<Size>,
    /// The sizes in a list or map that the expression creates; `None` for other values.
    entry: Option<Entry>,
}

impl PartialCost<'_> {
    fn size(&self) -> Size {
        self.size.unwrap_or(Size::UNKNOWN)
    }
}

/// A cost estimator for one expression.
pub struct Estimator<'a> {
    /// The type of `self`.
    declared: &'a Type,
    checked: &'a Checked<'a>,
    /// The estimates of the variables of macros by name. The last one is the innermost.
    locals: HashMap<String, Vec<PartialCost<'a>>>,
}

impl<'a> Estimator<'a> {
    /// Creates an estimator for an expression on values of the type `declared`. `checked` is the
    /// result of its type check.
    pub fn new(declared: &'a Type, checked: &'a Checked<'a>) -> Self {
        Self {
            declared,
            checked,
            locals: HashMap::new(),
        }
    }

    /// Returns the maximum cost of an expression, in the API server's units.
    pub fn run(mut self, expression: &IdedExpr) -> u64 {
        self.part(expression).cost
    }

    fn type_of(&self, expression: &IdedExpr) -> &'a ValueType<'a> {
        self.checked
            .types
            .get(&expression.id)
            .unwrap_or(&ValueType::Dyn)
    }

    /// Returns the size given by the place or the scalar type of an expression.
    fn natural_size(&self, expression: &IdedExpr, place: Option<SchemaPart>) -> Option<Size> {
        place_size(place)
            .or_else(|| is_scalar(self.type_of(expression)).then_some(Size::exactly(1)))
    }

    /// Follows a step from a place of the schema. Like in the API server, a step from an unknown
    /// place starts at `self`.
    fn step(&self, from: Option<SchemaPart<'a>>, to: PathStep) -> Option<SchemaPart<'a>> {
        let Some(from) = from else {
            return Some(SchemaPart::At(self.declared));
        };
        let SchemaPart::At(declared) = from else {
            return Some(SchemaPart::Nowhere);
        };
        let place = match (&declared.shape, to) {
            // Unlike the type checker, the API server's estimator does not find a reserved word
            // that is not escaped.
            (Shape::Object(fields), PathStep::Field(name)) => {
                fields.get(&*quoted::field(name)).map(SchemaPart::At)
            }
            (Shape::List(inner) | Shape::Map(inner), PathStep::Inner) => {
                Some(SchemaPart::At(inner))
            }
            (Shape::Map(_), PathStep::Keys) => Some(SchemaPart::Keys),
            _ => None,
        };
        place.or(Some(SchemaPart::Nowhere))
    }

    fn part(&mut self, expression: &IdedExpr) -> PartialCost<'a> {
        match &expression.expr {
            Expr::Literal(value) => PartialCost {
                size: Some(literal(value)),
                ..PartialCost::default()
            },
            Expr::Ident(name) => self.name(expression, name),
            Expr::Select(select) => self.select(expression, select),
            Expr::Call(call) => self.call(expression, call),
            Expr::Comprehension(loop_) if is_binding(loop_) => self.binding(loop_),
            Expr::Comprehension(loop_) => self.comprehension(expression, loop_),
            Expr::List(list) => {
                let (cost, value) = self.elements(list.elements.iter());
                PartialCost {
                    cost: cost.saturating_add(LIST),
                    place: None,
                    size: Some(Size::exactly(list.elements.len() as u64)),
                    entry: Some(Entry {
                        is_list: true,
                        key: Size::exactly(1),
                        value,
                    }),
                }
            }
            Expr::Map(map) => {
                let entries = map.entries.iter().filter_map(|entry| match &entry.expr {
                    EntryExpr::MapEntry(entry) => Some(entry),
                    EntryExpr::StructField(_) => None,
                });
                let (of_keys, key) = self.elements(entries.clone().map(|entry| &entry.key));
                let (of_values, value) = self.elements(entries.map(|entry| &entry.value));
                PartialCost {
                    cost: of_keys.saturating_add(of_values).saturating_add(MAP),
                    place: None,
                    size: Some(Size::exactly(map.entries.len() as u64)),
                    entry: Some(Entry {
                        is_list: false,
                        key,
                        value,
                    }),
                }
            }
            Expr::Struct(message) => {
                let fields = message
                    .entries
                    .iter()
                    .filter_map(|entry| match &entry.expr {
                        EntryExpr::StructField(field) => Some(&field.value),
                        EntryExpr::MapEntry(_) => None,
                    });
                let (cost, _) = self.elements(fields);
                PartialCost {
                    cost: cost.saturating_add(STRUCT),
                    ..PartialCost::default()
                }
            }
            Expr::Unspecified => PartialCost::default(),
        }
    }

    /// Returns the sum of the costs and the common size of several elements.
    fn elements<'e>(&mut self, all: impl Iterator<Item = &'e IdedExpr>) -> (u64, Size) {
        let mut sum = 0_u64;
        let mut size: Option<Size> = None;
        for element in all {
            let part = self.part(element);
            sum = sum.saturating_add(part.cost);
            size = Some(size.map_or(part.size(), |size| size.or(part.size())));
        }
        (sum, size.unwrap_or(Size::up_to(0)))
    }

    fn name(&mut self, expression: &IdedExpr, name: &str) -> PartialCost<'a> {
        let local = self.locals.get(name).and_then(|parts| parts.last());
        let Some(local) = local.copied() else {
            // The API server assumes the size of `self` for all other names.
            let place = Some(SchemaPart::At(self.declared));
            return PartialCost {
                cost: 1,
                place,
                size: self.natural_size(expression, place),
                entry: None,
            };
        };
        PartialCost {
            cost: 1,
            size: self.natural_size(expression, local.place).or(local.size),
            ..local
        }
    }

    fn select(&mut self, expression: &IdedExpr, select: &SelectExpr) -> PartialCost<'a> {
        // A dotted type name is parsed as a selection but counts as one name.
        if *self.type_of(expression) == ValueType::Type {
            return self.name(expression, &select.field);
        }
        let of = self.part(&select.operand);
        // `has(..)` costs no more than its operand.
        if select.test {
            return PartialCost {
                cost: of.cost,
                size: self.natural_size(expression, None),
                ..PartialCost::default()
            };
        }
        let is_charged = matches!(
            self.type_of(&select.operand),
            ValueType::Map(..) | ValueType::Object(_) | ValueType::Variable(_)
        );
        let place = self.step(of.place, PathStep::Field(&select.field));
        PartialCost {
            cost: of.cost.saturating_add(u64::from(is_charged)),
            place,
            size: self.natural_size(expression, place),
            entry: None,
        }
    }

    /// Estimates the loop into which the parser expands `all`, `exists`, `map` and `filter`.
    fn comprehension(&mut self, expression: &IdedExpr, of: &ComprehensionExpr) -> PartialCost<'a> {
        let range = self.part(&of.iter_range);
        let start = self.part(&of.accu_init);
        let is_list = range.entry.map_or_else(
            || matches!(self.type_of(&of.iter_range), ValueType::List(_)),
            |entry| entry.is_list,
        );
        let of_key = if is_list {
            PathStep::Index
        } else {
            PathStep::Keys
        };
        let key = PartialCost {
            place: self.step(range.place, of_key),
            size: range.entry.map(|entry| entry.key),
            ..PartialCost::default()
        };
        let value = PartialCost {
            place: self.step(range.place, PathStep::Inner),
            size: range.entry.map(|entry| entry.value),
            ..PartialCost::default()
        };
        let mut bound = vec![(&of.accu_var, start)];
        match &of.iter_var2 {
            Some(second) => bound.extend([(&of.iter_var, key), (second, value)]),
            None => bound.push((&of.iter_var, if is_list { value } else { key })),
        }
        for (name, part) in &bound {
            self.locals.entry((*name).clone()).or_default().push(*part);
        }
        let condition = self.part(&of.loop_cond);
        let step = self.part(&of.loop_step);
        for (name, _) in &bound[1..] {
            self.locals.get_mut(*name).map(Vec::pop);
        }
        let result = self.part(&of.result);
        self.locals.get_mut(&of.accu_var).map(Vec::pop);
        let each = condition.cost.saturating_add(step.cost);
        let all = range.size().most.saturating_mul(each);
        let costs = [range.cost, start.cost, result.cost, all];
        let (size, entry) = match &of.accu_init.expr {
            Expr::Literal(_) => (start.size, None),
            Expr::List(_) | Expr::Map(_) => (Some(range.size()), step.entry),
            _ => (self.natural_size(expression, None), None),
        };
        PartialCost {
            cost: costs.into_iter().fold(0, u64::saturating_add),
            place: None,
            size,
            entry,
        }
    }

    /// Estimates a variable declared by the macros for optional values and `sortBy`.
    fn binding(&mut self, of: &ComprehensionExpr) -> PartialCost<'a> {
        let range = self.part(&of.iter_range);
        let bound = self.part(&of.accu_init);
        let variable = PartialCost { cost: 0, ..bound };
        self.locals
            .entry(of.accu_var.clone())
            .or_default()
            .push(variable);
        let result = self.part(&of.result);
        self.locals.get_mut(&of.accu_var).map(Vec::pop);
        PartialCost {
            cost: range
                .cost
                .saturating_add(bound.cost)
                .saturating_add(result.cost),
            place: None,
            ..result
        }
    }
}

/// Returns the size that a place of the schema declares.
fn place_size(place: Option<SchemaPart>) -> Option<Size> {
    match place? {
        SchemaPart::At(declared) => Some(Size::up_to(declared.most)),
        SchemaPart::Keys => Some(Size::up_to(0)),
        SchemaPart::Nowhere => None,
    }
}

/// A step from a value to a part of it.
#[derive(Clone, Copy)]
enum PathStep<'n> {
    Field(&'n str),
    Index,
    /// The items of a list or the values of a map.
    Inner,
    Keys,
}

/// Returns true if a loop never runs and only declares its accumulator.
fn is_binding(of: &ComprehensionExpr) -> bool {
    let is_empty = matches!(&of.iter_range.expr, Expr::List(list) if list.elements.is_empty());
    let is_false =
        matches!(&of.loop_cond.expr, Expr::Literal(LiteralValue::Boolean(value)) if !value.inner());
    is_empty && is_false
}

fn literal(value: &LiteralValue) -> Size {
    Size::exactly(match value {
        LiteralValue::Bytes(bytes) => bytes.inner().len() as u64,
        LiteralValue::String(text) => text.inner().chars().count() as u64,
        _ => 1,
    })
}

fn is_scalar(of: &ValueType) -> bool {
    match of {
        ValueType::Bool
        | ValueType::Double
        | ValueType::Duration
        | ValueType::Int
        | ValueType::Timestamp
        | ValueType::Uint => true,
        of => {
            let (inner, is_optional) = of.clone().unwrapped();
            is_optional && is_scalar(&inner)
        }
    }
}

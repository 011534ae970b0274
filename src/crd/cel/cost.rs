//! What an expression may cost and what is certainly wrong with it: cel-go's `checker.Cost`, from the inside
//! out.

mod functions;
mod loops;

use std::collections::HashMap;

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, LiteralValue, SelectExpr};

use super::library;
use super::library::MACROS;
use super::term::{Kind, Term, UNKNOWN, literal};
use super::types::Type;

const LIST: u64 = 10;
const MAP: u64 = 30;
const STRUCT: u64 = 40;

/// What is known of an expression as a whole.
pub struct Estimate {
    /// The most that it costs.
    pub cost: u64,
    /// Whether that is the API server's own number.
    pub exact: bool,
    /// What is certainly wrong with it, each the rest of a sentence about it.
    pub wrong: Vec<String>,
    /// Whether it compares with the old object.
    pub uses_old_self: bool,
}

/// Walks over one expression.
pub struct Estimator<'a> {
    declared: &'a Type,
    locals: HashMap<String, Vec<Term<'a>>>,
    optional_old: bool,
    estimate: Estimate,
}

/// Names that are no variables: types, and what functions are grouped by.
const NAMES: [&str; 20] = [
    "bool",
    "bytes",
    "cidr",
    "double",
    "duration",
    "dyn",
    "format",
    "google",
    "int",
    "ip",
    "list",
    "lists",
    "map",
    "null_type",
    "optional",
    "sets",
    "string",
    "strings",
    "timestamp",
    "uint",
];

impl<'a> Estimator<'a> {
    /// For rules on values of a type.
    pub fn new(declared: &'a Type, optional_old: bool) -> Self {
        let estimate = Estimate {
            cost: 0,
            exact: true,
            wrong: Vec::new(),
            uses_old_self: false,
        };
        Self {
            declared,
            locals: HashMap::new(),
            optional_old,
            estimate,
        }
    }

    /// The estimate of an expression that must give a `result`.
    pub fn run(mut self, expression: &IdedExpr, result: &Kind) -> Estimate {
        let (cost, term) = self.cost(expression);
        self.estimate.cost = cost;
        if term.kind.is_known() && term.kind != *result {
            self.wrong(format!(
                "gives a {} and must give a {}",
                term.kind.name(),
                result.name()
            ));
        }
        self.estimate
    }

    fn wrong(&mut self, what: String) {
        if !self.estimate.wrong.contains(&what) {
            self.estimate.wrong.push(what);
        }
    }

    fn guess(&mut self) -> Term<'a> {
        self.estimate.exact = false;
        Term::any()
    }

    fn cost(&mut self, expression: &IdedExpr) -> (u64, Term<'a>) {
        match &expression.expr {
            Expr::Literal(value) => (0, literal(value)),
            Expr::Ident(name) => (1, self.variable(name)),
            Expr::Select(select) => self.select(select),
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::List(list) => {
                let items: Vec<_> = list.elements.iter().map(|item| self.cost(item)).collect();
                let cost = items
                    .iter()
                    .fold(LIST, |sum, (cost, _)| sum.saturating_add(*cost));
                let length = items.len() as u64;
                let item = items
                    .into_iter()
                    .map(|(_, item)| item.made())
                    .reduce(Term::or);
                let item = item.unwrap_or(Term {
                    kind: Kind::Any,
                    least: 0,
                    most: 0,
                });
                (
                    cost,
                    Term {
                        kind: Kind::List(Box::new(item)),
                        least: length,
                        most: length,
                    },
                )
            }
            Expr::Map(map) => {
                let mut sum = MAP;
                let mut values = None;
                for entry in &map.entries {
                    let EntryExpr::MapEntry(entry) = &entry.expr else {
                        continue;
                    };
                    let (key, _) = self.cost(&entry.key);
                    let (value, term) = self.cost(&entry.value);
                    sum = sum.saturating_add(key).saturating_add(value);
                    values = Some(values.map_or(term.clone(), |values: Term<'a>| values.or(term)));
                }
                let length = map.entries.len() as u64;
                (
                    sum,
                    Term {
                        kind: Kind::Map(Box::new(values.unwrap_or(Term::any()))),
                        least: length,
                        most: length,
                    },
                )
            }
            Expr::Struct(_) | Expr::Unspecified => (STRUCT, self.guess()),
        }
    }

    fn variable(&mut self, name: &str) -> Term<'a> {
        if let Some(local) = self.locals.get(name).and_then(|terms| terms.last()) {
            return local.clone();
        }
        match name {
            "self" => Term::of(self.declared),
            "oldSelf" => {
                self.estimate.uses_old_self = true;
                let old = Term::of(self.declared);
                if self.optional_old {
                    Term::new(Kind::Optional(Box::new(old)), UNKNOWN)
                } else {
                    old
                }
            }
            name => {
                if !NAMES.contains(&name) {
                    self.wrong(format!(
                        "names `{name}`, and there are only `self` and `oldSelf`"
                    ));
                }
                // To the API server a name has the size of `self`.
                Term::new(Kind::Any, self.declared.most)
            }
        }
    }

    fn select(&mut self, select: &SelectExpr) -> (u64, Term<'a>) {
        let (cost, of) = self.cost(&select.operand);
        let term = self.field(of, &select.field);
        // `has(..)` costs no more than what it looks into.
        if select.test {
            (cost, Term::scalar(Kind::Bool))
        } else {
            (cost.saturating_add(1), term)
        }
    }

    fn field(&mut self, of: Term<'a>, name: &str) -> Term<'a> {
        match of.kind {
            Kind::Object(fields, known) => match fields.get(name) {
                Some(field) if known => Term::of(field),
                Some(field) => Term::of(field).forgotten(),
                None => {
                    self.wrong(format!(
                        "names the field `{name}`, which is not declared there"
                    ));
                    Term::any()
                }
            },
            Kind::Map(value) => *value,
            Kind::Optional(inner) => {
                let field = self.field(*inner, name);
                Term::new(Kind::Optional(Box::new(field)), UNKNOWN)
            }
            Kind::Any => Term::any(),
            kind => {
                self.wrong(format!("looks for the field `{name}` in a {}", kind.name()));
                Term::any()
            }
        }
    }

    /// What is asked of a value that may be missing can be asked of no other.
    fn needs_optional(&mut self, name: &str, of: &Term) {
        let is_optional = matches!(of.kind, Kind::Optional(_));
        if library::OF_OPTIONAL.contains(&name) && of.kind.is_known() && !is_optional {
            let kind = of.kind.name();
            self.wrong(format!(
                "calls `{name}` on a {kind}, which is no optional (`oldSelf` is one with `optionalOldSelf`)"
            ));
        }
    }

    fn call(&mut self, call: &CallExpr) -> (u64, Term<'a>) {
        let name = call.func_name.as_str();
        if let Some(target) = call.target.as_ref().filter(|_| MACROS.contains(&name)) {
            return self.unexpanded(name, target, &call.args);
        }
        if let Some(unknown) = library::unknown(call) {
            self.wrong(format!(
                "calls `{unknown}`, which is no function of the API server's"
            ));
            return (0, self.guess());
        }
        if let Some(why) = library::misfit(call) {
            self.wrong(why);
        }
        let mut sum = 0_u64;
        let mut target = None;
        if let Some(expression) = &call.target {
            let (cost, term) = self.cost(expression);
            self.needs_optional(name, &term);
            sum = cost;
            target = Some(term);
        }
        let mut arguments = Vec::new();
        let mut costs = Vec::new();
        for argument in &call.args {
            let (cost, term) = self.cost(argument);
            costs.push(cost);
            arguments.push(term);
        }
        if let (Some(of), "_?._", [_, field]) = (arguments.first(), name, &call.args[..]) {
            let term = match &field.expr {
                Expr::Literal(LiteralValue::String(field)) => self.field(of.clone(), field.inner()),
                _ => self.guess(),
            };
            let term = match term.kind {
                Kind::Optional(_) => term,
                _ => Term::new(Kind::Optional(Box::new(term)), UNKNOWN),
            };
            return (sum.saturating_add(costs[0]).saturating_add(1), term);
        }
        let arguments_cost = match (name, &costs[..]) {
            // One of the two branches runs.
            ("_?_:_", [condition, yes, no]) => condition.saturating_add(*yes.max(no)),
            _ => costs
                .iter()
                .fold(0, |sum, cost| u64::saturating_add(sum, *cost)),
        };
        let (own, term) = self.function(name, target.as_ref(), &arguments);
        (sum.saturating_add(arguments_cost).saturating_add(own), term)
    }
}

//! Overload resolution of functions, methods and operators.

use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, operators};

use super::{Checker, format, qualified};
use crate::crd::cel::functions::{self, Overload};
use crate::crd::cel::library;
use crate::crd::cel::macros::SORT_BY;
use crate::crd::cel::value_type::ValueType;

impl<'a> Checker<'a> {
    /// Returns the type of a call. `id` is that of its expression, under which the overloads that
    /// match are recorded.
    pub(super) fn call(&mut self, id: u64, call: &CallExpr) -> ValueType<'a> {
        let name = call.func_name.as_str();
        if let Some(why) = library::misfit(call) {
            self.error(why);
        }
        if let (operators::OPT_SELECT, [of, field]) = (name, &call.args[..]) {
            return self.optional_select(of, field);
        }
        let is_format = name == "format" && call.target.is_some();
        self.formats += usize::from(is_format);
        let mut types: Vec<_> = call
            .args
            .iter()
            .map(|argument| self.check(argument))
            .collect();
        self.formats -= usize::from(is_format);
        let Some(target) = &call.target else {
            return self.resolve(id, name, false, &types);
        };
        if let Some(of) = qualified(target) {
            let qualified = format!("{of}.{name}");
            if functions::since(&qualified).is_some() {
                return self.resolve(id, &qualified, false, &types);
            }
        }
        // Report a misspelled function of a namespace, such as `sets.contain`, by its full name.
        if let Expr::Ident(of) = &target.expr
            && !self.is_declared(of)
            && functions::since(name).is_none()
        {
            return self.error(format!("calls the unknown function `{of}.{name}`"));
        }
        let target = self.check(target);
        types.insert(0, target);
        let result = self.resolve(id, name, true, &types);
        if is_format {
            self.check_format(call);
        }
        result
    }

    fn optional_select(&mut self, of: &IdedExpr, field: &IdedExpr) -> ValueType<'a> {
        let of = self.check(of);
        match &field.expr {
            Expr::Literal(LiteralValue::String(field)) => self.selected(&of, field.inner(), true),
            _ => self.unknown(),
        }
    }

    /// Resolves a call and returns its type. Several overloads may match if an argument is `dyn`.
    fn resolve(
        &mut self,
        id: u64,
        name: &str,
        is_method: bool,
        given: &[ValueType<'a>],
    ) -> ValueType<'a> {
        let all = functions::overloads(name, self.minor);
        let since = functions::since(name);
        let called = name;
        let name = if name == SORT_BY { "sortBy" } else { name };
        let mut fitting = Vec::new();
        if all.is_empty() {
            return self.error(match since {
                Some(since) => format!(
                    "calls `{name}`, which requires Kubernetes 1.{since} or later, but this project is for 1.{}",
                    self.minor
                ),
                None => format!("calls the unknown function `{name}`"),
            });
        }
        let mut result: Option<ValueType<'a>> = None;
        for overload in all.iter().filter(|it| it.is_method == is_method) {
            let (arguments, answer) = self.instance(overload);
            if !self.bindings.fit_all(given, &arguments) {
                continue;
            }
            fitting.push(*overload);
            let answer = self.known(&answer);
            result = Some(match result {
                None => answer,
                Some(result) if result == ValueType::Dyn || result == answer => result,
                Some(_) => ValueType::Dyn,
            });
        }
        self.checked.calls.insert(id, (called.to_owned(), fitting));
        match result {
            Some(result) => result,
            None => self.misfit(name, is_method, given, &all),
        }
    }

    /// Returns the types of an overload with fresh variables in place of its type parameters.
    fn instance(&mut self, overload: &Overload) -> (Vec<ValueType<'a>>, ValueType<'a>) {
        let base = self.variables + 1;
        // Reserve a variable for each letter.
        self.variables += 256;
        let arguments = overload.arguments.iter();
        let arguments = arguments.map(|of| -> ValueType<'a> { shifted(of, base) });
        (arguments.collect(), shifted(&overload.result, base))
    }

    fn misfit(
        &mut self,
        name: &str,
        is_method: bool,
        given: &[ValueType<'a>],
        all: &[&Overload],
    ) -> ValueType<'a> {
        let given: Vec<_> = given.iter().map(|of| self.resolved(of)).collect();
        let text = |types: &[ValueType]| {
            let types: Vec<_> = types.iter().map(ToString::to_string).collect();
            types.join(", ")
        };
        let is_operator = !name.starts_with(|c: char| c.is_ascii_alphabetic());
        let what = match (&given[..], is_operator) {
            ([of], true) => format!("applies `{}` to a value of the type {of}", spelled(name)),
            ([a, b], true) if matches!(name, operators::INDEX | operators::OPT_INDEX) => {
                format!("indexes a value of the type {a} with a value of the type {b}")
            }
            ([a, b], true) => format!("applies `{}` to the types {a} and {b}", spelled(name)),
            ([of, arguments @ ..], false) if is_method => format!(
                "calls `{name}` on a value of the type {of} with ({})",
                text(arguments)
            ),
            (given, _) => format!("calls `{name}` with ({})", text(given)),
        };
        let forms: Vec<_> = all.iter().map(|overload| form(name, overload)).collect();
        let forms = if is_operator || forms.len() > 4 {
            String::new()
        } else {
            format!("; supported forms: {}", forms.join(", "))
        };
        let of_optional = all
            .iter()
            .any(|overload| overload.is_method && overload.arguments[0].clone().unwrapped().1);
        let hint = match name {
            operators::EQUALS | operators::NOT_EQUALS if given.contains(&ValueType::Null) => {
                "; use `has(..)` to test for a field"
            }
            _ if of_optional => "; `oldSelf` may be missing only with `optionalOldSelf`",
            _ => "",
        };
        self.error(format!("{what}{forms}{hint}"))
    }

    fn check_format(&mut self, call: &CallExpr) {
        let (Some(target), [list]) = (&call.target, &call.args[..]) else {
            return;
        };
        let (Expr::Literal(LiteralValue::String(text)), Expr::List(list)) =
            (&target.expr, &list.expr)
        else {
            return;
        };
        // The arguments have been checked before, so drop the errors that this second check
        // repeats.
        let errors = self.checked.errors.len();
        self.formats += 1;
        let types: Vec<_> = list
            .elements
            .iter()
            .map(|item| {
                let of = self.check(item);
                self.resolved(&of)
            })
            .collect();
        self.formats -= 1;
        self.checked.errors.truncate(errors);
        if let Err(why) = format::check(text.inner(), &types) {
            self.error(why);
        }
    }
}

/// Returns a type of the table of functions with its variables renumbered from `base`.
fn shifted(of: &ValueType<'static>, base: usize) -> ValueType<'static> {
    match of {
        ValueType::Variable(letter) => ValueType::Variable(base + letter),
        of => of.map_parts(&mut |part| shifted(part, base)),
    }
}

/// Formats an overload for an error message, for example `` `target.name(arguments)` ``.
fn form(name: &str, overload: &Overload) -> String {
    let arguments = overload.text.split(" -> ").next().unwrap_or_default();
    if overload.is_method {
        format!("`{}`", arguments.replacen(".(", &format!(".{name}("), 1))
    } else {
        format!("`{name}{arguments}`")
    }
}

fn spelled(operator: &str) -> String {
    match operator {
        operators::IN => "in".to_owned(),
        operator => operator.trim_matches('_').replace("_:_", ":"),
    }
}

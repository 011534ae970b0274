//! The grammar and macros of the API server's CEL. Each macro expands to the same expression as in
//! cel-go, so that types and costs agree. The macros of the `cel` crate differ: it has `existsOne`
//! with one variable, which Kubernetes has with two only, and it lacks most macros with two
//! variables.

use std::sync::LazyLock;

use cel::common::ast::{
    CallExpr, ComprehensionExpr, Expr, IdedExpr, ListExpr, LiteralValue, MapExpr, SelectExpr,
    operators,
};
use cel::parser::{Macro, MacroExprHelper, ParseError};
use cel::{DeclarationError, Env};

/// The variable that accumulates the result of a loop.
const RESULT: &str = "@result";
/// A variable that is never read.
const UNUSED: &str = "#unused";
/// The variable to which `sortBy` binds its list.
const SORTED: &str = "@__sortBy_input__";
/// The functions to which map-building macros and `sortBy` expand.
const MAP_INSERT: &str = "cel.@mapInsert";
pub const SORT_BY: &str = "@sortByAssociatedKeys";

/// The grammar and macros of the API server. It has no functions, because it only parses.
pub static ENVIRONMENT: LazyLock<Env> = LazyLock::new(|| {
    let mut environment = Env::default();
    // Fails only if a macro is declared twice, which a test rules out.
    declare(&mut environment).unwrap_or_default();
    environment
});

/// The expansion of a macro; `None` leaves the call as it is.
type Expanded = Result<Option<IdedExpr>, ParseError>;
/// Builds the new value of the result in one iteration of a loop.
type Addition = fn(&mut Helper, &[String], IdedExpr) -> IdedExpr;
/// Builds the parts of a loop from the names of its variables and the other arguments of the macro.
type MakeLoop = fn(&mut Helper, &[String], Vec<IdedExpr>) -> Loop;

fn declare(environment: &mut Env) -> Result<(), DeclarationError> {
    environment.add_macro(Macro::global("has", 1, |helper, _, arguments| {
        has(helper, arguments)
    }))?;
    for (name, wraps) in [("optMap", true), ("optFlatMap", false)] {
        environment.add_macro(Macro::receiver(
            name,
            2,
            move |helper, target, arguments| optional(helper, target, arguments, wraps),
        ))?;
    }
    environment.add_macro(Macro::receiver("sortBy", 2, sort_by))?;
    // Name, number of variables, number of arguments, and expansion.
    let loops: [(&str, usize, usize, MakeLoop); 16] = [
        ("all", 1, 2, all),
        ("all", 2, 3, all),
        ("exists", 1, 2, exists),
        ("exists", 2, 3, exists),
        ("exists_one", 1, 2, exists_one),
        ("exists_one", 2, 3, exists_one),
        ("existsOne", 2, 3, exists_one),
        ("map", 1, 2, to_list),
        ("map", 1, 3, to_list),
        ("filter", 1, 2, filter),
        ("transformList", 2, 3, to_list),
        ("transformList", 2, 4, to_list),
        ("transformMap", 2, 3, to_map),
        ("transformMap", 2, 4, to_map),
        ("transformMapEntry", 2, 3, to_entries),
        ("transformMapEntry", 2, 4, to_entries),
    ];
    for (name, variables, count, make) in loops {
        environment.add_macro(Macro::receiver(
            name,
            count,
            move |helper, target, arguments| looped(helper, target, arguments, variables, make),
        ))?;
    }
    Ok(())
}

type Helper<'a> = MacroExprHelper<'a>;

/// The parts of a loop that differ between macros.
struct Loop {
    start: IdedExpr,
    condition: IdedExpr,
    step: IdedExpr,
    result: IdedExpr,
}

fn call(helper: &mut Helper, name: &str, args: Vec<IdedExpr>) -> IdedExpr {
    let func_name = name.to_owned();
    helper.next_expr(Expr::Call(CallExpr {
        func_name,
        target: None,
        args,
    }))
}

fn method(helper: &mut Helper, target: IdedExpr, name: &str) -> IdedExpr {
    helper.next_expr(Expr::Call(CallExpr {
        func_name: name.to_owned(),
        target: Some(Box::new(target)),
        args: Vec::new(),
    }))
}

/// Builds `optional.of(..)` or `optional.none()`.
fn of_optional(helper: &mut Helper, name: &str, args: Vec<IdedExpr>) -> IdedExpr {
    let optional = helper.next_expr(Expr::Ident("optional".to_owned()));
    helper.next_expr(Expr::Call(CallExpr {
        func_name: name.to_owned(),
        target: Some(Box::new(optional)),
        args,
    }))
}

fn result(helper: &mut Helper) -> IdedExpr {
    helper.next_expr(Expr::Ident(RESULT.to_owned()))
}

fn boolean(helper: &mut Helper, value: bool) -> IdedExpr {
    helper.next_expr(Expr::Literal(LiteralValue::Boolean(value.into())))
}

fn number(helper: &mut Helper, value: i64) -> IdedExpr {
    helper.next_expr(Expr::Literal(LiteralValue::Int(value.into())))
}

fn name_of(helper: &Helper, expression: &IdedExpr) -> Result<String, ParseError> {
    match &expression.expr {
        Expr::Ident(name) => Ok(name.clone()),
        _ => Err(helper.new_error(expression.id, "argument must be a simple name")),
    }
}

/// Expands `target.optMap(x, f)` and `target.optFlatMap(x, f)`.
fn optional(
    helper: &mut Helper,
    target: &mut Option<IdedExpr>,
    arguments: &mut Vec<IdedExpr>,
    wraps: bool,
) -> Expanded {
    let [variable, _] = &arguments[..] else {
        return Ok(None);
    };
    let accu_var = name_of(helper, variable)?;
    let (Some(target), Some(body)) = (target.take(), arguments.pop()) else {
        return Ok(None);
    };
    let has_value = method(helper, target.clone(), "hasValue");
    let value = method(helper, target, "value");
    let step = helper.next_expr(Expr::Ident(accu_var.clone()));
    let mut yes = binding(helper, &accu_var, value, step, body);
    if wraps {
        yes = of_optional(helper, "of", vec![yes]);
    }
    let no = of_optional(helper, "none", Vec::new());
    Ok(Some(call(
        helper,
        operators::CONDITIONAL,
        vec![has_value, yes, no],
    )))
}

/// Expands `has(a.b)`.
fn has(helper: &mut Helper, arguments: &mut Vec<IdedExpr>) -> Expanded {
    let Some(argument) = arguments.pop() else {
        return Ok(None);
    };
    match argument.expr {
        Expr::Select(select) => {
            let test = true;
            Ok(Some(
                helper.next_expr(Expr::Select(SelectExpr { test, ..select })),
            ))
        }
        _ => Err(helper.new_error(argument.id, "invalid argument to has() macro")),
    }
}

/// Expands `list.sortBy(x, key)`.
fn sort_by(
    helper: &mut Helper,
    target: &mut Option<IdedExpr>,
    arguments: &mut Vec<IdedExpr>,
) -> Expanded {
    let Some(list) = target.take() else {
        return Ok(None);
    };
    if matches!(list.expr, Expr::Literal(_) | Expr::Map(_) | Expr::Struct(_)) {
        return Err(helper.new_error(list.id, "sortBy can only be applied to a list"));
    }
    let sorted = |helper: &mut Helper| helper.next_expr(Expr::Ident(SORTED.to_owned()));
    let mut again = Some(sorted(helper));
    let Some(keys) = looped(helper, &mut again, arguments, 1, to_list)? else {
        return Ok(None);
    };
    let input = sorted(helper);
    let result = helper.next_expr(Expr::Call(CallExpr {
        func_name: SORT_BY.to_owned(),
        target: Some(Box::new(input)),
        args: vec![keys],
    }));
    let step = sorted(helper);
    Ok(Some(binding(helper, SORTED, list, step, result)))
}

/// Builds an expression that binds a variable, as a loop that never runs.
fn binding(
    helper: &mut Helper,
    name: &str,
    value: IdedExpr,
    loop_step: IdedExpr,
    result: IdedExpr,
) -> IdedExpr {
    let bound = Expr::Comprehension(Box::new(ComprehensionExpr {
        iter_range: helper.next_expr(Expr::List(ListExpr::new(Vec::new()))),
        iter_var: UNUSED.to_owned(),
        iter_var2: None,
        accu_var: name.to_owned(),
        accu_init: value,
        loop_cond: boolean(helper, false),
        loop_step,
        result,
    }));
    helper.next_expr(bound)
}

/// Expands `target.name(value, ..)` and `target.name(key, value, ..)`.
fn looped(
    helper: &mut Helper,
    target: &mut Option<IdedExpr>,
    arguments: &mut Vec<IdedExpr>,
    variables: usize,
    make: MakeLoop,
) -> Expanded {
    let Some(iter_range) = target.take() else {
        return Ok(None);
    };
    let rest = arguments.split_off(variables.min(arguments.len()));
    let mut names = Vec::new();
    for argument in arguments.iter() {
        let name = name_of(helper, argument)?;
        if names.contains(&name) {
            return Err(helper.new_error(argument.id, "the variables must have different names"));
        }
        names.push(name);
    }
    let parts = make(helper, &names, rest);
    let mut names = names.into_iter();
    let comprehension = ComprehensionExpr {
        iter_range,
        iter_var: names.next().unwrap_or_default(),
        iter_var2: names.next(),
        accu_var: RESULT.to_owned(),
        accu_init: parts.start,
        loop_cond: parts.condition,
        loop_step: parts.step,
        result: parts.result,
    };
    Ok(Some(
        helper.next_expr(Expr::Comprehension(Box::new(comprehension))),
    ))
}

fn all(helper: &mut Helper, _: &[String], mut arguments: Vec<IdedExpr>) -> Loop {
    let so_far = result(helper);
    let condition = call(helper, operators::NOT_STRICTLY_FALSE, vec![so_far]);
    arguments.insert(0, result(helper));
    Loop {
        start: boolean(helper, true),
        condition,
        step: call(helper, operators::LOGICAL_AND, arguments),
        result: result(helper),
    }
}

fn exists(helper: &mut Helper, _: &[String], mut arguments: Vec<IdedExpr>) -> Loop {
    let so_far = result(helper);
    let none = call(helper, operators::LOGICAL_NOT, vec![so_far]);
    let condition = call(helper, operators::NOT_STRICTLY_FALSE, vec![none]);
    arguments.insert(0, result(helper));
    Loop {
        start: boolean(helper, false),
        condition,
        step: call(helper, operators::LOGICAL_OR, arguments),
        result: result(helper),
    }
}

fn exists_one(helper: &mut Helper, _: &[String], mut arguments: Vec<IdedExpr>) -> Loop {
    let sum = vec![result(helper), number(helper, 1)];
    arguments.push(call(helper, operators::ADD, sum));
    arguments.push(result(helper));
    let is_one = vec![result(helper), number(helper, 1)];
    Loop {
        start: number(helper, 0),
        condition: boolean(helper, true),
        step: call(helper, operators::CONDITIONAL, arguments),
        result: call(helper, operators::EQUALS, is_one),
    }
}

fn to_list(helper: &mut Helper, names: &[String], arguments: Vec<IdedExpr>) -> Loop {
    let start = Expr::List(ListExpr::new(Vec::new()));
    collected(helper, start, names, arguments, appended)
}

fn to_map(helper: &mut Helper, names: &[String], arguments: Vec<IdedExpr>) -> Loop {
    collected(
        helper,
        Expr::Map(MapExpr::default()),
        names,
        arguments,
        inserted,
    )
}

fn to_entries(helper: &mut Helper, names: &[String], arguments: Vec<IdedExpr>) -> Loop {
    collected(
        helper,
        Expr::Map(MapExpr::default()),
        names,
        arguments,
        merged,
    )
}

fn filter(helper: &mut Helper, names: &[String], mut arguments: Vec<IdedExpr>) -> Loop {
    let item = helper.next_expr(Expr::Ident(names.first().cloned().unwrap_or_default()));
    arguments.push(item);
    to_list(helper, names, arguments)
}

/// Builds a loop that collects the values of the last argument; if there is another one, it filters
/// the elements.
fn collected(
    helper: &mut Helper,
    start: Expr,
    names: &[String],
    mut arguments: Vec<IdedExpr>,
    add: Addition,
) -> Loop {
    let body = arguments.pop().unwrap_or_default();
    let mut step = add(helper, names, body);
    if let Some(filter) = arguments.pop() {
        let unchanged = result(helper);
        step = call(
            helper,
            operators::CONDITIONAL,
            vec![filter, step, unchanged],
        );
    }
    Loop {
        start: helper.next_expr(start),
        condition: boolean(helper, true),
        step,
        result: result(helper),
    }
}

fn appended(helper: &mut Helper, _: &[String], body: IdedExpr) -> IdedExpr {
    let item = helper.next_expr(Expr::List(ListExpr::new(vec![body])));
    let so_far = result(helper);
    call(helper, operators::ADD, vec![so_far, item])
}

fn inserted(helper: &mut Helper, names: &[String], body: IdedExpr) -> IdedExpr {
    let key = helper.next_expr(Expr::Ident(names.first().cloned().unwrap_or_default()));
    let so_far = result(helper);
    call(helper, MAP_INSERT, vec![so_far, key, body])
}

fn merged(helper: &mut Helper, _: &[String], body: IdedExpr) -> IdedExpr {
    let so_far = result(helper);
    call(helper, MAP_INSERT, vec![so_far, body])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_macro_is_declared() {
        declare(&mut Env::default()).unwrap();
    }
}

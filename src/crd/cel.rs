//! Checks the CEL expressions of a CRD: they must parse, use only existing fields, and stay within
//! the API server's cost limits.
//!
//! The checks mirror the API server and use its constants. The types come from the schema. Each
//! expression passes a type checker ([`checker`]) with the overloads of the project's Kubernetes
//! release. Its cost is the worst case of all its operations, multiplied by how often the rule may
//! run ([`cost`]). If a rule creates objects of types that rustop does not know, its cost is an
//! estimate, and exceeding a limit is only a warning.

mod checker;
mod cost;
mod functions;
mod library;
mod macros;
mod parser_limits;
mod quoted;
mod types;
mod value_type;

use std::borrow::Cow;

use cel::common::ast::IdedExpr;
use cel::{Context, Program, to_value};
use serde_json::Value;

use super::finding::CrdProblem;
use super::keywords::{VALIDATIONS, one_line};
use super::node::{Node, SchemaStep};
use crate::diagnostic::lints::conventions::CEL_COST;
use crate::project::KubernetesVersion;
use checker::Checker;
use cost::Estimator;
use macros::ENVIRONMENT;
use types::{MOST_BYTES, Type};
use value_type::ValueType;

/// Cost limit of a rule in the API server.
const LIMIT: u64 = 10_000_000;
/// Cost limit of all rules of a version together.
const LIMIT_OF_ALL: u64 = 100_000_000;

const CHEAPER: &str = "limit the values that the rule iterates over: `#[schemars(length(max = ..))]` on lists and strings, \
    `#[schemars(extend(\"maxProperties\" = ..))]` on maps";

/// Adds all problems of the expressions of a version to `found`. `root` is the schema of the
/// version.
pub fn check(root: &Node, kubernetes: KubernetesVersion, found: &mut Vec<CrdProblem>) {
    let (mut total, start) = (0_u64, found.len());
    root.visit(&mut |node| {
        let rules = node.schema.get(VALIDATIONS).and_then(Value::as_array);
        let Some(rules) = rules.filter(|rules| !rules.is_empty()) else {
            return;
        };
        let Some(declared) = Type::of(node) else {
            let message = "has rules, but the API server does not know the type of its values: rules need a `type` \
                here and in the items and values below";
            found.push(CrdProblem::at(node, message));
            return;
        };
        for rule in rules {
            total = total.saturating_add(check_rule(node, &declared, rule, kubernetes, found));
        }
    });
    // Skip this if another problem was found: a rule that exceeds its own limit has been reported
    // already.
    if total > LIMIT_OF_ALL && found.len() == start {
        let message = format!("all rules together {}", excess(total, LIMIT_OF_ALL));
        found.push(over(root, message, true));
    }
}

/// Checks a rule and its message expression, and returns their cost.
fn check_rule(
    node: &Node,
    declared: &Type,
    rule: &Value,
    kubernetes: KubernetesVersion,
    found: &mut Vec<CrdProblem>,
) -> u64 {
    let text = |key: &str| rule.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut total = 0_u64;
    let message = Some(text("messageExpression")).filter(|text| !text.is_empty());
    for (expression, result) in [
        (Some(text("rule")), ValueType::Bool),
        (message, ValueType::Text),
    ] {
        let Some(expression) = expression else {
            continue;
        };
        let named = |what: &str| format!("the rule `{}` {what}", one_line(expression));
        let parsed = match parse(expression, kubernetes) {
            Ok(parsed) => parsed,
            Err(why) => {
                found.push(CrdProblem::at(
                    node,
                    named(&format!("is not valid CEL: {why}")),
                ));
                continue;
            }
        };
        let is_rule = result == ValueType::Bool;
        let optional_old = rule.get("optionalOldSelf").filter(|value| !value.is_null());
        let is_optional = optional_old == Some(&Value::Bool(true));
        let checked = Checker::new(declared, is_optional, kubernetes.minor()).run(&parsed);
        let mut errors = checked.errors.clone();
        if checked.is_certain && checked.result != result {
            errors.push(format!(
                "returns a value of the type {}, but must return a {result}",
                checked.result
            ));
        }
        if !errors.is_empty() {
            found.extend(errors.iter().map(|why| CrdProblem::at(node, named(why))));
            // The API server compiles the message expression only if the rule compiles.
            break;
        }
        let times = if is_rule { times(node, declared) } else { 1 };
        let cost = Estimator::new(declared, &checked)
            .run(&parsed)
            .saturating_mul(times);
        total = cost.saturating_add(total);
        if cost > LIMIT {
            found.push(over(node, named(&excess(cost, LIMIT)), checked.is_certain));
        }
        if is_rule {
            old_self(
                node,
                checked.uses_old_self,
                optional_old.is_some(),
                &named,
                found,
            );
        }
    }
    total
}

/// Returns the problem of an exceeded cost limit: a warning if the cost is only an estimate.
fn over(node: &Node, message: String, is_certain: bool) -> CrdProblem {
    let finding = CrdProblem::at(node, message).help(CHEAPER);
    if is_certain {
        finding
    } else {
        finding.warning(&CEL_COST)
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
fn excess(cost: u64, limit: u64) -> String {
    const WORTH_A_WORD: u64 = 100;
    if cost / limit >= WORTH_A_WORD {
        format!("may cost more than {WORTH_A_WORD} times the limit of the API server")
    } else {
        let times = cost as f64 / limit as f64;
        format!("may cost {times:.1} times the limit of the API server")
    }
}

/// Reports a rule that cannot get the old value that it uses, and `optionalOldSelf` without a use.
fn old_self(
    node: &Node,
    used: bool,
    optional: bool,
    named: &dyn Fn(&str) -> String,
    found: &mut Vec<CrdProblem>,
) {
    if !used && optional {
        found.push(CrdProblem::at(
            node,
            named("has `optionalOldSelf` but does not use `oldSelf`"),
        ));
    }
    let lost = node.ancestors().find(|node| {
        let by_keys = node
            .parent
            .is_some_and(|list| list.text("x-kubernetes-list-type") == Some("map"));
        node.step == SchemaStep::Item && !by_keys
    });
    if let Some(parent) = lost.and_then(|node| node.parent).filter(|_| used) {
        let what = format!(
            "uses `oldSelf`, but the API server cannot match old and new values in `{}`",
            parent.path()
        );
        found.push(CrdProblem::at(node, named(&what))
            .help("write `#[x_kube(merge_strategy = ListMerge::Map(vec![\"name\".into()]))]` on the list, or put the rule there"));
    }
}

/// Returns the largest number of runs of a rule for one object: the number of values of its schema.
fn times(node: &Node, declared: &Type) -> u64 {
    let mut product = 1_u64;
    for node in node.ancestors() {
        let Some(parent) = node.parent else { continue };
        let most = match node.step {
            SchemaStep::Item => parent.number("maxItems"),
            SchemaStep::Value => parent.number("maxProperties"),
            _ => Some(1),
        };
        match most {
            Some(most) => product = product.saturating_mul(most),
            // Without a limit in the schema, assume as many values as fit into a request.
            None => return MOST_BYTES / (declared.least_bytes + 1),
        }
    }
    product
}

fn parse(expression: &str, kubernetes: KubernetesVersion) -> Result<IdedExpr, String> {
    /// The first minor version of Kubernetes that accepts names in backticks.
    const BACKTICKS: u8 = 37;
    parser_limits::check(expression)?;
    let expression = if kubernetes.minor() < BACKTICKS {
        Cow::Borrowed(expression)
    } else {
        quoted::replace(expression)
    };
    ENVIRONMENT.parser().parse(&expression).map_err(|errors| {
        let first = errors.errors.first().map(|error| one_line(&error.msg));
        first.unwrap_or_else(|| "syntax error".to_owned())
    })
}

/// Returns true if two rules are the same expression, regardless of formatting.
pub fn is_same(a: &str, b: &str) -> bool {
    let parse = |rule| parse(rule, KubernetesVersion::default());
    a == b || matches!((parse(a), parse(b)), (Ok(a), Ok(b)) if a == b)
}

/// Returns true if a rule contains the word `oldSelf`, as every rule that uses the old value does.
pub fn is_transition(rule: &str) -> bool {
    rule.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .any(|word| word == "oldSelf")
}

/// Returns true if a rule certainly evaluates to false for a value. Returns false if the rule
/// cannot be evaluated here. `kind` is the `type` of the value's schema: integers of JSON are
/// unsigned for the interpreter, but signed for the API server.
pub fn is_false(rule: &str, value: &Value, kind: &str) -> bool {
    if parser_limits::check(rule).is_err() {
        return false;
    }
    let (Ok(program), Ok(value)) = (Program::compile(rule), to_value(value)) else {
        return false;
    };
    let value = match value {
        cel::Value::UInt(n) if kind == "integer" => {
            i64::try_from(n).map_or(cel::Value::UInt(n), cel::Value::Int)
        }
        value => value,
    };
    let mut context = Context::default();
    context.add_variable_from_value("self", value.clone());
    context.add_variable_from_value("oldSelf", value);
    program.execute(&context) == Ok(cel::Value::Bool(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_backticks_need_kubernetes_1_37() {
        let rule = "self.labels.`app.kubernetes.io/name` != ''";
        assert!(parse(rule, KubernetesVersion::V1_36).is_err());
        assert!(parse(rule, KubernetesVersion::V1_37).is_ok());
    }
}

//! Checks of literal arguments: the API server rejects invalid patterns, durations and times when
//! it compiles a rule.

use std::sync::LazyLock;

use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue};
use k8s_openapi::jiff::Timestamp;
use regex::Regex;

use crate::crd::pattern::Pattern;

/// The syntax of Go's durations.
static DURATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    const UNIT: &str = "(ns|us|µs|μs|ms|s|m|h)";
    Regex::new(&format!(r"^[-+]?(0|(([0-9]+\.?[0-9]*|\.[0-9]+){UNIT})+)$")).ok()
});

/// Returns what is wrong with a literal argument, as the predicate of a sentence about the rule;
/// `None` if it is valid, or if no argument that is checked is a literal.
pub fn misfit(call: &CallExpr) -> Option<String> {
    let is_method = call.target.is_some();
    let argument = |n: usize| literal(call.args.get(n)?);
    match (call.func_name.as_str(), is_method) {
        ("matches" | "find" | "findAll", true) => pattern(argument(0)?),
        ("matches", false) => pattern(argument(1).or_else(|| argument(0))?),
        ("bool" | "double" | "int" | "string" | "uint", false) => {
            let Expr::Literal(value) = &call.args.first()?.expr else {
                return None;
            };
            let name = &call.func_name;
            (!is_convertible(name, value))
                .then(|| format!("converts a value to `{name}` that is not a valid {name}"))
        }
        ("duration", false) => {
            let text = argument(0)?;
            let duration = DURATION.as_ref()?;
            (!duration.is_match(text)).then(|| {
                format!("uses the invalid duration `{text}`: write it like `1h30m` or `10s`")
            })
        }
        ("timestamp", false) => {
            let text = argument(0)?;
            text.parse::<Timestamp>().is_err().then(|| {
                format!("uses the invalid timestamp `{text}`: write it like `2006-01-02T15:04:05Z`")
            })
        }
        _ => None,
    }
}

/// Returns false if the conversion of a literal certainly fails: the API server evaluates it when
/// it compiles the rule.
fn is_convertible(to: &str, value: &LiteralValue) -> bool {
    const BOOLS: [&str; 12] = [
        "0", "1", "F", "FALSE", "False", "T", "TRUE", "True", "f", "false", "t", "true",
    ];
    /// The first numbers that do not fit into an int and a uint.
    const ABOVE_INT: f64 = 9_223_372_036_854_775_808.0;
    const ABOVE_UINT: f64 = 18_446_744_073_709_551_616.0;
    match (to, value) {
        ("bool", LiteralValue::String(text)) => BOOLS.contains(&text.inner()),
        ("double", LiteralValue::String(text)) => {
            text.inner().parse::<f64>().is_ok()
                || text.inner().contains(|c: char| c.is_ascii_digit())
        }
        ("int", LiteralValue::String(text)) => text.inner().parse::<i64>().is_ok(),
        ("int", LiteralValue::Double(number)) => number.inner().abs() < ABOVE_INT,
        ("int", LiteralValue::UInt(number)) => i64::try_from(*number.inner()).is_ok(),
        ("string", LiteralValue::Bytes(bytes)) => std::str::from_utf8(bytes.inner()).is_ok(),
        ("uint", LiteralValue::String(text)) => text.inner().parse::<u64>().is_ok(),
        ("uint", LiteralValue::Double(number)) => (0.0..ABOVE_UINT).contains(number.inner()),
        ("uint", LiteralValue::Int(number)) => *number.inner() >= 0,
        _ => true,
    }
}

fn pattern(text: &str) -> Option<String> {
    let why = Pattern::parse(text).err()?;
    Some(format!(
        "uses the pattern `{text}`, which is not a valid regular expression: {why}"
    ))
}

fn literal(expression: &IdedExpr) -> Option<&str> {
    match &expression.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner()),
        _ => None,
    }
}

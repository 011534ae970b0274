//! The functions that the API server's CEL has, and what it checks of their arguments before a rule ever runs.
//!
//! The names are those of Kubernetes 1.36 (`environment.MustBaseEnvSet`, new expressions).

use std::sync::LazyLock;

use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue};
use k8s_openapi::jiff::Timestamp;
use regex::Regex;

use crate::crd::pattern::Pattern;

/// All functions, with the name before their dot where that is no value.
const FUNCTIONS: &str = "add allowed asApproximateFloat asInteger bool bytes charAt check cidr compareTo contains \
    containsCIDR containsIP distinct double duration dyn endsWith error errored family fieldSelector find findAll \
    first flatten format format.byte format.date format.datetime format.dns1035Label format.dns1035LabelPrefix \
    format.dns1123Label format.dns1123LabelPrefix format.dns1123Subdomain format.dns1123SubdomainPrefix \
    format.labelValue format.named format.qualifiedName format.uri format.uuid getDate getDayOfMonth getDayOfWeek \
    getDayOfYear getEscapedPath getFullYear getHost getHostname getHours getMilliseconds getMinutes getMonth getPort \
    getQuery getScheme getSeconds group hasValue indexOf int ip ip.isCanonical isCIDR isGlobalUnicast isGreaterThan \
    isIP isInteger isLessThan isLinkLocalMulticast isLinkLocalUnicast isLoopback isQuantity isSemver isSorted isURL \
    isUnspecified join labelSelector last lastIndexOf lists.range lowerAscii major masked matches max min minor name \
    namespace optional.none optional.of optional.ofNonZeroValue optional.unwrap or orValue patch path prefixLength \
    quantity reason replace resource reverse semver serviceAccount sets.contains sets.equivalent sets.intersects \
    sign size slice sort split startsWith string strings.quote sub subresource substring sum timestamp trim type \
    uint unwrapOpt upperAscii url validate value";

/// What the parser leaves as a call though it declares variables.
pub const MACROS: [&str; 10] = [
    "all",
    "exists",
    "existsOne",
    "exists_one",
    "optFlatMap",
    "optMap",
    "sortBy",
    "transformList",
    "transformMap",
    "transformMapEntry",
];

/// Functions of values that may be missing.
pub const OF_OPTIONAL: [&str; 6] = ["hasValue", "optFlatMap", "optMap", "or", "orValue", "value"];

/// Go's durations.
static DURATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    const UNIT: &str = "(ns|us|µs|μs|ms|s|m|h)";
    Regex::new(&format!(r"^[-+]?(0|(([0-9]+\.?[0-9]*|\.[0-9]+){UNIT})+)$")).ok()
});

/// The name of a called function that there is not.
pub fn unknown(call: &CallExpr) -> Option<String> {
    let is_word = |name: &str| name.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_known = |name: &str| FUNCTIONS.split_whitespace().any(|known| known == name);
    let name = call.func_name.as_str();
    // All else is an operator.
    if !is_word(name) {
        return None;
    }
    let of = match call.target.as_ref().map(|target| &target.expr) {
        Some(Expr::Ident(of)) => Some(format!("{of}.{name}")),
        _ => None,
    };
    let is_there = is_known(name) || of.as_deref().is_some_and(is_known);
    (!is_there).then(|| of.unwrap_or_else(|| name.to_owned()))
}

/// What is wrong with an argument that is a literal.
pub fn misfit(call: &CallExpr) -> Option<String> {
    let is_method = call.target.is_some();
    let argument = |n: usize| literal(call.args.get(n)?);
    match (call.func_name.as_str(), is_method) {
        ("matches" | "find" | "findAll", true) => pattern(argument(0)?),
        ("matches", false) => pattern(argument(1)?),
        ("duration", false) => {
            let text = argument(0)?;
            let duration = DURATION.as_ref()?;
            (!duration.is_match(text)).then(|| {
                format!("has the duration `{text}`, which is none: write it like `1h30m` or `10s`")
            })
        }
        ("timestamp", false) => {
            let text = argument(0)?;
            text.parse::<Timestamp>().is_err().then(|| {
                format!(
                    "has the time `{text}`, which is none: write it like `2006-01-02T15:04:05Z`"
                )
            })
        }
        _ => None,
    }
}

fn pattern(text: &str) -> Option<String> {
    let why = Pattern::parse(text).err()?;
    Some(format!(
        "has the pattern `{text}`, which is no regular expression: {why}"
    ))
}

fn literal(expression: &IdedExpr) -> Option<&str> {
    match &expression.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner()),
        _ => None,
    }
}

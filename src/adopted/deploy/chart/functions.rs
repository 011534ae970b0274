//! Functions of Helm charts: those of Go templates, and the part of sprig that charts use.

use std::cmp::Ordering;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use heck::{ToKebabCase as _, ToSnakeCase as _, ToUpperCamelCase as _};
use serde_json::{Map, Value, json};

use super::value::{compare, equal, is_true, kind, merge, text};
use crate::text::sha256;
use crate::yaml;

/// The result of a call.
pub enum CallResult {
    Value(Value),
    /// The chart rejects its values, with this message.
    Refused(String),
    /// No function of that name and number of arguments.
    Unknown,
}

/// Calls a function of Helm's template language, except for those that need other templates, such
/// as `include`. Functions that query a cluster, or return random values or the time, have a fixed
/// result.
pub fn call(name: &str, arguments: Vec<Value>) -> CallResult {
    match (name, &arguments[..]) {
        ("required", [message, value]) if value.is_null() || value == "" => {
            CallResult::Refused(text(message))
        }
        ("required", [_, value]) => CallResult::Value(value.clone()),
        ("fail", [message]) => CallResult::Refused(text(message)),
        _ => {
            let found = logic(name, &arguments)
                .or_else(|| strings(name, &arguments))
                .or_else(|| numbers(name, &arguments))
                .or_else(|| maps(name, &arguments))
                .or_else(|| collections(name, arguments));
            found.map_or(CallResult::Unknown, CallResult::Value)
        }
    }
}

fn logic(name: &str, arguments: &[Value]) -> Option<Value> {
    let is = |ordering: &[Ordering], a: &Value, b: &Value| ordering.contains(&compare(a, b)).into();
    Some(match (name, arguments) {
        ("eq", [first, others @ ..]) => others.iter().any(|it| equal(first, it)).into(),
        ("ne", [a, b]) => (!equal(a, b)).into(),
        ("lt", [a, b]) => is(&[Ordering::Less], a, b),
        ("le", [a, b]) => is(&[Ordering::Less, Ordering::Equal], a, b),
        ("gt", [a, b]) => is(&[Ordering::Greater], a, b),
        ("ge", [a, b]) => is(&[Ordering::Greater, Ordering::Equal], a, b),
        ("not" | "empty", [value]) => (!is_true(value)).into(),
        ("default", [default]) => default.clone(),
        ("default", [default, value]) => if is_true(value) { value } else { default }.clone(),
        ("coalesce", values) => values
            .iter()
            .find(|it| is_true(it))
            .cloned()
            .unwrap_or_default(),
        ("ternary", [yes, no, test]) => if is_true(test) { yes } else { no }.clone(),
        ("kindIs" | "typeIs", [wanted, value]) => (kind(value) == text(wanted)).into(),
        ("kindOf" | "typeOf", [value]) => kind(value).into(),
        ("semverCompare", [range, version]) => fits(&text(range), &text(version)).into(),
        // `helm template` finds no object, either.
        ("lookup", _) => json!({}),
        _ => return None,
    })
}

fn strings(name: &str, arguments: &[Value]) -> Option<Value> {
    let not_null = || arguments.iter().filter(|it| !it.is_null()).map(text);
    let words: Vec<String> = arguments.iter().map(text).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Some(match (name, &words[..]) {
        ("quote", _) => not_null()
            .map(|it| format!("{it:?}"))
            .collect::<Vec<_>>()
            .join(" ")
            .into(),
        ("squote", _) => not_null()
            .map(|it| format!("'{it}'"))
            .collect::<Vec<_>>()
            .join(" ")
            .into(),
        ("toString", [text]) => (*text).into(),
        ("print", all) => all.concat().into(),
        ("cat", all) => all.join(" ").into(),
        ("printf", [_, ..]) => formatted(arguments).into(),
        ("lower", [text]) => text.to_lowercase().into(),
        ("upper", [text]) => text.to_uppercase().into(),
        ("title", [text]) => title(text).into(),
        ("kebabcase", [text]) => text.to_kebab_case().into(),
        ("snakecase", [text]) => text.to_snake_case().into(),
        ("camelcase", [text]) => text.to_upper_camel_case().into(),
        ("trim", [text]) => text.trim().into(),
        ("trimSuffix", [suffix, text]) => text.strip_suffix(suffix).unwrap_or(text).into(),
        ("trimPrefix", [prefix, text]) => text.strip_prefix(prefix).unwrap_or(text).into(),
        ("nospace", [text]) => text.split_whitespace().collect::<String>().into(),
        ("swapcase", [text]) => text.chars().map(swapped).collect::<String>().into(),
        ("substr", [start, end, text]) => {
            substring(start.parse().ok()?, end.parse().ok()?, text).into()
        }
        ("wrap", [width, text]) => wrapped(width.parse().ok()?, text).into(),
        ("trimAll", [set, text]) => text.trim_matches(|c| set.contains(c)).into(),
        ("replace", [old, new, text]) => text.replace(old, new).into(),
        ("contains", [part, text]) => text.contains(part).into(),
        ("hasPrefix", [part, text]) => text.starts_with(part).into(),
        ("hasSuffix", [part, text]) => text.ends_with(part).into(),
        ("repeat", [n, text]) => text.repeat(n.parse::<usize>().ok()?.min(1000)).into(),
        ("trunc", [n, text]) => truncated(n.parse().ok()?, text).into(),
        ("indent", [n, text]) => indented(n, text)?.into(),
        ("nindent", [n, text]) => format!("\n{}", indented(n, text)?).into(),
        ("b64enc", [text]) => BASE64_STANDARD.encode(text).into(),
        ("b64dec", [text]) => String::from_utf8(BASE64_STANDARD.decode(text).ok()?)
            .ok()?
            .into(),
        ("sha256sum", [text]) => sha256(text).into(),
        ("splitList", [separator, text]) => text.split(separator).collect::<Vec<_>>().into(),
        ("split", [separator, text]) => {
            let parts = text.split(separator).enumerate();
            Value::Object(
                parts
                    .map(|(at, part)| (format!("_{at}"), part.into()))
                    .collect(),
            )
        }
        ("regexMatch", [pattern, text]) => regex::Regex::new(pattern).ok()?.is_match(text).into(),
        ("regexReplaceAll", [pattern, text, with]) => regex::Regex::new(pattern)
            .ok()?
            .replace_all(text, *with)
            .into_owned()
            .into(),
        ("regexFind" | "mustRegexFind", [pattern, text]) => {
            let found = regex::Regex::new(pattern).ok()?.find(text);
            found.map_or("", |found| found.as_str()).into()
        }
        ("regexReplaceAllLiteral" | "mustRegexReplaceAllLiteral", [pattern, text, with]) => {
            let pattern = regex::Regex::new(pattern).ok()?;
            pattern
                .replace_all(text, regex::NoExpand(with))
                .into_owned()
                .into()
        }
        // Random and temporal values: a fixed one, so that the result is the same each time.
        ("randAlphaNum" | "randAlpha" | "randNumeric", [n]) => {
            "0".repeat(n.parse::<usize>().ok()?.min(1000)).into()
        }
        ("uuidv4", []) => "00000000-0000-4000-8000-000000000000".into(),
        ("now" | "date", _) => "1970-01-01".into(),
        ("genPrivateKey", [_]) => "".into(),
        ("genCA" | "genSelfSignedCert" | "genSignedCert", _) => json!({ "Cert": "", "Key": "" }),
        ("toYaml" | "toYamlPretty", [_]) => to_yaml(&arguments[0]).into(),
        ("toJson" | "toRawJson" | "mustToJson", [_]) => arguments[0].to_string().into(),
        ("toPrettyJson", [_]) => format!("{:#}", arguments[0]).into(),
        ("fromYaml" | "fromYamlArray" | "fromJson", [text]) => serde_yaml::from_str(text).ok()?,
        _ => return None,
    })
}

fn numbers(name: &str, arguments: &[Value]) -> Option<Value> {
    let number = |value: &Value| match value {
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(whole)),
        Value::Bool(is) => Some(i64::from(*is)),
        other => Some(text(other).trim().parse().unwrap_or(0)),
    };
    let all: Option<Vec<i64>> = match name {
        "int" | "int64" | "atoi" | "add" | "add1" | "sub" | "mul" | "div" | "mod" | "max"
        | "min" | "until" => arguments.iter().map(number).collect(),
        "float64" => {
            return text(arguments.first()?)
                .parse::<f64>()
                .ok()
                .map(Value::from);
        }
        "round" => {
            let number: f64 = text(arguments.first()?).parse().ok()?;
            let places: u8 = text(arguments.get(1)?).parse().ok()?;
            let scale = 10_f64.powi(places.into());
            return Some(((number * scale).round() / scale).into());
        }
        "toDecimal" => {
            return i64::from_str_radix(&text(arguments.first()?), 8)
                .ok()
                .map(Value::from);
        }
        _ => None,
    };
    let all = all?;
    Some(match (name, &all[..]) {
        ("int" | "int64" | "atoi", [n]) => (*n).into(),
        ("add", all) => all.iter().fold(0_i64, |sum, n| sum.wrapping_add(*n)).into(),
        ("add1", [n]) => n.wrapping_add(1).into(),
        ("sub", [a, b]) => a.wrapping_sub(*b).into(),
        ("mul", all) => all
            .iter()
            .fold(1_i64, |product, n| product.wrapping_mul(*n))
            .into(),
        ("div", [a, b]) => a.checked_div(*b)?.into(),
        ("mod", [a, b]) => a.checked_rem(*b)?.into(),
        ("max", all) => (*all.iter().max()?).into(),
        ("min", all) => (*all.iter().min()?).into(),
        ("until", [n]) => (0..(*n).min(10_000)).collect::<Vec<_>>().into(),
        _ => return None,
    })
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "Go's conversion truncates, too"
)]
fn whole(number: f64) -> i64 {
    number as i64
}

fn maps(name: &str, arguments: &[Value]) -> Option<Value> {
    Some(match (name, arguments) {
        ("pluck", [key, maps @ ..]) => {
            let key = text(key);
            maps.iter()
                .filter_map(|map| map.get(&key).cloned())
                .collect()
        }
        ("urlJoin", [parts]) => {
            let part = |key: &str| parts.get(key).map(text).unwrap_or_default();
            let scheme = part("scheme");
            let separator = if scheme.is_empty() { "" } else { "://" };
            let (mut query, mut fragment) = (part("query"), part("fragment"));
            for (mark, text) in [("?", &mut query), ("#", &mut fragment)] {
                if !text.is_empty() {
                    text.insert_str(0, mark);
                }
            }
            format!(
                "{scheme}{separator}{}{}{query}{fragment}",
                part("host"),
                part("path")
            )
            .into()
        }
        _ => return None,
    })
}

fn collections(name: &str, mut arguments: Vec<Value>) -> Option<Value> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    Some(match (name, &mut arguments[..]) {
        ("list" | "tuple", all) => Value::Array(all.to_vec()),
        ("dict", all) => {
            let pairs = all
                .chunks(2)
                .map(|pair| (text(&pair[0]), pair.get(1).cloned().unwrap_or_default()));
            Value::Object(pairs.collect())
        }
        ("get", [map, key]) => map.get(text(key)).cloned().unwrap_or_else(|| "".into()),
        ("set", [map, key, value]) => {
            map.as_object_mut()?.insert(text(key), value.clone());
            map.clone()
        }
        ("unset", [map, key]) => {
            map.as_object_mut()?.remove(&text(key));
            map.clone()
        }
        ("hasKey", [map, key]) => map.get(text(key)).is_some().into(),
        ("keys", [map]) => map.as_object()?.keys().cloned().collect::<Vec<_>>().into(),
        ("values", [map]) => map
            .as_object()?
            .values()
            .cloned()
            .collect::<Vec<_>>()
            .into(),
        ("pick", [map, keys @ ..]) => filtered(map, |key| keys.iter().any(|it| it == key)),
        ("omit", [map, keys @ ..]) => filtered(map, |key| !keys.iter().any(|it| it == key)),
        ("dig", [keys @ .., default, map]) => {
            let found = keys
                .iter()
                .try_fold(&*map, |value, key| value.get(text(key)));
            found.unwrap_or(default).clone()
        }
        // The first map wins in `merge`, the last one in `mergeOverwrite`.
        ("merge" | "mustMerge", all) => all.iter().rev().fold(json!({}), merged),
        ("mergeOverwrite" | "mustMergeOverwrite", all) => all.iter().fold(json!({}), merged),
        ("deepCopy" | "mustDeepCopy", [value]) => value.clone(),
        ("len", [value]) => match value {
            Value::Array(items) => items.len(),
            Value::Object(map) => map.len(),
            other => text(other).len(),
        }
        .into(),
        ("index", [value, keys @ ..]) => {
            let step = |value: Value, key: &mut Value| match key.as_u64() {
                Some(at) => value
                    .get(usize::try_from(at).unwrap_or(usize::MAX))
                    .cloned(),
                None => value.get(text(key)).cloned(),
            };
            keys.iter_mut().fold(value.clone(), |value, key| {
                step(value, key).unwrap_or_default()
            })
        }
        ("first" | "mustFirst", [items]) => items.as_array()?.first().cloned().unwrap_or_default(),
        ("last" | "mustLast", [items]) => items.as_array()?.last().cloned().unwrap_or_default(),
        ("rest" | "mustRest", [items]) => list(items).into_iter().skip(1).collect(),
        ("initial" | "mustInitial", [items]) => {
            let mut items = list(items);
            items.pop();
            items.into()
        }
        ("has" | "mustHas", [item, items]) => list(items).contains(item).into(),
        ("append" | "mustAppend", [items, item]) => {
            let mut items = list(items);
            items.push(item.clone());
            items.into()
        }
        ("prepend" | "mustPrepend", [items, item]) => {
            let mut items = list(items);
            items.insert(0, item.clone());
            items.into()
        }
        ("concat", all) => all.iter().flat_map(list).collect(),
        ("uniq" | "mustUniq", [items]) => {
            let mut seen = Vec::new();
            for item in list(items) {
                if !seen.contains(&item) {
                    seen.push(item);
                }
            }
            seen.into()
        }
        ("compact" | "mustCompact", [items]) => list(items).into_iter().filter(is_true).collect(),
        ("without" | "mustWithout", [items, out @ ..]) => list(items)
            .into_iter()
            .filter(|it| !out.contains(it))
            .collect(),
        ("reverse" | "mustReverse", [items]) => list(items).into_iter().rev().collect(),
        ("sortAlpha", [items]) => {
            let mut items: Vec<_> = list(items).iter().map(text).collect();
            items.sort();
            items.into()
        }
        ("join", [separator, items]) => {
            let items: Vec<_> = list(items).iter().map(text).collect();
            items.join(&text(separator)).into()
        }
        _ => return None,
    })
}

fn merged(mut base: Value, over: &Value) -> Value {
    merge(&mut base, over);
    base
}

fn filtered(map: &Value, is_in: impl Fn(&str) -> bool) -> Value {
    let entries = map.as_object().into_iter().flatten();
    let entries = entries.filter(|(key, _)| is_in(key));
    Value::Object(
        entries
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect::<Map<_, _>>(),
    )
}

/// Writes a value as `toYaml` does: without a line feed at the end.
pub fn to_yaml(value: &Value) -> String {
    match value {
        // A writer of whole documents has no form for these on one line.
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Array(items) if items.is_empty() => "[]".to_owned(),
        value => yaml::write(value).trim_end_matches('\n').to_owned(),
    }
}

fn indented(n: &str, text: &str) -> Option<String> {
    let pad = " ".repeat(n.parse::<usize>().ok()?.min(200));
    Some(
        text.split('\n')
            .map(|line| format!("{pad}{line}"))
            .collect::<Vec<_>>()
            .join("\n"),
    )
}

fn truncated(n: i64, text: &str) -> String {
    let length = usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX);
    let all = text.chars().count();
    if n < 0 {
        text.chars().skip(all.saturating_sub(length)).collect()
    } else {
        text.chars().take(length).collect()
    }
}

/// Returns the characters from `start` to `end`; to the end of the text if `end` is negative.
fn substring(start: i64, end: i64, text: &str) -> String {
    let start = usize::try_from(start).unwrap_or(0);
    let end = usize::try_from(end).unwrap_or(usize::MAX);
    let length = end.saturating_sub(start);
    text.chars().skip(start).take(length).collect()
}

/// Breaks lines at blanks, so that they have at most `width` characters.
fn wrapped(width: usize, text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

fn swapped(c: char) -> char {
    if c.is_uppercase() {
        c.to_ascii_lowercase()
    } else {
        c.to_ascii_uppercase()
    }
}

fn title(text: &str) -> String {
    let word = |word: &str| {
        let mut chars = word.chars();
        chars.next().map_or_else(String::new, |first| {
            first.to_uppercase().chain(chars).collect()
        })
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Formats as Go does, without widths and flags.
fn formatted(arguments: &[Value]) -> String {
    let format = text(&arguments[0]);
    let mut values = arguments[1..].iter();
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        match chars.find(|c| !c.is_ascii_digit() && !"+-.# ".contains(*c)) {
            Some('%') => out.push('%'),
            Some('q') => {
                let _ = write!(out, "{:?}", values.next().map(text).unwrap_or_default());
            }
            Some('T') => out.push_str(values.next().map_or("", kind)),
            Some(_) => out.push_str(&values.next().map(text).unwrap_or_default()),
            None => {}
        }
    }
    out
}

/// Returns true if a version fits a range such as `>=1.21-0`. Every part of a range must fit; `||`
/// separates alternatives.
fn fits(range: &str, version: &str) -> bool {
    let numbers = |text: &str| {
        let text = text.trim_start_matches('v');
        let parts = text
            .split(['.', '-', '+'])
            .map_while(|part| part.parse::<u64>().ok());
        let mut parts: Vec<_> = parts.take(3).collect();
        parts.resize(3, 0);
        parts
    };
    let version = numbers(version);
    let one = |part: &str| {
        let at = part
            .find(|c: char| c.is_ascii_digit() || c == 'v')
            .unwrap_or(part.len());
        let wanted = numbers(&part[at..]);
        match part[..at].trim() {
            ">=" => version >= wanted,
            ">" => version > wanted,
            "<=" => version <= wanted,
            "<" => version < wanted,
            "^" => version >= wanted && version[0] == wanted[0],
            "~" => version >= wanted && version[..2] == wanted[..2],
            "!=" => version != wanted,
            _ => version == wanted,
        }
    };
    range.split("||").any(|all| {
        all.split([',', ' '])
            .filter(|part| !part.is_empty())
            .all(one)
    })
}

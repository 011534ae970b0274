//! The functions and operators of the API server, by Kubernetes release.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::value_type::ValueType;

const TABLE: &str = include_str!("functions.txt");

/// A signature of a function or method.
#[derive(Debug)]
pub struct Overload {
    /// Minor version of the first Kubernetes release that accepts the overload in new rules.
    pub since: u8,
    /// True if the first argument is the receiver.
    pub is_method: bool,
    /// Argument types. Type parameters, which are letters, are variables.
    pub arguments: Vec<ValueType<'static>>,
    /// The type of the result. Its variables are those of the arguments.
    pub result: ValueType<'static>,
    /// The signature as written in the table.
    pub text: &'static str,
}

static FUNCTIONS: LazyLock<HashMap<&'static str, Vec<Overload>>> = LazyLock::new(|| {
    let mut functions = HashMap::new();
    let mut since = 0;
    for line in TABLE.lines() {
        if let Some(minor) = line.strip_prefix("[1.") {
            since = minor.trim_end_matches(']').parse().unwrap_or_default();
        } else if let Some((name, overload)) = overload(line, since) {
            let overloads: &mut Vec<_> = functions.entry(name).or_default();
            overloads.push(overload);
        }
    }
    functions
});

/// Returns the overloads of a function in a Kubernetes release; empty if the release does not have
/// the function.
pub fn overloads(name: &str, minor: u8) -> Vec<&'static Overload> {
    let all = FUNCTIONS.get(name).into_iter().flatten();
    all.filter(|overload| overload.since <= minor).collect()
}

/// Returns the minor version of the first Kubernetes release with the function; `None` if there is
/// no such function.
pub fn since(name: &str) -> Option<u8> {
    let all = FUNCTIONS.get(name)?.iter();
    all.map(|overload| overload.since).min()
}

/// Returns true if a name is a namespace of functions, as `sets` in `sets.contains`.
pub fn is_namespace(name: &str) -> bool {
    FUNCTIONS
        .keys()
        .any(|function| function.split_once('.').is_some_and(|(of, _)| of == name))
}

/// Parses a line of the table: `name: target.(argument, argument) -> result`.
fn overload(line: &'static str, since: u8) -> Option<(&'static str, Overload)> {
    let (name, text) = line.split_once(": ")?;
    let (arguments, result) = text.split_once(" -> ")?;
    let (target, arguments) = arguments.split_once('(')?;
    let target = target.strip_suffix('.');
    let mut types: Vec<_> = target.map(value_type).into_iter().collect();
    let arguments = arguments.strip_suffix(')')?;
    types.extend(split(arguments).into_iter().map(value_type));
    let overload = Overload {
        since,
        is_method: target.is_some(),
        arguments: types,
        result: value_type(result),
        text,
    };
    Some((name, overload))
}

/// Splits a list of types at the commas outside of angle brackets.
fn split(types: &str) -> Vec<&str> {
    let mut depth = 0;
    let separator = |c: char| {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    };
    let parts = types.split(separator).map(str::trim);
    parts.filter(|part| !part.is_empty()).collect()
}

fn value_type(text: &str) -> ValueType<'static> {
    let Some((name, parameters)) = text.split_once('<') else {
        return scalar(text);
    };
    let parameters = parameters.strip_suffix('>').unwrap_or(parameters);
    let mut parameters: Vec<_> = split(parameters).into_iter().map(value_type).collect();
    match (name, &mut parameters[..]) {
        ("type", _) => ValueType::Type,
        ("list", [item]) => ValueType::List(Box::new(item.clone())),
        ("map", [key, value]) => ValueType::Map(Box::new(key.clone()), Box::new(value.clone())),
        _ => ValueType::Opaque(name.to_owned(), parameters),
    }
}

fn scalar(name: &str) -> ValueType<'static> {
    match name {
        "bool" => ValueType::Bool,
        "bytes" => ValueType::Bytes,
        "double" => ValueType::Double,
        "duration" => ValueType::Duration,
        "dyn" => ValueType::Dyn,
        "int" => ValueType::Int,
        "string" => ValueType::Text,
        "timestamp" => ValueType::Timestamp,
        "uint" => ValueType::Uint,
        name => match name.as_bytes() {
            [letter] => ValueType::Variable(usize::from(*letter)),
            _ => ValueType::Opaque(name.to_owned(), Vec::new()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_an_overload() {
        let lines = TABLE
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with(['#', '[']));
        for line in lines {
            let (_, overload) = overload(line, 0).unwrap_or_else(|| panic!("{line}"));
            let mut types: Vec<_> = overload.arguments.iter().map(ToString::to_string).collect();
            types.push(overload.result.to_string());
            // The parser would accept a misspelled type as a type of a library.
            for of in types.iter().filter(|of| of.contains('.')) {
                let known = ["kubernetes.", "net."];
                assert!(known.iter().any(|known| of.contains(known)), "{line}: {of}");
            }
        }
    }

    #[test]
    fn functions_begin_with_a_release() {
        assert!(overloads("semver", 33).is_empty());
        assert_eq!(overloads("semver", 34).len(), 2);
        assert_eq!(since("semver"), Some(34));
        assert_eq!(since("frobnicate"), None);
        assert!(is_namespace("sets") && !is_namespace("size"));
    }
}

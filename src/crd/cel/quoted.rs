//! Field names in backticks, as in ``self.labels.`app.kubernetes.io/name` ``. Kubernetes accepts
//! them since 1.37; the parser here does not know them, so it gets a plain identifier, which the
//! checks turn back into the name.

use std::borrow::Cow;

/// Begins an identifier that stands for a name in backticks. The hexadecimal bytes of the name
/// follow. No property has such a name in an expression, since Kubernetes escapes `__`.
const PREFIX: &str = "__quoted__";

/// Replaces each name in backticks that follows a dot by an identifier.
pub fn replace(expression: &str) -> Cow<'_, str> {
    if !expression.contains('`') {
        return expression.into();
    }
    let mut replaced = String::with_capacity(expression.len());
    let mut rest = expression;
    while let Some(next) = rest.find(['"', '\'', '`']) {
        let (before, token) = rest.split_at(next);
        replaced.push_str(before);
        let after_dot = replaced.trim_end_matches('?').ends_with('.');
        if let Some(name) = name(token).filter(|_| after_dot) {
            replaced.push_str(&identifier(name));
            rest = &token[name.len() + 2..];
        } else {
            let (literal, after) = token.split_at(length(token));
            replaced.push_str(literal);
            rest = after;
        }
    }
    replaced.push_str(rest);
    replaced.into()
}

/// Returns the field that a name in an expression stands for.
pub fn field(name: &str) -> Cow<'_, str> {
    let original = || {
        let digits = name.strip_prefix(PREFIX)?.as_bytes();
        let bytes = digits.chunks(2).map(|pair| {
            let pair = str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
            u8::from_str_radix(pair, 16).ok()
        });
        String::from_utf8(bytes.collect::<Option<Vec<_>>>()?).ok()
    };
    original().map_or(name.into(), Cow::Owned)
}

/// Returns the name between the backticks with which `token` begins. cel-go's grammar takes these
/// characters.
fn name(token: &str) -> Option<&str> {
    let (name, _) = token.strip_prefix('`')?.split_once('`')?;
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "_.-/ ".contains(c);
    (!name.is_empty() && name.chars().all(is_allowed)).then_some(name)
}

fn identifier(name: &str) -> String {
    let digits = name.bytes().map(|byte| format!("{byte:02x}"));
    format!("{PREFIX}{}", digits.collect::<String>())
}

/// Returns the length of the string literal with which `token` begins: up to its closing quote, or
/// to the end.
fn length(token: &str) -> usize {
    let mark = &token[..1];
    let triple = mark.repeat(3);
    let quote = if token.starts_with(&triple) {
        &triple
    } else {
        mark
    };
    let mut at = quote.len();
    while let Some(c) = token[at..].chars().next() {
        if token[at..].starts_with(quote) {
            return at + quote.len();
        }
        at += c.len_utf8();
        if c == '\\' {
            at += token[at..].chars().next().map_or(0, char::len_utf8);
        }
    }
    token.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_backticks_become_identifiers_and_come_back() {
        for (expression, names) in [
            ("self.`for` == 1", vec!["for"]),
            ("self.map.`a.b/c` == self.?`d-e`", vec!["a.b/c", "d-e"]),
            ("self.a == '`b`' && self.`c` == \"x`y\"", vec!["c"]),
            ("self.a == 'it\\'s' + self.`b c`", vec!["b c"]),
            ("self.a == '''it's ` ''' + self.`b`", vec!["b"]),
        ] {
            let replaced = replace(expression);
            let found: Vec<_> = replaced
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .filter(|word| word.starts_with(PREFIX))
                .map(|word| field(word).into_owned())
                .collect();
            assert_eq!(found, names, "{replaced}");
        }
    }

    #[test]
    fn other_backticks_stay_a_syntax_error() {
        for expression in [
            "`self`",
            "self.``",
            "self.`a",
            "self.`a\"b`",
            "'`",
            "self.a == '.`b`'",
        ] {
            assert_eq!(replace(expression), expression);
        }
    }

    #[test]
    fn other_names_stay() {
        for name in ["name", "__quoted__6", "__quoted__zz", "__quoted__ff"] {
            assert_eq!(field(name), name);
        }
    }
}

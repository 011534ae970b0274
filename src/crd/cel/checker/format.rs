//! Checks of literal format strings: `'%s: %d'.format([..])`.

use crate::crd::cel::value_type::ValueType;

/// Checks that each clause exists and accepts its argument.
///
/// # Errors
/// Returns what is wrong, as the rest of a sentence about the rule.
pub fn check(text: &str, arguments: &[ValueType]) -> Result<(), String> {
    let mut rest = text;
    let mut used = 0;
    while let Some((_, after)) = rest.split_once('%') {
        if let Some(after) = after.strip_prefix('%') {
            rest = after;
            continue;
        }
        let clause = clause(after).ok_or_else(|| {
            format!("has the format `{text}`, in which a `%` starts no verb: write `%%` for a percent sign")
        })?;
        rest = &after[clause.length..];
        let Some(of) = arguments.get(used) else {
            return Err(format!(
                "has the format `{text}` with more verbs than the {} arguments",
                arguments.len()
            ));
        };
        used += 1;
        if !takes(clause.letter, of) {
            return Err(format!(
                "has the format `{text}`, whose `%{}` does not accept a value of the type {of}",
                clause.letter
            ));
        }
    }
    if used < arguments.len() {
        return Err(format!(
            "has the format `{text}` with {used} verbs for {} arguments",
            arguments.len()
        ));
    }
    Ok(())
}

struct Clause {
    letter: char,
    length: usize,
}

/// Parses the text after a `%`: an optional precision such as `.3`, and a letter.
fn clause(text: &str) -> Option<Clause> {
    let digits = match text.strip_prefix('.') {
        Some(precision) => {
            let end = precision.find(|c: char| !c.is_ascii_digit())?;
            (end > 0).then_some(end + 1)?
        }
        None => 0,
    };
    let letter = text[digits..].chars().next()?;
    "sdfebxXo".contains(letter).then_some(Clause {
        letter,
        length: digits + 1,
    })
}

fn takes(letter: char, of: &ValueType) -> bool {
    match (letter, of) {
        (_, ValueType::Dyn)
        | ('d' | 'b' | 'x' | 'X' | 'o', ValueType::Int | ValueType::Uint)
        | ('f' | 'e', ValueType::Double | ValueType::Text)
        | ('b', ValueType::Bool)
        | ('x' | 'X', ValueType::Text | ValueType::Bytes) => true,
        ('s', of) => !matches!(of, ValueType::Object(_) | ValueType::Opaque(..)),
        _ => false,
    }
}

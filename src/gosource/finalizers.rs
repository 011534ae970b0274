//! The finalizers in a Go file: `const cowFinalizer = "example.org/cow"`, or the name in
//! `controllerutil.AddFinalizer(cow, "example.org/cow")`.

use super::lexer::{Lexeme, Lines, Token, joined, lex};

/// Functions that take the name of a finalizer.
const CALLS: [&str; 3] = ["AddFinalizer", "ContainsFinalizer", "RemoveFinalizer"];

/// A finalizer that the operator adds to objects.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Finalizer {
    /// The name, or the Go expression that computes it.
    pub name: String,
    /// The line, starting at 1.
    pub line: usize,
}

/// Returns the finalizers in a Go file, each with its first occurrence.
pub fn finalizers(text: &str) -> Vec<Finalizer> {
    let mut lexemes = lex(text);
    lexemes.retain(|(_, token)| !matches!(token, Token::Line(_)));
    let lines = Lines::of(text);
    let mut found: Vec<Finalizer> = Vec::new();
    for (at, lexeme) in lexemes.iter().enumerate() {
        let rest = &lexemes[at + 1..];
        let name = match lexeme.1 {
            Token::Word(word) if CALLS.contains(&word) => passed(rest),
            Token::Word(word) => {
                let word = word.to_lowercase();
                let is_one = word.ends_with("finalizer") || word.ends_with("finalizername");
                // With any other variable name, the value may be the text of a condition.
                let is_wanted = |name: &String| is_one || name.contains(['.', '/']);
                let named = word.contains("finalizer").then(|| assigned(text, rest));
                named.flatten().filter(is_wanted)
            }
            _ => None,
        };
        let Some(name) = name else { continue };
        if found.iter().all(|it| it.name != name) {
            let line = lines.number(lexeme.0);
            found.push(Finalizer { name, line });
        }
    }
    found
}

/// Returns the string literal that is the last argument of a call.
fn passed(called: &[Lexeme]) -> Option<String> {
    let end = called
        .iter()
        .position(|(_, token)| *token == Token::Sign(')'))?;
    match called[..end] {
        [.., (_, Token::Sign(',')), (_, Token::Literal(literal))] => name(literal),
        _ => None,
    }
}

/// Returns the value assigned to a constant or variable, with or without a declared type.
fn assigned(text: &str, behind: &[Lexeme]) -> Option<String> {
    let behind = match behind {
        [(_, Token::Sign(':') | Token::Word(_)), behind @ ..] => behind,
        _ => behind,
    };
    let [(_, Token::Sign('=')), value @ ..] = behind else {
        return None;
    };
    let first = value.first()?.0;
    let same_line = |(at, _): &&Lexeme| !text[first..*at].contains('\n');
    let length = value.iter().take_while(same_line).count();
    let value = &value[..length];
    if let [(_, Token::Literal(literal))] = value {
        return name(literal);
    }
    let mut tokens = value.iter();
    let is_made = tokens.any(|(_, token)| matches!(token, Token::Literal(it) if is_part(it)));
    is_made.then(|| joined(text, value))
}

/// Returns the value of a literal if it can be the name of a finalizer, not a path or a sentence.
fn name(literal: &str) -> Option<String> {
    let name = literal.trim_matches(['"', '`']);
    let is_legal = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "./_-".contains(c));
    let is_field = name.starts_with('/') || name.starts_with("metadata");
    (is_legal && !is_field && !name.is_empty()).then(|| name.to_owned())
}

/// Returns true if a literal can be a part of a name: `"/herd"`, `"%s/herd"`.
fn is_part(literal: &str) -> bool {
    literal.contains('/') && !literal.contains(' ')
}
